//! Every legal plan of every rule computes what the rule means, to the last bit; wrong plans do not.

#[path = "plans/equal.rs"]
mod equal;
#[path = "plans/wrong.rs"]
mod wrong;
