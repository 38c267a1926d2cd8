//! The decode stage: an instruction waits here for its words and for the execute stage. A few never
//! leave it.

use super::{Current, Facts, Kind, Pipeline};

impl Pipeline {
    /// An instruction is executed. `passed` is false when its condition failed (inside an IT
    /// block); `conditional` when it is in an IT block at all.
    #[inline]
    pub fn issue(&mut self, address: u32, facts: &Facts, passed: bool, conditional: bool) {
        if facts.kind == Kind::IfThen && self.folds(address) {
            self.fetch.consume_with_last(address, self.current.decode);
            self.fetch.release(self.start);
            self.current.facts = *facts;
            return;
        }
        let decode = self.fetch.available(address, facts.length).max(self.decode_free);
        self.fetch.consume(address, facts.length, decode);
        self.current = Current::new(facts, address, passed, decode);
        if (facts.kind == Kind::Nop || !passed) && self.is_absorbed(decode) {
            self.previous.takes_it = false;
            self.decode_free = decode + 1;
            self.fetch.release(decode + 1);
            return;
        }
        self.anticipate_branch(passed);
        self.enter_execute(facts, passed);
        self.previous.takes_it = facts.length == 2 && !conditional && facts.kind.takes_it();
    }

    /// The decode stage sees two halfwords: an IT that is in the queue behind a narrow instruction
    /// is decoded together with it and takes no time.
    fn folds(&self, address: u32) -> bool {
        self.previous.takes_it && self.fetch.is_available(address, self.current.decode)
    }

    /// The first cycle of a load makes its address, the second waits for the data. What is decoded
    /// in the first and needs nothing of the execute stage is done with in the second.
    fn is_absorbed(&self, decode: u64) -> bool {
        self.previous.kind == Kind::Load && decode == self.start
    }
}
