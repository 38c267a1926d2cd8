//! Boards load, and mistakes in a board file are named.

use super::{Board, BoardError};
use crate::processor::bus::Port;

const SMALL: &str = r#"
name = "small"
description = "one memory"
core = "cortex-m3"
clock_hz = 1_000_000
priority_bits = 4
interrupts = 8
stack_align_reset = true

[[memory]]
name = "ram"
start = 0
size = 0x1000
kind = "ram"
port = "code-separate"
aliases = [0x2000_0000]
"#;

fn refusal(text: &str) -> String {
    Board::parse(text, "test.toml").expect_err("a mistake").to_string()
}

#[test]
fn the_built_in_boards_load() {
    for name in Board::names() {
        let board = Board::named(name).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(board.name, name);
        assert!(!board.regions().is_empty());
        assert!(board.regions().is_sorted_by_key(|region| region.start));
    }
    assert_eq!(Board::names().next(), Some("lm3s6965"));
}

/// What the start of every HAL of these chips touches, whatever the program uses.
#[test]
fn the_boards_of_stm32_have_what_hals_start() {
    let boards: Vec<_> = Board::names().filter(|name| name.starts_with("stm32")).collect();
    assert_eq!(boards.len(), 8);
    for name in boards {
        let board = Board::named(name).unwrap();
        for device in ["dbgmcu", "pwr", "i2c1", "rtc", "wwdg", "adc", "tim1", "crc"] {
            let found = board.devices.iter().find(|known| known.name.starts_with(device));
            let kind = found.map(|found| found.kind.name());
            assert!(kind.is_some_and(|kind| kind != "inert"), "{name}, {device}: {kind:?}");
        }
    }
}

#[test]
fn a_cortex_m4_has_dsp_instructions_and_perhaps_a_floating_point_unit() {
    for (core, dsp, float, part) in [
        ("cortex-m3", false, false, 0xc23),
        ("cortex-m4", true, false, 0xc24),
        ("cortex-m4f", true, true, 0xc24),
    ] {
        let text = SMALL.replace("cortex-m3", core);
        let configuration = Board::parse(&text, "test").expect("valid").configuration();
        assert_eq!(configuration.has_dsp(), dsp, "{core}");
        assert_eq!(configuration.has_floating_point(), float, "{core}");
        assert_eq!(configuration.cpuid >> 4 & 0xfff, part, "{core}");
    }
}

#[test]
fn an_unknown_board_lists_the_known_ones() {
    let message = Board::find("stm32f999").expect_err("unknown").to_string();
    assert!(message.contains("stm32f999") && message.contains("stm32f100"), "{message}");
}

#[test]
fn a_missing_file_is_named() {
    let error = Board::find("no/such/board.toml").expect_err("missing");
    assert!(matches!(error, BoardError::Unreadable { .. }));
    assert!(error.to_string().contains("no/such/board.toml"));
}

#[test]
fn an_alias_is_a_region_of_its_own() {
    let board = Board::parse(SMALL, "test").expect("valid");
    let regions = board.regions();
    assert_eq!(regions.len(), 2);
    assert_eq!((regions[1].start, regions[1].end), (0x2000_0000, 0x2000_0fff));
    assert_eq!(regions[1].port, Port::CodeSeparate);
}

#[test]
fn microseconds_become_cycles() {
    let board = Board::parse(SMALL, "test").expect("valid");
    assert_eq!(board.cycles_of(3_000), 3_000);
    assert_eq!(board.cycles_of(u64::MAX), u64::MAX);
}

#[test]
fn an_unknown_field_is_named_with_its_line() {
    let message = refusal(&SMALL.replace("interrupts = 8", "interrupts = 8\nintterupts = 9"));
    assert!(message.contains("intterupts") && message.contains("line"), "{message}");
}

