//! Group `async`: what several tasks of one executor cost in Embassy.
//!
//! The scenario is written down in `scenarios/async.toml`. Every number of tasks has an executor of
//! its own, in an interrupt of its own.

#![no_std]
#![no_main]

use core::hint::black_box;

// The implementation of critical sections.
use cortex_m as _;
use cortex_m_rt::entry;
use embassy_executor::{InterruptExecutor, task};
use quintet_bench_common::device::{self, Interrupt, hold_off, let_in, settle};
use quintet_bench_common::{exit, mark};

quintet_bench_common::vectors!();

/// Defines `main`, and for each number of tasks an executor with those of which rows speak. The
/// others are of a pool.
macro_rules! levels {
    ($(
        [
            $priority:literal, $interrupt:ident, $executor:ident, $spawner:ident, $fillers:literal,
            $one:ident, $before:literal, $back:literal;
            $($other:ident, $both_before:literal, $both_back:literal)?
        ]
    )*) => {
        /// How many tasks only wait, in all.
        const FILLERS: usize = 0 $(+ $fillers)*;

        #[entry]
        fn main() -> ! {
            $(
                device::prioritise(Interrupt::$interrupt, $priority);
                let $spawner = $executor.start(Interrupt::$interrupt);
                let mut fillers = $fillers;
                while fillers > 0 {
                    fillers -= 1;
                    $spawner.spawn(filler().unwrap_or_else(|_| exit(103)));
                }
            )*
            mark!("start");
            for _ in 0..black_box(3) {
                $(
                    mark!($before);
                    match $one() {
                        Ok(token) => $spawner.spawn(token),
                        Err(_) => exit(103),
                    }
                    settle();
                    mark!($back);
                    $(
                        mark!($both_before);
                        hold_off();
                        match ($other(), $one()) {
                            (Ok(other), Ok(one)) => {
                                $spawner.spawn(other);
                                $spawner.spawn(one);
                            }
                            _ => exit(103),
                        }
                        let_in();
                        settle();
                        mark!($both_back);
                    )?
                )*
            }
            mark!("end");
            exit(0)
        }

        $(
            static $executor: InterruptExecutor = InterruptExecutor::new();

            #[unsafe(no_mangle)]
            unsafe extern "C" fn $interrupt() {
                // SAFETY: this is the executor's interrupt, which is enabled by its start.
                unsafe { $executor.on_interrupt() }
            }

            #[task]
            async fn $one() {}

            $(
                #[task]
                async fn $other() {}
            )?
        )*
    };
}

levels! {
    [1, EXTI0, LEVEL_1, level_1, 0, z01, "one_1", "one_1_back"; ]
    [2, EXTI1, LEVEL_2, level_2, 0, z02, "one_2", "one_2_back"; y02, "two_2", "two_2_back"]
    [3, EXTI2, LEVEL_3, level_3, 2, z04, "one_4", "one_4_back"; y04, "two_4", "two_4_back"]
    [4, EXTI3, LEVEL_4, level_4, 6, z08, "one_8", "one_8_back"; y08, "two_8", "two_8_back"]
    [5, EXTI4, LEVEL_5, level_5, 14, z16, "one_16", "one_16_back"; y16, "two_16", "two_16_back"]
    [6, TIM3, LEVEL_6, level_6, 30, z32, "one_32", "one_32_back"; y32, "two_32", "two_32_back"]
}

#[task(pool_size = FILLERS)]
async fn filler() {
    quintet_bench_common::park::forever().await
}
