//! Threads, interrupts, tasks, actors and idle that do what scripts say, and log what came of each
//! operation.
//!
//! The harness writes `SCRIPTS` when the program has come to `ready`, pends interrupts, and reads
//! `LOG` when everything sleeps. A context executes the operations of its script in their order; an
//! interrupt one each time that it comes. What the numbers mean is written in
//! `proof/src/specification/operation.rs`.
//!
//! There are two programs, which differ in the kernel: one preempts, one is cooperative.
#![no_std]

mod actors;
mod clock;
mod guards;
mod objects;
mod own;
mod pool;
mod sections;
mod tasks;

use campaign::lines;
use campaign::patterns::call;
use core::cell::UnsafeCell;
use core::sync::atomic::{AtomicUsize, Ordering};
use lm3s6965::Interrupt;
use quintet::export::Ceiling;
use quintet::thread::{CurrentThread, Thread};

pub use actors::job_of_above;
pub use clock::Scripted;
pub use tasks::{READY_ABOVE, job_3, job_4, levels};

use objects::{act_anywhere, act_in_thread};

/// The priority byte of the most urgent interrupt that knows the kernel.
pub const HARDWARE_PRIORITY: u8 = 0x40;
/// That of the kernel's lock.
pub const CEILING: Ceiling = Ceiling::of_hardware(HARDWARE_PRIORITY);

quintet::thread!(static A, priority = 1, stack = 1024, entry = run::<0>);
quintet::thread!(static B, priority = 2, stack = 1024, entry = run::<1>);
quintet::thread!(static C, priority = 2, stack = 1024, entry = run::<2>);
quintet::thread!(static D, priority = 3, stack = 1024, entry = run::<3>);
quintet::thread!(static E, priority = 4, stack = 1024, entry = run::<4>);

static THREADS: [&Thread; 5] = [&A, &B, &C, &D, &E];

/// The contexts: five threads, idle, four interrupts, one that comes last, five tasks, two actors.
const CONTEXTS: usize = 18;
const IDLE: usize = 5;
/// The interrupt above the kernel.
const ABOVE: usize = 9;
/// The first task.
const TASK: usize = 11;
/// The first actor.
const ACTOR: usize = 16;
const LENGTH: usize = 64;

/// What a wait comes to whose time was up.
const TIMED_OUT: u32 = 0x100;
/// What an operation comes to that isn't done: it would wait in a section, or enter one twice.
const REFUSED: u32 = 0x200;
/// The numbers of leaving a mutex, and the lock for readers and writers; of entering a section, and
/// of its end.
const UNLOCK: u32 = 18;
const LEAVE: u32 = 40;
const ENTER: u32 = 63;
const EXIT: u32 = 64;
/// The number of running the rounds of tasks.
const HOST: u32 = 68;

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
        let priority = |thread: &&Thread| u32::from(thread.priority_in_passing());
        let priorities = THREADS.iter().rev().map(priority);
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

/// One operation of a thread, for a caller that looks at its registers.
extern "C" fn step(context: u32) {
    let (context, word) = (context as usize, next(context as usize));
    // SAFETY: only threads call this.
    let this = unsafe { CurrentThread::new() };
    match word & 0xff {
        0 => {}
        ENTER => sections::run(&this, context, word),
        HOST => tasks::host(),
        _ => log(context, word, act_in_thread(&this, context, word)),
    }
}

/// Whether the next operation is the end.
fn is_at_end(context: usize) -> bool {
    let position = POSITIONS[context].load(Ordering::Relaxed);
    let word = SCRIPTS.0.get().cast::<u32>().wrapping_add(context * LENGTH + position);
    // SAFETY: inside the scripts.
    unsafe { word.read_volatile() == 0 }
}

fn run<const CONTEXT: usize>(this: &CurrentThread<'_>) {
    own::owning(this, CONTEXT, || {
        while !is_at_end(CONTEXT) {
            call(0x0101_0000 * (CONTEXT as u32 + 1), CONTEXT as u32, step);
        }
    });
    // What it still has is left first.
    for mutex in 0..guards::MUTEXES {
        while !guards::unlock(CONTEXT, mutex) {
            log(CONTEXT, UNLOCK, 0);
        }
    }
    if !guards::leave(CONTEXT) {
        log(CONTEXT, LEAVE, 0);
    }
    let _end = next(CONTEXT);
    log(CONTEXT, 0, 0);
}

/// One operation of a context that can't wait, if there is one.
pub fn once(context: usize) -> bool {
    let word = next(context);
    if word != 0 {
        log(context, word, act_anywhere(word));
    }
    word != 0
}

/// Lets scripts be written, and does idle's.
pub fn begin() -> ! {
    for (line, priority) in [
        (Interrupt::GPIOA, 0xc0),
        (Interrupt::GPIOB, 0x80),
        (Interrupt::GPIOC, 0x40),
        (Interrupt::ADC0_SEQUENCE_0, 0x00),
        (Interrupt::GPIOD, 0xc0),
        // The level of the tasks that no thread hosts.
        (Interrupt::GPIOE, 0xc0),
    ] {
        lines::enable(line, priority);
    }
    pool::begin();
    ready();
    while once(IDLE) {}
    loop {
        cortex_m::asm::wfi();
    }
}

/// Defines what a program has beside the kernel's lock.
#[macro_export]
macro_rules! interpreter {
    () => {
        quintet::__stack_guard!(true);
        quintet::__switch_exceptions!($crate::HARDWARE_PRIORITY);
        quintet::__timer_nodes!(5);
        quintet::timer_source!(Clock, $crate::Scripted, interrupt = GPIOF);

        #[unsafe(no_mangle)]
        extern "Rust" fn __quintet_levels() -> &'static [quintet::export::Level] {
            $crate::levels()
        }

        const _: () = {
            use $crate::{job_3, job_4, job_of_above};
            quintet::__dispatcher!(GPIOE, $crate::READY_ABOVE, [job_3, job_4, job_of_above]);
        };

        campaign::handlers! {
            GPIOA {
                let _acted = $crate::once(6);
            }
            GPIOB {
                let _acted = $crate::once(7);
            }
            GPIOC {
                let _acted = $crate::once(8);
            }
            ADC0_SEQUENCE_0 {
                let _acted = $crate::once(9);
            }
            // The last of all.
            GPIOD {
                while $crate::once(10) {}
            }
        }

        #[cortex_m_rt::entry]
        fn main() -> ! {
            // SAFETY: nothing of the kernel was used before; nobody else starts the clock, which
            // has no hardware.
            unsafe {
                quintet::thread::initialise();
                Clock::start();
            }
            $crate::begin()
        }
    };
}
