//! A task whose host's stack overflows, in an application that guards stacks: the panic handler
//! ends it by an exit code.
#![no_std]
#![no_main]

use core::hint::black_box;

use cortex_m_rt as _;
use semihosting as _;

/// A chip.
mod device {
    pub const NVIC_PRIO_BITS: u8 = 3;
}

#[inline(never)]
fn deep(depth: u32) -> u32 {
    let local = black_box([depth; 16]);
    if depth == 0 { local[2] } else { deep(depth - 1).wrapping_add(local[1]) }
}

#[quintet::app(device = crate::device, peripherals = false, host_stack = 512)]
mod app {
    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        let _ = hosted::spawn();
        (Shared {}, Local {})
    }

    #[task(priority = 1)]
    async fn hosted(_: hosted::Context) {
        super::black_box(super::deep(20));
    }

    #[thread(priority = 1, stack = 512)]
    fn neighbour(_: neighbour::Context) {}
}
