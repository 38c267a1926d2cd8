//! Limits for the restarts of processes, by the names of their applications.
//!
//! Restarts by the process itself (exit-restart) and by the policy (`Policy::Restart`) count, and
//! may be held off. Restarts by an operator, by [`restart`](Process::restart), are never held off.

#![expect(unsafe_code, reason = "a record is found by its timer, which is the first field")]

use ::core::cell::Cell;
use ::core::ptr;

use embassy_time::{Duration, Instant};

use super::backoff::{Backoff, RestartLimit, Window};
use super::record::Process;
use super::system::System;
use crate::core::kernel_cell::KernelCell;
use crate::core::lock::kernel;
use crate::time::SoftwareTimer;

/// The limits of an application's processes, `N` at most: a static, for [`System::limit_restarts`].
///
/// ```
/// use quintet::process::{RestartLimit, Restarts};
/// use quintet::time::Duration;
///
/// /// 5 restarts in 10 s; 100 in a minute for the application `sensor`.
/// static RESTARTS: Restarts<4> = Restarts::new(RestartLimit::new(5, Duration::from_secs(10)))
///     .named(&[("sensor", RestartLimit::new(100, Duration::from_secs(60)))]);
///
/// /// Call this before `PROCESSES.start`.
/// fn limit(processes: &'static System) {
///     processes.limit_restarts(&RESTARTS);
/// }
/// ```
///
/// Takes 72 bytes for each process.
pub struct Restarts<const N: usize> {
    others: RestartLimit,
    named: &'static [(&'static str, RestartLimit)],
    processes: [Held; N],
}

debug_by_name!([const N: usize] Restarts<N>: "Restarts");

/// The restarts of a process.
#[repr(C)]
struct Held {
    /// The first field, so that the timer's address is this record's address.
    timer: SoftwareTimer,
    window: KernelCell<Cell<Window>>,
    process: KernelCell<Cell<Option<&'static Process>>>,
}

impl Held {
    const fn new() -> Self {
        Self {
            timer: SoftwareTimer::new(on_time),
            window: KernelCell::new(Cell::new(Window::new())),
            process: KernelCell::new(Cell::new(None)),
        }
    }
}

/// The limits of the application, without their type.
#[derive(Clone, Copy)]
struct Limits {
    others: &'static RestartLimit,
    named: &'static [(&'static str, RestartLimit)],
    processes: &'static [Held],
}

/// The limits of the application, if there are any.
static LIMITS: KernelCell<Cell<Option<Limits>>> = KernelCell::new(Cell::new(None));

impl<const N: usize> Restarts<N> {
    /// Makes limits with this limit for each process.
    #[must_use]
    pub const fn new(limit: RestartLimit) -> Self {
        Self { others: limit, named: &[], processes: [const { Held::new() }; N] }
    }

    /// Sets other limits for the processes of applications with these names.
    #[must_use]
    pub const fn named(mut self, named: &'static [(&'static str, RestartLimit)]) -> Self {
        self.named = named;
        self
    }
}

impl System {
    /// Limits how often processes start again by themselves, or by `Policy::Restart`. Without a
    /// limit, they start again at once, any number of times. Best called before
    /// [`start`](Self::start).
    ///
    /// # Panics
    /// If `N` is less than the largest number of processes.
    pub fn limit_restarts<const N: usize>(&self, limits: &'static Restarts<N>) {
        assert!(
            N >= self.processes.len(),
            "`Restarts<{N}>` counts for {N} processes, and there can be {}: give it that number",
            self.processes.len()
        );
        let Restarts { others, named, processes } = limits;
        kernel(|lock| LIMITS.get(lock).set(Some(Limits { others, named, processes })));
    }
}

/// Returns the limits of the application, and the record of a process; `None` without limits.
fn limits_of(process: &Process) -> Option<(Limits, &'static Held)> {
    let limits = kernel(|lock| LIMITS.get(lock).get())?;
    Some((limits, &limits.processes[process.index()]))
}

/// Asks whether a process may start again, and counts this restart. Runs in the switch.
pub fn ask(process: &Process) -> Backoff {
    let Some((limits, held)) = limits_of(process) else { return Backoff::Now };
    let mut named = limits.named.iter();
    let limit = named.find(|(name, _)| *name == process.name()).map(|(_, limit)| limit);
    let mut window = kernel(|lock| held.window.get(lock).get());
    let backoff = limit.unwrap_or(limits.others).count(&mut window, Instant::now());
    kernel(|lock| held.window.get(lock).set(window));
    backoff
}

/// Lets a process start again after a delay.
pub fn begin_behind(process: &'static Process, delay: Duration) {
    if let Some((_, held)) = limits_of(process) {
        kernel(|lock| held.process.get(lock).set(Some(process)));
        // The timer's function finds the record by this address.
        let _address = ptr::from_ref(held).expose_provenance();
        held.timer.start(delay);
    }
}

/// Resets the count of a process's restarts.
pub fn forgive(process: &Process) {
    if let Some((_, held)) = limits_of(process) {
        kernel(|lock| held.window.get(lock).set(Window::new()));
    }
}

/// Ends the delay of a restart.
fn on_time(timer: &'static SoftwareTimer) {
    // SAFETY: the timer is the first field of a process's record in a static, whose address was
    // exposed when the timer was started.
    let held = unsafe { &*ptr::with_exposed_provenance::<Held>(ptr::from_ref(timer).addr()) };
    if let Some(process) = kernel(|lock| held.process.get(lock).get()) {
        process.end_delay();
    }
}
