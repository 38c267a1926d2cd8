//! Programs of threads without an application: how they begin and end, and who may run.
//!
//! Idle judges, when no thread can run any more: so whoever waits then waits for ever.

use portable_atomic::{AtomicBool, AtomicU32, Ordering};

use quintet::sync::{Operation, Semaphore};
use quintet::thread::{CurrentThread, Thread};

use crate::{Count, patterns, succeed};

/// What is done between the marks is over.
static OVER: AtomicBool = AtomicBool::new(false);

/// Starts the threads, in their order, and lets them run until [`over`] was called and none can any
/// more. Then judges.
pub fn run(threads: &[&'static Thread], judge: fn()) -> ! {
    run_with(threads, judge, || ())
}

/// The same, where idle does something whenever an interrupt or threads have run.
pub fn run_with(threads: &[&'static Thread], judge: fn(), idle: fn()) -> ! {
    // SAFETY: `main` calls this first: nothing of the kernel was used before.
    unsafe { quintet::thread::initialise() };
    for thread in threads {
        assert!(thread.start().is_ok());
    }
    wait_until_over(judge, idle)
}

/// Sleeps until [`over`] was called. Then judges.
pub fn wait_until_over(judge: fn(), idle: fn()) -> ! {
    // The end of an interrupt is an event: what it changed isn't slept through.
    while !OVER.load(Ordering::Relaxed) {
        idle();
        patterns::around(0x1d1e_0000, true, cortex_m::asm::wfe);
    }
    judge();
    succeed()
}

/// No interrupt comes any more; idle may judge.
pub fn over() {
    crate::end();
    OVER.store(true, Ordering::Relaxed);
}

/// A semaphore, and what was done to it.
pub struct Counted {
    /// The semaphore.
    pub semaphore: Semaphore,
    given: Count,
    taken: Count,
}

impl Counted {
    /// Without permits.
    #[must_use]
    pub const fn new() -> Self {
        Self { semaphore: Semaphore::new(0), given: Count::new(), taken: Count::new() }
    }

    /// Gives a permit.
    pub fn give(&self) {
        self.given.add();
        self.semaphore.give();
    }

    /// Takes a permit, if there is one.
    pub fn try_take(&self) {
        if self.semaphore.try_take().is_ok() {
            self.taken.add();
        }
    }

    /// Waits for a permit, in a thread.
    pub fn take(&self) {
        // SAFETY: only threads call this.
        self.semaphore.take().block(&unsafe { CurrentThread::new() });
        self.taken.add();
    }

    /// A permit was taken in another way.
    pub fn note_taken(&self) {
        self.taken.add();
    }

    /// How many were taken.
    #[must_use]
    pub fn taken(&self) -> u32 {
        self.taken.get()
    }

    /// Each permit was taken once, or is left.
    pub fn judge(&self) {
        let left = u32::from(self.semaphore.available());
        assert!(self.given.get() == self.taken.get() + left, "a permit is lost or had twice");
    }

    /// Each permit was taken once, and whoever takes them waits for more.
    pub fn judge_all_taken(&self) {
        self.judge();
        assert!(self.semaphore.available() == 0, "a permit is left, and somebody waits");
    }
}

impl Default for Counted {
    fn default() -> Self {
        Self::new()
    }
}

/// Whoever runs is at least as urgent as everybody else who could run.
pub struct Rank {
    threads: &'static [&'static Thread],
    /// By the index of a thread: it neither waits nor is about to.
    busy: AtomicU32,
}

impl Rank {
    /// Nobody is busy yet.
    #[must_use]
    pub const fn new(threads: &'static [&'static Thread]) -> Self {
        Self { threads, busy: AtomicU32::new(0) }
    }

    /// The thread with this index, which runs, doesn't wait from here on.
    pub fn enter(&self, index: usize) {
        self.busy.fetch_or(1 << index, Ordering::Relaxed);
        self.look(index);
    }

    /// It may wait from here on.
    pub fn leave(&self, index: usize) {
        self.look(index);
        self.busy.fetch_and(!(1 << index), Ordering::Relaxed);
    }

    /// Idle runs, so nobody is busy.
    pub fn look_from_idle(&self) {
        cortex_m::interrupt::free(|_| {
            let busy = self.busy.load(Ordering::Relaxed);
            for (other, thread) in self.threads.iter().enumerate() {
                let ready = busy & 1 << other != 0 && !thread.is_suspended();
                assert!(!ready, "idle runs beside a thread");
            }
        });
    }

    /// It runs. A switch that was due has happened, as no mask was raised; so nobody who is busy is
    /// more urgent.
    pub fn look(&self, index: usize) {
        cortex_m::interrupt::free(|_| {
            let mut busy = self.busy.load(Ordering::Relaxed) & !(1 << index);
            while busy != 0 {
                let other = self.threads[busy.trailing_zeros() as usize];
                busy &= busy - 1;
                assert!(
                    other.priority() <= self.threads[index].priority() || other.is_suspended(),
                    "a less urgent thread runs"
                );
            }
        });
    }
}
