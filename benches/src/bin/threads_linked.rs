//! Group `threads`, the rows of linked bytes: each service once, so that all of it is linked.
//!
//! Semaphores, delays and an interrupt that gives are always there; the other services are those of
//! the features, so that the kernel is beside another one with the services of that.
//!
//! The scenario is written down in `scenarios/threads.toml`; `threads_bare` is the same without
//! Quintet.

#![no_std]
#![no_main]

use core::hint::black_box;

use quintet::sync::Semaphore;
use quintet::thread::CurrentThread;
use quintet::time::Duration;
use quintet_bench_common::device::{Interrupt, enable};
use quintet_bench_common::{exit, mark};
use quintet_benches::services;

quintet_bench_common::vectors!();

quintet::systick_tick!(Clock, 8_000_000);
#[cfg(feature = "guard")]
quintet::kernel!(hardware_priority = 0x20);
#[cfg(not(feature = "guard"))]
quintet::kernel!(hardware_priority = 0x20, stack_guard = false);
quintet::thread!(static HIGH, priority = 4, stack = 512, entry = high);
quintet::thread!(static LOW, priority = 2, stack = 512, entry = low);

static SEMAPHORE: Semaphore = Semaphore::new(0);

#[cortex_m_rt::entry]
fn main() -> ! {
    // SAFETY: nothing of the kernel was used before.
    unsafe { services::initialise() };
    enable(Interrupt::TIM3, 5);
    start_clock();
    for thread in [&HIGH, &LOW] {
        if !services::start(black_box(thread)) {
            exit(103);
        }
    }
    loop {
        cortex_m::asm::wfi();
    }
}

/// A service, as those of the library: it names the clock.
#[inline(never)]
fn start_clock() {
    // SAFETY: nobody else uses them.
    Clock::start(unsafe { cortex_m::Peripherals::steal() }.SYST);
}

/// What waits.
fn high(this: &CurrentThread<'_>) {
    mark!("start");
    services::take(black_box(&SEMAPHORE), this);
    #[cfg(feature = "inheritance")]
    inheritance::use_all(this);
    #[cfg(feature = "ceilings")]
    ceilings::use_all(this);
    #[cfg(feature = "queues")]
    queues::receive(this);
    #[cfg(feature = "mailboxes")]
    mailboxes::take(this);
    #[cfg(feature = "signals")]
    signals::wait(this);
    #[cfg(feature = "notifications")]
    services::park(this);
    #[cfg(feature = "flags")]
    flags::wait(this);
    #[cfg(feature = "own_flags")]
    own_flags::wait(this);
    #[cfg(feature = "read_locks")]
    read_locks::use_all(this);
    #[cfg(feature = "turns")]
    services::yield_now(this);
    services::delay(this, black_box(Duration::from_millis(1)));
    exit(0)
}

/// What serves it.
fn low(this: &CurrentThread<'_>) {
    services::give(black_box(&SEMAPHORE));
    #[cfg(feature = "queues")]
    queues::send(this);
    #[cfg(feature = "mailboxes")]
    mailboxes::post(this);
    #[cfg(feature = "signals")]
    signals::signal();
    #[cfg(feature = "notifications")]
    services::unpark(black_box(&HIGH));
    #[cfg(feature = "flags")]
    flags::set();
    #[cfg(feature = "own_flags")]
    own_flags::set();
    #[cfg(feature = "timers")]
    timers::use_all();
    #[cfg(feature = "blocks")]
    blocks::use_all();
    #[cfg(feature = "priorities")]
    black_box(services::set_priority(black_box(&HIGH), black_box(5)));
    #[cfg(feature = "suspension")]
    {
        black_box(services::suspend(black_box(&HIGH)));
        services::resume(black_box(&HIGH));
    }
}

/// Gives what the higher thread waits for.
#[unsafe(no_mangle)]
unsafe extern "C" fn TIM3() {
    services::give(black_box(&SEMAPHORE));
}

#[cfg(feature = "inheritance")]
mod inheritance {
    use super::{CurrentThread, black_box, services};
    use quintet::sync::InheritanceMutex;

    static MUTEX: InheritanceMutex<u32> = InheritanceMutex::new(0);

    pub fn use_all(this: &CurrentThread<'_>) {
        services::unlock(services::lock(black_box(&MUTEX), this));
    }
}

