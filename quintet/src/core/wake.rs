//! Wakers: what a [`Waker`] of a level's job consists of, and what can be read from it.
//!
//! A waker's data word is its slot's bit (or the slot's number in a level of more than 32), its
//! function table is the level's. There is nothing to allocate, count or free, and a waker that
//! outlives its task wakes nobody.
//!
//! All levels of an application lie in one array. So a waker that comes back from a library, such
//! as `embassy-time`, can be told apart from those of other executors, and has a priority and a
//! number.

#![expect(unsafe_code, reason = "function tables of wakers are unsafe to build")]

use ::core::mem::size_of;
use ::core::task::{RawWaker, RawWakerVTable, Waker};

pub use crate::arch::Wake;
use crate::arch::wake_function;

/// What wakers have to know of a level.
#[repr(C)]
pub struct Level {
    /// The functions of its wakers. First, so that a waker points to its level.
    wakers: RawWakerVTable,
    /// The number of its first slot among the slots of all levels.
    first: u16,
    /// Its priority.
    priority: u8,
    /// Whether a waker's word is a number rather than a bit.
    wide: bool,
}

impl Level {
    /// A level of `priority` whose slots are numbered from `first` on.
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
        Self { wakers: RawWakerVTable::new(clone, wake, wake, forget), first, priority, wide }
    }

    /// The parts of the waker of the slot with the word `word`.
    #[inline(always)]
    #[must_use]
    pub const fn raw_waker(&'static self, word: u32) -> RawWaker {
        RawWaker::new(::core::ptr::without_provenance(word as usize), &self.wakers)
    }

    /// The waker of the slot with the word `word`.
    ///
    /// # Safety
    /// `self` is an element of the application's array, and the word belongs to one of its slots.
    #[inline(always)]
    #[must_use]
    pub const unsafe fn waker(&'static self, word: u32) -> Waker {
        // SAFETY: `wake` is sound from every context and thread, and nothing is owned.
        unsafe { Waker::from_raw(self.raw_waker(word)) }
    }
}

/// Wakers own nothing.
fn forget(_word: *const ()) {}

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
    &crate::arch::LEVELS
}

/// Whose waker this is; none if it is another executor's.
#[must_use]
pub fn slot_of(waker: &Waker) -> Option<Slot> {
    let levels = levels();
    let table = ::core::ptr::from_ref(waker.vtable()).addr();
    let offset = table.wrapping_sub(levels.as_ptr().addr());
    let level = levels.get(offset / size_of::<Level>())?;
    let word = waker.data().addr() as u32;
    let slot = if level.wide { word } else { word.leading_zeros() };
    Some(Slot { priority: level.priority, number: level.first + slot as u16 })
}
