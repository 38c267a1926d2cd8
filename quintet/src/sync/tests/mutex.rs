//! A mutex has one holder, serves in order, passes on, and refuses a second priority.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};

use crate::core::wake::host::{waker, was_woken};
use crate::sync::mutex::{Locked, Locking};
use crate::sync::thread_mutex::Recursive;
use crate::sync::{Flags, InheritanceMutex, Mutex, MutexGuard, RwLock};

fn poll<'a, T>(
    future: &mut Pin<Box<Locking<'a, T>>>,
    priority: usize,
    slot: u32,
) -> Poll<MutexGuard<'a, T>> {
    future.as_mut().poll(&mut Context::from_waker(&waker(priority, slot)))
}

/// Returns the value of a future that is ready.
fn ready<T>(poll: Poll<T>) -> T {
    match poll {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("it is not ready"),
    }
}

#[test]
fn the_value_goes_from_one_to_the_next() {
    let mutex = Mutex::new(vec![0]);
    let (mut first, mut second) = (Box::pin(mutex.lock()), Box::pin(mutex.lock()));
    let (mut cancelled, mut third) = (Box::pin(mutex.lock()), Box::pin(mutex.lock()));
    let mut guard = ready(poll(&mut first, 2, 24));
    assert!(poll(&mut second, 2, 25).is_pending());
    assert!(poll(&mut cancelled, 2, 26).is_pending());
    assert!(poll(&mut third, 2, 27).is_pending());
    guard.push(1);
    assert_eq!(mutex.try_lock().unwrap_err(), Locked);
    drop(guard);
    assert!(was_woken(2, 25) && !was_woken(2, 26));
    // The mutex is handed over: no other task takes it away before the next one runs.
    assert_eq!(mutex.try_lock().unwrap_err(), Locked);
    let mut guard = ready(poll(&mut second, 2, 25));
    guard.push(2);
    drop(guard);
    assert!(was_woken(2, 26));
    drop(cancelled);
    assert!(was_woken(2, 27), "what was handed to a dropped future goes on");
    ready(poll(&mut third, 2, 27)).push(3);
    assert_eq!(*mutex.try_lock().unwrap(), [0, 1, 2, 3]);
    drop((first, second, third));
    assert_eq!(mutex.into_inner(), [0, 1, 2, 3]);
}

fn refusal(mutex: &Mutex<u32>, priority: usize) -> Option<String> {
    let mut future = Box::pin(mutex.lock());
    let polled = catch_unwind(AssertUnwindSafe(|| poll(&mut future, priority, 28).is_ready()));
    polled.err().map(|panic| panic.downcast_ref::<String>().cloned().unwrap_or_default())
}

#[test]
fn a_second_priority_is_refused_by_a_message_that_names_both() {
    let mutex = Mutex::new(0);
    assert_eq!(refusal(&mutex, 1), None);
    assert_eq!(refusal(&mutex, 1), None);
    let message = refusal(&mutex, 3).unwrap();
    assert_eq!(
        message,
        "an async mutex of tasks of priority 1 was locked by a task of priority 3: share the value \
         as a resource, or give its tasks one priority"
    );
    // The refusal leaves nothing behind: tasks of the first priority can continue.
    assert_eq!(refusal(&mutex, 1), None);
    // If the priority is known beforehand, even the first lock is refused.
    assert!(refusal(&Mutex::for_priority(2, 0), 1).is_some());
    assert!(refusal(&Mutex::for_priority(2, 0), 2).is_none());
}

#[test]
fn what_holds_a_value_begins_with_its_default() {
    assert_eq!(Mutex::<u32>::default().into_inner(), 0);
    assert_eq!(InheritanceMutex::<u32>::default().into_inner(), 0);
    assert_eq!(InheritanceMutex::<u32, Recursive>::default().into_inner(), 0);
    assert_eq!(RwLock::<u32>::default().into_inner(), 0);
    assert_eq!(Flags::default().get(), 0);
    // `Debug` shows the name of a future.
    assert_eq!(format!("{:?}", Mutex::new(0).lock()), "Locking { .. }");
}

#[test]
#[should_panic(expected = "no task has the priority 255: write that of the tasks, or `Mutex::new`")]
fn a_priority_that_stands_for_none_is_refused() {
    let _ = Mutex::for_priority(255, 0);
}

#[test]
#[expect(unsafe_code, reason = "the macro's, which other crates don't see")]
fn a_thread_counts_by_its_own_priority() {
    fn entry(_: &crate::thread::CurrentThread<'_>) {}
    crate::thread!(static THREAD, priority = 3, stack = 1024, entry = entry);
    let lock_by_thread = |mutex: &Mutex<u32>| {
        let mut future = Box::pin(mutex.lock());
        let waker = THREAD.waker();
        let mut poll = || future.as_mut().poll(&mut Context::from_waker(&waker)).is_ready();
        catch_unwind(AssertUnwindSafe(&mut poll)).is_ok()
    };
    let mutex = Mutex::new(0);
    assert_eq!(refusal(&mutex, 3), None);
    assert!(lock_by_thread(&mutex), "the priority is the same");
    assert!(!lock_by_thread(&Mutex::for_priority(2, 0)));
}

#[test]
fn another_executors_waker_is_not_checked() {
    let mutex = Mutex::for_priority(2, 0);
    let mut future = Box::pin(mutex.lock());
    let polled = future.as_mut().poll(&mut Context::from_waker(std::task::Waker::noop()));
    assert_eq!(*ready(polled), 0);
}
