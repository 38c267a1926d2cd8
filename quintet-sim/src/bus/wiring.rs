//! The fixed properties of a board's devices: where their registers are, and which interrupts they
//! drive.

use crate::board::Parts;
use crate::board::front::ControlDescription;
use crate::peripherals::{DeviceKind, Peripheral};
use crate::processor::bus::Lines;

/// The wiring of all devices.
#[derive(Debug)]
pub struct Wiring {
    /// In the board's order.
    pub devices: Vec<DeviceWiring>,
    /// The devices that watch the pins of others.
    pub watchers: Vec<usize>,
    /// The devices that drive pins of others.
    pub drivers: Vec<usize>,
    /// The devices that move data by themselves.
    pub masters: Vec<usize>,
    /// The devices that let programs write flash.
    pub programmers: Vec<usize>,
    /// The device that makes tasks of events.
    pub router: Option<usize>,
    /// The registers that set front ends of memories. For each: the device, the place among the
    /// front ends, and the description.
    pub controls: Vec<(usize, usize, ControlDescription)>,
    /// First address, span and number, sorted by address.
    map: Vec<(u32, u32, usize)>,
}

/// The wiring of one device.
#[derive(Debug)]
pub struct DeviceWiring {
    /// The address of the first register.
    pub base: u32,
    /// The external interrupt of each output.
    pub interrupts: Vec<u16>,
    /// The letter or digit of a GPIO port.
    pub port: Option<char>,
    /// `true` if the device sends bytes.
    pub is_serial: bool,
    /// `true` if the device's registers appear again, to flip, set and clear bits.
    pub has_aliases: bool,
}

impl Wiring {
    /// The wiring of `board`.
    pub fn new(board: &Parts<'_>) -> Self {
        let devices = board.devices.iter().map(|device| DeviceWiring {
            base: device.base,
            interrupts: device.interrupts.clone(),
            port: device.port.as_deref().and_then(|port| port.chars().next()),
            is_serial: is_serial(device.kind),
            has_aliases: device.atomic_aliases,
        });
        let watchers = board
            .devices
            .iter()
            .enumerate()
            .filter_map(|(index, device)| watches_pins(device.kind).then_some(index));
        let mut map: Vec<_> = board
            .devices
            .iter()
            .enumerate()
            .map(|(index, device)| (device.base, device.reach(), index))
            .collect();
        map.sort_unstable();
        let numbered = board.devices.iter().enumerate();
        let drivers = numbered.filter(|(_, device)| device.kind == DeviceKind::NrfGpiote);
        let drivers = drivers.map(|(index, _)| index).collect();
        let numbered = board.devices.iter().enumerate();
        let masters = numbered.filter(|(_, device)| is_master(device.kind)).map(|(index, _)| index);
        let numbered = board.devices.iter().enumerate();
        let programmers = numbered.filter(|(_, device)| programs_flash(device.kind));
        let programmers = programmers.map(|(index, _)| index).collect();
        let router = board.devices.iter().position(|device| device.kind == DeviceKind::NrfPpi);
        let (devices, watchers) = (devices.collect(), watchers.collect());
        let controls = controls(board);
        let masters = masters.collect();
        Self { devices, watchers, drivers, masters, programmers, router, controls, map }
    }

    /// Returns the device at an address, and the offset in the device.
    pub fn find(&self, address: u32) -> Option<(usize, u32)> {
        let behind = self.map.partition_point(|(base, ..)| *base <= address);
        let (base, span, device) = *self.map.get(behind.checked_sub(1)?)?;
        let offset = address - base;
        (offset < span).then_some((device, offset))
    }

    /// The interrupt lines, from the outputs of all devices. Devices on the same line are or-ed.
    pub fn lines(&self, outputs: &[u32]) -> Lines {
        let mut lines = Lines::default();
        for (device, outputs) in self.devices.iter().zip(outputs) {
            for (output, interrupt) in device.interrupts.iter().enumerate() {
                if outputs >> output & 1 != 0 {
                    let (word, bit) = (usize::from(interrupt / 32), interrupt % 32);
                    lines.level[word] |= 1 << bit;
                }
            }
        }
        lines
    }
}

fn controls(board: &Parts<'_>) -> Vec<(usize, usize, ControlDescription)> {
    let fronts = board.memories.iter().filter_map(|memory| memory.front_end.as_ref());
    let controls = fronts.enumerate().filter_map(|(front, described)| {
        let control = described.control.clone()?;
        let device = board.devices.iter().position(|device| device.name == control.device)?;
        Some((device, front, control))
    });
    controls.collect()
}

/// Returns `true` if a kind of device is a UART.
pub fn is_serial(kind: DeviceKind) -> bool {
    matches!(
        Peripheral::new(kind, 1),
        Peripheral::Pl011(_)
            | Peripheral::CmsdkUart(_)
            | Peripheral::Stm32Usart(_)
            | Peripheral::Stm32UsartV3(_)
            | Peripheral::Stm32Lpuart(_)
            | Peripheral::NrfUart(_)
            | Peripheral::Efm32Usart(_)
            | Peripheral::Ns16550(_)
    )
}

/// Returns `true` if a kind of device is told the levels of pins.
const fn watches_pins(kind: DeviceKind) -> bool {
    matches!(
        kind,
        DeviceKind::Stm32f1Exti
            | DeviceKind::Stm32f4Exti
            | DeviceKind::NrfGpiote
            | DeviceKind::Rp2040Io
            | DeviceKind::Efm32Exti
    )
}

/// Returns `true` if a kind of device moves data by itself.
const fn is_master(kind: DeviceKind) -> bool {
    matches!(
        kind,
        DeviceKind::Stm32Dma
            | DeviceKind::Stm32DmaStreams
            | DeviceKind::NrfUart
            | DeviceKind::Rp2040Dma
    )
}

/// Whether a kind of device lets programs write flash.
pub const fn programs_flash(kind: DeviceKind) -> bool {
    matches!(
        kind,
        DeviceKind::Nrf51Nvmc
            | DeviceKind::Nrf52Nvmc
            | DeviceKind::Stm32Flash
            | DeviceKind::Stm32f4Flash
    )
}

/// The number of a port: A is 0, and so is the digit 0.
pub fn port_number(port: char) -> u8 {
    let first = if port.is_ascii_digit() { b'0' } else { b'A' };
    u8::try_from(port).unwrap_or(u8::MAX).saturating_sub(first)
}
