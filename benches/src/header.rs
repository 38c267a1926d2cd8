//! The header of a process in the image of its kernel, in Tock's binary format.

/// Where the first one lies, by `processes.x`: so far behind the beginning of the flash.
pub const FLASH: u32 = if cfg!(quintet_board = "stm32f446") {
    0x802_0000
} else if cfg!(quintet_board = "rp2040") {
    0x1002_0000
} else {
    0x2_0000
};

/// What each takes of the flash, its header included.
pub const SIZE: u32 = 1024;

/// What each has of memory.
pub const MEMORY: u32 = 512;

/// The words of a header with these further entries: version and size, all of the flash, enabled, a
/// checksum, and where the process begins and what memory it needs. The entries lie behind.
pub const fn header(more: &[u32]) -> [u32; 8] {
    const MAIN: u32 = 12 << 16 | 1;
    let size = 32 + 4 * more.len() as u32;
    let mut words = [size << 16 | 2, SIZE, 1, 0, MAIN, 0, 0, MEMORY];
    words[3] = sum(&words) ^ sum(more);
    words
}

const fn sum(words: &[u32]) -> u32 {
    let mut index = 0;
    let mut sum = 0;
    while index < words.len() {
        sum ^= words[index];
        index += 1;
    }
    sum
}
