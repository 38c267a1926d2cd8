//! SysTick as a tick: an interrupt at the end of each period, which the handler counts.
//!
//! The exception doesn't show whether the period has ended or software has pended it. COUNTFLAG
//! shows this: the end of a period sets the flag, and a read clears it.
//!
//! The handler is assembly, so that a tick with nothing to do saves no register: such a tick takes
//! 16 instructions.

use ::core::cell::UnsafeCell;
use ::core::hint::cold_path;

use super::systick::{CSR, CVR, EXCEPTION, ICSR, PENDSTSET, RUN, RVR};
use super::{primask, set_exception_priority};

pub use super::systick::pend;

/// In CSR: a period has ended since the last read.
const COUNTFLAG: u32 = 1 << 16;

/// The longest period, in cycles.
pub const PERIOD_MAX: u32 = 1 << 24;

/// Starts a tick of `period` cycles of the processor, at most [`PERIOD_MAX`], with the interrupt at
/// the priority byte `priority`.
///
/// # Safety
/// Called once; no other code uses SysTick.
pub unsafe fn start(period: u32, priority: u8) {
    // SAFETY: every Cortex-M with SysTick has these registers, and the caller owns them.
    unsafe {
        CSR.write_volatile(0);
        set_exception_priority(EXCEPTION, priority);
        RVR.write_volatile(period - 1);
        CVR.write_volatile(0);
        CSR.write_volatile(RUN);
    }
}

/// Returns `true` if a period has ended since the last call.
#[inline(always)]
pub fn take_ended() -> bool {
    // SAFETY: every Cortex-M with SysTick has the register.
    unsafe { CSR.read_volatile() & COUNTFLAG != 0 }
}

/// Returns `true` if the interrupt is pending.
#[inline(always)]
pub fn is_pending() -> bool {
    // SAFETY: every Cortex-M with SysTick has the register.
    unsafe { ICSR.read_volatile() & PENDSTSET != 0 }
}

/// A number of 64 bits that one context increments, and every context reads.
#[repr(C)]
pub struct Count {
    low: UnsafeCell<u32>,
    high: UnsafeCell<u32>,
}

// SAFETY: one context writes. A reader either is interrupted by the whole write, or interrupts the
// writer; but nothing interrupts the writer while it writes both words.
unsafe impl Sync for Count {}

impl Count {
    /// Makes the number 0.
    pub const fn new() -> Self {
        Self { low: UnsafeCell::new(0), high: UnsafeCell::new(0) }
    }

    /// Adds 1.
    ///
    /// # Safety
    /// Only one context calls this, and is not interrupted by itself.
    #[inline(always)]
    pub unsafe fn up(&self) {
        // SAFETY: the caller's; words that no other code writes.
        unsafe {
            let low = self.low.get().read_volatile().wrapping_add(1);
            if low == 0 {
                cold_path();
                let before = primask::raise();
                self.high.get().write_volatile(self.high.get().read_volatile() + 1);
                self.low.get().write_volatile(0);
                primask::restore(before);
            } else {
                self.low.get().write_volatile(low);
            }
        }
    }

    /// Returns the number that lies `OFFSET` bytes behind `owner`, so that the address of the owner
    /// is enough. From any context.
    ///
    /// # Safety
    /// A number lies there.
    #[cfg(basepri)]
    #[inline(always)]
    pub unsafe fn get_within<const OFFSET: usize>(owner: *const ()) -> u64 {
        let (low, high): (u32, u32);
        // One instruction: after an interrupt, the processor executes it again from the beginning.
        // So the address stays in its register: by Cortex-M3 erratum 602117, a load of two words
        // over their address then goes wrong.
        //
        // SAFETY: two words next to each other.
        unsafe {
            ::core::arch::asm!(
                "ldrd {low}, {high}, [{at}, #{offset}]", // both words at once
                low = out(reg) low,
                high = out(reg) high,
                at = in(reg) owner,
                offset = const OFFSET,
                options(readonly, nostack, preserves_flags)
            );
        }
        u64::from(high) << 32 | u64::from(low)
    }

    /// Returns the number that lies `OFFSET` bytes behind `owner`. From any context.
    ///
    /// # Safety
    /// A number lies there.
    #[cfg(not(basepri))]
    #[inline(always)]
    pub unsafe fn get_within<const OFFSET: usize>(owner: *const ()) -> u64 {
        // SAFETY: the caller's.
        unsafe { &*owner.byte_add(OFFSET).cast::<Self>() }.get()
    }

    /// Returns the number. From any context.
    #[cfg(not(basepri))]
    #[inline(always)]
    fn get(&self) -> u64 {
        loop {
            // SAFETY: words that are written only as a whole.
            let (high, low, again) = unsafe {
                let (high, low) = (self.high.get(), self.low.get());
                (high.read_volatile(), low.read_volatile(), high.read_volatile())
            };
            if high == again {
                return u64::from(high) << 32 | u64::from(low);
            }
        }
    }
}

/// Defines the handler `$name`: it counts, and checks for arrivals and for the alarm.
///
/// `on_tick` handles the less simple ticks from their beginning. If there is an arrival, or if
/// there is none and the count has come to the alarm, the handler continues with the code of the
/// application's expansion.
#[doc(hidden)]
#[macro_export]
macro_rules! __tick_handler {
    ($name:ident) => {
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        unsafe extern "C" fn $name() {
            ::core::arch::naked_asm!(
                ".p2align 2",
                "ldr r0, 3f",             // r0 = the count, and the arrivals
                "ldr r1, [r0, #{pended}]", // has software pended this?
                "ldr r2, [r0, #{count}]", // r2 = the lower word of the count
                "cmp r1, #0",             // only a tick has come if it is 0
                "bne 2f",                 // software has pended it
                "adds r2, #1",            // one tick more
                "beq 2f",                 // the upper word counts as well
                "str r2, [r0, #{count}]", // counted
                "ldr r1, [r0]",           // now: a context that arms later has seen the count
                "ldr r3, 4f",             // r3 = the address of the alarm
                "cmp r1, r0",             // an empty list points to itself
                "bne 1f",                 // something has arrived
                "ldr r3, [r3]",           // the alarm
                "cmp r3, r2",             // is it due at this tick?
                "beq 5f",                 // yes
                "bx lr",                  // nothing to do
                "1:",
                $crate::__tick_branch!("__quintet_tick_arrival"),
                "5:",
                $crate::__tick_branch!("__quintet_tick_alarm"),
                "2:",
                $crate::__tick_branch!("{tick}"),
                ".p2align 2",
                "3: .word {counted}",
                "4: .word {queue} + {alarm_low}",
                counted = sym $crate::export::time::COUNTED,
                queue = sym $crate::export::time::QUEUE,
                alarm_low = const $crate::export::time::TimerQueue::ALARM_LOW,
                count = const $crate::export::time::Counted::COUNT,
                pended = const $crate::export::time::Counted::PENDED,
                tick = sym $crate::export::time::on_tick,
            )
        }
    };
}

/// A branch that reaches the whole memory.
#[cfg(basepri)]
#[doc(hidden)]
#[macro_export]
macro_rules! __tick_branch {
    ($to:literal) => {
        ::core::concat!("b ", $to) // the target returns from the exception
    };
}

/// A branch that reaches the whole memory, and changes r1.
#[cfg(not(basepri))]
#[doc(hidden)]
#[macro_export]
macro_rules! __tick_branch {
    ($to:literal) => {
        ::core::concat!("ldr r1, 9f\nbx r1\n.p2align 2\n9: .word ", $to) // as above
    };
}
