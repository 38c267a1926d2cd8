//! Attributes land where they are meant: those of a task on its handler and its body, a
//! dispatcher's on its handler, a field's and a variable's on what holds it, which otherwise is
//! neither zeroed nor copied at start-up.
#![no_std]
#![no_main]
#![deny(warnings, missing_docs)]

use semihosting as _;

#[quintet::app(
    device = lm3s6965,
    dispatchers = [#[unsafe(link_section = ".data.ssi0")] SSI0, QEI0],
)]
mod app {
    use cortex_m_semihosting::{debug, hprintln};
    use lm3s6965::Interrupt;

    unsafe extern "C" {
        static __ebss: u32;
        static __euninit: u32;
    }

    /// Where main memory begins.
    const RAM: u32 = 0x2000_0000;

    #[shared]
    struct Shared {
        plain: u32,
        #[unsafe(link_section = ".data.field")]
        placed: u32,
    }

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        (Shared { plain: 1, placed: 2 }, Local {})
    }

    #[idle(
        shared = [plain, placed],
        local = [#[unsafe(link_section = ".uninit.variable")] variable: u32 = 3, zero: u32 = 0],
    )]
    fn idle(cx: idle::Context) -> ! {
        let idle::SharedResources { mut plain, mut placed, .. } = cx.shared;
        let (plain, placed) = (plain.lock(address), placed.lock(address));
        hprintln!("the field without a section: {}", is_uninit(plain));
        hprintln!("the field with one: {}", is_uninit(placed));
        hprintln!("the variable with one: {}", is_uninit(cx.local.variable));
        hprintln!("the variable without: {}", is_uninit(cx.local.zero));
        for (name, interrupt) in [
            ("the task with a section", Interrupt::UART0),
            ("the task without", Interrupt::UART1),
            ("the dispatcher with a section", Interrupt::SSI0),
            ("the dispatcher without", Interrupt::QEI0),
        ] {
            hprintln!("{} runs in main memory: {}", name, handler(interrupt) >= RAM);
        }
        fast::spawn().ok();
        quintet::pend(Interrupt::UART0);
        cortex_m::asm::isb();
        debug::exit(debug::EXIT_SUCCESS);
        loop {
            cortex_m::asm::nop();
        }
    }

    const fn address(value: &mut u32) -> *const u32 {
        value
    }

    /// Whether a value is behind what is copied and zeroed at start-up.
    fn is_uninit(value: *const u32) -> bool {
        (&raw const __ebss..&raw const __euninit).contains(&value)
    }

    /// The address of an interrupt's handler.
    fn handler(interrupt: Interrupt) -> u32 {
        // SAFETY: the vectors are at the beginning of the code, and not empty.
        unsafe { core::ptr::read((0x40 + 4 * interrupt as usize) as *const u32) }
    }

    #[task(binds = UART0)]
    #[inline(never)]
    #[unsafe(link_section = ".data.task")]
    fn placed(_: placed::Context) {
        hprintln!("its body too: {}", cortex_m::register::pc::read() >= RAM);
    }

    #[task(binds = UART1, shared = [plain, placed])]
    fn plain(_: plain::Context) {}

    #[task(priority = 1)]
    async fn slow(_: slow::Context) {}

    #[task(priority = 2)]
    async fn fast(_: fast::Context) {
        slow::spawn().ok();
    }
}
