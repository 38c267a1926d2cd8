//! No name of the user's meets a generated one: names of functions and arguments, raw ones, macros
//! and types that a glob import brings in.
#![no_std]
#![no_main]
#![deny(warnings, missing_docs)]
#![allow(dead_code)]

use semihosting as _;

/// What a crate's prelude may bring into the application.
mod prelude {
    /// In place of the language's own, which a constant could call.
    #[macro_export]
    macro_rules! assertion {
        ($($tokens:tt)*) => {
            compile_error!("an assertion of the user's")
        };
    }
    #[allow(unused_imports)]
    pub use assertion as assert;
    pub struct Option;
    pub struct Result;
    pub struct Level;
    pub struct Cell;
    pub struct Token;
    pub struct Context;
    pub trait Iterator {}
    pub trait Default {}
    pub trait Copy {}
    pub mod export {}
    pub mod mem {}
    pub mod ptr {}
}

#[quintet::app(device = lm3s6965, dispatchers = [SSI0, QEI0])]
mod app {
    #[allow(unused_imports)]
    use super::prelude::*;
    use cortex_m_semihosting::{debug, hprintln};

    #[shared]
    struct Shared {
        token: u32,
        start: u32,

        r#type: u32,
    }

    #[local]
    struct Local {
        context: u32,
    }

    #[init]
    fn start(_: start::Context) -> (Shared, Local) {
        spawn::spawn(1, 2).unwrap();
        waker::spawn(7).unwrap();
        (Shared { token: 1, start: 2, r#type: 3 }, Local { context: 1 })
    }

    #[idle(shared = [token, start, r#type], local = [context])]
    fn rest(mut cx: rest::Context) -> ! {
        let context = cx.local.context;
        (&mut cx.shared.token, &mut cx.shared.start)
            .lock(|token, start| hprintln!("{} {} {}", token, start, context));
        quintet_uart::pend();
        cx.shared.r#type.lock(|r#type| hprintln!("{}", r#type));
        r#match::spawn(8).unwrap();
        debug::exit(debug::EXIT_SUCCESS);
        loop {
            cortex_m::asm::nop();
        }
    }

    mod quintet_uart {
        pub fn pend() {
            quintet::pend(lm3s6965::Interrupt::UART0);
        }
    }

    #[task(binds = UART0, priority = 2, shared = [start, token, r#type])]
    fn USART1_Rx(cx: USART1_Rx::Context) {
        let USART1_Rx::SharedResources { mut start, mut token, mut r#type, .. } = cx.shared;
        start.lock(|start| *start += 1);
        token.lock(|token| *token += 1);
        r#type.lock(|r#type| *r#type += 1);
    }

    #[task(priority = 1, shared = [token])]
    async fn spawn(mut cx: spawn::Context, spawn: u32, result: u32) {
        cx.shared.token.lock(|token| *token += spawn + result);
    }

    #[task(priority = 2, local = [start: u32 = 5])]
    async fn waker(cx: waker::Context, ready: u32) {
        *cx.local.start += ready;
        hprintln!("{}", cx.local.start);
    }

    #[task(priority = 1, shared = [r#type])]
    async fn r#match(mut cx: r#match::Context, r#in: u32) {
        hprintln!("{}", cx.shared.r#type.lock(|r#type| *r#type + r#in));
    }

    #[task(priority = 1)]
    fn r#loop(_: r#loop::Context) {}
}
