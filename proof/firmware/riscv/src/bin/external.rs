//! The interrupt of a peripheral behind the platform's interrupt controller: the task claims the
//! source, serves it and completes it. A more urgent task preempts it, and a lock holds it off.
#![no_std]
#![no_main]

use riscv_rt as _;
use semihosting as _;

/// The controller of the platform, and of its registers those that this program needs.
const PLIC: usize = 0x0c00_0000;
/// The source of the UART.
const UART_SOURCE: u32 = 10;
const PRIORITY: *mut u32 = (PLIC + 4 * UART_SOURCE as usize) as *mut u32;
const ENABLE: *mut u32 = (PLIC + 0x2000) as *mut u32;
const THRESHOLD: *mut u32 = (PLIC + 0x20_0000) as *mut u32;
const CLAIM: *mut u32 = (PLIC + 0x20_0004) as *mut u32;
/// The interrupts that the UART may ask for.
const UART_ENABLE: *mut u8 = 0x1000_0001 as *mut u8;
/// That of a transmitter that is empty, which it is at once.
const EMPTY: u8 = 2;

#[quintet::app(device = quintet::riscv, peripherals = false)]
mod app {
    use quintet::riscv::Interrupt;
    use semihosting::{println, process};

    use super::{CLAIM, EMPTY, ENABLE, PRIORITY, THRESHOLD, UART_ENABLE, UART_SOURCE};

    #[shared]
    struct Shared {
        served: u32,
    }

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        // SAFETY: nobody else uses the controller.
        unsafe {
            PRIORITY.write_volatile(1);
            ENABLE.write_volatile(1 << UART_SOURCE);
            THRESHOLD.write_volatile(0);
        }
        (Shared { served: 0 }, Local {})
    }

    #[idle(shared = [served])]
    fn idle(mut cx: idle::Context) -> ! {
        cx.shared.served.lock(|served| {
            // SAFETY: the UART is this program's.
            unsafe { UART_ENABLE.write_volatile(EMPTY) };
            println!("idle: the lock holds the UART off, served {served}");
        });
        println!("idle: served {}", cx.shared.served.lock(|served| *served));
        process::exit(0)
    }

    #[task(binds = MachineExternal, priority = 1, shared = [served])]
    fn external(mut cx: external::Context) {
        // SAFETY: reading claims the source.
        let source = unsafe { CLAIM.read_volatile() };
        println!("external: source {source}");
        quintet::pend(Interrupt::SOFTWARE0);
        // SAFETY: the UART is this program's, and the source was claimed.
        unsafe {
            UART_ENABLE.write_volatile(0);
            CLAIM.write_volatile(source);
        }
        cx.shared.served.lock(|served| *served += 1);
        println!("external: ends");
    }

    #[task(binds = SOFTWARE0, priority = 2)]
    fn above(_: above::Context) {
        println!("above");
    }
}
