//! Does one thing that it must not, by a number that the test writes into its flash.
#![no_std]
#![no_main]

use core::arch::asm;

use process_apps::{allow_read_only, allow_read_write, command, exit, memory, print, subscribe};

/// Which attack. The test writes it.
#[unsafe(no_mangle)]
static ATTACK: u32 = 0;

/// Where the kernel's flash and its memory begin, and a peripheral.
const KERNEL_FLASH: u32 = if cfg!(feature = "an505") { 0x1000_0000 } else { 0 };
const KERNEL_MEMORY: u32 = if cfg!(feature = "an505") { 0x3800_0000 } else { 0x2000_0000 };
const PERIPHERAL: u32 = if cfg!(feature = "an505") { 0x5000_0000 } else { 0x4000_c000 };
const UNIT: u32 = 0xe000_ed94;

fn load(address: u32) -> u32 {
    // SAFETY: none: the unit must refuse it.
    unsafe { (address as usize as *const u32).read_volatile() }
}

fn store(address: u32) {
    // SAFETY: none: the unit must refuse it.
    unsafe { (address as usize as *mut u32).write_volatile(0xdead_beef) };
}

/// Goes on somewhere.
fn jump(address: u32) {
    // SAFETY: none: the unit must refuse it.
    unsafe { asm!("blx {}", in(reg) address, clobber_abi("C")) };
}

/// Calls with a stack pointer that is not its own's.
fn call_on(stack: u32) {
    // SAFETY: none: the kernel must refuse it.
    unsafe {
        asm!("mov sp, {}", "movs r0, #1", "svc 0", "udf #0", in(reg) stack, options(noreturn))
    };
}

/// The same by a command.
fn command_on(stack: u32) {
    // SAFETY: none: the kernel must refuse it.
    unsafe {
        asm!("mov sp, r2", "movs r0, #1", "movs r1, #1", "svc 2", "udf #0", in("r2") stack,
            options(noreturn))
    };
}

/// Answers of calls that must be refused: the error, and that what was handed over is given back.
fn refused(call: [u32; 4], handed: [u32; 2], error: u32) {
    if call[..2] != [2, error] || call[2..] != handed {
        exit(1);
    }
}

/// Lends what isn't its own.
fn lend() {
    let end = memory([3, 0, 0, 0])[1];
    let flash = memory([4, 0, 0, 0])[1];
    for (address, size) in [
        (KERNEL_MEMORY, 4),
        (KERNEL_FLASH, 4),
        (end - 2, 4),
        (end, 1),
        (u32::MAX, 2),
        (u32::MAX - 3, 8),
        (PERIPHERAL, 4),
        (end - 4, u32::MAX),
    ] {
        refused(allow_read_only([1, 1, address, size]), [address, size], 6);
        refused(allow_read_write([1, 1, address, size]), [address, size], 6);
        refused(subscribe([1, 1, address | 1, size]), [address | 1, size], 6);
    }
    // Its own flash is for reading alone.
    refused(allow_read_write([1, 1, flash + 0x80, 4]), [flash + 0x80, 4], 6);
    refused(allow_read_write([1, 99, 0, 0]), [0, 0], 10);
    refused(allow_read_write([0x1234, 0, 0, 0]), [0, 0], 11);
    if command([0x1234, 0, 5, 6]) != [0, 11, 5, 6] || command([1, 77, 5, 6]) != [0, 10, 5, 6] {
        exit(2);
    }
    if memory([0, KERNEL_MEMORY, 5, 6]) != [0, 9, 5, 6] || memory([0, end + 1, 5, 6])[0] != 0 {
        exit(3);
    }
    exit(0);
}

/// Lends memory twice, to be read and to be written: each is its own, and comes back as it was.
fn lend_twice() {
    const LENT: u32 = 130;
    let begin = memory([2, 0, 0, 0])[1] + 64;
    let written = allow_read_write([1, 1, begin, 32]);
    let read = allow_read_only([1, 1, begin + 16, 32]);
    if [written[0], read[0]] != [LENT; 2] {
        exit(5);
    }
    if allow_read_write([1, 1, 0, 0])[..3] != [LENT, begin, 32] {
        exit(6);
    }
    exit(u32::from(allow_read_only([1, 1, 0, 0])[..3] != [LENT, begin + 16, 32]));
}

/// Moves the break to the end of its memory, which is that address.
fn grow_to_the_end() -> u32 {
    let end = memory([3, 0, 0, 0])[1];
    if memory([0, end, 0, 0])[0] != 128 {
        exit(4);
    }
    end
}

/// Uses all of its memory in its first life, and accesses that in its second, in which it has not
/// asked for it. Which one it is, the first LED says.
fn restarted() {
    let end = memory([3, 0, 0, 0])[1];
    if command([2, 4, 0, 0])[1] == 0 {
        command([2, 1, 0, 0]);
        store(grow_to_the_end() - 4);
        // SAFETY: it doesn't come back.
        unsafe { asm!("svc 6", in("r0") 1, in("r1") 0, options(noreturn)) };
    }
    print("again\n");
    load(end - 4);
}

