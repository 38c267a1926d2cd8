//! System calls on ARMv7-M: the instruction `svc`, whose immediate is the class.

#![expect(unsafe_code, reason = "assembly")]

use core::arch::asm;

/// Does a system call of a class, with r0 to r3. Returns these registers after the call.
///
/// # Safety
/// The memory effects that the call asks the kernel for must be allowed for as long as they can
/// happen.
#[inline(always)]
pub unsafe fn call<const CLASS: u8>(arguments: [usize; 4]) -> [usize; 4] {
    let [mut r0, mut r1, mut r2, mut r3] = arguments;
    // SAFETY: all calls but yield keep all other registers and the flags. Memory may be read and
    // written, by the word of the caller.
    unsafe {
        asm!(
            "svc {class}",                    // the kernel does it, and returns the registers
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

/// Yields. Returns r0 to r2 after the call. Subscribed functions run within the call, with all
/// changes that a function may make.
///
/// # Safety
/// The kernel may write a byte to `first` if `kind` says so.
#[inline(always)]
pub unsafe fn yield_now(kind: usize, first: usize, second: usize) -> [usize; 3] {
    let (r0, r1, r2);
    // SAFETY: what is subscribed are C functions.
    unsafe {
        asm!(
            "svc 0",                          // class 0 is yield
            inlateout("r0") kind => r0,
            inlateout("r1") first => r1,
            inlateout("r2") second => r2,
            clobber_abi("C"),
        );
    }
    [r0, r1, r2]
}

/// Ends the process: 0 for good, 1 to start anew.
#[inline(always)]
pub fn exit(kind: usize, code: usize) -> ! {
    // SAFETY: it doesn't come back.
    unsafe { asm!("svc 6", "udf #0", in("r0") kind, in("r1") code, options(noreturn)) }
}

/// Returns `true` on the thread of the process.
#[inline(always)]
pub const fn is_here() -> bool {
    true
}

/// Returns a number of this life of the process. In each life, variables begin anew.
#[inline(always)]
pub const fn life() -> u32 {
    1
}
