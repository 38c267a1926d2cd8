//! What the programs `interrupted` share: pairs of numbers that tasks of every priority touch, what
//! each task has done, and the marks for the test.

use core::sync::atomic::{AtomicU32, Ordering};

/// The contexts that count: the tasks by priority.
pub const CONTEXTS: usize = 4;

/// A number for each context.
pub struct Counts([AtomicU32; CONTEXTS]);

impl Counts {
    pub const fn new() -> Self {
        Self([const { AtomicU32::new(0) }; CONTEXTS])
    }

    pub fn add(&self, context: usize, number: u32) {
        let count = &self.0[context];
        count.store(count.load(Ordering::Relaxed) + number, Ordering::Relaxed);
    }

    /// The numbers of all contexts.
    pub fn all(&self) -> [u32; CONTEXTS] {
        [0, 1, 2, 3].map(|context: usize| self.0[context].load(Ordering::Relaxed))
    }

    pub fn sum(&self) -> u32 {
        self.all().iter().sum()
    }
}

/// How often each hardware task has run; the test reads it.
#[unsafe(no_mangle)]
pub static RUNS: Counts = Counts::new();
/// How often each context has touched a resource.
pub static TOUCHES: Counts = Counts::new();
/// What each context has sent, and what has arrived.
pub static SENT: Counts = Counts::new();
pub static ARRIVED: AtomicU32 = AtomicU32::new(0);
/// How often each context has woken the task that waits, and of how many that task knows.
pub static WOKEN: Counts = Counts::new();
pub static SEEN: AtomicU32 = AtomicU32::new(0);

/// Two numbers that are equal whenever nobody is at them.
#[derive(Default)]
pub struct Pair {
    one: u32,
    pub two: u32,
}

impl Pair {
    pub fn touch(&mut self, context: usize) {
        self.touch_while(context, || ());
    }

    /// Runs `inner` while the numbers aren't equal.
    pub fn touch_while(&mut self, context: usize, inner: impl FnOnce()) {
        let before = self.one;
        assert_eq!(before, self.two, "somebody else is at the resource");
        self.one = before + 1;
        TOUCHES.add(context, 1);
        inner();
        self.two = before + 1;
    }
}

/// From here on the test interrupts.
#[unsafe(no_mangle)]
#[inline(never)]
pub extern "C" fn begin() {
    // SAFETY: the instructions change nothing.
    unsafe { core::arch::asm!("nop") };
}

/// From here on only what interrupted is interrupted.
#[unsafe(no_mangle)]
#[inline(never)]
pub extern "C" fn end() {
    // SAFETY: the instructions change nothing.
    unsafe { core::arch::asm!("nop; nop") };
}

/// From here on nothing is: what has happened is compared, a number at a time.
#[unsafe(no_mangle)]
#[inline(never)]
pub extern "C" fn judge() {
    // SAFETY: the instructions change nothing.
    unsafe { core::arch::asm!("nop; nop; nop") };
}
