//! A visible module with attributes of its own, without peripherals, with contexts through other
//! paths and commas at every end.

#![no_std]
#![no_main]
#![deny(warnings, unsafe_code, missing_docs)]

use panic_halt as _;
use quintet::app;

/// What the module's `use super::*` brings in.
mod hal {
    pub use lm3s6965 as pac;
}

/// The firmware.
#[app(device = hal::pac, core = false, peripherals = false, dispatchers = [SSI0, QEI0,],)]
pub mod firmware {
    #![allow(clippy::needless_return)]

    use super::*;

    macro_rules! seven {
        () => {
            7
        };
    }

    use seven as sept;

    /// A count.
    #[shared]
    #[derive(Debug)]
    pub struct Common {
        /// The value.
        pub count: u32,
        #[lock_free]
        list: [Option<&'static mut u8>; 2],
    }

    #[local]
    struct Own {}

    #[init(local = [a: u32 = 0, b: [u8; 2] = [0; 2],],)]
    fn start(start::Context { local, .. }: start::Context<'_>) -> (Common, self::Own) {
        *local.a += u32::from(local.b[0]);
        return (Common { count: sept!(), list: [None, None] }, Own {});
    }

    /// Waits.
    #[idle(local = [n: u8 = 1], shared = [&count],)]
    fn rest(cx: self::rest::Context) -> ! {
        *cx.local.n = cx.shared.count.to_le_bytes()[0];
        loop {
            quintet::export::wfi();
        }
    }

    #[task(binds = UART0, shared = [list], local = [],)]
    #[inline(never)]
    fn receive(cx: crate::firmware::receive::Context) -> () {
        cx.shared.list[0] = None;
    }

    #[task(binds = UART1, priority = 0x1, shared = [list, &count])]
    fn send(cx: send::Context) {
        if *cx.shared.count == 0 {
            cx.shared.list[1] = None;
        }
    }

    #[task(priority = 2)]
    async fn several(_: several::Context, (x, y): (u8, u8), mut z: u32) {
        z += u32::from(x) + u32::from(y);
        let _ = several::spawn((x, y), z);
    }

    #[task(binds = SysTick, priority = 8)]
    fn tick(_: tick::Context) {
        let _ = several::spawn((0, 1), 1);
    }
}
