//! Arms, cancels and expires timers while interrupts do the same; ends with code 0 if every timer
//! had its one outcome. The test takes an interrupt before every instruction of it.
#![no_std]
#![no_main]

use core::cell::UnsafeCell;
use core::future::Future;
use core::pin::{Pin, pin};
use core::sync::atomic::{AtomicU32, Ordering};
use core::task::{Context, RawWaker, RawWakerVTable, Waker};

use embassy_time::{Duration, Instant};
use quintet::export::{enable, hardware_priority, set_interrupt_priority};
use quintet::time::Timer;
use time_firmware::{PRIORITY_BITS, enable_interrupts, start_clock};

/// How often each waker was used: of the main program's timers, then of the handlers'.
static WOKEN: [AtomicU32; 6] = [const { AtomicU32::new(0) }; 6];
/// How often each handler ran.
static RUNS: [AtomicU32; 3] = [const { AtomicU32::new(0) }; 3];
/// The last reading of the handler above the kernel's ceiling.
static SEEN: AtomicU32 = AtomicU32::new(0);

static TABLE: RawWakerVTable =
    RawWakerVTable::new(|word| RawWaker::new(word, &TABLE), woken, woken, |_| {});

fn woken(word: *const ()) {
    WOKEN[word as usize].fetch_add(1, Ordering::Relaxed);
}

/// A waker that counts.
fn counter(index: usize) -> Waker {
    // SAFETY: the word is an index, and owns nothing.
    unsafe { Waker::new(index as *const (), &TABLE) }
}

fn poll(timer: Pin<&mut Timer>, index: usize) -> bool {
    timer.poll(&mut Context::from_waker(&counter(index))).is_ready()
}

/// A timer that a handler leaves armed.
struct Left(UnsafeCell<Timer>);

// SAFETY: one handler uses it.
unsafe impl Sync for Left {}

static LEFT: [Left; 2] = [const { Left(UnsafeCell::new(Timer::at(Instant::MAX))) }; 2];

/// Arms two timers and cancels them, and leaves a third one armed.
fn disturb(which: usize) {
    RUNS[which].fetch_add(1, Ordering::Relaxed);
    let mut long = pin!(Timer::after(Duration::from_micros(700)));
    poll(long.as_mut(), 5);
    let mut short = pin!(Timer::after(Duration::from_micros(2)));
    poll(short.as_mut(), 5);
    // SAFETY: a static, which only this handler uses, and which it doesn't move.
    let mut left = unsafe { Pin::new_unchecked(&mut *LEFT[which].0.get()) };
    left.as_mut().reset(Instant::now() + Duration::from_micros(30));
    if poll(left, 3 + which) {
        // So much came in between that its time has passed.
        WOKEN[3 + which].fetch_add(1, Ordering::Relaxed);
    }
}

/// Below the kernel's ceiling.
#[unsafe(no_mangle)]
extern "C" fn LOW() {
    disturb(0);
}

/// At the kernel's ceiling.
#[unsafe(no_mangle)]
extern "C" fn KERNEL() {
    disturb(1);
}

/// Above the kernel's ceiling: reads the clock.
#[unsafe(no_mangle)]
extern "C" fn UP() {
    RUNS[2].fetch_add(1, Ordering::Relaxed);
    let now = Instant::now().as_ticks() as u32;
    if now < SEEN.swap(now, Ordering::Relaxed) {
        exit(20);
    }
}

/// The test interrupts from here on.
#[inline(never)]
#[unsafe(no_mangle)]
extern "C" fn window_begin() {
    cortex_m::asm::nop();
}

/// The test interrupts up to here.
#[inline(never)]
#[unsafe(no_mangle)]
extern "C" fn window_end() {
    // Another body than the other mark's: equal ones may become one function.
    cortex_m::asm::nop();
    cortex_m::asm::nop();
}

fn work() {
    let start = Instant::now();
    let at = |microseconds| Timer::at(start + Duration::from_micros(microseconds));
    window_begin();
    let mut second = pin!(at(420));
    poll(second.as_mut(), 0);
    {
        let mut cancelled = pin!(at(9000));
        let mut also_cancelled = pin!(at(8000));
        poll(cancelled.as_mut(), 1);
        poll(also_cancelled.as_mut(), 1);
        let mut first = pin!(at(400));
        poll(first.as_mut(), 2);
        while WOKEN[2].load(Ordering::Relaxed) == 0 {
            if start.elapsed() > Duration::from_micros(2000) {
                exit(10);
            }
        }
        if start.elapsed() < Duration::from_micros(400) || !poll(first.as_mut(), 2) {
            exit(11);
        }
    }
    while WOKEN[0].load(Ordering::Relaxed) == 0 {
        if start.elapsed() > Duration::from_micros(2000) {
            exit(12);
        }
    }
    window_end();
}

#[cortex_m_rt::entry]
fn main() -> ! {
    enable_interrupts();
    // SAFETY: at the start.
    unsafe {
        set_interrupt_priority(2, hardware_priority(1, PRIORITY_BITS));
        enable(2);
    }
    start_clock();
    work();
    // What handlers have left armed wakes.
    let end = Instant::now();
    while end.elapsed() < Duration::from_micros(100) + Duration::from_ticks(2) {}
    let woken = |index: usize| WOKEN[index].load(Ordering::Relaxed);
    let runs = |index: usize| RUNS[index].load(Ordering::Relaxed);
    if (woken(0), woken(1), woken(2)) != (1, 0, 1) {
        exit(13);
    }
    for which in 0..2 {
        if (woken(3 + which) > 0) != (runs(which) > 0) || woken(3 + which) > runs(which) {
            exit(14);
        }
    }
    if cortex_m::register::basepri::read() != 0 || cortex_m::register::primask::read().is_inactive()
    {
        exit(15);
    }
    exit(0)
}

/// Ends the program by semihosting.
fn exit(code: u32) -> ! {
    let block = [0x2_0026, code];
    // SAFETY: SYS_EXIT_EXTENDED with a reason and a code.
    unsafe {
        core::arch::asm!("bkpt #0xab", in("r0") 0x20, in("r1") &block, options(noreturn));
    }
}
