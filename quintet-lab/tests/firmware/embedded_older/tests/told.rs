//! Tests that run on the simulated target, which tells the runner that they are there.
#![no_std]
#![no_main]

#[cfg(test)]
#[embedded_test::tests]
mod tests {
    use cortex_m_rt as _;
    use embedded_older::half;

    #[init]
    fn init() -> u8 {
        7
    }

    #[test]
    fn rounds_up(number: u8) {
        assert_eq!(half(number), 4);
    }

    #[test]
    #[should_panic]
    fn panics(number: u8) {
        assert_eq!(half(number), 3);
    }

    #[test]
    #[ignore]
    fn fails() -> Result<(), &'static str> {
        Err("on purpose")
    }

    #[test]
    #[ignore]
    #[timeout(1)]
    fn hangs() {
        loop {}
    }
}
