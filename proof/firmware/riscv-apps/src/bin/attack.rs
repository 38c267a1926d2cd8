//! Does one thing that it must not, by a number that the test has chosen. Ends with 0 if that did
//! nothing.
#![no_std]
#![no_main]

use core::arch::asm;

use riscv_apps::{Do, JUDGE, ask, keeps_registers};

quintet_process::main!(main, stack = 1024);

/// Where the kernel's code and memory begin, the memory of the other process, and the registers
/// that pend the software interrupt and set the timer.
const KERNEL: usize = 0x8000_0000;
const KERNEL_MEMORY: usize = 0x8004_0000;
const OTHER: usize = 0x8004_5000;
const MSIP: usize = 0x0200_0000;
const MTIMECMP: usize = 0x0200_4000;

fn load(address: usize) {
    // SAFETY: none: the unit must refuse it.
    unsafe { (address as *const u32).read_volatile() };
}

fn store(address: usize) {
    // SAFETY: none: the unit must refuse it.
    unsafe { (address as *mut u32).write_volatile(0xdead_beef) };
}

fn jump(address: usize) {
    // SAFETY: none: the unit must refuse it.
    unsafe { asm!("jalr {}", in(reg) address, clobber_abi("C")) };
}

/// Calls with this stack pointer, and has its own one back. Then spends some time with it.
fn call_on(stack: usize) {
    // SAFETY: nothing uses the stack meanwhile.
    unsafe {
        asm!(
            "mv s2, sp",
            "mv sp, {}",
            "ecall",
            "li t0, 20",
            "1: addi t0, t0, -1",
            "bnez t0, 1b",
            "ecall",
            "mv sp, s2",
            in(reg) stack, inout("a0") JUDGE => _, inout("a1") 1 => _, inout("a2") 0 => _,
            inout("a3") 0 => _, in("a4") 2, out("s2") _, out("t0") _,
        );
    }
}

/// All registers but a0 to a4 have the address; then a call.
fn call_with_all(address: usize) {
    // SAFETY: nothing uses the stack meanwhile, and the registers come back.
    unsafe {
        asm!(
            "addi sp, sp, -16", "sw s0, 0(sp)", "sw s1, 4(sp)", "sw gp, 8(sp)", "sw tp, 12(sp)",
            "mv ra, t0", "mv gp, t0", "mv tp, t0", "mv s0, t0", "mv s1, t0",
            "mv t1, t0", "mv t2, t0", "mv t3, t0", "mv t4, t0", "mv t5, t0", "mv t6, t0",
            "mv s3, t0", "mv s4, t0", "mv s5, t0", "mv s6, t0", "mv a5, t0", "mv a6, t0",
            "mv a7, t0", "mv s2, sp", "mv sp, t0",
            "ecall",
            "mv sp, s2",
            "lw s0, 0(sp)", "lw s1, 4(sp)", "lw gp, 8(sp)", "lw tp, 12(sp)", "addi sp, sp, 16",
            in("t0") address, inout("a0") JUDGE => _, inout("a1") 1 => _, inout("a2") 0 => _,
            inout("a3") 0 => _, in("a4") 2, out("s2") _, out("s3") _, out("s4") _, out("s5") _,
            out("s6") _, clobber_abi("C"),
        );
    }
}

/// A call of this class, which must refuse these arguments.
fn refused(class: usize, arguments: [usize; 4]) -> bool {
    let [mut a0, mut a1, mut a2, mut a3] = arguments;
    // SAFETY: the kernel must refuse it.
    unsafe {
        asm!("ecall", inout("a0") a0, inout("a1") a1, inout("a2") a2, inout("a3") a3,
            in("a4") class);
    }
    core::hint::black_box((a1, a2, a3));
    a0 == 0 || a0 == 2
}

/// What lends or names the kernel's addresses.
fn refuses_addresses() -> bool {
    let driver = JUDGE as usize;
    [0, KERNEL, KERNEL_MEMORY, OTHER, MSIP, usize::MAX - 3]
        .into_iter()
        .all(|address| refused(1, [driver, 0, address, 0]) || address == 0)
        && [KERNEL, KERNEL_MEMORY, OTHER, MSIP, usize::MAX - 3].into_iter().all(|address| {
            refused(3, [driver, 0, address, 4])
                && refused(4, [driver, 0, address, 4])
                && refused(5, [0, address, 0, 0])
        })
}

macro_rules! instruction {
    ($($text:literal),+) => {
        // SAFETY: none: the hart must refuse it.
        unsafe { asm!($($text),+, out("t0") _) }
    };
}

fn main() -> u32 {
    let number = ask(Do::Number).word().unwrap_or(u32::MAX);
    let _marked = ask(Do::Begin);
    match number {
        0 => load(KERNEL_MEMORY),
        1 => store(KERNEL_MEMORY),
        2 => load(KERNEL),
        3 => jump(KERNEL),
        4 => store(main as *const () as usize),
        5 => jump(quintet_process::memory::memory().start),
        6 => load(OTHER),
        7 => store(MSIP),
        8 => store(MTIMECMP),
        9 => instruction!("csrr t0, mstatus"),
        10 => instruction!("csrw mtvec, zero"),
        11 => instruction!("csrrw t0, mscratch, zero"),
        12 => instruction!("csrw pmpcfg0, zero"),
        13 => instruction!("csrw mepc, zero", "mret"),
        14 => instruction!("ebreak"),
        15 => instruction!("unimp"),
        16 => load(quintet_process::memory::end() - 2),
        17 => load(usize::MAX - 1),
        18 => call_on(KERNEL_MEMORY + 0x1000),
        19 => call_on(0),
        20 => call_on(KERNEL_MEMORY + 0x1001),
        21 => call_on(usize::MAX),
        22 => call_with_all(KERNEL_MEMORY + 0x800),
        23 => call_with_all(usize::MAX),
        24 => {
            refused(200, [0; 4]);
        }
        25 => {
            refused(0x102, [JUDGE as usize, 1, 0, 0]);
        }
        26 => return u32::from(!refuses_addresses()),
        27 => instruction!("wfi"),
        28 => instruction!("li t0, 0x80040000", "jr t0"),
        29 => instruction!("li t0, 0x80040001", "sb zero, 0(t0)"),
        _ => return 99,
    }
    if keeps_registers() { 0 } else { 1 }
}
