//! Threads, interrupts and idle that do what scripts say, and log what came of each operation.
//!
//! The harness writes `SCRIPTS` when the program has come to `ready`, pends interrupts, and reads
//! `LOG` when everything sleeps. A context executes the operations of its script in their order; an
//! interrupt one each time that it comes. What the numbers mean is written in
//! `xtask/src/specification/schedule.rs`.
#![no_std]
#![no_main]

use campaign::lines;
use campaign::patterns::call;
use core::cell::UnsafeCell;
use core::pin::Pin;
use core::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use core::task::{Context, Poll};
use cortex_m::peripheral::NVIC;
use cortex_m_rt::entry;
use lm3s6965::Interrupt;
use quintet::sync::thread_mutex::Inheritance;
use quintet::sync::{Channel, Flags, InheritanceMutex, LockError, Semaphore, ThreadMutexGuard};
use quintet::thread::{This, Thread};
use quintet::time::{Duration, Hardware, Instant, Source};

quintet::kernel!(hardware_priority = 0x40);
quintet::timer_source!(Clock, Scripted, interrupt = GPIOF);

/// A clock that goes on when a script says so.
struct Scripted;

static NOW: AtomicU32 = AtomicU32::new(0);
static ALARM: AtomicU32 = AtomicU32::new(0);

impl Scripted {
    /// Lets the timer's interrupt come if it is time.
    fn look() {
        let left = ALARM.load(Ordering::Relaxed).wrapping_sub(Self::counter()) as i32;
        if left <= 0 {
            NVIC::pend(Interrupt::GPIOF);
        }
    }

    /// Moves the clock on.
    fn tick(ticks: u32) {
        NOW.fetch_add(ticks, Ordering::Relaxed);
        Self::look();
    }
}

impl Source for Scripted {
    /// A count is a tick.
    const HZ: u32 = 12_000_000;
    const LEG: u32 = 1 << 30;

    fn counter() -> u32 {
        NOW.load(Ordering::Relaxed)
    }

    fn set(at: u32) {
        ALARM.store(at, Ordering::Relaxed);
        Self::look();
    }

    fn acknowledge() -> u32 {
        Self::counter()
    }
}

impl Hardware for Scripted {
    /// GPIOF.
    const INTERRUPT: u16 = 30;

    unsafe fn begin() {}
}

quintet::thread!(static A, priority = 1, stack = 1024, entry = run::<0>);
quintet::thread!(static B, priority = 2, stack = 1024, entry = run::<1>);
quintet::thread!(static C, priority = 2, stack = 1024, entry = run::<2>);
quintet::thread!(static D, priority = 3, stack = 1024, entry = run::<3>);
quintet::thread!(static E, priority = 4, stack = 1024, entry = run::<4>);

static THREADS: [&Thread; 5] = [&A, &B, &C, &D, &E];

/// The contexts: five threads, idle, four interrupts, and one that comes last.
const CONTEXTS: usize = 11;
const IDLE: usize = 5;
/// The interrupt above the kernel.
const ABOVE: usize = 9;
const LENGTH: usize = 64;

/// Words that the harness writes or reads while nothing runs.
#[repr(transparent)]
struct Words<const N: usize>(UnsafeCell<[u32; N]>);

// SAFETY: each word has one writer.
unsafe impl<const N: usize> Sync for Words<N> {}

#[unsafe(no_mangle)]
static SCRIPTS: Words<{ CONTEXTS * LENGTH }> = Words(UnsafeCell::new([0; CONTEXTS * LENGTH]));
#[unsafe(no_mangle)]
static LOG: Words<2048> = Words(UnsafeCell::new([0; 2048]));
#[unsafe(no_mangle)]
static LOGGED: AtomicUsize = AtomicUsize::new(0);

static POSITIONS: [AtomicUsize; CONTEXTS] = [const { AtomicUsize::new(0) }; CONTEXTS];
static SEMAPHORES: [Semaphore; 3] = [const { Semaphore::new(0) }; 3];
static FLAGS: Flags = Flags::new(0);
static CHANNEL: Channel<u16, 2> = Channel::new();
static MUTEXES: [InheritanceMutex<()>; 2] = [const { InheritanceMutex::new(()) }; 2];

