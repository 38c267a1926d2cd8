//! The front end without compressed instructions, whose fetches take two cycles.
//!
//! ```text
//!  counter ──> cache ──> tag compared ──> decoder
//!     ^                                   │ miss, prediction
//!     ╰───────────────────────────────────╯
//! ```

use super::World;
use super::fetch::{Asked, Counter, Decoding, Step};
use super::instructions::{self, InstructionCache};
use super::slot::Slot;

/// A fetch in the decoder.
#[derive(Clone, Copy, Debug)]
struct Fetch {
    slot: Slot,
    is_hit: bool,
    is_refused: bool,
}

/// The front end.
#[derive(Clone, Debug)]
pub struct TwoCycles {
    counter: Counter,
    is_fetching: bool,
    is_hit: bool,
    decoder: Option<Fetch>,
    /// Whether the address of the decoder is known; an exception waits for it.
    is_known: [bool; 2],
}

impl TwoCycles {
    pub fn new(start: u32) -> Self {
        Self {
            counter: Counter::new(start),
            is_fetching: false,
            is_hit: false,
            decoder: None,
            is_known: [false; 2],
        }
    }

    fn misses(&self) -> bool {
        self.decoder.is_some_and(|fetch| !fetch.is_hit)
    }

    fn is_refused(&self) -> bool {
        self.decoder.is_some_and(|fetch| fetch.is_hit && fetch.is_refused)
    }

    pub fn decoding(&self) -> Decoding {
        let whole = self.decoder.filter(|fetch| fetch.is_hit && !fetch.is_refused);
        Decoding {
            slot: whole.map(|fetch| fetch.slot),
            is_refused: self.is_refused() && self.is_known[1],
        }
    }

    pub fn clock(&mut self, asked: Asked, cache: &mut InstructionCache, world: &mut impl World) {
        let misses = self.misses();
        let moves = !asked.is_stuck && !misses && !self.is_refused();
        let flushes = asked.is_removed || asked.drops_next && !asked.is_stuck || misses;
        let missing = self.decoder.filter(|_| misses).map(|fetch| fetch.slot.pc);
        let was_fetching = self.is_fetching;
        let (pc, is_hit) = (self.counter.pc, self.is_hit);

        let halts = cache.halts() || asked.flushes_cache;
        let step = Step {
            again: missing,
            jump: asked.jump,
            is_halted: asked.is_halted,
            is_ready: moves && !halts,
            moves,
        };
        let fetched = self.counter.clock(step, !3);
        if flushes {
            self.is_fetching = false;
            self.decoder = None;
        }
        if moves {
            self.decoder = (was_fetching && !flushes).then(|| {
                let [low, high] = [pc, pc | 2].map(|at| u32::from(world.half(at)));
                Fetch {
                    slot: world.slot(pc, 4, high << 16 | low),
                    is_hit,
                    is_refused: !world.may_execute(pc),
                }
            });
            self.is_fetching = fetched.is_some();
            self.is_hit = fetched.is_some_and(|at| cache.has(at));
        }
        cache.clock(instructions::Asked {
            is_fetching: was_fetching,
            fill: missing,
            flush: asked.flushes_cache,
        });

        let is_corrected = missing.is_some() || asked.jump.is_some();
        let [first, second] = self.is_known;
        self.is_known =
            [moves || first && !is_corrected, !is_corrected && if moves { first } else { second }];
    }
}
