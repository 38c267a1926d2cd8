//! D01: a period and a deadline are times in quotes, with a unit.

#![no_std]
#![no_main]

#[quintet::app(device = lm3s6965, dispatchers = [SSI0])]
mod app {
    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        (Shared {}, Local {})
    }

    #[task(priority = 1, period = 10)]
    async fn number(_: number::Context) {}

    #[task(priority = 1, period)]
    async fn missing(_: missing::Context) {}

    #[task(priority = 1, period = "10")]
    async fn without_unit(_: without_unit::Context) {}

    #[task(priority = 1, period = "10 minutes")]
    async fn unknown_unit(_: unknown_unit::Context) {}

    #[task(priority = 1, period = "1e3 ms")]
    async fn exponent(_: exponent::Context) {}

    #[task(binds = GPIOA, priority = 2, period = "0 us")]
    fn nothing(_: nothing::Context) {}

    #[task(binds = GPIOB, priority = 2, period = "10 ms", deadline = "-1 ms")]
    fn negative(_: negative::Context) {}

    #[task(binds = GPIOC, priority = 2, period = "1.5 cycles")]
    fn part_of_a_cycle(_: part_of_a_cycle::Context) {}

    #[thread(priority = 1, stack = 1024, period = PERIOD)]
    fn constant(_: constant::Context) {}
}
