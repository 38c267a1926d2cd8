//! The usual crates: selecting and joining our futures, and `embassy-sync` over the kernel's lock.

use std::pin::pin;
use std::task::{Context, Poll, Waker};

use embassy_futures::join::join;
use embassy_futures::select::{Either, Either3, select, select3};
use futures_util::stream::{FuturesUnordered, StreamExt};

use crate::core::wake::host::{waker, was_woken};
use crate::sync::{Channel, Flags, KernelRawMutex, Mutex, Semaphore, Signal};

/// Runs a future that makes progress whenever it is polled.
fn run<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    for _ in 0..1000 {
        if let Poll::Ready(output) = future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            return output;
        }
    }
    panic!("the future does not end");
}

#[test]
fn a_wait_that_loses_a_selection_loses_nothing() {
    let channel = Channel::<Box<u32>, 2>::new();
    let signal = Signal::<u32>::new();
    let semaphore = Semaphore::new(0);
    signal.signal(7);
    let first = run(select3(channel.receive(), semaphore.take(), signal.wait()));
    assert!(matches!(first, Either3::Third(7)));
    // Both are ready: the first one is taken, the other stays.
    signal.signal(8);
    channel.try_send(Box::new(1)).unwrap();
    let second = run(select(channel.receive(), signal.wait()));
    assert!(matches!(second, Either::First(message) if *message == 1));
    assert_eq!(signal.try_take(), Ok(8));
    assert!(channel.is_empty());
    assert_eq!(channel.free_capacity(), 2);
}

#[test]
fn a_granted_wait_that_loses_a_selection_passes_it_on() {
    let channel = Channel::<u32, 2>::new();
    let semaphore = Semaphore::new(0);
    {
        let mut both = pin!(select(semaphore.take(), channel.receive()));
        let mut context = Context::from_waker(Waker::noop());
        assert!(both.as_mut().poll(&mut context).is_pending());
        // Both are granted before the future runs again; it can return only one.
        channel.try_send(1).unwrap();
        semaphore.give();
        assert_eq!(channel.len(), 0);
        assert!(matches!(both.as_mut().poll(&mut context), Poll::Ready(Either::First(()))));
    }
    assert_eq!(channel.try_receive(), Ok(1));
    assert_eq!(semaphore.available(), 0);
}

#[test]
fn futures_utils_select_and_join_take_our_futures() {
    let flags = Flags::new(0);
    let mutex = Mutex::new(1);
    let channel = Channel::<u32, 1>::new();
    let sum = run(async {
        let producer = async {
            for number in 0..10 {
                channel.send(number).await;
            }
            flags.set(1);
        };
        let consumer = async {
            let mut sum = 0;
            while sum < 45 {
                let mut receive = pin!(futures_util::FutureExt::fuse(channel.receive()));
                let mut done = pin!(futures_util::FutureExt::fuse(flags.wait_all(2)));
                futures_util::select_biased! {
                    number = receive => sum += number,
                    _ = done => unreachable!(),
                }
            }
            *mutex.lock().await += sum;
            sum
        };
        join(producer, consumer).await.1
    });
    assert_eq!((sum, flags.get()), (45, 1));
    assert_eq!(mutex.into_inner(), 46);
}

#[test]
fn many_futures_of_one_task_are_all_served() {
    let semaphore = Semaphore::new(2);
    let served = run(async {
        let users: FuturesUnordered<_> = (0..20)
            .map(|index| {
                let semaphore = &semaphore;
                async move {
                    let _permit = semaphore.acquire().await;
                    embassy_futures::yield_now().await;
                    index
                }
            })
            .collect();
        users.collect::<Vec<_>>().await
    });
    assert_eq!(served.len(), 20);
    assert_eq!(semaphore.available(), 2);
}

#[test]
fn a_waker_of_a_librarys_own_says_no_priority() {
    let semaphore = Semaphore::new(0);
    let (low, high) = (waker(1, 0), waker(2, 0));
    let mut wrapped: FuturesUnordered<_> = [semaphore.take()].into_iter().collect();
    let mut next = pin!(wrapped.next());
    assert!(next.as_mut().poll(&mut Context::from_waker(&high)).is_pending());
    // The library's future polls each of its futures, and then wakes its task itself.
    let _itself = was_woken(2, 0);
    let mut other = pin!(semaphore.take());
    assert!(other.as_mut().poll(&mut Context::from_waker(&low)).is_pending());
    semaphore.give();
    assert!(was_woken(1, 0) && !was_woken(2, 0), "it came later, and has a priority");
    // The library hands the task's waker on.
    let mut joined = pin!(join(semaphore.take(), async {}));
    assert!(joined.as_mut().poll(&mut Context::from_waker(&high)).is_pending());
    semaphore.give();
    assert!(was_woken(2, 0), "it is before the other, which came first");
}

#[test]
fn embassys_objects_stand_on_the_kernels_lock() {
    use embassy_sync::channel::Channel as EmbassyChannel;
    use embassy_sync::mutex::Mutex as EmbassyMutex;
    use embassy_sync::pubsub::{PubSubChannel, WaitResult};
    use embassy_sync::watch::Watch;

    static WATCH: Watch<KernelRawMutex, u32, 2> = Watch::new();
    static TOPIC: PubSubChannel<KernelRawMutex, u32, 4, 2, 1> = PubSubChannel::new();

    let channel = EmbassyChannel::<KernelRawMutex, u32, 2>::new();
    let mutex = EmbassyMutex::<KernelRawMutex, _>::new(0);
    let producer = async {
        for number in 0..8 {
            channel.send(number).await;
            *mutex.lock().await += number;
        }
    };
    let consumer = async {
        let mut sum = 0;
        for _ in 0..8 {
            sum += channel.receive().await;
        }
        sum
    };
    assert_eq!(run(join(producer, consumer)).1, 28);
    assert_eq!(mutex.into_inner(), 28);

    let mut watcher = WATCH.receiver().unwrap();
    WATCH.sender().send(5);
    assert_eq!(run(watcher.changed()), 5);
    let mut subscriber = TOPIC.subscriber().unwrap();
    TOPIC.publisher().unwrap().publish_immediate(6);
    assert_eq!(run(subscriber.next_message()), WaitResult::Message(6));
}

/// The feature `critical-section`: sections of libraries are the kernel's, and nest with them.
#[test]
fn critical_sections_are_sections_of_the_kernel() {
    use crate::arch::mask::is_held;
    use crate::core::lock::kernel;

    assert!(!is_held());
    critical_section::with(|_| {
        assert!(is_held());
        kernel(|_| critical_section::with(|_| assert!(is_held())));
        assert!(is_held());
    });
    assert!(!is_held());
}
