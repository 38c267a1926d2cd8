//! Critical sections at the kernel's ceiling: the feature `critical-section`.
//!
//! Libraries ask for critical sections through the crate `critical-section`, whose implementation
//! an application chooses. The usual one (`critical-section-single-core` of `cortex-m`) masks every
//! interrupt. This one masks up to the kernel's ceiling: interrupts above it, which Quintet never
//! masks, are not held up by libraries either.
//!
//! # When it is sound
//! When no interrupt above the kernel's ceiling uses a critical section, nor anything that is built
//! on one. Quintet can't check that: it doesn't know what interrupts do that the application does
//! not declare as tasks. In particular the interrupts of a hardware abstraction layer have the
//! highest priority of the hardware unless they are given another one, and most of them use
//! critical sections (in `AtomicWaker`, for example). Give them a priority up to the ceiling, or
//! leave the feature off: Quintet is correct under any implementation.
//!
//! On cores without BASEPRI the ceiling masks the interrupts that the application declares, and no
//! others. SysTick and other exceptions are held off only if the ceiling is expressed by PRIMASK.
//!
//! # Cost
//! As the kernel's lock. With the feature on, a resource that could do without remembering the mask
//! has to remember it: a critical section may be open around any lock.
//!
//! The feature defines the implementation. If another one is linked, the linker (or the crate
//! `critical-section`, whose size of saved states is then chosen twice) refuses the program.

#![expect(unsafe_code, reason = "the contract of `critical_section::Impl`")]

use critical_section::RawRestoreState;

use crate::arch::mask::Saved;
use crate::core::lock;

/// The kernel's lock.
struct Ceiling;

critical_section::set_impl!(Ceiling);

// SAFETY: sections at the kernel's ceiling exclude each other, for the contexts that the feature's
// documentation allows; they nest.
unsafe impl critical_section::Impl for Ceiling {
    #[allow(clippy::useless_conversion, reason = "a mask is a byte or a word, by the target")]
    #[inline(always)]
    unsafe fn acquire() -> RawRestoreState {
        RawRestoreState::from(lock::acquire())
    }

    #[allow(clippy::unnecessary_cast, reason = "a mask is a byte or a word, by the target")]
    #[inline(always)]
    unsafe fn release(saved: RawRestoreState) {
        // SAFETY: the caller's: from the matching `acquire`, in reverse order. It fits, as it came
        // from there.
        unsafe { lock::release(saved as Saved) };
        lock::let_in();
    }
}
