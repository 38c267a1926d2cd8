//! A device that the board lacks, as far as its address tells: what is beside it, and a board file
//! in which registers that remember stand for it.

use quintet_sim::board::Board;

/// The size of the block that most chips give a device.
const BLOCK: u32 = 0x400;

/// What to do about an access to an address at which the board has no device.
pub fn advice(board: &Board, address: u32) -> String {
    let neighbour = board.devices.iter().filter(|device| device.base < address);
    let neighbour = neighbour.max_by_key(|device| device.base).map_or(String::new(), |device| {
        format!("; the device below is `{}`, at {}", device.name, in_toml(device.base))
    });
    format!(
        "look at the pointer{neighbour}. A device that the board lacks can stand in a board file \
         of your own, as registers that remember (docs/boards.md); give --board this file:\n\n{}",
        file(board, address)
    )
}

/// The board file: the board and the device, or the device alone where the board is no built-in
/// one.
fn file(board: &Board, address: u32) -> String {
    let (base, size) = free_block(board, address);
    let like = Board::names().any(|name| name == board.name).then(|| {
        format!(
            "like = \"{0}\"\nname = \"my-{0}\"\ndescription = \"{0} with one device more\"\n\n",
            board.name
        )
    });
    let device = format!(
        "[[device]]\nname = \"device\"\nkind = \"registers\"\nbase = {}\nsize = {size:#x}\n",
        in_toml(base)
    );
    let text = like.unwrap_or_default() + &device;
    let lines = text.lines().map(|line| format!("{:6}{line}", "").trim_end().to_owned());
    lines.collect::<Vec<_>>().join("\n")
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
    }
}
