//! Upcalls: a driver makes a function of a process due, and the process runs the function when it
//! yields.
//!
//! Due upcalls wait in a queue of limited size, and are delivered one by one. The frame of the call
//! in which the process yields becomes the frame of a call of the function, which returns to the
//! instruction after the yield. So an upcall runs within another one only if the process yields
//! there.

#![expect(unsafe_code, reason = "the frames of processes that wait are written")]

use ::core::cell::Cell;
use ::core::ptr;

use super::notice::Notice;
use super::record::{Process, Status};
use crate::arch::process::Frame;
use crate::core::lock::{KernelLock, kernel};

/// A subscription of a process: a function, null for none, and the function's argument.
#[derive(Debug, Default)]
pub struct Upcall {
    pub(super) function: Cell<u32>,
    pub(super) data: Cell<u32>,
}

// SAFETY: written in SVCall and read in jobs, under the kernel's lock.
unsafe impl Sync for Upcall {}

impl Upcall {
    /// Makes a subscription without a function.
    pub(super) const fn none() -> Self {
        Self { function: Cell::new(0), data: Cell::new(0) }
    }
}

/// An upcall that is due.
#[derive(Clone, Copy, Debug)]
pub struct Due {
    /// The subscription, which may have no function yet.
    pub(super) upcall: &'static Upcall,
    /// The words for the function.
    pub(super) arguments: [u32; 3],
}

/// Stands for an upcall that doesn't exist: it is never due.
pub static NOBODYS: Upcall = Upcall::none();
impl Due {
    /// Returns `true` if this is a call of `upcall`.
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
    /// Makes a place without a due upcall.
    pub(super) const fn new() -> Self {
        Self(Cell::new(Due { upcall: &NOBODYS, arguments: [0; 3] }))
    }
}

/// The due upcalls of a process, oldest first: a ring.
///
/// Jobs append, under the kernel's lock. Only calls of the process itself take upcalls out, and a
/// process makes one call at a time. So such a call can read and move the taken places without the
/// lock, and needs the lock only to change their number.
#[derive(Debug)]
#[repr(C)]
pub struct Queue {
    places: &'static [Place],
    /// The index of the first.
    first: Cell<u8>,
    /// The number of due upcalls. The assembly of a yield reads it.
    pub(super) count: Cell<u8>,
    /// The number of upcalls without room, up to 255.
    dropped: Cell<u8>,
    /// The number of first places in which the present call has not found its upcall.
    looked_at: Cell<u8>,
}

/// The number of places that one call looks at, at most.
const PLACES: u8 = 3;
/// The number of places by which one call moves an upcall ahead, at most.
const AHEAD: u8 = 1;
/// The number of upcalls and notices without a function that one call drops at most.
const DROPPED: u8 = 2;

/// The result of looking for an upcall.
pub enum Taken {
    /// The upcall, which was due.
    One(Due),
    /// The upcall isn't among so many due ones.
    Nothing(u8),
    /// A part of the work is done: the call must come again.
    Part,
}

/// The result of a yield.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Yielded {
    /// The process runs an upcall's function.
    Called,
    /// No upcall was due.
    Nothing,
    /// Upcalls or notices without a function were dropped: the call must come again.
    Part,
}

impl Process {
    /// Notes an upcall that the process doesn't wait for. Returns `true` if there was room. If the
    /// process has ended, notes nothing and returns `true`.
    #[inline(always)]
    fn note(&self, due: &Due, lock: &KernelLock<'_>) -> bool {
        self.standing() != Status::Alive || self.upcalls.push(due, lock)
    }
}

impl Queue {
    pub(super) const fn new(places: &'static [Place]) -> Self {
        Self {
            places,
            first: Cell::new(0),
            count: Cell::new(0),
            dropped: Cell::new(0),
            looked_at: Cell::new(0),
        }
    }

    /// Returns the place `distance` behind the first. `distance` is at most the number of places.
    #[inline(always)]
    fn place(&self, distance: u8) -> &Cell<Due> {
        let index = usize::from(self.first.get()) + usize::from(distance);
        let beyond = index.wrapping_sub(self.places.len());
        &self.places[if index < self.places.len() { index } else { beyond }].0
    }

    /// Appends an upcall. Returns `true` if there was room.
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

    /// Returns the number of due upcalls. More may come as soon as the lock is released.
    pub(super) const fn len(&self, _lock: &KernelLock<'_>) -> u8 {
        self.count.get()
    }

    /// Drops the first upcall, which exists.
    fn drop_first(&self, _lock: &KernelLock<'_>) {
        let next = self.first.get() + 1;
        self.first.set(if usize::from(next) == self.places.len() { 0 } else { next });
        self.count.set(self.count.get() - 1);
    }

