//! Tasks of every priority that use one another's resources, spawn and wake, and judge themselves.
//!
//! The least urgent one holds a resource and pends the others: those above the ceiling run at once,
//! the others don't. Then it works between the marks `begin` and `end`; a test interrupts it there,
//! and what interrupts it, by the others. In the end idle looks whether everything has happened,
//! and nothing twice. Each number is written by one context only, as RV32IMC can't do more without
//! holding interrupts off.
//!
//! The test interrupts by the timer, whose handler is the application's own: the handler pends.

#![no_std]
#![no_main]

#[path = "../../../pairs.rs"]
mod pairs;

use core::sync::atomic::{AtomicBool, Ordering};

use pairs::CONTEXTS;
use quintet::riscv::Interrupt;
use riscv_rt as _;
use semihosting as _;

/// The timer's interrupt comes while `mtime` isn't below this.
const MTIMECMP: *mut u32 = 0x0200_4000 as *mut u32;
/// The time, in ticks.
const MTIME: *const u32 = 0x0200_bff8 as *const u32;
/// So many ticks ahead the timer is armed; the test lets them pass at once.
const FAR: u32 = 1 << 20;
/// The bit of the timer in `mie`.
const MTIE: u32 = 1 << 7;

/// Which tasks the timer's handler pends; the test sets a byte before it lets the timer's interrupt
/// come.
#[unsafe(no_mangle)]
static PENDS: [AtomicBool; CONTEXTS] = [const { AtomicBool::new(false) }; CONTEXTS];

/// Arms the timer.
fn arm() {
    // SAFETY: nobody else uses the timer.
    unsafe {
        MTIMECMP.write_volatile(MTIME.read_volatile() + FAR);
        MTIMECMP.add(1).write_volatile(0);
    }
}

/// The handler of the timer.
#[unsafe(no_mangle)]
extern "C" fn MachineTimer() {
    arm();
    let tasks =
        [Interrupt::SOFTWARE0, Interrupt::SOFTWARE1, Interrupt::SOFTWARE2, Interrupt::SOFTWARE3];
    for (pends, task) in PENDS.iter().zip(tasks) {
        if pends.load(Ordering::Relaxed) {
            pends.store(false, Ordering::Relaxed);
            quintet::pend(task);
        }
    }
}

#[quintet::app(
    device = quintet::riscv,
    peripherals = false,
    dispatchers = [SOFTWARE6, SOFTWARE7],
)]
mod app {
    use core::future::poll_fn;
    use core::sync::atomic::Ordering;
    use core::task::Poll;

    use quintet::riscv::Interrupt;

    use super::pairs::{ARRIVED, Pair, RUNS, SEEN, SENT, TOUCHES, WOKEN, begin, end, judge};
    use super::{MTIE, arm};

    #[shared]
    struct Shared {
        lower: Pair,
        upper: Pair,
        topmost: Pair,
    }

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        // Not spawned before.
        let _ = waits::spawn();
        quintet::pend(Interrupt::SOFTWARE0);
        arm();
        // SAFETY: the handler may run as soon as `init` ends.
        unsafe { core::arch::asm!("csrs mie, {}", in(reg) MTIE) };
        (
            Shared { lower: Pair::default(), upper: Pair::default(), topmost: Pair::default() },
            Local {},
        )
    }

    #[idle(shared = [lower, upper, topmost])]
    fn idle(mut cx: idle::Context) -> ! {
        judge();
        let touched = (&mut cx.shared.lower, &mut cx.shared.upper, &mut cx.shared.topmost)
            .lock(|lower, upper, topmost| lower.two + upper.two + topmost.two);
        assert_eq!(touched, TOUCHES.sum(), "a section was lost");
        assert_eq!(ARRIVED.load(Ordering::Relaxed), SENT.sum(), "a spawn was lost");
        assert_eq!(SEEN.load(Ordering::Relaxed), WOKEN.sum(), "a wake-up was lost");
        semihosting::process::exit(0)
    }

    /// Sends a number, and wakes the task that waits.
    fn tell(context: usize, number: u32) {
        if arrives::spawn(number).is_ok() {
            SENT.add(context, number);
        }
        WOKEN.add(context, 1);
        waits::waker().wake();
    }

    #[task(binds = SOFTWARE0, priority = 1, shared = [lower, upper, topmost])]
    fn low(mut cx: low::Context) {
        cx.shared.lower.lock(|lower| {
            lower.touch(0);
            quintet::pend(Interrupt::SOFTWARE1);
            quintet::pend(Interrupt::SOFTWARE2);
            quintet::pend(Interrupt::SOFTWARE3);
            assert_eq!(RUNS.all(), [0, 0, 1, 1], "a ceiling holds off too much, or too little");
            lower.touch(0);
        });
        assert_eq!(RUNS.all(), [0, 1, 1, 1], "the end of a section lets nobody in");
        begin();
        cx.shared.lower.lock(|lower| {
            lower.touch(0);
            cx.shared.upper.lock(|upper| {
                upper.touch(0);
                cx.shared.topmost.lock(|topmost| topmost.touch(0));
                upper.touch(0);
            });
            lower.touch(0);
        });
        // A ceiling below the one that is raised lowers nothing.
        cx.shared.topmost.lock(|topmost| {
            topmost.touch_while(0, || cx.shared.lower.lock(|lower| lower.touch(0)));
        });
        tell(0, 1);
        end();
        RUNS.add(0, 1);
    }

    #[task(binds = SOFTWARE1, priority = 2, shared = [lower, upper])]
    fn middle(mut cx: middle::Context) {
        cx.shared.upper.lock(|upper| upper.touch(1));
        cx.shared.lower.lock(|lower| lower.touch(1));
        tell(1, 10);
        RUNS.add(1, 1);
    }

    #[task(binds = SOFTWARE2, priority = 3, shared = [upper])]
    fn high(mut cx: high::Context) {
        cx.shared.upper.lock(|upper| upper.touch(2));
        tell(2, 100);
        RUNS.add(2, 1);
    }

    #[task(binds = SOFTWARE3, priority = 4, shared = [topmost])]
    fn top(mut cx: top::Context) {
        cx.shared.topmost.lock(|topmost| topmost.touch(3));
        tell(3, 1000);
        RUNS.add(3, 1);
    }

    #[task(priority = 2)]
    async fn arrives(_: arrives::Context, number: u32) {
        ARRIVED.store(ARRIVED.load(Ordering::Relaxed) + number, Ordering::Relaxed);
    }

    #[task(priority = 1)]
    async fn waits(_: waits::Context) {
        poll_fn::<(), _>(|_| {
            SEEN.store(WOKEN.sum(), Ordering::Relaxed);
            Poll::Pending
        })
        .await;
    }
}
