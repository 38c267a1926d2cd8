//! Tests that run on the chip: each after a reset, in the simulator or on the board.
#![no_std]
#![no_main]

#[cfg(test)]
#[embedded_test::tests]
mod tests {
    use nrf52840_dk::is_on;
    // What a program needs to link.
    use cortex_m as _;
    use nrf_pac as _;
    use {defmt_rtt as _, panic_probe as _};

    #[test]
    fn the_led_is_on_in_every_other_beat() {
        assert!(is_on(0));
        assert!(!is_on(1));
        assert!(is_on(2));
    }
}
