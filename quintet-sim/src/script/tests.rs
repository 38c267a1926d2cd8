//! Scripts become actions in order, and mistakes are named with line and field.

use super::{Action, Names, NoNames, Placed, Script, When};
use crate::board::Board;

fn board() -> Board {
    Board::named("stm32f100").expect("built in")
}

fn device(name: &str) -> usize {
    board().devices.iter().position(|device| device.name == name).expect("on the board")
}

fn parse(text: &str) -> Vec<(u64, Action)> {
    Script::parse(text, &board()).unwrap_or_else(|error| panic!("{error}")).actions().to_vec()
}

fn refusal(text: &str) -> String {
    Script::parse(text, &board()).expect_err("a mistake").to_string()
}

#[test]
fn every_action_is_resolved_and_sorted_by_time() {
    let text = r#"
        [[at]]
        ms = 10
        pin = "PA0"
        press_us = 500
        active = 0
        [[at]]
        us = 5
        uart = "usart1"
        send = "ok"
        [[at]]
        cycle = 7
        pend = 17
        [[at]]
        cycle = 7
        pin = "PC13"
        level = 1
        [[at]]
        ms = 1
        uart = "usart2"
        send = [0x01, 0xff]
    "#;
    let gpioa = device("gpioa");
    let expected = [
        (7, Action::Pend { interrupt: 17 }),
        (7, Action::Drive { device: device("gpioc"), pin: 13, level: true }),
        (40, Action::Send { device: device("usart1"), bytes: (*b"ok").into() }),
        (8_000, Action::Send { device: device("usart2"), bytes: [1, 255].into() }),
        (80_000, Action::Drive { device: gpioa, pin: 0, level: false }),
        (84_000, Action::Drive { device: gpioa, pin: 0, level: true }),
    ];
    assert_eq!(parse(text), expected);
}

#[test]
fn ports_that_are_digits_need_no_letter() {
    let board = Board::named("mps2-an385").expect("built in");
    let text = "[[at]]\nms = 1\npin = \"P1.15\"\nlevel = 0\n";
    let script = Script::parse(text, &board).expect("valid");
    let (cycle, action) = script.actions()[0].clone();
    assert_eq!(cycle, 25_000);
    assert!(matches!(action, Action::Drive { pin: 15, level: false, .. }));
}

#[test]
fn an_empty_script_does_nothing() {
    assert!(parse("").is_empty());
}

#[test]
fn mistakes_are_named_with_line_and_field() {
    let cases = [
        ("pend = 17", "ms"),
        ("ms = 1\nus = 1\npend = 17", "ms"),
        ("ms = 1", "pin"),
        ("ms = 1\npend = 61", "pend"),
        ("ms = 1\npin = \"PZ0\"\nlevel = 1", "pin"),
        ("ms = 1\npin = \"PA16\"\nlevel = 1", "pin"),
        ("ms = 1\npin = \"é\"\nlevel = 1", "pin"),
        ("ms = 1\npin = \"PA0\"\nlevel = 2", "level"),
        ("ms = 1\npin = \"PA0\"", "level"),
        ("ms = 1\npin = \"PA0\"\nlevel = 1\nactive = 0", "active"),
        ("ms = 1\npin = \"PA0\"\npress_ms = 1\npress_us = 1", "press_ms"),
        ("ms = 1\npin = \"PA0\"\npress_ms = 0", "press_ms"),
        ("ms = 1\nuart = \"uart9\"\nsend = \"x\"", "uart"),
        ("ms = 1\nuart = \"usart1\"", "send"),
        ("ms = 1\nuart = \"usart1\"\nsend = \"x\"\nlevel = 1", "level"),
        ("ms = 1\npend = 1\nsend = \"x\"", "send"),
        ("ms = 1\nplace = \"0x100\"\npend = 1", "place"),
        ("ms = 1\nnth = 2\npend = 1", "nth"),
        ("place = \"0x100\"\nnth = 0\npend = 1", "nth"),
        ("place = \"main\"\npend = 1", "place"),
        ("place = \"0x100\"\npin = \"PA0\"\npress_ms = 1", "press_ms"),
        ("ms = 1\npoke = 0x2000_0000", "value"),
        ("ms = 1\npoke = 0x2000_0000\nvalue = []", "value"),
        ("ms = 1\npoke = 0x2000_0000\nvalue = 4_294_967_296", "value"),
        ("ms = 1\npoke = 0x2000_0000\nvalue = 1\nbit = 1", "bit"),
        ("ms = 1\npoke = \"COUNTER\"\nvalue = 1", "poke"),
        ("ms = 1\npoke = 0x4000_0000\nvalue = 1", "poke"),
        ("ms = 1\npoke = 0x2000_1fff\nvalue = [1, 2]", "poke"),
        ("ms = 1\nflip = 0x2000_0000", "bit"),
        ("ms = 1\nflip = 0x2000_0000\nbit = 32", "bit"),
        ("ms = 1\nflip = \"0x4000_0000\"\nbit = 3", "flip"),
        ("ms = 1\npend = 1\nvalue = 3", "value"),
    ];
    for (entry, field) in cases {
        let message = refusal(&format!("# a comment\n[[at]]\n{entry}\n"));
        assert!(message.starts_with(&format!("line 2: {field}: ")), "{entry}: {message}");
    }
}

