//! A future to its end, on the host.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};

/// So many times may come without one that wakes the future: a test that arms something periodic
/// and waits for something else would never end.
const TIMES_MAX: usize = 100_000;

const STUCK: &str = "what the test waits for never comes: nobody has woken it, and no time is \
    awaited. Give it what it waits for before; if it waits for time, begin the test with \
    `let clock = VirtualClock::take();`";

const ENDLESS: &str = "what the test waits for doesn't come: 100000 times have come that others \
    wait for. Give it what it waits for before, or stop what is periodic";

/// Notes that it was woken.
struct Woken(AtomicBool);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Polls a future to its end. Where nothing else wakes it, time passes: to the next deadline of the
/// virtual clock, if this thread has that.
///
/// # Panics
/// If nothing wakes it then either.
#[track_caller]
pub fn finish<T>(future: impl Future<Output = T>) -> T {
    let woken = Arc::new(Woken(AtomicBool::new(false)));
    let waker = Waker::from(Arc::clone(&woken));
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(value) = future.as_mut().poll(&mut Context::from_waker(&waker)) {
            return value;
        }
        let mut times = 0;
        while !woken.0.swap(false, Ordering::Relaxed) {
            assert!(time_passes(), "{STUCK}");
            times += 1;
            assert!(times <= TIMES_MAX, "{ENDLESS}");
        }
    }
}

/// Lets time pass to the next deadline. Whether there is one.
#[cfg(feature = "time")]
fn time_passes() -> bool {
    crate::time::virtual_clock::pass_to_next()
}

/// There is no time.
#[cfg(not(feature = "time"))]
const fn time_passes() -> bool {
    false
}
