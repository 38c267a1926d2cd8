//! The specification of upcalls: those that wait, those that run, and when a process is blocked.

use super::super::call::Words;
use super::super::layout::ROOM;
use super::{Due, Process, State, Status, Step, Waiting};

/// There is no room for one more.
const NO_MEMORY: u32 = 9;

impl State {
    /// Lets an upcall become due, or hands it to a process that waits for it. Returns how this
    /// went, or that there was no room.
    pub(super) fn schedule(
        &mut self,
        process: usize,
        upcall: usize,
        words: [u32; 3],
    ) -> Result<bool, u32> {
        let own = &mut self.processes[process];
        let due = Due { upcall, words };
        match (own.waiting, own.step) {
            (Waiting::Any, _) if own.subscribed[upcall].0 != 0 => own.run(due),
            (Waiting::One(Some(wanted)), Step::Waits(call)) if wanted == upcall => {
                own.step = Step::Over(told(due, call));
            }
            _ if own.status != Status::Alive => return Ok(false),
            _ if own.due.len() >= ROOM => {
                own.dropped = (own.dropped + 1).min(255);
                return Err(NO_MEMORY);
            }
            _ => {
                own.due.push(due);
                return Ok(false);
            }
        }
        own.waiting = Waiting::Delivered;
        Ok(true)
    }

    /// A process goes on behind an upcall that it was handed, unless it has started again since.
    pub(super) fn wake(&mut self, process: usize) {
        let own = &mut self.processes[process];
        if own.waiting == Waiting::Delivered {
            own.waiting = Waiting::Nothing;
            self.ready(process);
        }
    }

    /// A process waits: it has made a call, so it runs, or was suspended since.
    pub(super) fn wait(&mut self, process: usize, waiting: Waiting, call: Words) {
        let own = &mut self.processes[process];
        own.waiting = waiting;
        own.step = Step::Waits(call);
        own.held_ready = false;
        self.unready(process);
    }
}

/// Returns the registers of a process that waits for one upcall.
pub(super) const fn told(due: Due, call: Words) -> [u32; 4] {
    let [first, second, third] = due.words;
    [first, second, third, call[4]]
}

impl Process {
    /// Calls the function of an upcall.
    pub(super) fn run(&mut self, due: Due) {
        let [first, second, third] = due.words;
        let (function, data) = self.subscribed[due.upcall];
        let is_it = |own: &u32| (own ^ function) & !1 == 0;
        let which = self.place.functions.iter().position(is_it).unwrap_or(usize::MAX);
        self.step = Step::Heard(which as u32, [first, second, third, data]);
    }

    /// The first upcall that is due, taken out.
    pub(super) fn take_first(&mut self) -> Option<Due> {
        (!self.due.is_empty()).then(|| self.due.remove(0))
    }

    /// The first one of this upcall, taken out.
    pub(super) fn take_of(&mut self, upcall: Option<usize>) -> Option<Due> {
        let found = self.due.iter().position(|due| Some(due.upcall) == upcall)?;
        Some(self.due.remove(found))
    }
}
