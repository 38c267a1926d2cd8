//! System calls on ARMv7-M: the instruction `svc`, whose immediate is the class.

#![expect(unsafe_code, reason = "assembly")]

use core::arch::asm;

/// A system call of a class, with r0 to r3; what is in them behind.
///
/// # Safety
/// What the kernel is asked to do with memory must be allowed to happen while it may happen.
#[inline(always)]
pub unsafe fn call<const CLASS: u8>(arguments: [usize; 4]) -> [usize; 4] {
    let [mut r0, mut r1, mut r2, mut r3] = arguments;
    // SAFETY: all calls but yield keep all other registers and the flags. Memory may be read and
    // written, by the word of the caller.
    unsafe {
        asm!(
            "svc {class}",
            class = const CLASS,
            inlateout("r0") r0,
            inlateout("r1") r1,
            inlateout("r2") r2,
            inlateout("r3") r3,
            options(preserves_flags),
        );
    }
    [r0, r1, r2, r3]
}

/// Yields; r0 to r2 behind. Subscribed functions run within, with all that a function may change.
///
/// # Safety
/// A byte may be written to `first` if `kind` says so.
#[inline(always)]
pub unsafe fn yield_now(kind: usize, first: usize, second: usize) -> [usize; 3] {
    let (r0, r1, r2);
    // SAFETY: what is subscribed are C functions.
    unsafe {
        asm!(
            "svc 0",
            inlateout("r0") kind => r0,
            inlateout("r1") first => r1,
            inlateout("r2") second => r2,
            clobber_abi("C"),
        );
    }
    [r0, r1, r2]
}

/// Ends: 0 for good, 1 to start anew.
#[inline(always)]
pub fn exit(kind: usize, code: usize) -> ! {
    // SAFETY: it doesn't come back.
    unsafe { asm!("svc 6", "udf #0", in("r0") kind, in("r1") code, options(noreturn)) }
}

/// Whether this is the thread of the process.
#[inline(always)]
pub const fn is_here() -> bool {
    true
}

/// A number of this life of the process: variables are as at the beginning in each.
#[inline(always)]
pub const fn life() -> u32 {
    1
}
