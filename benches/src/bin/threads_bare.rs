//! Group `threads`, the rows of linked bytes: what is linked without Quintet, start-up code, vector
//! table and the timer's registers.

#![no_std]
#![no_main]

use quintet_bench_common::device::{Interrupt, enable};
use quintet_bench_common::timer::plain;
use quintet_bench_common::{exit, mark};

quintet_bench_common::vectors!();

#[cortex_m_rt::entry]
fn main() -> ! {
    enable(Interrupt::TIM3, 5);
    plain::start();
    mark!("start");
    exit(0)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn TIM2() {
    plain::acknowledge();
}

#[unsafe(no_mangle)]
unsafe extern "C" fn TIM3() {}
