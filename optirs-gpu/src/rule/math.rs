//! The arithmetic of generated host and CPU code that `core` does not define to the bit.
