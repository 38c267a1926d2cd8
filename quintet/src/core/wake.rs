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

#[cfg(threads)]
use ::core::mem::offset_of;
use ::core::mem::{ManuallyDrop, size_of_val};
use ::core::ptr;
use ::core::task::{RawWaker, RawWakerVTable, Waker};

pub use crate::arch::Wake;
use crate::arch::{pend, wake_function};
use crate::core::level::One;
#[cfg(threads)]
use crate::core::{lock::has_threads, park, scheduler::Control};

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
    priority: u8,
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

/// Whom to wake: the parts of a waker that is owned, or a thread.
///
/// A thread that waits for one object, which nobody else wakes, is named by its control block
/// instead of a waker. Who grants it what it waits for makes it ready in the same section of the
/// kernel's lock.
#[derive(Debug)]
#[repr(C)]
pub struct Wakee {
    /// The waker's function table; none for a thread.
    table: Option<&'static RawWakerVTable>,
    /// The waker's word; a thread's control block.
    data: *const (),
}

// SAFETY: wakers and threads may be woken from every context.
unsafe impl Send for Wakee {}

impl Wakee {
    /// Where the table is.
    #[cfg(threads)]
    pub const TABLE: usize = offset_of!(Self, table);
    /// Where the word is.
    #[cfg(threads)]
    pub const DATA: usize = offset_of!(Self, data);

    /// Takes over a waker.
    #[inline(always)]
    #[must_use]
    pub fn job(waker: Waker) -> Self {
        let waker = ManuallyDrop::new(waker);
        Self { table: Some(waker.vtable()), data: waker.data() }
    }

    /// A waker's function table, without a word yet.
    #[cfg(feature = "time")]
    #[must_use]
    pub const fn of_table(table: &'static RawWakerVTable) -> Self {
        Self { table: Some(table), data: ptr::null() }
    }

    /// Gives it another word.
    #[cfg(feature = "time")]
    #[inline(always)]
    pub const fn set_word(&mut self, word: *const ()) {
        self.data = word;
    }

    /// Names a thread.
    #[cfg(threads)]
    #[must_use]
    pub const fn of_thread(control: *const Control) -> Self {
        Self { table: None, data: control.cast() }
    }

    /// Stands for a thread that doesn't wait yet: waking it has no effect.
    #[cfg(all(threads, feature = "time"))]
    #[inline(always)]
    #[must_use]
    pub const fn no_thread_yet() -> Self {
        Self { table: None, data: ptr::null() }
    }

    /// Names the thread, of one that doesn't name it yet.
    #[cfg(all(threads, feature = "time"))]
    #[inline(always)]
    pub const fn name_thread(&mut self, control: &'static Control) {
        self.data = ptr::from_ref(control).cast();
    }

    /// The thread, if it is one.
    #[cfg(threads)]
    #[inline(always)]
    #[must_use]
    pub fn thread(&self) -> Option<&'static Control> {
        if !self.is_thread() {
            return None;
        }
        // SAFETY: from `of_thread`, or named since; control blocks live for ever.
        unsafe {
            ::core::hint::assert_unchecked(!self.data.is_null());
            Some(&*self.data.cast())
        }
    }

    /// The waker's word; a thread's control block.
    #[cfg(threads)]
    #[inline(always)]
    #[must_use]
    pub const fn word(&self) -> *const () {
        self.data
    }

    /// The waker's function table.
    ///
    /// # Safety
    /// It isn't a thread.
    #[cfg(threads)]
    #[inline(always)]
    #[must_use]
    pub const unsafe fn table(&self) -> &'static RawWakerVTable {
        // SAFETY: the caller's.
        unsafe { self.table.unwrap_unchecked() }
    }

    /// The thread that it names, if it waits already: for one that is a thread.
    #[cfg(all(threads, feature = "time"))]
    #[inline(always)]
    #[must_use]
    pub fn thread_that_waits(&self) -> Option<&'static Control> {
        // SAFETY: from `of_thread`, or none yet; control blocks live for ever.
        unsafe { self.data.cast::<Control>().as_ref() }
    }

    /// Whether it is a thread.
    #[cfg(threads)]
    #[inline(always)]
    #[must_use]
    pub fn is_thread(&self) -> bool {
        has_threads() && self.table.is_none()
    }

    /// Without threads, nobody is one.
    #[cfg(not(threads))]
    #[expect(clippy::unused_self, reason = "as where there are threads")]
    #[inline(always)]
    #[must_use]
    pub const fn is_thread(&self) -> bool {
        false
    }

    /// Gives the waker back, if it isn't a thread.
    #[inline(always)]
    #[must_use]
    pub fn into_waker(self) -> Option<Waker> {
        if self.is_thread() {
            return None;
        }
        // SAFETY: it isn't.
        Some(unsafe { self.into_job() })
    }

    /// Gives the waker back.
    ///
    /// # Safety
    /// It isn't a thread.
    #[inline(always)]
    #[must_use]
    pub unsafe fn into_job(self) -> Waker {
        // SAFETY: the caller's, and the parts are those of an owned waker.
        unsafe { Waker::new(self.data, self.table.unwrap_unchecked()) }
    }

    /// Whether it does the same as `waker`.
    #[cfg(feature = "time")]
    #[inline(always)]
    #[must_use]
    pub fn is(&self, waker: &Waker) -> bool {
        ptr::eq(self.data, waker.data())
            && self.table.is_some_and(|table| ptr::eq(table, waker.vtable()))
    }
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
    &crate::arch::LEVELS
}

/// The level whose waker this is; none if it is another executor's.
#[inline(always)]
fn level_of(waker: &Waker) -> Option<&'static Level> {
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

/// A waker that does the same, and the priority of who is woken. One that is not the application's
/// own says no priority: it counts as idle's.
#[inline]
#[must_use]
pub fn adopt(waker: &Waker) -> (Wakee, u8) {
    let table = waker.vtable();
    if let Some(level) = level_of(waker) {
        // Wakers of the application's levels own nothing: a clone has the same parts.
        return (Wakee { table: Some(table), data: waker.data() }, level.priority);
    }
    #[cfg(threads)]
    if has_threads()
        && let Some(control) = park::thread_of(waker)
    {
        return (Wakee::job(park::waker(control)), control.waiting_priority());
    }
    (Wakee::job(waker.clone()), UNKNOWN)
}

/// The priority of who is not of the application: a waker of another executor, which says nothing
/// of its own. Idle's.
const UNKNOWN: u8 = 0;

#[cfg(test)]
mod tests;
