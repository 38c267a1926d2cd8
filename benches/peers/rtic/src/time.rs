//! RTIC's clock over the shared timer, as `rtic-monotonics` has them for the timers of chips.

use quintet_bench_common::device::{self, Interrupt};
use quintet_bench_common::timer;
use rtic_time::monotonic::TimerQueueBasedMonotonic;
use rtic_time::timer_queue::{TimerQueue, TimerQueueBackend};

/// The clock: microseconds.
pub struct Mono;

impl Mono {
    /// Starts the clock; its interrupt gets the priority.
    pub fn start(priority: u8) {
        timer::start();
        Backend::timer_queue().initialize(Backend);
        device::enable(Interrupt::TIM2, priority);
    }
}

impl TimerQueueBasedMonotonic for Mono {
    type Backend = Backend;
    type Instant = fugit::TimerInstantU64<1_000_000>;
    type Duration = fugit::TimerDurationU64<1_000_000>;
}

/// What the timer queue asks of the timer.
pub struct Backend;

static QUEUE: TimerQueue<Backend> = TimerQueue::new();

impl TimerQueueBackend for Backend {
    type Ticks = u64;

    fn now() -> u64 {
        timer::now()
    }

    fn set_compare(instant: u64) {
        timer::set_alarm(instant);
    }

    fn clear_compare_flag() {
        timer::acknowledge();
    }

    fn pend_interrupt() {
        cortex_m::peripheral::NVIC::pend(Interrupt::TIM2);
    }

    fn disable_timer() {
        timer::clear_alarm();
    }

    fn timer_queue() -> &'static TimerQueue<Self> {
        &QUEUE
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn TIM2() {
    // SAFETY: this is the timer's interrupt.
    unsafe { QUEUE.on_monotonic_interrupt() }
}
