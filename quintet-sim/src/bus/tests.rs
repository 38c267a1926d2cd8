//! The bus finds memories and devices, plays the script and wires outputs to interrupts.

use super::*;
use crate::processor::bus::{Bus, BusError};
use crate::processor::instruction::Size;

fn bus(name: &str) -> (Board, SystemBus) {
    let board = Board::named(name).expect("built in");
    let bus = SystemBus::new(&board);
    (board, bus)
}

fn scripted(name: &str, script: &str) -> (Board, SystemBus) {
    let (board, mut bus) = bus(name);
    bus.set_script(Script::parse(script, &board).expect("valid"));
    (board, bus)
}

fn lines(bus: &mut SystemBus, cycle: u64) -> Vec<u32> {
    let mut lines = Lines::default();
    bus.advance(cycle, &mut lines);
    (0..240).filter(|line| lines.level[*line as usize / 32] >> (line % 32) & 1 != 0).collect()
}

#[test]
fn ram_is_written_and_flash_is_not() {
    let (_, mut bus) = bus("lm3s6965");
    assert_eq!(bus.write(0x2000_fffc, Size::Word, 0x1234_5678, 0), Ok(()));
    assert_eq!(bus.read(0x2000_fffe, Size::Half, 0), Ok(0x1234));
    assert_eq!(bus.write(0x0000_0000, Size::Word, 0, 0), Err(BusError));
    assert_eq!(bus.read(0x2001_0000, Size::Word, 0), Err(BusError));
    assert_eq!(bus.write(0x2001_0000, Size::Byte, 0, 0), Err(BusError));
    assert_eq!(bus.read(0xdfff_fffc, Size::Word, 0), Err(BusError));
    assert_eq!(bus.fetch(0x0004_0000), Err(BusError));
    assert_eq!(bus.fetch(0x4000_c000), Err(BusError), "a device holds no code");
}

#[test]
fn a_program_writes_and_erases_flash_by_its_controller() {
    let (_, mut bus) = bus("microbit");
    let (place, config, erase) = (0x0003_f804, 0x4001_e504, 0x4001_e508);
    assert_eq!(bus.write(place, Size::Word, 5, 0), Err(BusError), "reads only, after reset");
    assert!(!bus.code_changed());
    assert_eq!(bus.write(config, Size::Word, 1, 0), Ok(()));
    assert_eq!(bus.write(place, Size::Word, 5, 0), Ok(()));
    assert_eq!(bus.write(place - 0x404, Size::Word, 7, 0), Ok(()));
    assert!(bus.code_changed());
    assert_eq!(bus.read(place, Size::Word, 0), Ok(5));
    let image = bus.snapshot();
    assert_eq!(bus.write(config, Size::Word, 2, 0), Ok(()));
    assert_eq!(bus.write(erase, Size::Word, 0x0003_f800, 0), Ok(()));
    assert_eq!(bus.read(place, Size::Word, 0), Ok(u32::MAX));
    assert_eq!(bus.read(place - 0x404, Size::Word, 0), Ok(7), "another page");
    bus.restore(&image);
    assert_eq!(bus.read(place, Size::Word, 0), Ok(5), "a snapshot keeps flash too");
}

#[test]
fn flash_is_programmed_through_its_alias_and_erased_whole() {
    let (_, mut bus) = bus("stm32f446");
    for key in [0x4567_0123, 0xcdef_89ab] {
        assert_eq!(bus.write(0x4002_3c04, Size::Word, key, 0), Ok(()));
    }
    assert_eq!(bus.write(0x4002_3c10, Size::Word, 0x201, 0), Ok(()));
    assert_eq!(bus.write(0x0000_4000, Size::Word, 9, 0), Ok(()));
    assert_eq!(bus.read(0x0800_4000, Size::Word, 0), Ok(9));
    let id = bus.read(0x1fff_7a22, Size::Half, 0);
    assert_eq!(bus.write(0x4002_3c10, Size::Word, 0x1_0004, 0), Ok(()));
    assert_eq!(bus.read(0x0000_4000, Size::Word, 0), Ok(u32::MAX));
    assert_eq!(bus.read(0x1fff_7a22, Size::Half, 0), id, "the chip's size of flash stays");
}

