//! The subcommands.

pub mod compare;
pub mod cpu;
pub mod memory;
pub mod roofline;
pub mod shards;
pub mod startup;
pub mod table;
pub mod transfer;
