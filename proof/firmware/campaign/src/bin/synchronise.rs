//! Semaphore, signal, flags and the mutex of one level: no permit, value or flag is lost or had
//! twice.
#![no_std]
#![no_main]

#[quintet::app(device = lm3s6965, peripherals = false, dispatchers = [SSI0, QEI0])]
mod app {
    use campaign::doors::Pair;
    use campaign::{Count, EachPoll, begin, end, succeed};
    use core::task::Context;
    use quintet::sync::{Flags, Mutex, Semaphore, Signal};

    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    static SEMAPHORE: Semaphore = Semaphore::new(0);
    static GIVEN: Count = Count::new();
    static TAKEN: Count = Count::new();

    static SIGNAL: Signal<u32> = Signal::new();
    static SIGNALLED: Count = Count::new();
    static RECEIVED: Count = Count::new();
    /// The last value that was received.
    static LAST: Count = Count::new();

    /// One flag for each context that sets it, at most once before it is taken.
    static FLAGS: Flags = Flags::new(0);
    static SET: Count = Count::new();
    static FOUND: Count = Count::new();

    static MUTEX: Mutex<Pair> = Mutex::new(Pair::new());
    static LOCKED: Count = Count::new();

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        assert!(low_taker::spawn().is_ok());
        assert!(taker::spawn().is_ok());
        assert!(waiter::spawn().is_ok());
        assert!(finder::spawn().is_ok());
        (Shared {}, Local {})
    }

    fn give() {
        GIVEN.add();
        SEMAPHORE.give();
    }

    fn signal() {
        SIGNAL.signal(SIGNALLED.add() + 1);
    }

    fn set(flag: u32) {
        if FLAGS.try_any(flag).is_err() {
            SET.add();
            FLAGS.set(flag);
        }
    }

    fn try_take() {
        if SEMAPHORE.try_take().is_ok() {
            TAKEN.add();
        }
    }

    fn try_lock() {
        if let Ok(mut pair) = MUTEX.try_lock() {
            pair.add(0);
            LOCKED.add();
        }
    }

    #[idle]
    fn idle(_: idle::Context) -> ! {
        begin();
        give();
        signal();
        set(1);
        assert!(first::spawn().is_ok());
        assert!(second::spawn().is_ok());
        give();
        try_lock();
        signal();
        end();
        assert!(SEMAPHORE.available() == 0, "permits are left, and somebody waits");
        assert!(GIVEN.get() == TAKEN.get(), "permits are lost or had twice");
        assert!(!SIGNAL.signaled(), "a value is left, and somebody waits");
        assert!(RECEIVED.get() <= SIGNALLED.get(), "a value is received twice");
        // Nothing comes between: exactly this one arrives.
        let (number, received) = (SIGNALLED.get() + 1, RECEIVED.get() + 1);
        signal();
        assert!(LAST.get() == number && RECEIVED.get() == received, "a value is lost");
        assert!(FLAGS.get() == 0, "a flag is left, and somebody waits");
        assert!(FOUND.get() == SET.get(), "a flag is lost or had twice");
        let pair = MUTEX.try_lock();
        assert!(pair.is_ok_and(|pair| pair.total() == LOCKED.get()), "the mutex is not exclusive");
        assert!(LOCKED.get() >= 4, "somebody waits for the mutex for ever");
        succeed()
    }

    #[task(priority = 1)]
    async fn low_taker(_: low_taker::Context) {
        loop {
            SEMAPHORE.take().await;
            TAKEN.add();
        }
    }

    #[task(priority = 3)]
    async fn taker(_: taker::Context) {
        loop {
            SEMAPHORE.take().await;
            TAKEN.add();
        }
    }

    #[task(priority = 3)]
    async fn waiter(_: waiter::Context) {
        loop {
            LAST.put(SIGNAL.wait().await);
            RECEIVED.add();
        }
    }

    #[task(priority = 3)]
    async fn finder(_: finder::Context) {
        loop {
            let flags = FLAGS.take_any(u32::MAX).await;
            for _ in 0..flags.count_ones() {
                FOUND.add();
            }
        }
    }

    /// Has the mutex across an `await`.
    async fn lock_twice() {
        for _ in 0..2 {
            let mut pair = MUTEX.lock().await;
            pair.begin();
            let mut polls = 0;
            EachPoll(|cx: &mut Context<'_>| {
                polls += 1;
                cx.waker().wake_by_ref();
                polls == 2
            })
            .await;
            pair.end();
            LOCKED.add();
        }
    }

    #[task(priority = 3)]
    async fn first(_: first::Context) {
        lock_twice().await;
    }

    #[task(priority = 3)]
    async fn second(_: second::Context) {
        lock_twice().await;
    }

    #[task(binds = GPIOB, priority = 2)]
    fn between(_: between::Context) {
        give();
        signal();
        set(2);
        try_lock();
    }

    #[task(binds = GPIOD, priority = 4)]
    fn above(_: above::Context) {
        // Two are handed to the tasks that wait.
        give();
        give();
        give();
        try_take();
        try_lock();
        set(4);
    }

    #[task(binds = GPIOE, priority = 6)]
    fn far_above(_: far_above::Context) {
        try_take();
        signal();
        give();
        try_lock();
        set(8);
    }
}
