//! A button on PA2, whose task counts the presses, switches a LED on PB0, and lets another task
//! print a line on a UART. The hundredth press ends the program.
#![no_std]
#![no_main]

use lm3s6965 as _;
use {defmt_rtt as _, panic_probe as _};

/// The UART of the board.
struct Uart;

impl core::fmt::Write for Uart {
    fn write_str(&mut self, text: &str) -> core::fmt::Result {
        let data = 0x4000_c000 as *mut u32;
        for byte in text.bytes() {
            // SAFETY: the data register of UART0, which the board has.
            unsafe { data.write_volatile(u32::from(byte)) };
        }
        Ok(())
    }
}

#[quintet::app(device = lm3s6965, peripherals = false, dispatchers = [GPIOB])]
mod app {
    use super::Uart;
    use core::fmt::Write;
    use core::hint::black_box;
    use core::sync::atomic::{AtomicI32, AtomicU16, AtomicU32, Ordering};

    /// Registers of port A (data sheet, chapter 8), and the button's bit in each.
    const INTERRUPT_EVENT: *mut u32 = 0x4000_440c as *mut u32;
    const INTERRUPT_MASK: *mut u32 = 0x4000_4410 as *mut u32;
    const INTERRUPT_CLEAR: *mut u32 = 0x4000_441c as *mut u32;
    const DIGITAL_ENABLE: *mut u32 = 0x4000_451c as *mut u32;
    const BUTTON: u32 = 1 << 2;
    /// Registers of port B: pin 0 alone is written.
    const LED_DIRECTION: *mut u32 = 0x4000_5400 as *mut u32;
    const LED_ENABLE: *mut u32 = 0x4000_551c as *mut u32;
    const LED_DATA: *mut u32 = 0x4000_5004 as *mut u32;

    /// Counts the presses.
    static PRESSES: AtomicU32 = AtomicU32::new(0);
    /// The step of each press.
    static STEP: AtomicU16 = AtomicU16::new(1);
    /// Below zero from the start.
    static BALANCE: AtomicI32 = AtomicI32::new(-5);
    /// More than a number has.
    static TABLE: [AtomicU32; 3] = [const { AtomicU32::new(7) }; 3];

    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        // SAFETY: the registers exist, and nothing else uses them before `init` is over.
        unsafe {
            DIGITAL_ENABLE.write_volatile(BUTTON);
            INTERRUPT_EVENT.write_volatile(BUTTON);
            INTERRUPT_MASK.write_volatile(BUTTON);
            LED_ENABLE.write_volatile(1);
            LED_DIRECTION.write_volatile(1);
        }
        // So that nobody takes them for constants.
        STEP.store(black_box(1), Ordering::Relaxed);
        defmt::info!("ready");
        (Shared {}, Local {})
    }

    #[idle]
    fn idle(_: idle::Context) -> ! {
        loop {
            cortex_m::asm::wfi();
        }
    }

    #[task(binds = GPIOA, priority = 2)]
    fn button(_: button::Context) {
        let step = u32::from(STEP.load(Ordering::Relaxed));
        let presses = PRESSES.load(Ordering::Relaxed) + step;
        // SAFETY: only this task uses the registers from now on.
        unsafe {
            INTERRUPT_CLEAR.write_volatile(BUTTON);
            LED_DATA.write_volatile(presses & 1);
        }
        PRESSES.store(presses, Ordering::Relaxed);
        BALANCE.fetch_add(1, Ordering::Relaxed);
        TABLE[0].fetch_add(1, Ordering::Relaxed);
        let _ = report::spawn();
    }

    #[task(priority = 1)]
    async fn report(_: report::Context) {
        let presses = PRESSES.load(Ordering::Relaxed);
        // A UART that no longer takes bytes would be a fault, which the test sees.
        let _ = writeln!(Uart, "pressed, {presses} so far");
        if presses >= 100 {
            semihosting::process::exit(3)
        }
    }
}