#[test]
fn an_alias_shows_the_same_memory() {
    let (_, mut bus) = bus("stm32f100");
    assert_eq!(bus.poke(0x0800_0100, &[1, 2]), Ok(()));
    assert_eq!(bus.fetch(0x0000_0100), Ok(0x0201));
}

#[test]
fn narrow_accesses_reach_a_register_s_lanes() {
    let (_, mut bus) = bus("lm3s6965");
    assert_eq!(bus.write(0x4000_c024, Size::Half, 0xff_1234, 0), Ok(()));
    assert_eq!(bus.read(0x4000_c024, Size::Word, 0), Ok(0x1234));
    assert_eq!(bus.read(0x4000_c025, Size::Byte, 0), Ok(0x12));
}

#[test]
fn a_debugger_reads_without_side_effects() {
    let (board, mut bus) = bus("lm3s6965");
    let uart = board.devices.iter().position(|device| device.name == "uart0").expect("there");
    bus.receive(uart, b'x', 0);
    let mut buffer = [0; 4];
    for _ in 0..2 {
        assert_eq!(bus.peek(0x4000_c000, &mut buffer, 0), Ok(()));
        assert_eq!(buffer, [b'x', 0, 0, 0]);
    }
    assert_eq!(bus.peek(0xffff_fffe, &mut buffer, 0), Err(BusError));
}

#[test]
fn a_debugger_writes_all_or_nothing() {
    let (_, mut bus) = bus("lm3s6965");
    assert_eq!(bus.poke(0x3_fffe, &[1, 2, 3]), Err(BusError));
    assert_eq!(bus.fetch(0x3_fffe), Ok(0xffff));
    assert_eq!(bus.poke(0x3_fffe, &[1, 2]), Ok(()));
    assert_eq!(bus.fetch(0x3_fffe), Ok(0x0201));
    assert_eq!(bus.poke(0xffff_ffff, &[1, 2]), Err(BusError));
}

#[test]
fn a_timer_raises_its_line() {
    let (_, mut bus) = bus("lm3s6965");
    for (offset, value) in [(0x04, 2), (0x28, 999), (0x18, 1), (0x0c, 1)] {
        assert_eq!(bus.write(0x4003_0000 + offset, Size::Word, value, 100), Ok(()));
    }
    assert_eq!(bus.next_event(), 1_099);
    assert!(lines(&mut bus, 1_098).is_empty());
    assert_eq!(lines(&mut bus, 1_099), [19]);
    assert_eq!(bus.next_event(), 2_099);
}

#[test]
fn a_pressed_button_reaches_the_external_interrupt() {
    let script = "[[at]]\nms = 1\npin = \"PA0\"\npress_ms = 1\n";
    let (_, mut bus) = scripted("stm32f100", script);
    bus.observe(true);
    // Line 0: interrupt open, both edges.
    for offset in [0x00, 0x08, 0x0c] {
        assert_eq!(bus.write(0x4001_0400 + offset, Size::Word, 1, 0), Ok(()));
    }
    assert_eq!(bus.next_event(), 8_000);
    assert_eq!(lines(&mut bus, 8_000), [6]);
    assert_eq!(bus.read(0x4001_0808, Size::Word, 8_001), Ok(1));
    assert_eq!(bus.write(0x4001_0414, Size::Word, 1, 8_002), Ok(()));
    assert!(lines(&mut bus, 15_999).is_empty());
    assert_eq!(lines(&mut bus, 16_000), [6]);
    let changes: Vec<_> = bus.take_pin_changes().iter().map(|c| (c.cycle, c.level)).collect();
    assert_eq!(changes, [(8_000, true), (16_000, false)]);
    assert_eq!(bus.next_event(), u64::MAX);
}

#[test]
fn the_script_happens_before_a_later_access() {
    let script = "[[at]]\ncycle = 50\npin = \"PB3\"\nlevel = 1\n";
    let (_, mut bus) = scripted("stm32f100", script);
    assert_eq!(bus.read(0x4001_0c08, Size::Word, 49), Ok(0));
    assert_eq!(bus.read(0x4001_0c08, Size::Word, 50), Ok(8));
}

