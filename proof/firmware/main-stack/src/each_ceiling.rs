//! Interrupts of all priorities use objects while others hold resources: two programs, which differ
//! in the highest priority.

/// The application. Of each two resources with neighbouring ceilings, `low` holds one and `second`
/// the other, each with one of every second ceiling. Within each lock the next task comes.
#[macro_export]
macro_rules! each_ceiling {
    ($top:literal) => {
        #[quintet::app(device = lm3s6965, dispatchers = [SSI0, QEI0])]
        mod app {
            use lm3s6965::Interrupt::{GPIOB, GPIOC, GPIOD, GPIOE, UART0, UART1};
            use quintet::pend;
            use quintet::sync::{Channel, Semaphore};

            static USED: Semaphore = Semaphore::new(0);
            static MESSAGES: Channel<u8, 16> = Channel::new();

            #[shared]
            struct Shared {
                at_2: u8,
                at_3: u8,
                at_4: u8,
                at_5: u8,
                at_6: u8,
                at_top: u8,
            }

            #[local]
            struct Local {}

            #[init]
            fn init(_: init::Context) -> (Shared, Local) {
                let _ = receive::spawn();
                (Shared { at_2: 0, at_3: 0, at_4: 0, at_5: 0, at_6: 0, at_top: 0 }, Local {})
            }

            /// Uses an object of each kind.
            fn use_objects(priority: u8) {
                USED.give();
                count::post(priority);
                let _ = MESSAGES.try_send(priority);
                #[cfg(feature = "sections")]
                critical_section::with(|_| USED.give());
            }

            /// Lets an interrupt come before anything else.
            fn come(interrupt: lm3s6965::Interrupt) {
                pend(interrupt);
                cortex_m::asm::dsb();
                cortex_m::asm::isb();
            }

            #[idle]
            fn idle(_: idle::Context) -> ! {
                pend(lm3s6965::Interrupt::GPIOA);
                let mut permits = 0;
                while USED.try_take().is_ok() {
                    permits += 1;
                }
                semihosting::println!("{permits} permits");
                semihosting::process::exit(0)
            }

            #[task(binds = GPIOA, priority = 1, shared = [at_2])]
            fn low(mut cx: low::Context) {
                use_objects(1);
                cx.shared.at_2.lock(|_| come(GPIOC));
                pend(GPIOB);
            }

            #[task(binds = GPIOB, priority = 2, shared = [at_2, at_3])]
            fn second(mut cx: second::Context) {
                use_objects(2);
                cx.shared.at_3.lock(|_| come(GPIOD));
                cx.shared.at_2.lock(|_| use_objects(2));
            }

            #[task(binds = GPIOC, priority = 3, shared = [at_3, at_4])]
            fn third(mut cx: third::Context) {
                use_objects(3);
                cx.shared.at_4.lock(|_| come(GPIOE));
                cx.shared.at_3.lock(|_| use_objects(3));
            }

            #[task(binds = GPIOD, priority = 4, shared = [at_4, at_5])]
            fn fourth(mut cx: fourth::Context) {
                use_objects(4);
                cx.shared.at_5.lock(|_| come(UART0));
                cx.shared.at_4.lock(|_| use_objects(4));
            }

            #[task(binds = GPIOE, priority = 5, shared = [at_5, at_6])]
            fn fifth(mut cx: fifth::Context) {
                use_objects(5);
                cx.shared.at_6.lock(|_| come(UART1));
                cx.shared.at_5.lock(|_| use_objects(5));
            }

            #[task(binds = UART0, priority = 6, shared = [at_6, at_top])]
            fn sixth(mut cx: sixth::Context) {
                use_objects(6);
                cx.shared.at_top.lock(|_| use_objects(6));
                cx.shared.at_6.lock(|_| use_objects(6));
            }

            #[task(binds = UART1, priority = $top, shared = [at_top])]
            fn top(mut cx: top::Context) {
                use_objects($top);
                cx.shared.at_top.lock(|_| use_objects($top));
            }

            #[actor(priority = 1, queue = 16, local = [events: u32 = 0])]
            fn count(cx: count::Context, _: u8) {
                *cx.local.events += 1;
                if *cx.local.events == 14 {
                    semihosting::println!("{} events", *cx.local.events);
                }
            }

            #[task(priority = 2)]
            async fn receive(_: receive::Context) {
                let mut sum = 0;
                for _ in 0..14 {
                    sum += u32::from(MESSAGES.receive().await);
                }
                semihosting::println!("{sum} received");
            }
        }
    };
}
