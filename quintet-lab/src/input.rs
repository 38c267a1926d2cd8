//! Reads the user's files, within bounds: a file may be anything, even endless.

use anyhow::Context;
use quintet_sim::files;
use std::path::Path;

/// The largest firmware file, in bytes: nearly all of it is debug information.
const FIRMWARE_BYTES_MAX: u64 = 512 << 20;

/// The most that is read of a standard input, the command's or firmware's, in bytes.
const STDIN_BYTES_MAX: u64 = 256 << 20;

/// The bytes of a firmware file.
pub fn firmware(path: &Path) -> anyhow::Result<Vec<u8>> {
    let read = files::read(path, FIRMWARE_BYTES_MAX);
    read.with_context(|| format!("cannot read {}", path.display()))
}

/// Returns the bytes of a file that firmware reads; `-` is this command's standard input.
///
/// The function reads all of it, because a run must not depend on the time at which bytes arrive.
pub fn standard_input(path: &Path) -> anyhow::Result<Vec<u8>> {
    if path == Path::new("-") {
        let read = files::read_from(std::io::stdin(), STDIN_BYTES_MAX);
        return read.context("cannot read the standard input");
    }
    let read = files::read(path, STDIN_BYTES_MAX);
    read.with_context(|| format!("cannot read {}", path.display()))
}
