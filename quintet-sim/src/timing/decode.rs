//! The decode stage: an instruction waits here for its words and for the execute stage. A few never
//! leave it.

use super::{Current, Facts, Kind, Pipeline};

impl Pipeline {
    /// An instruction is executed. `passed` is false when its condition failed (inside an IT
    /// block); `conditional` when it is in an IT block at all.
    #[inline]
    pub fn issue(&mut self, address: u32, facts: &Facts, passed: bool, conditional: bool) {
        if let Some(table) = self.table {
            return self.issue_by_table(table, address, facts);
        }
        if facts.kind == Kind::IfThen && self.folds() {
            self.current.facts = *facts;
            return;
        }
        let decode = self.fetch.available(address, facts.length, self.decode_free);
        let held_up = self.previous.kind.is_long() && decode < self.execute_free;
        self.fetch.decode(decode, facts.length, !held_up);
        self.current = Current::new(facts, address, passed, decode);
        if (facts.kind == Kind::Nop || !passed) && self.is_absorbed(decode) {
            self.previous.takes_it = false;
            self.decode_free = self.last_address + 1;
            self.fetch.leave(self.decode_free);
            return;
        }
        self.anticipate_branch(passed);
        self.enter_execute(facts, passed);
        self.previous.takes_it = facts.length == 2 && !conditional && facts.kind.takes_it();
    }

    /// The decode stage sees two halfwords: an IT that is there behind a narrow instruction is
    /// decoded together with it and takes no time.
    fn folds(&mut self) -> bool {
        self.previous.takes_it && self.fetch.leave_together(self.start)
    }

    /// The first cycle of a load makes its address, the second waits for the data. What is decoded
    /// before the address is taken and needs nothing of the execute stage is done with in the
    /// second.
    fn is_absorbed(&self, decode: u64) -> bool {
        self.previous.kind == Kind::Load && decode <= self.last_address
    }
}
