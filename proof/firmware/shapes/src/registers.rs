//! Registers full of patterns, which whoever runs meanwhile has to leave or restore.

use core::arch::asm;
use core::hint::black_box;

/// Fills registers with a pattern, stays a while, and looks at them.
///
/// # Panics
/// If they have changed.
#[inline(always)]
pub fn stay(seed: u32) {
    let wrong: u32;
    // SAFETY: what it changes, it says.
    unsafe {
        asm!(
            "add r4, {seed}, #4",
            "add r5, {seed}, #5",
            "add r8, {seed}, #8",
            "add r10, {seed}, #10",
            "movs r3, #40",
            "2:",
            "subs r3, #1",
            "bne 2b",
            "sub r4, r4, {seed}",
            "subs r3, r4, #4",
            "sub r5, r5, {seed}",
            "subs r5, #5",
            "orrs r3, r5",
            "sub r8, r8, {seed}",
            "subs r8, #8",
            "orr r3, r8",
            "sub r10, r10, {seed}",
            "subs r10, #10",
            "orr r3, r10",
            seed = in(reg) seed,
            out("r3") wrong, out("r4") _, out("r5") _, out("r8") _, out("r10") _,
        );
    }
    assert!(wrong == 0, "a thread went on with other registers");
}

/// The same with floating-point registers, low ones and high ones.
///
/// # Panics
/// If they have changed.
#[cfg(target_abi = "eabihf")]
#[inline(always)]
pub fn stay_floating(seed: u32) {
    let (low, high): (u32, u32);
    // SAFETY: what it changes, it says.
    unsafe {
        asm!(
            "vmov s0, {seed}",
            "vmov s15, {seed}",
            "vmov s16, {seed}",
            "vmov s31, {seed}",
            "movs {low}, #40",
            "2:",
            "subs {low}, #1",
            "bne 2b",
            "vmov {low}, s0",
            "vmov {high}, s15",
            "eor {low}, {high}",
            "vmov {high}, s16",
            "eor {high}, {seed}",
            "orr {low}, {high}",
            "vmov {high}, s31",
            seed = in(reg) seed, low = out(reg) low, high = out(reg) high,
            out("s0") _, out("s15") _, out("s16") _, out("s31") _,
        );
    }
    assert!(low == 0 && high == seed, "a thread went on with other floating-point registers");
}

/// Without floating-point registers there is nothing to look at.
#[cfg(not(target_abi = "eabihf"))]
pub const fn stay_floating(_seed: u32) {}

/// A number that a call preserves: in a floating-point register where there are some.
///
/// # Panics
/// If it has changed.
#[inline(always)]
pub fn kept_across(seed: u32, call: impl FnOnce()) {
    #[cfg(target_abi = "eabihf")]
    let kept = f32::from_bits(0x3f80_0000 | seed & 0xffff);
    #[cfg(not(target_abi = "eabihf"))]
    let kept = seed;
    let kept = black_box(kept);
    call();
    #[cfg(target_abi = "eabihf")]
    assert!(kept.to_bits() == 0x3f80_0000 | seed & 0xffff, "a call lost a register");
    #[cfg(not(target_abi = "eabihf"))]
    assert!(kept == seed, "a call lost a register");
}
