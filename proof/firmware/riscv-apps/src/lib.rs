//! What the applications share: the driver of their kernels, and registers full of patterns.
#![no_std]

use core::arch::naked_asm;

use quintet_process::{Answer, command};

/// The driver of the kernels.
pub const JUDGE: u32 = 0x8000_0001;

/// What the driver does.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum Do {
    /// Returns the number that the test has chosen.
    Number = 1,
    /// Marks where the test begins to interrupt.
    Begin = 2,
    /// Marks where it ends.
    End = 3,
    /// Makes an upcall of the process due, with the words 1, 2 and 3.
    Upcall = 4,
    /// Counts an upcall of the other process.
    Count = 5,
    /// Lets the process get the upcalls of interrupts.
    Listen = 6,
}

/// Asks the driver.
pub fn ask(what: Do) -> Answer {
    command(JUDGE, what as u32, 0, 0)
}

/// Returns `true` if a command of the driver leaves all registers as they were, but for its answer
/// in a0 to a3, and if they stay so in the instructions around it.
pub fn keeps_registers() -> bool {
    registers(JUDGE, Do::Number as u32) == 0x1ff_ffff
}

/// Returns the sum of what the registers hold behind a command, each a bit of its own.
#[unsafe(naked)]
extern "C" fn registers(_driver: u32, _command: u32) -> u32 {
    naked_asm!(
        "
        addi sp, sp, -64
        sw s0, 0(sp); sw s1, 4(sp); sw s2, 8(sp); sw s3, 12(sp); sw s4, 16(sp); sw s5, 20(sp)
        sw s6, 24(sp); sw s7, 28(sp); sw s8, 32(sp); sw s9, 36(sp); sw s10, 40(sp); sw s11, 44(sp)
        sw ra, 48(sp); sw gp, 52(sp); sw tp, 56(sp)
        li s0, 0x1; li s1, 0x2; li s2, 0x4; li s3, 0x8; li s4, 0x10; li s5, 0x20; li s6, 0x40
        li s7, 0x80; li s8, 0x100; li s9, 0x200; li s10, 0x400; li s11, 0x800
        li t0, 0x1000; li t1, 0x2000; li t2, 0x4000; li t3, 0x8000; li t4, 0x10000; li t5, 0x20000
        li t6, 0x40000; li ra, 0x80000; li gp, 0x100000; li tp, 0x200000
        li a5, 0x400000; li a6, 0x800000; li a7, 0x1000000; li a4, 2; li a2, 0; li a3, 0
        nop
        ecall
        nop
        addi a0, a4, -2
        add a0, a0, s0; add a0, a0, s1; add a0, a0, s2; add a0, a0, s3; add a0, a0, s4
        add a0, a0, s5; add a0, a0, s6; add a0, a0, s7; add a0, a0, s8; add a0, a0, s9
        add a0, a0, s10; add a0, a0, s11; add a0, a0, t0; add a0, a0, t1; add a0, a0, t2
        add a0, a0, t3; add a0, a0, t4; add a0, a0, t5; add a0, a0, t6; add a0, a0, ra
        add a0, a0, gp; add a0, a0, tp; add a0, a0, a5; add a0, a0, a6; add a0, a0, a7
        lw s0, 0(sp); lw s1, 4(sp); lw s2, 8(sp); lw s3, 12(sp); lw s4, 16(sp); lw s5, 20(sp)
        lw s6, 24(sp); lw s7, 28(sp); lw s8, 32(sp); lw s9, 36(sp); lw s10, 40(sp); lw s11, 44(sp)
        lw ra, 48(sp); lw gp, 52(sp); lw tp, 56(sp)
        addi sp, sp, 64
        ret
        "
    )
}
