//! [`TimeEvent`]: an event that is posted to an actor at a time, or periodically.

#![expect(unsafe_code, reason = "the timer is found in the time event, and the other way round")]

use ::core::cell::Cell;
use ::core::fmt;
use ::core::hint::cold_path;
use ::core::panic::Location;
use ::core::ptr;
use ::core::task::{RawWaker, RawWakerVTable};

use super::Handle;
use crate::core::kernel_cell::KernelCell;
use crate::core::lock::kernel;
use crate::time::driver::is_counted;
use crate::time::{Duration, Instant, SoftwareTimer, from_now};

/// Posts an event to an actor at a time, or periodically without drift. A time event is a static.
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
/// The interrupt of the time source clones the event and posts it behind the events that wait. If
/// the actor's queue is full, the post panics and names the actor and the type of the event. A time
/// event that is [`Lossy`] drops the event instead, and counts it: `TimeEvent::lossy(..)`. A
/// stopped actor gets nothing.
///
/// You can't take a posted event back: if [`disarm`](Self::disarm) returns `false`, the event may
/// wait in the queue, or be on the way there.
///
/// # Contexts
/// Every context that the kernel knows of.
///
/// # Cost
/// Arming and disarming take constant time, however many timers are armed, in short sections of the
/// kernel's lock.
#[repr(C)]
pub struct TimeEvent<E: 'static, P = Strict> {
    /// The first field, so that the timer and the time event have one address.
    timer: SoftwareTimer,
    actor: Handle<E>,
    event: E,
    policy: P,
}

/// The policy of a time event that must find room: if the actor's queue is full, the post panics.
///
/// With debug assertions, the panic names the line of the time event. The policy then takes one
/// word of memory, and 16 bytes of constants besides the name of the file. Without, it takes none.
#[derive(Debug)]
pub struct Strict {
    /// Where the time event is made.
    #[cfg(debug_assertions)]
    place: &'static Location<'static>,
}

impl Strict {
    /// The policy of a time event that the caller makes.
    #[track_caller]
    const fn here() -> Self {
        Self {
            #[cfg(debug_assertions)]
            place: Location::caller(),
        }
    }

    /// Where the time event is made, if that is known.
    #[cfg_attr(debug_assertions, expect(clippy::unnecessary_wraps, reason = "it is known here"))]
    #[cfg_attr(not(debug_assertions), expect(clippy::unused_self, reason = "it has no place"))]
    const fn place(&self) -> Option<&'static Location<'static>> {
        #[cfg(debug_assertions)]
        return Some(self.place);
        #[cfg(not(debug_assertions))]
        None
    }
}

/// The policy of a time event that may get lost: if the actor's queue is full, the event is dropped
/// and counted. Takes 4 bytes.
///
/// ```no_run
/// # use quintet::actor::Address;
/// # use quintet::sync::Inbox;
/// use quintet::actor::{Lossy, TimeEvent};
/// use quintet::time::Duration;
///
/// # static INBOX: Inbox<u8, 4> = Inbox::new("table");
/// # static TABLE: Address<u8> = INBOX.address();
/// static SAMPLE: TimeEvent<u8, Lossy> = TimeEvent::lossy(TABLE.handle(), 1);
///
/// SAMPLE.arm_periodic(Duration::from_millis(1));
/// if SAMPLE.lost() > 0 {
///     // The actor was too slow.
/// }
/// ```
pub struct Lossy {
    lost: KernelCell<Cell<u32>>,
}

impl fmt::Debug for Lossy {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Lossy").finish_non_exhaustive()
    }
}

mod sealed {
    /// The event of a time event, of which each expiry posts a copy.
    ///
    /// Not the traits themselves, so that the compiler's message has the way out.
    #[diagnostic::on_unimplemented(
        message = "a time event posts a copy of its event each time, but `{Self}` can't be copied \
                   in the clock's interrupt: write `#[derive(Clone)]` before its type, and let its \
                   fields be `Send` and `Sync`",
        label = "not `Clone`, `Send` and `Sync`"
    )]
    pub trait Recurring: Clone + Send + Sync {}

    #[diagnostic::do_not_recommend]
    impl<E: Clone + Send + Sync> Recurring for E {}

    /// What a time event does if the actor's queue is full.
    pub trait Policy {
        fn post<E>(&self, actor: super::Handle<E>, event: E);
    }
}

use sealed::{Policy, Recurring};

impl Policy for Strict {
    #[inline(always)]
    fn post<E>(&self, actor: Handle<E>, event: E) {
        actor.post_in_time(event, || self.place());
    }
}