type Guard = ThreadMutexGuard<'static, (), Inheritance>;

/// By thread and mutex: what it has locked. Its own.
struct Guards(UnsafeCell<[[Option<Guard>; 2]; 5]>);

// SAFETY: each thread uses its own.
unsafe impl Sync for Guards {}

static GUARDS: Guards = Guards(UnsafeCell::new([const { [const { None }; 2] }; 5]));

/// What a thread has of a mutex.
fn guard(context: usize, mutex: usize) -> &'static mut Option<Guard> {
    // SAFETY: the thread's own, and used for one operation at a time.
    unsafe { &mut (*GUARDS.0.get())[context][mutex] }
}

/// Where the harness writes scripts.
#[unsafe(no_mangle)]
#[inline(never)]
extern "C" fn ready() {
    cortex_m::asm::nop();
}

/// The next operation of a context.
fn next(context: usize) -> u32 {
    let position = POSITIONS[context].load(Ordering::Relaxed);
    POSITIONS[context].store((position + 1).min(LENGTH - 1), Ordering::Relaxed);
    let word = SCRIPTS.0.get().cast::<u32>().wrapping_add(context * LENGTH + position);
    // SAFETY: inside the scripts.
    unsafe { word.read_volatile() }
}

/// Logs what an operation came to, and the threads' priorities. Nobody comes between the place and
/// the entry: a thread could be suspended there.
fn log(context: usize, operation: u32, result: u32) {
    cortex_m::interrupt::free(|_| {
        let position = LOGGED.load(Ordering::Relaxed).min(1023);
        LOGGED.store(position + 1, Ordering::Relaxed);
        let word = LOG.0.get().cast::<u32>().wrapping_add(2 * position);
        let priorities = THREADS.iter().rev().map(|thread| u32::from(thread.priority()));
        // Whoever interrupts a section of the kernel's lock doesn't ask.
        let all = |all, priority| all << 4 | priority;
        let priorities = if context == ABOVE { 0 } else { priorities.fold(0, all) };
        // SAFETY: inside the log, and nobody else's.
        unsafe {
            word.write_volatile((context as u32) << 24 | (operation & 0xff) << 16 | result);
            word.wrapping_add(1).write_volatile(priorities);
        }
    });
}

/// A future that is over when it is polled again.
struct Twice(bool);

impl Future for Twice {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        if core::mem::replace(&mut self.0, true) { Poll::Ready(()) } else { Poll::Pending }
    }
}

/// What every context may do.
fn act(word: u32) -> u32 {
    let object = (word >> 8 & 0xff) as usize;
    match word & 0xff {
        1 => {
            SEMAPHORES[object].give();
            0
        }
        3 => SEMAPHORES[object].try_take().is_ok().into(),
        5 => THREADS[object].suspend().is_err().into(),
        6 => {
            THREADS[object].resume();
            0
        }
        7 => THREADS[object].start().is_err().into(),
        10 => {
            THREADS[object].waker().wake();
            0
        }
        11 => SEMAPHORES[object].available().into(),
        12 => {
            u32::from(THREADS[object].is_alive()) | u32::from(THREADS[object].is_suspended()) << 1
        }
        13 => {
            FLAGS.set(object as u32);
            0
        }
        15 => FLAGS.clear(object as u32),
        16 => FLAGS.get(),
        19 => THREADS[object].set_priority((word >> 16) as u8).is_err().into(),
        22 => CHANNEL.try_send(object as u16).is_err().into(),
        23 => CHANNEL.try_receive().map_or(0, u32::from),
        26 => {
            Scripted::tick(object as u32);
            0
        }
        other => panic!("no operation has the number {other}"),
    }
}

