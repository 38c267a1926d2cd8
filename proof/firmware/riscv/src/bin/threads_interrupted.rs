//! Threads that give, take, lock, park, yield and end, and judge themselves.
//!
//! The driver works between the marks `begin` and `end`, with a more urgent thread for each way of
//! waiting, an equal and a less urgent one; a test interrupts it there, and what interrupts it, by
//! the others. At each step whoever is more urgent than the driver must wait. In the end idle looks
//! whether everything was taken, and nothing twice, and registers are compared all along. Each
//! number is written by one context only, as RV32IMC can't do more without holding interrupts off.
//!
//! The test interrupts by the timer, whose handler is the application's own: the handler pends the
//! tasks, and for one of them gives by itself.

#![no_std]
#![no_main]

use core::arch::naked_asm;
use core::sync::atomic::{AtomicBool, AtomicU32, Ordering};

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

/// The contexts that count: the driver, three tasks, and the timer's handler.
const CONTEXTS: usize = 5;

/// A number for each context.
struct Counts([AtomicU32; CONTEXTS]);

impl Counts {
    const fn new() -> Self {
        Self([const { AtomicU32::new(0) }; CONTEXTS])
    }

    fn add(&self, context: usize) {
        let count = &self.0[context];
        count.store(count.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    }

    fn sum(&self) -> u32 {
        self.0.iter().map(|count| count.load(Ordering::Relaxed)).sum()
    }
}

/// A number that one context writes.
struct Count(AtomicU32);

impl Count {
    const fn new() -> Self {
        Self(AtomicU32::new(0))
    }

    fn up(&self) {
        self.0.store(self.get() + 1, Ordering::Relaxed);
    }

    fn get(&self) -> u32 {
        self.0.load(Ordering::Relaxed)
    }
}

/// How often each task has run; the test reads it.
#[unsafe(no_mangle)]
static RUNS: Counts = Counts::new();
/// Which tasks the timer's handler pends; the test sets a byte before it lets the timer's interrupt
/// come.
#[unsafe(no_mangle)]
static PENDS: [AtomicBool; CONTEXTS] = [const { AtomicBool::new(false) }; CONTEXTS];

/// From here on the test interrupts.
#[unsafe(no_mangle)]
#[inline(never)]
extern "C" fn begin() {
    unsafe { core::arch::asm!("nop") };
}

/// From here on only what interrupted is interrupted.
#[unsafe(no_mangle)]
#[inline(never)]
extern "C" fn end() {
    unsafe { core::arch::asm!("nop; nop") };
}

/// From here on nothing is: what has happened is compared, a number at a time.
#[unsafe(no_mangle)]
#[inline(never)]
extern "C" fn judge() {
    unsafe { core::arch::asm!("nop; nop; nop") };
}

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
    is_on_main_stack();
    let tasks = [Interrupt::SOFTWARE1, Interrupt::SOFTWARE2, Interrupt::SOFTWARE3];
    for (pends, task) in PENDS[1..].iter().zip(tasks) {
        if pends.load(Ordering::Relaxed) {
            pends.store(false, Ordering::Relaxed);
            quintet::pend(task);
            if task == Interrupt::SOFTWARE3 {
                app::give_high(4);
            }
        }
    }
}

/// Returns the sum of what other registers hold, each a bit of its own, after `call` was called
/// between: it makes others run. Registers that a function may change are filled behind it.
#[unsafe(naked)]
extern "C" fn registers(_call: extern "C" fn()) -> u32 {
    naked_asm!(
        "
        addi sp, sp, -64
        sw s0, 0(sp); sw s1, 4(sp); sw s2, 8(sp); sw s3, 12(sp); sw s4, 16(sp); sw s5, 20(sp)
        sw s6, 24(sp); sw s7, 28(sp); sw s8, 32(sp); sw s9, 36(sp); sw s10, 40(sp); sw s11, 44(sp)
        sw ra, 48(sp)
        li s0, 0x1; li s1, 0x2; li s2, 0x4; li s3, 0x8; li s4, 0x10; li s5, 0x20; li s6, 0x40
        li s7, 0x80; li s8, 0x100; li s9, 0x200; li s10, 0x400; li s11, 0x800
        jalr a0
        li t0, 0x1000; li t1, 0x2000; li t2, 0x4000; li t3, 0x8000; li t4, 0x10000; li t5, 0x20000
        li t6, 0x40000; li a0, 0x80000; li a1, 0x100000; li a2, 0x200000; li a3, 0x400000
        li a4, 0x800000; li a5, 0x1000000; li a6, 0x2000000; li a7, 0x4000000; li ra, 0x8000000
        nop; nop
        add a0, a0, s0; add a0, a0, s1; add a0, a0, s2; add a0, a0, s3; add a0, a0, s4
        add a0, a0, s5; add a0, a0, s6; add a0, a0, s7; add a0, a0, s8; add a0, a0, s9
        add a0, a0, s10; add a0, a0, s11; add a0, a0, t0; add a0, a0, t1; add a0, a0, t2
        add a0, a0, t3; add a0, a0, t4; add a0, a0, t5; add a0, a0, t6; add a0, a0, a1
        add a0, a0, a2; add a0, a0, a3; add a0, a0, a4; add a0, a0, a5; add a0, a0, a6
        add a0, a0, a7; add a0, a0, ra
        lw s0, 0(sp); lw s1, 4(sp); lw s2, 8(sp); lw s3, 12(sp); lw s4, 16(sp); lw s5, 20(sp)
        lw s6, 24(sp); lw s7, 28(sp); lw s8, 32(sp); lw s9, 36(sp); lw s10, 40(sp); lw s11, 44(sp)
        lw ra, 48(sp)
        addi sp, sp, 64
        ret
        "
    )
}

