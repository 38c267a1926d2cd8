//! What a hardware abstraction layer has of a time driver: a counter, an alarm, and the queue of
//! `embassy-time-queue-utils`. The counter is read by whoever asks, and the alarm polls it.

#![no_std]

use core::cell::{Cell, RefCell};
use core::task::Waker;

use critical_section::Mutex;
use embassy_time_driver::Driver;
use embassy_time_queue_utils::Queue;

struct Counter {
    ticks: Mutex<Cell<u64>>,
    queue: Mutex<RefCell<Queue>>,
}

embassy_time_driver::time_driver_impl!(static DRIVER: Counter = Counter {
    ticks: Mutex::new(Cell::new(0)),
    queue: Mutex::new(RefCell::new(Queue::new())),
});

impl Driver for Counter {
    fn now(&self) -> u64 {
        critical_section::with(|section| self.ticks.borrow(section).get())
    }

    fn schedule_wake(&self, at: u64, waker: &Waker) {
        critical_section::with(|section| {
            self.queue.borrow_ref_mut(section).schedule_wake(at, waker);
        });
    }
}

/// Lets some time pass, as the counter's interrupt does: wakes what is due.
pub fn tick() {
    critical_section::with(|section| {
        let ticks = DRIVER.ticks.borrow(section);
        ticks.set(ticks.get() + 1000);
        DRIVER.queue.borrow_ref_mut(section).next_expiration(ticks.get());
    });
}
