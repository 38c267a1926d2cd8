//! Tests that pass, one of them because it gives an error.
#![no_std]
#![no_main]

use {cortex_m as _, cortex_m_rt as _, defmt_rtt as _, panic_probe as _};

#[defmt_test::tests]
mod tests {
    use logging_harness::add;

    #[init]
    fn init() -> u8 {
        40
    }

    #[test]
    fn adds(start: &mut u8) {
        defmt::assert_eq!(add(*start, 2), 42);
    }

    #[test]
    #[should_error]
    fn fails_as_it_should() -> Result<(), u8> {
        Err(add(250, 10))
    }
}
