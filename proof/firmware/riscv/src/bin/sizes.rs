//! Levels of all sizes: one job, a few, up to 32, and more; and an actor. It is built for a
//! Cortex-M as well, where it must print the same.
#![no_std]
#![no_main]

#[cfg(target_arch = "arm")]
use cortex_m_rt as _;
#[cfg(target_arch = "riscv32")]
use riscv_rt as _;
use semihosting as _;

#[cfg_attr(
    target_arch = "riscv32",
    quintet::app(
        device = quintet::riscv,
        dispatchers = [SOFTWARE0, SOFTWARE1, SOFTWARE2, SOFTWARE23],
    )
)]
#[cfg_attr(
    target_arch = "arm",
    quintet::app(device = lm3s6965, dispatchers = [SSI0, QEI0, UART0, UART1])
)]
mod app {
    use quintet::sync::Semaphore;
    use semihosting::{println, process};

    static TURNS: Semaphore = Semaphore::new(0);

    #[shared]
    struct Shared {
        sum: u32,
    }

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        (Shared { sum: 0 }, Local {})
    }

    #[idle(shared = [sum])]
    fn idle(mut cx: idle::Context) -> ! {
        (0..8).for_each(|_| many::spawn().unwrap());
        (0..32).for_each(|_| wide::spawn().unwrap());
        last::spawn().unwrap();
        few_a::spawn().unwrap();
        few_b::spawn().unwrap();
        println!("idle: sum {}", cx.shared.sum.lock(|sum| *sum));
        for _ in 0..43 {
            TURNS.give();
        }
        println!("idle: sum {}", cx.shared.sum.lock(|sum| *sum));
        process::exit(0)
    }

    #[task(priority = 1, instances = 8, shared = [sum])]
    async fn many(mut cx: many::Context) {
        TURNS.take().await;
        cx.shared.sum.lock(|sum| *sum += 1);
        if cx.instance == 7 {
            report::post(cx.instance as u32);
            println!("many: reported");
        }
    }

    #[task(priority = 2, instances = 32, shared = [sum])]
    async fn wide(mut cx: wide::Context) {
        TURNS.take().await;
        cx.shared.sum.lock(|sum| *sum += 100);
        if cx.instance == 31 {
            report::post(cx.instance as u32);
            println!("wide: reported");
        }
    }

    #[task(priority = 2, shared = [sum])]
    async fn last(mut cx: last::Context) {
        TURNS.take().await;
        let sum = cx.shared.sum.lock(|sum| {
            *sum += 1000;
            *sum
        });
        println!("last: sum {sum}");
    }

    #[task(priority = 3, shared = [sum])]
    async fn few_a(mut cx: few_a::Context) {
        TURNS.take().await;
        cx.shared.sum.lock(|sum| *sum += 10_000);
    }

    #[task(priority = 3, shared = [sum])]
    async fn few_b(mut cx: few_b::Context) {
        TURNS.take().await;
        cx.shared.sum.lock(|sum| *sum += 20_000);
    }

    #[actor(priority = 4, queue = 2, shared = [sum])]
    fn report(mut cx: report::Context, instance: u32) {
        println!("report: instance {instance}, sum {}", cx.shared.sum.lock(|sum| *sum));
    }
}
