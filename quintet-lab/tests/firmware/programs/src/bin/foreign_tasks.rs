//! Tasks with the names that the macros of RTIC and Embassy give them, and functions with the names
//! of their executors; neither is there.
#![no_std]
#![no_main]

use core::future::{Future, poll_fn};
use core::hint::black_box;
use core::pin::{Pin, pin};
use core::sync::atomic::{AtomicBool, Ordering::Relaxed};
use core::task::{Context, Poll, Waker};

use cortex_m::peripheral::SCB;

fn work(rounds: u32) {
    for round in 0..rounds {
        black_box(round);
    }
}

/// As an application of RTIC.
mod app {
    use super::*;

    /// Where RTIC has the future of `report`; here, whether it is ready.
    #[allow(non_upper_case_globals, reason = "RTIC calls it so")]
    #[used]
    pub static __rtic_internal_report_EXEC: AtomicBool = AtomicBool::new(false);

    pub async fn report() {
        work(30);
        poll_fn(|_| Poll::<()>::Pending).await;
    }

    #[inline(always)]
    pub fn timer() {
        work(40);
    }

    /// The executor of a task, which looks whether the task is ready.
    #[inline(always)]
    pub fn poll<F: Future>(ready: &AtomicBool, future: Pin<&mut F>) {
        if ready.load(Relaxed) {
            ready.store(false, Relaxed);
            let _ = future.poll(&mut Context::from_waker(Waker::noop()));
        }
    }

    /// Runs something at a priority.
    #[inline(always)]
    pub fn run<F: FnOnce()>(run: F) {
        run();
    }
}

/// A dispatcher.
#[unsafe(no_mangle)]
extern "C" fn PendSV() {
    app::run(|| app::poll(&app::__rtic_internal_report_EXEC, pin!(app::report())));
}

/// A hardware task.
#[unsafe(no_mangle)]
extern "C" fn SysTick() {
    // As RTIC's macro writes it: a call in a closure.
    app::run(|| {
        app::timer();
    });
}

/// As Embassy's macro writes the task `blink`.
fn __blink_task() -> impl Future {
    async fn __blink_task_inner_function() {
        work(20);
        poll_fn(|_| Poll::<()>::Pending).await;
    }
    __blink_task_inner_function()
}

/// As Embassy's function for the future of a task.
#[inline(never)]
fn poll<F: Future>(future: Pin<&mut F>) -> bool {
    future.poll(&mut Context::from_waker(Waker::noop())).is_ready()
}

#[cortex_m_rt::entry]
fn main() -> ! {
    for round in 0..6 {
        // The dispatcher comes six times, and finds the task ready three times.
        app::__rtic_internal_report_EXEC.store(round % 2 == 0, Relaxed);
        SCB::set_pendsv();
        cortex_m::asm::isb();
    }
    for _ in 0..2 {
        SCB::set_pendst();
        cortex_m::asm::isb();
    }
    for _ in 0..4 {
        black_box(poll(pin!(__blink_task())));
    }
    semihosting::process::exit(0)
}
