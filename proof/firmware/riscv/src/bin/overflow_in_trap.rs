//! A thread's stack has no room for what an interrupt saves there. A task is pended at each depth,
//! which takes more of the stack than a step down does.
#![no_std]
#![no_main]

use riscv_rt as _;

#[quintet::app(device = quintet::riscv, peripherals = false)]
mod app {
    use core::hint::black_box;

    use quintet::riscv::Interrupt;
    use semihosting::println;

    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        (Shared {}, Local {})
    }

    fn sum(number: u32) -> u32 {
        quintet::pend(Interrupt::SOFTWARE1);
        if number == 0 { 0 } else { black_box(number) + sum(number - 1) }
    }

    #[thread(priority = 1, stack = 512)]
    fn deep(_: deep::Context) {
        println!("{}", sum(black_box(1000)));
    }

    #[task(binds = SOFTWARE1, priority = 2)]
    fn interrupts(_: interrupts::Context) {}
}
