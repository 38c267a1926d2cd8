//! System calls on RISC-V: the instruction `ecall`, with the class in a4.

#![expect(unsafe_code, reason = "assembly")]

use core::arch::asm;

/// Does a system call of a class, with a0 to a3. Returns these registers after the call.
///
/// # Safety
/// The memory effects that the call asks the kernel for must be allowed for as long as they can
/// happen.
#[inline(always)]
pub unsafe fn call<const CLASS: u8>(arguments: [usize; 4]) -> [usize; 4] {
    let [mut a0, mut a1, mut a2, mut a3] = arguments;
    // SAFETY: all calls but yield keep all other registers. Memory may be read and written, by the
    // word of the caller.
    unsafe {
        asm!(
            "ecall",                          // the kernel does it, and returns the registers
            inlateout("a0") a0,
            inlateout("a1") a1,
            inlateout("a2") a2,
            inlateout("a3") a3,
            in("a4") CLASS as usize,
            options(preserves_flags),
        );
    }
    [a0, a1, a2, a3]
}

/// Yields. Returns a0 to a2 after the call. Subscribed functions run within the call, with all
/// changes that a function may make.
///
/// # Safety
/// The kernel may write a byte to `first` if `kind` says so.
#[inline(always)]
pub unsafe fn yield_now(kind: usize, first: usize, second: usize) -> [usize; 3] {
    let (a0, a1, a2);
    // SAFETY: what is subscribed are C functions.
    unsafe {
        asm!(
            "ecall",                          // class 0 is yield
            inlateout("a0") kind => a0,
            inlateout("a1") first => a1,
            inlateout("a2") second => a2,
            inlateout("a4") 0_usize => _,
            clobber_abi("C"),
        );
    }
    [a0, a1, a2]
}

/// Ends the process: 0 for good, 1 to start anew.
#[inline(always)]
pub fn exit(kind: usize, code: usize) -> ! {
    // SAFETY: it doesn't come back.
    unsafe {
        asm!("ecall", "unimp", in("a0") kind, in("a1") code, in("a4") 6_usize, options(noreturn))
    }
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
