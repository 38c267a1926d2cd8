//! The second of three tests fails.
#![no_std]
#![no_main]

use {cortex_m as _, cortex_m_rt as _, defmt_rtt as _, panic_probe as _};

#[defmt_test::tests]
mod tests {
    use logging_harness::add;

    #[test]
    fn first() {}

    #[test]
    fn second() {
        defmt::assert_eq!(add(1, 1), 3, "one and one");
    }

    #[test]
    fn third() {}
}
