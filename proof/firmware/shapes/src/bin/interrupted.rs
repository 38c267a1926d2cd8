//! Tasks of every priority that use one another's resources, spawn and wake, and judge themselves.
//!
//! The least urgent one holds a resource and pends the others: those above the ceiling run at once,
//! the others don't. Then it works between the marks `begin` and `end`; a test interrupts it there,
//! and what interrupts it, by the others. In the end idle looks whether everything has happened,
//! and nothing twice. Each number is written by one context only, as an ARMv6-M can't do more
//! without holding interrupts off.
#![no_std]
#![no_main]

use core::sync::atomic::{AtomicU32, Ordering};

use semihosting as _;

/// The contexts that count: the tasks by priority.
const CONTEXTS: usize = 4;

/// A number for each context.
struct Counts([AtomicU32; CONTEXTS]);

impl Counts {
    const fn new() -> Self {
        Self([const { AtomicU32::new(0) }; CONTEXTS])
    }

    fn add(&self, context: usize, number: u32) {
        let count = &self.0[context];
        count.store(count.load(Ordering::Relaxed) + number, Ordering::Relaxed);
    }

    /// The numbers of all contexts.
    fn all(&self) -> [u32; CONTEXTS] {
        [0, 1, 2, 3].map(|context: usize| self.0[context].load(Ordering::Relaxed))
    }

    fn sum(&self) -> u32 {
        self.all().iter().sum()
    }
}

/// How often each hardware task has run; the test reads it.
#[unsafe(no_mangle)]
static RUNS: Counts = Counts::new();
/// How often each context has touched a resource.
static TOUCHES: Counts = Counts::new();
/// What each context has sent, and what has arrived.
static SENT: Counts = Counts::new();
static ARRIVED: AtomicU32 = AtomicU32::new(0);
/// How often each context has woken the task that waits, and of how many that task knows.
static WOKEN: Counts = Counts::new();
static SEEN: AtomicU32 = AtomicU32::new(0);

/// Two numbers that are equal whenever nobody is at them.
#[derive(Default)]
pub struct Pair {
    one: u32,
    two: u32,
}

impl Pair {
    fn touch(&mut self, context: usize) {
        let before = self.one;
        assert_eq!(before, self.two, "somebody else is at the resource");
        self.one = before + 1;
        TOUCHES.add(context, 1);
        self.two = before + 1;
    }
}

/// From here on the test interrupts.
#[unsafe(no_mangle)]
#[inline(never)]
extern "C" fn begin() {
    cortex_m::asm::nop();
}

/// From here on only what interrupted is interrupted.
#[unsafe(no_mangle)]
#[inline(never)]
extern "C" fn end() {
    cortex_m::asm::nop();
    cortex_m::asm::nop();
}

/// From here on nothing is: what has happened is compared, a number at a time.
#[unsafe(no_mangle)]
#[inline(never)]
extern "C" fn judge() {
    cortex_m::asm::nop();
    cortex_m::asm::nop();
    cortex_m::asm::nop();
}

#[quintet::app(device = shapes::device, peripherals = false, dispatchers = [LINE6, LINE7])]
mod app {
    use core::future::poll_fn;
    use core::sync::atomic::Ordering;
    use core::task::Poll;

    use cortex_m::peripheral::NVIC;
    use shapes::device::Interrupt;

    use super::{ARRIVED, Pair, RUNS, SEEN, SENT, TOUCHES, WOKEN, begin, end, judge};

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
        NVIC::pend(Interrupt::LINE0);
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

    #[task(binds = LINE0, priority = 1, shared = [lower, upper, topmost])]
    fn low(mut cx: low::Context) {
        cx.shared.lower.lock(|lower| {
            lower.touch(0);
            NVIC::pend(Interrupt::LINE1);
            NVIC::pend(Interrupt::LINE2);
            NVIC::pend(Interrupt::LINE3);
            cortex_m::asm::isb();
            assert_eq!(RUNS.all(), [0, 0, 1, 1], "a ceiling holds off too much, or too little");
            lower.touch(0);
        });
        cortex_m::asm::isb();
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
        tell(0, 1);
        end();
        RUNS.add(0, 1);
    }

    #[task(binds = LINE1, priority = 2, shared = [lower, upper])]
    fn middle(mut cx: middle::Context) {
        cx.shared.upper.lock(|upper| upper.touch(1));
        cx.shared.lower.lock(|lower| lower.touch(1));
        tell(1, 10);
        RUNS.add(1, 1);
    }

    #[task(binds = LINE2, priority = 3, shared = [upper])]
    fn high(mut cx: high::Context) {
        cx.shared.upper.lock(|upper| upper.touch(2));
        tell(2, 100);
        RUNS.add(2, 1);
    }

    #[task(binds = LINE3, priority = 4, shared = [topmost])]
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
