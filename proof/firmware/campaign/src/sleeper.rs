//! A task that has to be woken, or nothing ever happens again.
//!
//! Each time that it is polled, the task arms SysTick to come once, and waits. Whoever else wakes
//! it disarms SysTick first. So there is one thing at a time that ends the processor's sleep, and
//! when a wake is lost, it sleeps for ever.

use crate::wakes::Wakes;
use crate::{Count, begin, end};
use cortex_m::peripheral::SYST;

/// The cycles that the task sleeps, and some in which it is polled.
const PERIOD: u32 = 300;
/// The ticks that are waited for.
const TICKS: u32 = 3;
/// Polls behind the last tick, in which everything that was woken by then has run.
const LAST_POLLS: u32 = 3;
/// SysTick runs with the processor's clock, and pends its exception.
const RUN: u32 = 0b111;

/// A sleeping task, its wakes and SysTick.
pub struct Sleeper {
    /// Wakes of the task.
    pub wakes: Wakes,
    ticks: Count,
    last_polls: Count,
}

impl Sleeper {
    /// Not spawned.
    #[must_use]
    pub const fn new() -> Self {
        Self { wakes: Wakes::new(), ticks: Count::new(), last_polls: Count::new() }
    }

    /// SysTick came.
    #[inline]
    pub fn tick(&self, wake: impl FnOnce()) {
        self.ticks.add();
        self.disturb(wake);
    }

    /// Wakes the task instead of SysTick.
    #[inline]
    pub fn disturb(&self, wake: impl FnOnce()) {
        // SAFETY: SysTick is this program's; one write stops it.
        unsafe { (*SYST::PTR).csr.write(0) };
        self.wakes.ask();
        wake();
    }

    /// The task is polled. Returns whether that was the last time.
    #[inline]
    pub fn poll(&self, wake: impl FnOnce()) -> bool {
        if self.wakes.poll() == 0 {
            begin();
        }
        if self.ticks.get() < TICKS {
            // SAFETY: SysTick is this program's. Whoever comes between stops it and wakes the task,
            // which then begins anew.
            unsafe {
                let syst = &*SYST::PTR;
                syst.csr.write(0);
                syst.rvr.write(PERIOD);
                syst.cvr.write(0);
                syst.csr.write(RUN);
            }
            return false;
        }
        if self.last_polls.add() == 0 {
            // SAFETY: SysTick is this program's. A tick that was injected may have been the last.
            unsafe { (*SYST::PTR).csr.write(0) };
            end();
        }
        if self.last_polls.get() == LAST_POLLS {
            return true;
        }
        self.wakes.ask();
        wake();
        false
    }
}

impl Default for Sleeper {
    fn default() -> Self {
        Self::new()
    }
}

/// The application of one sleeping task of priority `$task`, and of interrupts that wake it. The
/// attribute's further arguments are handed on.
#[macro_export]
macro_rules! one_sleeper {
    (task = $task:tt, low = $low:tt $(, $($argument:tt)*)?) => {
        use core::hint::black_box;
        use lm3s6965::interrupt;

        static SLEEPER: $crate::sleeper::Sleeper = $crate::sleeper::Sleeper::new();

        /// Above every mask: it wakes, and nothing else.
        #[interrupt]
        fn ADC0_SEQUENCE_0() {
            SLEEPER.disturb(|| black_box(app::sleeper::waker()).wake());
        }

        #[quintet::app(device = lm3s6965, peripherals = false $(, $($argument)*)?)]
        mod app {
            use super::SLEEPER;
            use campaign::{EachPoll, succeed, urgent};
            use core::task::Context;

            #[shared]
            struct Shared {}

            #[local]
            struct Local {}

            #[init]
            fn init(_: init::Context) -> (Shared, Local) {
                urgent::enable();
                SLEEPER.wakes.ask();
                assert!(sleeper::spawn().is_ok());
                (Shared {}, Local {})
            }

            #[task(priority = $task)]
            async fn sleeper(_: sleeper::Context) {
                EachPoll(|cx: &mut Context<'_>| SLEEPER.poll(|| cx.waker().wake_by_ref())).await;
                SLEEPER.wakes.judge();
                succeed()
            }

            #[task(binds = SysTick, priority = 2)]
            fn tick(_: tick::Context) {
                SLEEPER.tick(|| sleeper::waker().wake());
            }

            #[task(binds = GPIOB, priority = $low)]
            fn low(_: low::Context) {
                SLEEPER.disturb(|| sleeper::waker().wake_by_ref());
            }

            #[task(binds = GPIOD, priority = 4)]
            fn four(_: four::Context) {
                SLEEPER.disturb(|| sleeper::waker().wake());
            }
        }
    };
}
