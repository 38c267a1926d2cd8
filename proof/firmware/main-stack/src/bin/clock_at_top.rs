//! The clock's interrupt has the highest priority, and comes while a task holds a resource. A task
//! has that priority too, and uses an object within the lock.
#![no_std]
#![no_main]

use main_firmware as _;
use quintet::actor::TimeEvent;

quintet::systick_timer!(Clock, 12_000_000);

static TICK: TimeEvent<u8> = TimeEvent::new(app::count::handle(), 1);

#[quintet::app(device = lm3s6965, dispatchers = [SSI0, GPIOA])]
mod app {
    use quintet::time::{Duration, Instant};

    #[shared]
    struct Shared {
        total: u32,
    }

    #[local]
    struct Local {}

    #[init]
    fn init(cx: init::Context) -> (Shared, Local) {
        super::Clock::start(cx.core.SYST);
        super::TICK.arm_periodic(Duration::from_micros(500));
        quintet::pend(lm3s6965::Interrupt::GPIOB);
        (Shared { total: 0 }, Local {})
    }

    #[task(binds = GPIOB, priority = 1, shared = [total])]
    fn low(mut cx: low::Context) {
        for round in 0_u32.. {
            cx.shared.total.lock(|total| {
                *total += 1;
                if round == 7 {
                    quintet::pend(lm3s6965::Interrupt::GPIOC);
                }
                let end = Instant::now() + Duration::from_micros(100);
                while Instant::now() < end {}
            });
        }
    }

    #[task(binds = GPIOD, priority = 2, shared = [total])]
    fn middle(mut cx: middle::Context) {
        cx.shared.total.lock(|total| *total += 1);
    }

    #[task(binds = GPIOC, priority = 8)]
    fn top(_: top::Context) {
        count::post(7);
    }

    #[actor(priority = 3, queue = 4, local = [ticks: u32 = 0, others: u32 = 0])]
    fn count(cx: count::Context, event: u8) {
        match event {
            1 => *cx.local.ticks += 1,
            _ => *cx.local.others += 1,
        }
        if *cx.local.ticks == 10 {
            semihosting::println!("{} ticks, {} other", *cx.local.ticks, *cx.local.others);
            semihosting::process::exit(0)
        }
    }
}
