//! The specification of lives: stopped and started, ended, and begun anew.

use super::super::layout::PROCESSES;
use super::{Entry, FORGOT, Fixed, Process, State, Status, Step, Waiting};

/// The process has ended; it is stopped already; it isn't stopped.
pub(super) const ENDED: u32 = 2;
pub(super) const STOPPED: u32 = 3;
pub(super) const NOT_STOPPED: u32 = 4;

/// The next change of a process's life.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Change {
    None,
    End,
    /// The process starts again: by its own wish, the policy's, or another context's.
    Restart,
    Anew,
    Begin,
}

/// The progress of the switch with the change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Doing {
    Looks,
    /// Takes away the process's things, one after the other.
    Forgets(Change, usize),
    Finishes(Change),
}

/// The size of the frame with which a process begins, in bytes.
const FRAME: u32 = 32;
/// Behind so many things that are taken away, the first driver forgets the process.
const FORGETS: usize = 9;
/// The number of things, with those of the second driver.
const THINGS: usize = 11;

impl Process {
    pub(super) fn new(place: Fixed) -> Self {
        Self {
            place,
            status: Status::Alive,
            restarts: 0,
            step: Step::Begins,
            position: 0,
            within: Vec::new(),
            known: false,
            open: true,
            change: Change::None,
            stopped: false,
            suspended: false,
            held_ready: false,
            waiting: Waiting::Nothing,
            subscribed: Default::default(),
            lent: Default::default(),
            due: Vec::new(),
            dropped: 0,
            break_: place.memory.0 + FRAME,
            lent_to: place.memory.0 + FRAME,
            memory: Default::default(),
            flag: 0,
        }
    }

    /// Returns `true` if the process runs, or will by itself.
    pub(super) const fn is_active(&self) -> bool {
        matches!(self.status, Status::Alive | Status::Restarting)
    }

    /// Returns `true` if a change of the process's life is due.
    pub(super) fn changes(&self) -> bool {
        self.change != Change::None
    }

    /// Stops serving the process's calls, and ends its waits.
    pub(super) fn close(&mut self) {
        self.open = false;
        self.waiting = Waiting::Nothing;
    }

    /// Takes away one of the process's things.
    fn take_away(&mut self, thing: usize) {
        match thing {
            0 => {
                self.due.clear();
                self.dropped = 0;
            }
            1..4 => self.subscribed[thing - 1] = (0, 0),
            4..9 => self.lent[thing - 4] = (0, 0),
            9 => self.subscribed[3] = (0, 0),
            _ => self.lent[5] = (0, 0),
        }
    }
}

impl State {
    pub(super) fn suspend(&mut self, process: usize) {
        if !self.processes[process].suspended {
            let was_ready = self.unready(process);
            let own = &mut self.processes[process];
            (own.suspended, own.held_ready) = (true, was_ready);
        }
    }

    pub(super) fn resume(&mut self, process: usize) {
        let own = &mut self.processes[process];
        if std::mem::take(&mut own.suspended) && std::mem::take(&mut own.held_ready) {
            self.ready(process);
        }
    }

    pub(super) fn terminate(&mut self, process: usize) -> u32 {
        let own = &mut self.processes[process];
        if !own.is_active() {
            return ENDED;
        }
        own.stopped = false;
        self.note(process, Status::Terminated, Change::End);
        0
    }

    pub(super) fn restart(&mut self, process: usize) -> u32 {
        self.processes[process].stopped = false;
        self.note(process, Status::Restarting, Change::Anew);
        0
    }

    /// The process ends, or starts again, by its own act, unless another change is due.
    pub(super) fn note_own(&mut self, process: usize, status: Status) {
        let own = &self.processes[process];
        if own.status == Status::Alive && !own.changes() {
            let begins = status == Status::Restarting;
            self.note(process, status, if begins { Change::Restart } else { Change::End });
        }
    }

    /// From here on, the process does nothing more.
    fn note(&mut self, process: usize, status: Status, change: Change) {
        let own = &mut self.processes[process];
        (own.status, own.change) = (status, change);
        own.close();
        self.suspend(process);
        self.noted = true;
    }

    /// A step of the switch that changes lives, one process after the other.
    pub(super) fn change(&mut self) -> bool {
        let Some((process, doing)) = self.changing else {
            self.noted = false;
            self.changing = Some((0, Doing::Looks));
            return true;
        };
        let own = &mut self.processes[process];
        let doing = match doing {
            Doing::Looks => match own.change {
                Change::None => {
                    let next = process + 1;
                    self.changing = (next < PROCESSES).then_some((next, Doing::Looks));
                    return true;
                }
                Change::Begin => Doing::Finishes(Change::Begin),
                change => Doing::Forgets(change, 0),
            },
            Doing::Forgets(change, THINGS) => Doing::Finishes(change),
            Doing::Forgets(change, thing) => {
                // An entry shows this step.
                if thing == FORGETS {
                    return false;
                }
                own.take_away(thing);
                Doing::Forgets(change, thing + 1)
            }
            Doing::Finishes(change) => {
                if own.change == change {
                    self.finish(process, change);
                }
                Doing::Looks
            }
        };
        self.changing = Some((process, doing));
        true
    }

    /// Nothing else was noted meanwhile.
    fn finish(&mut self, process: usize, change: Change) {
        let own = &mut self.processes[process];
        match change {
            Change::None => {}
            Change::End => {
                own.close();
                own.change = Change::None;
                own.stopped = false;
            }
            Change::Restart | Change::Anew => own.change = Change::Begin,
            Change::Begin => {
                let stopped = own.stopped;
                let Process { place, restarts, position, known, .. } = *own;
                let memory = std::mem::take(&mut own.memory);
                *own = Process { memory, ..Process::new(place) };
                (own.restarts, own.position, own.known) = (restarts + 1, position, known);
                (own.suspended, own.held_ready, own.stopped) = (true, true, stopped);
                if !stopped {
                    self.resume(process);
                }
            }
        }
    }

    /// Returns the entry of the first driver when it forgets a process.
    pub(super) fn forgets(&self) -> Option<Entry> {
        match self.changing {
            Some((process, Doing::Forgets(_, FORGETS))) => {
                let lent = &self.processes[process].lent;
                let words = std::array::from_fn(|buffer| lent[buffer].1);
                Some(Entry { context: process, what: FORGOT, words })
            }
            _ => None,
        }
    }

    /// Behind that.
    pub(super) fn forgot(&mut self) {
        if let Some((process, Doing::Forgets(change, thing))) = self.changing {
            self.processes[process].take_away(thing);
            self.changing = Some((process, Doing::Forgets(change, thing + 1)));
        }
    }
}