#[test]
fn scripted_bytes_arrive_and_sent_ones_are_collected() {
    let script = "[[at]]\ncycle = 10\nuart = \"uart1\"\nsend = \"hi\"\n";
    let (board, mut bus) = scripted("lm3s6965", script);
    let mut seen = Vec::new();
    for cycle in 10..20 {
        if bus.read(0x4000_d018, Size::Word, cycle).expect("flags") & 0x10 == 0 {
            seen.push(bus.read(0x4000_d000, Size::Byte, cycle).expect("data") as u8);
        }
    }
    assert_eq!(seen, b"hi");
    assert_eq!(bus.write(0x4000_c000, Size::Byte, 0x21, 20), Ok(()));
    let sent = bus.take_sent();
    assert_eq!(sent.len(), 1);
    assert_eq!(
        (board.devices[sent[0].0].name.as_str(), sent[0].1.as_slice()),
        ("uart0", &b"!"[..])
    );
    assert!(bus.take_sent().is_empty());
}

#[test]
fn a_pended_interrupt_and_a_watchdog_become_requests() {
    let script = "[[at]]\ncycle = 5\npend = 3\n";
    let (_, mut bus) = scripted("stm32f100", script);
    assert!(!bus.has_requests());
    assert!(lines(&mut bus, 5).is_empty());
    assert_eq!(bus.take_requests(), Requests { pend: vec![3], ..Requests::default() });
    assert_eq!(bus.write(0x4000_3000, Size::Word, 0xcccc, 10), Ok(()));
    lines(&mut bus, 8_000_000);
    assert!(bus.take_requests().reset);
}

#[test]
fn a_reset_reaches_devices_but_not_memory() {
    let (_, mut bus) = bus("stm32f100");
    assert_eq!(bus.write(0x2000_0000, Size::Word, 7, 0), Ok(()));
    assert_eq!(bus.write(0x4001_0800, Size::Word, 7, 0), Ok(()));
    bus.reset_devices(10);
    assert_eq!(bus.read(0x2000_0000, Size::Word, 0), Ok(7));
    assert_eq!(bus.read(0x4001_0800, Size::Word, 0), Ok(0x4444_4444));
}

#[test]
fn a_restored_bus_is_what_it_was() {
    let script = "[[at]]\ncycle = 500\npin = \"PA0\"\nlevel = 1\n";
    let (_, mut bus) = scripted("stm32f100", script);
    assert_eq!(bus.write(0x2000_0000, Size::Word, 1, 0), Ok(()));
    let image = bus.snapshot();
    assert_eq!(bus.write(0x2000_0000, Size::Word, 2, 0), Ok(()));
    assert_eq!(bus.write(0x4001_080c, Size::Word, 2, 0), Ok(()));
    lines(&mut bus, 1_000);
    assert_eq!(bus.read(0x4001_0808, Size::Word, 1_000), Ok(1));
    bus.restore(&image);
    assert_eq!(bus.read(0x2000_0000, Size::Word, 0), Ok(1));
    assert_eq!(bus.read(0x4001_080c, Size::Word, 0), Ok(0));
    assert_eq!((bus.next_event(), bus.read(0x4001_0808, Size::Word, 0)), (500, Ok(0)));
}

#[test]
fn registers_appear_again_to_flip_set_and_clear_bits() {
    let (_, mut bus) = bus("rp2040");
    let (reset, done) = (0x4000_c000, 0x4000_c008);
    assert_eq!(bus.read(reset, Size::Word, 0), Ok(0x01ff_ffff));
    assert_eq!(bus.write(reset + 0x3000, Size::Word, 0xff, 0), Ok(()));
    assert_eq!(bus.read(done, Size::Word, 0), Ok(0xff));
    assert_eq!(bus.write(reset + 0x2000, Size::Word, 0x0f, 0), Ok(()));
    assert_eq!(bus.write(reset + 0x1000, Size::Word, 0xf1, 0), Ok(()));
    assert_eq!(bus.read(reset + 0x2000, Size::Word, 0), Ok(0x01ff_fffe));
    // A written 1 clears an alarm's flag, at each of its addresses.
    let timer = 0x4005_4000;
    assert_eq!(bus.write(timer + 0x38, Size::Word, 1, 0), Ok(()));
    assert_eq!(bus.write(timer + 0x10, Size::Word, 1, 0), Ok(()));
    assert_eq!(lines(&mut bus, 125), [0]);
    assert_eq!(bus.write(timer + 0x3034, Size::Word, 1, 126), Ok(()));
    assert!(lines(&mut bus, 127).is_empty());
}

