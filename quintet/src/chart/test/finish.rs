//! Runs a future to its end, on the host.

use crate::arch::finish::finish as finish_while;

/// Polls a future to its end. If nothing else wakes the future, time passes: to the next deadline
/// of the virtual clock, if this thread has the clock.
///
/// # Panics
/// If nothing can wake the future any more.
#[track_caller]
pub fn finish<T>(future: impl Future<Output = T>) -> T {
    finish_while(future, time_passes)
}

/// Lets time pass to the next deadline. Returns `true` if there is a deadline.
#[cfg(feature = "time")]
fn time_passes() -> bool {
    crate::time::virtual_clock::pass_to_next()
}

/// There is no time.
#[cfg(not(feature = "time"))]
const fn time_passes() -> bool {
    false
}
