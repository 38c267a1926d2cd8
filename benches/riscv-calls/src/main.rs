//! What processes pay on RISC-V for system calls, switches and upcalls: the group `tock` there.
//!
//! `rows.toml` has the rows, which are pairs of marks. The processes are in [`processes`], in the
//! same image. The assembly of the [floor](floor) runs first.

#![no_std]
#![no_main]

#[path = "../../src/drivers.rs"]
mod drivers;
#[allow(dead_code, unexpected_cfgs, reason = "the file is shared with the other benchmarks")]
#[path = "../../src/header.rs"]
mod header;
#[allow(unexpected_cfgs, unused_macros, reason = "the file is shared with the other benchmarks")]
#[path = "../../common/src/marks.rs"]
mod marks;
mod processes;

use drivers::{Null, Wake};
use quintet::process::Clients;
use quintet::process::console::Console;
use quintet::process::leds::Leds;
use quintet::process::low_level_debug::LowLevelDebug;
use quintet::process::random::Random;
use quintet::process::temperature::Temperature;
use riscv as _;
use riscv_rt as _;

core::arch::global_asm!(include_str!("floor.s"));

unsafe extern "C" {
    /// Runs the calls of the floor.
    fn floor();
}

const COUNT: usize = 2;

static CONSOLE: Console<COUNT> = Console::new(|| {});
static LEDS: Leds<4> = Leds::new(|_, _| {});
static RANDOM: Random<COUNT> = Random::new(|| {});
static TEMPERATURE: Temperature<COUNT> = Temperature::new(|| {});
static DEBUG: LowLevelDebug = LowLevelDebug::new(|_, _| {});
static WAKE: Wake = Wake { clients: Clients::new([(); COUNT]) };
static NULL: Null = Null { clients: Clients::new([(); COUNT]) };

/// Ends the run, by the finisher of the board.
fn exit(failed: bool) -> ! {
    const FINISHER: *mut u32 = 0x0010_0000 as *mut u32;
    // SAFETY: the board has the register.
    unsafe { FINISHER.write_volatile(if failed { 0x1_3333 } else { 0x5555 }) };
    loop {
        core::hint::spin_loop();
    }
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    exit(true)
}

// The driver that is measured comes last: where a table is searched, no other takes longer.
#[quintet::app(
    device = quintet::riscv,
    peripherals = false,
    processes = [
        priority = 2,
        count = 2,
        flash = 0x4002_0000..0x4002_0800,
        memory = 0x4004_4000..0x4004_8000,
        drivers = [
            &super::CONSOLE, &super::LEDS, &super::RANDOM, &super::TEMPERATURE, &super::DEBUG,
            &super::WAKE, &super::NULL,
        ],
    ],
)]
mod app {
    use core::sync::atomic::Ordering;

    use quintet::process::Status;
    use quintet::riscv::Interrupt;

    use super::drivers::{CALLS, INTERRUPTS, TURNS, wake};
    use super::processes::ROUNDS;
    use super::{exit, floor};

    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        // SAFETY: it puts back what it changes, and interrupts are off.
        unsafe { floor() };
        // SAFETY: the linker's script leaves the flash and the memory to processes.
        unsafe { PROCESSES.start(|_| {}) };
        (Shared {}, Local {})
    }

    /// Runs when both processes wait.
    #[idle]
    fn idle(_: idle::Context) -> ! {
        for _ in 0..core::hint::black_box(ROUNDS) {
            // The partner runs, so that the regions are another one's.
            quintet::pend(Interrupt::SOFTWARE2);
            mark_and_pend();
        }
        let all_wait =
            PROCESSES.processes().iter().all(|process| process.status() == Status::Alive);
        let counts = [&CALLS, &TURNS, &INTERRUPTS].map(|count| count.load(Ordering::Relaxed));
        exit(!all_wait || counts != [ROUNDS, 2 * ROUNDS, 2 * ROUNDS])
    }

    #[inline(never)]
    fn mark_and_pend() {
        crate::mark!("irq_from");
        quintet::pend(Interrupt::SOFTWARE1);
    }

    /// Wakes the process that is measured.
    #[task(binds = SOFTWARE1, priority = 3)]
    fn wakes_measured(_: wakes_measured::Context) {
        wake(1, 1);
    }

    /// Wakes its partner.
    #[task(binds = SOFTWARE2, priority = 3)]
    fn wakes_partner(_: wakes_partner::Context) {
        wake(0, 1);
    }
}
