//! Plain Rust for Ibex's simple system: prints, counts the cycles of a loop by `mcycle`, and sleeps
//! until the timer's interrupt. It has no atomic operation, as the core has none.

#![no_std]
#![no_main]

use core::arch::{asm, global_asm};

const PRINT: *mut u32 = 0x0002_0000 as *mut u32;
const END: *mut u32 = 0x0002_0008 as *mut u32;
const MTIME: *mut u32 = 0x0003_0000 as *mut u32;
const MTIMECMP: *mut u32 = 0x0003_0008 as *mut u32;

global_asm!(
    ".section .text.vectors, \"ax\"",
    ".option push",
    ".option norvc",
    ".rept 32",
    "    j trap",
    ".endr",
    ".globl _start",
    "_start:",
    "    li sp, 0x00200000",
    // Vectored, as an Ibex is after reset.
    "    li t0, 0x00100001",
    "    csrw mtvec, t0",
    "    j main",
    ".option pop",
    // Takes the interrupt away, and counts it in s11, which nothing else uses.
    "trap:",
    "    csrw mscratch, t0",
    "    addi s11, s11, 1",
    "    li t0, 0x00030008",
    "    sw x0, 4(t0)",
    "    sw t0, 0(t0)",
    "    csrw mie, x0",
    "    csrr t0, mscratch",
    "    mret",
);

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    end()
}

fn end() -> ! {
    unsafe { END.write_volatile(1) };
    loop {
        core::hint::spin_loop();
    }
}

fn print(text: &str) {
    for byte in text.bytes() {
        unsafe { PRINT.write_volatile(u32::from(byte)) };
    }
}

fn print_number(number: u32) {
    if number >= 10 {
        print_number(number / 10);
    }
    unsafe { PRINT.write_volatile(u32::from(b'0') + number % 10) };
}

/// Returns the cycles of a loop of two instructions, with one more to read the counter.
fn count(turns: u32) -> u32 {
    let (before, after): (u32, u32);
    unsafe {
        asm!(
            ".balign 4",
            "csrr {before}, mcycle",
            "2: addi {turns}, {turns}, -1",
            "bnez {turns}, 2b",
            "csrr {after}, mcycle",
            turns = inout(reg) turns => _, before = out(reg) before, after = out(reg) after,
        );
    }
    after - before
}

#[unsafe(no_mangle)]
extern "C" fn main() -> ! {
    print("hello by the control\n");
    print("a loop of 10 turns takes ");
    print_number(count(10));
    print(" cycles\n");
    let ticks: u32;
    unsafe {
        let due = MTIME.read_volatile() + 1000;
        MTIMECMP.add(1).write_volatile(0);
        MTIMECMP.write_volatile(due);
        asm!(
            "li s11, 0",
            "csrs mie, {timer}",
            "csrsi mstatus, 8",
            "wfi",
            "mv {ticks}, s11",
            timer = in(reg) 1 << 7, ticks = out(reg) ticks, out("s11") _,
        );
    }
    print_number(ticks);
    print(" tick while asleep\n");
    end()
}
