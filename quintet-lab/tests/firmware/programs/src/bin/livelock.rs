//! Two tasks of two priorities await one object that keeps one waker, and wakes whom it forgets.
//! A thread above them makes hosts of their levels, so that no vector is needed.
#![no_std]
#![no_main]

use core::cell::RefCell;
use core::future::poll_fn;
use core::task::{Poll, Waker};

use cortex_m::interrupt::Mutex;
use cortex_m_rt as _;
use semihosting as _;

/// A chip with two interrupts.
mod device {
    pub const NVIC_PRIO_BITS: u8 = 3;

    #[allow(non_camel_case_types, dead_code, reason = "the application asks for the names alone")]
    #[derive(Clone, Copy)]
    pub enum interrupt {
        UART0 = 5,
        SSI0 = 7,
    }

    // SAFETY: the numbers are those of the interrupts.
    unsafe impl cortex_m::interrupt::InterruptNumber for interrupt {
        fn number(self) -> u16 {
            self as u16
        }
    }
}

/// Never has anything for anybody.
static ONE_WAKER: Mutex<RefCell<Option<Waker>>> = Mutex::new(RefCell::new(None));

async fn never() {
    poll_fn(|context| {
        let waker = context.waker();
        cortex_m::interrupt::free(|token| {
            let mut one = ONE_WAKER.borrow(token).borrow_mut();
            match one.as_ref() {
                Some(mine) if mine.will_wake(waker) => {}
                _ => {
                    let other = one.replace(waker.clone());
                    other.into_iter().for_each(Waker::wake);
                }
            }
        });
        Poll::<()>::Pending
    })
    .await
}

#[quintet::app(device = crate::device, peripherals = false, host_stack = 1024)]
mod app {
    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        let _ = (left::spawn(), right::spawn(), third::spawn());
        (Shared {}, Local {})
    }

    #[thread(priority = 3, stack = 512)]
    fn above(_: above::Context) {}

    #[task(priority = 1)]
    async fn left(_: left::Context) {
        super::never().await
    }

    #[task(priority = 2)]
    async fn right(_: right::Context) {
        super::never().await
    }

    #[task(priority = 2)]
    async fn third(_: third::Context) {
        core::future::pending().await
    }
}
