//! The names of `cortex-m` that programs of `tests/firmware` use, for RISC-V.
#![no_std]

pub mod asm {
    //! Instructions.

    /// Waits for an interrupt.
    pub fn wfi() {
        // SAFETY: waiting breaks no memory safety.
        unsafe { core::arch::asm!("wfi") };
    }

    /// Does nothing.
    pub fn nop() {
        // SAFETY: the same.
        unsafe { core::arch::asm!("nop") };
    }

    /// Lets at least so many cycles pass.
    pub fn delay(cycles: u32) {
        for _ in 0..cycles {
            nop();
        }
    }

    /// Does nothing: interrupts that are pending come at once.
    pub const fn isb() {}
}

/// The core's peripherals.
#[allow(non_snake_case)]
pub struct Peripherals {
    /// The timer.
    pub MTIMER: quintet::riscv::MTIMER,
}

impl Peripherals {
    /// Returns the peripherals.
    pub fn take() -> Option<Self> {
        // SAFETY: programs take them once.
        Some(unsafe { Self::steal() })
    }

    /// Makes the peripherals.
    ///
    /// # Safety
    /// No other code uses them.
    pub unsafe fn steal() -> Self {
        // SAFETY: the caller's.
        Self { MTIMER: unsafe { quintet::riscv::MTIMER::steal() } }
    }
}
