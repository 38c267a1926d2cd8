//! Wakes of tasks on a level of one and on a level of several, by wakers of every form, from below,
//! from the level itself, from above, and from an interrupt that no mask holds off.
//!
//! The same program for each size of a level: four tasks are woken, the others only wait.

/// The program, with so many more tasks on the level of four.
#[macro_export]
macro_rules! waking {
    ($($more:ident)*) => {
        use core::hint::black_box;
        use $crate::order::Order;
        use $crate::wakes::Wakes;
        use lm3s6965::interrupt;

        /// The only task of priority 1.
        static ONE: Wakes = Wakes::new();
        /// The tasks of priority 3, by their slots.
        static FOUR: [Wakes; 4] = [const { Wakes::new() }; 4];
        static ORDER: Order<4> = Order::new();

        /// Wakes a task of priority 3 by the function that its waker points to.
        #[inline]
        fn wake(slot: usize) {
            FOUR[slot].ask();
            let waker = match slot {
                0 => app::a::waker(),
                1 => app::b::waker(),
                2 => app::c::waker(),
                _ => app::d::waker(),
            };
            black_box(waker).wake();
        }

        /// One run of a task of priority 3. Some of them wake others, and themselves.
        #[inline]
        fn job(slot: usize) {
            ORDER.begin(slot);
            let before = FOUR[slot].poll();
            match (slot, before) {
                (1, 0) => {
                    wake(0);
                    ORDER.woken(0);
                    wake(3);
                    ORDER.woken(3);
                }
                (2, 0..2) => {
                    wake(2);
                    ORDER.woken(2);
                }
                (3, 0) => {
                    ONE.ask();
                    black_box(app::one::waker()).wake_by_ref();
                }
                _ => {}
            }
            ORDER.end(slot);
        }

        /// Above every mask: it wakes, and nothing else.
        #[interrupt]
        fn ADC0_SEQUENCE_0() {
            wake(1);
            ORDER.woken(1);
            ONE.ask();
            black_box(app::one::waker()).wake();
        }

        #[quintet::app(device = lm3s6965, peripherals = false, dispatchers = [SSI0, QEI0])]
        mod app {
            use super::{FOUR, ONE, ORDER, job, wake};
            use core::hint::black_box;
            use core::task::Context;
            use $crate::{EachPoll, begin, end, succeed, urgent};

            #[shared]
            struct Shared {}

            #[local]
            struct Local {}

            #[init]
            fn init(_: init::Context) -> (Shared, Local) {
                urgent::enable();
                for task in FOUR.iter().chain([&ONE]) {
                    task.ask();
                }
                assert!(one::spawn().is_ok());
                assert!(a::spawn().is_ok());
                assert!(b::spawn().is_ok());
                assert!(c::spawn().is_ok());
                assert!(d::spawn().is_ok());
                $(assert!($more::spawn().is_ok());)*
                (Shared {}, Local {})
            }

            #[idle]
            fn idle(_: idle::Context) -> ! {
                begin();
                // Known at compile time.
                FOUR[2].ask();
                c::waker().wake();
                ONE.ask();
                one::waker().wake_by_ref();
                // By the pointer, as a driver does.
                wake(3);
                let waker = black_box(one::waker());
                ONE.ask();
                black_box(waker.clone()).wake();
                ONE.ask();
                waker.wake_by_ref();
                end();
                for task in FOUR.iter().chain([&ONE]) {
                    task.judge();
                }
                succeed()
            }

            #[task(priority = 1)]
            async fn one(_: one::Context) {
                EachPoll(|cx: &mut Context<'_>| {
                    if ONE.poll() == 1 {
                        ONE.ask();
                        cx.waker().wake_by_ref();
                    }
                    false
                })
                .await;
            }

            #[task(priority = 3)]
            async fn a(_: a::Context) {
                EachPoll(|_: &mut Context<'_>| {
                    job(0);
                    false
                })
                .await;
            }

            #[task(priority = 3)]
            async fn b(_: b::Context) {
                EachPoll(|_: &mut Context<'_>| {
                    job(1);
                    false
                })
                .await;
            }

            #[task(priority = 3)]
            async fn c(_: c::Context) {
                EachPoll(|_: &mut Context<'_>| {
                    job(2);
                    false
                })
                .await;
            }

            #[task(priority = 3)]
            async fn d(_: d::Context) {
                EachPoll(|_: &mut Context<'_>| {
                    job(3);
                    false
                })
                .await;
            }

            $(
                #[task(priority = 3)]
                async fn $more(_: $more::Context) {
                    core::future::pending::<()>().await
                }
            )*

            #[task(binds = GPIOB, priority = 2)]
            fn between(_: between::Context) {
                ONE.ask();
                black_box(one::waker()).wake();
                wake(0);
            }

            #[task(binds = GPIOD, priority = 4)]
            fn above(_: above::Context) {
                wake(0);
                ORDER.woken(0);
                ONE.ask();
                one::waker().wake();
            }

            #[task(binds = GPIOE, priority = 6)]
            fn far_above(_: far_above::Context) {
                FOUR[2].ask();
                c::waker().wake();
                ORDER.woken(2);
                wake(3);
                ORDER.woken(3);
            }
        }
    };
}