#[test]
fn impossible_values_are_refused_by_field() {
    let cases = [
        ("priority_bits = 4", "priority_bits = 2", "priority_bits"),
        ("interrupts = 8", "interrupts = 241", "interrupts"),
        ("clock_hz = 1_000_000", "clock_hz = 0", "clock_hz"),
        ("size = 0x1000", "size = 0", "memory \"ram\", size"),
        ("size = 0x1000", "size = 0x4000_0000", "memory \"ram\", size"),
        ("start = 0\n", "start = 2\n", "memory \"ram\", start"),
        ("start = 0\n", "start = 0xffff_f000\n", "reaches 0xe0000000 or above"),
        ("start = 0\n", "start = 0xffff_fff0\n", "end behind 0xffffffff"),
        ("aliases = [0x2000_0000]", "aliases = [0x800]", "overlaps memory \"ram\""),
        ("size = 0x1000", "size = 0x1000\nwords = [[2, 0]]", "words: 0x2 is no word of the memory"),
        ("size = 0x1000", "size = 0x1000\nwords = [[0x1000, 0]]", "words: 0x1000 is no word"),
        ("name = \"small\"", "name = \"\"", "name"),
        ("core = \"cortex-m3\"", "core = \"cortex-m3\"\ncore_revision = \"two\"", "core_revision"),
        ("interrupts = 8", "interrupts = 8\nmpu_regions = 3", "mpu_regions"),
        ("interrupts = 8", "interrupts = 8\nvector_table = 4", "vector_table"),
    ];
    for (from, to, expected) in cases {
        let text = SMALL.replacen(from, to, 1);
        assert_ne!(text, SMALL, "{from}");
        let message = refusal(&text);
        assert!(message.contains(expected), "{to}: {message}");
        assert!(message.contains("test.toml"), "{message}");
    }
}

#[test]
fn impossible_devices_are_refused_by_name() {
    let device = |fields: &str| format!("{SMALL}\n[[device]]\nname = \"d\"\n{fields}");
    let cases = [
        ("kind = \"pl011\"\nbase = 0x800", "0x40000000"),
        ("kind = \"pl011\"\nbase = 0x4000_0000\ninterrupts = [8]", "beyond the board's 8"),
        ("kind = \"pl011\"\nbase = 0x4000_0000\ninterrupts = [1, 2]", "lists 2"),
        ("kind = \"pl011\"\nbase = 0x4000_0001", "multiples of 4"),
        ("kind = \"pl011\"\nbase = 0x4000_0000\nport = \"A\"", "only a GPIO"),
        ("kind = \"lm3s-gpio\"\nbase = 0x4000_0000", "port"),
        ("kind = \"lm3s-gpio\"\nbase = 0x4000_0000\nport = \"AB\"", "one capital letter"),
        ("kind = \"pl011\"\nbase = 0x4000_1000\natomic_aliases = true", "a multiple of 0x4000"),
        (
            "kind = \"inert\"\nbase = 0x4000_0000\nsize = 0x2000\natomic_aliases = true",
            "size of 0x1000",
        ),
        ("kind = \"warp-drive\"\nbase = 0x4000_0000", "warp-drive"),
    ];
    for (fields, expected) in cases {
        let message = refusal(&device(fields));
        assert!(message.contains(expected), "{fields}: {message}");
    }
}

