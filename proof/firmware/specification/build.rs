//! Hands the linker script of `cortex-m-rt` to the linker. The crate `lm3s6965` brings `memory.x`.

fn main() {
    println!("cargo::rustc-link-arg=-Tlink.x");
    if std::env::var_os("CARGO_FEATURE_PROCESSES").is_some() {
        // The memory of processes begins where the main stack does.
        println!("cargo::rustc-link-arg=--defsym=_stack_start=0x20004000");
    }
}