/// Masks interrupts, which comes to nothing.
fn mask() {
    // SAFETY: without effect on the process.
    unsafe {
        let (control, primask): (u32, u32);
        asm!("cpsid i", "msr CONTROL, {}", in(reg) 0);
        // An ARMv6-M has neither.
        #[cfg(target_has_atomic = "ptr")]
        asm!("cpsid f", "msr BASEPRI, {}", in(reg) 0x20);
        asm!("isb", "mrs {}, CONTROL", "mrs {}, PRIMASK", out(reg) control, out(reg) primask);
        exit(u32::from(control & 1 == 0 || primask != 0));
    }
}

/// A yield of a kind that there isn't returns at once, with all registers.
fn yield_oddly() {
    let (mut kind, mut word) = (3, 4);
    // SAFETY: no function runs.
    unsafe { asm!("svc 0", inout("r0") kind, inout("r1") word) };
    exit(u32::from((kind, word) != (3, 4)));
}

#[inline(never)]
fn overflow(depth: u32) -> u32 {
    let words = core::hint::black_box([depth; 16]);
    if depth == u32::MAX { 0 } else { overflow(depth + 1) + words[3] }
}

/// The first frame of a process keeps its room: its memory doesn't end below this.
fn move_break_too_low() {
    let begin = memory([2, 0, 0, 0])[1];
    let failure = [0, 9];
    if (0..32).all(|size| memory([0, begin + size, 0, 0])[..2] == failure) {
        exit(0);
    }
}

/// The frame of this very call lies behind the new end.
fn move_break_below_the_stack() {
    if memory([0, memory([2, 0, 0, 0])[1] + 64, 0, 0])[..2] == [0, 9] {
        exit(0);
    }
}

/// Where no command may be called from, by the number of the attack.
fn stack_for_command(which: u32) -> u32 {
    match which {
        60 => KERNEL_MEMORY + 0x1000,
        61 => PERIPHERAL,
        62 => 0xe000_ed00,
        // Where the unit has no say: ports that whoever may write to, and that read as 0 or 1.
        63 => 0xe000_0040,
        _ => memory([2, 0, 0, 0])[1] + 28,
    }
}

#[unsafe(no_mangle)]
extern "C" fn main() {
    print("in\n");
    // SAFETY: it lives.
    match unsafe { (&raw const ATTACK).read_volatile() } {
        0 => drop(load(KERNEL_MEMORY)),
        1 => store(KERNEL_MEMORY),
        2 => drop(load(KERNEL_FLASH)),
        3 => store(memory([4, 0, 0, 0])[1] + 0x80),
        4 => drop(load(PERIPHERAL)),
        5 => store(UNIT),
        6 => drop(load(UNIT)),
        7 => store(memory([3, 0, 0, 0])[1]),
        8 => store(memory([2, 0, 0, 0])[1] - 4),
        9 => drop(load(memory([5, 0, 0, 0])[1])),
        10 => jump(KERNEL_FLASH + 0x101),
        11 => jump(memory([2, 0, 0, 0])[1] + 0x401),
        12 => jump(0xffff_fff9),
        13 => jump(memory([4, 0, 0, 0])[1] + 0x80),
        14 => call_on(KERNEL_MEMORY + 0x1000),
        15 => call_on(0),
        16 => call_on(memory([2, 0, 0, 0])[1] + 16),
        17 => call_on(memory([3, 0, 0, 0])[1] + 32),
        18 => call_on(memory([4, 0, 0, 0])[1] + 0x180),
        19 => call_on(0xe000_ed00),
        // SAFETY: none.
        20 => unsafe { asm!("svc 8", out("r0") _, out("r1") _, out("r2") _, out("r3") _) },
        // SAFETY: none.
        21 => unsafe { asm!("svc 255", out("r0") _, out("r1") _, out("r2") _, out("r3") _) },
        22 => yield_oddly(),
        // SAFETY: none.
        23 => unsafe { asm!("udf #0x51") },
        // SAFETY: none.
        24 => unsafe { asm!("bkpt #0") },
        25 => drop(overflow(0)),
        // SAFETY: none: interrupts must find a stack of their own.
        26 => unsafe { asm!("mov sp, {}", "2: b 2b", in(reg) 0, options(noreturn)) },
        // SAFETY: none: a load across the end.
        27 => unsafe {
            let end = grow_to_the_end() - 8;
            asm!("stmia {}!, {{r4-r7}}", inout(reg) end => _);
        },
        28 => store(0x4200_0000),
        // SAFETY: none: a bad address in the wait for an upcall, which is written nowhere.
        29 => unsafe {
            asm!("movs r0, #0", "svc 0", in("r1") KERNEL_MEMORY, lateout("r0") _, lateout("r1") _,
                lateout("r2") _, lateout("r3") _, lateout("r12") _, lateout("lr") _);
            exit(0);
        },
        30 => drop(load(memory([3, 0, 0, 0])[1] - 4)),
        31 => {
            let end = grow_to_the_end();
            store(end - 4);
            memory([0, memory([2, 0, 0, 0])[1] + 1100, 0, 0]);
            store(end - 4);
        }
        // The stack, and the frame of this call, are above the break then.
        32 => move_break_below_the_stack(),
        33 => restarted(),
        34 => move_break_too_low(),
        35 => drop(load(KERNEL_MEMORY + 0x4000)),
        36 => drop(load(KERNEL_FLASH + 0x2_0000)),
        which @ 60..=64 => command_on(stack_for_command(which)),
        40 => lend(),
        41 => mask(),
        42 => lend_twice(),
        _ => exit(77),
    }
    print("not stopped\n");
}