#[test]
fn impossible_registers_are_refused_by_field() {
    let text = |size: &str, register: &str| {
        let device = "[[device]]\nname = \"d\"\nkind = \"registers\"\nbase = 0x4000_0000\n";
        format!("{SMALL}\n{device}{size}\n[[device.register]]\n{register}\n")
    };
    assert!(Board::parse(&text("size = 8", "offset = 4"), "test").is_ok());
    let cases = [
        ("offset = 2", "register at 0x2, offset: must be a multiple of 4"),
        ("offset = 8", "register at 0x8, offset: ends behind the device's size of 0x8"),
        ("offset = 0xffff_fffc", "ends behind the device's size"),
        ("offset = 4\ncount = 2", "ends behind the device's size"),
        ("offset = 0\ncount = 0", "count: must be 1 or more"),
        ("offset = 0\n[[device.register]]\noffset = 0", "is described twice"),
        ("offset = 0\nconstant = 1\nreset = 2", "constant: stands alone"),
        ("offset = 0\nsets = 4\nclears = 4", "sets: is beside `clears`"),
        ("offset = 0\nclears = 8", "clears: 0x8 is no register of the device"),
        ("offset = 0\nsets = 4\nreset = 1", "reads as the one at 0x4: put `reset`"),
        ("offset = 0\nsets = 4\n[[device.register]]\noffset = 4\nclears = 0", "no bits of its own"),
        (
            "offset = 0\nfollow = [{ bit = 32, of = 0 }]",
            "follow, bit: 1 bits from 32 on end behind",
        ),
        ("offset = 0\nfollow = [{ bit = 0, of = 30, count = 3 }]", "follow, of: 3 bits from 30 on"),
        ("offset = 0\nfollow = [{ bit = 0, of = 9, count = 0 }]", "follow, count: must be 1 to 32"),
        ("offset = 0\nfollow = [{ bit = 0, of = 9, count = 6, decode = true }]", "at most 5"),
        ("offset = 0\nfollow = [{ bit = 0, of = 0, register = 8 }]", "0x8 is no register"),
        ("offset = 0\nfollow = [{ bit = 1, of = 0 }, { bit = 1, of = 2 }]", "follows twice"),
        (
            "offset = 0\nfollow = [{ bit = 1, of = 0 }, { bit = 2, of = 1 }]",
            "bit 1 of the register \
          at 0x0 follows bit 0 itself; name that one here",
        ),
        (
            "offset = 0\ninterrupt = { bits = 1, enable = 8, enable_bit = 0 }",
            "interrupt, enable: 0x8 is no register",
        ),
        (
            "offset = 0\ninterrupt = { bits = 1, enable = 4, enable_bit = 32 }",
            "interrupt, enable_bit: is 32",
        ),
        (
            "offset = 0\ninterrupt = { bits = 1, enable = 4, enable_bit = 0 }",
            "interrupt: the device lists no `interrupts`",
        ),
        ("offset = 0\nfollow = [{ bit = 1, of = 0, late = 3 }]", "unknown field `late`"),
    ];
    for (register, expected) in cases {
        let message = refusal(&text("size = 8", register));
        assert!(message.contains(expected), "{register}: {message}");
    }
    let message = refusal(&text("", "offset = 0"));
    assert!(message.contains("size: the kind \"registers\" needs it"), "{message}");
    let message = refusal(&text("size = 0x2_0000", "offset = 0"));
    assert!(message.contains("size: is 0x20000, beyond the limit of 0x10000"), "{message}");
    let message = refusal(&text("size = 8", "offset = 0").replace("\"registers\"", "\"inert\""));
    assert!(message.contains("only a device of the kind \"registers\" has them"), "{message}");
}

/// Returns the refusal of a device of `size` bytes at `base`, or `None` if the device may be there.
fn placed(base: &str, size: &str) -> Option<String> {
    let device = format!("name = \"d\"\nkind = \"inert\"\nbase = {base}\nsize = {size}\n");
    let text = format!("{SMALL}\n[[device]]\n{device}");
    Board::parse(&text, "test.toml").err().map(|error| error.to_string())
}

#[test]
fn devices_may_be_beside_the_cores_own_registers() {
    let free = [
        ("0xe004_2000", "0x400"),
        ("0xe00f_e000", "0x1000"),
        ("0xe004_2000", "0xb_d000"),
        ("0xe010_0000", "0x1000"),
        ("0xf000_0000", "0x1000"),
        ("0xffff_fffc", "4"),
        ("0xdfff_fffc", "4"),
    ];
    for (base, size) in free {
        assert_eq!(placed(base, size), None, "{base}");
    }
}

#[test]
fn devices_on_the_cores_own_registers_are_refused_by_name() {
    let taken = [
        ("0xe000_0000", "4", "0xe0000000 to 0xe0000fff, which is the core's own (ITM)"),
        ("0xe000_1000", "4", "(DWT)"),
        ("0xe000_2ffc", "4", "(FPB)"),
        ("0xe000_ed00", "4", "(SysTick, NVIC, SCB, MPU, debug)"),
        ("0xe003_0000", "4", "(reserved)"),
        ("0xe004_0000", "4", "(TPIU)"),
        ("0xe004_1ffc", "8", "0xe0041000 to 0xe0041fff, which is the core's own (ETM)"),
        ("0xe00f_effc", "8", "(ROM table)"),
        ("0xe00f_fffc", "8", "(ROM table)"),
        ("0xdfff_fffc", "8", "(ITM)"),
    ];
    for (base, size, expected) in taken {
        let message = placed(base, size).expect(base);
        assert!(message.contains(expected), "{base}: {message}");
        let way_out = "at 0xe0042000 to 0xe00fefff (as a DBGMCU) or from 0xe0100000 on";
        assert!(message.contains(way_out), "{message}");
    }
    let message = placed("0xffff_fffc", "8").expect("too long");
    assert!(message.contains("0x8 bytes at 0xfffffffc end behind 0xffffffff"), "{message}");
}

