//! The header of a process in the image of its kernel, in Tock's binary format. All processes have
//! the same one.

/// Where the first one lies, by `processes.x`.
pub const FLASH: u32 = 0x2_0000;

/// What each takes of the flash, its header included.
pub const SIZE: u32 = 1024;

/// What each has of memory.
pub const MEMORY: u32 = 512;

/// The words of the header: version and size, all of the flash, enabled, a checksum, and where the
/// process begins and what memory it needs.
pub const HEADER: [u32; 8] = {
    const MAIN: u32 = 12 << 16 | 1;
    let mut words = [32 << 16 | 2, SIZE, 1, 0, MAIN, 0, 0, MEMORY];
    let mut index = 0;
    let mut sum = 0;
    while index < words.len() {
        sum ^= words[index];
        index += 1;
    }
    words[3] = sum;
    words
};
