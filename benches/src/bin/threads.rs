//! Group `threads`: what waking, switching and waiting cost between threads, and from interrupts.
//!
//! The scenario is written down in `scenarios/threads.toml`. With `threads_8` and `threads_32`
//! there are so many threads in all; the others have every priority and wait.

#![no_std]
#![no_main]

use core::hint::black_box;
use portable_atomic::{AtomicU32, Ordering};

use quintet::sync::{Operation, Semaphore};
use quintet::thread::{CurrentThread, Thread};
use quintet_bench_common::device::{Interrupt, enable};
use quintet_bench_common::{exit, mark, pend};

quintet_bench_common::vectors!();

quintet::kernel!(hardware_priority = 0x20);
quintet::thread!(static LOW, priority = 4, stack = 512, entry = low);
quintet::thread!(static EQUAL, priority = 4, stack = 256, entry = equal);
quintet::thread!(static HIGH, priority = 6, stack = 384, entry = high);

/// What the two give each other, and who is next to run.
static SEMAPHORE: Semaphore = Semaphore::new(0);
/// Nobody waits for it.
static FREE: Semaphore = Semaphore::new(0);
/// Lets the equal one run.
static TURN: Semaphore = Semaphore::new(0);
/// How often the higher thread was let run, so that nothing is left out unseen.
static SERVED: AtomicU32 = AtomicU32::new(0);

const ROUNDS: u32 = 3;

/// What a thread takes, without its stack.
#[unsafe(no_mangle)]
#[used]
static THREAD_BYTES: usize = size_of::<Thread>();
/// What a semaphore takes.
#[unsafe(no_mangle)]
#[used]
static SEMAPHORE_BYTES: usize = size_of::<Semaphore>();

#[cortex_m_rt::entry]
fn main() -> ! {
    // SAFETY: nothing of the kernel was used before.
    unsafe { quintet::thread::initialise() };
    enable(Interrupt::TIM3, 5);
    enable(Interrupt::TIM4, 5);
    more::start();
    for thread in [&HIGH, &EQUAL, &LOW] {
        thread.start().unwrap_or_else(|_| exit(103));
    }
    loop {
        cortex_m::asm::wfi();
    }
}

/// Takes what the lower gives, and what the interrupt gives.
fn high(this: &CurrentThread<'_>) {
    loop {
        mark!("sem_blk_from");
        SEMAPHORE.take().block(this);
        mark!("sem_sw_to");
        SERVED.fetch_add(1, Ordering::Relaxed);
    }
}

fn low(this: &CurrentThread<'_>) {
    mark!("start");
    for _ in 0..black_box(ROUNDS) {
        mark!("sem_sig_from");
        FREE.give();
        mark!("sem_sig_to");
        mark!("sem_take_from");
        FREE.take().block(this);
        mark!("sem_take_to");

        mark!("sem_sw_from");
        SEMAPHORE.give();
        mark!("sem_blk_to");
        pend!("irq_from", "irq_back", Interrupt::TIM3);
        pend!("nopisr_from", "nopisr_to", Interrupt::TIM4);

        TURN.give();
        // The equal one takes its turn, and gives it back.
        this.yield_now();
        mark!("yield_from");
        this.yield_now();
    }
    mark!("end");
    exit(if SERVED.load(Ordering::Relaxed) == 2 * ROUNDS { 0 } else { 104 })
}

fn equal(this: &CurrentThread<'_>) {
    loop {
        TURN.take().block(this);
        this.yield_now();
        mark!("yield_to");
    }
}

/// Wakes the higher thread.
#[unsafe(no_mangle)]
unsafe extern "C" fn TIM3() {
    SEMAPHORE.give();
}

/// Does nothing: the kernel has no part in an interrupt that doesn't use it.
#[unsafe(no_mangle)]
unsafe extern "C" fn TIM4() {}

/// Threads that are only there.
mod more {
    #[cfg(any(feature = "threads_8", feature = "threads_32"))]
    macro_rules! others {
        ($($name:ident $priority:literal),*) => {
            quintet_benches::others!($($name $priority),*);

            pub fn start() {
                $($name.start().unwrap_or_else(|_| quintet_bench_common::exit(103));)*
            }
        };
    }

    #[cfg(feature = "threads_8")]
    others!(A 1, B 2, C 4, D 6, E 31);
    #[cfg(feature = "threads_32")]
    others!(
        A 1, B 2, C 3, D 4, E 5, F 6, G 7, H 8, I 9, J 10, K 11, L 12, M 13, N 14, O 15, P 16, Q 17,
        R 18, S 19, T 20, U 21, V 22, W 23, X 24, Y 25, Z 26, ZA 27, ZB 28, ZC 31
    );

    #[cfg(not(any(feature = "threads_8", feature = "threads_32")))]
    pub const fn start() {}
}
