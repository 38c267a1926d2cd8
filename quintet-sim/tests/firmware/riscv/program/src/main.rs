//! Plain Rust for QEMU's `virt`: prints by the UART and by semihosting, takes a timer interrupt,
//! and runs a function in user mode, behind protection, which calls back and then breaks a rule.
//!
//! It prints no time, so that its output is the same wherever it runs.

#![no_std]
#![no_main]

use core::arch::{asm, naked_asm};
use core::fmt::{self, Write};
use core::sync::atomic::{AtomicU32, Ordering};

use riscv_rt::entry;

const UART: *mut u8 = 0x1000_0000 as *mut u8;
const MTIMECMP: *mut u32 = 0x0200_4000 as *mut u32;
const MTIME: *const u32 = 0x0200_bff8 as *const u32;

/// The ticks of the timer.
static TICKS: AtomicU32 = AtomicU32::new(0);

/// What user mode may write.
#[repr(C, align(4096))]
struct Page([u32; 1024]);
static mut SHARED: Page = Page([0; 1024]);

struct Uart;

impl Write for Uart {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for byte in text.bytes() {
            unsafe {
                while UART.add(5).read_volatile() & 0x20 == 0 {}
                UART.write_volatile(byte);
            }
        }
        Ok(())
    }
}

macro_rules! say {
    ($($text:tt)*) => { let _ = writeln!(Uart, $($text)*); };
}

/// Asks the debugger for a service.
unsafe fn service(operation: u32, argument: usize) -> u32 {
    let result;
    unsafe {
        asm!(
            ".balign 16", ".option push", ".option norvc",
            "slli x0, x0, 0x1f", "ebreak", "srai x0, x0, 7",
            ".option pop",
            inout("a0") operation => result, in("a1") argument,
        );
    }
    result
}

fn end(code: u32) -> ! {
    let block = [0x2_0026, code];
    unsafe { service(0x20, block.as_ptr() as usize) };
    loop {
        core::hint::spin_loop();
    }
}

#[panic_handler]
fn panic(info: &core::panic::PanicInfo<'_>) -> ! {
    say!("{info}");
    end(101)
}

/// Sets the timer to so many ticks from now.
fn arm(ticks: u32) {
    unsafe {
        MTIMECMP.add(1).write_volatile(u32::MAX);
        let now = MTIME.read_volatile();
        MTIMECMP.write_volatile(now.wrapping_add(ticks));
        MTIMECMP.add(1).write_volatile(0);
    }
}

/// Saves what a call may change, and calls [`handle`] with the registers of the trap.
#[unsafe(naked)]
unsafe extern "C" fn trap() -> ! {
    naked_asm!(
        // User mode's stack is not to be trusted: swap it for the kernel's.
        "csrrw sp, mscratch, sp",
        "addi sp, sp, -80",
        "sw ra, 0(sp)", "sw t0, 4(sp)", "sw t1, 8(sp)", "sw t2, 12(sp)", "sw a0, 16(sp)",
        "sw a1, 20(sp)", "sw a2, 24(sp)", "sw a3, 28(sp)", "sw a4, 32(sp)", "sw a5, 36(sp)",
        "sw a6, 40(sp)", "sw a7, 44(sp)", "sw t3, 48(sp)", "sw t4, 52(sp)", "sw t5, 56(sp)",
        "sw t6, 60(sp)",
        "csrr a0, mcause", "csrr a1, mtval", "mv a2, sp",
        "call {handle}",
        "lw ra, 0(sp)", "lw t0, 4(sp)", "lw t1, 8(sp)", "lw t2, 12(sp)", "lw a0, 16(sp)",
        "lw a1, 20(sp)", "lw a2, 24(sp)", "lw a3, 28(sp)", "lw a4, 32(sp)", "lw a5, 36(sp)",
        "lw a6, 40(sp)", "lw a7, 44(sp)", "lw t3, 48(sp)", "lw t4, 52(sp)", "lw t5, 56(sp)",
        "lw t6, 60(sp)",
        "addi sp, sp, 80",
        "csrrw sp, mscratch, sp",
        "mret",
        handle = sym handle,
    )
}

extern "C" fn handle(cause: u32, value: u32, registers: &mut [u32; 16]) {
    match cause {
        0x8000_0007 => {
            TICKS.fetch_add(1, Ordering::Relaxed);
            unsafe { MTIMECMP.add(1).write_volatile(u32::MAX) };
        }
        8 => {
            say!("user mode calls with {}", registers[4]);
            registers[4] += 1;
            let pc: u32;
            unsafe {
                asm!("csrr {0}, mepc", out(reg) pc);
                asm!("csrw mepc, {0}", in(reg) pc + 4);
            }
        }
        7 => {
            say!("user mode may not write at {value:#010x}");
            say!("bye");
            end(0);
        }
        cause => {
            say!("unexpected trap {cause:#x}, mtval {value:#x}");
            end(1);
        }
    }
}

/// Runs in user mode, with the shared page in a0.
#[unsafe(naked)]
unsafe extern "C" fn user() -> ! {
    naked_asm!(
        "mv s0, a0",
        "li a0, 41",
        "ecall",
        "sw a0, 0(s0)",
        "lw a0, 0(s0)",
        "ecall",
        // One word behind what it may write.
        "li t0, 4096",
        "add t0, s0, t0",
        "sw a0, 0(t0)",
        "1: j 1b",
    )
}

#[entry]
fn main() -> ! {
    say!("hello by the UART");
    unsafe { service(0x04, c"hello by semihosting\n".as_ptr() as usize) };
    let kernel_stack: usize;
    unsafe {
        asm!("mv {0}, sp", out(reg) kernel_stack);
        // While machine mode runs, traps use the stack below this frame.
        asm!("csrw mscratch, {0}", in(reg) kernel_stack - 2048);
        asm!("csrw mtvec, {0}", in(reg) trap as *const () as usize);
        asm!("csrs mie, {0}", in(reg) 1 << 7);
        arm(1000);
        asm!("csrs mstatus, {0}", in(reg) 1 << 3);
    }
    while TICKS.load(Ordering::Relaxed) == 0 {
        riscv::asm::wfi();
    }
    say!("one tick of the timer");
    arm(1000);
    while TICKS.load(Ordering::Relaxed) == 1 {}
    say!("and one without sleep");
    let shared = &raw mut SHARED as usize;
    unsafe {
        // Region 0: the shared page, to read and write. Region 1: everything, to execute.
        asm!("csrw pmpaddr0, {0}", in(reg) shared >> 2 | 0x1ff);
        asm!("csrw pmpaddr1, {0}", in(reg) u32::MAX);
        asm!("csrw pmpcfg0, {0}", in(reg) 0x1c_1b);
        asm!("csrc mstatus, {0}", in(reg) 3 << 11);
        asm!("csrw mepc, {0}", in(reg) user as *const () as usize);
        asm!("mret", in("a0") shared, options(noreturn));
    }
}
