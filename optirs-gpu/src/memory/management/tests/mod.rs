//! Every policy, plan, collection and prediction against a brute force that is written differently.

mod collection;
mod defragmentation;
mod eviction;
mod prefetching;

use super::*;
