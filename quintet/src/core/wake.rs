//! Wakers of levels' jobs: how a [`Waker`] is made, and which facts the kernel reads from a waker.
//!
//! The function table of a waker is the level's, and the data word names the slot:
//!
//! - by the slot's bit, in most levels;
//! - by the address of the slot's flag, in a level of a few slots;
//! - by the slot's number, in a level of more than 32 slots;
//! - by the level's address, in a level with one slot. All such levels share their functions.
//!
//! Nothing has to be allocated, counted or freed, and a waker that outlives its task has no effect.
//!
//! All levels of an application lie in one array. A level whose tasks have several priorities has
//! an element for each priority. So when a waker comes back from a library, such as `embassy-time`,
//! the kernel can tell whether the waker is from another executor, and can read its priority and
//! number.

#![expect(unsafe_code, reason = "function tables of wakers are unsafe to build")]

use ::core::mem::size_of_val;
use ::core::ptr;
use ::core::task::{RawWaker, RawWakerVTable, Waker};

pub use crate::arch::Wake;
use crate::arch::{pend, wake_function};
use crate::core::level::One;

#[cfg(not(target_os = "none"))]
pub mod host;

/// The part of a level that wakers need.
#[repr(C)]
pub struct Level {
    /// The functions of the level's wakers. The first field, so that a waker points to its level.
    wakers: RawWakerVTable,
    /// The first flag of the level, if its slots have flags.
    flags: *const One,
    /// The interrupt that [`wake_one`] pends.
    number: u16,
    /// The number of the level's first slot among the slots of all levels.
    first: u16,
    /// The level's priority.
    pub priority: u8,
    /// The form of the wakers' words.
    word: Word,
}

/// The form of a waker's word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Word {
    /// The level's address. The level has one slot.
    Level,
    /// The address of the slot's flag.
    Flag,
    /// The slot's bit.
    Bit,
    /// The slot's number.
    Number,
}

// SAFETY: the flags are those of a static, and are shared.
unsafe impl Sync for Level {}

impl Level {
    /// Makes a level of `priority` whose slots are numbered from `first` on. Wakers name a slot by
    /// its number if the level is `wide`, and by its bit otherwise.
    ///
    /// `clone` returns the waker of this level with the same word.
    #[must_use]
    pub const fn new(
        priority: u8,
        first: u16,
        wide: bool,
        clone: unsafe fn(*const ()) -> RawWaker,
        wake: Wake,
    ) -> Self {
        let wake = wake_function(wake);
        let wakers = RawWakerVTable::new(clone, wake, wake, forget);
        let word = if wide { Word::Number } else { Word::Bit };
        Self { wakers, flags: ptr::null(), number: 0, first, priority, word }
    }

    /// Makes a level of `priority` whose slots are numbered from `first` on, and have these flags.
    #[must_use]
    pub const fn of_few(
        priority: u8,
        first: u16,
        flags: &'static [One],
        clone: unsafe fn(*const ()) -> RawWaker,
        wake: Wake,
    ) -> Self {
        let wake = wake_function(wake);
        let wakers = RawWakerVTable::new(clone, wake, wake, forget);
        Self { wakers, flags: flags.as_ptr(), number: 0, first, priority, word: Word::Flag }
    }

    /// Makes a level of `priority` with one slot, whose number is `first`. The level's interrupt is
    /// `number`.
    #[must_use]
    pub const fn of_one(priority: u8, first: u16, only: &'static One, number: u16) -> Self {
        let wakers = RawWakerVTable::new(clone_one, wake_one, wake_one, forget);
        Self { wakers, flags: only, number, first, priority, word: Word::Level }
    }

    /// Makes a level with one slot that `wake` makes ready. `wake` needs no word.
    #[must_use]
    pub const fn of_one_by(priority: u8, first: u16, only: &'static One, wake: Wake) -> Self {
        let wake = wake_function(wake);
        let wakers = RawWakerVTable::new(clone_one, wake, wake, forget);
        Self { wakers, flags: only, number: 0, first, priority, word: Word::Level }
    }

