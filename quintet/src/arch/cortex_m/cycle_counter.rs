//! The processor's cycle counter: CYCCNT of the trace unit (DWT).
//!
//! Armv7-M Architecture Reference Manual: C1.6.5 (DEMCR), C1.8.7 (DWT_CTRL), C1.8.8 (DWT_CYCCNT).
//! The Cortex-M7 locks the unit against writes (CoreSight's lock access register).

#![cfg_attr(not(armv6m), expect(unsafe_code, reason = "system registers are addresses"))]

#[cfg(not(armv6m))]
const DEMCR: *mut u32 = 0xe000_edfc as *mut u32;
#[cfg(not(armv6m))]
const TRACE_ENABLED: u32 = 1 << 24;
#[cfg(not(armv6m))]
const CONTROL: *mut u32 = 0xe000_1000 as *mut u32;
#[cfg(not(armv6m))]
const COUNTER_ENABLED: u32 = 1;
#[cfg(not(armv6m))]
const NO_COUNTER: u32 = 1 << 25;
#[cfg(not(armv6m))]
const COUNTER: *const u32 = 0xe000_1004 as *const u32;
#[cfg(not(armv6m))]
const LOCK_ACCESS: *mut u32 = 0xe000_1fb0 as *mut u32;
#[cfg(not(armv6m))]
const UNLOCK: u32 = 0xc5ac_ce55;

/// Returns `None`: ARMv6-M has no cycle counter.
#[cfg(armv6m)]
pub const fn start() -> Option<*const u32> {
    None
}

/// Lets the cycle counter count, if there is one, and returns the register.
#[cfg(not(armv6m))]
pub fn start() -> Option<*const u32> {
    // SAFETY: a missing register reads as zero, and ignores writes; debuggers and other users of
    // the unit set the same bits.
    unsafe {
        DEMCR.write_volatile(DEMCR.read_volatile() | TRACE_ENABLED);
        if CONTROL.read_volatile() & NO_COUNTER != 0 {
            return None;
        }
        LOCK_ACCESS.write_volatile(UNLOCK);
        CONTROL.write_volatile(CONTROL.read_volatile() | COUNTER_ENABLED);
    }
    Some(COUNTER)
}
