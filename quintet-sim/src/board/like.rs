//! Board files that differ from a built-in board in a few places: `like = "stm32f103"`.
//!
//! The board may also be that of a chip: `like = "stm32g071rb"`.
//!
//! A chip comes in many sizes of flash and RAM. Such a file names a board, and takes everything
//! from it that the file doesn't give. Top-level fields replace the board's fields. `[sizes]` gives
//! the board's memories other sizes by their names. `absent` names memories, bridges and devices of
//! the board that this one lacks. Each `[[memory]]`, `[[bridge]]` and `[[device]]` is one more. A
//! `[[register]]` is one of a device that the board has as registers.

use toml::{Table, Value};

use super::validate::Refusal;
use super::{BUILT_IN, Board, BoardError};
use crate::chips;
use crate::peripherals::DeviceKind;

/// The lists of a board, to which the file adds.
const LISTS: [&str; 3] = ["memory", "bridge", "device"];

/// Returns the whole board that a file describes, or `None` if the file names no other board.
pub fn complete(file: &Table) -> Option<Result<Table, Refusal>> {
    file.get("like").map(|like| merge(file, like))
}

fn merge(file: &Table, like: &Value) -> Result<Table, Refusal> {
    let mut board = base(like)?;
    if let Some(absent) = file.get("absent") {
        remove(&mut board, absent)?;
    }
    for (field, value) in file {
        match (field.as_str(), value) {
            ("like" | "absent", _) => {}
            ("sizes", sizes) => resize(&mut board, sizes)?,
            ("register", registers) => put_registers(&mut board, registers)?,
            (list, Value::Array(more)) if LISTS.contains(&list) => {
                let entry = board.entry(list).or_insert_with(|| Value::Array(Vec::new()));
                if let Some(entries) = entry.as_array_mut() {
                    entries.extend(more.iter().cloned());
                }
            }
            (field, value) => {
                board.insert(field.to_owned(), value.clone());
            }
        }
    }
    Ok(board)
}

/// Gives registers of the board's devices other descriptions.
fn put_registers(board: &mut Table, registers: &Value) -> Result<(), Refusal> {
    let refusal = |problem: &str| Err(("register".to_owned(), problem.to_owned()));
    let tables = registers.as_array().map(|all| all.iter().map(Value::as_table));
    let Some(tables) = tables.and_then(Iterator::collect::<Option<Vec<_>>>) else {
        return refusal("is a list of tables: [[register]], with `device` and `offset`");
    };
    for table in tables {
        let mut register = table.clone();
        let device = register.remove("device");
        let Some(name) = device.as_ref().and_then(Value::as_str) else {
            return refusal("needs `device`, the name of the device whose register it is");
        };
        let devices = board.get_mut("device").and_then(Value::as_array_mut);
        let mut devices = devices.into_iter().flatten().filter_map(Value::as_table_mut);
        let has_name =
            |device: &&mut Table| device.get("name").and_then(Value::as_str) == Some(name);
        let Some(device) = devices.find(has_name) else {
            return refusal(&format!("the board has no device of the name \"{name}\""));
        };
        put_register(device, register)
            .map_err(|problem| (format!("register of {name}"), problem))?;
    }
    Ok(())
}

/// Puts a register into a device; what is said of the register already stays where the new
/// description doesn't say otherwise.
fn put_register(device: &mut Table, register: Table) -> Result<(), String> {
    match device.get("kind").and_then(Value::as_str) {
        Some("registers") => {}
        Some("inert") => {
            device.insert("kind".into(), "registers".into());
            device.entry("size").or_insert_with(|| DeviceKind::Inert.span().into());
        }
        kind => {
            return Err(format!(
                "the device is a \"{}\", which does its work: only a device of the kind \
                 \"registers\" or \"inert\" takes registers. Or name it in `absent`, and add one",
                kind.unwrap_or_default()
            ));
        }
    }
    let list = device.entry("register").or_insert_with(|| Value::Array(Vec::new()));
    let Some(list) = list.as_array_mut() else { return Ok(()) };
    let offset = register.get("offset").cloned();
    let mut same = list.iter_mut().filter_map(Value::as_table_mut);
    if let Some(same) = same.find(|other| other.get("offset") == offset.as_ref()) {
        same.extend(register);
    } else {
        list.push(Value::Table(register));
    }
    Ok(())
}

/// The board that the file is like.
fn base(like: &Value) -> Result<Table, Refusal> {
    let text = like.as_str().and_then(|like| {
        let found = BUILT_IN.iter().find(|(name, _)| *name == like);
        found.map(|(_, text)| *text)
    });
    if text.is_none()
        && let Some(board) = like.as_str().and_then(|like| chips::board(like).transpose())
    {
        return of_chip(like, board);
    }
    let known = || BUILT_IN.map(|(name, _)| name).join(", ");
    let refusal = |problem: String| ("like".to_owned(), problem);
    let text = text.ok_or_else(|| {
        let known = known();
        refusal(format!("{like} is no built-in board with a Cortex-M; a file can be like {known}"))
    })?;
    let table: Table = text
        .parse()
        .map_err(|error| refusal(format!("the board {like} can't be read: {error}")))?;
    // A built-in board may be like another one; none is like itself, in however many steps.
    complete(&table).unwrap_or(Ok(table))
}

