//! The bits that a loop waits for: those with which it would end.
//!
//! A copy of the machine stands behind the load of a register. A bit of the loaded value is
//! flipped, and the copy goes on: if it doesn't come back to the load, the bit is one of those.

use quintet_sim::machine::{Machine, Stop, Until, WatchHit};
use quintet_sim::processor::decode::{decode, is_wide};
use quintet_sim::processor::instruction::Operation::{Load, LoadAcquire};
use quintet_sim::processor::instruction::Size;

/// How many cycles a loop may take to come back to its load, and how often it gets that time.
const ROUND_MAX: u64 = 20_000;
const ROUNDS: u64 = 4;
/// A loop that ends with more bits than these compares the whole value.
const BITS_MAX: u32 = 4;
/// The widest field of which all values are tried.
const WIDTH_MAX: u32 = 4;

/// What a loop waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Awaited {
    /// The bits of the word, of which one is enough if `is_any`.
    pub mask: u32,
    /// The bits as the loop waits for them.
    pub value: u32,
    /// `true` if each of the bits ends the loop by itself.
    pub is_any: bool,
}

/// Where a load has put its value.
struct Loaded {
    register: usize,
    /// The lowest bit of the word that was loaded, and the number of bits.
    lane: u32,
    bits: u32,
}

/// Returns the bits of the word that the loop waits for, of a machine that stands behind a load
/// which it watches. `fields` are masks of neighbouring bits that mean something together.
pub fn find(machine: &Machine, hit: &WatchHit, fields: &[u32]) -> Option<Awaited> {
    let loaded = loaded(machine, hit)?;
    let trial = Trial { machine, hit, limit: round(machine, hit)?.saturating_mul(ROUNDS) };
    // It comes back if nothing is changed.
    if trial.ends(&loaded, 0) {
        return None;
    }
    let word = hit.new.checked_shl(loaded.lane).unwrap_or(0);
    let bits = (0..loaded.bits).filter(|bit| trial.ends(&loaded, 1 << bit));
    let mask = bits.fold(0_u32, |mask, bit| mask | 1 << (loaded.lane + bit));
    if mask != 0 {
        let is_any = mask.count_ones() > 1;
        let is_narrow = mask.count_ones() <= BITS_MAX;
        return is_narrow.then_some(Awaited { mask, value: !word & mask, is_any });
    }
    let in_lane = |mask: &&u32| mask.checked_shr(loaded.lane).unwrap_or(0) != 0;
    fields.iter().filter(in_lane).find_map(|mask| {
        let (first, width) = (mask.trailing_zeros(), mask.count_ones());
        let values = (width <= WIDTH_MAX).then(|| 0..1_u32 << width)?;
        let value = values
            .map(|value| value << first)
            .find(|value| trial.ends(&loaded, ((word ^ value) & mask) >> loaded.lane))?;
        Some(Awaited { mask: *mask, value, is_any: false })
    })
}

/// The register that has the loaded value; `None` for a load of several words.
fn loaded(machine: &Machine, hit: &WatchHit) -> Option<Loaded> {
    let half = |address: u32| machine.read_halfword(address);
    let first = half(hit.pc)?;
    let second = if is_wide(first) { half(hit.pc.wrapping_add(2))? } else { 0 };
    let architecture = machine.processor.configuration.architecture;
    let operation = decode(first, second, architecture).operation;
    let (Load { size, rt, signed: false, .. } | LoadAcquire { size, rt, .. }) = operation else {
        return None;
    };
    let bits = match size {
        Size::Byte => 8,
        Size::Half => 16,
        Size::Word => 32,
    };
    let lane = 8 * (hit.address & 3);
    // The program counter is no value.
    let register = usize::from(rt.0);
    (register < 15 && lane + bits <= 32).then_some(Loaded { register, lane, bits })
}

/// How many cycles a round takes.
fn round(machine: &Machine, hit: &WatchHit) -> Option<u64> {
    let mut copy = machine.clone();
    let end = machine.cycle().saturating_add(ROUND_MAX);
    comes_back(&mut copy, hit, end).then(|| copy.cycle() - machine.cycle())
}

/// Runs until the load comes again; `false` if it doesn't.
fn comes_back(machine: &mut Machine, hit: &WatchHit, end: u64) -> bool {
    let until = Until { max_cycles: Some(end), ..Until::default() };
    while let Stop::Watch(next) = machine.run(&until) {
        if (next.address, next.pc) == (hit.address, hit.pc) {
            return true;
        }
    }
    false
}

struct Trial<'a> {
    machine: &'a Machine,
    hit: &'a WatchHit,
    limit: u64,
}

impl Trial<'_> {
    /// Returns `true` if the loop ends with these bits of the loaded value flipped.
    fn ends(&self, loaded: &Loaded, flipped: u32) -> bool {
        let mut copy = self.machine.clone();
        copy.processor.registers.r[loaded.register] ^= flipped;
        let end = copy.cycle().saturating_add(self.limit);
        !comes_back(&mut copy, self.hit, end)
    }
}
