//! Group `async`: what several tasks on one level cost in Quintet.

#![no_std]
#![no_main]

quintet_bench_common::vectors!();

quintet_bench_common::levels_scenario! {
    (#[quintet::app(
        device = quintet_bench_common::device,
        peripherals = false,
        dispatchers = [EXTI0, EXTI1, EXTI2, EXTI3, EXTI4, TIM3]
    )]
    mod app)
}
