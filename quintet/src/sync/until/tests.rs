//! The end of a time, interrupted everywhere by a context that is more urgent than the clock's.

#![expect(unsafe_code, reason = "waiters are linked by hand: threads don't wait on the host")]

use std::cell::Cell;
use std::ptr::{self, NonNull};

use super::{Expire, Phase, Timed, until};
use crate::arch::explore::{KERNEL, explore};
use crate::arch::systick;
use crate::core::kernel_cell::KernelCell;
use crate::core::list::{Linked, Search, WaitList, Waiter};
use crate::core::lock::{KernelLock, kernel};
use crate::core::ownership::set_base;
use crate::core::scheduler::tests::{alone, begin, block, selected, thread};
use crate::core::scheduler::{Elsewhere, ThreadBlock};
use crate::core::wait::Supply;
use crate::sync::tokens::Tokens;
use crate::time::driver::tests::turn;
use crate::time::{Duration, Instant};

/// The priority of all threads.
const PRIORITY: u8 = 3;

/// Links the waiter of the running thread, which then waits, as [`Timed::wait`] does.
fn wait(timed: &Timed<'_, Tokens>, elsewhere: &Elsewhere) {
    assert!(ptr::eq(selected(), timed.control));
    kernel(|lock| {
        let (waiter, mut search) = (NonNull::from(&timed.waiter), Search::new());
        let waiters = timed.supply.get(lock).waiters();
        // SAFETY: the waiter stays at its address, and is taken out before it is dropped.
        let linked = unsafe { waiters.link_thread(lock, waiter, PRIORITY, &mut search) };
        assert_eq!(linked, Linked::Done);
        timed.control.note_place_elsewhere(elsewhere);
    });
    block();
}

/// Takes the waiter out of the list before the thread is ready: a context that changes the thread's
/// priority in between has to leave the waiter alone.
#[test]
fn a_thread_whose_time_is_up_has_no_place_among_waiters() {
    for base in [PRIORITY - 1, PRIORITY + 1] {
        alone(|| {
            let runs = explore(|run| {
                let supply = &KernelCell::new(Tokens::new(0, 1));
                let threads: [&'static ThreadBlock; 3] = [(); 3].map(|()| thread(PRIORITY));
                threads.into_iter().for_each(begin);
                let timed = threads.map(|control| {
                    let waiter = Waiter::of_thread(control, PRIORITY, ());
                    let timed =
                        Timed { supply, waiter, control, phase: Phase::until(Instant::MAX) };
                    kernel(|lock| timed.phase.begin(lock));
                    timed
                });
                let elsewhere = kernel(|lock| {
                    let waiters = supply.get(lock).waiters();
                    timed.each_ref().map(|timed| Elsewhere::new(waiters, &timed.waiter))
                });
                for (timed, elsewhere) in timed.iter().zip(&elsewhere) {
                    wait(timed, elsewhere);
                }
                let [first, second, third] = threads;
                run.interrupt(KERNEL, move || set_base(second, base));
                run.run(|| timed[1].expire());
                assert!(timed[1].phase.has_expired());
                assert!(ptr::eq(selected(), second) && second.own_base() == base);
                block();
                for expected in [first, third] {
                    let target = kernel(|lock| supply.get(lock).put_back(lock));
                    let waited = target.and_then(|target| target.thread());
                    assert!(waited.is_some_and(|waited| ptr::eq(waited, expected)));
                }
                assert!(kernel(|lock| supply.get(lock).waiters().is_empty(lock)));
            });
            assert!(runs > 3 || cfg!(miri), "{runs}");
        });
    }
}

/// A supply whose token comes after the first look, in time; then the time is up.
struct InTime {
    looks: Cell<u32>,
    waiters: WaitList<()>,
}

// SAFETY: no context waits here.
unsafe impl Supply for InTime {
    type Demand = ();

    fn waiters(&self) -> &WaitList<()> {
        &self.waiters
    }

    fn take(&self, _lock: &KernelLock<'_>, _demand: &()) -> bool {
        systick::pass(1000);
        self.looks.replace(self.looks.get() + 1) > 0
    }

    fn give_back(_this: &KernelCell<Self>, _demand: &()) {}
}

/// Delays a thread between its first look and its look at the clock.
#[test]
fn what_comes_in_time_is_found() {
    let _turn = turn();
    alone(|| {
        let control = thread(PRIORITY);
        begin(control);
        assert!(ptr::eq(selected(), control));
        let supply = KernelCell::new(InTime { looks: Cell::new(0), waiters: WaitList::new() });
        let deadline = Instant::now() + Duration::from_ticks(1);
        assert!(until(&supply, (), deadline, |()| ()).is_ok());
        block();
    });
}
