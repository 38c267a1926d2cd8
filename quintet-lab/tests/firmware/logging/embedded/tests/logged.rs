//! Tests of `embedded-test` that log, and panic by `panic-probe`.
#![no_std]
#![no_main]

use {cortex_m as _, cortex_m_rt as _, defmt_rtt as _, panic_probe as _};

#[cfg(test)]
#[embedded_test::tests]
mod tests {
    #[test]
    #[should_panic]
    fn panics() {
        panic!("as it should");
    }

    #[test]
    fn fails() {
        defmt::info!("about to fail");
        panic!("as it should not");
    }
}
