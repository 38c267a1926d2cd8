//! Groups `qp-3` and `qp-4`, and the rows of `qp-1` that only actors have: the dining philosophers.
//!
//! The scenario is written down in `scenarios/qp-3.toml`. A feature chooses the kernel.

#![no_std]
#![no_main]

#[path = "../dinner/mod.rs"]
mod dinner;

quintet_bench_common::vectors!();
quintet::systick_tick!(Clock, 8_000_000);

#[cfg_attr(
    not(feature = "cooperative"),
    quintet::app(
        device = quintet_bench_common::device,
        peripherals = false,
        dispatchers = [EXTI1, EXTI2]
    )
)]
#[cfg_attr(
    feature = "cooperative",
    quintet::app(
        device = quintet_bench_common::device,
        peripherals = false,
        scheduler = "cooperative"
    )
)]
mod app {
    use core::hint::black_box;

    use quintet::chart::Machine;
    use quintet::time::Instant;
    use quintet_bench_common::device::Interrupt;
    use quintet_bench_common::{exit, mark, pend};

    use crate::Clock;
    use crate::dinner::philosopher::{self, Philosopher};
    use crate::dinner::table::{self, Table};
    use crate::dinner;

    /// The dinner takes a minute.
    const PAUSES: u32 = 6;
    const SERVES_TICKS: u64 = 9_000;
    const PAUSES_TICKS: u64 = 1_000;

    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(cx: init::Context) -> (Shared, Local) {
        Clock::start(cx.core.SYST);
        // The first use of a block takes longer: each is linked into the pool's list once.
        if !dinner::is_quiet() {
            exit(104)
        }
        (Shared {}, Local {})
    }

    #[idle]
    fn idle(_: idle::Context) -> ! {
        mark!("start");
        for _ in 0..black_box(PAUSES) {
            wait(SERVES_TICKS);
            pend!("nothing_from", "recovery_a_to", Interrupt::TIM4);
            pend!("button_from", "button_to", Interrupt::TIM3);
            wait(PAUSES_TICKS);
            pend!("button_again_from", "button_again_to", Interrupt::TIM3);
        }
        waiter::post(table::Event::Close);
        wait(10);
        mark!("end");
        exit(if dinner::all_have_eaten() && dinner::is_quiet() { 0 } else { 105 })
    }

    /// Lets so many ticks go by.
    #[inline(never)]
    fn wait(ticks: u64) {
        let until = Instant::now().as_ticks() + ticks;
        while Instant::now().as_ticks() < until {
            cortex_m::asm::wfi();
        }
    }

    /// The button: pauses the dinner, and lets it go on.
    #[task(binds = TIM3, priority = 3, local = [is_paused: bool = false])]
    fn button(cx: button::Context) {
        let is_paused = *cx.local.is_paused;
        *cx.local.is_paused = !is_paused;
        if is_paused {
            waiter::post(table::Event::Serve);
        } else {
            waiter::post(table::Event::Test);
            waiter::post(table::Event::Pause);
        }
        mark!("recovery_b_from");
    }

    /// An interrupt that tells nobody.
    #[task(binds = TIM4, priority = 3)]
    fn nothing(_: nothing::Context) {
        mark!("recovery_a_from");
    }

    /// A philosopher: each has a place at the table, and a state of his own.
    #[actor(
        priority = 1,
        queue = 6,
        instances = 5,
        first = philosopher::Event::Sit,
        subscribe = [table::Eat, table::Over],
        local = [chart: Machine<Philosopher> = Philosopher::new().machine()]
    )]
    fn philo(cx: philo::Context, event: philosopher::Event) {
        let mut seat = cx.instance as u8;
        let is_hungry = matches!(cx.local.chart.state(), philosopher::State::Hungry { .. });
        if is_hungry && matches!(&event, philosopher::Event::Eat(who) if **who == seat) {
            mark!("eat_from");
        }
        // The machine looks for itself.
        let chart = black_box(cx.local.chart);
        chart.dispatch(black_box(&event), black_box(&mut seat));
        mark!("eat_to");
    }

    /// The table, more urgent than who sits there.
    #[actor(
        priority = 2,
        queue = 12,
        first = table::Event::Lay,
        subscribe = [philosopher::Done],
        local = [chart: Machine<Table> = Table::new().machine()]
    )]
    fn waiter(cx: waiter::Context, event: table::Event) {
        mark!("post_get_to");
        mark!("recovery_b_to");
        #[cfg(not(feature = "cooperative"))]
        mark!("publish_1_to");
        if matches!(event, table::Event::Test) {
            mark!("ignored_from");
        }
        let chart = black_box(cx.local.chart);
        chart.dispatch(black_box(&event));
        mark!("ignored_to");
        mark!("recycle_from");
        drop(event);
        mark!("recycle_to");
    }

    /// Waits beside them: who is below is hosted by threads.
    #[cfg(feature = "hosted")]
    #[thread(priority = 1, stack = 256)]
    fn test(cx: test::Context) {
        loop {
            cx.thread.delay(quintet::time::Duration::from_ticks(700));
        }
    }
}
