//! What timers cost, in cycles by the DWT: arming, cancelling and expiry with 1, 8 and 64 armed.
#![no_std]
#![no_main]

use core::future::Future;
use core::pin::{Pin, pin};
use core::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use core::task::{Context, RawWaker, RawWakerVTable, Waker};

use cortex_m::peripheral::DWT;
use embassy_time::{Duration, Instant};
use quintet::time::Timer;
use time_firmware::{Random, start_clock, waker};

/// For 1, 8 and 64 armed: the cycles to arm a timer that becomes the earliest, and to drop it; to
/// arm and to drop one that doesn't; to read the clock. All with about 5 cycles for the measuring.
#[unsafe(no_mangle)]
static REPORT: [AtomicU32; 24] = [const { AtomicU32::new(0) }; 24];

/// Whether the waker was used.
static WOKEN: AtomicBool = AtomicBool::new(false);

static TABLE: RawWakerVTable =
    RawWakerVTable::new(|word| RawWaker::new(word, &TABLE), woken, woken, |_| {});

/// The waker of what expires. The test stops here.
#[inline(never)]
#[unsafe(no_mangle)]
fn woken(_word: *const ()) {
    WOKEN.store(true, Ordering::Relaxed);
}

/// The test stops here: what follows is an expiry.
#[inline(never)]
#[unsafe(no_mangle)]
extern "C" fn armed() {
    WOKEN.store(false, Ordering::Relaxed);
}

#[inline(never)]
fn poll(timer: Pin<&mut Timer>, waker: &Waker) -> bool {
    timer.poll(&mut Context::from_waker(waker)).is_ready()
}

#[inline(never)]
#[unsafe(no_mangle)]
unsafe fn drop_timer(timer: *mut Timer) {
    // SAFETY: the caller's.
    unsafe { timer.drop_in_place() };
}

/// The cycles that `what` takes.
fn measure(what: impl FnOnce()) -> u32 {
    let start = DWT::cycle_count();
    what();
    DWT::cycle_count() - start
}

/// Measures arming and dropping a timer that ends after `duration`.
fn arm_and_cancel(duration: Duration, waker: &Waker) -> (u32, u32) {
    let mut place = core::mem::ManuallyDrop::new(Timer::after(duration));
    // SAFETY: it stays in its place until it is dropped.
    let arm = measure(|| _ = poll(unsafe { Pin::new_unchecked(&mut *place) }, waker));
    // SAFETY: dropped once.
    let cancel = measure(|| unsafe { drop_timer(&mut *place) });
    (arm, cancel)
}

#[inline(never)]
fn with_others<const OTHERS: usize>(report: &[AtomicU32], order: fn(u32) -> u32) {
    let now = Instant::now();
    let mut others: [Timer; OTHERS] = core::array::from_fn(|index| {
        let milliseconds = 1000 + order(index as u32) % 100_000;
        Timer::at(now + Duration::from_millis(u64::from(milliseconds)))
    });
    // SAFETY: the array is not moved any more.
    let mut others = unsafe { Pin::new_unchecked(&mut others) };
    for (index, other) in unsafe { others.as_mut().get_unchecked_mut() }.iter_mut().enumerate() {
        let waker = waker(index % 8);
        // SAFETY: not moved.
        poll(unsafe { Pin::new_unchecked(other) }, &waker);
    }
    let waker = waker(0);
    let (arm, cancel) = arm_and_cancel(Duration::from_millis(100), &waker);
    report[0].store(arm, Ordering::Relaxed);
    report[1].store(cancel, Ordering::Relaxed);
    let (arm, cancel) = arm_and_cancel(Duration::from_secs(200), &waker);
    report[2].store(arm, Ordering::Relaxed);
    report[3].store(cancel, Ordering::Relaxed);
    // SAFETY: the table's functions ignore the word.
    let foreign = unsafe { Waker::new(core::ptr::null(), &TABLE) };
    let mut timer = pin!(Timer::after(Duration::from_millis(1)));
    poll(timer.as_mut(), &foreign);
    armed();
    while !WOKEN.load(Ordering::Relaxed) {
        cortex_m::asm::wfe();
    }
    report[4].store(measure(|| _ = Instant::now()), Ordering::Relaxed);
}

#[cortex_m_rt::entry]
fn main() -> ! {
    let Some(mut peripherals) = cortex_m::Peripherals::take() else { cortex_m::asm::udf() };
    peripherals.DCB.enable_trace();
    peripherals.DWT.enable_cycle_counter();
    start_clock();
    let random = |index| Random(index + 7).number();
    with_others::<0>(&REPORT[..8], random);
    with_others::<7>(&REPORT[8..], random);
    with_others::<63>(&REPORT[16..], random);
    done()
}

/// The test stops here.
#[inline(never)]
#[unsafe(no_mangle)]
extern "C" fn done() -> ! {
    loop {
        cortex_m::asm::wfe();
    }
}