#[test]
fn a_dma_controller_feeds_a_uart_at_its_rate() {
    let (_, mut bus) = bus("stm32f446");
    assert_eq!(bus.poke(0x2000_0000, b"hello"), Ok(()));
    // USART2: 100 cycles a bit, DMA, transmitter; then stream 6 of DMA1: 5 bytes, interrupt.
    let (usart, stream) = (0x4000_4400, 0x4002_6000 + 0x10 + 6 * 0x18);
    let writes = [
        (usart + 0x08, 100),
        (usart + 0x14, 0x80),
        (usart + 0x0c, 0x2008),
        (stream + 0x04, 5),
        (stream + 0x08, usart + 4),
        (stream + 0x0c, 0x2000_0000),
        (stream, 1 << 10 | 1 << 6 | 1 << 4 | 1),
    ];
    for (address, value) in writes {
        assert_eq!(bus.write(address, Size::Word, value, 0), Ok(()));
    }
    // Two bytes at once, into the shifter and behind it; one with each that is out.
    assert_eq!(bus.take_sent(), [(index("stm32f446", "usart2"), b"he".to_vec())]);
    assert!(lines(&mut bus, 2_999).is_empty());
    assert_eq!(lines(&mut bus, 3_000), [17]);
    assert_eq!(bus.take_sent(), [(index("stm32f446", "usart2"), b"llo".to_vec())]);
}

#[test]
fn a_transfer_that_never_ends_lets_time_go_on() {
    let (_, mut bus) = bus("stm32f446");
    // SPI1 takes each item at once; stream 3 of DMA2 gives it a buffer again and again.
    let (spi, stream) = (0x4001_3000, 0x4002_6400 + 0x10 + 3 * 0x18);
    let circular = |count: u32| {
        let control = 3 << 25 | 1 << 10 | 1 << 8 | 1 << 6 | 1 << 4 | 1;
        [
            (stream + 0x04, count),
            (stream + 0x08, spi + 0xc),
            (stream + 0x0c, 0x2000_0000),
            (spi + 0x04, 2),
            (spi, 1 << 6 | 1 << 2),
            (stream, control),
        ]
    };
    for (address, value) in circular(3) {
        assert_eq!(bus.write(address, Size::Word, value, 0), Ok(()));
    }
    let left = |bus: &mut SystemBus, cycle| bus.read(stream + 4, Size::Word, cycle).unwrap();
    let left_behind = |moved: u32| 3 - moved % 3;
    // 131072 items at once: one more than a multiple of 3 and one. Nothing more without time.
    assert_eq!(left(&mut bus, 0), left_behind(0x2_0000));
    assert_eq!(left(&mut bus, 1023), left_behind(0x2_0000));
    // Then 64 items in 1024 cycles, with nobody looking, so that a program may sleep meanwhile.
    assert_eq!(bus.next_event(), 1024);
    assert_eq!(bus.write(0x4002_6408, Size::Word, u32::MAX, 0), Ok(()));
    assert_eq!(lines(&mut bus, 1024), [59], "the buffer was sent again");
    assert_eq!(left(&mut bus, 1024), left_behind(0x2_0000 + 64));
    lines(&mut bus, 1_024_000);
    assert_eq!(left(&mut bus, 1_024_000), left_behind(0x2_0000 + 64_000));
    // A transfer that ends has its items back after a while.
    assert_eq!(bus.write(stream, Size::Word, 0, 1_024_000), Ok(()));
    assert_eq!(bus.next_event(), 1_025_024);
    lines(&mut bus, 1_025_024);
    assert_eq!(bus.next_event(), u64::MAX);
}

