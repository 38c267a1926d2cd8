//! Flags of a thread, on the host: the granted flags, the time of the grant, and the flags that are
//! left. A thread waits only by its mark.

use std::mem::MaybeUninit;
use std::ptr;

use super::{ALL, OwnFlags, Owned, TAKE, ThreadFlags};
use crate::core::list::{Linked, Search, WaitList, Waiter};
use crate::core::lock::kernel;
use crate::core::park::unpark;
use crate::core::scheduler::tests::{alone, begin, block, selected, thread};
use crate::core::scheduler::{SCHEDULER, ThreadBlock};
use crate::sync::flags::NotSet;
use crate::sync::tests::model::keep;
use crate::thread::CurrentThread;

/// The ways of waiting.
const WAYS: [usize; 4] = [0, ALL, TAKE, ALL | TAKE];

/// Returns the flags of `mask` that are granted, and the flags of `set` that are left.
fn expected(set: u32, mask: u32, how: usize) -> (Option<u32>, u32) {
    let hits = set & mask;
    let enough = if how & ALL != 0 { hits == mask } else { hits != 0 };
    let left = if enough && how & TAKE != 0 { set & !hits } else { set };
    (enough.then_some(hits), left)
}

/// Runs `test` in a thread that owns `flags`.
fn owning(flags: &'static ThreadFlags, test: impl FnOnce(&'static ThreadBlock, &OwnFlags<'_>)) {
    alone(|| {
        let control = thread(5);
        begin(control);
        assert!(ptr::eq(selected(), control));
        // SAFETY: this is the scheduler's running thread.
        let this = unsafe { CurrentThread::new() };
        let own = flags.own(&this).unwrap();
        assert!(matches!(flags.own(&this), Err(Owned)));
        test(control, &own);
        drop(own);
        assert!(flags.own(&this).is_ok());
        block();
    });
}

fn is_ready(control: &ThreadBlock) -> bool {
    kernel(|_| SCHEDULER.is_ready(control))
}

/// Does the work of a thread that begins to wait.
fn wait(control: &ThreadBlock, flags: &ThreadFlags, how: usize, mask: u32) {
    control.set_wanted(flags.mark(how), mask);
    block();
    assert!(!is_ready(control));
}

#[test]
fn what_is_tried_is_granted_as_it_was_said() {
    owning(keep(ThreadFlags::new()), |_, own| {
        for (set, mask, how) in
            (0..8).flat_map(|set| (0..8).flat_map(move |mask| WAYS.map(|how| (set, mask, how))))
        {
            own.clear(u32::MAX);
            own.set(set);
            let found = match how {
                0 => own.try_any(mask),
                ALL => own.try_all(mask),
                TAKE => own.try_take_any(mask),
                _ => own.try_take_all(mask),
            };
            let (granted, left) = expected(set, mask, how);
            assert_eq!((found, own.get()), (granted.ok_or(NotSet), left), "{set} {mask} {how}");
        }
    });
}

#[test]
fn who_waits_is_granted_enough_and_not_less() {
    owning(keep(ThreadFlags::new()), |control, own| {
        for (before, more, mask, how) in (0..4).flat_map(|before| {
            (0..8).flat_map(move |more| {
                (0..8).flat_map(move |mask| WAYS.map(|how| (before, more, mask, how)))
            })
        }) {
            if expected(before, mask, how).0.is_some() {
                // The thread wouldn't wait.
                continue;
            }
            own.clear(u32::MAX);
            own.set(before);
            wait(control, own, how, mask);
            own.set(more);
            let (granted, left) = expected(before | more, mask, how);
            assert_eq!((is_ready(control), own.get()), (granted.is_some(), left));
            if granted.is_none() {
                kernel(|lock| control.end_wanted(0, lock));
                begin(control);
            }
            assert_eq!(control.granted(), granted.unwrap_or(0));
            assert!(ptr::eq(selected(), control));
            // The thread no longer waits: flags that come now stay.
            own.set(u32::MAX);
            assert_eq!(own.get(), u32::MAX);
        }
    });
}

#[test]
fn neither_other_flags_nor_a_notification_ends_the_wait() {
    let [flags, others] = [(); 2].map(|()| keep(ThreadFlags::new()));
    owning(flags, |control, own| {
        // SAFETY: as above.
        let this = unsafe { CurrentThread::new() };
        let own_others = others.own(&this).unwrap();
        // A mask may be any word, even a parked thread's link.
        let mask = ptr::from_ref(control).addr() as u32;
        wait(control, own, ALL | TAKE, mask);
        others.set(u32::MAX);
        unpark(control);
        assert!(!is_ready(control));
        own.set(mask);
        assert!(is_ready(control));
        assert_eq!((control.granted(), own.get()), (mask, 0));
        drop(own_others);
        assert!(ptr::eq(selected(), control));
    });
}

/// Waits in a list, after which the thread keeps the address of the waiter behind it.
#[test]
fn flags_that_lie_where_a_waiter_was_end_no_wait() {
    alone(|| {
        let [own, other] = [5, 5].map(thread);
        [own, other].into_iter().for_each(begin);
        assert!(ptr::eq(selected(), own));
        // 1. The thread was granted a flag, and still has the note.
        kernel(|lock| own.end_wanted(1, lock));
        // 2. The thread waits in a list, and is granted its demand; the waiter behind it gives up.
        let list = WaitList::<()>::new();
        let mut place = MaybeUninit::<[u64; 16]>::uninit();
        let at = place.as_mut_ptr();
        // SAFETY: there is room; each waiter is in the list until it is taken out below.
        unsafe {
            at.cast::<Waiter<()>>().write(Waiter::of_thread(other, 0, ()));
            let behind = &*at.cast::<Waiter<()>>();
            kernel(|lock| {
                for (waiter, priority) in [(behind, 0), (own.waiter(), 5)] {
                    waiter.prepare_thread(priority);
                    let linked =
                        list.link_thread(lock, waiter.into(), priority, &mut Search::new());
                    assert_eq!(linked, Linked::Done);
                }
                assert!(list.pop(lock).is_some_and(|target| target.thread().is_some()));
                let _target = list.unlink(lock, behind);
            });
        }
        // 3. The thread's flags come to lie at that address. The thread runs: nothing makes it
        //    ready.
        //
        // SAFETY: the waiter is in no list, and no code looks at the flags after this test.
        let flags: &'static ThreadFlags = unsafe {
            at.cast::<ThreadFlags>().write(ThreadFlags::new());
            &*at.cast()
        };
        // SAFETY: this is the scheduler's running thread.
        let this = unsafe { CurrentThread::new() };
        let owned = flags.own(&this).unwrap();
        flags.set(1);
        block();
        assert!(ptr::eq(selected(), other), "its place among the ready ones was disturbed");
        drop(owned);
        block();
    });
}