impl Policy for Lossy {
    #[inline(always)]
    fn post<E>(&self, actor: Handle<E>, event: E) {
        if actor.is_lost(event) {
            kernel(|lock| {
                let lost = self.lost.get(lock);
                lost.set(lost.get().saturating_add(1));
            });
        }
    }
}

impl<E: Recurring> TimeEvent<E> {
    /// Makes a time event that posts `event` to `actor` when you arm it. The time event isn't armed
    /// yet.
    #[must_use]
    #[track_caller]
    pub const fn new(actor: Handle<E>, event: E) -> Self {
        Self::with(actor, event, Strict::here())
    }
}

impl<E: Recurring> TimeEvent<E, Lossy> {
    /// Makes a time event that drops and counts the event if the actor's queue is full. The time
    /// event isn't armed yet.
    #[must_use]
    pub const fn lossy(actor: Handle<E>, event: E) -> Self {
        Self::with(actor, event, Lossy { lost: KernelCell::new(Cell::new(0)) })
    }
}

impl<E> TimeEvent<E, Lossy> {
    /// Returns how many events were dropped, up to `u32::MAX`, because the actor's queue was full.
    /// Events for a stopped actor don't count.
    #[must_use]
    pub fn lost(&self) -> u32 {
        kernel(|lock| self.policy.lost.get(lock).get())
    }
}

impl<E: Recurring, P: Policy> TimeEvent<E, P> {
    /// The functions that call [`expire`](Self::expire): their word is the time event's address.
    const TABLE: &RawWakerVTable =
        &RawWakerVTable::new(Self::copy, Self::expire, Self::expire, Self::forget);

    const fn with(actor: Handle<E>, event: E, policy: P) -> Self {
        Self { timer: SoftwareTimer::part(Self::on_time, Self::TABLE), actor, event, policy }
    }

    /// The word means the same wherever the copy is.
    const unsafe fn copy(word: *const ()) -> RawWaker {
        RawWaker::new(word, Self::TABLE)
    }

    /// The word owns nothing.
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

    /// As `expire`, where the application counts no time: reached through the timer itself.
    /// Elsewhere nobody calls this function, and the linker drops the function.
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
        self.policy.post(self.actor, self.event.clone());
    }
}

impl<E, P> TimeEvent<E, P> {
    /// Posts the event once, after `delay` from now. If `delay` is 0, the event is posted as soon
    /// as the clock's interrupt may run. If the time event is armed already, its time begins anew.
    ///
    /// The present tick of the clock has begun already. So a delay of n ticks lasts more than n - 1
    /// ticks, but may last less than n.
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

    /// Posts the event every `period`; the first time is one period from now. If the time event is
    /// armed already, its time begins anew. A period of 0 is one tick of the clock.
    ///
    /// The times are multiples of the period from the first time on, however late a post is.
    #[inline]
    pub fn arm_periodic(&'static self, period: Duration) {
        let period = period.max(Duration::from_ticks(1));
        self.arm_at(from_now(period), period);
    }

    /// Posts the event at `first`, and then every `period`, if `period` isn't 0. If the time event
    /// is armed already, its time begins anew.
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

    /// Arms the time event to post once, after `delay` from now. Returns `true` if the time event
    /// was armed before.
    #[inline(always)]
    pub fn rearm(&'static self, delay: Duration) -> bool {
        let ticks = delay.as_ticks();
        if is_counted() && ticks != 0 && self.timer.move_part(ticks) {
            return true;
        }
        cold_path();
        let was_armed = self.disarm();
        self.arm(delay);
        was_armed
    }

    /// Disarms the time event. Returns `true` if the time event was armed: then no event is posted
    /// any more.
    ///
    /// If this returns `false`, the event may wait in the actor's queue. (Suppose that your code
    /// interrupts the interrupt of the time source. Then an event may still be on the way to the
    /// queue. This returns `false` in that case, except for a periodic time event, which is armed
    /// for the next time before the event is posted.)
    #[inline(always)]
    pub fn disarm(&'static self) -> bool {
        if is_counted() { self.timer.disarm_part() } else { self.timer.stop() }
    }

    /// Returns `true` if the time event is armed.
    #[must_use]
    pub fn is_armed(&self) -> bool {
        if is_counted() { self.timer.part_is_armed() } else { self.timer.is_running() }
    }

    /// The argument of the table's functions.
    #[inline(always)]
    const fn word(&'static self) -> *const () {
        ptr::from_ref(self).cast()
    }

    /// Returns when the event is posted next, if the time event is armed.
    #[must_use]
    pub fn deadline(&self) -> Option<Instant> {
        if is_counted() {
            self.timer.part_deadline().map(Instant::from_ticks)
        } else {
            self.timer.deadline()
        }
    }
}

impl<E, P> fmt::Debug for TimeEvent<E, P> {
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
