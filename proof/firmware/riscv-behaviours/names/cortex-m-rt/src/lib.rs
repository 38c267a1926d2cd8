//! The name of `cortex-m-rt` that programs of `tests/firmware` use, for RISC-V.
#![no_std]

pub use riscv_rt::entry;