/// What threads may do.
fn act_in_thread(this: &This<'_>, context: usize, word: u32) -> u32 {
    let object = (word >> 8 & 0xff) as usize;
    match word & 0xff {
        2 => {
            SEMAPHORES[object].take_blocking(this);
            0
        }
        4 => {
            this.yield_now();
            0
        }
        8 => THREADS[object].join(this).map_or_else(|error| error as u32 + 1, |()| 0),
        9 => {
            this.block_on(Twice(false));
            0
        }
        14 => wait_for_flags(this, object as u32, word >> 16),
        17 => lock(this, context, object),
        18 => guard(context, object).take().is_none().into(),
        20 => {
            CHANNEL.send_blocking(object as u16, this);
            0
        }
        21 => CHANNEL.receive_blocking(this).into(),
        24 => {
            this.delay(Duration::from_ticks(object as u64));
            0
        }
        25 => {
            let deadline = Instant::now() + Duration::from_ticks(u64::from(word >> 16));
            SEMAPHORES[object].take_blocking_until(this, deadline).is_err().into()
        }
        _ => act(word),
    }
}

/// Locks a mutex, unless the thread has it.
fn lock(this: &This<'_>, context: usize, mutex: usize) -> u32 {
    let locked = match MUTEXES[mutex].try_lock(this) {
        Err(LockError::Deadlock) => return 1,
        Ok(guard) => guard,
        Err(_) => MUTEXES[mutex].lock_blocking(this),
    };
    *guard(context, mutex) = Some(locked);
    0
}

/// The kinds of waiting for flags: any or all, and whether they are cleared.
fn wait_for_flags(this: &This<'_>, mask: u32, kind: u32) -> u32 {
    match kind {
        0 => FLAGS.wait_any_blocking(mask, this),
        1 => FLAGS.wait_all_blocking(mask, this),
        2 => FLAGS.take_any_blocking(mask, this),
        _ => FLAGS.take_all_blocking(mask, this),
    }
}

/// One operation of a thread, for a caller that looks at its registers.
extern "C" fn step(context: u32) {
    let word = next(context as usize);
    if word == 0 {
        return;
    }
    // SAFETY: only threads call this.
    let result = act_in_thread(&unsafe { This::new() }, context as usize, word);
    log(context as usize, word, result);
}

/// Whether the next operation is the end.
fn is_at_end(context: usize) -> bool {
    let position = POSITIONS[context].load(Ordering::Relaxed);
    let word = SCRIPTS.0.get().cast::<u32>().wrapping_add(context * LENGTH + position);
    // SAFETY: inside the scripts.
    unsafe { word.read_volatile() == 0 }
}

fn run<const CONTEXT: usize>(_: &This<'_>) {
    while !is_at_end(CONTEXT) {
        call(0x0101_0000 * (CONTEXT as u32 + 1), CONTEXT as u32, step);
    }
    // What it still has is left first.
    for mutex in 0..MUTEXES.len() {
        if guard(CONTEXT, mutex).take().is_some() {
            log(CONTEXT, 18, 0);
        }
    }
    let _end = next(CONTEXT);
    log(CONTEXT, 0, 0);
}

/// One operation, if there is one.
fn once(context: usize) -> bool {
    let word = next(context);
    if word != 0 {
        log(context, word, act(word));
    }
    word != 0
}

campaign::handlers! {
    GPIOA {
        let _acted = once(6);
    }
    GPIOB {
        let _acted = once(7);
    }
    GPIOC {
        let _acted = once(8);
    }
    ADC0_SEQUENCE_0 {
        let _acted = once(9);
    }
    // The last of all.
    GPIOD {
        while once(10) {}
    }
}

#[entry]
fn main() -> ! {
    // SAFETY: nothing of the kernel was used before.
    unsafe { quintet::thread::initialise() };
    for (line, priority) in [
        (Interrupt::GPIOA, 0xc0),
        (Interrupt::GPIOB, 0x80),
        (Interrupt::GPIOC, 0x40),
        (Interrupt::ADC0_SEQUENCE_0, 0x00),
        (Interrupt::GPIOD, 0xc0),
    ] {
        lines::enable(line, priority);
    }
    // SAFETY: nobody else starts it, and it has no hardware.
    unsafe { Clock::start() };
    ready();
    while once(IDLE) {}
    loop {
        cortex_m::asm::wfi();
    }
}
