//! The harness of the random instruction test: runs each case and reports the state it leaves
//! behind.
//!
//! A *case* is a slot of 512 bytes behind the harness: a [`Descriptor`], then the instructions,
//! then SVC. The harness lives in one exception handler. It fills the *sandbox* (the memory that a
//! case may touch) with a pattern, builds an exception frame in it from the descriptor, and returns
//! into the case. Whatever ends the case, its SVC or a fault, enters the same handler again, which
//! records every register, flag, mask and fault status and a hash of the sandbox. The records go to
//! the semihosting console, so that any simulator with semihosting runs the same image.
//!
//! It is written for ARMv6-M, and on ARMv7-M and ARMv7E-M also looks at what only those have. There
//! a case starts with floating-point registers and modes that follow from its pattern.

#![no_std]
#![no_main]

use core::arch::{asm, naked_asm};
use core::cell::UnsafeCell;
use core::ptr::{addr_of, read_volatile, write_volatile};

/// Where the generator puts the header: the index of the first slot to run, and how many.
const HEADER: *const [u32; 2] = 0x4000 as *const [u32; 2];
/// Where slot 0 is.
const SLOTS: usize = 0x4200;
/// The distance between slots.
const SLOT: usize = 512;
/// The memory that a case may touch.
const SANDBOX: usize = 0x2000_4000;
/// Its length in words.
const SANDBOX_WORDS: usize = 128;
/// Records are sent when this many are ready.
const RECORDS: usize = 32;

/// What the generator says about a case.
#[repr(C)]
struct Descriptor {
    /// The address of its exception frame in the sandbox.
    frame: u32,
    /// R0 to R3, R12, LR, PC and xPSR.
    stacked: [u32; 8],
    /// R8 to R11, then R4 to R7.
    high: [u32; 8],
    /// The sandbox's pattern.
    seed: u32,
    /// CONTROL.nPRIV.
    unprivileged: u32,
    /// CCR (ARMv7-M).
    ccr: u32,
    /// SHCSR: which faults have their own exception (ARMv7-M).
    shcsr: u32,
}

/// What a case left behind; the generator's side names the words.
type Record = [u32; WORDS];
/// Its words.
const WORDS: usize = 57;

/// Data of the one handler, which never preempts itself.
struct Shared<T>(UnsafeCell<T>);
// SAFETY: only the handler uses it, and every exception that runs it has the same priority or ends
// the run.
unsafe impl<T> Sync for Shared<T> {}

#[unsafe(no_mangle)]
static SAVED: Shared<[u32; 8]> = Shared(UnsafeCell::new([0; 8]));
static NEXT: Shared<usize> = Shared(UnsafeCell::new(0));
static READY: Shared<usize> = Shared(UnsafeCell::new(0));
static BUFFER: Shared<[Record; RECORDS]> = Shared(UnsafeCell::new([[0; WORDS]; RECORDS]));

/// A word of the vector table.
#[repr(C)]
union Vector {
    stack: usize,
    handler: unsafe extern "C" fn(),
}

#[unsafe(link_section = ".vectors")]
#[used]
static VECTORS: [Vector; 16] = {
    let mut table = [const { Vector { handler: entry } }; 16];
    table[0] = Vector { stack: 0x2000_4000 };
    table[1] = Vector { handler: reset };
    table
};
// SAFETY: constant.
unsafe impl Sync for Vector {}

/// Starts the first case.
#[unsafe(no_mangle)]
unsafe extern "C" fn reset() {
    // SAFETY: `NEXT` and `READY` are in memory that nobody has initialised; no case runs yet.
    unsafe {
        *NEXT.0.get() = (*HEADER)[0] as usize;
        *READY.0.get() = 0;
        asm!("svc 0");
    }
    exit(3)
}

