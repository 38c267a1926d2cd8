//! Ceilings by source: cores without BASEPRI disable the interrupts of the other users.
//!
//! Each interrupt of the application up to the ceiling is disabled in the NVIC; the others stay
//! enabled. Exceptions such as SysTick can't be disabled there: the application is refused if one
//! of them contends for a resource. The kernel's lock, and locks of resources that threads share
//! with levels, are PRIMASK.
//!
//! Ordering. A disabled interrupt may still be taken until the write has reached the NVIC and the
//! pipeline is refilled. So a DSB and an ISB follow the write (Arm DAI 0321A, 4.5).

use ::core::arch::asm;
#[cfg(threads)]
use ::core::sync::atomic::{AtomicU32, Ordering};

use super::primask;

/// Set-enable register; a read returns the enabled interrupts.
const ISER: *mut u32 = 0xe000_e100 as *mut u32;
/// Clear-enable register.
const ICER: *mut u32 = 0xe000_e180 as *mut u32;

/// The mask that holds off all other users of a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ceiling {
    /// The interrupts to disable, a bit for each; `ALL` stands for PRIMASK.
    sources: u32,
}

/// Every interrupt and exception.
const ALL: u32 = u32::MAX;

impl Ceiling {
    /// Makes the ceiling `priority` (1 to 2^`priority_bits`) in an application that uses
    /// `interrupts`, each with its priority and its number.
    ///
    /// PRIMASK holds off an interrupt with a number above 31 (ARMv8-M baseline).
    #[must_use]
    pub const fn new(priority: u8, priority_bits: u8, interrupts: &[(u8, u16)]) -> Self {
        let mut sources = 0;
        let mut index = 0;
        while index < interrupts.len() {
            let (of, number) = interrupts[index];
            if of <= priority {
                if number >= 32 {
                    return Self { sources: ALL };
                }
                sources |= 1 << number;
            }
            index += 1;
        }
        if priority as u16 >= 1 << priority_bits {
            sources = ALL;
        }
        Self { sources }
    }

    /// Returns the values that a section writes, for the map: no priority byte, and a bit for each
    /// interrupt that it disables, or no bit if PRIMASK holds off everything.
    #[must_use]
    pub const fn mapped(self) -> (u8, u32) {
        (0, if self.sources == ALL { 0 } else { self.sources })
    }

    /// Returns the same ceiling: sections are the same beside threads.
    #[must_use]
    pub const fn beside_threads(self) -> Self {
        self
    }

    /// Returns 0: no priority byte masks anything here.
    #[must_use]
    pub const fn hardware(self) -> u8 {
        0
    }

    /// Makes the ceiling of a priority byte, in the NVIC's form: every interrupt and exception.
    #[must_use]
    #[cfg(threads)]
    pub const fn of_hardware(_priority: u8) -> Self {
        Self { sources: ALL }
    }

    /// Makes the ceiling of data that threads share with levels: every interrupt and exception.
    /// Exceptions can't be disabled one by one, and one of them switches threads.
    #[must_use]
    pub const fn with_threads(_priority: u8, _priority_bits: u8) -> Self {
        Self { sources: ALL }
    }

    /// Makes the ceiling of the kernel's data: every interrupt and exception.
    #[must_use]
    pub const fn kernel(_priority: u8, _priority_bits: u8) -> Self {
        Self { sources: ALL }
    }
}

/// Returns `true`. The question is whether a section at the ceiling, in any context, holds off the
/// running context. Only the kernel's ceiling is asked about, which is PRIMASK: it holds off every
/// context but the handlers of NMI and HardFault, in which nothing of the kernel may be used.
#[inline(always)]
#[must_use]
pub const fn holds_off_this(_ceiling: Ceiling) -> bool {
    true
}

/// Returns the priority byte of the NVIC for a priority of the application, 1 to 2^`priority_bits`.
#[must_use]
pub const fn hardware_priority(priority: u8, priority_bits: u8) -> u8 {
    // The macro refuses a priority above the highest, with a message; so there is no second check
    // here.
    ((1_u16 << priority_bits).saturating_sub(priority as u16) << (8 - priority_bits)) as u8
}

/// The value that a section restores: the interrupts that were enabled; or, at the ceiling of all
/// interrupts, whether they were held off (1) or not (0).
pub type Saved = u32;

/// Begins a section. Give the returned value to [`restore`].
#[inline(always)]
#[must_use]
pub fn raise(ceiling: Ceiling) -> Saved {
    if ceiling.sources == ALL {
        #[cfg(noted_pauses)]
        return primask::raise_word();
        #[cfg(not(noted_pauses))]
        return u32::from(primask::raise());
    }
    // SAFETY: disabling interrupts breaks no memory safety; both registers exist on every core.
    unsafe {
        let enabled = ISER.read_volatile() & ceiling.sources;
        ICER.write_volatile(ceiling.sources);
        asm!("dsb", "isb", options(nostack, preserves_flags));
        enabled
    }
}