#[test]
fn unknown_fields_and_types_are_named_with_their_line() {
    for (entry, expected) in [
        ("ms = 1\nlevle = 1", "levle"),
        ("ms = -1", "-1"),
        ("ms = \"x\"", "x"),
        ("ms = 1\nuart = \"usart1\"\nsend = [256]", "a list of bytes"),
    ] {
        let message = refusal(&format!("[[at]]\n{entry}\n"));
        assert!(message.contains(expected) && message.contains("line"), "{message}");
    }
}

#[test]
fn a_port_has_as_many_pins_as_its_device() {
    let entry = "[[at]]\nms = 1\npin = \"PA8\"\nlevel = 1\n";
    for (board, accepted) in [("stm32f100", true), ("mps2-an385", false), ("lm3s6965", false)] {
        let board = Board::named(board).expect("built in");
        assert_eq!(Script::parse(entry, &board).is_ok(), accepted, "{}", board.name);
    }
}

#[test]
fn a_port_of_more_than_16_pins_has_them_all() {
    let cases = [
        ("nrf52840", "P0.24", true),
        ("nrf52840", "P0.32", false),
        ("microbit", "P0.26", true),
        ("rp2040", "GP25", true),
        ("rp2040", "GPIO29", true),
        ("rp2040", "P0.25", true),
        ("rp2040", "GP30", false),
        ("rp2350", "GP25", true),
        ("rp2350", "GP30", false),
        ("stm32f100", "PA16", false),
        ("stm32f100", "GP2", false),
        ("mps2-an385", "PF4", false),
    ];
    for (board, pin, accepted) in cases {
        let entry = format!("[[at]]\nms = 1\npin = \"{pin}\"\nlevel = 1\n");
        let board = Board::named(board).expect("built in");
        assert_eq!(Script::parse(&entry, &board).is_ok(), accepted, "{} {pin}", board.name);
    }
    let board = Board::named("rp2040").expect("built in");
    let entry = "[[at]]\nms = 1\npin = \"LED\"\nlevel = 1\n";
    let message = Script::parse(entry, &board).expect_err("no pin").to_string();
    assert!(message.contains("\"LED\" is not of the form \"GP25\""), "{message}");
}