/// Every exception: saves what the hardware does not, calls [`advance`], loads what it returns.
#[unsafe(naked)]
unsafe extern "C" fn entry() {
    naked_asm!(
        "mrs r0, psp",
        "mov r1, lr",
        "ldr r2, =SAVED",
        "stmia r2!, {{r4-r7}}",
        "mov r4, r8",
        "mov r5, r9",
        "mov r6, r10",
        "mov r7, r11",
        "stmia r2!, {{r4-r7}}",
        "bl {advance}",
        "ldmia r0!, {{r4-r7}}",
        "mov r8, r4",
        "mov r9, r5",
        "mov r10, r6",
        "mov r11, r7",
        "ldmia r0!, {{r4-r7}}",
        "movs r0, #2", // EXC_RETURN: to thread mode on the process stack
        "mvns r0, r0",
        "bx r0",
        ".pool",
        advance = sym advance,
    )
}

/// Records the case that has just ended, starts the next one; returns its R8 to R11 and R4 to R7.
unsafe extern "C" fn advance(frame: *mut u32, exc_return: u32) -> *const u32 {
    // SAFETY: the handler is alone with its data; `frame` is what the hardware stacked, in the
    // sandbox.
    unsafe {
        let [first, count] = read_volatile(HEADER);
        let next = NEXT.0.get();
        // To thread mode on the process stack, whatever frame is there.
        if exc_return | 0x10 == 0xFFFF_FFFD {
            record(frame);
            #[cfg(armv7em)]
            float::record(frame, exc_return);
            deliver();
        } else if *next != first as usize {
            exit(2)
        }
        if *next == (first + count) as usize {
            flush();
            exit(0)
        }
        let descriptor = (SLOTS + *next * SLOT) as *const Descriptor;
        *next += 1;
        prepare(&*descriptor);
        addr_of!((*descriptor).high).cast()
    }
}

/// Fills the sandbox, builds the frame, sets the special registers.
unsafe fn prepare(descriptor: &Descriptor) {
    let mut pattern = descriptor.seed;
    for index in 0..SANDBOX_WORDS {
        pattern ^= pattern << 13;
        pattern ^= pattern >> 17;
        pattern ^= pattern << 5;
        // SAFETY: inside the sandbox.
        unsafe { write_volatile((SANDBOX as *mut u32).add(index), pattern) };
    }
    for (index, word) in descriptor.stacked.iter().enumerate() {
        // SAFETY: the generator keeps the frame inside the sandbox.
        unsafe { write_volatile((descriptor.frame as *mut u32).add(index), *word) };
    }
    // SAFETY: the handler runs on the main stack; these registers are the case's.
    unsafe {
        asm!("msr psp, {}", "cpsie i", in(reg) descriptor.frame);
        asm!("msr control, {}", "isb", in(reg) descriptor.unprivileged);
    }
    #[cfg(armv7m)]
    // SAFETY: as above; CCR, SHCSR and SHPR2 (which gives SVCall priority 0x40) hold no pointers.
    unsafe {
        asm!("msr basepri, {}", in(reg) 0);
        write_volatile(0xE000_ED14 as *mut u32, descriptor.ccr);
        // SHCSR's other bits say what is active, this handler among them.
        let active = read_volatile(0xE000_ED24 as *const u32) & 0xFFFF;
        write_volatile(0xE000_ED24 as *mut u32, descriptor.shcsr | active);
        write_volatile(0xE000_ED1C as *mut u32, 0x4000_0000);
    }
    #[cfg(armv7em)]
    // SAFETY: the handler is alone with the unit.
    unsafe {
        float::prepare(descriptor.seed);
    }
}

