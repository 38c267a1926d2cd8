//! Critical sections at the kernel's ceiling: the feature `critical-section`.
//!
//! Libraries ask for critical sections through the crate `critical-section`, whose implementation
//! an application chooses. The usual implementation (`critical-section-single-core` of `cortex-m`)
//! masks every interrupt. This implementation masks interrupts up to the kernel's ceiling:
//! libraries, too, no longer hold up the interrupts above the ceiling, which Quintet never masks.
//!
//! # When it is sound
//! Turn the feature on only if no interrupt above the kernel's ceiling uses a critical section, or
//! anything that is built on one. Quintet can't check this: Quintet doesn't know the interrupts
//! that your application does not declare as tasks. In particular, the interrupts of a hardware
//! abstraction layer have the highest priority of the hardware unless you give them another one,
//! and most of them use critical sections (in `AtomicWaker`, for example). Give these interrupts a
//! priority up to the ceiling, or leave the feature off: Quintet is correct under any
//! implementation.
//!
//! On cores without BASEPRI the ceiling masks only the interrupts that the application declares.
//! SysTick and other exceptions are held off only if the ceiling is expressed by PRIMASK.
//!
//! # Cost
//! As much as the kernel's lock. With the feature on, each lock of a resource must remember the
//! mask, even where it could otherwise do without: a critical section may be open around any lock.
//!
//! The feature defines the implementation. If your program links another implementation, the linker
//! refuses the program (or the crate `critical-section` does, as the size of saved states is then
//! chosen twice).

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
        lock::take_pending_interrupts();
    }
}
