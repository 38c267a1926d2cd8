//! SysTick on the host: a counter that tests set, and an interrupt that they look for.

#![expect(unsafe_code, reason = "the names and contracts are those of the targets")]

use std::cell::Cell;

/// The longest time for [`set`].
pub const LEG: u32 = (1 << 23) - 1;

thread_local! {
    static COUNTER: Cell<u32> = const { Cell::new(0) };
    static ALARM: Cell<Option<u32>> = const { Cell::new(None) };
}

/// Does nothing: the counter stands until a test lets counts pass.
///
/// # Safety
/// As on the targets.
pub unsafe fn start(_priority: u8) {}

/// Returns the counter. A read is a point at which an interrupt may come.
pub fn counter() -> u32 {
    super::explore::point();
    COUNTER.get()
}

/// Returns the counter, which never loses anything.
pub fn keep_up() -> u32 {
    counter()
}

/// Notes the time of the interrupt.
pub fn set(at: u32) {
    ALARM.set(Some(at));
}

/// Lets `counts` pass.
#[cfg(test)]
pub fn pass(counts: u32) {
    COUNTER.set(COUNTER.get().wrapping_add(counts));
}

/// Returns the counts until the interrupt comes; `None` if none was set since the last call of
/// [`taken`].
#[cfg(test)]
pub fn left() -> Option<u32> {
    let left = ALARM.get()?.wrapping_sub(COUNTER.get()) as i32;
    Some(left.max(0) as u32)
}

/// Takes the interrupt.
#[cfg(test)]
pub fn taken() {
    ALARM.set(None);
}
