//! The specification of the acts of threads, interrupts, idle and commands on processes.

use super::super::call::Act;
use super::super::layout::{BEHIND, COPIED, PROCESSES, UPCALLS};
use super::super::schedule::{IDLE, Schedule, THREAD};
use super::life::{ENDED, NOT_STOPPED, STOPPED};
use super::{State, Status, Waiting, World};

/// The progress of an act.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Acting {
    Before,
    /// A process has got the object of its wait. It becomes ready next.
    Wakes(usize),
    Result([u32; 3]),
}

/// The result of an act on a process that has not begun, or that doesn't exist.
const UNKNOWN: u32 = 100;

impl Acting {
    /// Returns the act's result.
    pub(super) const fn result(self) -> Option<[u32; 3]> {
        if let Self::Result(result) = self { Some(result) } else { None }
    }

    const fn one(result: u32) -> Self {
        Self::Result([result, 0, 0])
    }
}

impl State {
    /// A step of the innermost interrupt.
    pub(super) fn step_handler(&mut self, world: &World) -> bool {
        let Some(handler) = self.handlers.last() else { return false };
        let (act, acting) = (handler.act, handler.acting);
        let Some(acting) = self.step_act(act, acting, world) else { return false };
        if let Some(handler) = self.handlers.last_mut() {
            handler.acting = acting;
        }
        true
    }

    /// A step of a thread, or of idle.
    pub(super) fn step_thread(
        &mut self,
        thread: usize,
        schedule: &Schedule,
        world: &World,
    ) -> bool {
        let own = &self.threads[thread - THREAD];
        let (position, acting) = (own.position, own.acting);
        let Some(act) = schedule.acts[thread].get(position) else {
            return thread != IDLE && self.end_thread(thread);
        };
        let acted = match (act, acting) {
            (Act::Park, Acting::Before) if thread != IDLE => Some(self.park(thread)),
            (Act::Yield, Acting::Before) if thread != IDLE => Some(self.pass(thread)),
            _ => self.step_act(*act, acting, world),
        };
        let Some(acted) = acted else { return false };
        self.threads[thread - THREAD].acting = acted;
        true
    }

    fn end_thread(&mut self, thread: usize) -> bool {
        self.unready(thread);
        self.threads[thread - THREAD].ended = true;
        true
    }

    /// Waits for a notification, unless one has come.
    fn park(&mut self, thread: usize) -> Acting {
        let own = &mut self.threads[thread - THREAD];
        if !std::mem::take(&mut own.notified) {
            own.parked = true;
            self.unready(thread);
        }
        Acting::one(0)
    }

    /// Lets equals run.
    fn pass(&mut self, thread: usize) -> Acting {
        self.unready(thread);
        self.ready(thread);
        Acting::one(0)
    }

    fn unpark(&mut self, thread: usize) {
        let own = &mut self.threads[thread];
        if std::mem::take(&mut own.parked) {
            self.ready(THREAD + thread);
        } else {
            own.notified = !own.ended;
        }
    }

    /// Does a step of an act; `None` if the act is over.
    pub(super) fn step_act(&mut self, act: Act, acting: Acting, world: &World) -> Option<Acting> {
        match acting {
            Acting::Before => Some(self.act(act, world)),
            Acting::Wakes(process) => {
                self.wake(process);
                Some(Acting::one(0))
            }
            Acting::Result(_) => None,
        }
    }

    /// The effect of an act.
    fn act(&mut self, act: Act, world: &World) -> Acting {
        match act {
            Act::Ring { process, upcall, byte } => self.ring(process.into(), upcall.into(), byte),
            Act::Stop(process) => Acting::one(self.stop(process.into())),
            Act::Start(process) => Acting::one(self.start(process.into())),
            Act::Terminate(process) => Acting::one(self.terminate(process.into())),
            Act::Restart(process) => Acting::one(self.restart(process.into())),
            Act::Look(process) => Acting::Result(self.look(process.into())),
            Act::Length(process, buffer) => Acting::one(self.length(process.into(), buffer.into())),
            Act::Unpark(thread) => {
                self.unpark(thread.into());
                Acting::one(0)
            }
            Act::Fill { process, buffer, byte } => {
                Acting::one(self.fill(process.into(), buffer.into(), byte))
            }
            Act::Read(process, buffer) => {
                Acting::Result(self.read(process.into(), buffer.into(), world))
            }
            Act::Park | Act::Yield => Acting::one(UNKNOWN),
        }
    }

