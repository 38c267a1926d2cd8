//! Upcalls: functions of a process that drivers ask for, and that it runs when it yields.
//!
//! They are queued with a bound, and delivered one by one: the frame of the call in which the
//! process yields becomes that of a call of its function, which returns to behind the yield. So no
//! upcall runs within another one unless the process yields there.

#![expect(unsafe_code, reason = "the frames of processes that wait are written")]

use ::core::cell::Cell;
use ::core::ptr;

use super::record::{CALL, Process, Status};
use crate::arch::process::{Frame, THUMB};
use crate::core::lock::{KernelLock, kernel};

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
    #[inline(always)]
    pub(super) fn is_of(&self, upcall: *const Upcall) -> bool {
        ptr::eq(self.upcall, upcall)
    }
}

/// A place for an upcall that is due.
#[derive(Debug)]
pub struct Place(Cell<Due>);

// SAFETY: touched under the kernel's lock.
unsafe impl Sync for Place {}

impl Place {
    /// With nothing that is due.
    pub(super) const fn new() -> Self {
        Self(Cell::new(Due { upcall: &NOBODYS, arguments: [0; 3] }))
    }
}

/// Those of a process that are due, the first first: a ring.
///
/// Jobs append, under the kernel's lock. Only what the process itself calls takes any out, and
/// nothing of two calls happens at once. So there the places that are taken can be looked at and
/// moved without the lock; it is needed where their number changes.
#[derive(Debug)]
pub struct Queue {
    places: &'static [Place],
    /// Where the first is.
    first: Cell<u8>,
    /// How many there are.
    count: Cell<u8>,
    /// How many had no room, up to 255.
    dropped: Cell<u8>,
}

impl Process {
    /// Notes an upcall that it doesn't wait for. Whether there was room; for one that has ended
    /// there always is, as nothing is noted.
    #[inline(always)]
    fn note(&self, due: &Due, lock: &KernelLock<'_>) -> bool {
        self.standing() != Status::Alive || self.upcalls.push(due, lock)
    }
}

impl Queue {
    pub(super) const fn new(places: &'static [Place]) -> Self {
        Self { places, first: Cell::new(0), count: Cell::new(0), dropped: Cell::new(0) }
    }

    /// The place `distance` behind the first; as many as there are at most.
    #[inline(always)]
    fn place(&self, distance: u8) -> &Cell<Due> {
        let index = usize::from(self.first.get()) + usize::from(distance);
        let beyond = index.wrapping_sub(self.places.len());
        &self.places[if index < self.places.len() { index } else { beyond }].0
    }

    /// Appends one. Whether there was room.
    #[inline(always)]
    fn push(&self, due: &Due, _lock: &KernelLock<'_>) -> bool {
        let count = self.count.get();
        if usize::from(count) >= self.places.len() {
            self.dropped.set(self.dropped.get().saturating_add(1));
            return false;
        }
        self.place(count).set(*due);
        self.count.set(count + 1);
        true
    }

    /// How many are due. More come as soon as the lock is released.
    pub(super) const fn len(&self, _lock: &KernelLock<'_>) -> u8 {
        self.count.get()
    }

    /// Gives the first place up, of which there is one.
    fn drop_first(&self, _lock: &KernelLock<'_>) {
        let next = self.first.get() + 1;
        self.first.set(if usize::from(next) == self.places.len() { 0 } else { next });
        self.count.set(self.count.get() - 1);
    }

    /// Takes the first of this upcall out, in a call of the process. Or says how many there were.
    /// The lock is held for the number of them only.
    pub(super) fn take(&self, upcall: &Upcall) -> Result<Due, u8> {
        let count = kernel(|lock| self.len(lock));
        let found = (0..count).find(|&distance| self.place(distance).get().is_of(upcall));
        let Some(found) = found else { return Err(count) };
        let due = self.place(found).get();
        // Those before it move up.
        for distance in (0..found).rev() {
            self.place(distance + 1).set(self.place(distance).get());
        }
        kernel(|lock| self.drop_first(lock));
        Ok(due)
    }

    /// Drops all of this upcall, in a call of the process.
    #[inline(always)]
    pub(super) fn drop_all_of(&self, upcall: &Upcall) {
        if self.count.get() > 0 {
            self.drop_some(upcall);
        }
    }

