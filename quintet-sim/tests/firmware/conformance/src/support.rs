//! What the checks share: output, the vector table in RAM, a log of events, and faults that are
//! survived.

use core::arch::{asm, naked_asm};
use core::cell::UnsafeCell;
use core::fmt::Write;
use core::ptr::{read_volatile, write_volatile};
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Interrupt control and state.
pub const ICSR: u32 = 0xE000_ED04;
/// Vector table offset.
pub const VTOR: u32 = 0xE000_ED08;
/// Application interrupt and reset control.
pub const AIRCR: u32 = 0xE000_ED0C;
/// System control.
pub const SCR: u32 = 0xE000_ED10;
/// Configuration and control.
pub const CCR: u32 = 0xE000_ED14;
/// System handler control and state.
pub const SHCSR: u32 = 0xE000_ED24;
/// Configurable fault status.
pub const CFSR: u32 = 0xE000_ED28;
/// HardFault status.
pub const HFSR: u32 = 0xE000_ED2C;
/// MemManage fault address.
pub const MMFAR: u32 = 0xE000_ED34;
/// BusFault address.
pub const BFAR: u32 = 0xE000_ED38;

/// PENDSVSET in ICSR.
pub const PEND_SV: u32 = 1 << 28;
/// PENDSTSET in ICSR.
pub const PEND_TICK: u32 = 1 << 26;
/// NMIPENDSET in ICSR.
pub const PEND_NMI: u32 = 1 << 31;

/// Exception numbers.
pub const NMI: usize = 2;
/// MemManage.
pub const MEMORY: usize = 4;
/// UsageFault.
pub const USAGE: usize = 6;
/// SVCall.
pub const CALL: usize = 11;
/// PendSV.
pub const PEND: usize = 14;
/// SysTick.
pub const TICK: usize = 15;

/// Reads a register or a word of memory.
pub fn read(address: u32) -> u32 {
    // SAFETY: the checks read what exists, or expect the fault.
    unsafe { read_volatile(address as *const u32) }
}

/// Writes a register or a word of memory.
pub fn write(address: u32, value: u32) {
    // SAFETY: as for `read`; nothing of Rust's lives where the checks write.
    unsafe { write_volatile(address as *mut u32, value) }
    barrier();
}

/// Makes earlier writes take effect before the next instruction.
pub fn barrier() {
    // SAFETY: no effect on memory.
    unsafe { asm!("dsb", "isb") }
}

/// A word of a vector table.
pub union Vector {
    /// As a number.
    pub word: u32,
    /// As a function.
    pub handler: unsafe extern "C" fn(),
}
// SAFETY: written only where no exception can be taken through it.
unsafe impl Sync for Vector {}

/// The vector table in RAM; the alignment is that of 64 vectors (B3.2.5).
#[repr(C, align(256))]
pub struct Table(UnsafeCell<[u32; 64]>);
// SAFETY: as for `Vector`.
unsafe impl Sync for Table {}

/// The table that is in force.
#[unsafe(link_section = ".table")]
pub static VECTORS: Table = Table(UnsafeCell::new([0; 64]));

/// Points every vector at the fault recorder and the processor at the table.
pub fn install(table: &Table) {
    for exception in 1..64 {
        handle(exception, fault_entry);
    }
    write(VTOR, table.0.get() as u32);
}

/// Sets the handler of an exception.
pub fn handle(exception: usize, handler: unsafe extern "C" fn()) {
    set_vector(exception, handler as *const () as u32);
}

/// Sets a vector to any word.
pub fn set_vector(exception: usize, word: u32) {
    // SAFETY: one core, and no exception of this number is under way.
    unsafe { write_volatile((VECTORS.0.get() as *mut u32).add(exception), word) }
    barrier();
}

/// Sets an exception's priority.
pub fn prioritise(exception: usize, priority: u8) {
    let address = match exception {
        16.. => 0xE000_E400 + exception - 16,
        _ => 0xE000_ED18 + exception - 4,
    };
    // SAFETY: priority registers may be written as bytes (B3.2.10, B3.4.9).
    unsafe { write_volatile(address as *mut u8, priority) }
    barrier();
}

/// Enables interrupt `exception` with `handler` at `priority`.
pub fn interrupt(exception: usize, priority: u8, handler: unsafe extern "C" fn()) {
    handle(exception, handler);
    prioritise(exception, priority);
    write(0xE000_E100, 1 << (exception - 16));
}

