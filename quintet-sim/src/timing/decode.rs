//! The decode stage: an instruction waits here for its words and for the execute stage. A few
//! instructions end in this stage.

use super::{Current, Facts, Kind, Pipeline};

impl Pipeline {
    /// An instruction is executed. `passed` is `false` if its condition failed (inside an IT
    /// block). `conditional` is `true` inside an IT block.
    #[inline(always)]
    pub fn issue(&mut self, address: u32, facts: &Facts, passed: bool, conditional: bool) {
        if let Some(table) = self.table {
            return self.issue_by_table(table, address, facts);
        }
        if facts.kind == Kind::IfThen && self.folds() {
            self.current.facts = *facts;
            return;
        }
        let decode = self.fetch.available(address, facts.length, self.decode_free);
        // A store that shared a cycle with a load is done with the execute stage at once.
        let stays = self.previous.kind.is_long() && !self.previous.overlapped;
        let held_up = stays && decode < self.execute_free;
        self.fetch.decode(decode, facts.length, !held_up);
        self.current = Current::new(facts, address, passed, decode);
        if (facts.kind == Kind::Nop || !passed) && self.is_absorbed(decode) {
            // Both are narrow, and so decoded together.
            self.previous.takes_it = facts.length == 2 && facts.kind == Kind::Nop && !conditional;
            self.decode_free = self.last_address + 1;
            self.fetch.leave(self.decode_free);
            return;
        }
        self.anticipate_branch(passed);
        self.enter_execute(facts, passed);
        self.previous.takes_it = facts.length == 2 && !conditional && facts.kind.takes_it();
    }

    /// The decode stage sees two halfwords. If an IT is there behind a narrow instruction, both are
    /// decoded together, and the IT takes no time.
    fn folds(&mut self) -> bool {
        self.previous.takes_it && self.fetch.leave_together(self.decode_free)
    }

    /// In its first cycle a load makes its address, and in the second it waits for the data. So a
    /// store with a register offset does, whose data is read then. An instruction that was decoded
    /// before the address is taken, and that needs no execute stage, is done in the second cycle.
    fn is_absorbed(&self, decode: u64) -> bool {
        self.previous.waits_for_data && decode <= self.last_address
    }
}
