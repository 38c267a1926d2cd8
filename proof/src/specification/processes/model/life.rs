//! The specification of lives: stopped and started, ended, and begun anew.

use super::super::schedule::PRIORITIES;
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
    /// The process starts again: by its own wish, or the policy's.
    Restart,
    /// Another context starts the process again.
    Anew,
}

/// The progress of a piece of the work of a change, which the process is entered for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Piece {
    /// The kernel looks for the change.
    Looks,
    /// Takes things away, one after the other, or ends the change.
    Works(Change),
    /// The process has begun anew, and others of its priority come first.
    Passes,
    /// If the process is stopped, the switch is told.
    Settles,
}

/// The size of the frame with which a process begins, in bytes.
const FRAME: u32 = 32;
/// Behind so many things that are taken away, the first driver forgets the process.
const FORGETS: usize = 9;
/// The number of things: those of both drivers, with what each keeps, and the used memory.
const THINGS: usize = 14;
/// The last thing of each piece. More urgent contexts come behind a piece.
const LAST_OF_PIECES: [usize; 6] = [4, 8, FORGETS, 11, 12, 13];

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
            noted: false,
            taken: 0,
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
            4..=8 => self.lent[thing - 4] = (0, 0),
            10 => self.subscribed[3] = (0, 0),
            11 => self.lent[5] = (0, 0),
            // Drivers forget the process, or memory is taken away, which is done when it begins.
            _ => {}
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

    /// The process ends, or starts again, by its own call, unless another change is due. It stays
    /// ready, unless it is suspended.
    pub(super) fn note_own(&mut self, process: usize, status: Status) {
        let own = &mut self.processes[process];
        if own.status != Status::Alive || own.changes() {
            return;
        }
        let begins = status == Status::Restarting;
        let change = if begins { Change::Restart } else { Change::End };
        if own.suspended {
            return self.note(process, status, change);
        }
        (own.status, own.change, own.taken) = (status, change, 0);
        own.close();
    }

    /// From here on, the process does nothing more.
    fn note(&mut self, process: usize, status: Status, change: Change) {
        let own = &mut self.processes[process];
        (own.status, own.change, own.noted) = (status, change, true);
        own.close();
        self.suspend(process);
    }

    /// Returns `true` if the switch has to begin changes.
    pub(super) fn has_noted(&self) -> bool {
        self.changing.is_some() || self.processes.iter().any(|process| process.noted)
    }

    /// A step of the switch that begins changes, one process after the other.
    pub(super) fn change(&mut self) {
        let Some(process) = self.changing.take() else {
            self.changing = self.processes.iter().position(|process| process.noted);
            if let Some(process) = self.changing {
                self.processes[process].noted = false;
            }
            return;
        };
        let own = &mut self.processes[process];
        if !own.changes() {
            self.settle_stop(process);
        } else if own.suspended {
            // A call that was under way may have let the process wait since.
            own.close();
            // The process is ready from now on, as the first of its priority.
            (own.taken, own.held_ready) = (0, true);
            self.resume(process);
            self.unready(process);
            self.rings[PRIORITIES[process]].push_front(process);
        }
    }

    /// The process may have been stopped or started while it changed.
    fn settle_stop(&mut self, process: usize) {
        let own = &self.processes[process];
        if own.status != Status::Alive {
        } else if own.stopped {
            self.suspend(process);
        } else {
            self.resume(process);
        }
    }

    /// A step of a piece of the work. Returns the next one, or `None` if the piece is over.
    pub(super) fn work(&mut self, process: usize, piece: Piece) -> Option<Piece> {
        let own = &mut self.processes[process];
        match piece {
            // What was noted since is begun by the switch.
            Piece::Looks => (own.changes() && !own.suspended).then_some(Piece::Works(own.change)),
            Piece::Works(_) if own.taken < THINGS => {
                let thing = own.taken;
                own.take_away(thing);
                own.taken += 1;
                (!LAST_OF_PIECES.contains(&thing)).then_some(piece)
            }
            Piece::Works(change) => {
                // Unless another one was noted meanwhile.
                if own.change == change {
                    self.finish(process, change);
                }
                (change != Change::End).then_some(Piece::Passes)
            }
            Piece::Passes => {
                if self.unready(process) {
                    self.ready(process);
                }
                Some(Piece::Settles)
            }
            Piece::Settles => {
                own.noted |= own.stopped;
                None
            }
        }
    }

    /// Ends a change.
    fn finish(&mut self, process: usize, change: Change) {
        let own = &mut self.processes[process];
        if change == Change::End {
            own.change = Change::None;
            own.stopped = false;
            self.unready(process);
            return;
        }
        let Process { place, restarts, position, known, .. } = *own;
        let Process { noted, stopped, suspended, held_ready, .. } = *own;
        let memory = std::mem::take(&mut own.memory);
        *own = Process { memory, noted, stopped, suspended, held_ready, ..Process::new(place) };
        (own.restarts, own.position, own.known) = (restarts + 1, position, known);
    }

    /// Returns the entry of the first driver when it forgets a process.
    pub(super) fn forgets(&self, process: usize) -> Option<Entry> {
        let Process { taken, lent, .. } = &self.processes[process];
        let words = std::array::from_fn(|buffer| lent[buffer].1);
        (*taken == FORGETS).then_some(Entry { context: process, what: FORGOT, words })
    }

    /// Behind that, which was a piece of its own.
    pub(super) fn forgot(&mut self, process: usize) {
        self.processes[process].taken += 1;
        self.serving = None;
    }
}