/// The board of a chip of the makers' data, as the table that its file would be.
fn of_chip(like: &Value, board: Result<Board, BoardError>) -> Result<Table, Refusal> {
    let problem = |text: String| ("like".to_owned(), format!("the chip {like}: {text}"));
    let board = board.map_err(|error| problem(error.to_string()))?;
    Table::try_from(board).map_err(|error| problem(error.to_string()))
}

/// Takes parts of the board away, by their names.
fn remove(board: &mut Table, absent: &Value) -> Result<(), Refusal> {
    let refusal = |problem: String| ("absent".to_owned(), problem);
    let names = absent.as_array().map(|names| names.iter().map(Value::as_str).collect::<Vec<_>>());
    let names = names.and_then(|names| names.into_iter().collect::<Option<Vec<_>>>());
    let Some(names) = names else {
        return Err(refusal("is a list of names: absent = [\"can\", \"dac\"]".into()));
    };
    for name in names {
        let has_name = |part: &Value| part.get("name").and_then(Value::as_str) == Some(name);
        let mut lists = LISTS.into_iter().filter(|list| {
            board.get(*list).and_then(Value::as_array).is_some_and(|list| list.iter().any(has_name))
        });
        let Some(list) = lists.next() else {
            let problem =
                format!("the board has no memory, bridge or device of the name \"{name}\"");
            return Err(refusal(problem));
        };
        if let Some(entries) = board.get_mut(list).and_then(Value::as_array_mut) {
            entries.retain(|part| !has_name(part));
        }
    }
    Ok(())
}