    /// Returns the parts of the waker of a slot. If words are bits, `slot` is the slot's bit,
    /// otherwise the slot's number.
    ///
    /// # Safety
    /// The level has the slot.
    #[inline(always)]
    #[must_use]
    pub const unsafe fn raw_waker(&'static self, slot: u32) -> RawWaker {
        let word = match self.word {
            Word::Level => ptr::from_ref(self).cast(),
            // SAFETY: the level has a flag for each slot.
            Word::Flag => unsafe { self.flags.add(slot as usize).cast() },
            Word::Bit | Word::Number => ptr::without_provenance(slot as usize),
        };
        self.with_word(word)
    }

    /// Returns the parts of the waker with this word.
    #[inline(always)]
    #[must_use]
    pub const fn with_word(&'static self, word: *const ()) -> RawWaker {
        RawWaker::new(word, &self.wakers)
    }

    /// Returns the number of the slot whose wakers have this word.
    #[inline(always)]
    fn slot(&self, word: *const ()) -> u32 {
        match self.word {
            Word::Level => 0,
            Word::Flag => (word.addr() - self.flags.addr()) as u32,
            Word::Bit => (word.addr() as u32).leading_zeros(),
            Word::Number => word.addr() as u32,
        }
    }

    /// Returns the waker of a slot, which `slot` names as for [`raw_waker`](Self::raw_waker).
    ///
    /// # Safety
    /// `self` is an element of the application's array, and has the slot.
    #[inline(always)]
    #[must_use]
    pub const unsafe fn waker(&'static self, slot: u32) -> Waker {
        // SAFETY: `wake` is sound from every context and thread, and nothing is owned. The rest is
        // the caller's.
        unsafe { Waker::from_raw(self.raw_waker(slot)) }
    }
}

/// Wakers own nothing.
fn forget(_word: *const ()) {}

/// Returns the waker of the slot of a level with one slot.
unsafe fn clone_one(level: *const ()) -> RawWaker {
    // SAFETY: the word of such a waker is its level's address.
    RawWaker::new(level, unsafe { &(*level.cast::<Level>()).wakers })
}

/// Makes the slot of a level with one slot ready, and pends the level. This function is Rust, not
/// assembly. If the waker is known, the call is inlined, which saves more than the function's frame
/// costs elsewhere.
unsafe fn wake_one(level: *const ()) {
    // SAFETY: the word of such a waker is its level's address, and the level has the address of the
    // slot's flag.
    let (only, number) = unsafe {
        let level = &*level.cast::<Level>();
        (&*level.flags, level.number)
    };
    only.set();
    pend(number);
}

/// A job of the application, as read from its waker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// The job's priority.
    pub priority: u8,
    /// The job's number among all slots of the application.
    pub number: u16,
}

#[cfg(target_os = "none")]
unsafe extern "Rust" {
    /// Returns the levels of the application. The application's expansion defines this function.
    safe fn __quintet_levels() -> &'static [Level];
}

/// Returns the levels of the application.
#[cfg(target_os = "none")]
#[inline(always)]
fn levels() -> &'static [Level] {
    __quintet_levels()
}

/// Returns the levels of tests on the host.
#[cfg(not(target_os = "none"))]
fn levels() -> &'static [Level] {
    &host::LEVELS
}

/// Returns the level of a waker, or `None` if the waker is from another executor.
#[inline(always)]
pub fn level_of(waker: &Waker) -> Option<&'static Level> {
    let levels = levels();
    let offset = ptr::from_ref(waker.vtable()).addr().wrapping_sub(levels.as_ptr().addr());
    if offset >= size_of_val(levels) {
        return None;
    }
    // SAFETY: the offset is within the array, where function tables lie only at the beginning of
    // levels. So no division is needed to find the level.
    Some(unsafe { &*levels.as_ptr().byte_add(offset) })
}

/// Returns the job of a waker, or `None` if the waker is from another executor.
#[must_use]
pub fn slot_of(waker: &Waker) -> Option<Slot> {
    let level = level_of(waker)?;
    let slot = level.slot(waker.data());
    Some(Slot { priority: level.priority, number: level.first + slot as u16 })
}

#[cfg(test)]
mod tests;
