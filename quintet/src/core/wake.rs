//! Wakers: what a [`Waker`] of a level's job consists of, and what can be read from it.
//!
//! A waker's data word is its slot's bit, its function table is the level's. In a level of a few
//! slots the word is the address of the slot's flag, in one of more than 32 the slot's number.
//! Where a level has one slot, it is the level's address: such levels share their functions. There
//! is nothing to allocate, count or free, and a waker that outlives its task wakes nobody.
//!
//! All levels of an application lie in one array, one whose tasks have several priorities once for
//! each. So a waker that comes back from a library, such as `embassy-time`, can be told apart from
//! those of other executors, and has a priority and a number.

#![expect(unsafe_code, reason = "function tables of wakers are unsafe to build")]

use ::core::mem::size_of_val;
use ::core::ptr;
use ::core::task::{RawWaker, RawWakerVTable, Waker};

pub use crate::arch::Wake;
use crate::arch::{pend, wake_function};
use crate::core::level::One;

#[cfg(not(target_os = "none"))]
pub mod host;

/// What wakers have to know of a level.
#[repr(C)]
pub struct Level {
    /// The functions of its wakers. First, so that a waker points to its level.
    wakers: RawWakerVTable,
    /// The first of its flags, if its slots have flags.
    flags: *const One,
    /// The interrupt that [`wake_one`] pends.
    number: u16,
    /// The number of its first slot among the slots of all levels.
    first: u16,
    /// Its priority.
    pub priority: u8,
    /// What the words of its wakers are.
    word: Word,
}

/// What the word of a waker is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Word {
    /// The level's address: it has one slot.
    Level,
    /// The address of the slot's flag.
    Flag,
    /// The slot's bit.
    Bit,
    /// The slot's number.
    Number,
}

// SAFETY: the flags are those of a static, which are shared.
unsafe impl Sync for Level {}

impl Level {
    /// A level of `priority` whose slots are numbered from `first` on, and named by their number if
    /// it is `wide`, by a bit otherwise.
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

    /// A level of `priority` whose slots are numbered from `first` on, and have these flags.
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

    /// A level of `priority` with one slot, the one of this number, whose interrupt is `number`.
    #[must_use]
    pub const fn of_one(priority: u8, first: u16, only: &'static One, number: u16) -> Self {
        let wakers = RawWakerVTable::new(clone_one, wake_one, wake_one, forget);
        Self { wakers, flags: only, number, first, priority, word: Word::Level }
    }

    /// The same, where `wake` is what makes the slot ready; it needs no word.
    #[must_use]
    pub const fn of_one_by(priority: u8, first: u16, only: &'static One, wake: Wake) -> Self {
        let wake = wake_function(wake);
        let wakers = RawWakerVTable::new(clone_one, wake, wake, forget);
        Self { wakers, flags: only, number: 0, first, priority, word: Word::Level }
    }

    /// The parts of the waker of the slot that `slot` names: by its bit where words are bits, by
    /// its number elsewhere.
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

    /// The parts of the waker with this word.
    #[inline(always)]
    #[must_use]
    pub const fn with_word(&'static self, word: *const ()) -> RawWaker {
        RawWaker::new(word, &self.wakers)
    }

    /// The number of the slot whose wakers have this word.
    #[inline(always)]
    fn slot(&self, word: *const ()) -> u32 {
        match self.word {
            Word::Level => 0,
            Word::Flag => (word.addr() - self.flags.addr()) as u32,
            Word::Bit => (word.addr() as u32).leading_zeros(),
            Word::Number => word.addr() as u32,
        }
    }

    /// The waker of a slot, which `slot` names as for [`raw_waker`](Self::raw_waker).
    ///
    /// # Safety
    /// `self` is an element of the application's array, and it has the slot.
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

/// The waker of the slot of a level of one.
unsafe fn clone_one(level: *const ()) -> RawWaker {
    // SAFETY: the word of such a waker is its level's address.
    RawWaker::new(level, unsafe { &(*level.cast::<Level>()).wakers })
}

/// Makes the slot of a level of one ready, and pends the level. In Rust: where the waker is known
/// it is inlined, which saves more than its frame costs elsewhere.
unsafe fn wake_one(level: *const ()) {
    // SAFETY: the word of such a waker is its level's address, and the level says where the slot
    // is.
    let (only, number) = unsafe {
        let level = &*level.cast::<Level>();
        (&*level.flags, level.number)
    };
    only.set();
    pend(number);
}

/// A job of the application's, read from its waker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// Its priority.
    pub priority: u8,
    /// Its number among all slots of the application.
    pub number: u16,
}

#[cfg(target_os = "none")]
unsafe extern "Rust" {
    /// The levels of the application; defined by its expansion.
    safe fn __quintet_levels() -> &'static [Level];
}

/// The levels of the application.
#[cfg(target_os = "none")]
#[inline(always)]
fn levels() -> &'static [Level] {
    __quintet_levels()
}

/// The levels that tests on the host have.
#[cfg(not(target_os = "none"))]
fn levels() -> &'static [Level] {
    &host::LEVELS
}

/// The level whose waker this is; none if it is another executor's.
#[inline(always)]
pub fn level_of(waker: &Waker) -> Option<&'static Level> {
    let levels = levels();
    let offset = ptr::from_ref(waker.vtable()).addr().wrapping_sub(levels.as_ptr().addr());
    if offset >= size_of_val(levels) {
        return None;
    }
    // SAFETY: it is within the array, and function tables are there at the beginning of levels
    // only. So nothing has to be divided to find the level.
    Some(unsafe { &*levels.as_ptr().byte_add(offset) })
}

/// Whose waker this is; none if it is another executor's.
#[must_use]
pub fn slot_of(waker: &Waker) -> Option<Slot> {
    let level = level_of(waker)?;
    let slot = level.slot(waker.data());
    Some(Slot { priority: level.priority, number: level.first + slot as u16 })
}

#[cfg(test)]
mod tests;