#[test]
fn dma_feeds_and_empties_a_port_of_rp2040() {
    let (_, mut bus) = bus("rp2040");
    assert_eq!(bus.poke(0x2000_0000, b"pico"), Ok(()));
    let (spi, dma) = (0x4003_c000, 0x5000_0000);
    let (transmit, receive) = (1 | 1 << 4 | 16 << 15, 1 | 1 << 5 | 1 << 11 | 17 << 15);
    let writes = [
        (spi, 7),
        (spi + 4, 3), // enabled, in a loop
        (spi + 0x24, 3),
        (dma + 0x40, spi + 8),
        (dma + 0x44, 0x2000_0010),
        (dma + 0x48, 4),
        (dma + 0x4c, receive),
        (dma, 0x2000_0000),
        (dma + 4, spi + 8),
        (dma + 8, 4),
        (dma + 0xc, transmit),
    ];
    for (address, value) in writes {
        assert_eq!(bus.write(address, Size::Word, value, 0), Ok(()));
    }
    assert_eq!(bus.read(0x2000_0010, Size::Word, 0), Ok(u32::from_le_bytes(*b"pico")));
    assert_eq!(bus.read(dma + 0x400, Size::Word, 0), Ok(3));
}

#[test]
fn a_task_of_gpiote_drives_a_pin() {
    let (_, mut bus) = bus("nrf52840");
    let (gpiote, timer, ppi) = (0x4000_6000, 0x4000_8000, 0x4001_f000);
    bus.observe(true);
    let writes = [
        // Channel 0 toggles P0.13 at each match of TIMER0: every 10 microseconds.
        (gpiote + 0x510, 3 << 16 | 13 << 8 | 3),
        (timer + 0x540, 10),
        (timer + 0x200, 1),
        (ppi + 0x510, timer + 0x140),
        (ppi + 0x514, gpiote),
        (ppi + 0x504, 1),
        (timer, 1),
    ];
    for (address, value) in writes {
        assert_eq!(bus.write(address, Size::Word, value, 0), Ok(()));
    }
    lines(&mut bus, 1_920);
    let changes = bus.take_pin_changes();
    let seen: Vec<_> = changes.iter().map(|one| (one.cycle, one.pin, one.level)).collect();
    assert_eq!(seen, [(640, 13, true), (1_280, 13, false), (1_920, 13, true)]);
    bus.reset_devices(2_000);
    assert_eq!(bus.take_pin_changes().len(), 1, "after a reset the pin is an input again");
}

#[test]
fn drivers_find_the_identity_of_a_core_of_usb() {
    for (board, identity) in [("stm32f446", 0x2000), ("stm32f407", 0x1100)] {
        let (_, mut bus) = bus(board);
        assert_eq!(bus.read(0x5000_003c, Size::Word, 0), Ok(identity), "{board}");
    }
}

#[test]
fn nordic_s_start_up_code_finds_the_part() {
    for (board, part) in [("nrf52840", 8), ("microbit", 1)] {
        let (_, mut bus) = bus(board);
        assert_eq!(bus.read(0xf000_0fe0, Size::Word, 0), Ok(part), "{board}");
    }
}

#[test]
fn a_uart_fetches_and_stores_its_buffers() {
    let (_, mut bus) = bus("nrf52840");
    assert_eq!(bus.poke(0x2000_0000, b"ping"), Ok(()));
    let uart = 0x4000_2000;
    let writes = [
        (0x500, 8),
        (0x304, 1 << 8 | 1 << 4),
        (0x544, 0x2000_0000),
        (0x548, 4),
        (0x008, 1),
        (0x534, 0x2000_0010),
        (0x538, 2),
        (0x000, 1),
    ];
    for (offset, value) in writes {
        assert_eq!(bus.write(uart + offset, Size::Word, value, 0), Ok(()));
    }
    let number = index("nrf52840", "uarte0");
    assert_eq!(bus.take_sent(), [(number, b"ping".to_vec())]);
    bus.receive(number, b'o', 0);
    bus.receive(number, b'k', 0);
    // 250 kilobaud: 40 microseconds a byte.
    assert!(lines(&mut bus, 2 * 2_560 - 1).is_empty());
    assert_eq!(lines(&mut bus, 2 * 2_560), [2]);
    assert_eq!(bus.read(0x2000_0010, Size::Half, 6_000), Ok(0x6b6f));
    assert_eq!(bus.read(uart + 0x110, Size::Word, 6_000), Ok(1));
}

