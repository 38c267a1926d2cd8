//! The devices of the boards, one file each.
//!
//! A device is a few registers, some state that changes with the cycle, and outputs that a board
//! wires to interrupts. A device is never ticked: [`Device::advance`] brings it to a cycle in one
//! step, and [`Device::next_event`] gives the cycle of the next step that happens without an
//! access. So a timer that expires once a second costs nothing in between, and a sleeping processor
//! skips straight to it.
//!
//! [`Peripheral`] is the closed set of all kinds. The set is an enum rather than a trait object, so
//! that a whole machine is `Clone`, and a snapshot of its devices is one copy.

mod cmsdk_dual_timer;
mod cmsdk_gpio;
mod cmsdk_timer;
mod cmsdk_uart;
mod down_counter;
mod efm32_gpio;
mod efm32_letimer;
mod efm32_timer;
mod efm32_usart;
mod inert;
mod lm3s_gpio;
mod lm3s_system;
mod lm3s_timer;
mod mps2_fpgaio;
mod nrf51_clock;
mod nrf51_rng;
mod nrf_egu;
mod nrf_events;
mod nrf_gpio;
mod nrf_gpiote;
mod nrf_nvmc;
mod nrf_ppi;
mod nrf_rtc;
mod nrf_timer;
mod nrf_uart;
mod ns16550;
mod pins;
mod pl011;
mod pl022;
mod registers;
mod rp2040_dma;
mod rp2040_float;
mod rp2040_i2c;
mod rp2040_io;
mod rp2040_sio;
mod rp2040_timer;
mod rp2350;
mod serial;
mod stm32_dma;
mod stm32_flash;
mod stm32_gpio;
mod stm32_i2c;
mod stm32_iwdg;
mod stm32_rng;
mod stm32_spi;
mod stm32_timer;
mod stm32_usart;
mod stm32_usart_v3;
mod stm32f1_exti;
mod stm32f1_gpio;
mod stm32f1_rcc;
mod stm32f4_flash;
mod transfer;
mod watchdog;

use serde::{Deserialize, Serialize};

use crate::processor::bus::BusError;
use crate::processor::instruction::Size;
pub use nrf_events::Events;
pub use registers::{Follow, Interrupt, RegisterDescription};
pub use transfer::{Place, Request, Transfer};

/// The description of a device, beyond its kind.
#[derive(Clone, Copy, Debug)]
pub struct Setup<'a> {
    /// The registers of the kind "registers".
    pub registers: &'a [RegisterDescription],
    /// The bytes of addresses that the device takes.
    pub span: u32,
    /// The core's cycles in a second.
    pub clock_hz: u64,
}

