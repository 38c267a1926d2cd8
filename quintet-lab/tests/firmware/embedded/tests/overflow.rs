//! A test that ends well, but whose stack was written over a variable meanwhile.
#![no_std]
#![no_main]

#[cfg(test)]
#[embedded_test::tests]
mod tests {
    use core::hint::black_box;

    use cortex_m_rt as _;

    static mut VICTIM: [u8; 52 * 1024] = [7; 52 * 1024];

    #[test]
    fn stays() {
        black_box(&raw const VICTIM);
    }

    #[test]
    fn grows() {
        let mut words = black_box([0_u32; 4096]);
        words[4095] = 1;
        black_box(&mut words);
    }
}