    /// Lets an upcall become due.
    fn ring(&mut self, process: usize, upcall: usize, byte: u8) -> Acting {
        const NO_SUPPORT: u32 = 10;
        if !self.processes[process].known {
            return Acting::one(UNKNOWN);
        }
        if upcall >= UPCALLS {
            return Acting::one(NO_SUPPORT);
        }
        let word = u32::from(byte);
        match self.schedule(process, upcall, [word, word << 8, !word]) {
            Ok(true) => Acting::Wakes(process),
            Ok(false) => Acting::one(0),
            Err(error) => Acting::one(error),
        }
    }

    fn stop(&mut self, process: usize) -> u32 {
        let own = &mut self.processes[process];
        if !own.is_active() {
            return ENDED;
        }
        if std::mem::replace(&mut own.stopped, true) {
            return STOPPED;
        }
        // A process that changes is suspended when it begins.
        if !own.changes() {
            self.suspend(process);
        }
        0
    }

    fn start(&mut self, process: usize) -> u32 {
        let own = &mut self.processes[process];
        if !own.is_active() {
            return ENDED;
        }
        if !std::mem::take(&mut own.stopped) {
            return NOT_STOPPED;
        }
        if own.status == Status::Alive && !own.changes() {
            self.resume(process);
        }
        0
    }

    /// Returns the state of a process.
    pub(super) fn look(&self, process: usize) -> [u32; 3] {
        let own = &self.processes[process];
        let status = match own.status {
            Status::Alive => 1,
            Status::Exited(code) => 2 | code << 8,
            Status::Faulted => 3,
            Status::Terminated => 4,
            Status::Restarting => 5,
        };
        let waits = matches!(own.waiting, Waiting::Any | Waiting::One(_));
        let marks = u32::from(waits) | u32::from(own.stopped) << 1;
        [status, marks, own.restarts | own.dropped << 16]
    }

    /// Returns the bytes of a lent buffer.
    pub(super) fn length(&self, process: usize, buffer: usize) -> u32 {
        let own = &self.processes[process];
        if own.known { own.lent[buffer].1 } else { UNKNOWN }
    }

    /// Returns the copied part of a buffer: its beginning, and its bytes.
    fn copied(&self, process: usize, buffer: usize) -> Option<(u32, u32)> {
        let own = &self.processes[process];
        let (address, size) = own.lent[buffer];
        own.known.then(|| (address.wrapping_add(BEHIND), size.saturating_sub(BEHIND).min(COPIED)))
    }

    /// Writes to a buffer.
    fn fill(&mut self, process: usize, buffer: usize, byte: u8) -> u32 {
        let Some((address, count)) = self.copied(process, buffer) else { return UNKNOWN };
        let own = &mut self.processes[process];
        (address..address.wrapping_add(count)).for_each(|address| own.put(address, byte));
        count
    }

    /// Reads from a buffer.
    fn read(&self, process: usize, buffer: usize, world: &World) -> [u32; 3] {
        let Some((address, count)) = self.copied(process, buffer) else { return [UNKNOWN, 0, 0] };
        let mut bytes = [0; COPIED as usize];
        for (byte, address) in bytes.iter_mut().zip(address..address.wrapping_add(count)) {
            let in_flash = address.wrapping_sub(world.layout[process].flash.0) as usize;
            *byte = match world.flash[process].get(in_flash) {
                Some(byte) => *byte,
                None => self.processes[process].byte(address),
            };
        }
        let word = |at: usize| u32::from_le_bytes([0, 1, 2, 3].map(|byte| bytes[at + byte]));
        [count, word(0), word(12)]
    }

    /// The acts of the last interrupt, which reads the states.
    pub fn last_looks() -> Vec<Act> {
        let processes = 0..PROCESSES as u8;
        let looks = processes.clone().map(Act::Look);
        let lengths = processes.flat_map(|process| [0, 2, 4].map(|of| Act::Length(process, of)));
        looks.chain(lengths).collect()
    }

    /// Returns the result of one of these.
    pub fn last_look(&self, act: Act) -> Option<[u32; 3]> {
        match act {
            Act::Look(process) => Some(self.look(process.into())),
            Act::Length(process, of) => Some([self.length(process.into(), of.into()), 0, 0]),
            _ => None,
        }
    }
}
