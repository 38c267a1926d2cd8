//! What the expansion of `#[quintet::app]` would define, by hand: an application of one level, in
//! thread mode, with two interrupts.
//!
//! The programs share it: the kernel's lock at priority 3 of 8, the vector table, eight slots.
#![no_std]

use core::future::Future;
use core::pin::Pin;
use core::sync::atomic::{AtomicU32, Ordering};
use core::task::{Context, RawWaker, Waker};

use quintet::export::{Ceiling, Level, hardware_priority, sleep_until_event};

/// The bits that the board's priorities have.
pub const PRIORITY_BITS: u8 = if cfg!(feature = "tim2") { 4 } else { 3 };
/// The kernel's ceiling.
pub const CEILING: u8 = 3;
/// The processor's clock.
pub const CLOCK_HZ: u32 = if cfg!(feature = "tim2") { 8_000_000 } else { 12_000_000 };
/// The slots of the level.
pub const SLOTS: usize = 8;

#[cfg(not(any(feature = "gptm", feature = "tim2", feature = "ticking")))]
quintet::systick_timer!(Clock, CLOCK_HZ);
#[cfg(feature = "ticking")]
quintet::systick_tick!(Clock, CLOCK_HZ);
#[cfg(feature = "gptm")]
quintet::timer_source!(Clock, quintet::time::Lm3sTimers<CLOCK_HZ>, interrupt = TIMER1A);
#[cfg(feature = "tim2")]
quintet::timer_source!(Clock, quintet::time::Stm32Timer<2, CLOCK_HZ>, interrupt = TIM2);

/// Starts the clock. Once.
pub fn start_clock() {
    #[cfg(any(feature = "gptm", feature = "tim2"))]
    // SAFETY: nothing else uses the timers.
    unsafe {
        Clock::start()
    };
    #[cfg(not(any(feature = "gptm", feature = "tim2")))]
    // SAFETY: nothing else uses SysTick.
    Clock::start(unsafe { cortex_m::Peripherals::steal() }.SYST);
}

quintet::__kernel_lock!(Ceiling::new(CEILING, PRIORITY_BITS, &[]));
quintet::__timer_nodes!(SLOTS);

#[unsafe(no_mangle)]
extern "Rust" fn __quintet_levels() -> &'static [Level] {
    &LEVELS
}

static LEVELS: [Level; 1] = [Level::new(0, 0, false, clone, wake)];
static READY: AtomicU32 = AtomicU32::new(0);

unsafe fn clone(word: *const ()) -> RawWaker {
    LEVELS[0].with_word(word)
}

unsafe extern "C" fn wake(word: *const ()) {
    change_ready(|ready| ready | word as u32);
    quintet::export::signal_event();
}

/// Changes which slots are ready, and returns which were. By PRIMASK: an ARMv6-M has no exclusive
/// accesses.
fn change_ready(change: impl FnOnce(u32) -> u32) -> u32 {
    cortex_m::interrupt::free(|_| {
        let before = READY.load(Ordering::SeqCst);
        READY.store(change(before), Ordering::SeqCst);
        before
    })
}

/// The waker of a slot.
pub fn waker(slot: usize) -> Waker {
    // SAFETY: the level is in the application's array and has the slot.
    unsafe { LEVELS[0].waker(0x8000_0000 >> slot) }
}

/// Runs one future for each slot, for ever; sleeps when none is ready.
pub fn run(tasks: &mut [Pin<&mut dyn Future<Output = ()>>]) -> ! {
    let mut alive = u32::MAX;
    READY.store(u32::MAX, Ordering::SeqCst);
    loop {
        let ready = change_ready(|_| 0) & alive;
        for (slot, task) in tasks.iter_mut().enumerate() {
            let bit = 0x8000_0000 >> slot;
            let waker = waker(slot);
            if ready & bit != 0 && task.as_mut().poll(&mut Context::from_waker(&waker)).is_ready() {
                alive &= !bit;
            }
        }
        if READY.load(Ordering::SeqCst) == 0 {
            sleep_until_event();
        }
    }
}

/// Gives the two interrupts their priorities, one above the kernel's ceiling and one at it, and
/// enables them. An interrupt of a higher priority that is masked by nothing of Quintet's.
pub fn enable_interrupts() {
    // SAFETY: at the start, with priorities as the ceiling was computed for.
    unsafe {
        quintet::export::set_interrupt_priority(0, hardware_priority(CEILING + 2, PRIORITY_BITS));
        quintet::export::set_interrupt_priority(1, hardware_priority(CEILING, PRIORITY_BITS));
        quintet::export::enable(0);
        quintet::export::enable(1);
    }
}

/// A pseudo-random sequence (xorshift).
pub struct Random(pub u32);

impl Random {
    /// The next number.
    pub fn number(&mut self) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        self.0
    }
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    cortex_m::asm::udf()
}

unsafe extern "C" {
    fn UP();
    fn KERNEL();
    fn LOW();
    fn TIMER1A();
    fn TIM2();
    fn DefaultHandler();
}

/// An entry of the vector table.
#[derive(Clone, Copy)]
#[repr(C)]
pub union Vector {
    handler: unsafe extern "C" fn(),
    reserved: u32,
}

/// How many interrupts there are: an ARMv6-M has no more.
const INTERRUPTS: usize = if cfg!(target_has_atomic = "32") { 64 } else { 32 };

/// The vectors of the interrupts.
#[unsafe(link_section = ".vector_table.interrupts")]
#[unsafe(no_mangle)]
pub static __INTERRUPTS: [Vector; INTERRUPTS] = {
    let mut vectors = [Vector { handler: DefaultHandler }; INTERRUPTS];
    vectors[0] = Vector { handler: UP };
    vectors[1] = Vector { handler: KERNEL };
    vectors[2] = Vector { handler: LOW };
    vectors[21] = Vector { handler: TIMER1A };
    vectors[28] = Vector { handler: TIM2 };
    vectors
};
