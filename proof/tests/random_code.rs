//! Random code from random states never panics, and ends the same however the machine is driven.
//!
//! More of it is `cargo proof random-code`.

#[test]
fn random_code_never_panics() {
    match proof::random_code::run(4, 0..3000, 400) {
        // Code that dies at once would show nothing.
        Ok(instructions) => assert!(instructions > 300_000, "only {instructions} instructions"),
        Err(error) => panic!("{error:#}"),
    }
}
