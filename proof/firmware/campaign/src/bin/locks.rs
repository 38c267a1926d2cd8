//! Locks of resources: nested, by tuples, with a ceiling that only PRIMASK expresses, within each
//! other in either order; and who may run meanwhile.
#![no_std]
#![no_main]

#[quintet::app(device = lm3s6965, peripherals = false)]
mod app {
    use campaign::doors::{self, Pair};
    use campaign::{Count, begin, end, succeed};
    use lm3s6965::Interrupt;

    #[shared]
    struct Shared {
        /// Ceiling 3.
        low: Pair,
        /// Ceiling 4.
        middle: Pair,
        /// Ceiling 5.
        high: Pair,
        /// Ceiling 8: BASEPRI can't express it.
        top: Pair,
    }

    #[local]
    struct Local {}

    static LOW: Count = Count::new();
    static MIDDLE: Count = Count::new();
    static HIGH: Count = Count::new();
    static TOP: Count = Count::new();
    /// Runs of `two` and `seven`.
    static TWO: Count = Count::new();
    static SEVEN: Count = Count::new();

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        let pair = Pair::default;
        (Shared { low: pair(), middle: pair(), high: pair(), top: pair() }, Local {})
    }

    #[idle(shared = [low, middle, high, top])]
    fn idle(cx: idle::Context) -> ! {
        let idle::SharedResources { mut low, mut middle, mut high, mut top, .. } = cx.shared;
        begin();
        low.lock(|low| low.with(3, held_off_and_not));
        // The inner ceiling is lower: it must not open the outer section.
        high.lock(|high| {
            high.with(5, || {
                middle.lock(|middle| middle.add(4));
                top.lock(|top| top.add(8));
                low.lock(|low| low.with(3, held_off_and_not));
            });
        });
        low.lock(|low| {
            low.with(3, || {
                (&mut middle, &mut high).lock(|middle, high| {
                    middle.add(4);
                    high.add(5);
                })
            });
        });
        top.lock(|top| top.with(8, || middle.lock(|middle| middle.add(4))));
        end();
        LOW.put(LOW.get() + 3);
        MIDDLE.put(MIDDLE.get() + 3);
        HIGH.put(HIGH.get() + 2);
        TOP.put(TOP.get() + 2);
        low.lock(|low| assert!(low.total() == LOW.get(), "low"));
        middle.lock(|middle| assert!(middle.total() == MIDDLE.get(), "middle"));
        high.lock(|high| assert!(high.total() == HIGH.get(), "high"));
        top.lock(|top| assert!(top.total() == TOP.get(), "top"));
        succeed()
    }

    /// In a section of a ceiling between 2 and 7: a task of priority 7 runs at once, one of
    /// priority 2 does not.
    fn held_off_and_not() {
        let (two, seven) = (TWO.get(), SEVEN.get());
        quintet::pend(Interrupt::UART0);
        quintet::pend(Interrupt::SSI0);
        cortex_m::asm::isb();
        assert!(SEVEN.get() != seven, "priority 7 is held off");
        assert!(TWO.get() == two, "priority 2 is not held off");
    }

    #[task(binds = GPIOA, priority = 1, shared = [low, top])]
    fn one(cx: one::Context) {
        doors::enter(1);
        let one::SharedResources { mut low, mut top, .. } = cx.shared;
        low.lock(|low| low.with(3, || top.lock(|top| top.add(8))));
        LOW.add();
        TOP.add();
    }

    #[task(binds = UART0, priority = 2, shared = [middle, high])]
    fn two(cx: two::Context) {
        doors::enter(2);
        TWO.add();
        let two::SharedResources { mut middle, mut high, .. } = cx.shared;
        high.lock(|high| high.with(5, || middle.lock(|middle| middle.add(4))));
        HIGH.add();
        MIDDLE.add();
    }

    #[task(binds = GPIOB, priority = 3, shared = [low])]
    fn three(mut cx: three::Context) {
        doors::enter(3);
        cx.shared.low.lock(|low| low.add(3));
        LOW.add();
    }

    #[task(binds = GPIOC, priority = 4, shared = [middle])]
    fn four(mut cx: four::Context) {
        doors::enter(4);
        cx.shared.middle.lock(|middle| middle.add(4));
        MIDDLE.add();
    }

    #[task(binds = GPIOD, priority = 5, shared = [high])]
    fn five(mut cx: five::Context) {
        doors::enter(5);
        cx.shared.high.lock(|high| high.add(5));
        HIGH.add();
    }

    #[task(binds = GPIOE, priority = 6, shared = [top])]
    fn six(mut cx: six::Context) {
        doors::enter(6);
        cx.shared.top.lock(|top| top.add(8));
        TOP.add();
    }

    #[task(binds = SSI0, priority = 7)]
    fn seven(_: seven::Context) {
        doors::enter(7);
        SEVEN.add();
    }

    #[task(binds = UART1, priority = 8, shared = [top])]
    fn eight(mut cx: eight::Context) {
        doors::enter(9);
        cx.shared.top.lock(|top| top.add(8));
        TOP.add();
    }
}
