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
//!
//! All alarms share one timer, which is set for the earliest. The clock's interrupt only asks the
//! switch to look at the alarms. So the alarms of all processes together cost one timer in a tick
//! of the clock, however many expire, and the upcalls become due below all levels.
//!
//! If a thread is ready that is more urgent than the process of an alarm, a look at the alarms ends
//! with the first alarm that has expired, and the next look comes 0.1 ms later. So a more urgent
//! thread waits for one alarm, however many expire on its tick. Alarms take turns: each look begins
//! where the last one has ended.

#![expect(unsafe_code, reason = "the alarms are found by their timer, which is the first field")]

use ::core::cell::Cell;
use ::core::ptr;

use super::turn::next_turn;
use super::{Answer, Client, Clients, Driver, ErrorCode, Slots};
use crate::core::kernel_cell::KernelCell;
use crate::core::lock::kernel;
use crate::core::scheduler::SCHEDULER;
use crate::time::{Duration, Instant, SoftwareTimer};

/// The number of the upcall.
const DUE: usize = 0;

/// An alarm that is set.
#[derive(Clone, Copy)]
struct Set {
    client: Client,
    /// The time of the alarm, as the process knows it.
    time: u32,
    /// The time of the alarm, in ticks.
    at: u64,
}

/// The alarm of a process. Touched in SVCall and the switch.
type One = KernelCell<Cell<Option<Set>>>;

/// The alarms of `N` processes.
///
/// ```
/// use quintet::process::alarm::Alarm;
///
/// /// One of the `drivers` of `processes!`. The clock of the application does the rest.
/// static ALARM: Alarm<4> = Alarm::new();
/// ```
#[repr(C)]
pub struct Alarm<const N: usize> {
    /// Runs until the earliest alarm, or until an earlier time. The first field, so that the
    /// timer's address is the driver's address.
    timer: SoftwareTimer,
    /// A bit for each process whose alarm may be set.
    perhaps_set: KernelCell<Cell<u16>>,
    /// The process whose alarm a look sees first.
    turn: KernelCell<Cell<u8>>,
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
        Self {
            timer: SoftwareTimer::new(on_time::<N>),
            perhaps_set: KernelCell::new(Cell::new(0)),
            turn: KernelCell::new(Cell::new(0)),
            clients: Clients::new([const { KernelCell::new(Cell::new(None)) }; N]),
        }
    }

    /// Sets the alarm for `delay` ticks after `reference`. Answers the time of the alarm.
    fn set(&'static self, client: Client, reference: u32, delay: u32) -> Answer {
        let now = Instant::now().as_ticks();
        let time = reference.wrapping_add(delay);
        let passed = (now as u32).wrapping_sub(reference);
        let left = delay.saturating_sub(passed);
        let set = Set { client, time, at: now + u64::from(left) };
        let one = self.clients.state(client.index());
        if left == 0 {
            kernel(|lock| one.get(lock).set(None));
            set.expire(now);
        } else {
            kernel(|lock| {
                one.get(lock).set(Some(set));
                let perhaps_set = self.perhaps_set.get(lock);
                perhaps_set.set(perhaps_set.get() | 1 << client.index());
            });
            self.run_until(set.at);
        }
        Answer::Word(time)
    }

    /// Lets the timer run until `at`, unless it runs until an earlier time.
    fn run_until(&'static self, at: u64) {
        let at = Instant::from_ticks(at);
        if self.timer.deadline().is_none_or(|deadline| at < deadline) {
            // The timer's function finds the driver by this address.
            let _address = ptr::from_ref(self).expose_provenance();
            self.timer.start_at(at, Duration::from_ticks(0));
        }
    }

    /// Takes the alarm back. Returns `true` if the alarm was set.
    fn take_back(&'static self, client: Client) -> bool {
        // The timer goes on: at most, the switch looks once in vain.
        kernel(|lock| self.clients.state(client.index()).get(lock).take()).is_some()
    }
}

impl Set {
    /// Makes the upcall due.
    fn expire(&self, now: u64) {
        // Without room for another upcall, the process doesn't get this one.
        let _no_room = self.client.upcall(DUE, [now as u32, self.time, 0]);
    }
}

/// The alarms of an application, without their number.
trait Alarms: Sync {
    /// Makes the upcalls due for which the time has come, and sets the timer for the others. In the
    /// switch.
    fn expire(&'static self);
}

/// The ticks between two looks while a more urgent thread is ready: 0.1 ms, or a tick if that is
/// longer.
const PAUSE: u64 = if embassy_time::TICK_HZ < 10_000 { 1 } else { embassy_time::TICK_HZ / 10_000 };

impl<const N: usize> Alarms for Alarm<N> {
    fn expire(&'static self) {
        let now = Instant::now().as_ticks();
        let mut next = u64::MAX;
        let (mut left, turn) =
            kernel(|lock| (self.perhaps_set.get(lock).take(), self.turn.get(lock).get()));
        let (mut still_set, mut has_expired) = (0, false);
        while let Some(index) = next_turn(left, turn) {
            let one = self.clients.state(usize::from(index));
            let set = kernel(|lock| one.get(lock).get());
            if let Some(set) = set {
                let control = set.client.process().control();
                if has_expired && kernel(|lock| SCHEDULER.has_more_urgent(control, lock)) {
                    kernel(|lock| self.turn.get(lock).set(index));
                    // From the present on: many alarms may have expired since the look began.
                    next = next.min(Instant::now().as_ticks() + PAUSE);
                    break;
                }
                if set.at <= now {
                    kernel(|lock| one.get(lock).set(None));
                    set.expire(now);
                    has_expired = true;
                } else {
                    next = next.min(set.at);
                    still_set |= 1 << index;
                }
            }
            left &= !(1 << index);
        }
        kernel(|lock| self.perhaps_set.get(lock).set(still_set | left));
        if next != u64::MAX {
            self.run_until(next);
        }
    }
}

/// The alarms that the switch has to look at. An application has one driver for alarms at most, as
/// no two drivers have one number.
static TO_LOOK_AT: KernelCell<Cell<Option<&'static dyn Alarms>>> = KernelCell::new(Cell::new(None));

/// Asks the switch to look at the alarms. The timer calls this, in the clock's interrupt.
fn on_time<const N: usize>(timer: &'static SoftwareTimer) {
    // SAFETY: the timer is the first field of a driver in a static, whose address was exposed when
    // the timer was started.
    let alarms = unsafe { &*ptr::with_exposed_provenance::<Alarm<N>>(ptr::from_ref(timer).addr()) };
    kernel(|lock| TO_LOOK_AT.get(lock).set(Some(alarms)));
    // SAFETY: in the clock's interrupt.
    unsafe { SCHEDULER.ask_for_change_in_handler() };
}

/// Lets alarms expire, if their time has come. The switch calls this.
pub(super) fn expire() {
    if let Some(alarms) = kernel(|lock| TO_LOOK_AT.get(lock).take()) {
        alarms.expire();
    }
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