/// Records everything that a case can change.
unsafe fn record(frame: *mut u32) {
    let mut record: Record = [0; WORDS];
    #[cfg(armv7em)]
    // SAFETY: the handler is alone with the unit. The first use writes what was put off into the
    // frame, which is part of the sandbox.
    unsafe {
        float::open();
        asm!(".inst.w 0xEEF10A10", out("r0") _); // VMRS R0, FPSCR
    }
    // SAFETY: the handler is alone with `SAVED`; the frame is readable.
    unsafe {
        let saved = &*SAVED.0.get();
        for (index, slot) in [0, 1, 2, 3, 12, 13, 14, 15].into_iter().enumerate() {
            record[slot] = read_volatile(frame.add(index));
        }
        // PC is in the record; in the hash it would hide what else differs.
        write_volatile(frame.add(6), 0);
        record[4..12].copy_from_slice(saved);
        record[16] = frame as u32;
        asm!("mrs {}, ipsr", out(reg) record[17]);
        let (mut primask, mut control): (u32, u32);
        asm!("mrs {}, primask", out(reg) primask);
        asm!("mrs {}, control", out(reg) control);
        control <<= 1;
        primask |= control;
        #[cfg(armv7m)]
        {
            let basepri: u32;
            asm!("mrs {}, basepri", out(reg) basepri);
            primask |= basepri << 8;
            // CFSR and HFSR, cleared by writing ones, and BFAR where it is valid.
            record[19] = read_volatile(0xE000_ED28 as *const u32);
            record[20] = read_volatile(0xE000_ED2C as *const u32);
            if record[19] & 0x8000 != 0 {
                record[21] = read_volatile(0xE000_ED38 as *const u32);
            }
            write_volatile(0xE000_ED28 as *mut u32, record[19]);
            write_volatile(0xE000_ED2C as *mut u32, record[20]);
        }
        record[18] = primask;
        let mut hash = 0u32;
        for index in 0..SANDBOX_WORDS {
            let word = read_volatile((SANDBOX as *const u32).add(index));
            hash = (hash.rotate_left(5) ^ word).wrapping_mul(0x9E37_79B1);
        }
        record[22] = hash;
        record[23] = *NEXT.0.get() as u32;
        (*BUFFER.0.get())[*READY.0.get()] = record;
    }
}

/// The record is complete.
unsafe fn deliver() {
    // SAFETY: the handler is alone with its data.
    unsafe {
        *READY.0.get() += 1;
        if *READY.0.get() == RECORDS {
            flush();
        }
    }
}

/// The floating-point unit, before a case and behind it. The instructions are given by their
/// encodings, as the harness is built for processors without it too.
#[cfg(armv7em)]
mod float {
    use super::{BUFFER, READY};
    use core::arch::asm;
    use core::ptr::{read_volatile, write_volatile};

    const CPACR: *mut u32 = 0xE000_ED88 as *mut u32;
    const FPCCR: *mut u32 = 0xE000_EF34 as *mut u32;
    const FPDSCR: *mut u32 = 0xE000_EF3C as *mut u32;

    /// Where arithmetic changes its ways.
    const SPECIAL: [u32; 32] = [
        0,
        0x8000_0000,
        1,
        0x8000_0001,
        0x007F_FFFF,
        0x807F_FFFF,
        0x0080_0000,
        0x8080_0000,
        0x3F80_0000,
        0xBF80_0000,
        0x3F00_0000,
        0x3FC0_0000,
        0x4000_0000,
        0xC020_0000,
        0x4B80_0000,
        0x4F00_0000,
        0x4F80_0000,
        0xCF00_0000,
        0x4700_0000,
        0x477F_E000,
        0x477F_F000,
        0x3300_0000,
        0x3880_0000,
        0x7F7F_FFFF,
        0xFF7F_FFFF,
        0x7F80_0000,
        0xFF80_0000,
        0x7FC0_0000,
        0xFFC1_2345,
        0x7FA0_0001,
        0x7F80_0001,
        0x1F80_0000,
    ];

