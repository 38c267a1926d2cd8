//! A device that the board lacks, as far as its address tells: what is beside it, and a board file
//! in which registers that remember stand for it.

use quintet_sim::board::{Board, DeviceDescription};

/// The size of the block that most chips give a device.
const BLOCK: u32 = 0x400;
/// A device that begins farther below says nothing about an address.
const NEAR: u32 = 0x1_0000;
/// The block that memory is offered in, and how far from RAM it must be: an address nearer to RAM
/// tells of a stack or an array that has left it.
const PAGE: u32 = 0x1000;
const RAM_START: u32 = 0x2000_0000;
/// Devices, and the words that stand for their bits.
const DEVICES_START: u32 = 0x4000_0000;
const BIT_BAND: u32 = 0x4200_0000;
const BIT_BAND_SIZE: u32 = 0x200_0000;

/// What to do about an access to an address at which the board has no device.
pub fn advice(board: &Board, address: u32) -> String {
    let alias = board.bit_banding.then(|| aliased(address)).flatten();
    let (address, bit) = match alias {
        Some(behind) => (behind, format!(", which stands for a bit at {}", in_toml(behind & !3))),
        None => (address, String::new()),
    };
    let neighbour = board.devices.iter();
    let neighbour =
        neighbour.filter(|device| (1..NEAR).contains(&address.wrapping_sub(device.base)));
    let neighbour = neighbour.max_by_key(|device| device.base).map_or(String::new(), |device| {
        format!("; the device below is `{}`, at {}", device.name, in_toml(device.base))
    });
    format!(
        "look at the pointer{bit}{neighbour}. A device that the board lacks can stand in a board \
         file of your own, as registers that remember (docs/boards.md); {}:\n\n{}",
        how(board),
        file(board, address)
    )
}

/// The address whose bit an address in the bit-band alias of devices stands for (B3.1).
fn aliased(address: u32) -> Option<u32> {
    let offset = address.wrapping_sub(BIT_BAND);
    (offset < BIT_BAND_SIZE).then(|| DEVICES_START + offset / 32)
}

/// What to do with a file, or a part of one.
pub fn how(board: &Board) -> &'static str {
    match is_built_in(board) {
        true => "give --board this file",
        false => "put this into your board file",
    }
}

/// Returns `true` if the board is no file of the user's.
pub fn is_built_in(board: &Board) -> bool {
    let is_chip = || quintet_sim::chips::names().contains(&board.name);
    Board::names().any(|name| name == board.name) || is_chip()
}

/// What to do about a load from an address where a chip may have memory: pages with the
/// manufacturer's data, which start-up code reads, or a boot ROM.
pub fn memory_advice(board: &Board, address: u32) -> Option<String> {
    let page = address - address % PAGE;
    let ranges = board.memory_ranges();
    let is_free = |start: u32, length: u32| {
        let (start, end) = (u64::from(start), u64::from(start) + u64::from(length));
        ranges.iter().all(|one| {
            u64::from(one.start) >= end || u64::from(one.start) + u64::from(one.size) <= start
        })
    };
    let is_far = is_free(page.saturating_sub(NEAR), PAGE + 2 * NEAR);
    if !is_far || address >= RAM_START - NEAR {
        return None;
    }
    let memory = format!(
        "[[memory]]\nname = \"{}\"\nstart = {}\nsize = {PAGE:#x}\nkind = \"flash\"\n\
         port = \"code-shared\"\nwords = [[{:#x}, 0xffff_ffff]]\n",
        free_name(board, "memory"),
        in_toml(page),
        (address % PAGE) & !3
    );
    let text = like(board, "one memory more") + &memory;
    Some(format!(
        "look at the pointer: the board has nothing there. A chip may have memory there that the \
         program cannot write, as its maker's data or a boot ROM; {}, with what the chip has \
         there:\n\n{}",
        how(board),
        indented(&text)
    ))
}

/// A name that nothing on the board has: the word, or the word with a number.
pub fn free_name(board: &Board, word: &str) -> String {
    let devices = board.devices.iter().map(|one| &*one.name);
    let names: Vec<&str> = devices.chain(board.memories.iter().map(|one| &*one.name)).collect();
    let numbered = (2..).map(|number| format!("{word}{number}"));
    let mut all = std::iter::once(word.to_owned()).chain(numbered);
    all.find(|name| !names.contains(&&**name)).unwrap_or_else(|| word.to_owned())
}

/// How a board file begins; empty where the board is a file itself.
fn like(board: &Board, with: &str) -> String {
    if !is_built_in(board) {
        return String::new();
    }
    format!("like = \"{0}\"\nname = \"my-{0}\"\ndescription = \"{0} with {with}\"\n\n", board.name)
}

/// A file as messages show it.
pub fn indented(text: &str) -> String {
    let lines = text.lines().map(|line| format!("{:6}{line}", "").trim_end().to_owned());
    lines.collect::<Vec<_>>().join("\n")
}

/// The board file: the board and the device, or the device alone where the board is no built-in
/// one.
fn file(board: &Board, address: u32) -> String {
    let (base, size) = free_block(board, address);
    let device = format!(
        "[[device]]\nname = \"{}\"\nkind = \"registers\"\nbase = {}\nsize = {size:#x}\n",
        free_name(board, "device"),
        in_toml(base)
    );
    indented(&(like(board, "one device more") + &device))
}

