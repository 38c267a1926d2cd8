//! Plain Rust for a LiteX system with a VexRiscv: prints by the UART, counts the cycles of a loop
//! by `mcycle`, and sleeps until the timer has called three times. The handler finds the device
//! by the core's own register of what is pending.

#![no_std]
#![no_main]

use core::arch::{asm, global_asm};

const UART: *mut u32 = 0xf000_2000 as *mut u32;
const TIMER: *mut u32 = 0xf000_2800 as *mut u32;
/// The registers of the UART, and of the timer, in words.
const FULL: usize = 1;
const LOAD: usize = 0;
const RELOAD: usize = 1;
const ON: usize = 2;
const PENDING: usize = 6;
const ENABLE: usize = 7;
/// The line of the timer.
const TIMER_LINE: u32 = 1 << 1;

global_asm!(
    ".section .text.start, \"ax\"",
    ".globl _start",
    "_start:",
    "    li sp, 0x40010000",
    "    la t0, trap",
    "    csrw mtvec, t0",
    "    j main",
    // Counts in s11 the calls of the timer, and in s10 those of anything else; nothing else uses
    // these registers.
    ".balign 4",
    "trap:",
    "    csrw mscratch, t0",
    "    csrr t0, 0xfc0",
    "    addi t0, t0, -2",
    "    bnez t0, 2f",
    "    addi s11, s11, 1",
    "    addi sp, sp, -4",
    "    sw t1, 0(sp)",
    "    li t0, 0xf0002800",
    "    li t1, 1",
    "    sw t1, 0x18(t0)",
    "    lw t1, 0(sp)",
    "    addi sp, sp, 4",
    "    csrr t0, mscratch",
    "    mret",
    "2:  addi s10, s10, 1",
    "    csrw mie, x0",
    "    csrr t0, mscratch",
    "    mret",
);

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    end()
}

/// Ends by a service of semihosting.
fn end() -> ! {
    unsafe {
        asm!(
            ".balign 16",
            ".option push",
            ".option norvc",
            "slli x0, x0, 0x1f",
            "ebreak",
            "srai x0, x0, 7",
            ".option pop",
            in("a0") 0x18, in("a1") 0x20026,
        );
    }
    loop {
        core::hint::spin_loop();
    }
}

fn send(byte: u8) {
    unsafe {
        while UART.add(FULL).read_volatile() != 0 {}
        UART.write_volatile(u32::from(byte));
    }
}

fn print(text: &str) {
    for byte in text.bytes() {
        send(byte);
    }
}

fn print_number(number: u32) {
    if number >= 10 {
        print_number(number / 10);
    }
    send(b'0' + (number % 10) as u8);
}

/// Returns the cycles of a loop of two instructions, with one more to read the counter. It is in
/// one line of the cache.
fn count(turns: u32) -> u32 {
    let (before, after): (u32, u32);
    unsafe {
        asm!(
            ".balign 32",
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
    print("hello by the UART of LiteX\n");
    print("a loop of 10 turns takes ");
    print_number(count(10));
    print(" cycles\n");
    let (ticks, others): (u32, u32);
    unsafe {
        TIMER.add(ON).write_volatile(0);
        TIMER.add(LOAD).write_volatile(1000);
        TIMER.add(RELOAD).write_volatile(0);
        TIMER.add(PENDING).write_volatile(1);
        TIMER.add(ENABLE).write_volatile(1);
        TIMER.add(ON).write_volatile(1);
        asm!(
            "li s10, 0",
            "li s11, 0",
            "csrw 0xbc0, {line}",
            "csrs mie, {external}",
            "csrsi mstatus, 8",
            "2: wfi",
            "li {ticks}, 3",
            "beq s11, {ticks}, 3f",
            // Once more: off, and on again.
            "sw x0, 8({timer})",
            "li {ticks}, 1",
            "sw {ticks}, 8({timer})",
            "j 2b",
            "3: csrci mstatus, 8",
            "mv {ticks}, s11",
            "mv {others}, s10",
            timer = in(reg) TIMER, line = in(reg) TIMER_LINE, external = in(reg) 1 << 11,
            ticks = out(reg) ticks, others = out(reg) others, out("s10") _, out("s11") _,
        );
    }
    print_number(ticks);
    print(" ticks while asleep, ");
    print_number(others);
    print(" other interrupts\n");
    end()
}
