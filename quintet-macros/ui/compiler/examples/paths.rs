//! The paths that applications of RTIC name, locks of tuples, and alternatives of a whole
//! application.

#![no_std]
#![no_main]
#![deny(warnings, unsafe_code, missing_docs)]

use panic_halt as _;

/// Nobody's application: its condition is false.
#[cfg(any())]
#[quintet::app(device = nothing)]
mod app {
    #[init]
    fn init(_: init::Context) {}
}

macro_rules! alternative {
    (if #[$condition:meta] { $($then:item)* } else { $($otherwise:item)* }) => {
        $(#[$condition] $then)*
        $(#[cfg(any())] $otherwise)*
    };
}

alternative! {
    if #[cfg(all())] {
        #[quintet::app(device = lm3s6965, dispatchers = [SSI0])]
        mod app {
            use quintet::export::{CriticalSection, DWT, NVIC, Peripherals, SCB, SYST, interrupt};
            use quintet::mutex::Mutex;
            use quintet::mutex_prelude::{TupleExt01, TupleExt16, TupleExt32};

            /// What `export` has of the processor's.
            struct Core {
                _parts: (DWT, NVIC, SCB, SYST),
            }

            #[shared]
            struct Shared {
                first: u32,
                second: u32,
            }

            #[local]
            struct Local {
                number: u16,
            }

            #[init]
            fn init(cx: init::Context) -> (Shared, Local) {
                let _: CriticalSection<'_> = cx.cs;
                let Peripherals { DWT, NVIC, SCB, SYST, .. } = cx.core;
                let _ = Core { _parts: (DWT, NVIC, SCB, SYST) };
                interrupt::free(|_| {});
                (Shared { first: 0, second: 0 }, Local { number: 0 })
            }

            #[task(priority = 1, shared = [first, second], local = [number])]
            async fn both(cx: both::Context) {
                let both::SharedResources { mut first, mut second, .. } = cx.shared;
                let mut own = quintet::Exclusive(cx.local.number);
                (&mut first, &mut second, &mut own).lock(|first, second, own| {
                    *first += *second + u32::from(*own);
                });
                (first,).lock(|first| *first += 1);
                add(second);
            }

            /// In scope by their names, too.
            #[expect(dead_code, reason = "the paths are what counts")]
            fn generic<One: TupleExt01, Sixteen: TupleExt16, All: TupleExt32>() {}

            fn add(mut to: impl Mutex<T = u32>) {
                to.lock(|to| *to += 1);
            }
        }
    } else {
        compile_error!("the other one");
    }
}
