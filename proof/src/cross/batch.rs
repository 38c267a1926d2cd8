//! Images of many cases, and the records that come back.

use std::path::Path;

use anyhow::{Context, Result, ensure};

use super::Subset;
use super::generate::{Case, SLOT, SLOTS, code_address};
use crate::firmware;

/// The words of a record.
pub const RECORD_WORDS: usize = 57;
/// Behind the last case there is memory, so that a load relative to PC finds some.
const TAIL: usize = 4096;

/// The results of a case.
pub type Record = [u32; RECORD_WORDS];

/// The name of each word of a record.
pub const NAMES: [&str; RECORD_WORDS] = [
    "R0",
    "R1",
    "R2",
    "R3",
    "R4",
    "R5",
    "R6",
    "R7",
    "R8",
    "R9",
    "R10",
    "R11",
    "R12",
    "LR",
    "PC",
    "xPSR",
    "frame",
    "exception",
    "masks",
    "CFSR",
    "HFSR",
    "BFAR",
    "memory",
    "case",
    "FPSCR",
    "S0",
    "S1",
    "S2",
    "S3",
    "S4",
    "S5",
    "S6",
    "S7",
    "S8",
    "S9",
    "S10",
    "S11",
    "S12",
    "S13",
    "S14",
    "S15",
    "S16",
    "S17",
    "S18",
    "S19",
    "S20",
    "S21",
    "S22",
    "S23",
    "S24",
    "S25",
    "S26",
    "S27",
    "S28",
    "S29",
    "S30",
    "S31",
];

/// The harness for `subset`, without cases.
pub fn harness(subset: Subset) -> Result<Vec<u8>> {
    let target = match subset {
        Subset::V6M => "thumbv6m-none-eabi",
        Subset::V7M => "thumbv7m-none-eabi",
        Subset::V7EM => "thumbv7em-none-eabi",
    };
    firmware::flatten(&firmware::build("harness", target)?, 0x4000)
}

/// The harness with `cases` in the slots from `first` on.
pub fn image(harness: &[u8], first: u32, cases: &[Case]) -> Result<Vec<u8>> {
    let end = SLOTS + (first + cases.len() as u32) * SLOT;
    let mut image = harness.to_vec();
    image.resize(end as usize + TAIL, 0);
    put(&mut image, 0x4000, &[first, cases.len() as u32]);
    for (slot, case) in (first..).zip(cases) {
        let start = (SLOTS + slot * SLOT) as usize;
        put(&mut image, start, &descriptor(case, code_address(slot)));
        let mut code = case.code.clone();
        code.push(0xDF00);
        let bytes: Vec<u8> = code.iter().flat_map(|half| half.to_le_bytes()).collect();
        let at = code_address(slot) as usize;
        ensure!(at + bytes.len() <= start + SLOT as usize, "case too long for its slot");
        image[at..at + bytes.len()].copy_from_slice(&bytes);
    }
    Ok(image)
}

fn put(image: &mut [u8], at: usize, words: &[u32]) {
    for (index, word) in words.iter().enumerate() {
        image[at + 4 * index..at + 4 * index + 4].copy_from_slice(&word.to_le_bytes());
    }
}

/// The harness's `Descriptor`: frame, stacked registers, R8 to R11 and R4 to R7, and the rest.
fn descriptor(case: &Case, code: u32) -> Vec<u32> {
    // The return drops the aligning word only when STKALIGN is set (B1.5.7).
    let aligning = case.configuration & 1 << 9 != 0 && case.stack & 4 != 0;
    let frame = case.stack - if aligning { 36 } else { 32 };
    let status = case.flags | 1 << 24 | u32::from(aligning) << 9;
    let r = &case.registers;
    let mut words = vec![frame, r[0], r[1], r[2], r[3], r[12], r[13], code, status];
    words.extend_from_slice(&r[8..12]);
    words.extend_from_slice(&r[4..8]);
    words.extend([case.pattern, u32::from(case.unprivileged), case.configuration, case.faults]);
    words
}

/// Returns the records in an image's output.
pub fn records(output: &[u8]) -> Vec<Record> {
    let word = |bytes: &[u8]| bytes.try_into().map_or(0, u32::from_le_bytes);
    output
        .chunks_exact(4 * RECORD_WORDS)
        .map(|chunk| {
            let mut record = [0; RECORD_WORDS];
            for (slot, bytes) in record.iter_mut().zip(chunk.chunks_exact(4)) {
                *slot = word(bytes);
            }
            record
        })
        .collect()
}

/// Writes an image to a file for QEMU.
pub fn save(image: &[u8], path: &Path) -> Result<()> {
    std::fs::create_dir_all(path.parent().context("a file in a directory")?)?;
    std::fs::write(path, image).with_context(|| format!("writing {}", path.display()))
}