    /// Takes the first call of `upcall` out, in a call of the process, or does a part of this work:
    /// then the process must make its call again. Holds the lock only for the number of upcalls.
    ///
    /// A part looks at a few places. If one of them has the upcall, the part moves the upcall ahead
    /// by a place, and the one that it passes moves up. So the queue is complete between two parts.
    pub(super) fn take(&self, upcall: &Upcall) -> Taken {
        let count = kernel(|lock| self.len(lock));
        let from = self.looked_at.replace(0);
        let to = from.saturating_add(PLACES).min(count);
        let found = (from..to).find(|&distance| self.place(distance).get().is_of(upcall));
        let Some(found) = found else {
            if to >= count {
                return Taken::Nothing(count);
            }
            self.looked_at.set(to);
            return Taken::Part;
        };
        let due = self.place(found).get();
        let ahead = found.saturating_sub(AHEAD);
        for distance in (ahead..found).rev() {
            self.place(distance + 1).set(self.place(distance).get());
        }
        if ahead > 0 {
            self.place(ahead).set(due);
            self.looked_at.set(ahead);
            return Taken::Part;
        }
        kernel(|lock| self.drop_first(lock));
        Taken::One(due)
    }

    /// Drops the calls of `upcall`, in a call of the process, or some of them. Returns `true` if
    /// there may be more of them: then the process must make its call again.
    #[inline(always)]
    pub(super) fn drop_some_of(&self, upcall: &Upcall) -> bool {
        self.count.get() > 0 && self.drop_one(upcall)
    }

    #[cold]
    #[inline(never)]
    fn drop_one(&self, upcall: &Upcall) -> bool {
        !matches!(self.take(upcall), Taken::Nothing(_))
    }

    /// Drops all upcalls.
    pub(super) fn clear(&self, _lock: &KernelLock<'_>) {
        self.count.set(0);
        self.looked_at.set(0);
        self.dropped.set(0);
    }

    /// Returns the number of upcalls without room since, up to 255.
    pub(super) const fn dropped(&self) -> u8 {
        self.dropped.get()
    }
}

/// Makes an upcall due, or delivers the upcall at once to a process that waits for it. Returns
/// `true` if there was room. Does nothing unless `may` returns `true`. Takes two short sections:
/// the first writes the frame, and the second makes the process ready.
#[inline(always)]
pub fn schedule(process: &'static Process, due: &Due, may: impl Fn() -> bool) -> bool {
    let outcome = kernel(|lock| {
        if !may() {
            return Outcome::Noted(true);
        }
        let (function, data) = (due.upcall.function.get(), due.upcall.data.get());
        let wanted = process.waiting.get();
        // SAFETY: the process waits there, within its memory.
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

/// The result of an upcall.
pub enum Outcome {
    /// The upcall is due, if there was room.
    Noted(bool),
    /// The process has the upcall, or is about to find it.
    Delivered,
}

impl Outcome {
    /// Makes the process ready that waited for the upcall. Returns `true` if there was room.
    #[inline(always)]
    pub(super) fn end(self, process: &'static Process) -> bool {
        match self {
            Self::Noted(has_room) => has_room,
            Self::Delivered => {
                process.wake();
                true
            }
        }
    }
}

/// Delivers the first due upcall with a function, in a call of the process. If there is none, lets
/// the process wait as `wait` says, in the section of the kernel's lock that has found none.
/// Upcalls without a function are dropped, as a process can only wait for them.
#[inline(never)]
pub fn deliver_or(process: &Process, frame: &mut Frame, wait: Option<*const Upcall>) -> Yielded {
    let queue = &process.upcalls;
    for _ in 0..DROPPED {
        if process.notices.are_due() {
            match process.take_notice() {
                Notice::Call(arguments, function, data) => {
                    call(frame, arguments, function, data);
                    return Yielded::Called;
                }
                Notice::Dropped => continue,
                Notice::None => (),
            }
        }
        let first = kernel(|lock| {
            if queue.len(lock) == 0 {
                if let Some(wait) = wait {
                    process.wait(wait, lock);
                }
                return None;
            }
            let first = queue.place(0).get();
            queue.drop_first(lock);
            Some(first)
        });
        let Some(due) = first else { return Yielded::Nothing };
        let (function, data) = (due.upcall.function.get(), due.upcall.data.get());
        if function != 0 {
            call(frame, due.arguments, function, data);
            return Yielded::Called;
        }
    }
    Yielded::Part
}

/// Turns the frame of a yield into that of a call of `function`.
#[inline(always)]
pub const fn call(frame: &mut Frame, [first, second, third]: [u32; 3], function: u32, data: u32) {
    frame.call(function, [first, second, third, data]);
}
