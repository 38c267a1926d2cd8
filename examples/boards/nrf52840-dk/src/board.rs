//! nRF52840-DK: LED 1, button 1, and the serial port of the debug probe.

use core::fmt;

use nrf_pac::gpio::vals::{Dir, Input, Pull};
use nrf_pac::gpiote::vals::{Mode, Polarity};
use nrf_pac::shared::vals::Connect;
use nrf_pac::uarte::vals::{Baudrate, Enable};
use nrf_pac::{GPIOTE, P0, UARTE0};

/// The pin of the LED, which lights it when low: P0.13.
const LED: usize = 13;

/// The pin of the button, which is low while the button is pressed: P0.11.
const BUTTON: usize = 11;

/// The channel of GPIOTE that watches the button.
const CHANNEL: usize = 0;

/// The pin on which the port transmits: P0.06.
const TRANSMIT: usize = 6;

/// So many bytes go at once.
const PIECE: usize = 32;

/// Nothing: from a reset on, the chip runs at 64 MHz.
pub fn start() {}

/// The LED.
pub struct Led(());

impl Led {
    /// Makes its pin an output.
    pub fn take() -> Self {
        P0.outset().write(|bits| bits.set_pin(LED, true));
        P0.pin_cnf(LED).write(|bits| bits.set_dir(Dir::Output));
        Self(())
    }

    /// Switches it.
    pub fn set(&mut self, on: bool) {
        if on {
            P0.outclr().write(|bits| bits.set_pin(LED, true));
        } else {
            P0.outset().write(|bits| bits.set_pin(LED, true));
        }
    }
}

/// The button. Its interrupt is GPIOTE.
pub struct Button(());

impl Button {
    /// Lets a press raise the interrupt.
    pub fn take() -> Self {
        P0.pin_cnf(BUTTON).write(|bits| {
            bits.set_dir(Dir::Input);
            bits.set_input(Input::Connect);
            bits.set_pull(Pull::Pullup);
        });
        GPIOTE.config(CHANNEL).write(|bits| {
            bits.set_mode(Mode::Event);
            bits.set_psel(BUTTON as u8);
            bits.set_polarity(Polarity::HiToLo);
        });
        GPIOTE.events_in(CHANNEL).write_value(0);
        GPIOTE.intenset(0).write(|bits| bits.set_in_(CHANNEL, true));
        Self(())
    }

    /// Ends the interrupt.
    pub fn clear(&mut self) {
        GPIOTE.events_in(CHANNEL).write_value(0);
    }
}

/// The serial port: 115200 baud, 8 bits, no parity.
pub struct Serial(());

impl Serial {
    /// Switches the transmitter on.
    pub fn take() -> Self {
        P0.outset().write(|bits| bits.set_pin(TRANSMIT, true));
        P0.pin_cnf(TRANSMIT).write(|bits| bits.set_dir(Dir::Output));
        UARTE0.psel().txd().write(|bits| {
            bits.set_pin(TRANSMIT as u8);
            bits.set_connect(Connect::Connected);
        });
        UARTE0
            .baudrate()
            .write(|bits| bits.set_baudrate(Baudrate::Baud115200));
        UARTE0
            .enable()
            .write(|bits| bits.set_enable(Enable::Enabled));
        Self(())
    }
}

impl fmt::Write for Serial {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        // EasyDMA reads RAM alone, and most texts are in flash.
        let mut piece = [0; PIECE];
        for bytes in text.as_bytes().chunks(PIECE) {
            piece[..bytes.len()].copy_from_slice(bytes);
            let transmitter = UARTE0.dma().tx();
            transmitter.ptr().write_value(piece.as_ptr() as u32);
            transmitter
                .maxcnt()
                .write(|bits| bits.set_maxcnt(bytes.len() as u16));
            let end = UARTE0.events_dma().tx().end();
            end.write_value(0);
            UARTE0.tasks_dma().tx().start().write_value(1);
            while end.read() == 0 {}
        }
        Ok(())
    }
}
