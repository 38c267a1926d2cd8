//! Plain Rust for a RISC-V hart of an RP2350: starts oscillator, PLL and clocks as a HAL does,
//! prints by the UART, and takes the timer's interrupt, the UART's, and one that preempts it.

#![no_std]
#![no_main]

use core::arch::asm;
use core::fmt::{self, Write};
use core::sync::atomic::{AtomicU32, Ordering};

use riscv_rt::{core_interrupt, entry};

const CLOCKS: usize = 0x4001_0000;
const RESETS: usize = 0x4002_0000;
const XOSC: usize = 0x4004_8000;
const PLL: usize = 0x4005_0000;
const UART: usize = 0x4007_0000;
const SIO: usize = 0xd000_0000;
/// The alias of a register that clears the bits written.
const CLEAR: usize = 0x3000;
/// The interrupt of the UART, and one that only software forces.
const UART_IRQ: u32 = 33;
const SPARE_IRQ: u32 = 50;
/// Its place in the array of bits: a window of 16, and the number of the window.
const SPARE: u32 = (1 << (16 + SPARE_IRQ % 16)) | (SPARE_IRQ / 16);

static TICKS: AtomicU32 = AtomicU32::new(0);

fn read(address: usize) -> u32 {
    unsafe { (address as *const u32).read_volatile() }
}

fn write(address: usize, value: u32) {
    unsafe { (address as *mut u32).write_volatile(value) }
}

fn wait(address: usize, bits: u32) {
    while read(address) & bits != bits {}
}

struct Uart;

impl Write for Uart {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for byte in text.bytes() {
            while read(UART + 0x18) & 0x20 != 0 {}
            write(UART, byte.into());
        }
        Ok(())
    }
}

macro_rules! say {
    ($($text:tt)*) => { let _ = writeln!(Uart, $($text)*); };
}

/// Ends by a service of semihosting.
fn end(code: u32) -> ! {
    let block = [0x2_0026, code];
    unsafe {
        asm!(
            ".balign 16", ".option push", ".option norvc",
            "slli x0, x0, 0x1f", "ebreak", "srai x0, x0, 7",
            ".option pop",
            in("a0") 0x20, in("a1") block.as_ptr(),
        );
    }
    loop {
        core::hint::spin_loop();
    }
}

#[panic_handler]
fn panic(info: &core::panic::PanicInfo<'_>) -> ! {
    say!("{info}");
    end(101)
}

fn start_clocks() {
    // Clocks, UART, PLL of the system, and pads.
    let blocks = 1 << 26 | 1 << 14 | 1 << 9 | 1 << 6;
    write(RESETS + CLEAR, blocks);
    wait(RESETS + 8, blocks);
    write(XOSC, 0xfa_baa0);
    wait(XOSC + 4, 1 << 31);
    write(CLOCKS + 0x30, 2);
    wait(CLOCKS + 0x38, 1 << 2);
    write(PLL + 8, 125);
    write(PLL + CLEAR + 4, 0x21);
    wait(PLL, 1 << 31);
    write(PLL + CLEAR + 4, 0x08);
    write(CLOCKS + 0x3c, 1);
    wait(CLOCKS + 0x44, 1 << 1);
    write(CLOCKS + 0x48, 1 << 11);
    write(UART + 0x24, 81);
    write(UART + 0x28, 24);
    write(UART + 0x2c, 0x70);
    write(UART + 0x30, 0x301);
}

/// Enables an interrupt with a priority.
fn enable(irq: u32, priority: u32) {
    unsafe {
        asm!("csrs 0xbe3, {0}", in(reg) (priority << (16 + 4 * (irq % 4))) | (irq / 4));
        asm!("csrs 0xbe0, {0}", in(reg) (1 << (16 + irq % 16)) | (irq / 16));
    }
}

#[core_interrupt(riscv::interrupt::Interrupt::MachineTimer)]
fn timer() {
    write(SIO + 0x1bc, u32::MAX);
    TICKS.fetch_add(1, Ordering::Relaxed);
}

/// Serves what `meinext` shows, with interrupts of higher priorities open.
#[core_interrupt(riscv::interrupt::Interrupt::MachineExternal)]
fn external() {
    let (context, cause, pc): (u32, u32, u32);
    unsafe {
        asm!("csrr {0}, mepc", "csrr {1}, mstatus", out(reg) pc, out(reg) cause);
        asm!("csrrsi {0}, 0xbe5, 2", out(reg) context);
    }
    loop {
        let next: u32;
        unsafe { asm!("csrrsi {0}, 0xbe4, 1", out(reg) next) };
        if next >> 31 != 0 {
            break;
        }
        unsafe { asm!("csrsi mstatus, 8") };
        serve(next >> 2 & 0x1ff);
        unsafe { asm!("csrci mstatus, 8") };
    }
    unsafe {
        asm!("csrw 0xbe5, {0}", in(reg) context);
        asm!("csrw mepc, {0}", "csrw mstatus, {1}", in(reg) pc, in(reg) cause);
    }
}

fn serve(irq: u32) {
    match irq {
        UART_IRQ => {
            write(UART + 0x38, 0);
            say!("interrupt 33: the UART can send");
            unsafe { asm!("csrs 0xbe2, {0}", in(reg) SPARE) };
            say!("interrupt 33 ends");
        }
        irq => {
            say!("interrupt {irq} preempts");
        }
    }
}

#[entry]
fn main() -> ! {
    start_clocks();
    say!("hello by the UART of an RP2350");
    let now = read(SIO + 0x1b0);
    write(SIO + 0x1b8, now + 100);
    write(SIO + 0x1bc, 0);
    unsafe {
        asm!("csrs mie, {0}", "csrsi mstatus, 8", in(reg) 1 << 7);
        while TICKS.load(Ordering::Relaxed) == 0 {
            asm!("wfi");
        }
    }
    let passed = read(SIO + 0x1b0) - now;
    say!("the timer calls after {} microseconds", passed / 10 * 10);
    enable(UART_IRQ, 3);
    enable(SPARE_IRQ, 7);
    unsafe { asm!("csrs mie, {0}", in(reg) 1 << 11) };
    // Its FIFO is empty enough.
    write(UART + 0x38, 1 << 5);
    say!("bye");
    end(0)
}
