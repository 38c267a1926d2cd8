//! The specification of the pool: the owner of each block.

use super::super::schedule::BLOCKS;
use super::tokens::then;
use super::wait::{POOL, Wants};
use super::{Behind, Stage, State};

/// The result of an allocation without a free block.
const NONE: u16 = 0xff;

/// The blocks.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Pool {
    /// Those that were returned: the last one is the next.
    free: Vec<u8>,
    /// From this block on, none was used.
    fresh: u8,
    /// The values of the kept blocks.
    kept: [Option<u8>; BLOCKS],
}

impl Default for Pool {
    fn default() -> Self {
        Self { free: vec![0], fresh: 1, kept: [None; BLOCKS] }
    }
}

impl Pool {
    /// Takes a block, if there is one.
    pub(super) fn pop(&mut self) -> Option<u8> {
        let fresh = self.fresh;
        self.free.pop().or_else(|| {
            self.fresh = (fresh + 1).min(BLOCKS as u8);
            (usize::from(fresh) < BLOCKS).then_some(fresh)
        })
    }
}

impl State {
    /// Keeps a block in a step of its own.
    pub(super) fn try_alloc(&mut self, value: u8, stage: Stage) -> Stage {
        if let Stage::Allocated(slot) = stage {
            return self.keep(slot, value);
        }
        self.pool.pop().map_or(Stage::Result(NONE), Stage::Allocated)
    }

    /// The same, by a context that waits for a block.
    pub(super) fn alloc(&mut self, thread: usize, value: u8, stage: Stage) -> Stage {
        if let Stage::Allocated(slot) = stage {
            return self.keep(slot, value);
        }
        self.block(thread, POOL, Wants::Block, Stage::Allocated(0))
    }

    pub(super) fn keep(&mut self, slot: u8, value: u8) -> Stage {
        self.pool.kept[usize::from(slot)] = Some(value);
        Stage::Result(slot.into())
    }

    /// The value is taken out before the block is returned.
    pub(super) fn take_out(&mut self, slot: u8) -> Stage {
        let value = self.pool.kept[usize::from(slot)].take();
        value.map_or(Stage::Result(0), |value| Stage::Freeing(slot, value))
    }

    /// Hands the block to the first waiter.
    pub(super) fn free(&mut self, slot: u8, result: u16) -> Stage {
        let woken = if self.lists[POOL].is_empty() {
            self.pool.free.push(slot);
            None
        } else {
            self.grant(POOL, 0, slot.into())
        };
        then(woken, Behind::Over(result))
    }
}
