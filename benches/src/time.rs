//! Quintet's clock over the shared timer, so that all systems have the same hardware.

use core::sync::atomic::{AtomicU32, Ordering};

use quintet::time::{Source, widen};
use quintet_bench_common::device::{self, Interrupt, pend};
use quintet_bench_common::timer::plain;

/// Timer 2.
struct Timer2;

quintet::__time_driver!(Timer2, DRIVER);

/// The widened counter when the handler last ran: less than half a round ago.
static SEEN: AtomicU32 = AtomicU32::new(0);

impl Source for Timer2 {
    const HZ: u32 = 1_000_000;
    const LEG: u32 = 0x3fff;

    #[inline(always)]
    fn counter() -> u32 {
        widen::<16>(SEEN.load(Ordering::Relaxed), plain::counter())
    }

    #[inline(always)]
    fn set(at: u32) {
        plain::set(at);
        // The timer interrupts when the counter becomes equal; later it would be a round late. No
        // need to widen: what is near is less than half a round away.
        if (at as u16).wrapping_sub(plain::counter() as u16) as i16 <= 0 {
            cortex_m::peripheral::NVIC::pend(Interrupt::TIM2);
        }
    }

    #[inline(always)]
    fn acknowledge() {
        plain::acknowledge();
        SEEN.store(Self::counter(), Ordering::Relaxed);
    }
}

/// Starts the clock; its interrupt gets the priority, which the kernel's lock must hold off.
pub fn start(priority: u8) {
    plain::start();
    // SAFETY: called once, by `init`; the handler is below, and its priority is a task's too.
    unsafe { DRIVER.start() };
    device::enable(Interrupt::TIM2, priority);
    pend(Interrupt::TIM2);
}

#[unsafe(no_mangle)]
unsafe extern "C" fn TIM2() {
    // SAFETY: the hardware calls it, and does not nest it.
    unsafe { DRIVER.on_interrupt() }
}
