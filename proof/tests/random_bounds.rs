//! No function of a few random programs in Rust takes longer than its bound.
//!
//! More of it, and C, is `cargo proof random-bounds`.

#[test]
fn no_random_program_breaks_its_bounds() {
    match proof::random_bounds::sample(4, 3, 16, 6) {
        // Where everything is open, nothing is compared.
        Ok((activations, [bounded, all])) => {
            assert!(activations > 500, "only {activations} activations");
            assert!(2 * bounded >= all, "only {bounded} of {all} functions have a bound");
        }
        Err(error) => panic!("{error:#}"),
    }
}
