//! What init sees: interrupts are off, priorities and enables are in place, the core peripherals
//! are taken, its variables are static; nothing that it pends, spawns or wakes runs before it
//! returns, and then its stack is free again.
#![no_std]
#![no_main]
#![deny(warnings, missing_docs)]

use semihosting as _;

#[quintet::app(device = lm3s6965, dispatchers = [SSI0, QEI0, GPIOA])]
mod app {
    use cortex_m::peripheral::NVIC;
    use cortex_m_semihosting::{debug, hprintln};
    use lm3s6965::Interrupt;

    #[shared]
    struct Shared {
        count: u32,
    }

    #[local]
    struct Local {
        kept: &'static mut u32,
        stack: u32,
    }

    #[init(local = [number: u32 = 40, list: [u8; 2] = [1, 2]])]
    fn init(cx: init::Context) -> (Shared, Local) {
        hprintln!("taken: {}", cortex_m::Peripherals::take().is_none());
        let _: cortex_m::Peripherals = cx.core;
        let _: lm3s6965::Peripherals = cx.device;
        let section: quintet::export::CriticalSection<'_> = cx.cs;
        let cell = critical_section::Mutex::new(core::cell::Cell::new(1));
        cell.borrow(section).set(2);
        hprintln!("section: {}", cell.borrow(section).get());
        hprintln!("masked: {}", cortex_m::register::primask::read().is_inactive());
        for (name, interrupt) in [
            ("UART0", Interrupt::UART0),
            ("UART1", Interrupt::UART1),
            ("GPIOA", Interrupt::GPIOA),
            ("QEI0", Interrupt::QEI0),
        ] {
            let enabled = NVIC::is_enabled(interrupt);
            hprintln!("{} {} {:#x}", name, enabled, NVIC::get_priority(interrupt));
        }
        hprintln!("SSI0, which nobody needs: {}", NVIC::is_enabled(Interrupt::SSI0));
        hprintln!("UART2, which nobody names: {}", NVIC::is_enabled(Interrupt::UART2));
        quintet::pend(Interrupt::UART0);
        quintet::pend(Interrupt::UART1);
        low::spawn(3).unwrap();
        high::spawn().unwrap();
        low::waker().wake();
        high::waker().wake();
        let number: &'static mut u32 = cx.local.number;
        let list: &'static mut [u8; 2] = cx.local.list;
        *number += u32::from(list[1]);
        let large = core::hint::black_box([0_u8; 2048]);
        let stack = large.as_ptr() as u32;
        hprintln!("init returns");
        (Shared { count: 0 }, Local { kept: number, stack })
    }

    #[idle(local = [kept, stack, own: u32 = 1], shared = [count])]
    fn idle(mut cx: idle::Context) -> ! {
        let kept: &'static mut &'static mut u32 = cx.local.kept;
        let own: &'static mut u32 = cx.local.own;
        hprintln!("unmasked: {}", cortex_m::register::primask::read().is_active());
        hprintln!("idle {} {} {}", kept, own, cx.shared.count.lock(|count| *count));
        let stack = cortex_m::register::msp::read();
        hprintln!("init's stack is free: {}", stack > *cx.local.stack + 1024);
        debug::exit(debug::EXIT_SUCCESS);
        loop {
            cortex_m::asm::nop();
        }
    }

    #[task(binds = UART0, shared = [count])]
    fn uart0(mut cx: uart0::Context) {
        cx.shared.count.lock(|count| *count += 1);
        hprintln!("uart0, priority 1 by default");
    }

    #[task(binds = UART1, priority = 5, shared = [count])]
    fn uart1(mut cx: uart1::Context) {
        cx.shared.count.lock(|count| *count += 10);
        hprintln!("uart1, priority 5");
    }

    #[task(priority = 1, shared = [count])]
    async fn low(mut cx: low::Context, by: u32) {
        cx.shared.count.lock(|count| *count += by * 100);
        hprintln!("low, priority 1");
    }

    #[task(priority = 3)]
    async fn high(_: high::Context) {
        hprintln!("high, priority 3");
    }
}
