//! The driver of `embassy-time` over the shared timer, as Embassy's hardware layers have them: the
//! queue that is integrated in the executor, under a critical section.

use core::cell::RefCell;
use core::task::Waker;

use critical_section::Mutex;
use embassy_time_driver::Driver;
use embassy_time_queue_utils::Queue;
use quintet_bench_common::device::{self, Interrupt};
use quintet_bench_common::timer;

struct TimerDriver {
    queue: Mutex<RefCell<Queue>>,
}

embassy_time_driver::time_driver_impl!(static DRIVER: TimerDriver = TimerDriver {
    queue: Mutex::new(RefCell::new(Queue::new())),
});

/// Starts the clock; its interrupt gets the priority.
pub fn start(priority: u8) {
    timer::start();
    device::enable(Interrupt::TIM2, priority);
}

impl TimerDriver {
    /// Wakes what is due, until the alarm is set for what is not.
    fn arm(queue: &mut Queue) {
        loop {
            let next = queue.next_expiration(timer::now());
            if next == u64::MAX {
                return timer::clear_alarm();
            }
            timer::set_alarm(next);
            if timer::now() < next {
                return;
            }
        }
    }
}

impl Driver for TimerDriver {
    fn now(&self) -> u64 {
        timer::now()
    }

    fn schedule_wake(&self, at: u64, waker: &Waker) {
        critical_section::with(|token| {
            let mut queue = self.queue.borrow(token).borrow_mut();
            if queue.schedule_wake(at, waker) {
                Self::arm(&mut queue);
            }
        });
    }
}

#[unsafe(no_mangle)]
extern "C" fn TIM2() {
    critical_section::with(|token| {
        timer::acknowledge();
        TimerDriver::arm(&mut DRIVER.queue.borrow(token).borrow_mut());
    });
}
