//! Threads take turns by time from the moment in which the second of them is ready, whatever made
//! it so: a time, an interrupt, an object, a mutex, a start, a priority.
#![no_std]
#![no_main]
#![deny(warnings, unsafe_code, missing_docs)]

use semihosting as _;

quintet::systick_timer!(Clock, 12_000_000);

#[quintet::app(device = lm3s6965)]
mod app {
    use core::cell::Cell;
    use core::future::poll_fn;
    use core::task::Poll;
    use portable_atomic::{AtomicU32, Ordering};

    use cortex_m_semihosting::{debug, hprintln};
    use lm3s6965::Interrupt;
    use quintet::sync::{Channel, Flags, InheritanceMutex, Semaphore, Signal};
    use quintet::time::{Duration, Instant};

    use super::Clock;

    /// Who was seen last, and how often that was another one than before.
    static LAST: AtomicU32 = AtomicU32::new(0);
    static TURNS: AtomicU32 = AtomicU32::new(0);

    static TOKENS: Semaphore = Semaphore::new(0);
    static FLAGS: Flags = Flags::new(0);
    static SIGNAL: Signal<u8> = Signal::new();
    static CHANNEL: Channel<u8, 2> = Channel::new();
    static MUTEX: InheritanceMutex<u8> = InheritanceMutex::new(0);
    /// The first thread may go on.
    static SEEN: Semaphore = Semaphore::new(0);

    /// Is seen for two milliseconds, which are four slices.
    fn look(number: u32) {
        let end = Instant::now() + Duration::from_millis(2);
        while Instant::now() < end {
            if LAST.swap(number, Ordering::Relaxed) != number {
                TURNS.fetch_add(1, Ordering::Relaxed);
            }
        }
    }

    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(cx: init::Context) -> (Shared, Local) {
        Clock::start(cx.core.SYST);
        (Shared {}, Local {})
    }

    #[task(binds = GPIOA, priority = 4)]
    fn press(_: press::Context) {
        TOKENS.give();
    }

    /// Makes the others ready, one after the other, and is seen beside each.
    #[thread(priority = 3, stack = 1024, slice_us = 500)]
    fn first(cx: first::Context) {
        let waits = second::handle();
        let between = |how: &str, makes_ready: &dyn Fn()| {
            TURNS.store(0, Ordering::Relaxed);
            makes_ready();
            look(1);
            SEEN.take().block(&cx.thread);
            hprintln!("{}: {}", how, TURNS.load(Ordering::Relaxed) >= 4);
        };
        // It waits for each of these by now, as this one has waited for it.
        SEEN.take().block(&cx.thread);
        between("a time", &|| ());
        between("an interrupt", &|| quintet::pend(Interrupt::GPIOA));
        between("a token", &|| TOKENS.give());
        between("flags", &|| FLAGS.set(1));
        between("a signal", &|| SIGNAL.signal(1));
        let guard = Cell::new(Some(MUTEX.lock().block(&cx.thread)));
        between("a message", &|| CHANNEL.try_send(1).expect("there is room"));
        between("a mutex", &|| drop(guard.take()));
        between("a notification", &|| waits.unpark());
        between("a wake", &|| waits.waker().wake());
        waits.suspend().expect("it holds nothing");
        waits.unpark();
        between("going on", &|| waits.resume());
        waits.set_priority(2).expect("it is in range");
        waits.unpark();
        between("a priority", &|| waits.set_priority(3).expect("it is in range"));
        between("a start", &|| third::start().expect("it has not started"));
        debug::exit(debug::EXIT_SUCCESS);
    }

    /// Waits for each of them, and is seen behind it.
    #[thread(priority = 3, stack = 1024, slice_us = 500)]
    fn second(cx: second::Context) {
        let this = &cx.thread;
        let seen = || {
            look(2);
            SEEN.give();
        };
        SEEN.give();
        this.delay(Duration::from_micros(300));
        seen();
        TOKENS.take().block(this);
        seen();
        TOKENS.take().block(this);
        seen();
        FLAGS.take_any(1).block(this);
        seen();
        SIGNAL.wait().block(this);
        seen();
        CHANNEL.receive().block(this);
        seen();
        drop(MUTEX.lock().block(this));
        seen();
        this.park();
        seen();
        let mut polls = 0;
        this.block_on(poll_fn(|_| {
            polls += 1;
            if polls == 1 { Poll::Pending } else { Poll::Ready(()) }
        }));
        seen();
        // It is suspended while it parks, and then made less urgent.
        this.park();
        seen();
        this.park();
        seen();
        this.park();
    }

    #[thread(priority = 3, stack = 1024, slice_us = 500, manual)]
    fn third(_: third::Context) {
        look(3);
        SEEN.give();
    }
}
