//! Gives back each line that the UART receives, by the UART's interrupt, and ends at an empty one.
//! `LIMIT` ends it too.

#![no_std]
#![no_main]

use core::hint::black_box;
use core::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use riscv::interrupt::Interrupt;
use riscv_rt::{core_interrupt, entry};
use semihosting::{println, process};

const UART: *mut u8 = 0x1000_0000 as *mut u8;
/// Its registers: interrupts, and the state of the line.
const ENABLE: usize = 1;
const STATE: usize = 5;
const HAS_BYTE: u8 = 1;

/// The platform's controller of interrupts, by which the UART's comes.
const PLIC: usize = 0x0c00_0000;
const SOURCE: u32 = 10;
const PRIORITY: *mut u32 = (PLIC + 4 * SOURCE as usize) as *mut u32;
const ENABLED: *mut u32 = (PLIC + 0x2000) as *mut u32;
const CLAIM: *mut u32 = (PLIC + 0x20_0004) as *mut u32;

static BYTES: AtomicU32 = AtomicU32::new(0);
/// For a tool that changes it: the compiler must not see that nothing here does.
#[unsafe(no_mangle)]
static LIMIT: AtomicU32 = AtomicU32::new(1000);
static IS_OVER: AtomicBool = AtomicBool::new(false);
static IS_EMPTY: AtomicBool = AtomicBool::new(true);

#[core_interrupt(Interrupt::MachineExternal)]
fn receive() {
    let source = unsafe { CLAIM.read_volatile() };
    while unsafe { UART.add(STATE).read_volatile() } & HAS_BYTE != 0 {
        let byte = unsafe { UART.read_volatile() };
        echo(byte);
    }
    unsafe { CLAIM.write_volatile(source) };
}

#[inline(never)]
fn echo(byte: u8) {
    BYTES.fetch_add(1, Ordering::Relaxed);
    let is_end = byte == b'\n';
    if is_end && IS_EMPTY.load(Ordering::Relaxed) {
        IS_OVER.store(true, Ordering::Relaxed);
    }
    IS_EMPTY.store(is_end, Ordering::Relaxed);
    unsafe { UART.write_volatile(byte.to_ascii_uppercase()) };
}

#[core_interrupt(Interrupt::MachineSoft)]
fn soft() {
    println!("a software interrupt");
}

#[entry]
fn main() -> ! {
    unsafe {
        PRIORITY.write_volatile(1);
        ENABLED.write_volatile(1 << SOURCE);
        UART.add(ENABLE).write_volatile(1);
        riscv::register::mie::set_mext();
        riscv::register::mie::set_msoft();
        riscv::interrupt::enable();
    }
    while !IS_OVER.load(Ordering::Relaxed)
        && BYTES.load(Ordering::Relaxed) < black_box(&LIMIT).load(Ordering::Relaxed)
    {
        riscv::asm::wfi();
    }
    let bytes = BYTES.load(Ordering::Relaxed);
    println!("{bytes} bytes");
    process::exit(0)
}