#[test]
fn a_file_is_named() {
    let path = std::env::temp_dir().join("quintet-script-test.toml");
    std::fs::write(&path, "[[at]]\nms = 1\n").expect("a writable directory");
    let message = Script::from_file(&path, &board(), &NoNames).expect_err("a mistake").to_string();
    assert!(message.contains("quintet-script-test.toml: line 1: pin"), "{message}");
    let message =
        Script::from_file(&path.join("missing"), &board(), &NoNames).expect_err("").to_string();
    assert!(message.contains("missing"), "{message}");
}

#[test]
fn no_damaged_script_panics() {
    let good = "[[at]]\nms = 3\npin = 'PA0'\npress_ms = 2\n\
                [[at]]\nus = 1\nuart = 'usart1'\nsend = 'x'\n";
    let board = board();
    let replacements = ["", "\"", "-", "é", "18446744073709551615", "[", "\n", "pend = 1\n"];
    for at in 0..good.len() {
        for end in at..(at + 4).min(good.len()) {
            for replacement in replacements {
                let mut text = good.to_owned();
                text.replace_range(at..end, replacement);
                if let Err(error) = Script::parse(&text, &board) {
                    assert!(!error.to_string().is_empty());
                }
            }
        }
    }
}

#[test]
fn long_scripts_are_read_in_a_moment() {
    let entry = "[[at]]\ncycle = 7\npend = 17\n";
    assert_eq!(parse(&entry.repeat(20_000)).len(), 20_000);
    let message = refusal(&format!("{}[[at]]\ncycle = 7\npend = 900\n", entry.repeat(20_000)));
    assert!(message.starts_with("line 60001: pend: 900 is beyond"), "{message}");
}

#[test]
fn memory_changes_at_times_and_places() {
    struct Known;

    impl Names for Known {
        fn variable(&self, name: &str) -> Result<(u32, u32), String> {
            match name {
                "LEVEL" => Ok((0x2000_0010, 2)),
                "TABLE" => Ok((0x2000_0020, 12)),
                _ => Err(format!("no {name}")),
            }
        }

        fn code(&self, name: &str) -> Result<u32, String> {
            if name == "step" { Ok(0x0800_0101) } else { Err(format!("no {name}")) }
        }
    }

    let parse = |text: &str| Script::parse_for(text, &board(), &Known);
    let text = "
        [[at]]
        cycle = 5
        poke = \"LEVEL\"
        value = -2
        [[at]]
        name = \"hit\"
        place = \"step\"
        nth = 3
        flip = \"LEVEL\"
        bit = 9
        [[at]]
        name = \"list\"
        cycle = 6
        poke = \"0x2000_0001\"
        value = [1, 2, 3]
    ";
    let script = parse(text).expect("valid");
    let poke = |address, bytes: &[u8]| Action::Poke { address, bytes: bytes.into() };
    let expected = [(5, poke(0x2000_0010, &[0xfe, 0xff])), (6, poke(0x2000_0001, &[1, 2, 3]))];
    assert_eq!(script.actions(), expected);
    let action = Action::Flip { address: 0x2000_0011, bit: 1 };
    assert_eq!(script.placed(), [Placed { address: 0x0800_0100, nth: 3, action }]);
    assert_eq!(script.named("list"), Some(When::Cycle(6)));
    assert_eq!(script.named("hit"), Some(When::Place(0)));
    assert_eq!(script.named("other"), None);
    assert_eq!(script.names().collect::<Vec<_>>(), ["hit", "list"]);
    let refused = |text: &str| parse(text).expect_err("a mistake").to_string();
    let twelve = refused("[[at]]\nms = 1\npoke = \"TABLE\"\nvalue = 1");
    assert!(twelve.contains("this one has 12: give a list of bytes"), "{twelve}");
    let twice = "[[at]]\nname = \"a\"\nms = 1\npend = 1\n";
    let twice = refused(&format!("{twice}{twice}"));
    assert_eq!(twice, "line 5: name: an entry before has the name \"a\", too");
    let unknown = refused("[[at]]\nplace = \"stop\"\npend = 1");
    assert_eq!(unknown, "line 1: place: no stop");
}
