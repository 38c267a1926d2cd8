//! Guards: the last bytes of a stack, which no code may touch.
//!
//! Each guard is a locked entry of physical memory protection, without rights: it holds for machine
//! mode too, in which threads run. A locked entry stays until the next reset. So a guard is set
//! once, and can't move. Processes have the [first entries](super::protection).
//!
//! RISC-V Privileged Architecture, 3.7.1.

use ::core::arch::asm;
use ::core::ops::Range;
use ::core::sync::atomic::{AtomicBool, AtomicPtr, AtomicU8, AtomicU32, Ordering};

use super::{entries, words};

/// The size and the alignment of a guard, in bytes.
pub const SIZE: usize = 32;

/// The first entry that is a guard.
const FIRST: u8 = if cfg!(processes) { 6 } else { 0 };
/// The configuration of a guard: locked, a power of two, no rights.
const LOCKED: u8 = 1 << 7 | 3 << 3;
/// The bits of an entry's address that give it the [size](SIZE) of a guard.
const OF_SIZE: u32 = SIZE as u32 / 8 - 1;

/// The causes of accesses that a guard refuses: by a load, and by a store or an atomic operation.
const REFUSED: [u32; 2] = [5, 7];

/// The guards' addresses.
static BASES: [AtomicU32; entries::MAX] = [const { AtomicU32::new(0) }; entries::MAX];
/// The number of entries that can be guards, once it was looked for.
static COUNT: AtomicU8 = AtomicU8::new(0);
static IS_COUNTED: AtomicBool = AtomicBool::new(false);
/// The function that reports a fault at a guard, from the first guard on.
static REPORT: AtomicPtr<()> = AtomicPtr::new(::core::ptr::null_mut());
/// The address that was accessed when a guard was hit.
static ACCESSED: AtomicU32 = AtomicU32::new(0);

/// Returns how many guards there can be; 0 without a unit.
pub fn regions() -> u8 {
    if !words::get_flag(&IS_COUNTED) {
        // SAFETY: no entry is in use before the first guard, but those of processes, which are
        // written when a process is entered.
        let count = unsafe { entries::count(FIRST) };
        words::put_byte(&COUNT, count);
        words::put_flag(&IS_COUNTED, true);
    }
    words::get_byte(&COUNT)
}

/// Forbids access to the guard at `base`, by the guard's entry `number`.
///
/// # Safety
/// There is such an entry, and no other code uses it, or changes entries meanwhile. `base` is a
/// multiple of the [size](SIZE), and nothing is stored there.
pub unsafe fn set(number: u8, base: *mut u32) {
    let address = base.addr() as u32;
    if let Some(place) = BASES.get(usize::from(number)) {
        place.store(address, Ordering::Relaxed);
    }
    // SAFETY: the caller's.
    unsafe { entries::set(FIRST + number, address >> 2 | OF_SIZE, LOCKED) };
}

/// Lets a function report the accesses to guards, which doesn't return.
///
/// # Safety
/// The function may be called in the trap, with interrupts held off.
pub unsafe fn report_by(function: unsafe fn() -> !) {
    REPORT.store(function as *mut (), Ordering::Relaxed);
}

/// Returns the lowest address that a guard covers.
///
/// # Safety
/// As on other architectures.
pub unsafe fn base(number: u8) -> u32 {
    BASES.get(usize::from(number)).map_or(0, |base| base.load(Ordering::Relaxed))
}

/// Reports an exception by its cause, if it is an access to a guard. Otherwise returns.
///
/// # Safety
/// In the trap, with interrupts held off.
pub unsafe fn report(cause: u32) {
    if !REFUSED.contains(&cause) {
        return;
    }
    let address: u32;
    // SAFETY: reading has no effect.
    unsafe { asm!("csrr {}, mtval", out(reg) address, options(nomem, nostack, preserves_flags)) };
    let is_hit = BASES.iter().any(|base| {
        let base = base.load(Ordering::Relaxed);
        base != 0 && address.wrapping_sub(base) < SIZE as u32
    });
    let report = REPORT.load(Ordering::Relaxed);
    if is_hit && !report.is_null() {
        ACCESSED.store(address, Ordering::Relaxed);
        // SAFETY: the function that `report_by` has stored; a thread runs, or idle beside threads.
        unsafe { ::core::mem::transmute::<*mut (), unsafe fn() -> !>(report)() };
    }
}

/// Returns the memory of the access that hit a guard.
pub fn accessed() -> Option<Range<u32>> {
    let address = ACCESSED.load(Ordering::Relaxed);
    Some(address..address + 1)
}
