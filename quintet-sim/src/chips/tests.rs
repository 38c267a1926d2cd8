//! Boards of all chips.

use super::*;
use crate::board::Core;
use crate::peripherals::DeviceKind;

#[test]
fn every_chip_makes_a_board() {
    let mut count = 0;
    for name in families() {
        let family = family(name).unwrap().unwrap();
        for chip in &family.chips {
            let board = board::of(&family, chip).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(board.name, chip.name);
            assert!(board.devices.iter().any(|device| device.kind.has_pins()), "{}", chip.name);
            count += 1;
        }
    }
    assert!(count > 1400, "{count}");
}

#[test]
fn a_chip_is_found_by_its_name_and_by_that_on_its_package() {
    let name = |asked: &str| find(asked).unwrap().map(|(_, chip)| chip.name);
    assert_eq!(name("STM32G071RB").as_deref(), Some("stm32g071rb"));
    assert_eq!(name("stm32g071rbt6").as_deref(), Some("stm32g071rb"));
    assert_eq!(name("stm32g071"), None);
    assert_eq!(name("lpc1768"), None);
}

#[test]
fn the_devices_are_those_of_the_block_s_version() {
    let board = board("stm32g071rb").unwrap().unwrap();
    assert_eq!((board.core, board.interrupts, board.priority_bits), (Core::CortexM0Plus, 31, 2));
    let device = |name: &str| board.devices.iter().find(|device| device.name == name).unwrap();
    assert_eq!(
        (device("usart2").kind, device("usart2").base),
        (DeviceKind::Stm32UsartV3, 0x4000_4400)
    );
    assert_eq!(device("usart2").interrupts, [28]);
    assert_eq!(device("lpuart1").kind, DeviceKind::Stm32Lpuart);
    assert_eq!(device("tim1").interrupts, [13, 14]);
    assert_eq!(device("dma1").interrupts, [9, 10, 10, 11, 11, 11, 11]);
    let rcc = device("rcc");
    let cr = rcc.registers.iter().find(|register| register.offset == 0).unwrap();
    assert_eq!((cr.name.as_deref(), cr.reset), (Some("CR"), Some(0x100)));
    assert!(cr.follow.iter().any(|follow| (follow.bit, follow.of) == (25, 24)), "the PLL");
}

#[test]
fn chips_of_nordic_have_their_models_and_their_cores() {
    let chip = |name: &str| board(name).unwrap().unwrap();
    let kind = |board: &Board, base: u32| {
        let device = board.devices.iter().find(|device| device.base == base).unwrap();
        (device.kind, device.interrupts.clone())
    };
    let nrf52 = chip("nrf52832_xxaa");
    assert_eq!((nrf52.core, nrf52.clock_hz), (Core::CortexM4F, 64_000_000));
    assert_eq!(kind(&nrf52, 0x4000_2000), (DeviceKind::NrfUart, vec![2]));
    assert_eq!(kind(&nrf52, 0x4001_4000), (DeviceKind::NrfEgu, vec![20]));
    assert_eq!(kind(&nrf52, 0x4000_3000), (DeviceKind::Registers, vec![3]));
    assert_eq!(kind(&nrf52, 0x5000_0500), (DeviceKind::NrfGpio, vec![]));
    let words = |name: &str| {
        let board = chip(name);
        board.memories.iter().find(|memory| memory.name == "ficr").unwrap().words.clone()
    };
    assert!(words("nrf52832_xxaa").contains(&(0x100, 0x5_2832)));
    assert_eq!(chip("nrf52810_xxaa").core, Core::CortexM4);
    let nrf53 = chip("nrf5340_xxaa");
    assert_eq!((nrf53.core, nrf53.memories[1].size), (Core::CortexM33F, 512 << 10));
    assert_eq!(kind(&nrf53, 0x5000_f000), (DeviceKind::NrfTimer, vec![15]));
    assert_eq!(kind(&nrf53, 0x5084_2800), (DeviceKind::NrfGpio, vec![]));
    let net = chip("nrf5340-net");
    assert_eq!((net.core, net.vector_table), (Core::CortexM33, 0x0100_0000));
    assert_eq!(chip("nrf51822_xxac").core, Core::CortexM0);
    assert_eq!(chip("nrf9160_xxaa").core, Core::CortexM33F);
}

#[test]
fn a_chip_of_a_built_in_board_is_that_board_with_its_memories() {
    let board = board("stm32f411cc").unwrap().unwrap();
    let other = Board::named("stm32f411").unwrap();
    assert_eq!(board.devices, other.devices);
    assert_eq!(board.memories[0].size, 256 << 10);
    assert!(board.memories[0].front_end.is_some());
}