unsafe extern "C" {
    /// The end of the statics, among which are the stacks of threads. Main's stack is behind.
    static __ebss: u32;
}

/// Tasks and handlers run on main's stack.
#[track_caller]
fn is_on_main_stack() {
    let here = 0_u32;
    let here = core::hint::black_box(&raw const here);
    assert!(here > &raw const __ebss, "it runs on a thread's stack");
}

/// Calls a function with registers full of patterns.
fn between(call: extern "C" fn()) {
    assert_eq!(registers(call), 0xfff_ffff, "a register has changed");
}

#[quintet::app(device = quintet::riscv, peripherals = false)]
mod app {
    use quintet::riscv::Interrupt;
    use quintet::sync::{Flags, InheritanceMutex, Semaphore};

    use super::{Count, Counts, MTIE, RUNS, arm, begin, between, end, is_on_main_stack, judge};

    /// What each thread takes; what was given, by each context; and what was taken.
    static HIGH: Semaphore = Semaphore::new(0);
    static HIGHS_GIVEN: Counts = Counts::new();
    static HIGHS_TAKEN: Count = Count::new();
    static PEER: Semaphore = Semaphore::new(0);
    static PEERS_GIVEN: Counts = Counts::new();
    static PEERS_TAKEN: Count = Count::new();
    static LOW: Semaphore = Semaphore::new(0);
    static LOWS_GIVEN: Counts = Counts::new();
    static LOWS_TAKEN: Count = Count::new();
    /// The least urgent thread has the mutex.
    static LOCKED: Semaphore = Semaphore::new(0);
    /// It has left it, too.
    static BACK: Semaphore = Semaphore::new(0);
    static FLAGS: Flags = Flags::new(0);
    static FLAGS_SET: Counts = Counts::new();
    static FLAGS_SEEN: Count = Count::new();
    static UNPARKED: Counts = Counts::new();
    static UNPARKED_SEEN: Count = Count::new();
    /// Two numbers that are equal whenever nobody has the mutex.
    static PAIR: InheritanceMutex<(u32, u32)> = InheritanceMutex::new((0, 0));
    static TOUCHES: [Count; 3] = [const { Count::new() }; 3];
    /// How often the mutex was had: its owner writes it.
    static LAST: Count = Count::new();
    static DONE: Count = Count::new();