#[test]
fn a_bridge_is_not_in_front_of_the_private_peripheral_bus() {
    let bridge = |start: &str| {
        let text = format!("{SMALL}\n[[bridge]]\nname = \"b\"\nstart = {start}\nsize = 0x1000\n");
        Board::parse(&text, "test.toml").err().map(|error| error.to_string())
    };
    assert_eq!((bridge("0x4000_0000"), bridge("0xe010_0000")), (None, None));
    let message = bridge("0xe004_2000").expect("refused");
    assert!(message.contains("which no bridge is in front of"), "{message}");
}

#[test]
fn a_name_used_twice_is_refused() {
    let twice = "[[device]]\nname = \"u\"\nkind = \"pl011\"\nbase = 0x4000_0000\n";
    let text = format!("{SMALL}\n{twice}{}", twice.replace("0x4000_0000", "0x4000_1000"));
    assert!(refusal(&text).contains("used twice"));
}

#[test]
fn the_core_becomes_a_configuration() {
    let text = SMALL.replace("clock_hz", "core_revision = \"r1p1\"\nclock_hz");
    let configuration = Board::parse(&text, "test").expect("valid").configuration();
    assert_eq!(configuration.cpuid, 0x411f_c231);
    assert_eq!(configuration.priority_bits, 4);
}

