//! Who follows a run, step by step.

use quintet_sim::machine::{Machine, WatchHit};

/// An observer of a run.
pub trait Follow<M = Machine> {
    /// Called after each step. `is_hit` is `true` if one of the machine's watches noticed an
    /// access. Returns `true` to go on.
    fn step(&mut self, machine: &mut M, is_hit: bool) -> bool;

    /// Called before [`Self::step`] if one of the machine's watches noticed an access, with it.
    fn accessed(&mut self, _hit: &WatchHit) {}

    /// The firmware has printed, in this cycle or a few before it.
    fn printed(&mut self, cycle: u64, channel: &str, bytes: &[u8]);
}
