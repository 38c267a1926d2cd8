//! The Cortex-M0 and the Cortex-M0+: the table of the core's manual gives the cycles of each
//! instruction.
//!
//! These cores have no interlocks, and one bus for instructions and data, so their manuals give a
//! number of cycles for each instruction. Wait states come on top: for each fetched word of
//! instructions, and for each access. The rest of the pipeline has no effect.
//!
//! | | M0 | M0+ |
//! |---|---|---|
//! | data processing, MULS, CPS, NOP, SEV | 1 | 1 |
//! | load, store of one register | 2 | 2 |
//! | of N registers | 1 + N | 1 + N |
//! | POP with PC | 4 + N | 3 + N |
//! | B, BX, BLX, a result to PC; a branch not taken 1 | 3 | 2 |
//! | BL | 4 | 3 |
//! | MRS, MSR, DSB, DMB, ISB | 4 | 3 |
//! | interrupt to handler | 16 | 15 |
//!
//! The manuals don't give two figures, which are assumed: tail-chaining takes 6 and 5, an
//! exception's return 12 and 11.

use super::{Current, Direction, Facts, Kind, Pipeline, Previous};

/// The core of the table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Table {
    /// The Cortex-M0's: three stages.
    CortexM0,
    /// The Cortex-M0+'s: two stages.
    CortexM0Plus,
}

impl Table {
    /// The cycles that a branch takes beyond its first.
    fn refill(self) -> u64 {
        match self {
            Self::CortexM0 => 2,
            Self::CortexM0Plus => 1,
        }
    }
}

/// No word of instructions.
pub(super) const NO_WORD: u32 = u32::MAX;

impl Pipeline {
    /// The pipeline of a core that has a table.
    pub fn by_table(mut self, table: Option<Table>) -> Self {
        self.table = table;
        self
    }

    /// [`Pipeline::issue`] by the table.
    #[cold]
    #[inline(never)]
    pub(super) fn issue_by_table(&mut self, table: Table, address: u32, facts: &Facts) {
        let mut start = self.execute_free;
        for word in [address & !3, address.wrapping_add(u32::from(facts.length) - 2) & !3] {
            if word != self.fetched {
                self.fetched = word;
                start += self.wait_states(word, start, Direction::Read, true);
            }
        }
        self.current = Current::new(facts, address, true, start);
        self.start = start;
        self.previous = Previous::NOTHING;
        self.execute_free = start + 1;
        let is_slow = matches!(
            facts.kind,
            Kind::SpecialRead | Kind::SpecialWrite | Kind::InstructionBarrier | Kind::DataBarrier
        );
        if is_slow {
            self.execute_free += table.refill() + 1;
        }
        if facts.kind == Kind::InstructionBarrier {
            self.fetched = NO_WORD;
        }
    }

    /// [`Pipeline::data`] by the table: an address, and the data in the cycle behind it.
    #[cold]
    #[inline(never)]
    pub(super) fn data_by_table(&mut self, address: u32, direction: Direction) -> u64 {
        let presented = if self.current.accessed { self.last_address + 1 } else { self.start };
        self.current.accessed = true;
        let at = presented.max(self.transferred);
        self.last_address = at;
        self.transferred = at + 1 + self.wait_states(address, at, direction, false);
        self.execute_free = self.transferred + 1;
        self.transferred
    }

    /// [`Pipeline::redirect`] by the table.
    #[cold]
    #[inline(never)]
    pub(super) fn redirect_by_table(&mut self, table: Table) {
        let facts = &self.current.facts;
        let more = match facts.kind {
            Kind::Branch => u64::from(facts.length == 4),
            Kind::Load | Kind::LoadMultiple => 1,
            _ => 0,
        };
        self.execute_free += table.refill() + more;
        self.fetched = NO_WORD;
    }

    /// The handler's first instruction follows its vector, or the interrupted instruction follows
    /// the frame.
    pub(super) fn go_on_by_table(&mut self, cycles: u64) {
        self.execute_free += cycles;
        self.fetched = NO_WORD;
    }

    /// The cycles of an entry behind the vector, and of a return behind the frame.
    pub(super) fn entry_and_return(table: Table) -> (u64, u64) {
        (table.refill() + 1, table.refill())
    }

    fn wait_states(&mut self, address: u32, at: u64, direction: Direction, fetch: bool) -> u64 {
        let region = self.ports.at(address);
        match (direction, region.front) {
            (Direction::Write, _) => u64::from(region.write_wait_states),
            (Direction::Read, 0) => u64::from(region.read_wait_states),
            (Direction::Read, front) => self.fetch.read_front(front, address, at, fetch),
        }
    }
}