/// Pends interrupt `exception`.
pub fn pend(exception: usize) {
    write(0xE000_E200, 1 << (exception - 16));
}

/// Disables and forgets all the interrupts that checks use.
pub fn quiet() {
    write(0xE000_E180, 0xFF00_0000);
    write(0xE000_E280, 0xFF00_0000);
}

/// Events in their order.
pub struct Log {
    length: AtomicU32,
    entries: [AtomicU32; 32],
}

/// What has happened since the last check.
pub static LOG: Log = Log { length: AtomicU32::new(0), entries: [const { AtomicU32::new(0) }; 32] };

/// Appends to the log.
pub fn note(event: u32) {
    let length = LOG.length.load(Relaxed);
    if let Some(entry) = LOG.entries.get(length as usize) {
        entry.store(event, Relaxed);
        LOG.length.store(length + 1, Relaxed);
    }
}

/// An entry of the log.
pub fn logged(index: usize) -> u32 {
    LOG.entries[index].load(Relaxed)
}

/// The log's length.
pub fn length() -> usize {
    LOG.length.load(Relaxed) as usize
}

/// Cuts the log.
pub fn rewind(length: usize) {
    LOG.length.store(length as u32, Relaxed);
}

/// Empties the log.
pub fn forget() {
    LOG.length.store(0, Relaxed);
}

/// Compares the log with what the architecture says, prints the line, and empties the log.
pub fn check(name: &str, expected: &[u32]) {
    let length = LOG.length.load(Relaxed) as usize;
    let mut actual = [0; 32];
    for (copy, entry) in actual.iter_mut().zip(&LOG.entries) {
        *copy = entry.load(Relaxed);
    }
    let actual = &actual[..length.min(32)];
    forget();
    if actual == expected {
        print("ok ");
        print(name);
        print("\n");
    } else {
        let _ = writeln!(Console, "NOT {name}: expected {expected:x?}, was {actual:x?}");
    }
}

/// One comparison.
pub fn check_word(name: &str, expected: u32, actual: u32) {
    forget();
    note(actual);
    check(name, &[expected]);
}

/// The semihosting console.
pub struct Console;

impl Write for Console {
    fn write_str(&mut self, text: &str) -> core::fmt::Result {
        print(text);
        Ok(())
    }
}

/// Writes text with SYS_WRITE0, in pieces that end with the zero it wants.
pub fn print(text: &str) {
    for piece in text.as_bytes().chunks(63) {
        let mut buffer = [0u8; 64];
        buffer[..piece.len()].copy_from_slice(piece);
        // SAFETY: the buffer ends with a zero.
        unsafe { asm!("bkpt 0xAB", inout("r0") 4 => _, in("r1") buffer.as_ptr()) }
    }
}

/// Ends the run.
pub fn exit(code: u32) -> ! {
    let reason = if code == 0 { 0x20026 } else { 0x20023 };
    loop {
        // SAFETY: SYS_EXIT does not return.
        unsafe { asm!("bkpt 0xAB", in("r0") 0x18, in("r1") reason) }
    }
}

/// What the hardware stacks.
#[repr(C)]
pub struct Frame {
    /// R0 to R3 and R12.
    pub registers: [u32; 5],
    /// LR.
    pub lr: u32,
    /// The return address.
    pub pc: u32,
    /// xPSR.
    pub xpsr: u32,
}

/// How a fault handler makes execution go on.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum Recovery {
    /// Behind the faulting instruction.
    Skip,
    /// At the address in the stacked LR: for jumps to nowhere.
    Return,
    /// At the instruction again.
    Retry,
    /// Switch the MPU off, then as `Retry`.
    Unprotect,
    /// As `Skip` when the status has PRECISERR, else as `Retry`.
    SkipIfPrecise,
}

/// What the last fault looked like.
pub struct Seen {
    recovery: AtomicU32,
    count: AtomicU32,
    /// Its exception number.
    pub exception: AtomicU32,
    /// EXC_RETURN.
    pub exc_return: AtomicU32,
    /// The stacked return address.
    pub pc: AtomicU32,
    /// The stacked xPSR.
    pub xpsr: AtomicU32,
    /// CFSR, cleared after.
    pub cfsr: AtomicU32,
    /// HFSR, cleared after.
    pub hfsr: AtomicU32,
    /// MMFAR where valid, otherwise BFAR where valid, otherwise 0.
    pub address: AtomicU32,
}

