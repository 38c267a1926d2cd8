//! The rows of time of the group `threads`: delays, software timers, and the clock's interrupt.
//!
//! The scenario is written down in `scenarios/threads.toml`. The binaries differ in the clock that
//! they are over.

/// The firmware, which starts its clock by `$start`; `$interrupt` is the clock's.
///
/// A delay takes one millisecond: over a tick of one, the interrupt that is pended meanwhile is its
/// end; otherwise nothing is due. A longer one takes three. `$settle` waits until no tick comes
/// while something is measured.
#[macro_export]
macro_rules! time_scenario {
    (start = $start:expr, settle = $settle:expr, interrupt = $($interrupt:tt)+) => {
        use core::hint::{black_box, spin_loop};
        use portable_atomic::{AtomicU32, Ordering};

        use quintet::sync::{Operation, Semaphore};
        use quintet::thread::CurrentThread;
        use quintet::time::{Duration, SoftwareTimer};
        use quintet_bench_common::{exit, mark, pend};

        quintet_bench_common::vectors!();

        quintet::kernel!(hardware_priority = 0x20);
        quintet::thread!(static LOW, priority = 4, stack = 512, entry = low);
        quintet::thread!(static HIGH, priority = 6, stack = 512, entry = high);

        /// Lets the higher thread begin its next delay.
        static TURN: Semaphore = Semaphore::new(0);
        /// The delays that are over.
        static OVER: AtomicU32 = AtomicU32::new(0);

        /// The timer that is started and stopped.
        static STOPPED: SoftwareTimer = SoftwareTimer::new(|_| exit(106));
        /// The timer that expires.
        static EXPIRING: SoftwareTimer = SoftwareTimer::new(|_| {
            EXPIRED.fetch_add(1, Ordering::Relaxed);
        });
        static EXPIRED: AtomicU32 = AtomicU32::new(0);

        const ROUNDS: u32 = 3;

        /// What a software timer takes.
        #[unsafe(no_mangle)]
        #[used]
        static TIMER_BYTES: usize = size_of::<SoftwareTimer>();

        #[cortex_m_rt::entry]
        fn main() -> ! {
            // SAFETY: nothing of the kernel was used before.
            unsafe { quintet::thread::initialise() };
            $start;
            for thread in [&HIGH, &LOW] {
                thread.start().unwrap_or_else(|_| exit(103));
            }
            loop {
                cortex_m::asm::wfi();
            }
        }

        fn high(this: &CurrentThread<'_>) {
            loop {
                TURN.take().block(this);
                mark!("dly_blk_from");
                this.delay(Duration::from_millis(1));
                mark!("dly_ub_to");
                OVER.fetch_add(1, Ordering::Relaxed);
                TURN.take().block(this);
                this.delay(Duration::from_millis(3));
                mark!("dly_long_to");
                OVER.fetch_add(1, Ordering::Relaxed);
            }
        }

        fn low(_: &CurrentThread<'_>) {
            mark!("start");
            for round in 0..black_box(ROUNDS) {
                $settle;
                TURN.give();
                mark!("dly_blk_to");
                pend!("tick_from", "tick_to", $($interrupt)+);
                while OVER.load(Ordering::Relaxed) == 2 * round {
                    spin_loop();
                }
                $settle;
                pend!("idle_from", "idle_to", $($interrupt)+);
                TURN.give();
                pend!("arrived_from", "arrived_to", $($interrupt)+);
                while OVER.load(Ordering::Relaxed) == 2 * round + 1 {
                    spin_loop();
                }

                $settle;
                mark!("tmr_arm_from");
                STOPPED.start(Duration::from_millis(1));
                mark!("tmr_arm_to");
                mark!("tmr_dis_from");
                let was_running = STOPPED.stop();
                mark!("tmr_dis_to");
                if !was_running {
                    exit(107);
                }
                EXPIRING.start(Duration::from_millis(1));
                // Where it is interrupted is known so: in no loop.
                while EXPIRED.load(Ordering::Relaxed) == round {
                    cortex_m::asm::wfi();
                    mark!("tmr_exp_to");
                }
            }
            mark!("end");
            exit(0)
        }
    };
}
