//! Limits of restarts: how often processes may start anew, by their names.
//!
//! They count what a process does by itself (exit-restart) and what the policy lets it do
//! (`Policy::Restart`), and hold it off. What an operator [restarts](Process::restart) isn't held
//! off.

#![expect(unsafe_code, reason = "what is counted is found by its timer, which is its first field")]

use ::core::cell::Cell;
use ::core::ptr;

use embassy_time::{Duration, Instant};

use super::backoff::{Backoff, RestartLimit, Window};
use super::record::Process;
use super::system::System;
use crate::core::kernel_cell::KernelCell;
use crate::core::lock::kernel;
use crate::time::SoftwareTimer;

/// The limits of an application's processes, `N` at most: a static, for
/// [`System::limit_restarts`].
///
/// ```text
/// static RESTARTS: Restarts<4> =
///     Restarts::new(RestartLimit::new(5, Duration::from_secs(10)))
///         .named(&[("sensor", RestartLimit::new(100, Duration::from_secs(60)))]);
/// ```
///
/// Takes 72 bytes for each process.
pub struct Restarts<const N: usize> {
    others: RestartLimit,
    named: &'static [(&'static str, RestartLimit)],
    processes: [Held; N],
}

debug_by_name!([const N: usize] Restarts<N>: "Restarts");

/// What is counted of a process.
#[repr(C)]
struct Held {
    /// First: its address is this one's.
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

/// The limits of the application, if it has any.
static LIMITS: KernelCell<Cell<Option<Limits>>> = KernelCell::new(Cell::new(None));

impl<const N: usize> Restarts<N> {
    /// This limit for each process.
    #[must_use]
    pub const fn new(limit: RestartLimit) -> Self {
        Self { others: limit, named: &[], processes: [const { Held::new() }; N] }
    }

    /// Other limits for the processes of applications with these names.
    #[must_use]
    pub const fn named(mut self, named: &'static [(&'static str, RestartLimit)]) -> Self {
        self.named = named;
        self
    }
}

impl System {
    /// Limits how often processes start anew by themselves, or by `Policy::Restart`. Without it
    /// they do so at once, as often as they want. Before [`start`](Self::start), best.
    ///
    /// # Panics
    /// If `N` is less than there can be processes.
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

/// The limits of the application, and what is counted of a process; none if it has none.
fn limits_of(process: &Process) -> Option<(Limits, &'static Held)> {
    let limits = kernel(|lock| LIMITS.get(lock).get())?;
    Some((limits, &limits.processes[process.index()]))
}

/// Asks whether a process may start anew, in the switch; counts it.
pub fn ask(process: &Process) -> Backoff {
    let Some((limits, held)) = limits_of(process) else { return Backoff::Now };
    let mut named = limits.named.iter();
    let limit = named.find(|(name, _)| *name == process.name()).map(|(_, limit)| limit);
    let mut window = kernel(|lock| held.window.get(lock).get());
    let backoff = limit.unwrap_or(limits.others).count(&mut window, Instant::now());
    kernel(|lock| held.window.get(lock).set(window));
    backoff
}

/// Lets a process start anew behind a delay.
pub fn begin_behind(process: &'static Process, delay: Duration) {
    if let Some((_, held)) = limits_of(process) {
        kernel(|lock| held.process.get(lock).set(Some(process)));
        // The timer's function finds this by it.
        let _address = ptr::from_ref(held).expose_provenance();
        held.timer.start(delay);
    }
}

/// Forgets how often a process has started anew.
pub fn forgive(process: &Process) {
    if let Some((_, held)) = limits_of(process) {
        kernel(|lock| held.window.get(lock).set(Window::new()));
    }
}

/// The delay of a restart is over.
fn on_time(timer: &'static SoftwareTimer) {
    // SAFETY: the timer is the first field of what is counted of a process in a static, whose
    // address was exposed when it was started.
    let held = unsafe { &*ptr::with_exposed_provenance::<Held>(ptr::from_ref(timer).addr()) };
    if let Some(process) = kernel(|lock| held.process.get(lock).get()) {
        process.end_delay();
    }
}
