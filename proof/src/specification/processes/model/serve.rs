//! The specification of calls: one step after the other, as an interrupt may come in between.

use super::super::call::{ACTS, Act, Call, END, LOAD, STORE, Words};
use super::super::layout::{BELL, DESK, Kind, upcall};
use super::super::schedule::Schedule;
use super::acts::Acting;
use super::answer::{Answer, of_bell};
use super::life::Piece;
use super::upcalls::told;
use super::{
    BEGUN, Entry, FAULT, HEARD, OVER, Process, State, Status, Step, UNTOUCHED, Waiting, World,
};

/// The progress of a call, or of a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Stage {
    /// The kernel has the call.
    Taken,
    /// The call is served: the process was not ended before.
    Served,
    /// Nothing is due any more for the function of before.
    Swaps,
    /// A command does this.
    Acts(Act, Acting),
    /// A fault was noted, with its cause and its address.
    Noted(u32, u32),
    /// The fault is judged.
    Judged(u32, u32),
    /// The fault's process learns its fate.
    Settles,
    /// The process does the work of its change.
    Changes(Piece),
}

/// Causes of faults.
const ACCESS: u32 = 0;
const CALL: u32 = 5;

/// Errors.
const INVALID: u32 = 6;
const NO_SUPPORT: u32 = 10;
const NO_DEVICE: u32 = 11;

impl State {
    /// A step of the running process outside the kernel.
    pub(super) fn go_on(&mut self, process: usize) -> bool {
        let own = &mut self.processes[process];
        if own.changes() {
            self.serving = Some((process, Stage::Changes(Piece::Looks)));
            return true;
        }
        self.serving = Some((process, Stage::Taken));
        if let Step::Calls([class @ (LOAD | STORE), address, word, second, third]) = own.step {
            if own.accesses(address) {
                let loaded = own.word(address);
                let loads = class == LOAD;
                if !loads {
                    own.put_word(address, word);
                }
                let first = if loads { loaded } else { address };
                own.step = Step::Over([first, word, second, third]);
                self.serving = None;
            } else {
                own.open = false;
                self.serving = Some((process, Stage::Noted(ACCESS, address)));
            }
        }
        true
    }

    /// A step of the call that is served.
    pub(super) fn serve(
        &mut self,
        process: usize,
        stage: Stage,
        schedule: &Schedule,
        world: &World,
    ) -> bool {
        let own = &mut self.processes[process];
        let next = match stage {
            Stage::Taken => own.open.then_some(Stage::Served),
            Stage::Served => match own.step {
                Step::Calls(call) => self.serve_call(process, call),
                _ => return false,
            },
            Stage::Swaps => {
                self.swap(process);
                None
            }
            Stage::Acts(act, acting) => self.go_on_acting(process, act, acting, world),
            Stage::Noted(cause, address) => {
                (!own.changes()).then_some(Stage::Judged(cause, address))
            }
            Stage::Judged(..) => return false,
            Stage::Changes(Piece::Works(_)) if self.forgets(process).is_some() => return false,
            Stage::Changes(piece) => self.work(process, piece).map(Stage::Changes),
            Stage::Settles => {
                let restarts = schedule.restarts[process];
                let status = if restarts { Status::Restarting } else { Status::Faulted };
                self.note_own(process, status);
                None
            }
        };
        self.serving = next.map(|stage| (process, stage));
        true
    }

    /// Returns the next stage of a call; `None` if it is over.
    fn serve_call(&mut self, process: usize, call: Words) -> Option<Stage> {
        let own = &mut self.processes[process];
        let answer = match call {
            [0, 0 | 1, ..] => return self.yield_(process, call),
            [0, 2, driver, number, _] => {
                let wanted = upcall(driver, number);
                match own.take_of(wanted) {
                    Some(due) => own.step = Step::Over(told(due, call)),
                    None => self.wait(process, Waiting::One(wanted), call),
                }
                return None;
            }
            // TRD 104: an invalid identifier returns at once.
            [0, ..] => Answer::Nothing,
            [1, ..] => return self.subscribe(process, call),
            [2, BELL, ACTS, word, _] => {
                return Act::of(word).map(|act| Stage::Acts(act, Acting::Before));
            }
            [2, BELL, command, first, second] => of_bell(command, first, second),
            [2, DESK, 0, ..] => Answer::Success,
            [2, DESK, ..] => Answer::Failure(NO_SUPPORT),
            [2, ..] => Answer::Failure(NO_DEVICE),
            [3, ..] => own.allow(call, Kind::ReadWrite),
            [4, ..] => own.allow(call, Kind::ReadOnly),
            [7, ..] => own.allow(call, Kind::Readable),
            [5, operation, argument, ..] => own.memory(operation, argument),
            [6, 0, code, ..] => {
                self.note_own(process, Status::Exited(code));
                return None;
            }
            [6, 1, ..] => {
                self.note_own(process, Status::Restarting);
                return None;
            }
            [6, ..] => Answer::Failure(NO_SUPPORT),
            _ => return Some(Stage::Judged(CALL, 0)),
        };
        own.answer(call, answer);
        None
    }

