//! Waits for a wake, one within another. On the host, a wait returns if a wake was noted, and
//! panics otherwise.

use super::{until, waker};
use crate::core::lock::kernel;
use crate::core::scheduler::SCHEDULER;
use crate::core::scheduler::tests::{alone, begin, block, selected, thread};
use crate::core::scheduler::wake_all;

/// Returns `None` for the first `times` calls.
fn later(times: usize) -> impl FnMut() -> Option<()> {
    let mut asked = 0;
    move || {
        asked += 1;
        (asked > times).then_some(())
    }
}

#[test]
fn a_wake_within_another_wait_lets_that_look_again() {
    alone(|| {
        let control = thread(1);
        begin(control);
        assert!(std::ptr::eq(selected(), control));
        let waker = waker(control);
        let wake = || {
            waker.wake_by_ref();
            wake_all();
        };
        let (mut outer, mut inner) = (later(1), later(1));
        until(|| {
            // One wake woke both, after the look of the inner wait.
            until(|| {
                let ended = inner();
                if ended.is_none() {
                    wake();
                }
                ended
            });
            outer()
        });
        // A notification is separate, and there was none.
        assert!(!kernel(|lock| SCHEDULER.take_notification(lock)));
        block();
    });
}

#[test]
fn a_wait_looks_first_whatever_was_noted_before() {
    alone(|| {
        let control = thread(1);
        begin(control);
        assert!(std::ptr::eq(selected(), control));
        waker(control).wake();
        wake_all();
        let mut looks = 0;
        until(|| {
            looks += 1;
            (looks == 2).then_some(()).or_else(|| {
                waker(control).wake();
                wake_all();
                None
            })
        });
        assert_eq!(looks, 2, "what was noted before ends no wait");
        block();
    });
}
