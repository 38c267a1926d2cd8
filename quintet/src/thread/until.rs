//! Waits for a notification, or for another thread's end, until a time.

#![expect(unsafe_code, reason = "a thread that waits is switched from")]

use ::core::ptr;

use embassy_time::{Duration, Instant};

use super::{CurrentThread, JoinError, Thread};
use crate::arch::switch;
use crate::core::lock::{KernelLock, Section, kernel};
use crate::core::park;
use crate::core::record::WakeTarget;
use crate::core::scheduler::{SCHEDULER, Scheduler, ThreadBlock};
use crate::core::section::kernel_and_wake;
use crate::time::expiry::{Expire, Phase, TimedOut, limited};
use crate::time::from_now;

impl CurrentThread<'_> {
    /// As [`park`](Self::park), but at most until `deadline`.
    ///
    /// # Errors
    /// [`TimedOut`] if the thread was not notified by then. A later notification is for the next
    /// wait.
    ///
    /// # Panics
    /// If the thread holds a resource, or interrupts off; even if the thread was notified already.
    pub fn park_until(&self, deadline: Instant) -> Result<(), TimedOut> {
        let control = park::check_may_wait();
        if kernel(|lock| SCHEDULER.take_notification(lock)) {
            return Ok(());
        }
        let parked = Parked { control, phase: Phase::until(deadline) };
        limited(deadline, &parked, || parked.wait())
    }

    /// As [`park`](Self::park), but at most for `duration`.
    ///
    /// # Errors
    /// [`TimedOut`] if the thread was not notified by then.
    ///
    /// # Panics
    /// If the thread holds a resource, or interrupts off; even if the thread was notified already.
    pub fn park_timeout(&self, duration: Duration) -> Result<(), TimedOut> {
        self.park_until(from_now(duration))
    }
}

/// A thread that waits for a notification or for a time. Lies on the thread's stack.
struct Parked {
    control: &'static ThreadBlock,
    phase: Phase,
}

impl Parked {
    /// Lets the running thread wait, after the timer was armed or the time was up.
    fn wait(&self) -> Result<(), TimedOut> {
        let section = Section::begin();
        let notified = SCHEDULER.take_notification(&section);
        if notified || self.phase.has_expired() {
            section.end();
            return if notified { Ok(()) } else { Err(TimedOut) };
        }
        self.phase.begin(&section);
        // SAFETY: the lock is held, and handed over.
        unsafe { switch::park(section.into_saved()) };
        if self.phase.has_expired() { Err(TimedOut) } else { Ok(()) }
    }
}

impl Expire for Parked {
    fn is_over(&self) -> bool {
        self.phase.has_expired()
    }

    fn expire(&self) {
        kernel_and_wake(|lock| {
            let ends = self.phase.expire(lock, || Scheduler::end_parking(self.control, lock));
            ((), ends.then(|| WakeTarget::of_thread(self.control)))
        });
    }
}

impl Thread {
    /// As [`join`](Self::join), but at most until `deadline`.
    ///
    /// # Errors
    /// As for `join`; and [`JoinError::TimedOut`] if the thread has not ended by then.
    ///
    /// # Panics
    /// If the caller holds a resource, or interrupts off; even if this thread has ended already.
    pub fn join_until(
        &self,
        _this: &CurrentThread<'_>,
        deadline: Instant,
    ) -> Result<(), JoinError> {
        let joiner = park::check_may_wait();
        let joining = Joining { joined: &self.control, joiner, phase: Phase::until(deadline) };
        if let Some(result) = kernel(|lock| joining.attempt(lock)) {
            return result;
        }
        limited(deadline, &joining, || joining.wait())
    }

    /// As [`join`](Self::join), but at most for `duration`.
    ///
    /// # Errors
    /// As for `join`; and [`JoinError::TimedOut`] if the thread has not ended by then.
    ///
    /// # Panics
    /// If the caller holds a resource, or interrupts off; even if this thread has ended already.
    pub fn join_timeout(
        &self,
        this: &CurrentThread<'_>,
        duration: Duration,
    ) -> Result<(), JoinError> {
        self.join_until(this, from_now(duration))
    }
}

/// A thread that waits for another thread's end or for a time. Lies on the thread's stack.
struct Joining<'a> {
    joined: &'a ThreadBlock,
    joiner: &'static ThreadBlock,
    phase: Phase,
}

impl Joining<'_> {
    /// Returns the answer that needs no wait, if there is one.
    fn attempt(&self, lock: &KernelLock<'_>) -> Option<Result<(), JoinError>> {
        super::try_join(self.joined, self.joiner, lock)
    }

    /// Lets the running thread wait, after the timer was armed or the time was up.
    fn wait(&self) -> Result<(), JoinError> {
        let section = Section::begin();
        let expired = self.phase.has_expired().then_some(Err(JoinError::TimedOut));
        if let Some(result) = self.attempt(&section).or(expired) {
            section.end();
            return result;
        }
        self.joined.set_joiner(self.joiner, &section);
        self.joiner.note_no_place();
        self.phase.begin(&section);
        // SAFETY: it may wait; the end of the other one, or the timer, makes it ready.
        unsafe { section.block() };
        if self.phase.has_expired() { Err(JoinError::TimedOut) } else { Ok(()) }
    }
}

impl Expire for Joining<'_> {
    fn is_over(&self) -> bool {
        self.phase.has_expired()
    }

    fn expire(&self) {
        kernel_and_wake(|lock| {
            // Its end takes the joiner away, and another thread may have come since.
            let waits = || self.joined.joiner(lock).is_some_and(|own| ptr::eq(own, self.joiner));
            let ends = self.phase.expire(lock, waits);
            if ends {
                self.joined.take_joiner(lock);
            }
            ((), ends.then(|| WakeTarget::of_thread(self.joiner)))
        });
    }
}