    /// Fills S0 to S31 and FPDSCR, clears FPSCR, and says who may use the unit and how it is
    /// stacked.
    pub unsafe fn prepare(seed: u32) {
        // SAFETY: nothing of a case's is in the unit any more.
        unsafe { open() };
        let mut pattern = seed;
        let mut step = || {
            pattern ^= pattern << 13;
            pattern ^= pattern >> 17;
            pattern ^= pattern << 5;
            pattern
        };
        let mut values = [0u32; 32];
        for value in &mut values {
            let choice = step();
            let special = SPECIAL[(choice >> 8 & 31) as usize];
            *value = match choice & 7 {
                0 | 1 => special,
                2 => special.wrapping_add(choice >> 16 & 7).wrapping_sub(3),
                3 => step() & 0x807F_0000 | (0x78 + (choice >> 16 & 15)) << 23,
                4 | 5 => step() & 0x807F_FFFF | (0x78 + (choice >> 16 & 15)) << 23,
                _ => step(),
            };
        }
        let modes = if seed & 8 != 0 { 0x07C0_0000 } else { 0x00C0_0000 };
        // Where saving is put off, the unit may be off, or off for unprivileged code. Otherwise
        // that would be a fault of stacking, which hides what the case itself did.
        let lazily = u32::from(seed & 0x400 != 0) << 30;
        let access = match seed >> 4 & 31 {
            0 if lazily != 0 => 0,
            1 if lazily != 0 => 5,
            _ => 15,
        };
        // SAFETY: the handler owns the unit, whose context is not saved meanwhile: ASPEN is clear.
        unsafe {
            asm!(
                ".inst.w 0xEC900A20", // VLDMIA R0, {S0-S31}
                ".inst.w 0xEEE11A10", // VMSR FPSCR, R1
                in("r0") values.as_ptr(),
                in("r1") 0,
            );
            write_volatile(FPDSCR, step() & modes);
            write_volatile(FPCCR, 1 << 31 | lazily);
            write_volatile(CPACR, access << 20);
            asm!("dsb", "isb");
        }
    }

    /// Lets the handler use the unit; its use changes nothing of the case's.
    pub unsafe fn open() {
        // SAFETY: these registers hold no pointers; LSPACT and whose state it is stay.
        unsafe {
            write_volatile(CPACR, 15 << 20);
            write_volatile(FPCCR, read_volatile(FPCCR) & !(1 << 31));
            asm!("dsb", "isb");
        }
    }

    /// Completes the record with what the case left in the unit. What is in the frame is UNKNOWN in
    /// the unit.
    pub unsafe fn record(frame: *const u32, exc_return: u32) {
        let mut values = [0u32; 32];
        let status: u32;
        // SAFETY: the handler is alone with its data and the unit.
        unsafe {
            asm!(
                ".inst.w 0xEEF11A10", // VMRS R1, FPSCR
                ".inst.w 0xEC800A20", // VSTMIA R0, {S0-S31}
                in("r0") values.as_mut_ptr(),
                out("r1") status,
            );
            let record = &mut (*BUFFER.0.get())[*READY.0.get()];
            record[24] = status;
            record[25..].copy_from_slice(&values);
            if exc_return & 0x10 == 0 {
                for (index, word) in record[25..41].iter_mut().enumerate() {
                    *word = read_volatile(frame.add(8 + index));
                }
                record[24] = read_volatile(frame.add(24));
            }
            record[18] |= exc_return << 16;
        }
    }
}

/// Sends the records that are ready.
unsafe fn flush() {
    let name = b":tt\0";
    // SAFETY: the handler is alone with its data; SYS_OPEN (mode 4 is "w") and SYS_WRITE only read
    // it.
    unsafe {
        let handle = semihost(1, &[name.as_ptr() as usize, 4, 3]);
        let bytes = *READY.0.get() * size_of::<Record>();
        semihost(5, &[handle, BUFFER.0.get() as usize, bytes]);
        *READY.0.get() = 0;
    }
}

/// One semihosting request.
fn semihost(operation: usize, arguments: &[usize; 3]) -> usize {
    let result;
    // SAFETY: the arguments of every request here are valid for reading.
    unsafe {
        asm!("bkpt 0xAB", inlateout("r0") operation => result, in("r1") arguments.as_ptr());
    }
    result
}

/// Ends the run: SYS_EXIT_EXTENDED with code 0, SYS_EXIT with an error otherwise, which any host
/// knows.
fn exit(code: usize) -> ! {
    let reason = if code == 0 { 0x20026 } else { 0x20023 };
    loop {
        // SAFETY: SYS_EXIT takes its reason in R1 and does not return.
        unsafe { asm!("bkpt 0xAB", in("r0") 0x18, in("r1") reason) };
    }
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    exit(4)
}
