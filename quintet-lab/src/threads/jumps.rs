//! Threads of Quintet on RISC-V that go on by a jump: the handler that switches leaves without MRET
//! if the next thread had given the processor away by a call.
//!
//! The stack pointer tells: since the trap another thread was chosen, and the pointer has become
//! the one with which that thread was left.

use super::layout::Layout;
use crate::simulated::Simulated;

/// Looks for such a jump after each step.
#[derive(Clone, Copy, Debug, Default)]
pub struct Jumps {
    /// How many traps there were, and which thread ran at the last one.
    traps: u64,
    at_trap: Option<u32>,
}

impl Jumps {
    /// Lets the machine know if it has left its handlers. `running` is the chosen thread.
    #[inline]
    pub fn look<M: Simulated>(&mut self, machine: &mut M, layout: &Layout, running: Option<u32>) {
        let Some(traps) = machine.riscv().map(|machine| machine.hart.traps()) else { return };
        if traps != self.traps {
            (self.traps, self.at_trap) = (traps, running);
        }
        if machine.handler() == 0 || running == self.at_trap {
            return;
        }
        let left_at = running.and_then(|running| layout.left_at(machine, running));
        if left_at == Some(machine.stack_pointer()) {
            machine.leave_handlers();
        }
    }
}