/// The operations of every device. Offsets are of whole words: the bus splits and widens narrower
/// accesses.
pub trait Device {
    /// Gives a new device the board's description.
    fn describe(&mut self, _setup: &Setup<'_>) {}

    /// Reads the register at `offset`; the device has been advanced to `cycle`.
    fn read(&mut self, offset: u32, cycle: u64) -> Result<u32, BusError>;

    /// Writes the register at `offset`; the device has been advanced to `cycle`.
    fn write(&mut self, offset: u32, value: u32, cycle: u64) -> Result<(), BusError>;

    /// Returns to the state after power-on. Pins keep their drivers, and bytes on the wire keep
    /// coming.
    fn reset(&mut self, cycle: u64);

    /// Lets time pass up to `cycle`.
    fn advance(&mut self, _cycle: u64) {}

    /// Returns the cycle of the next [`Device::advance`] that outputs need to change in time;
    /// `u64::MAX` for none.
    fn next_event(&self) -> u64 {
        u64::MAX
    }

    /// The levels of the interrupt outputs, bit n for the n-th of the board's list.
    fn outputs(&self) -> u32 {
        0
    }

    /// Puts a byte on the receiving wire of a UART. Returns `false` if the device has none.
    fn receive(&mut self, _byte: u8, _cycle: u64) -> bool {
        false
    }

    /// Takes the bytes that a UART sent since the last call.
    fn take_sent(&mut self) -> Vec<u8> {
        Vec::new()
    }

    /// Drives a pin of a GPIO from outside.
    fn drive_pin(&mut self, _pin: u8, _level: bool) {}

    /// Returns the levels of a GPIO's pins, by all drivers.
    fn pin_levels(&self) -> u32 {
        0
    }

    /// Tells a device that watches the pins of other devices the present levels of a port; `port`
    /// is the letter's number.
    fn watch_port(&mut self, _port: u8, _levels: u32) {}

    /// Of a device that drives pins of other devices: the pins of a port, and their levels.
    fn drives(&self, _port: u8) -> (u32, u32) {
        (0, 0)
    }

    /// Tells a GPIO which of its pins another device drives, and their levels.
    fn take_over(&mut self, _pins: u32, _levels: u32) {}

    /// Returns `true` if one of a GPIO's pins has the level for which the port waits.
    fn detects(&self) -> bool {
        false
    }

    /// Tells a device that watches the pins of other devices whether such a port now detects a
    /// level.
    fn watch_detection(&mut self, _port: u8, _detects: bool) {}

    /// Returns `true` if a written 1 clears the bits of a register. If a chip has addresses that
    /// set, clear and flip bits, writes to such a register pass through unchanged.
    fn ones_clear(&self, _offset: u32) -> bool {
        false
    }

    /// Returns `true` if the registers are bytes, one behind the other. Offsets are then of bytes,
    /// and an access of any size is one of the register at its address.
    fn has_byte_registers(&self) -> bool {
        false
    }

    /// Returns the events of a device, if they may be tasks of other devices.
    fn events(&self) -> Option<&Events> {
        None
    }

    /// The same, to be changed.
    fn events_mut(&mut self) -> Option<&mut Events> {
        None
    }

    /// Returns the tasks to which the event at an address leads, for an interconnect.
    fn tasks_of(&self, _event: u32) -> Vec<u32> {
        Vec::new()
    }

    /// Of an interconnect: the events that lead anywhere, of the device at `base`.
    fn events_of(&self, _base: u32) -> u32 {
        0
    }

    /// Returns the device's requests to bus masters: bits of [`Request`].
    fn requests(&self) -> u32 {
        0
    }

    /// Returns the transfers that the device wants as a bus master, the most urgent first.
    fn transfers(&self) -> Vec<Transfer> {
        Vec::new()
    }

    /// Reports one of the device's transfers: done with the value, or failed on the bus.
    fn transferred(&mut self, _channel: usize, _value: u32, _good: bool, _cycle: u64) {}

    /// Of a flash controller: what stands at an address where `old` was, after a program has
    /// written `value` there; `None` where the controller refuses the write.
    fn program(&mut self, _address: u32, _size: Size, _old: u32, _value: u32) -> Option<u32> {
        None
    }

    /// Of a flash controller: takes what is to be erased, as first address and number of bytes.
    fn take_erased(&mut self) -> Option<(u32, u32)> {
        None
    }

    /// Whether the device asks for a reset of the machine (a watchdog).
    fn requests_reset(&self) -> bool {
        false
    }
}

/// Declares the kinds, the enum over them, and what the board checks about each.
macro_rules! peripherals {
    ($($(#[$doc:meta])* $name:ident($path:path) = $text:literal,
       span $span:literal, outputs $outputs:literal, pins $pins:literal;)*) => {
        /// A kind of device, as board files name it.
        #[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize, Serialize)]
        pub enum DeviceKind {
            $($(#[$doc])* #[serde(rename = $text)] $name,)*
        }

        impl DeviceKind {
            /// Returns the kind's name in board files.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }

            /// Returns the bytes of addresses that the registers take.
            pub const fn span(self) -> u32 {
                match self { $(Self::$name => $span,)* }
            }

            /// Returns the number of interrupt outputs.
            pub const fn outputs(self) -> usize {
                match self { $(Self::$name => $outputs,)* }
            }

            /// Returns `true` if the kind is a GPIO port.
            pub const fn has_pins(self) -> bool {
                match self { $(Self::$name => $pins,)* }
            }
        }

        /// A device of any kind.
        #[derive(Clone, Debug)]
        pub enum Peripheral {
            $($(#[$doc])* $name($path),)*
        }

        impl Peripheral {
            /// A device after power-on, on a board whose core runs at `clock_hz`.
            pub fn new(kind: DeviceKind, clock_hz: u64) -> Self {
                match kind {
                    $(DeviceKind::$name => Self::$name(<$path>::new(clock_hz)),)*
                }
            }

            /// The device behind its trait.
            #[inline]
            pub fn device(&mut self) -> &mut dyn Device {
                match self { $(Self::$name(device) => device,)* }
            }

            /// The device behind its trait, read-only.
            #[inline]
            pub fn view(&self) -> &dyn Device {
                match self { $(Self::$name(device) => device,)* }
            }
        }
    };
}

peripherals! {
    /// Reads as zero and ignores writes: stands for a device that programs set up but that nothing
    /// models.
    Inert(inert::Inert) = "inert", span 0x4, outputs 0, pins false;
    /// Registers that the board file describes. Output: a bit that interrupts and is enabled.
    Registers(registers::Registers) = "registers", span 0x4, outputs 1, pins false;
    /// Arm PL011 UART. Output: its combined interrupt.
    Pl011(pl011::Pl011) = "pl011", span 0x1000, outputs 1, pins false;
    /// Arm PL022 synchronous serial port with nothing behind it. Output: its combined interrupt.
    Pl022(pl022::Pl022) = "pl022", span 0x1000, outputs 1, pins false;
    /// MPS2's FPGA I/O: pins 0 and 1 are LEDs, 2 and 3 buttons.
    Mps2Fpgaio(mps2_fpgaio::Mps2Fpgaio) = "mps2-fpgaio", span 0x1000, outputs 0, pins true;
    /// CMSDK APB UART. Outputs: received, transmitted, overrun.
    CmsdkUart(cmsdk_uart::CmsdkUart) = "cmsdk-uart", span 0x1000, outputs 3, pins false;
    /// CMSDK APB timer. Output: expired.
    CmsdkTimer(cmsdk_timer::CmsdkTimer) = "cmsdk-timer", span 0x1000, outputs 1, pins false;
    /// CMSDK APB dual timer. Outputs: either expired; the first; the second.
    CmsdkDualTimer(cmsdk_dual_timer::CmsdkDualTimer) = "cmsdk-dual-timer",
        span 0x1000, outputs 3, pins false;
    /// CMSDK AHB GPIO. Output: any pin.
    CmsdkGpio(cmsdk_gpio::CmsdkGpio) = "cmsdk-gpio", span 0x1000, outputs 1, pins true;
    /// CMSDK APB watchdog. Output: first expiry.
    CmsdkWatchdog(watchdog::Watchdog) = "cmsdk-watchdog", span 0x1000, outputs 1, pins false;
    /// Stellaris GPIO, a PL061 with pad controls. Output: any pin.
    Lm3sGpio(lm3s_gpio::Lm3sGpio) = "lm3s-gpio", span 0x1000, outputs 1, pins true;
    /// Stellaris general-purpose timer. Outputs: timer A, timer B.
    Lm3sTimer(lm3s_timer::Lm3sTimer) = "lm3s-timer", span 0x1000, outputs 2, pins false;
    /// Stellaris system control. Output: its interrupt (PLL lock).
    Lm3sSystem(lm3s_system::Lm3sSystem) = "lm3s-system", span 0x1000, outputs 1, pins false;
    /// Stellaris watchdog. Output: first expiry.
    Lm3sWatchdog(watchdog::Watchdog) = "lm3s-watchdog", span 0x1000, outputs 1, pins false;
    /// EFM32 GPIO port, series 1.
    Efm32Gpio(efm32_gpio::Efm32Gpio) = "efm32-gpio", span 0x30, outputs 0, pins true;
    /// EFM32 external interrupts, series 1. Outputs: lines of even numbers, of odd ones.
    Efm32Exti(efm32_gpio::Efm32Exti) = "efm32-exti", span 0x60, outputs 2, pins false;
    /// EFM32 low-energy timer, series 1. Output: its interrupt.
    Efm32Letimer(efm32_letimer::Efm32Letimer) = "efm32-letimer",
        span 0x400, outputs 1, pins false;
    /// EFM32 timer, series 1. Output: its combined interrupt.
    Efm32Timer(efm32_timer::Efm32Timer) = "efm32-timer", span 0x400, outputs 1, pins false;
    /// EFM32 USART, series 1. Outputs: the receiver's, the transmitter's.
    Efm32Usart(efm32_usart::Efm32Usart) = "efm32-usart", span 0x400, outputs 2, pins false;
    /// nRF51 clock and power control. Output: a clock has started.
    Nrf51Clock(nrf51_clock::Nrf51Clock) = "nrf51-clock", span 0x1000, outputs 1, pins false;
    /// nRF51 random number generator. Output: a byte is ready.
    Nrf51Rng(nrf51_rng::Nrf51Rng) = "nrf51-rng", span 0x1000, outputs 1, pins false;
    /// nRF event generator. Output: its interrupt.
    NrfEgu(nrf_egu::NrfEgu) = "nrf-egu", span 0x1000, outputs 1, pins false;
    /// nRF GPIO port; the base is 0x500 above that of the manual.
    NrfGpio(nrf_gpio::NrfGpio) = "nrf-gpio", span 0x300, outputs 0, pins true;
    /// nRF GPIO tasks and events. Output: its interrupt.
    NrfGpiote(nrf_gpiote::NrfGpiote) = "nrf-gpiote", span 0x1000, outputs 1, pins false;
    /// nRF51 flash controller.
    Nrf51Nvmc(nrf_nvmc::NrfNvmc<0x400>) = "nrf51-nvmc", span 0x1000, outputs 0, pins false;
    /// nRF52 flash controller.
    Nrf52Nvmc(nrf_nvmc::NrfNvmc<0x1000>) = "nrf52-nvmc", span 0x1000, outputs 0, pins false;
    /// nRF programmable peripheral interconnect.
    NrfPpi(nrf_ppi::NrfPpi) = "nrf-ppi", span 0x1000, outputs 0, pins false;
    /// nRF real-time counter. Output: its interrupt.
    NrfRtc(nrf_rtc::NrfRtc) = "nrf-rtc", span 0x1000, outputs 1, pins false;
    /// nRF timer. Output: its interrupt.
    NrfTimer(nrf_timer::NrfTimer) = "nrf-timer", span 0x1000, outputs 1, pins false;
    /// nRF UART and UARTE. Output: its interrupt.
    NrfUart(nrf_uart::NrfUart) = "nrf-uart", span 0x1000, outputs 1, pins false;
    /// 16550 UART, its registers one byte apart. Output: its interrupt.
    Ns16550(ns16550::Ns16550) = "ns16550", span 0x100, outputs 1, pins false;
    /// RP2040 single-cycle I/O.
    Rp2040Sio(rp2040_sio::Rp2040Sio) = "rp2040-sio", span 0x1000, outputs 0, pins true;
    /// RP2040 DMA controller. Outputs: its two interrupts.
    Rp2040Dma(rp2040_dma::Rp2040Dma) = "rp2040-dma", span 0x1000, outputs 2, pins false;
    /// The arithmetic behind RP2040's boot ROM.
    Rp2040Float(rp2040_float::Rp2040Float) = "rp2040-float", span 0x20, outputs 0, pins false;
    /// RP2040 I2C with nothing on the bus. Output: its interrupt.
    Rp2040I2c(rp2040_i2c::Rp2040I2c) = "rp2040-i2c", span 0x1000, outputs 1, pins false;
    /// RP2040 bank 0 of I/O. Output: the interrupt of core 0.
    Rp2040Io(rp2040_io::Rp2040Io) = "rp2040-io", span 0x1000, outputs 1, pins false;
    /// RP2040 timer. Outputs: alarms 0 to 3.
    Rp2040Timer(rp2040_timer::Rp2040Timer) = "rp2040-timer", span 0x1000, outputs 4, pins false;
    /// RP2350 single-cycle I/O.
    Rp2350Sio(rp2350::Rp2350Sio) = "rp2350-sio", span 0x1000, outputs 0, pins true;
    /// RP2350 bank 0 of I/O. Output: the interrupt of core 0.
    Rp2350Io(rp2350::Rp2350Io) = "rp2350-io", span 0x1000, outputs 1, pins false;
    /// RP2350 timer. Outputs: alarms 0 to 3.
    Rp2350Timer(rp2350::Rp2350Timer) = "rp2350-timer", span 0x1000, outputs 4, pins false;
    /// STM32 USART of the first generation. Output: its combined interrupt.
    Stm32Usart(stm32_usart::Stm32Usart) = "stm32-usart", span 0x400, outputs 1, pins false;
    /// STM32 USART of the later generations. Output: its combined interrupt.
    Stm32UsartV3(stm32_usart_v3::Stm32UsartV3<false>) = "stm32-usart-v3",
        span 0x400, outputs 1, pins false;
    /// STM32 low-power UART. Output: its combined interrupt.
    Stm32Lpuart(stm32_usart_v3::Stm32UsartV3<true>) = "stm32-lpuart",
        span 0x400, outputs 1, pins false;
    /// STM32 I2C of the first generation with nothing on the bus. Outputs: events, errors.
    Stm32I2c(stm32_i2c::Stm32I2c) = "stm32-i2c", span 0x400, outputs 2, pins false;
    /// STM32 SPI with nothing behind it. Output: its combined interrupt.
    Stm32Spi(stm32_spi::Stm32Spi) = "stm32-spi", span 0x400, outputs 1, pins false;
    /// STM32 general-purpose or basic timer. Output: its combined interrupt.
    Stm32Timer(stm32_timer::Stm32Timer<16, false>) = "stm32-timer",
        span 0x400, outputs 1, pins false;
    /// STM32 general-purpose timer of 32 bits. Output: its combined interrupt.
    Stm32Timer32(stm32_timer::Stm32Timer<32, false>) = "stm32-timer32",
        span 0x400, outputs 1, pins false;
    /// STM32 advanced timer. Outputs: update, capture and compare.
    Stm32AdvancedTimer(stm32_timer::Stm32Timer<16, true>) = "stm32-advanced-timer",
        span 0x400, outputs 2, pins false;
    /// STM32 DMA controller with channels, as in STM32F1. Outputs: channels 1 to 7.
    Stm32Dma(stm32_dma::Stm32Dma<false>) = "stm32-dma", span 0x400, outputs 7, pins false;
    /// STM32 DMA controller with streams, as in STM32F4. Outputs: streams 0 to 7.
    Stm32DmaStreams(stm32_dma::Stm32Dma<true>) = "stm32-dma-streams",
        span 0x400, outputs 8, pins false;
    /// STM32 random number generator. Output: its interrupt.
    Stm32Rng(stm32_rng::Stm32Rng) = "stm32-rng", span 0x400, outputs 1, pins false;
    /// STM32 GPIO, of all families but STM32F1.
    Stm32Gpio(stm32_gpio::Stm32Gpio) = "stm32-gpio", span 0x400, outputs 0, pins true;
    /// STM32F1 GPIO.
    Stm32f1Gpio(stm32f1_gpio::Stm32f1Gpio) = "stm32f1-gpio", span 0x400, outputs 0, pins true;
    /// STM32F1 AFIO and, 0x400 above it, EXTI. Outputs: lines 0 to 4, 5 to 9, 10 to 15.
    Stm32f1Exti(stm32f1_exti::Stm32f1Exti) = "stm32f1-exti", span 0x800, outputs 7, pins false;
    /// STM32F4 SYSCFG and, 0x400 above it, EXTI. Outputs: lines 0 to 4, 5 to 9, 10 to 15.
    Stm32f4Exti(stm32f1_exti::Stm32f1Exti) = "stm32f4-exti", span 0x800, outputs 7, pins false;
    /// STM32F1 reset and clock control.
    Stm32f1Rcc(stm32f1_rcc::Stm32f1Rcc) = "stm32f1-rcc", span 0x400, outputs 1, pins false;
    /// STM32F1 flash interface. Output: an operation has ended.
    Stm32Flash(stm32_flash::Stm32Flash) = "stm32-flash", span 0x400, outputs 1, pins false;
    /// STM32F4 flash interface. Output: an operation has ended.
    Stm32f4Flash(stm32f4_flash::Stm32f4Flash) = "stm32f4-flash",
        span 0x400, outputs 1, pins false;
    /// STM32 independent watchdog.
    Stm32Iwdg(stm32_iwdg::Stm32Iwdg) = "stm32-iwdg", span 0x400, outputs 0, pins false;
}

/// Returns `true` if a kind is the single-cycle I/O of RP2040 or RP2350: its pins are GP0 to GP29.
pub const fn is_sio(kind: DeviceKind) -> bool {
    matches!(kind, DeviceKind::Rp2040Sio | DeviceKind::Rp2350Sio)
}

/// The identification registers at the end of an Arm PrimeCell's page, one byte in each word.
fn identification(table: &[u8], first: u32, offset: u32) -> u32 {
    let index = offset.checked_sub(first).map(|distance| (distance / 4) as usize);
    index.and_then(|index| table.get(index)).copied().map_or(0, u32::from)
}
