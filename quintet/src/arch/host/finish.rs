//! Runs a future to its end, on the host.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};

/// The largest number of deadlines that may pass without a wake of the future. Otherwise a test
/// that arms something periodic and waits for something else would never end.
const TIMES_MAX: usize = 100_000;

const STUCK: &str = "what the test waits for never comes: nobody has woken it, and no time is \
    awaited. Give it what it waits for before; if it waits for time, begin the test with \
    `let clock = VirtualClock::take();`";

const ENDLESS: &str = "what the test waits for doesn't come: 100000 times have come that others \
    wait for. Give it what it waits for before, or stop what is periodic";

/// Notes a wake.
struct Woken(AtomicBool);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Polls a future to its end. If nothing else wakes the future, calls `time_passes`, which lets
/// time pass, and returns `false` if no code waits for a time.
///
/// # Panics
/// If nothing can wake the future any more.
#[track_caller]
pub fn finish<T>(future: impl Future<Output = T>, time_passes: fn() -> bool) -> T {
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
