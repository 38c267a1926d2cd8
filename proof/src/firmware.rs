//! Builds firmware, that of `quintet-sim/tests/firmware` above all, and reads the result.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use quintet_lab::toolchain::{self, Setup};

/// The root of the tree.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Returns the directory of firmware builds: inside the host's own output, so that `cargo clean`
/// removes it.
pub fn output() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR");
    target.map_or_else(|| root().join("target"), PathBuf::from).join("firmware")
}

/// Builds `package` for `target` in the release profile. Returns the ELF file.
///
/// Cargo does nothing if the build is up to date, and two builds at once wait for each other.
pub fn build(package: &str, target: &str) -> Result<PathBuf> {
    let directory = root().join("quintet-sim/tests/firmware");
    Ok(build_in(&directory, &["--package", package], target)?.join(package))
}

/// Builds a workspace of firmware for `target` in the release profile. `arguments` select packages.
/// Returns the directory of the ELF files.
pub fn build_in(directory: &Path, arguments: &[&str], target: &str) -> Result<PathBuf> {
    build_with(directory, arguments, target, &[])
}

/// The same with flags of the compiler.
pub fn build_with(
    directory: &Path,
    arguments: &[&str],
    target: &str,
    flags: &[&str],
) -> Result<PathBuf> {
    let setup = Setup { workspace: directory, target, profile: "release", flags };
    let status = toolchain::cargo(&setup)?
        .args(["build", "--quiet", "--release", "--locked", "--target", target])
        .args(arguments)
        .arg("--target-dir")
        .arg(output())
        .status()
        .context("cargo could not be started")?;
    let name = directory.display();
    ensure!(status.success(), "building {name} {} for {target} failed", arguments.join(" "));
    Ok(output().join(target).join("release"))
}

/// Returns the bytes that an ELF file puts into memory below `limit`, from address 0. Gaps are
/// zeros.
///
/// This is a reader of its own, because the simulator's reader is under test here.
pub fn flatten(path: &Path, limit: u32) -> Result<Vec<u8>> {
    let file = std::fs::read(path).with_context(|| format!("reading {}", path.display()))?;
    let word = |at: usize| -> Result<u32> {
        let bytes = file.get(at..at + 4).context("the ELF file ends early")?;
        Ok(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    };
    ensure!(file.starts_with(b"\x7FELF\x01\x01"), "{} is no 32-bit ELF file", path.display());
    let table = word(28)? as usize;
    let (size, count) = (word(42)? & 0xFFFF, word(42)? >> 16);
    let mut image = Vec::new();
    for index in 0..count as usize {
        let header = table + index * size as usize;
        let (kind, offset, address) = (word(header)?, word(header + 4)?, word(header + 12)?);
        let length = word(header + 16)? as usize;
        if kind != 1 || length == 0 || address >= limit {
            continue;
        }
        let end = address as usize + length;
        if image.len() < end {
            image.resize(end, 0);
        }
        let Some(bytes) = file.get(offset as usize..offset as usize + length) else {
            bail!("a segment of {} lies outside the file", path.display());
        };
        image[address as usize..end].copy_from_slice(bytes);
    }
    Ok(image)
}
