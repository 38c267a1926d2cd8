//! [`TimeEvent`]: an event that is posted to an actor at a time, or periodically.

#![expect(unsafe_code, reason = "the timer is found in the time event, and the other way round")]

use ::core::fmt;
use ::core::ptr;

use super::Handle;
use crate::time::{Duration, Instant, SoftwareTimer};

/// Posts an event to an actor at a time, or periodically without drift. A static.
///
/// ```no_run
/// # use quintet::actor::{Address, Inbox};
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
    /// Posts `event` to `actor` when it is armed, which it isn't yet.
    #[must_use]
    pub const fn new(actor: Handle<E>, event: E) -> Self {
        Self { timer: SoftwareTimer::new(Self::on_time), actor, event }
    }

    /// Posts the event once, after `delay` from now, as
    /// [`SoftwareTimer::start`]. One that is armed begins anew.
    #[inline]
    pub fn arm(&'static self, delay: Duration) {
        self.expose();
        self.timer.start(delay);
    }

    /// Posts the event every `period`, a period from now first. One that is armed begins anew.
    ///
    /// The times are multiples of the period from the first one on, however late a post is.
    #[inline]
    pub fn arm_periodic(&'static self, period: Duration) {
        self.expose();
        self.timer.start_periodic(period);
    }

    /// Posts the event at `first`, and every `period` behind it, if that isn't 0. One that is armed
    /// begins anew.
    #[inline]
    pub fn arm_at(&'static self, first: Instant, period: Duration) {
        self.expose();
        self.timer.start_at(first, period);
    }

    /// Arms it to post once, after `delay` from now. Whether it was armed.
    #[inline]
    pub fn rearm(&'static self, delay: Duration) -> bool {
        let was_armed = self.disarm();
        self.arm(delay);
        was_armed
    }

    /// Disarms it. Whether it was armed: if so, no event is posted any more. (But for one of a
    /// periodic one, if this interrupts the interrupt of the time source.)
    #[inline]
    pub fn disarm(&'static self) -> bool {
        self.timer.stop()
    }

    /// Whether it is armed.
    #[must_use]
    pub fn is_armed(&self) -> bool {
        self.timer.is_running()
    }

    /// When the event is posted next, if it is armed.
    #[must_use]
    pub fn deadline(&self) -> Option<Instant> {
        self.timer.deadline()
    }

    /// The time has come.
    fn on_time(timer: &'static SoftwareTimer) {
        // SAFETY: the timer is the first field of a static time event, whose address was exposed
        // when it was armed.
        let this = unsafe { &*ptr::with_exposed_provenance::<Self>(ptr::from_ref(timer).addr()) };
        this.post();
    }

    /// Posts the event.
    #[inline(always)]
    fn post(&self) {
        if let Err(event) = self.actor.try_post(self.event.clone()) {
            self.actor.refuse_unless_stopped(event);
        }
    }

    /// Lets the timer's function find this by the timer.
    #[inline(always)]
    fn expose(&'static self) {
        let _address = ptr::from_ref(self).expose_provenance();
    }
}

impl<E> fmt::Debug for TimeEvent<E> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("TimeEvent")
            .field("actor", &self.actor)
            .field("deadline", &self.timer.deadline())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
