//! A waker of a task that is not alive does nothing, and a later spawn is polled once. Pending a
//! dispatcher's vector by hand is harmless. What a finished task owned is dropped before another
//! task is polled; what a refused spawn was given comes back.
#![no_std]
#![no_main]
#![deny(warnings, missing_docs)]

use semihosting as _;

#[quintet::app(device = lm3s6965, dispatchers = [SSI0, QEI0])]
mod app {
    use core::future::poll_fn;
    use core::task::{Poll, Waker};
    use cortex_m_semihosting::{debug, hprintln};
    use lm3s6965::Interrupt;

    #[shared]
    struct Shared {
        kept: Option<Waker>,
    }

    #[local]
    struct Local {}

    /// Says that it is dropped.
    #[derive(Debug)]
    pub struct Loud(&'static str);

    impl Drop for Loud {
        fn drop(&mut self) {
            hprintln!("drop {}", self.0);
        }
    }

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        first::waker().wake();
        quintet::pend(Interrupt::QEI0);
        quintet::pend(Interrupt::SSI0);
        (Shared { kept: None }, Local {})
    }

    #[idle(shared = [kept])]
    fn idle(mut cx: idle::Context) -> ! {
        hprintln!("nothing ran");
        quintet::pend(Interrupt::QEI0);
        first::waker().wake();
        hprintln!("still nothing");
        cortex_m::interrupt::free(|_| {
            first::spawn(Loud("argument of first")).unwrap();
            second::spawn().unwrap();
        });
        hprintln!("first is alive");
        match first::spawn(Loud("argument that was refused")) {
            Ok(()) => hprintln!("spawned twice"),
            Err(back) => hprintln!("refused: {}", back.0),
        }
        quintet::pend(Interrupt::QEI0);
        hprintln!("pended by hand: nobody polled");
        first::waker().wake();
        hprintln!("first is dead");
        let kept = cx.shared.kept.lock(|kept| kept.take()).unwrap();
        kept.wake_by_ref();
        let clone = kept.clone();
        clone.wake();
        hprintln!("woke the dead");
        first::spawn(Loud("argument of its successor")).unwrap();
        hprintln!("polled once");
        first::waker().wake();
        debug::exit(debug::EXIT_SUCCESS);
        loop {
            cortex_m::asm::nop();
        }
    }

    #[task(priority = 1, shared = [kept])]
    async fn first(mut cx: first::Context, argument: Loud) {
        let _variable = Loud("variable of first");
        hprintln!("first begins: {}", argument.0);
        let mut polls = 0;
        poll_fn(|context| {
            polls += 1;
            hprintln!("first is polled: {}", polls);
            cx.shared.kept.lock(|kept| *kept = Some(context.waker().clone()));
            if polls == 2 { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
        second::waker().wake();
        hprintln!("first ends");
    }

    #[task(priority = 1)]
    async fn second(_: second::Context) {
        hprintln!("second begins");
        let mut suspended = false;
        poll_fn(|_| {
            if core::mem::replace(&mut suspended, true) { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
        hprintln!("second ends");
    }
}
