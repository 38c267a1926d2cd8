//! The lock of a resource where nothing can be held outside it, which saves no mask.
#![no_std]
#![no_main]

#[quintet::app(device = lm3s6965, peripherals = false)]
mod app {
    use campaign::doors::{self, Pair};
    use campaign::{Count, begin, end, succeed};
    use lm3s6965::Interrupt;

    #[shared]
    struct Shared {
        /// Ceiling 4.
        only: Pair,
    }

    #[local]
    struct Local {}

    static ONLY: Count = Count::new();
    static ONE: Count = Count::new();
    static SIX: Count = Count::new();

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        (Shared { only: Pair::default() }, Local {})
    }

    #[idle(shared = [only])]
    fn idle(mut cx: idle::Context) -> ! {
        begin();
        for _ in 0..3 {
            cx.shared.only.lock(|only| {
                only.with(4, || {
                    let (one, six) = (ONE.get(), SIX.get());
                    quintet::pend(Interrupt::GPIOA);
                    quintet::pend(Interrupt::GPIOD);
                    cortex_m::asm::isb();
                    assert!(SIX.get() != six, "priority 6 is held off");
                    assert!(ONE.get() == one, "priority 1 is not held off");
                });
            });
            let one = ONE.get();
            quintet::pend(Interrupt::GPIOA);
            cortex_m::asm::isb();
            assert!(ONE.get() != one, "a section has left something masked");
        }
        end();
        ONLY.put(ONLY.get() + 3);
        cx.shared.only.lock(|only| assert!(only.total() == ONLY.get(), "only"));
        succeed()
    }

    #[task(binds = GPIOA, priority = 1, shared = [only])]
    fn one(mut cx: one::Context) {
        doors::enter(1);
        ONE.add();
        cx.shared.only.lock(|only| only.add(4));
        ONLY.add();
    }

    #[task(binds = GPIOB, priority = 2, shared = [only])]
    fn two(mut cx: two::Context) {
        doors::enter(2);
        cx.shared.only.lock(|only| only.add(4));
        ONLY.add();
    }

    #[task(binds = GPIOC, priority = 4, shared = [only])]
    fn four(mut cx: four::Context) {
        doors::enter(4);
        cx.shared.only.lock(|only| only.add(4));
        ONLY.add();
    }

    #[task(binds = GPIOD, priority = 6)]
    fn six(_: six::Context) {
        doors::enter(6);
        SIX.add();
    }
}
