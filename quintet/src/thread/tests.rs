//! Handles of threads: the bounds of what they take.

#![expect(unsafe_code, reason = "a thread is made for its place")]

use std::mem::MaybeUninit;
use std::ptr;
use std::sync::OnceLock;

use super::{NoPriority, Thread};
use crate::core::scheduler::ThreadInfo;
use crate::core::scheduler::tests::alone;

static ABOUT: ThreadInfo =
    ThreadInfo { name: "test", stack: ptr::null_mut(), stack_size: 0, resources: &[], entry: None };

/// Returns a thread that has not started.
fn thread() -> &'static Thread {
    static KEPT: OnceLock<&'static Thread> = OnceLock::new();
    KEPT.get_or_init(|| {
        let place = Box::leak(Box::new(MaybeUninit::uninit()));
        let at = place.as_ptr();
        // SAFETY: the value is put at this address, and stays there; there is no stack.
        place.write(unsafe { Thread::new(at, 1, &ABOUT) })
    })
}

#[test]
fn a_thread_may_have_each_priority_from_1_to_31_and_no_other() {
    alone(|| {
        let thread = thread();
        for priority in 0..=u8::MAX {
            let before = thread.base_priority();
            let answer = thread.set_priority(priority);
            if (1..=31).contains(&priority) {
                assert_eq!(answer, Ok(()), "{priority}");
                assert_eq!(thread.base_priority(), priority);
            } else {
                assert_eq!(answer, Err(NoPriority(priority)));
                assert_eq!(thread.base_priority(), before, "nothing has changed");
            }
        }
        assert_eq!(thread.set_priority(1), Ok(()));
    });
}
