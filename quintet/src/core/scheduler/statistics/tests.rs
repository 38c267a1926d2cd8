//! Statistics on the host: the thread to which a reading adds time.

#![expect(unsafe_code, reason = "the counter is a word of the test's")]

use std::sync::atomic::{AtomicU32, Ordering};

use super::super::tests::{alone, thread};
use crate::core::lock::kernel;
use crate::core::record::statistics::STATISTICS;

/// Begins, and counts by a word of the test.
fn count_by(word: &'static AtomicU32) {
    kernel(|lock| {
        STATISTICS.begin(lock);
        // SAFETY: a word that any context may read.
        unsafe { STATISTICS.count_by(word.as_ptr(), lock) };
    });
}

/// Returns the time since the threads began, and the time that idle ran.
fn cycles() -> (u64, u64) {
    let (elapsed, (_, idle)) = kernel(|lock| STATISTICS.of_all(lock));
    (elapsed, idle)
}

fn cycles_of_idle() -> u64 {
    cycles().1
}

#[test]
fn time_belongs_to_whom_it_was_counted_for_and_the_counter_may_wrap() {
    static WORD: AtomicU32 = AtomicU32::new(u32::MAX - 9);
    alone(|| {
        let other = thread(3);
        count_by(&WORD);
        let (elapsed, before) = cycles();
        WORD.store(u32::MAX, Ordering::Relaxed);
        assert_eq!(cycles_of_idle() - before, 9);
        WORD.store(5, Ordering::Relaxed);
        assert_eq!(cycles_of_idle() - before, 15);
        STATISTICS.counted.set(other);
        WORD.store(u32::MAX, Ordering::Relaxed);
        assert_eq!(cycles_of_idle() - before, 15, "another one ran");
        let (switches, cycles) = kernel(|lock| STATISTICS.of(other, lock));
        assert_eq!((switches, cycles), (0, u64::from(u32::MAX - 5)));
        WORD.store(u32::MAX - 1, Ordering::Relaxed);
        let (_, cycles) = kernel(|lock| STATISTICS.of(other, lock));
        assert_eq!(cycles, u64::from(u32::MAX - 5) + u64::from(u32::MAX), "more than 32 bits");
        assert_eq!(self::cycles().0 - elapsed, 15 + cycles);
    });
}

#[test]
fn another_counter_goes_on_where_the_first_was() {
    static FIRST: AtomicU32 = AtomicU32::new(100);
    static SECOND: AtomicU32 = AtomicU32::new(7);
    alone(|| {
        count_by(&FIRST);
        let (elapsed, idle) = cycles();
        FIRST.store(130, Ordering::Relaxed);
        // SAFETY: a word that any context may read.
        kernel(|lock| unsafe { STATISTICS.count_by(SECOND.as_ptr(), lock) });
        assert_eq!(cycles_of_idle() - idle, 30);
        SECOND.store(9, Ordering::Relaxed);
        assert_eq!(cycles(), (elapsed + 32, idle + 32));
    });
}