#[test]
fn no_damaged_board_file_panics() {
    let mut random = 1_u32;
    let mut next = |bound: usize| {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (random >> 8) as usize % bound
    };
    let replacements = ["0", "9", "f", "-", "\"", "[", "]", "=", "\n", "name", "0xffffffff", "é"];
    for _ in 0..3_000 {
        let mut text = SMALL.to_owned() + "[[device]]\nname = \"d\"\nkind = \"pl011\"\nbase = 1\n";
        for _ in 0..=next(3) {
            let at = next(text.len());
            let end = (at + next(3)).min(text.len());
            if text.is_char_boundary(at) && text.is_char_boundary(end) {
                text.replace_range(at..end, replacements[next(replacements.len())]);
            }
        }
        match Board::parse(&text, "test") {
            Ok(board) => assert!(!board.regions().is_empty()),
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
}

#[test]
fn memories_have_a_largest_size_together() {
    let mut text = SMALL.to_owned();
    for (number, start) in [0x3000_0000_u32, 0x6000_0000, 0x7000_0000].into_iter().enumerate() {
        text.push_str(&format!(
            "[[memory]]\nname = \"m{number}\"\nstart = {start:#x}\nsize = 0x1000_0000\n\
             kind = \"ram\"\nport = \"system\"\n"
        ));
    }
    let message = refusal(&text);
    let expected = "memory \"m1\": size: the memories have more than 536870912 bytes together";
    assert!(message.contains(expected), "{message}");
}

/// [`SMALL`] with a flash behind this front end.
fn with_front(front: &str) -> String {
    format!(
        "{SMALL}\n[[memory]]\nname = \"flash\"\nstart = 0x0800_0000\nsize = 0x1000\n\
         kind = \"flash\"\nport = \"code-shared\"\n[memory.front_end]\n{front}\n\
         [[device]]\nname = \"acr\"\nkind = \"registers\"\nbase = 0x4000_0000\nsize = 0x10\n"
    )
}

#[test]
fn a_front_end_is_read_with_its_register() {
    let text = with_front(
        "line_bytes = 16\nwait_states = 1\nbuffer = \"fetches\"\nprefetch = true\n\
         instruction_lines = 8\ninstruction_ways = 2\ndata_lines = 4\n[memory.front_end.control]\n\
         device = \"acr\"\noffset = 4\nwait_states = [1, 3]\nprefetch = 8\ninstructions = 9\n\
         flush = [11]",
    );
    let board = Board::parse(&text, "test").expect("valid");
    let [front] = board.fronts()[..] else { panic!("one front end") };
    assert_eq!((front.line_bytes, front.settings.wait_states), (16, 1));
    assert_eq!((front.instructions.lines, front.instructions.ways), (8, 2));
    assert!(!front.settings.prefetch && !front.settings.instructions);
    let of = |address| {
        let region = board.regions().into_iter().find(|region| region.start == address);
        region.map(|region| region.front)
    };
    assert_eq!((of(0x0800_0000), of(0x2000_0000)), (Some(1), Some(0)));
    let control = board.memories[1].front_end.as_ref().and_then(|front| front.control.as_ref());
    let set = control.expect("given").settings(5 << 1 | 1 << 9 | 1 << 11, front.settings);
    assert_eq!(
        (set.wait_states, set.prefetch, set.instructions, set.flush),
        (5, false, true, true)
    );
    assert!(set.buffer, "no bit sets it");
}

#[test]
fn mistakes_in_a_front_end_are_named() {
    let cases = [
        ("line_bytes = 12", "memory \"flash\", front_end.line_bytes: is 12; a line has 4, 8"),
        ("line_bytes = 2", "front_end.line_bytes: is 2; a line has 4, 8"),
        (
            "line_bytes = 8\ninstruction_lines = 9\ninstruction_ways = 2",
            "front_end.instruction_ways: is 2, which does not divide the 9 lines into equal sets",
        ),
        (
            "line_bytes = 8\ndata_lines = 5000",
            "front_end.data_lines: is 5000; at most 4096 are simulated",
        ),
        (
            "line_bytes = 8\nprefetch = true",
            "front_end.prefetch: reads the line behind the one read last: give buffer",
        ),
        (
            "line_bytes = 8\ndata_shares = true",
            "front_end.data_shares: data is in the cache of fetches: give instruction_lines",
        ),
        (
            "line_bytes = 8\n[memory.front_end.control]\ndevice = \"rcc\"\noffset = 0",
            "front_end.control.device: no [[device]] is named \"rcc\"",
        ),
        (
            "line_bytes = 8\n[memory.front_end.control]\ndevice = \"acr\"\noffset = 0x10",
            "front_end.control.offset: 0x10 is no register of \"acr\": a multiple of 4 below 0x10",
        ),
        (
            "line_bytes = 8\n[memory.front_end.control]\ndevice = \"acr\"\noffset = 0\n\
          wait_states = [30, 3]",
            "front_end.control.wait_states: [30, 3] is no field",
        ),
        (
            "line_bytes = 8\n[memory.front_end.control]\ndevice = \"acr\"\noffset = 0\n\
          flush = [32]",
            "front_end.control: bit 32 is beyond 31",
        ),
    ];
    for (front, expected) in cases {
        let message = refusal(&with_front(front));
        assert!(message.contains(expected), "{message}");
    }
    let on_system =
        with_front("line_bytes = 8").replace("port = \"code-shared\"", "port = \"system\"");
    let message = refusal(&on_system);
    assert!(message.contains("front_end: stands behind a code bus; give the memory"), "{message}");
    let twice = with_front("line_bytes = 8")
        .replace("port = \"code-shared\"", "port = \"code-shared\"\nread_wait_states = 1");
    let message = refusal(&twice);
    assert!(message.contains("leave read_wait_states out"), "{message}");
}

#[test]
fn every_built_in_board_says_how_its_timing_is_known() {
    for name in Board::names() {
        let board = Board::named(name).expect("built in");
        assert!(!board.timing.is_empty() && !board.core.timing().is_empty(), "{name}");
        assert!(board.timing.iter().all(|entry| !entry.source.is_empty()), "{name}");
    }
}

#[test]
fn a_text_that_nests_deeply_is_refused() {
    let deep = format!("name = {}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(refusal(&deep).contains("test.toml"));
    let dotted = format!("{}x = 1", "a.".repeat(100_000));
    assert!(refusal(&dotted).contains("test.toml"));
}

#[test]
fn a_file_without_an_end_is_refused() {
    let path = std::path::Path::new("/dev/zero");
    if path.exists() {
        let message = Board::from_file(path).expect_err("no board").to_string();
        assert!(message.contains("it has more than 4194304 bytes"), "{message}");
    }
}

#[test]
fn damaged_text_never_panics() {
    let mut state = 0x5EED_u64;
    let mut below = |limit: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 20) as usize % limit
    };
    let texts = [SMALL, include_str!("../../boards/stm32f100.toml")];
    let parts =
        ["0", "9", "0xffff_ffff", "-1", "=", "\"", "[[memory]]\n", "[", "]", "\n", ".", ","];
    let mut valid = 0;
    for round in 0..4000 {
        let mut text = texts[round % 2].to_owned();
        for _ in 0..=below(3) {
            let at = below(text.len());
            let end = (at + below(6)).min(text.len());
            text.replace_range(at..end, parts[below(parts.len())]);
        }
        if let Ok(board) = Board::parse(&text, "damaged") {
            valid += 1;
            assert!(board.regions().is_sorted_by_key(|region| region.start));
            let bytes: u32 = board.memories.iter().map(|memory| memory.size).sum();
            if bytes < 1 << 20 {
                crate::machine::Machine::new(&board).reset();
            }
        }
    }
    assert!(valid > 50, "{valid}: the damage is too heavy to come far");
}
