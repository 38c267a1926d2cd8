//! The alarm, Tock's driver 0. Each process has one alarm, in the one timer queue.
//!
//! | call | effect |
//! |---|---|
//! | subscribe 0 | the upcall: the time, the time that was asked for, 0 |
//! | command 1 | answers the number of ticks in a second |
//! | command 2 | answers the time |
//! | command 3 | takes the alarm back; an error 3 if no alarm is set |
//! | command 5 `(delay)` | sets the alarm for `delay` ticks from now; answers its time |
//! | command 6 `(reference, delay)` | the same, from `reference` on |
//!
//! Times are the lower 32 bits of the clock's ticks. Libraries of processes count in 32 bits, so
//! use a clock of at most 1 MHz.

#![expect(unsafe_code, reason = "an alarm is found by its timer, which is its first field")]

use ::core::cell::Cell;
use ::core::ptr;

use super::{Answer, Client, Clients, Driver, ErrorCode, Slots};
use crate::core::kernel_cell::KernelCell;
use crate::core::lock::kernel;
use crate::time::{Duration, Instant, SoftwareTimer};

/// The number of the upcall.
const DUE: usize = 0;

/// The part of an alarm that isn't in the timer.
#[derive(Clone, Copy)]
struct Set {
    client: Client,
    /// The time of the alarm.
    time: u32,
}

/// The alarm of a process.
#[repr(C)]
struct One {
    /// The first field, so that the timer's address is the alarm's address.
    timer: SoftwareTimer,
    set: KernelCell<Cell<Option<Set>>>,
}

/// The alarms of `N` processes.
///
/// ```
/// use quintet::process::alarm::Alarm;
///
/// /// One of the `drivers` of `processes!`. The clock of the application does the rest.
/// static ALARM: Alarm<4> = Alarm::new();
/// ```
pub struct Alarm<const N: usize> {
    clients: Clients<N, One, 1>,
}

debug_by_name!([const N: usize] Alarm<N>: "Alarm");

impl<const N: usize> Default for Alarm<N> {
    fn default() -> Self {
        Self::new()
    }
}

impl<const N: usize> Alarm<N> {
    /// Makes alarms that aren't set.
    #[must_use]
    pub const fn new() -> Self {
        Self { clients: Clients::new([const { One::new() }; N]) }
    }

    /// Sets the alarm for `delay` ticks after `reference`. Answers the time of the alarm.
    fn set(&'static self, client: Client, reference: u32, delay: u32) -> Answer {
        let one = self.clients.state(client.index());
        let _was_set = one.timer.stop();
        let now = Instant::now();
        let time = reference.wrapping_add(delay);
        kernel(|lock| one.set.get(lock).set(Some(Set { client, time })));
        let passed = (now.as_ticks() as u32).wrapping_sub(reference);
        match delay.checked_sub(passed).filter(|&left| left > 0) {
            Some(left) => {
                // The timer's function finds the alarm by this address.
                let _address = ptr::from_ref(one).expose_provenance();
                let at = Instant::from_ticks(now.as_ticks() + u64::from(left));
                one.timer.start_at(at, Duration::from_ticks(0));
            }
            None => one.expire(),
        }
        Answer::Word(time)
    }

    /// Takes the alarm back. Returns `true` if the alarm was set.
    fn take_back(&'static self, client: Client) -> bool {
        let one = self.clients.state(client.index());
        one.timer.stop();
        kernel(|lock| one.set.get(lock).take()).is_some()
    }
}

impl One {
    /// Makes an alarm that isn't set.
    const fn new() -> Self {
        Self { timer: SoftwareTimer::new(on_time), set: KernelCell::new(Cell::new(None)) }
    }

    /// Makes the upcall due, as the time has come.
    fn expire(&self) {
        let Some(Set { client, time }) = kernel(|lock| self.set.get(lock).take()) else { return };
        let now = Instant::now().as_ticks() as u32;
        // Without room for another upcall, the process doesn't get this one.
        let _no_room = client.upcall(DUE, [now, time, 0]);
    }
}

/// Makes the upcall of an alarm due. The timer calls this.
fn on_time(timer: &'static SoftwareTimer) {
    // SAFETY: the timer is the first field of an alarm in a static, whose address was exposed when
    // it was set.
    let one = unsafe { &*ptr::with_exposed_provenance::<One>(ptr::from_ref(timer).addr()) };
    one.expire();
}

impl<const N: usize> Driver for Alarm<N> {
    const NUMBER: u32 = 0;
    const PLACES: usize = N;

    fn slots(&'static self, process: usize) -> Slots {
        self.clients.slots(process)
    }

    fn command(&'static self, client: Client, command: u32, first: u32, second: u32) -> Answer {
        let now = || Instant::now().as_ticks() as u32;
        match command {
            1 => Answer::Word(embassy_time::TICK_HZ as u32),
            2 => Answer::Word(now()),
            3 if self.take_back(client) => Answer::Success,
            3 => Answer::Failure(ErrorCode::Already),
            5 => self.set(client, now(), first),
            6 => self.set(client, first, second),
            _ => Answer::Failure(ErrorCode::NoSupport),
        }
    }

    fn forget(&'static self, client: Client) {
        self.take_back(client);
    }
}
