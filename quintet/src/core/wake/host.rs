//! The levels of a test process, of priorities 0 to 3. Their wakers note each use for the thread
//! that uses them, as tests run side by side.

#![expect(unsafe_code, reason = "function tables of wakers are unsafe to build")]

use std::cell::Cell;
use std::task::RawWaker;
#[cfg(test)]
use std::task::Waker;

use super::Level;

thread_local! {
    /// The ready bits of each level.
    static READY: [Cell<u32>; 4] = const { [const { Cell::new(0) }; 4] };
}

/// The levels, by priority; each has 32 slots.
pub static LEVELS: [Level; 4] = [
    Level::new(0, 0, false, clone::<0>, wake::<0>),
    Level::new(1, 32, false, clone::<1>, wake::<1>),
    Level::new(2, 64, false, clone::<2>, wake::<2>),
    Level::new(3, 96, false, clone::<3>, wake::<3>),
];

unsafe fn clone<const PRIORITY: usize>(word: *const ()) -> RawWaker {
    LEVELS[PRIORITY].with_word(word)
}

fn wake<const PRIORITY: usize>(word: *const ()) {
    READY.with(|ready| ready[PRIORITY].update(|bits| bits | word.addr() as u32));
}

/// Returns the waker of a slot.
#[cfg(test)]
#[must_use]
pub fn waker(priority: usize, slot: u32) -> Waker {
    // SAFETY: the level is one of the array, which has 32 slots for each.
    unsafe { LEVELS[priority].waker(0x8000_0000 >> slot) }
}

/// Returns `true` if the slot was woken since the last call.
#[cfg(test)]
pub fn was_woken(priority: usize, slot: u32) -> bool {
    let bit = 0x8000_0000 >> slot;
    READY.with(|ready| ready[priority].replace(ready[priority].get() & !bit)) & bit != 0
}