/// The part of a board file that describes a register of a device.
pub fn register_file(board: &Board, device: &DeviceDescription, fields: &str) -> String {
    let name = &device.name;
    if is_built_in(board) {
        let register = format!("[[register]]\ndevice = \"{name}\"\n{fields}");
        return indented(&(like(board, "another register") + &register));
    }
    indented(&format!(
        "# behind the [[device]] with name = \"{name}\"\n[[device.register]]\n{fields}"
    ))
}

/// The block of an address, without what of it other devices have.
fn free_block(board: &Board, address: u32) -> (u32, u32) {
    let address = u64::from(address & !3);
    let block = address - address % u64::from(BLOCK);
    let devices = || board.devices.iter().map(|one| (u64::from(one.base), u64::from(one.reach())));
    let below = devices().map(|(base, reach)| base + reach).filter(|end| *end <= address);
    let above = devices().map(|(base, _)| base).filter(|base| *base > address);
    let start = below.max().unwrap_or(0).max(block);
    let end = above.min().unwrap_or(u64::MAX).min(block + u64::from(BLOCK));
    (start as u32, (end - start) as u32)
}

/// An address as board files have it.
fn in_toml(address: u32) -> String {
    format!("{:#06x}_{:04x}", address >> 16, address & 0xffff)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_one_that_has_the_device() {
        for (name, address) in
            [("stm32f103", 0x4000_7408), ("nrf52840", 0x4003_0004), ("rp2040", 0x5040_0001)]
        {
            let text = file(&Board::named(name).unwrap(), address);
            let board =
                Board::parse(&text, "test").unwrap_or_else(|error| panic!("{text}: {error}"));
            let device = board.devices.iter().find(|device| device.name == "device").unwrap();
            assert!(address - device.base < device.span(), "{text}");
        }
    }

    #[test]
    fn a_block_ends_where_other_devices_begin() {
        let text = "like = \"stm32f103\"\nname = \"b\"\ndescription = \"d\"\n".to_owned();
        let device = |name: &str, base: &str| {
            format!("[[device]]\nname = \"{name}\"\nkind = \"inert\"\nbase = {base}\nsize = 8\n")
        };
        let text = text + &device("one", "0x4000_7400") + &device("two", "0x4000_7420");
        let board = Board::parse(&text, "test").unwrap();
        assert_eq!(free_block(&board, 0x4000_7412), (0x4000_7408, 0x18));
        assert!(!file(&board, 0x4000_7412).contains("like"), "{}", file(&board, 0x4000_7412));
        let says = advice(&board, 0x4000_7412);
        assert!(says.contains("the device below is `one`, at 0x4000_7400"), "{says}");
        assert!(says.contains("put this into your board file:"), "{says}");
    }

    #[test]
    fn a_second_device_has_another_name() {
        let text = file(&Board::named("stm32f103").unwrap(), 0x4000_7408);
        let board = Board::parse(&text, "test").unwrap_or_else(|error| panic!("{text}: {error}"));
        let second = file(&board, 0x4001_8000);
        assert!(second.contains("name = \"device2\""), "{second}");
        let both = format!("{text}\n{second}");
        Board::parse(&both, "test").unwrap_or_else(|error| panic!("{both}: {error}"));
    }

    #[test]
    fn a_device_far_below_is_not_named() {
        let board = Board::named("stm32f429").unwrap();
        let says = advice(&board, 0x4800_0008);
        assert!(!says.contains("the device below") && says.contains("give --board"), "{says}");
    }

    #[test]
    fn a_bit_is_one_of_the_device_that_is_missing() {
        let board = Board::named("lm3s6965").unwrap();
        let says = advice(&board, 0x4390_0100);
        assert!(says.contains("which stands for a bit at 0x400c_8008"), "{says}");
        assert!(says.contains("base = 0x400c_8000"), "{says}");
        // This core has no bit-band regions.
        let says = advice(&Board::named("microbit").unwrap(), 0x4390_0100);
        assert!(says.contains("base = 0x4390_0000"), "{says}");
    }

    #[test]
    fn memory_is_offered_where_a_chip_may_have_some() {
        let board = Board::named("lm3s6965").unwrap();
        let says = memory_advice(&board, 0x0fe0_81fc).unwrap();
        assert!(says.starts_with("look at the pointer: the board has nothing there. A"), "{says}");
        let (_, file) = says.split_once("\n\n").unwrap();
        let made = Board::parse(file, "test").unwrap_or_else(|error| panic!("{file}: {error}"));
        let mut ranges = made.memory_ranges().into_iter();
        assert!(ranges.any(|one| one.contains(0x0fe0_81fc, 4) && !one.writable));
        // Beside flash or RAM, a pointer has left it.
        assert_eq!(memory_advice(&board, 0x0004_0100), None);
        assert_eq!(memory_advice(&board, 0x1fff_fffc), None);
        assert_eq!(memory_advice(&board, 0x2001_0004), None);
    }
}
