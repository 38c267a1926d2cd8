//! Without the feature `time`: what has to do with it says so.

#![no_std]
#![no_main]

use panic_halt as _;

quintet::systick_timer!(Clock, 12_000_000);

quintet::systick_tick!(Tick, 12_000_000);

quintet::timer_source!(Other, quintet::time::Lm3sTimers<12_000_000>, interrupt = TIMER_1A);

#[quintet::app(device = lm3s6965, dispatchers = [GPIOA])]
mod app {
    use quintet::sync::{
        Channel, Condvar, Flags, InheritanceMutex, Mailbox, RwLock, Semaphore, Signal, ThreadFlags,
    };

    use super::{Clock, Other};

    static CHANNEL: Channel<u8, 2> = Channel::new();
    static EVENTS: ThreadFlags = ThreadFlags::new();
    static FLAGS: Flags = Flags::new(0);
    static MAILBOX: Mailbox<u8> = Mailbox::new();
    static MUTEX: InheritanceMutex<u8> = InheritanceMutex::new(0);
    static CHANGED: Condvar = Condvar::new();
    static LOCK: RwLock<u8> = RwLock::new(0);
    static SEMAPHORE: Semaphore = Semaphore::new(0);
    static SIGNAL: Signal<u8> = Signal::new();

    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(cx: init::Context) -> (Shared, Local) {
        Clock::start(cx.core.SYST);
        // SAFETY: once.
        unsafe { Other::start() };
        (Shared {}, Local {})
    }

    #[thread(priority = 1, stack = 512, slice_us = 1000)]
    fn worker(cx: worker::Context) {
        cx.thread.delay(1);
        cx.thread.delay_until(2);
        let this = &cx.thread;
        let _ = this.park_timeout(14);
        let _ = worker::handle().join_until(this, 15);
        if SEMAPHORE.take().block_for(this, 3).is_err() {
            return;
        }
        let _permit = SEMAPHORE.acquire().block_until(this, 4).unwrap();
        let _ = CHANNEL.sender().send(0).block_for(this, 5);
        match CHANNEL.receive().block_until(this, 6) {
            Ok(byte) => assert!(byte < 1),
            Err(_) => return,
        }
        let _ = FLAGS.take_any(1).block_for(this, 7).unwrap_or(0).count_ones();
        let _ = MAILBOX.post(0).block_until(this, 8);
        let _ = LOCK.read().block_for(this, 9).map(|value| *value);
        let _ = SIGNAL.wait().block_for(this, 10);
        let Ok(events) = EVENTS.own(this) else { return };
        let _ = events.take_any(1).block_for(this, 13).map(u32::count_ones);
        let Ok(guard) = MUTEX.lock().block_until(this, 11) else { return };
        let _ = CHANGED.wait(guard).block_for(this, 12);
    }
}