    #[shared]
    struct Shared {
        /// Of threads, and of a task above them.
        mixed: (u32, u32),
    }

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        arm();
        // SAFETY: the handler may run as soon as `init` ends.
        unsafe { core::arch::asm!("csrs mie, {}", in(reg) MTIE) };
        (Shared { mixed: (0, 0) }, Local {})
    }

    #[idle]
    fn idle(_: idle::Context) -> ! {
        judge();
        assert_eq!(DONE.get(), 1, "idle runs although the driver could");
        assert_eq!(HIGHS_TAKEN.get(), HIGHS_GIVEN.sum(), "a permit was lost, or taken twice");
        assert_eq!(PEERS_TAKEN.get(), PEERS_GIVEN.sum(), "an equal's permit was lost");
        assert_eq!(LOWS_TAKEN.get(), LOWS_GIVEN.sum(), "the least urgent's permit was lost");
        assert_eq!(FLAGS_SEEN.get(), FLAGS_SET.sum(), "a flag was lost");
        assert_eq!(UNPARKED_SEEN.get(), UNPARKED.sum(), "a notification was lost");
        let touches: u32 = TOUCHES.iter().map(Count::get).sum();
        assert_eq!(LAST.get(), touches, "a section was lost");
        semihosting::process::exit(0)
    }

    pub fn give_high(context: usize) {
        HIGHS_GIVEN.add(context);
        HIGH.give();
    }

    fn touch(pair: &mut (u32, u32), context: usize, inner: impl FnOnce()) {
        assert_eq!(pair.0, pair.1, "somebody else is at it");
        pair.0 += 1;
        TOUCHES[context].up();
        inner();
        pair.1 += 1;
        LAST.up();
        assert_eq!(LAST.get(), pair.1, "somebody else was at it");
    }

    /// Returns `true` if the numbers agree between interrupts, of which there are at most two.
    fn agree(seen: &Count, sent: &Counts) -> bool {
        (0..4).any(|_| seen.get() == sent.sum())
    }

    /// Whoever is more urgent than the driver waits.
    #[track_caller]
    fn look() {
        assert_eq!(HIGH.available(), 0, "a more urgent thread is ready");
        assert!(agree(&FLAGS_SEEN, &FLAGS_SET), "who waits for flags is ready");
        assert!(agree(&UNPARKED_SEEN, &UNPARKED), "who was parked is ready");
    }

    extern "C" fn gives() {
        give_high(0);
        look();
    }

    #[thread(priority = 2, stack = 1536, shared = [mixed])]
    fn driver(mut cx: driver::Context) {
        let this = &cx.thread;
        for task in [Interrupt::SOFTWARE1, Interrupt::SOFTWARE2, Interrupt::SOFTWARE3] {
            quintet::pend(task);
        }
        begin();
        between(gives);
        // Nobody waits for that permit at once: the equal has its turn later.
        PEERS_GIVEN.add(0);
        PEER.give();
        this.yield_now();
        look();
        // The least urgent has the mutex, and goes on in this one's place.
        LOWS_GIVEN.add(0);
        LOW.give();
        LOCKED.take().block(this);
        let mut pair = PAIR.lock().block(this);
        touch(&mut pair, 0, || give_high(0));
        drop(pair);
        BACK.take().block(this);
        look();
        FLAGS_SET.add(0);
        FLAGS.set(1);
        UNPARKED.add(0);
        parked::handle().unpark();
        look();
        cx.shared.mixed.lock(|mixed| touch_mixed(mixed));
        look();
        end();
        DONE.up();
    }

    fn touch_mixed(mixed: &mut (u32, u32)) {
        assert_eq!(mixed.0, mixed.1, "somebody else is at the resource");
        mixed.0 += 1;
        give_high(0);
        mixed.1 += 1;
    }

    #[thread(priority = 3, stack = 1024)]
    fn high(cx: high::Context) {
        loop {
            HIGH.take().block(&cx.thread);
            HIGHS_TAKEN.up();
        }
    }

    #[thread(priority = 3, stack = 1024)]
    fn flagged(cx: flagged::Context) {
        loop {
            FLAGS.take_any(1).block(&cx.thread);
            let set = FLAGS_SET.sum();
            while FLAGS_SEEN.get() < set {
                FLAGS_SEEN.up();
            }
        }
    }

    #[thread(priority = 3, stack = 1024)]
    fn parked(cx: parked::Context) {
        loop {
            let unparked = UNPARKED.sum();
            while UNPARKED_SEEN.get() < unparked {
                UNPARKED_SEEN.up();
            }
            cx.thread.park();
        }
    }

    #[thread(priority = 2, stack = 1024)]
    fn peer(cx: peer::Context) {
        loop {
            PEER.take().block(&cx.thread);
            PEERS_TAKEN.up();
            let mut pair = PAIR.lock().block(&cx.thread);
            touch(&mut pair, 1, || cx.thread.yield_now());
        }
    }

    #[thread(priority = 1, stack = 1024)]
    fn low(cx: low::Context) {
        loop {
            LOW.take().block(&cx.thread);
            LOWS_TAKEN.up();
            let mut pair = PAIR.lock().block(&cx.thread);
            touch(&mut pair, 2, || LOCKED.give());
            drop(pair);
            BACK.give();
        }
    }

    #[task(binds = SOFTWARE1, priority = 4, shared = [mixed])]
    fn one(mut cx: one::Context) {
        cx.shared.mixed.lock(|mixed| {
            assert_eq!(mixed.0, mixed.1, "somebody else is at the resource");
        });
        is_on_main_stack();
        give_high(1);
        RUNS.add(1);
    }

    #[task(binds = SOFTWARE2, priority = 5)]
    fn two(_: two::Context) {
        PEERS_GIVEN.add(2);
        PEER.give();
        LOWS_GIVEN.add(2);
        LOW.give();
        RUNS.add(2);
    }

    #[task(binds = SOFTWARE3, priority = 6)]
    fn three(_: three::Context) {
        is_on_main_stack();
        UNPARKED.add(3);
        parked::handle().unpark();
        FLAGS_SET.add(3);
        FLAGS.set(1);
        RUNS.add(3);
    }
}
