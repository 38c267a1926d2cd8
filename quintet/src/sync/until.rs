//! Waits of threads for a supply that end at a time. Most operations share this one function.
//!
//! If the [time is up](crate::time::expiry) first, its handler takes the waiter out of the list in
//! the section in which the handler sees that the thread still waits.

#![expect(unsafe_code, reason = "waiters and timers are linked through pointers")]

use ::core::pin::Pin;
use ::core::ptr::NonNull;

use embassy_time::Instant;

use crate::core::kernel_cell::KernelCell;
use crate::core::list::{Linked, Search, Waiter};
use crate::core::lock::{self, Section, kernel};
use crate::core::park;
use crate::core::record::WakeTarget;
use crate::core::scheduler::{Elsewhere, SCHEDULER, ThreadBlock};
use crate::core::section;
use crate::core::timer::Node;
use crate::core::wait::Supply;
use crate::time::driver;
pub use crate::time::expiry::TimedOut;
use crate::time::expiry::{Expire, Phase, limited};

#[cfg(test)]
mod tests;

/// A thread that waits for `supply`, and for a time. Lies on the thread's stack.
struct Timed<'a, S: Supply> {
    supply: &'a KernelCell<S>,
    waiter: Waiter<S::Demand>,
    control: &'static ThreadBlock,
    phase: Phase,
}

/// Lets the running thread wait for `supply` to grant `demand`, until the clock shows `deadline`.
/// Returns the result of `read` for the demand. A demand that is available at once is taken at any
/// time.
///
/// The running thread must not hold a ceiling, as for [`block`](crate::core::wait::block).
#[inline]
pub fn until<S: Supply, T>(
    supply: &KernelCell<S>,
    demand: S::Demand,
    deadline: Instant,
    read: impl FnOnce(&S::Demand) -> T,
) -> Result<T, TimedOut> {
    if kernel(|lock| supply.get(lock).take(lock, &demand)) {
        return Ok(read(&demand));
    }
    wait(supply, demand, deadline, read)
}

/// Lets the running thread await wakes until `granted` returns `true`, or the clock shows
/// `deadline`. For waiters that have the thread's waker.
///
/// The running thread must not hold a ceiling.
pub fn await_wake_until(granted: impl Fn() -> bool, deadline: Instant) {
    let control = park::check_may_wait();
    let node = Node::new(deadline.as_ticks());
    // SAFETY: the node belongs to this function, and stays here until it has fired or was
    // cancelled.
    unsafe {
        driver::arm_cold(&node, deadline.as_ticks(), WakeTarget::job(park::waker(control)));
        park::until(|| (granted() || Instant::now() >= deadline).then_some(()));
        if node.may_be_armed() {
            driver::cancel(&node);
        }
    }
}

/// As [`until`], if there was nothing to take.
#[inline(never)]
fn wait<S: Supply, T>(
    supply: &KernelCell<S>,
    demand: S::Demand,
    deadline: Instant,
    read: impl FnOnce(&S::Demand) -> T,
) -> Result<T, TimedOut> {
    let control = park::check_may_wait();
    let waiter = Waiter::of_thread(control, control.waiting_priority(), demand);
    let timed = Timed { supply, waiter, control, phase: Phase::until(deadline) };
    // SAFETY: the timer is armed, or the time is up, and `timed` isn't moved.
    let granted = limited(deadline, &timed, || unsafe { timed.wait() });
    if granted { Ok(read(timed.waiter.demand())) } else { Err(TimedOut) }
}

impl<S: Supply> Expire for Timed<'_, S> {
    fn is_over(&self) -> bool {
        self.phase.has_expired()
    }

    fn expire(&self) {
        let target = kernel(|lock| {
            if !self.phase.expire(lock, || SCHEDULER.is_waiting(self.control, lock)) {
                return None;
            }
            // The thread is made ready in a separate section. A context that changes the thread's
            // priority before that would look for its waiter in the list: INVARIANT(place).
            self.control.note_no_place();
            // SAFETY: the thread waits, so the waiter is in the list in which `wait` has linked it.
            Some(unsafe { self.supply.get(lock).waiters().unlink(lock, &self.waiter) })
        });
        if let Some(target) = target {
            section::wake(target);
            // The thread continues after the timer's interrupt, which may take long.
            S::gave_up(self.supply, self.waiter.demand());
        }
    }
}

impl<S: Supply> Timed<'_, S> {
    /// Lets the thread wait. Returns `true` if the demand was granted.
    ///
    /// # Safety
    /// For the running thread, with the timer armed, or the time up; `self` isn't moved any more.
    unsafe fn wait(&self) -> bool {
        // SAFETY: the caller's.
        let waiter = unsafe { Pin::new_unchecked(&self.waiter) };
        let mut search = Search::new();
        loop {
            let section = Section::begin();
            let supply = self.supply.get(&section);
            let granted = supply.take(&section, waiter.demand());
            if granted || self.phase.has_expired() {
                section.end();
                return granted;
            }
            // The priority may have changed since the waiter was made, or since the search began,
            // which then begins anew: INVARIANT(ranked).
            let priority = self.control.priority(&section);
            if priority != waiter.priority(&section) {
                waiter.set_priority(priority, &section);
            }
            // SAFETY: the waiter is idle, and names its thread; after a grant or an expiry, the
            // waiter is in no list.
            let linked = unsafe {
                let waiter = NonNull::from(waiter.get_ref()).cast();
                supply.waiters().any().link_thread(&section, waiter, priority, &mut search)
            };
            if linked == Linked::Done {
                let elsewhere = Elsewhere::new(supply.waiters(), &waiter);
                self.control.note_place_elsewhere(&elsewhere);
                self.phase.begin(&section);
                // SAFETY: the thread may wait; a grant or the timer makes the thread ready.
                unsafe { section.block() };
                return !self.phase.has_expired();
            }
            section.end();
            lock::take_pending_interrupts();
        }
    }
}
