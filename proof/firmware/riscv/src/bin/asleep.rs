//! A task in thread mode that waits for the handler of the timer, which is the application's own,
//! while the core is asleep. The handler gives once for each time that the task has armed the
//! timer: if a wake-up is lost, the core sleeps for ever.
#![no_std]
#![no_main]

use riscv_rt as _;
use semihosting as _;

/// The timer's interrupt comes while `mtime` isn't below this.
const MTIMECMP: *mut u32 = 0x0200_4000 as *mut u32;
/// The time, in ticks.
const MTIME: *const u32 = 0x0200_bff8 as *const u32;
/// So many ticks ahead the timer is armed; the test lets them pass at once.
const FAR: u32 = 1 << 20;
/// The bit of the timer in `mie`.
const MTIE: u32 = 1 << 7;

/// Arms the timer.
fn arm() {
    // SAFETY: the timer is this program's.
    unsafe {
        MTIMECMP.write_volatile(MTIME.read_volatile() + FAR);
        MTIMECMP.add(1).write_volatile(0);
    }
}

/// The handler of the timer.
#[unsafe(no_mangle)]
extern "C" fn MachineTimer() {
    // SAFETY: the timer is this program's.
    unsafe { MTIMECMP.add(1).write_volatile(u32::MAX) };
    app::TICKS.give();
}

/// The timer is armed for the last time.
#[unsafe(no_mangle)]
#[inline(never)]
extern "C" fn begin() {
    // SAFETY: it does nothing.
    unsafe { core::arch::asm!("nop") };
}

#[quintet::app(device = quintet::riscv, peripherals = false)]
mod app {
    use quintet::sync::Semaphore;

    use super::{MTIE, arm, begin};

    pub static TICKS: Semaphore = Semaphore::new(0);

    #[init]
    fn init(_: init::Context) {
        let _ = waits::spawn();
        // SAFETY: the handler may run as soon as `init` ends.
        unsafe {
            super::MTIMECMP.add(1).write_volatile(u32::MAX);
            core::arch::asm!("csrs mie, {}", in(reg) MTIE);
        }
    }

    #[task(priority = 0)]
    async fn waits(_: waits::Context) {
        arm();
        TICKS.take().await;
        arm();
        begin();
        TICKS.take().await;
        semihosting::process::exit(0)
    }
}