/// Ends a section.
///
/// # Safety
/// `saved` is from the matching [`raise`], of the same ceiling; sections end in the reverse order
/// of their beginning.
#[inline(always)]
pub unsafe fn restore(ceiling: Ceiling, saved: Saved) {
    if ceiling.sources == ALL {
        if saved == 0 {
            // SAFETY: the caller's; interrupts were enabled when the section began.
            unsafe { primask::enable_interrupts() };
        }
        return;
    }
    // SAFETY: these interrupts were enabled when the section began. The empty assembly keeps the
    // compiler from moving an access of the section behind its end.
    unsafe {
        asm!("", options(nostack, preserves_flags));
        ISER.write_volatile(saved);
    }
}

/// Begins a section, if no other section can be open. Not cheaper than [`raise`] here.
#[inline(always)]
#[must_use]
pub fn raise_alone(ceiling: Ceiling) -> Saved {
    raise(ceiling)
}

/// Ends a section that [`raise_alone`] began.
///
/// # Safety
/// As for [`restore`].
#[inline(always)]
pub unsafe fn restore_alone(ceiling: Ceiling, saved: Saved) {
    // SAFETY: the caller's.
    unsafe { restore(ceiling, saved) };
}

/// Takes interrupts that are pending and no longer held off, before the next instruction.
#[inline(always)]
pub fn take_pending_interrupts() {
    // SAFETY: a barrier.
    unsafe { asm!("isb", options(nostack, preserves_flags)) };
}

/// Returns the value that [`raise`] would find now, at the ceiling of all interrupts.
#[cfg(threads)]
#[inline(always)]
#[must_use]
pub fn held() -> Saved {
    primask::held()
}

/// Whether switches of threads pause.
///
/// No mask of these cores holds off the switch and lets interrupts come. So a pause is noted in
/// this word, and the switch that finds the note returns.
#[cfg(threads)]
pub static PAUSE: AtomicU32 = AtomicU32::new(SWITCHES_COME);

/// In [`PAUSE`]: there is no pause.
#[cfg(threads)]
const SWITCHES_COME: u32 = 0;
/// In [`PAUSE`]: no switch comes.
#[cfg(threads)]
const PAUSED: u32 = 1;
/// In [`PAUSE`]: no switch comes, and one has become due.
#[cfg(threads)]
pub const DUE: u32 = 2;
/// In [`PAUSE`]: there is no pause, but a process has a fault, at which the switch looks first.
#[cfg(processes)]
pub const FAULT: u32 = 4;
/// In the value of the section before a pause: a context that this one has interrupted pauses
/// already.
#[cfg(threads)]
const PAUSED_BEFORE: Saved = 1 << 1;

/// Begins a pause, in a section that found `saved` at its beginning: no switch of threads comes
/// until [`let_switch`]. Returns the value for the end of the section, and the value for the end of
/// the pause.
///
/// A pause of a handler may come within a pause of the code that it has interrupted. The handler
/// then leaves the note as it is.
#[cfg(threads)]
#[inline(always)]
#[must_use]
pub fn without_switches(saved: Saved) -> (Saved, Saved) {
    if PAUSE.load(Ordering::Relaxed) == SWITCHES_COME {
        PAUSE.store(PAUSED, Ordering::Relaxed);
        (saved, saved)
    } else {
        (saved, saved | PAUSED_BEFORE)
    }
}

/// Ends a pause within a section: what became due is pended, and comes when the section ends.
/// Returns the value for this.
///
/// # Safety
/// `saved` is from the beginning of the [pause](without_switches), and a section is open.
#[cfg(threads)]
#[inline(always)]
#[must_use]
pub unsafe fn end_pause(saved: Saved) -> Saved {
    /// The interrupt control and state register, and its bit that pends PendSV.
    const ICSR: *mut u32 = 0xe000_ed04 as *mut u32;
    const PENDSVSET: u32 = 1 << 28;
    if saved & PAUSED_BEFORE == 0 {
        let before = PAUSE.load(Ordering::Relaxed);
        PAUSE.store(SWITCHES_COME, Ordering::Relaxed);
        if before == DUE {
            // SAFETY: every core has the register; a bit written as 0 has no effect.
            unsafe { ICSR.write_volatile(PENDSVSET) };
        }
    }
    saved & !PAUSED_BEFORE
}

/// Ends a [pause](without_switches). A switch that became due meanwhile happens before the next
/// instruction.
///
/// # Safety
/// The pause began in a section that found `saved` at its beginning; no other section is open.
#[cfg(threads)]
#[inline(always)]
pub unsafe fn let_switch(saved: Saved) {
    let before = primask::raise();
    // SAFETY: the caller's.
    unsafe {
        let _end_of_the_section = end_pause(saved);
        primask::restore(before);
    }
    take_pending_interrupts();
}