/// Gives memories of the board other sizes.
fn resize(board: &mut Table, sizes: &Value) -> Result<(), Refusal> {
    let Some(sizes) = sizes.as_table() else {
        return Err(("sizes".into(), "is a table: [sizes], and a line as flash = 0x2_0000".into()));
    };
    let Some(memories) = board.get_mut("memory").and_then(Value::as_array_mut) else {
        return Ok(());
    };
    for (name, size) in sizes {
        let is_it = |memory: &Value| memory.get("name").and_then(Value::as_str) == Some(name);
        let Some(memory) = memories.iter_mut().find(|memory| is_it(memory)) else {
            let names = memories.iter().filter_map(|memory| memory.get("name")?.as_str());
            let names = names.collect::<Vec<_>>().join(", ");
            let problem = format!("the board has no memory of this name; it has {names}");
            return Err((format!("sizes: {name}"), problem));
        };
        if let Some(memory) = memory.as_table_mut() {
            memory.insert("size".into(), size.clone());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> String {
        let error: BoardError = Board::parse(text, "my.toml").unwrap_err();
        error.to_string()
    }

    #[test]
    fn a_board_has_what_its_file_says_and_the_rest_of_another() {
        let text = "like = \"stm32f103\"\nname = \"rc\"\nclock_hz = 72_000_000\n\
                    [sizes]\nflash = 0x4_0000\nsram = 0xc000\n\
                    [[device]]\nname = \"mine\"\nkind = \"inert\"\nbase = 0x5000_0000\nsize = 4\n";
        let board = Board::parse(text, "my.toml").unwrap();
        let other = Board::named("stm32f103").unwrap();
        assert_eq!((board.name.as_str(), board.clock_hz), ("rc", 72_000_000));
        let size =
            |name: &str| board.memories.iter().find(|found| found.name == name).unwrap().size;
        assert_eq!((size("flash"), size("sram")), (0x4_0000, 0xc000));
        assert_eq!(board.devices.len(), other.devices.len() + 1);
        assert_eq!((board.core, board.interrupts), (other.core, other.interrupts));
    }

    #[test]
    fn a_board_may_be_like_one_that_is_like_another() {
        let text = "like = \"stm32f411\"\nname = \"cc\"\n[sizes]\nflash = 0x4_0000\n";
        let board = Board::parse(text, "my.toml").unwrap();
        let other = Board::named("stm32f411").unwrap();
        assert_eq!(board.interrupts, other.interrupts);
        assert_eq!(board.devices, other.devices);
        assert_eq!(board.memories[0].size, 0x4_0000);
    }

    #[test]
    fn a_board_may_be_like_that_of_a_chip() {
        for name in ["stm32g071rb", "stm32h743zi", "stm32f411cc"] {
            let text = format!("like = \"{name}\"\nclock_hz = 48_000_000\n");
            let other = Board::named(name).unwrap();
            let same = Board { clock_hz: 48_000_000, ..other };
            assert_eq!(Board::parse(&text, "my.toml").unwrap(), same, "{name}");
        }
    }

    #[test]
    fn a_board_may_lack_parts_of_the_other() {
        let text = "like = \"stm32f407\"\nabsent = [\"ccm\", \"dac\"]\n\
                    [[device]]\nname = \"dac\"\nkind = \"inert\"\nbase = 0x4000_7400\nsize = 4\n";
        let board = Board::parse(text, "my.toml").unwrap();
        let other = Board::named("stm32f407").unwrap();
        assert!(board.memories.iter().all(|memory| memory.name != "ccm"));
        assert_eq!(board.memories.len() + 1, other.memories.len());
        assert_eq!(board.devices.len(), other.devices.len());
    }

    #[test]
    fn a_register_of_the_board_may_do_something_else() {
        let with = |register: &str| {
            Board::parse(&format!("like = \"stm32l476rg\"\n[[register]]\n{register}"), "my.toml")
        };
        let board = with("device = \"rcc\"\noffset = 0\nreset = 0x20_0061\n").unwrap();
        let other = Board::named("stm32l476rg").unwrap();
        let cr = |board: &Board| {
            let rcc = board.devices.iter().find(|device| device.name == "rcc").unwrap();
            rcc.registers.iter().find(|register| register.offset == 0).unwrap().clone()
        };
        assert_eq!(cr(&board).reset, Some(0x20_0061));
        assert_eq!((cr(&board).follow, cr(&board).name), (cr(&other).follow, cr(&other).name));
        let board = with("device = \"dac1\"\noffset = 0\nconstant = 1\n").unwrap();
        let dac = board.devices.iter().find(|device| device.name == "dac1").unwrap();
        assert_eq!(dac.registers.len(), 1, "one more");
    }

    #[test]
    fn a_device_that_is_inert_gets_registers() {
        let text = "like = \"lm3s6965\"\n[[register]]\ndevice = \"adc0\"\noffset = 0x110\n\
                    constant = 1\n";
        let board = Board::parse(text, "my.toml").unwrap();
        let adc = board.devices.iter().find(|device| device.name == "adc0").unwrap();
        assert_eq!((adc.kind, adc.registers.len()), (DeviceKind::Registers, 1));
        let other = Board::named("lm3s6965").unwrap();
        let other = other.devices.iter().find(|device| device.name == "adc0").unwrap();
        assert_eq!(adc.span(), other.span());
    }

    #[test]
    fn a_register_is_one_of_a_device_that_has_registers() {
        let said = |register: &str| refused(&format!("like = \"stm32f103\"\n{register}"));
        let message = said("register = 3");
        assert!(message.contains("register: is a list of tables"), "{message}");
        let message = said("[[register]]\noffset = 0");
        assert!(message.contains("needs `device`, the name of the device"), "{message}");
        let message = said("[[register]]\ndevice = \"rc\"\noffset = 0");
        assert!(message.contains("the board has no device of the name \"rc\""), "{message}");
        let message = said("[[register]]\ndevice = \"usart1\"\noffset = 0");
        let expected = "register of usart1: the device is a \"stm32-usart\", which does its work";
        assert!(message.contains(expected), "{message}");
    }

    #[test]
    fn what_is_absent_is_named_as_the_board_has_it() {
        let message = refused("like = \"stm32f407\"\nabsent = [\"usart9\"]");
        let expected = "absent: the board has no memory, bridge or device of the name \"usart9\"";
        assert!(message.contains(expected), "{message}");
        let message = refused("like = \"stm32f407\"\nabsent = \"can\"");
        assert!(message.contains("is a list of names: absent = [\"can\", \"dac\"]"), "{message}");
        let message = refused("like = \"stm32f407\"\nabsent = [1]");
        assert!(message.contains("is a list of names"), "{message}");
    }

    #[test]
    fn a_board_that_is_not_there_is_refused_with_those_that_are() {
        let message = refused("like = \"arduino\"");
        let expected = "\"arduino\" is no built-in board with a Cortex-M; a file can be like \
                        lm3s6965, ";
        assert!(message.contains(expected), "{message}");
        assert!(message.contains("my.toml"), "{message}");
    }

    #[test]
    fn a_memory_that_is_not_there_is_refused_with_those_that_are() {
        let message = refused("like = \"stm32f103\"\n[sizes]\nram = 1");
        let expected = "the board has no memory of this name; it has flash, sram, identity";
        assert!(message.contains("sizes: ram") && message.contains(expected), "{message}");
        let message = refused("like = \"stm32f103\"\nsizes = 3");
        assert!(message.contains("is a table: [sizes]"), "{message}");
    }

    #[test]
    fn what_it_says_is_checked_as_in_any_file() {
        let message = refused("like = \"stm32f103\"\npriority_bits = 9");
        assert!(message.contains("priority_bits"), "{message}");
        let message = refused("like = \"stm32f103\"\ncolour = 9");
        assert!(message.contains("colour"), "{message}");
    }
}
