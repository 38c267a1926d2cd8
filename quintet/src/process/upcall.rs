//! Upcalls: functions of a process that drivers ask for, and that it runs when it yields.
//!
//! They are queued with a bound, and delivered one by one: the frame of the call in which the
//! process yields becomes that of a call of its function, which returns to behind the yield. So no
//! upcall runs within another one unless the process yields there.

#![expect(unsafe_code, reason = "the frames of processes that wait are written")]

use ::core::cell::Cell;
use ::core::ptr;

use super::record::{Process, Status, Waiting};
use crate::arch::process::{Frame, THUMB};
use crate::core::lock::Kernel;

/// How many upcalls of a process may be due.
pub const QUEUED_MAX: usize = 10;

/// What a process has subscribed to: a function, null for none, and what it is called with.
#[derive(Debug, Default)]
pub struct Upcall {
    pub(super) function: Cell<u32>,
    pub(super) data: Cell<u32>,
}

// SAFETY: written in SVCall and read in jobs, under the kernel's lock.
unsafe impl Sync for Upcall {}

impl Upcall {
    /// Without a function.
    pub(super) const fn none() -> Self {
        Self { function: Cell::new(0), data: Cell::new(0) }
    }
}

/// An upcall that is due.
#[derive(Clone, Copy, Debug)]
pub struct Due {
    /// What was subscribed, or may be.
    pub(super) upcall: &'static Upcall,
    /// What it says.
    pub(super) arguments: [u32; 3],
}

/// In the place of an upcall that there isn't: it never comes.
pub static NOBODYS: Upcall = Upcall::none();

impl Due {
    /// Whether it is of this upcall.
    pub(super) fn is_of(&self, upcall: &Upcall) -> bool {
        ptr::eq(self.upcall, upcall)
    }
}

/// Those of a process that are due, the first first.
#[derive(Debug)]
pub struct Queue {
    due: [Cell<Due>; QUEUED_MAX],
    count: Cell<u8>,
}

impl Queue {
    pub(super) const fn new() -> Self {
        const NOTHING: Due = Due { upcall: &NOBODYS, arguments: [0; 3] };
        Self { due: [const { Cell::new(NOTHING) }; QUEUED_MAX], count: Cell::new(0) }
    }

    fn len(&self) -> usize {
        usize::from(self.count.get())
    }

    /// Appends one. Whether there was room.
    fn push(&self, due: Due, _lock: &Kernel<'_>) -> bool {
        let Some(place) = self.due.get(self.len()) else { return false };
        place.set(due);
        self.count.set(self.count.get() + 1);
        true
    }

    /// Takes the first for which this is true.
    pub(super) fn take(&self, is_it: impl Fn(&Due) -> bool, _lock: &Kernel<'_>) -> Option<Due> {
        let found = (0..self.len()).find(|&index| is_it(&self.due[index].get()))?;
        let taken = self.due[found].get();
        for index in found + 1..self.len() {
            self.due[index - 1].set(self.due[index].get());
        }
        self.count.set(self.count.get() - 1);
        Some(taken)
    }

    /// Drops all.
    pub(super) fn clear(&self, _lock: &Kernel<'_>) {
        self.count.set(0);
    }
}

/// Makes an upcall due, or delivers it at once to a process that waits for it. Whether there was
/// room.
pub fn schedule(process: &Process, due: Due, lock: &Kernel<'_>) -> bool {
    match process.waiting.get() {
        // It has ended.
        _ if process.status() != Status::Alive => true,
        Waiting::One(upcall) if due.is_of(upcall) => {
            // SAFETY: it waits there, within its memory.
            tell(process, unsafe { &mut *process.frame.get() }, &due);
            process.wake(lock);
            true
        }
        Waiting::Upcall if due.upcall.function.get() != 0 => {
            // SAFETY: the same.
            call(process, unsafe { &mut *process.frame.get() }, &due);
            process.wake(lock);
            true
        }
        _ => process.upcalls.push(due, lock),
    }
}

/// Delivers the first that is due and has a function. Whether there was one. Those without are
/// dropped: they can only be waited for.
pub fn deliver(process: &Process, frame: &mut Frame, lock: &Kernel<'_>) -> bool {
    while let Some(due) = process.upcalls.take(|_| true, lock) {
        if due.upcall.function.get() != 0 {
            call(process, frame, &due);
            return true;
        }
    }
    false
}

/// Makes the frame of a yield that of a call.
fn call(process: &Process, frame: &mut Frame, due: &Due) {
    let [first, second, third] = process.arguments_of(due);
    frame.registers = [first, second, third, due.upcall.data.get()];
    frame.lr = frame.pc | 1;
    frame.pc = due.upcall.function.get() & !1;
    // No flags, nothing of an interrupted instruction; whether the frame was aligned stays.
    frame.xpsr = frame.xpsr & 1 << 9 | THUMB;
}

/// Says in the frame of a yield what the upcall that it is for says.
pub fn tell(process: &Process, frame: &mut Frame, due: &Due) {
    frame.registers[..3].copy_from_slice(&process.arguments_of(due));
}
