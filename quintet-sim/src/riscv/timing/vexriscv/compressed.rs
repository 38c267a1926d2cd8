//! The front end with compressed instructions.
//!
//! ```text
//!  counter ──> cache ──> cut into instructions ──> decoder
//!     ^          │ miss          (keeps half a word)   │ prediction
//!     ╰──────────┴─────────────────────────────────────╯
//! ```

use super::World;
use super::fetch::{Asked, Counter, Decoding, Step};
use super::instructions::{self, InstructionCache};
use super::slot::Slot;

/// The front end.
#[derive(Clone, Debug)]
pub struct Compressed {
    counter: Counter,
    is_fetching: bool,
    is_hit: bool,
    /// The upper half of the last word, if it begins an instruction.
    kept: Option<u16>,
    /// The lower half of the word is done.
    is_upper: bool,
    decoder: Option<Slot>,
    decoder_pc: u32,
}

fn is_short(half: u16) -> bool {
    half & 3 != 3
}

/// What is cut out of a word.
struct Cut {
    /// The halves of the word.
    halves: [u16; 2],
    /// The instruction begins in the upper half.
    is_upper: bool,
    /// It begins with the half that was kept.
    is_kept: bool,
    /// It begins in the lower half.
    is_aligned: bool,
    /// The word has another instruction behind it.
    stays: bool,
    bits: u32,
    is_compressed: bool,
    /// All of the instruction is there.
    has_instruction: bool,
}

impl Compressed {
    pub fn new(start: u32) -> Self {
        Self {
            counter: Counter::new(start),
            is_fetching: false,
            is_hit: false,
            kept: None,
            is_upper: false,
            decoder: None,
            decoder_pc: start,
        }
    }

    pub fn decoding(&self) -> Decoding {
        Decoding { slot: self.decoder, is_refused: false }
    }

    /// Cuts an instruction out of the word that was fetched, and of the half that was kept.
    fn cut(&self, world: &mut impl World, has_word: bool) -> Cut {
        let pc = self.counter.pc;
        let [low, high] =
            if has_word { [pc & !3, pc & !3 | 2].map(|at| world.half(at)) } else { [0; 2] };
        let is_upper = self.is_upper || pc & 2 != 0;
        let is_kept = self.kept.is_some();
        let is_aligned = !is_upper && !is_kept;
        let both = is_aligned && is_short(low) && is_short(high);
        let bits = match (self.kept, is_upper) {
            (Some(kept), _) => u32::from(low) << 16 | u32::from(kept),
            (None, true) => u32::from(high) << 16 | u32::from(high),
            (None, false) => u32::from(high) << 16 | u32::from(low),
        };
        Cut {
            halves: [low, high],
            is_upper,
            is_kept,
            is_aligned,
            stays: is_kept && is_short(high) || both,
            bits,
            is_compressed: bits & 3 != 3,
            has_instruction: has_word && !(is_upper && !is_kept && !is_short(high)),
        }
    }

    pub fn clock(&mut self, asked: Asked, cache: &mut InstructionCache, world: &mut impl World) {
        let pc = self.counter.pc;
        let misses = self.is_fetching && !self.is_hit;
        let has_word = self.is_fetching && self.is_hit;
        let is_open = !asked.is_stuck;

        let cut = self.cut(world, has_word);
        let Cut { stays, bits, is_compressed, has_instruction, .. } = cut;
        let takes_word = is_open && (!self.is_fetching || !stays) && !misses;

        let halts = cache.halts() || asked.flushes_cache;
        let again = misses.then_some(if self.is_upper { pc | 2 } else { pc });
        let step = Step {
            again,
            jump: asked.jump,
            is_halted: asked.is_halted,
            is_ready: takes_word && !halts,
            moves: takes_word,
        };
        let fetched = self.counter.clock(step, !1);
        let was_fetching = self.is_fetching;
        if asked.is_flushed || misses {
            self.is_fetching = false;
        }
        if takes_word {
            self.is_fetching = fetched.is_some();
            self.is_hit = fetched.is_some_and(|at| cache.has(at));
        }
        cache.clock(instructions::Asked {
            is_fetching: was_fetching,
            fill: misses.then_some(pc),
            flush: asked.flushes_cache,
        });

        let leaves = self.decoder.filter(|_| is_open && !asked.is_removed);
        let next_pc = leaves.map(|slot| self.decoder_pc.wrapping_add(slot.length));
        self.decoder_pc = next_pc.unwrap_or(self.decoder_pc);
        if let Some(jump) = asked.jump
            && (is_open || asked.is_removed)
        {
            self.decoder_pc = jump;
        }
        if asked.is_removed {
            self.decoder = None;
        }
        if is_open {
            let passes = has_instruction && !asked.is_flushed;
            self.decoder = passes.then(|| {
                let (length, bits) = if is_compressed { (2, bits & 0xffff) } else { (4, bits) };
                world.slot(self.decoder_pc, length, bits)
            });
        }

        if is_open && has_word {
            self.keep(&cut);
        }
        if asked.is_flushed {
            self.is_upper = false;
            self.kept = None;
        }
    }

    /// Keeps the half of the word that the next instruction begins with.
    fn keep(&mut self, cut: &Cut) {
        let [low, high] = cut.halves;
        let fills = cut.is_aligned && is_short(low) && !is_short(high)
            || cut.is_kept && !is_short(high)
            || cut.is_upper && !cut.is_compressed && !is_short(high);
        self.kept = fills.then_some(high);
        if cut.has_instruction {
            self.is_upper = cut.stays;
        }
    }
}