    #[cold]
    #[inline(never)]
    fn drop_some(&self, upcall: &Upcall) {
        while self.take(upcall).is_ok() {}
    }

    /// Drops all.
    pub(super) fn clear(&self, _lock: &KernelLock<'_>) {
        self.count.set(0);
        self.dropped.set(0);
    }

    /// How many had no room since, up to 255.
    pub(super) const fn dropped(&self) -> u8 {
        self.dropped.get()
    }
}

/// Makes an upcall due, or delivers it at once to a process that waits for it. Whether there was
/// room. Nothing, unless it `may`. Two short sections: in the first the frame is written, in the
/// second the process becomes ready.
#[inline(always)]
pub fn schedule(process: &'static Process, due: &Due, may: impl Fn() -> bool) -> bool {
    let outcome = kernel(|lock| {
        if !may() {
            return Outcome::Noted(true);
        }
        let (function, data) = (due.upcall.function.get(), due.upcall.data.get());
        let wanted = process.waiting.get();
        // SAFETY: it waits there, within its memory.
        let frame = || unsafe { &mut *process.frame() };
        if ptr::eq(wanted, process.any()) && function != 0 {
            call(frame(), due.arguments, function, data);
        } else if due.is_of(wanted) {
            frame().registers[..3].copy_from_slice(&due.arguments);
        } else {
            return Outcome::Noted(process.note(due, lock));
        }
        process.waiting.set(Process::delivered());
        Outcome::Delivered
    });
    outcome.end(process)
}

/// The same of a notice, which tells of a buffer: that is looked up, and opened, in a call of the
/// process. So one that waits for it makes its call once more, and finds it due.
pub fn schedule_notice(process: &'static Process, due: &Due) -> bool {
    let outcome = kernel(|lock| {
        let wanted = process.waiting.get();
        let is_any = ptr::eq(wanted, process.any()) && due.upcall.function.get() != 0;
        let is_wanted = is_any || due.is_of(wanted);
        let is_noted = process.note(due, lock);
        if !(is_noted && is_wanted) {
            return Outcome::Noted(is_noted);
        }
        // SAFETY: it waits there, within its memory.
        let frame = unsafe { &mut *process.frame() };
        // A driver may have written there, if the process has lent it: then that goes on anywhere.
        frame.pc = frame.pc.wrapping_sub(CALL);
        process.waiting.set(Process::delivered());
        Outcome::Delivered
    });
    outcome.end(process)
}

/// What became of an upcall.
enum Outcome {
    /// It is due, if there was room.
    Noted(bool),
    /// The process has it, or is about to find it.
    Delivered,
}

impl Outcome {
    /// Lets the process run that waited for it. Whether there was room.
    #[inline(always)]
    fn end(self, process: &'static Process) -> bool {
        match self {
            Self::Noted(has_room) => has_room,
            Self::Delivered => {
                process.wake();
                true
            }
        }
    }
}

/// Delivers the first that is due and has a function, in a call of the process. Whether there was
/// one. If there is none, does this in the section of the kernel's lock that has found none. Those
/// without a function are dropped: they can only be waited for.
pub fn deliver_or(
    process: &Process,
    frame: &mut Frame,
    otherwise: impl Fn(&KernelLock<'_>),
) -> bool {
    let queue = &process.upcalls;
    loop {
        let first = kernel(|lock| {
            if queue.len(lock) == 0 {
                otherwise(lock);
                return None;
            }
            let first = queue.place(0).get();
            queue.drop_first(lock);
            Some(first)
        });
        let Some(due) = first else { return false };
        let (function, data) = (due.upcall.function.get(), due.upcall.data.get());
        if function != 0 {
            call(frame, process.arguments_of(&due), function, data);
            return true;
        }
    }
}

/// Makes the frame of a yield that of a call of `function`.
#[inline(always)]
const fn call(frame: &mut Frame, [first, second, third]: [u32; 3], function: u32, data: u32) {
    frame.registers = [first, second, third, data];
    frame.lr = frame.pc | 1;
    frame.pc = function & !1;
    // No flags, nothing of an interrupted instruction; whether the frame was aligned stays.
    frame.xpsr = frame.xpsr & 1 << 9 | THUMB;
}

/// Says in the frame of a yield what the upcall that it is for says.
pub fn tell(process: &Process, frame: &mut Frame, due: &Due) {
    frame.registers[..3].copy_from_slice(&process.arguments_of(due));
}
