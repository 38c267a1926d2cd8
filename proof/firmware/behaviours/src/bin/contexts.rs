//! What contexts hold, and what can be done with it.
#![no_std]
#![no_main]
#![deny(warnings, unsafe_code, missing_docs)]

use quintet::mutex::prelude::*;
use semihosting as _;

/// Generic over the framework's mutexes.
fn add(mut to: impl Mutex<T = u32>, amount: u32) -> u32 {
    to.lock(|to| {
        *to += amount;
        *to
    })
}

/// The body of a task of the application, in another place.
mod elsewhere {
    use quintet::mutex::prelude::*;

    pub fn apart(mut cx: crate::app::apart::Context) {
        cx.shared.count.lock(|count| *count += 1000);
        *cx.local.private += 1;
    }

    pub async fn apart_soft(mut cx: crate::app::apart_soft::Context<'_>, amount: u32) {
        cx.shared.count.lock(|count| *count += amount);
        *cx.local.field += amount;
    }

    pub async fn apart_forever(cx: crate::app::apart_forever::Context<'static>, times: u32) -> ! {
        let field: &'static mut u32 = cx.local.forever;
        *field += times;
        core::future::pending().await
    }
}

#[quintet::app(device = lm3s6965, dispatchers = [SSI0, QEI0])]
mod app {
    use super::elsewhere::{apart, apart_forever, apart_soft};
    use core::cell::RefCell;
    use cortex_m::interrupt::Mutex;
    use cortex_m_semihosting::{debug, hprintln};
    use lm3s6965::Interrupt;

    /// The user's own `Mutex`, in scope in the tasks.
    static OURS: Mutex<RefCell<u32>> = Mutex::new(RefCell::new(0));

    /// Not `Copy`, built at run time, and says when it is dropped.
    pub struct Loud(&'static str);

    impl Drop for Loud {
        fn drop(&mut self) {
            hprintln!("{} is dropped", self.0);
        }
    }

    #[shared]
    pub struct Shared {
        pub count: u32,
        pub key: &'static str,
        #[lock_free]
        pub free: [u32; 2],
        /// Nobody uses it.
        pub unused: Loud,
        pub used: Loud,
        #[cfg(any())]
        pub never: DoesNotExist,
        #[cfg(target_os = "none")]
        #[allow(dead_code)]
        pub always: u8,
    }

    #[local]
    pub struct Local {
        pub field: u32,
        pub forever: u32,
        #[cfg(any())]
        pub nowhere: DoesNotExist,
    }

    #[init(local = [memory: [u8; 3] = [1, 2, 3], memory_too: (u8, u8) = (4, 5)])]
    fn init(cx: init::Context) -> (Shared, Local) {
        let memory: &'static mut [u8; 3] = cx.local.memory;
        cortex_m::interrupt::free(|_| memory[0] = cx.local.memory_too.1);
        let _: quintet::export::CriticalSection<'_> = cx.cs;
        assert!(cortex_m::Peripherals::take().is_none());
        hprintln!("init {:?}", memory);
        quintet::pend(Interrupt::UART0);
        apart_soft::spawn(30).unwrap();
        apart_forever::spawn(2).unwrap();
        (
            Shared {
                count: 1,
                key: "key",
                free: [0; 2],
                unused: Loud("unused"),
                used: Loud("used"),
                #[cfg(any())]
                never: DoesNotExist,
                #[cfg(target_os = "none")]
                always: 1,
            },
            Local {
                field: 0,
                forever: 5,
                #[cfg(any())]
                nowhere: DoesNotExist,
            },
        )
    }

    #[idle(shared = [count, &key, used, never], local = [steps: u32 = 7])]
    fn idle(mut cx: idle::Context) -> ! {
        fn double(mut value: impl quintet::Mutex<T = u32>) -> u32 {
            value.lock(|value| *value * 2)
        }
        let steps: &'static mut u32 = cx.local.steps;
        let idle::SharedResources { count, key, .. } = cx.shared;
        hprintln!("idle {} {} {}", steps, key, helper(count));
        quintet::pend(Interrupt::UART0);
        let mut own = 21;
        hprintln!("{}", double(quintet::Exclusive(&mut own)));
        cx.shared.used.lock(|used| hprintln!("{} is there", used.0));
        debug::exit(debug::EXIT_SUCCESS);
        loop {
            cortex_m::asm::wfi();
        }
    }

    /// Names a proxy.
    fn helper(count: shared_resources::count_that_needs_to_be_locked<'_>) -> u32 {
        super::add(count, 10)
    }

    #[task(binds = UART0, priority = 2, shared = [count, &key, free], local = [field_too: u32 = 0])]
    fn first(mut cx: first::Context) {
        cortex_m::interrupt::free(|cs| *OURS.borrow(cs).borrow_mut() += 1);
        cx.shared.free[0] += 1;
        *cx.local.field_too += 1;
        let count = super::add(&mut cx.shared.count, 1);
        hprintln!("first {} {} {:?}", cx.shared.key, count, cx.shared.free);
        quintet::pend(Interrupt::UART1);
    }

    #[task(binds = UART1, priority = 2, shared = [free, used])]
    fn second(cx: second::Context<'_>) {
        let second::Context { shared, .. } = cx;
        shared.free[1] += 10;
        hprintln!("second {:?}", shared.free);
        quintet::pend(Interrupt::GPIOA);
    }

    #[cfg(any())]
    #[task(binds = NOWHERE, priority = 2, shared = [count])]
    fn configured_away(cx: configured_away::Context) {
        cx.does_not_exist();
    }

    #[cfg(any())]
    #[task(priority = 1)]
    async fn soft_away(cx: soft_away::Context) {
        cx.does_not_exist();
    }

    extern "Rust" {
        #[task(binds = GPIOA, priority = 3, shared = [count], local = [private: u8 = 0])]
        fn apart(cx: apart::Context);

        #[task(priority = 1, shared = [count], local = [field])]
        async fn apart_soft(cx: apart_soft::Context<'_>, amount: u32);

        #[task(priority = 1, local = [forever])]
        async fn apart_forever(cx: apart_forever::Context<'static>, times: u32) -> !;
    }
}
