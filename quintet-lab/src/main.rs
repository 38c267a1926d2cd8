//! The command `quintet`.
fn main() {}
