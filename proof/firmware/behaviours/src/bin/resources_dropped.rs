//! The value of a resource that nobody lists is dropped: after the tasks that init pended ran,
//! before idle. Listed ones are never dropped. init's own variables are dropped when it returns.
#![no_std]
#![no_main]
#![deny(warnings, missing_docs)]
#![allow(dead_code)]

use semihosting as _;

#[quintet::app(device = lm3s6965)]
mod app {
    use cortex_m_semihosting::{debug, hprintln};

    /// Says that it is dropped.
    pub struct Loud(&'static str);

    impl Drop for Loud {
        fn drop(&mut self) {
            hprintln!("drop {}", self.0);
        }
    }

    #[shared]
    struct Shared {
        unused_first: Loud,
        used: Loud,
        unused_last: Loud,
    }

    #[local]
    struct Local {
        unused: Loud,
        owned: Loud,
    }

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        let _variable = Loud("variable of init");
        quintet::pend(lm3s6965::Interrupt::UART0);
        hprintln!("init returns");
        (
            Shared {
                unused_first: Loud("shared, unused, first"),
                used: Loud("shared, used"),
                unused_last: Loud("shared, unused, last"),
            },
            Local { unused: Loud("local, unused"), owned: Loud("local, owned") },
        )
    }

    #[idle(shared = [&used], local = [owned])]
    fn idle(cx: idle::Context) -> ! {
        hprintln!("idle has {} and {}", cx.shared.used.0, cx.local.owned.0);
        debug::exit(debug::EXIT_SUCCESS);
        loop {
            cortex_m::asm::nop();
        }
    }

    #[task(binds = UART0)]
    fn pended(_: pended::Context) {
        hprintln!("pended in init");
    }
}
