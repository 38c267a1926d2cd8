//! Hands the linker script of `cortex-m-rt` to the linker. The crate `lm3s6965` brings `memory.x`.

fn main() {
    println!("cargo::rustc-link-arg=-Tlink.x");
}
