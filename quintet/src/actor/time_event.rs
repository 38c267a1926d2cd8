//! [`TimeEvent`]: an event that is posted to an actor at a time, or periodically.

#![expect(unsafe_code, reason = "the timer is found in the time event, and the other way round")]

use ::core::fmt;
use ::core::ptr;
use ::core::task::{RawWaker, RawWakerVTable};

use super::Handle;
use crate::time::driver::is_counted;
use crate::time::{Duration, Instant, SoftwareTimer, from_now};

/// Posts an event to an actor at a time, or periodically without drift. A static.
///
/// ```no_run
/// # use quintet::actor::Address;
/// # use quintet::sync::Inbox;
/// use quintet::actor::TimeEvent;
/// use quintet::time::Duration;
///
/// #[derive(Clone)]
/// enum Event {
///     Blink,
///     Timeout,
/// }
/// # static INBOX: Inbox<Event, 4> = Inbox::new("table");
/// # static TABLE: Address<Event> = INBOX.address();
///
/// static BLINK: TimeEvent<Event> = TimeEvent::new(TABLE.handle(), Event::Blink);
/// static TIMEOUT: TimeEvent<Event> = TimeEvent::new(TABLE.handle(), Event::Timeout);
///
/// BLINK.arm_periodic(Duration::from_millis(500));
/// TIMEOUT.arm(Duration::from_secs(2));
/// if TIMEOUT.disarm() {
///     // It was armed, and isn't posted any more.
/// }
/// ```
///
/// # Posting
/// The event is cloned and posted in the interrupt of the time source, behind what waits. If the
/// actor's queue is full, that is a panic which names the actor, as for its `post`; a stopped actor
/// gets nothing.
///
/// What has been posted stays posted: where [`disarm`](Self::disarm) says `false`, the event may
/// wait in the queue, or be on its way there.
///
/// # Contexts
/// Every context that the kernel knows of.
///
/// # Cost
/// Arming and disarming take constant time, whatever else is armed, in short sections of the
/// kernel's lock.
#[repr(C)]
pub struct TimeEvent<E: 'static> {
    /// First: its address is this one's.
    timer: SoftwareTimer,
    actor: Handle<E>,
    event: E,
}

impl<E: Clone + Send + Sync> TimeEvent<E> {
    /// What calls [`expire`](Self::expire): its word is the time event's address.
    const TABLE: &RawWakerVTable =
        &RawWakerVTable::new(Self::copy, Self::expire, Self::expire, Self::forget);

    /// Posts `event` to `actor` when it is armed, which it isn't yet.
    #[must_use]
    pub const fn new(actor: Handle<E>, event: E) -> Self {
        Self { timer: SoftwareTimer::part(Self::on_time, Self::TABLE), actor, event }
    }

    /// Posts the event once, after `delay` from now; with 0, as soon as the clock's interrupt may
    /// come. One that is armed begins anew.
    ///
    /// The present tick of the clock has begun already: so n ticks last more than n - 1, but may
    /// last less than n.
    #[inline(always)]
    pub fn arm(&'static self, delay: Duration) {
        let ticks = delay.as_ticks();
        if is_counted() && ticks != 0 {
            // SAFETY: this is what the table's functions expect.
            unsafe { self.timer.arm_part(self.word(), ticks) };
        } else {
            self.arm_at(from_now(delay), Duration::from_ticks(0));
        }
    }

    /// Posts the event every `period`, a period from now first. One that is armed begins anew. A
    /// period of 0 is one tick of the clock.
    ///
    /// The times are multiples of the period from the first one on, however late a post is.
    #[inline]
    pub fn arm_periodic(&'static self, period: Duration) {
        let period = period.max(Duration::from_ticks(1));
        self.arm_at(from_now(period), period);
    }

    /// Posts the event at `first`, and every `period` behind it, if that isn't 0. One that is armed
    /// begins anew.
    pub fn arm_at(&'static self, first: Instant, period: Duration) {
        if is_counted() {
            // SAFETY: this is what the table's functions expect.
            unsafe { self.timer.arm_part_at(self.word(), first.as_ticks(), period.as_ticks()) };
        } else {
            // The timer's function finds this by it.
            let _address = ptr::from_ref(self).expose_provenance();
            self.timer.start_at(first, period);
        }
    }

    /// Arms it to post once, after `delay` from now. Whether it was armed.
    #[inline(always)]
    pub fn rearm(&'static self, delay: Duration) -> bool {
        let was_armed = self.disarm();
        self.arm(delay);
        was_armed
    }

    /// Disarms it. Whether it was armed: if so, no event is posted any more.
    ///
    /// If not, the event may wait in the actor's queue. (And if this interrupts the interrupt of
    /// the time source, one may still be on its way there: this says `false` then, but for a
    /// periodic one, which was armed for the next time before the event is posted.)
    #[inline(always)]
    pub fn disarm(&'static self) -> bool {
        if is_counted() { self.timer.disarm_part() } else { self.timer.stop() }
    }

    /// Whether it is armed.
    #[must_use]
    pub fn is_armed(&self) -> bool {
        if is_counted() { self.timer.part_is_armed() } else { self.timer.is_running() }
    }

    /// What the table's functions are called with.
    #[inline(always)]
    const fn word(&'static self) -> *const () {
        ptr::from_ref(self).cast()
    }

    /// The word means the same wherever it is.
    const unsafe fn copy(word: *const ()) -> RawWaker {
        RawWaker::new(word, Self::TABLE)
    }

    /// It owns nothing.
    const unsafe fn forget(_word: *const ()) {}

    /// The time has come.
    unsafe fn expire(word: *const ()) {
        if !is_counted() {
            // SAFETY: the address of this, and of the timer, which comes first.
            return unsafe { SoftwareTimer::expire_part(word) };
        }
        // SAFETY: from `word`: a static.
        let this = unsafe { &*word.cast::<Self>() };
        if this.timer.part_is_periodic() {
            this.timer.renew_part();
        }
        this.post();
    }

    /// The same where time isn't counted, by the timer's own way. Elsewhere nobody calls it, and
    /// there is nothing of it.
    fn on_time(timer: &'static SoftwareTimer) {
        if is_counted() {
            return;
        }
        // SAFETY: the timer is the first field of a static time event, whose address was exposed
        // when it was armed.
        let this = unsafe { &*ptr::with_exposed_provenance::<Self>(ptr::from_ref(timer).addr()) };
        this.post();
    }

    /// Posts the event.
    #[inline(always)]
    fn post(&self) {
        self.actor.post_in_time(self.event.clone());
    }
}

impl<E> TimeEvent<E> {
    /// When the event is posted next, if it is armed.
    #[must_use]
    pub fn deadline(&self) -> Option<Instant> {
        if is_counted() {
            self.timer.part_deadline().map(Instant::from_ticks)
        } else {
            self.timer.deadline()
        }
    }
}

impl<E> fmt::Debug for TimeEvent<E> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("TimeEvent")
            .field("actor", &self.actor)
            .field("deadline", &self.deadline())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
