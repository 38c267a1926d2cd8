//! Raspberry Pi Pico: its LED, a button from GP15 to ground, and a serial port on GP0.

use core::fmt;

use rp_pac::clocks::vals::{ClkPeriCtrlAuxsrc, ClkRefCtrlSrc, ClkSysCtrlAuxsrc, ClkSysCtrlSrc};
use rp_pac::xosc::vals::{CtrlFreqRange, Enable};
use rp_pac::{CLOCKS, IO_BANK0, PADS_BANK0, PLL_SYS, RESETS, SIO, UART0, XOSC};

/// The clock of the processor and of the serial port.
const CLOCK_HZ: u32 = 125_000_000;

/// The rate of the serial port.
const BAUD: u32 = 115_200;

/// The pin of the LED.
const LED: usize = 25;

/// The pin of the button, which is low while the button is pressed.
const BUTTON: usize = 15;

/// The pin on which the port transmits.
const TRANSMIT: usize = 0;

/// The number by which a pin belongs to the UART.
const UART_FUNCTION: u8 = 2;

/// The number by which a pin belongs to the processor's own port.
const SIO_FUNCTION: u8 = 5;

/// The second stage of the boot loader, for the flash of the Pico.
#[unsafe(link_section = ".boot2")]
#[used]
static BOOT_LOADER: [u8; 256] = rp2040_boot2::BOOT_LOADER_W25Q080;

/// Starts the crystal of 12 MHz, and has the processor run by it at 125 MHz.
pub fn start() {
    // 47 times 256 cycles are a millisecond.
    XOSC.startup().write(|bits| bits.set_delay(47));
    XOSC.ctrl().write(|bits| {
        bits.set_freq_range(CtrlFreqRange::_1_15MHZ);
        bits.set_enable(Enable::ENABLE);
    });
    while !XOSC.status().read().stable() {}

    RESETS.reset().modify(|bits| bits.set_pll_sys(false));
    while !RESETS.reset_done().read().pll_sys() {}
    // 12 MHz by 125, divided by 6 and by 2.
    PLL_SYS.fbdiv_int().write(|bits| bits.set_fbdiv_int(125));
    PLL_SYS.pwr().modify(|bits| {
        bits.set_pd(false);
        bits.set_vcopd(false);
    });
    while !PLL_SYS.cs().read().lock() {}
    PLL_SYS.prim().write(|bits| {
        bits.set_postdiv1(6);
        bits.set_postdiv2(2);
    });
    PLL_SYS.pwr().modify(|bits| bits.set_postdivpd(false));

    CLOCKS
        .clk_ref_ctrl()
        .modify(|bits| bits.set_src(ClkRefCtrlSrc::XOSC_CLKSRC));
    CLOCKS
        .clk_sys_ctrl()
        .modify(|bits| bits.set_auxsrc(ClkSysCtrlAuxsrc::CLKSRC_PLL_SYS));
    CLOCKS
        .clk_sys_ctrl()
        .modify(|bits| bits.set_src(ClkSysCtrlSrc::CLKSRC_CLK_SYS_AUX));
    CLOCKS.clk_peri_ctrl().write(|bits| {
        bits.set_auxsrc(ClkPeriCtrlAuxsrc::CLK_SYS);
        bits.set_enable(true);
    });

    RESETS.reset().modify(|bits| {
        bits.set_io_bank0(false);
        bits.set_pads_bank0(false);
        bits.set_uart0(false);
    });
    while !RESETS.reset_done().read().io_bank0() {}
    while !RESETS.reset_done().read().pads_bank0() {}
    while !RESETS.reset_done().read().uart0() {}
}

/// The LED.
pub struct Led(());

impl Led {
    /// Makes its pin an output.
    pub fn take() -> Self {
        IO_BANK0
            .gpio(LED)
            .ctrl()
            .write(|bits| bits.set_funcsel(SIO_FUNCTION));
        SIO.gpio_oe(0).value_set().write_value(1 << LED);
        Self(())
    }

    /// Switches it.
    pub fn set(&mut self, on: bool) {
        if on {
            SIO.gpio_out(0).value_set().write_value(1 << LED);
        } else {
            SIO.gpio_out(0).value_clr().write_value(1 << LED);
        }
    }
}

/// The button. Its interrupt is IO_IRQ_BANK0.
pub struct Button(());

impl Button {
    /// Lets a press raise the interrupt.
    pub fn take() -> Self {
        PADS_BANK0.gpio(BUTTON).modify(|bits| {
            bits.set_ie(true);
            bits.set_pde(false);
            bits.set_pue(true);
        });
        IO_BANK0
            .gpio(BUTTON)
            .ctrl()
            .write(|bits| bits.set_funcsel(SIO_FUNCTION));
        let mut button = Self(());
        button.clear();
        IO_BANK0
            .int_proc(0)
            .inte(BUTTON / 8)
            .modify(|bits| bits.set_edge_low(BUTTON % 8, true));
        button
    }

    /// Ends the interrupt.
    pub fn clear(&mut self) {
        IO_BANK0
            .intr(BUTTON / 8)
            .write(|bits| bits.set_edge_low(BUTTON % 8, true));
    }
}

/// The serial port: 115200 baud, 8 bits, no parity.
pub struct Serial(());

impl Serial {
    /// Switches the transmitter on.
    pub fn take() -> Self {
        IO_BANK0
            .gpio(TRANSMIT)
            .ctrl()
            .write(|bits| bits.set_funcsel(UART_FUNCTION));
        // In 64ths of a sixteenth of a bit.
        let divisor = CLOCK_HZ * 4 / BAUD;
        UART0
            .uartibrd()
            .write(|bits| bits.set_baud_divint((divisor / 64) as u16));
        UART0
            .uartfbrd()
            .write(|bits| bits.set_baud_divfrac((divisor % 64) as u8));
        UART0.uartlcr_h().write(|bits| {
            bits.set_wlen(3);
            bits.set_fen(true);
        });
        UART0.uartcr().write(|bits| {
            bits.set_uarten(true);
            bits.set_txe(true);
        });
        Self(())
    }
}

impl fmt::Write for Serial {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for byte in text.bytes() {
            while UART0.uartfr().read().txff() {}
            UART0.uartdr().write(|bits| bits.set_data(byte));
        }
        Ok(())
    }
}
