//! Branches: the cycle of the fetch of a target, and the cycle of the target's execution.
//!
//! The fetch unit can begin as soon as the target is known, and each kind of branch knows its
//! target at another time.

use super::{Kind, Pipeline, Previous};

impl Pipeline {
    /// Starts the fetch of the target in the decode stage, for branches whose target is known
    /// there.
    pub(super) fn anticipate_branch(&mut self, passed: bool) {
        let decode = self.current.decode;
        let kind = self.current.facts.kind;
        self.current.early = match kind {
            Kind::Branch | Kind::ConditionalBranch => true,
            // The fetch unit only looks whether the instruction before writes LR, not when.
            Kind::LinkBranch => self.previous.writes & 1 << 14 == 0,
            _ => false,
        };
        self.current.speculates = self.flags_made == decode;
        if !passed && matches!(kind, Kind::Branch | Kind::LinkBranch) {
            // In an IT block the target is asked for before the condition is looked at.
            self.fetch.speculate(decode);
        }
    }

    /// The instruction wrote the program counter: the queue refills from `target`.
    #[inline]
    pub fn redirect(&mut self, target: u32) {
        if let Some(table) = self.table {
            return self.redirect_by_table(table);
        }
        let (stop, start) = self.redirection();
        self.fetch.redirect(target, stop, start, self.start + 1);
        // The code before the jump has no effect on the code behind it.
        self.previous = Previous::NOTHING;
        self.current.redirected = true;
        self.decode_free = self.start + 1;
        let target_executes = (start + self.fetch.latency() + 1).max(self.start + 2);
        self.execute_free = self.execute_free.max(target_executes);
    }

    /// The current instruction is a branch to `target` that is not taken. The fetch unit may ask
    /// for the target all the same.
    #[inline]
    pub fn pass_by(&mut self, target: u32) {
        self.fetch.pass_by(target);
    }

    /// The instruction is complete.
    #[inline]
    pub fn retire(&mut self) {
        if self.table.is_some() {
            return;
        }
        let current = &self.current;
        match current.facts.kind {
            Kind::ConditionalBranch
                if !current.redirected && (current.speculates || self.fetch.asks_in_vain()) =>
            {
                self.fetch.speculate(current.decode);
            }
            Kind::InstructionBarrier if current.passed && !current.redirected => {
                self.refetch_behind_barrier();
            }
            _ => {}
        }
    }

    /// Returns the cycle in which the queue is emptied for the target of the current instruction,
    /// and the cycle in which the target's fetch begins.
    pub(super) fn redirection(&self) -> (u64, u64) {
        let current = &self.current;
        match current.facts.kind {
            _ if current.early => (current.decode, current.decode),
            // The sum is made first.
            Kind::ComputedBranch => (self.start, self.start + 1),
            // The target has been transferred,
            Kind::Load | Kind::LoadMultiple => (self.last_address, self.transferred + 1),
            // and here it must still be added to the program counter.
            Kind::TableBranch => (self.last_address, self.transferred + 2),
            // A register is read, or compared, in the execute stage.
            _ => (self.start, self.start),
        }
    }

    /// ISB empties the queue. A request that the system bus has registered cannot be taken back.
    fn refetch_behind_barrier(&mut self) {
        let behind = self.current.address.wrapping_add(u32::from(self.current.facts.length));
        let at = self.start + u64::from(self.fetch.uses_system_bus());
        self.fetch.redirect(behind, at, at, self.start + 1);
        self.decode_free = self.start + 1;
    }
}