/// The last fault.
pub static SEEN: Seen = Seen {
    recovery: AtomicU32::new(0),
    count: AtomicU32::new(0),
    exception: AtomicU32::new(0),
    exc_return: AtomicU32::new(0),
    pc: AtomicU32::new(0),
    xpsr: AtomicU32::new(0),
    cfsr: AtomicU32::new(0),
    hfsr: AtomicU32::new(0),
    address: AtomicU32::new(0),
};

/// Runs `act`, which faults, and notes exception, CFSR, HFSR and fault address; 0s when it did not.
pub fn faulting(recovery: Recovery, act: impl FnOnce()) {
    SEEN.recovery.store(recovery as u32, Relaxed);
    SEEN.count.store(0, Relaxed);
    for word in [&SEEN.exception, &SEEN.cfsr, &SEEN.hfsr, &SEEN.address, &SEEN.pc] {
        word.store(0, Relaxed);
    }
    act();
    barrier();
    for word in [&SEEN.exception, &SEEN.cfsr, &SEEN.hfsr, &SEEN.address] {
        note(word.load(Relaxed));
    }
}

/// The handler of everything without another: records, recovers, returns.
#[unsafe(naked)]
pub unsafe extern "C" fn fault_entry() {
    naked_asm!(
        "mov r0, lr",
        "tst lr, #4",
        "ite eq",
        "mrseq r1, msp",
        "mrsne r1, psp",
        "push {{r3, lr}}",
        "bl {record}",
        "pop {{r3, pc}}",
        record = sym record,
    )
}

/// Records the fault whose frame is `frame`.
pub unsafe extern "C" fn record(exc_return: u32, frame: &mut Frame) {
    let exception: u32;
    // SAFETY: reads IPSR.
    unsafe { asm!("mrs {}, ipsr", out(reg) exception) }
    let (cfsr, hfsr) = (read(CFSR), read(HFSR));
    let address = match (cfsr & 1 << 7, cfsr & 1 << 15) {
        (0, 0) => 0,
        (0, _) => read(BFAR),
        _ => read(MMFAR),
    };
    let recovery = SEEN.recovery.load(Relaxed);
    if recovery == Recovery::Unprotect as u32 {
        write(0xE000_ED94, 0);
    }
    for (word, value) in [
        (&SEEN.exception, exception),
        (&SEEN.exc_return, exc_return),
        (&SEEN.cfsr, cfsr),
        (&SEEN.hfsr, hfsr),
        (&SEEN.address, address),
        (&SEEN.pc, frame.pc),
        (&SEEN.xpsr, frame.xpsr),
    ] {
        word.store(value, Relaxed);
    }
    write(CFSR, cfsr);
    write(HFSR, hfsr);
    let count = SEEN.count.load(Relaxed) + 1;
    SEEN.count.store(count, Relaxed);
    if count > 20 {
        let _ = writeln!(Console, "fault {exception} at {:#x}, CFSR {cfsr:#x}, again", frame.pc);
        exit(1);
    }
    let precise = cfsr & 1 << 9 != 0 && recovery == Recovery::SkipIfPrecise as u32;
    if recovery == Recovery::Skip as u32 || precise {
        // SAFETY: an instruction was executed there.
        let first = unsafe { read_volatile(frame.pc as *const u16) };
        frame.pc += if first >> 11 >= 0b11101 { 4 } else { 2 };
    } else if recovery == Recovery::Return as u32 {
        frame.pc = frame.lr & !1;
        frame.xpsr = frame.xpsr & !0x0600_FC00 | 1 << 24;
    }
}

/// The count of resets, in RAM that nobody clears.
pub struct Resets {
    key: AtomicU32,
}

/// Whether this is the run after the reset that the checks ask for.
pub static RESETS: Resets = Resets { key: AtomicU32::new(0) };

/// Says that the firmware has asked for a reset.
const REQUESTED: u32 = 0x5E7A_6A1D;

impl Resets {
    /// Whether the reset was asked for.
    pub fn is_second(&self) -> bool {
        self.key.swap(0, Relaxed) == REQUESTED
    }

    /// Asks for a system reset (B1.5.16).
    pub fn request(&self) -> ! {
        self.key.store(REQUESTED, Relaxed);
        write(AIRCR, 0x05FA_0004);
        // The request may take a few cycles.
        for _ in 0..100_000 {
            barrier();
        }
        print("NOT reset.happens: still running\n");
        exit(1)
    }
}

#[panic_handler]
fn panic(info: &core::panic::PanicInfo) -> ! {
    let _ = writeln!(Console, "panic: {info}");
    exit(1)
}