    /// Runs the first due upcall that has a function. Upcalls without a function are dropped, one
    /// after the other. If there is none, waits if the call is to wait.
    fn yield_(&mut self, process: usize, call: Words) -> Option<Stage> {
        let own = &mut self.processes[process];
        let [_, waits, flag, ..] = call;
        match own.take_first() {
            Some(due) if own.subscribed[due.upcall].0 == 0 => return Some(Stage::Served),
            Some(due) => {
                own.run(due);
                own.set_flag(waits == 0, flag, 1);
            }
            None if waits == 1 => self.wait(process, Waiting::Any, call),
            None => {
                own.set_flag(true, flag, 0);
                own.answer(call, Answer::Nothing);
            }
        }
        None
    }

    /// Drops the due upcalls of the old function, one after the other.
    fn subscribe(&mut self, process: usize, call: Words) -> Option<Stage> {
        let own = &mut self.processes[process];
        let [_, driver, number, function, data] = call;
        let refused = if function != 0 && !own.may_lend(function, 4) {
            INVALID
        } else if ![DESK, BELL].contains(&driver) {
            NO_DEVICE
        } else if let Some(upcall) = upcall(driver, number) {
            let dropped = own.take_of(Some(upcall)).is_some();
            // Behind each one, the process makes its call again: more urgent threads come first.
            return (!dropped).then_some(Stage::Swaps);
        } else {
            NO_SUPPORT
        };
        own.answer(call, Answer::FailureWords(refused, function, data));
        None
    }

    fn swap(&mut self, process: usize) {
        let own = &mut self.processes[process];
        let Step::Calls(call) = own.step else { return };
        let [_, driver, number, function, data] = call;
        if let Some(upcall) = upcall(driver, number) {
            let (before, with) = std::mem::replace(&mut own.subscribed[upcall], (function, data));
            own.answer(call, Answer::Words(before, with));
        }
    }

    /// A command does an act.
    fn go_on_acting(
        &mut self,
        process: usize,
        act: Act,
        acting: Acting,
        world: &World,
    ) -> Option<Stage> {
        if let Some(acting) = self.step_act(act, acting, world) {
            return Some(Stage::Acts(act, acting));
        }
        let own = &mut self.processes[process];
        if let (Step::Calls(call), Some([first, second, third])) = (own.step, acting.result()) {
            own.answer(call, Answer::ThreeWords(first, second, third));
        }
        None
    }

    /// Returns the entry of a process by its call, or of the judgement.
    pub(super) fn tells(&self, process: usize, stage: Stage) -> Option<Entry> {
        if let Stage::Changes(Piece::Works(_)) = stage {
            return self.forgets(process);
        }
        let own = &self.processes[process];
        let (what, [r0, r1, r2, r3], last) = match (stage, own.step) {
            (Stage::Served, Step::Begins) => (BEGUN, [0; 4], 0),
            (Stage::Served, Step::Over(registers)) => (OVER, registers, own.flag),
            (Stage::Served, Step::Heard(function, registers)) => (HEARD, registers, function),
            (Stage::Judged(cause, address), _) => (FAULT, [cause, address, 0, 0], 0),
            _ => return None,
        };
        Some(Entry { context: process, what, words: [r0, r1, r2, r3, last] })
    }

    /// Behind that.
    pub(super) fn told(&mut self, process: usize, stage: Stage, schedule: &Schedule) {
        let own = &mut self.processes[process];
        if let Stage::Changes(_) = stage {
            return self.forgot(process);
        }
        if let Stage::Judged(..) = stage {
            own.close();
            self.serving = Some((process, Stage::Settles));
            return;
        }
        self.serving = None;
        match own.step {
            Step::Begins => {
                own.known = true;
                own.break_ = own.place.used;
                own.take_call(&schedule.calls[process]);
            }
            Step::Over(_) => match own.within.pop() {
                Some(registers) => own.step = Step::Over(registers),
                None => own.take_call(&schedule.calls[process]),
            },
            // The second function makes a call of its own.
            Step::Heard(1, registers) => {
                own.within.push(registers);
                own.take_call(&schedule.calls[process]);
            }
            Step::Heard(_, registers) => own.step = Step::Over(registers),
            Step::Calls(_) | Step::Waits(_) => {}
        }
    }
}

impl Process {
    /// The next call of the script.
    fn take_call(&mut self, script: &[Call]) {
        let call = script.get(self.position);
        self.position += usize::from(call.is_some());
        let words = call.map_or(END, |call| call.words(&self.place));
        self.flag = UNTOUCHED;
        self.step = Step::Calls(words);
    }

    /// Ends a call with this answer.
    fn answer(&mut self, call: Words, answer: Answer) {
        self.step = Step::Over(answer.registers(call));
    }
}
