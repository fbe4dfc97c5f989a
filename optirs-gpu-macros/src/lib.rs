//! Attribute shell.
