//! Software tasks of two levels that share a resource, an async task that another one wakes, and a
//! task that is bound to an interrupt: each step is printed. It is built for a Cortex-M as well,
//! where it must print the same.

#![no_std]
#![no_main]

#[cfg(target_arch = "arm")]
use cortex_m_rt as _;
#[cfg(target_arch = "riscv32")]
use riscv_rt as _;
use semihosting as _;

#[cfg_attr(
    target_arch = "riscv32",
    quintet::app(device = quintet::riscv, dispatchers = [SOFTWARE0, SOFTWARE1])
)]
#[cfg_attr(target_arch = "arm", quintet::app(device = lm3s6965, dispatchers = [SSI0, QEI0]))]
mod app {
    use quintet::sync::Channel;
    use semihosting::{println, process};

    static NUMBERS: Channel<u32, 2> = Channel::new();

    #[shared]
    struct Shared {
        total: u32,
    }

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        println!("init");
        low::spawn().unwrap();
        waiting::spawn().unwrap();
        println!("init ends: nothing ran yet");
        (Shared { total: 0 }, Local {})
    }

    #[idle(shared = [total])]
    fn idle(mut cx: idle::Context) -> ! {
        println!("idle");
        #[cfg(target_arch = "riscv32")]
        quintet::pend(quintet::riscv::Interrupt::SOFTWARE7);
        #[cfg(target_arch = "arm")]
        quintet::pend(lm3s6965::Interrupt::UART0);
        println!("idle: total {}", cx.shared.total.lock(|total| *total));
        process::exit(0)
    }

    #[task(priority = 1, shared = [total])]
    async fn low(mut cx: low::Context) {
        println!("low");
        high::spawn(1).unwrap();
        println!("low: high ran");
        cx.shared.total.lock(|total| {
            high::spawn(10).unwrap();
            println!("low: high is held off, total {total}");
            *total *= 2;
        });
        println!("low: high ran behind the lock");
        NUMBERS.try_send(5).unwrap();
        println!("low: what it woke waits for its end");
    }

    #[task(priority = 1)]
    async fn waiting(_: waiting::Context) {
        println!("waiting: a number");
        let first = NUMBERS.receive().await;
        println!("waiting: {first}, and another number");
        let second = NUMBERS.receive().await;
        println!("waiting: {second}");
    }

    #[task(priority = 2, shared = [total])]
    async fn high(mut cx: high::Context, amount: u32) {
        let total = cx.shared.total.lock(|total| {
            *total += amount;
            *total
        });
        println!("high: total {total}");
    }

    #[cfg(target_arch = "riscv32")]
    #[task(binds = SOFTWARE7, priority = 3, local = [runs: u32 = 0])]
    fn bound(cx: bound::Context) {
        run(cx.local.runs);
    }

    #[cfg(target_arch = "arm")]
    #[task(binds = UART0, priority = 3, local = [runs: u32 = 0])]
    fn bound_to_the_uart(cx: bound_to_the_uart::Context) {
        run(cx.local.runs);
    }

    fn run(runs: &mut u32) {
        *runs += 1;
        println!("bound: run {runs}");
        NUMBERS.try_send(6).unwrap();
        println!("bound: what it woke waits for its end");
    }
}
