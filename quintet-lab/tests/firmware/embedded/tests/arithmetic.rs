//! Tests that run on the simulated target, as `cargo test` of a firmware crate does.
#![no_std]
#![no_main]

#[cfg(test)]
#[embedded_test::tests]
mod tests {
    use cortex_m_rt as _;
    use embedded::add;

    #[test]
    fn adds() {
        assert_eq!(add(2, 3), 5);
    }

    #[test]
    fn saturates() -> Result<(), &'static str> {
        if add(200, 100) == 255 { Ok(()) } else { Err("wrapped") }
    }

    #[test]
    #[should_panic]
    fn panics() {
        assert_eq!(add(1, 1), 3);
    }

    #[test]
    #[ignore]
    fn fails() {
        panic!("on purpose");
    }

    #[test]
    #[ignore]
    #[timeout(1)]
    fn hangs() {
        loop {}
    }
}