#[cfg(feature = "ceilings")]
mod ceilings {
    use super::{CurrentThread, black_box, services};
    use quintet::sync::CeilingMutex;

    static CEILING: CeilingMutex<u32> = CeilingMutex::new(4, 0);

    pub fn use_all(this: &CurrentThread<'_>) {
        services::unlock_ceiling(services::lock_ceiling(black_box(&CEILING), this));
    }
}

/// Queues, also without waiting for room.
#[cfg(feature = "queues")]
mod queues {
    use super::{CurrentThread, black_box, services};

    static QUEUE: services::Queue = services::Queue::new();

    pub fn receive(this: &CurrentThread<'_>) {
        black_box(services::receive(black_box(&QUEUE), this));
    }

    pub fn send(this: &CurrentThread<'_>) {
        services::send(black_box(&QUEUE), black_box(1), this);
        #[cfg(feature = "tries")]
        black_box(services::try_send(black_box(&QUEUE), black_box(1)));
    }
}

#[cfg(feature = "mailboxes")]
mod mailboxes {
    use super::{CurrentThread, black_box, services};

    static MAILBOX: services::Mailbox = services::Mailbox::new();

    pub fn take(this: &CurrentThread<'_>) {
        black_box(services::take_message(black_box(&MAILBOX), this));
    }

    pub fn post(this: &CurrentThread<'_>) {
        services::post(black_box(&MAILBOX), black_box(1), this);
    }
}

#[cfg(feature = "signals")]
mod signals {
    use super::{CurrentThread, black_box, services};
    use quintet::sync::Signal;

    static SIGNAL: Signal<u32> = Signal::new();

    pub fn wait(this: &CurrentThread<'_>) {
        black_box(services::wait_for_signal(black_box(&SIGNAL), this));
    }

    pub fn signal() {
        services::signal(black_box(&SIGNAL), black_box(1));
    }
}

#[cfg(feature = "flags")]
mod flags {
    use super::{CurrentThread, black_box, services};
    use quintet::sync::Flags;

    static FLAGS: Flags = Flags::new(0);

    pub fn wait(this: &CurrentThread<'_>) {
        black_box(services::wait_for_flags(black_box(&FLAGS), black_box(1), this));
    }

    pub fn set() {
        services::set_flags(black_box(&FLAGS), black_box(1));
    }
}

#[cfg(feature = "own_flags")]
mod own_flags {
    use super::{CurrentThread, black_box, exit, services};
    use quintet::sync::ThreadFlags;

    static OWN_FLAGS: ThreadFlags = ThreadFlags::new();

    pub fn wait(this: &CurrentThread<'_>) {
        let flags = services::own(black_box(&OWN_FLAGS), this).unwrap_or_else(|| exit(105));
        black_box(services::wait_for_own_flags(black_box(&flags), black_box(1), this));
    }

    pub fn set() {
        services::set_own_flags(black_box(&OWN_FLAGS), black_box(1));
    }
}

#[cfg(feature = "read_locks")]
mod read_locks {
    use super::{CurrentThread, black_box, services};
    use quintet::sync::RwLock;

    static LOCK: RwLock<u32> = RwLock::new(0);

    pub fn use_all(this: &CurrentThread<'_>) {
        services::end_read(services::read(black_box(&LOCK), this));
        services::end_write(services::write(black_box(&LOCK), this));
    }
}

#[cfg(feature = "timers")]
mod timers {
    use super::{Duration, SEMAPHORE, black_box, services};
    use quintet::time::SoftwareTimer;

    static TIMER: SoftwareTimer = SoftwareTimer::new(on_time);

    pub fn use_all() {
        services::start_timer(black_box(&TIMER), black_box(Duration::from_millis(1)));
        black_box(services::stop_timer(black_box(&TIMER)));
    }

    /// What the timer calls.
    fn on_time(_: &'static SoftwareTimer) {
        services::give(black_box(&SEMAPHORE));
    }
}

#[cfg(feature = "blocks")]
mod blocks {
    use super::{black_box, exit, services};

    static POOL: services::Blocks = services::Blocks::new();

    pub fn use_all() {
        let block = services::allocate(black_box(&POOL), black_box(1));
        services::free(block.unwrap_or_else(|| exit(106)));
    }
}