#[test]
fn an_event_is_a_task_of_another_device() {
    let (_, mut bus) = bus("nrf52840");
    let (timer, counter, ppi) = (0x4000_8000, 0x4000_9000, 0x4001_f000);
    let writes = [
        // TIMER1 counts tasks; TIMER0 matches every 10 microseconds, and clears itself.
        (counter + 0x504, 1),
        (counter, 1),
        (timer + 0x540, 10),
        (timer + 0x200, 1),
        (ppi + 0x510, timer + 0x140),
        (ppi + 0x514, counter + 0x008),
        (ppi + 0x504, 1),
        (timer, 1),
    ];
    for (address, value) in writes {
        assert_eq!(bus.write(address, Size::Word, value, 0), Ok(()));
    }
    let counted = |bus: &mut SystemBus, cycle: u64| {
        lines(bus, cycle);
        assert_eq!(bus.write(counter + 0x040, Size::Word, 1, cycle), Ok(()));
        bus.read(counter + 0x540, Size::Word, cycle)
    };
    assert_eq!(counted(&mut bus, 639), Ok(0));
    assert_eq!(counted(&mut bus, 640), Ok(1));
    assert_eq!(counted(&mut bus, 6_400), Ok(10));
    assert_eq!(bus.write(ppi + 0x508, Size::Word, 1, 6_401), Ok(()));
    assert_eq!(counted(&mut bus, 64_000), Ok(10));
}

#[test]
fn events_in_a_circle_come_to_an_end() {
    let (_, mut bus) = bus("nrf52840");
    // The UART's start is the event of its own start.
    let (uart, ppi) = (0x4000_2000, 0x4001_f000);
    let writes = [
        (ppi + 0x510, uart + 0x14c),
        (ppi + 0x514, uart),
        (ppi + 0x504, 1),
        (uart + 0x500, 8),
        (uart, 1),
    ];
    for (address, value) in writes {
        assert_eq!(bus.write(address, Size::Word, value, 0), Ok(()));
    }
    assert_eq!(bus.read(uart + 0x14c, Size::Word, 1), Ok(1));
}

/// The number of a device on a board.
fn index(board: &str, name: &str) -> usize {
    let board = Board::named(board).expect("built in");
    board.devices.iter().position(|device| device.name == name).expect("there")
}

/// Pseudo-random numbers for the tests that throw anything at the code.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }
}

#[test]
fn no_access_to_any_device_panics_or_stops_time() {
    for name in Board::names() {
        let (board, mut bus) = bus(name);
        let mut random = Random(0x1234_5678_9abc_def1);
        let mut cycle = 0;
        for _ in 0..15_000 {
            let device = random.below(board.devices.len() as u64) as usize;
            let description = &board.devices[device];
            let registers = u64::from(description.span()).min(0x500);
            let size = [Size::Byte, Size::Half, Size::Word][random.below(3) as usize];
            let offset = random.below(registers) as u32 & !(size.bytes() - 1);
            let address = description.base + offset;
            let bits = random.below(32);
            let value = random.below(1 << 32) as u32 >> bits;
            match random.below(6) {
                0 => drop(bus.read(address, size, cycle)),
                1 => bus.drive_pin(device, random.below(40) as u8, value & 1 != 0, cycle),
                2 => bus.receive(device, value as u8, cycle),
                3 => {
                    let bits = random.below(14);
                    cycle += random.below(1 << bits);
                    lines(&mut bus, cycle);
                    assert!(bus.next_event() > cycle, "{name}: what is due has happened");
                }
                _ => {
                    let _ = bus.write(address, size, value, cycle);
                }
            }
        }
    }
}

#[test]
fn no_address_panics() {
    for name in Board::names() {
        let ((_, mut bus), mut random) = (bus(name), Random(99));
        for _ in 0..15_000 {
            let address = (random.below(1 << 32) as u32) & !3;
            let _ = bus.read(address, Size::Word, 0);
            let _ = bus.write(address, Size::Word, address, 0);
            let _ = bus.fetch(address);
            let _ = bus.peek(address, &mut [0; 8], 0);
        }
    }
}
