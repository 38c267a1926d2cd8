//! Makes a call of each class between the marks, and ends with 0 if each was answered as it must
//! be.
#![no_std]
#![no_main]

use core::arch::asm;

use riscv_apps::{Do, ask, keeps_registers};

quintet_process::main!(main, stack = 1024);

/// A call by its class and a0 to a3.
fn call(class: u32, arguments: [u32; 4]) -> [u32; 4] {
    let [mut a0, mut a1, mut a2, mut a3] = arguments;
    // SAFETY: nothing is lent but a static.
    unsafe {
        asm!(
            "ecall",
            inout("a0") a0, inout("a1") a1, inout("a2") a2, inout("a3") a3, in("a4") class,
        );
    }
    [a0, a1, a2, a3]
}

/// The words of the upcall that was last run.
static mut WORDS: [u32; 4] = [0; 4];

extern "C" fn upcall(first: u32, second: u32, third: u32, data: u32) {
    // SAFETY: upcalls run in yields alone.
    unsafe { (&raw mut WORDS).write_volatile([first, second, third, data]) };
}

fn yield_wait() {
    // SAFETY: the upcall is a C function.
    unsafe {
        asm!("ecall", inout("a0") 1 => _, inout("a4") 0 => _, clobber_abi("C"));
    }
}

fn main() -> u32 {
    const LENT: [u32; 2] = [130, 0];
    static BYTES: [u8; 8] = [7; 8];
    let driver = riscv_apps::JUDGE;
    let lent = BYTES.as_ptr() as u32;
    let function = upcall as *const () as u32;
    let end = call(5, [1, 0, 0, 0])[1];
    let _done = ask(Do::Begin);
    if !keeps_registers() {
        return 1;
    }
    if call(1, [driver, 0, function, 5])[..2] != LENT {
        return 2;
    }
    let _done = ask(Do::Upcall);
    yield_wait();
    // SAFETY: nothing else runs.
    if unsafe { (&raw const WORDS).read_volatile() } != [1, 2, 3, 5] {
        return 3;
    }
    if call(4, [driver, 0, lent, 8])[..2] != LENT || call(4, [driver, 0, 0, 0])[1] != lent {
        return 4;
    }
    if call(5, [1, 0, 0, 0])[..2] != [129, end] {
        return 5;
    }
    if !keeps_registers() {
        return 6;
    }
    let _done = ask(Do::End);
    0
}
