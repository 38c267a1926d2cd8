//! Tasks, resources and variables that exclude each other by `cfg`.

#![no_std]
#![no_main]
#![deny(warnings, unsafe_code, missing_docs)]

use panic_halt as _;

#[quintet::app(device = lm3s6965, dispatchers = [SSI0, QEI0])]
mod app {
    #[shared]
    struct Shared {
        #[cfg(feature = "extra")]
        count: u32,
        #[cfg(not(feature = "extra"))]
        count: u16,
        #[cfg(feature = "extra")]
        more: u32,
        #[lock_free]
        free: u32,
        mixed: u32,
    }

    #[local]
    struct Local {
        own: u32,
        #[cfg(feature = "extra")]
        other: u32,
        owned: u32,
    }

    #[init(local = [
        #[cfg(feature = "extra")] first: u32 = 0,
        #[cfg(not(feature = "extra"))] first: u16 = 0,
    ])]
    fn init(cx: init::Context) -> (Shared, Local) {
        *cx.local.first += 1;
        let _ = sample::spawn(1);
        (
            Shared {
                count: 0,
                #[cfg(feature = "extra")]
                more: 0,
                free: 0,
                mixed: 0,
            },
            Local {
                own: 0,
                owned: 0,
                #[cfg(feature = "extra")]
                other: 0,
            },
        )
    }

    // Of one name and one vector.
    #[cfg(feature = "extra")]
    #[task(binds = UART0, priority = 2, shared = [count, more], local = [own, other])]
    fn receive(mut cx: receive::Context) {
        cx.shared.count.lock(|count| *count += *cx.local.own);
        cx.shared.more.lock(|more| *more += *cx.local.other);
    }

    #[cfg(not(feature = "extra"))]
    #[task(
        binds = UART0,
        priority = 1,
        shared = [count],
        local = [own, #[cfg(feature = "extra")] variable: u32 = 0],
    )]
    fn receive(mut cx: receive::Context) {
        cx.shared.count.lock(|count| *count += 1);
        *cx.local.own += 1;
    }

    // Of two names and one vector.
    #[cfg(feature = "extra")]
    #[task(binds = UART1)]
    fn fast(_: fast::Context) {}

    #[cfg(not(feature = "extra"))]
    #[task(binds = UART1)]
    fn slow(_: slow::Context) {}

    // Of two names, with what only one of them may have.
    #[cfg(feature = "extra")]
    #[task(binds = UART2, priority = 2, shared = [free, mixed], local = [owned])]
    fn near(mut cx: near::Context) {
        *cx.local.owned += 1;
        *cx.shared.free += 1;
        cx.shared.mixed.lock(|mixed| *mixed += 1);
    }

    #[cfg(not(any(feature = "extra", target_arch = "riscv32")))]
    #[task(binds = GPIOA, shared = [free, &mixed], local = [
        owned,
        #[cfg(feature = "extra")] rest: u32 = 0,
        #[cfg(not(feature = "extra"))] rest: u16 = 0,
    ])]
    fn far(cx: far::Context) {
        *cx.local.owned += 1;
        *cx.shared.free += *cx.shared.mixed;
        *cx.local.rest += 1;
    }

    // Started by software, of different priorities.
    #[cfg(feature = "extra")]
    #[task(priority = 2, shared = [more, count])]
    async fn sample(mut cx: sample::Context, value: u32) {
        cx.shared.more.lock(|more| *more += value);
        cx.shared.count.lock(|count| *count += value);
    }

    #[cfg(not(feature = "extra"))]
    #[task(priority = 1, shared = [more, count])]
    async fn sample(mut cx: sample::Context, _value: u16) {
        cx.shared.count.lock(|count| *count += 1);
    }
}
