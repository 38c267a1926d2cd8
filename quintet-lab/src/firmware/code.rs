//! Code found by name: functions, also where they are inlined, source files, addresses.
//!
//! This serves questions of the form "is this instruction one of those". The windows of a campaign
//! ask them, and so do places to measure between, which the compiler may have inlined everywhere.

use super::Firmware;
use super::names::answers_to;
use super::symbols::{PlaceError, resolve};
use anyhow::{Context, bail};
use quintet_sim::image::Image;
use std::collections::{BTreeMap, BTreeSet};

/// The most functions that a message suggests.
const SUGGESTIONS: usize = 5;

/// A set of instructions by their addresses.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Code {
    regions: Vec<Region>,
}

/// A section and a bit for each of its halfwords.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Region {
    start: u32,
    bits: Vec<u64>,
}

impl Code {
    /// Finds the instructions of any of the patterns.
    ///
    /// `quintet::` is every function below that path, and `quintet::core::lock::kernel` is one
    /// function, both also where they are inlined. `src/core/lock.rs` and `quintet/src/` are source
    /// files. `0x1a4..0x1c0` and `begin..end` are addresses. Fails for a pattern that finds
    /// nothing.
    pub fn find(firmware: &Firmware, patterns: &[String]) -> anyhow::Result<Self> {
        let patterns: Vec<Pattern> =
            patterns.iter().map(|text| Pattern::parse(firmware, text)).collect::<Result<_, _>>()?;
        let mut used = vec![false; patterns.len()];
        let mut code = Self::default();
        for (start, halfwords) in executable(&firmware.image) {
            let mut region = Region { start, bits: vec![0; halfwords / 64 + 1] };
            for halfword in 0..halfwords {
                let names = Names::at(firmware, start + 2 * halfword as u32);
                for (pattern, used) in patterns.iter().zip(&mut used) {
                    if pattern.means(&names) {
                        region.bits[halfword / 64] |= 1 << (halfword % 64);
                        *used = true;
                    }
                }
            }
            code.regions.push(region);
        }
        match patterns.iter().zip(used).find(|(_, used)| !used) {
            Some((pattern, _)) => bail!(pattern.not_found(firmware)),
            None => Ok(code),
        }
    }

    /// Those behind `start` whose bits are set, one for each halfword.
    #[cfg(test)]
    pub fn at(start: u32, bits: Vec<u64>) -> Self {
        Self { regions: vec![Region { start, bits }] }
    }

    /// Returns `true` if the instruction at `address` is one of them.
    #[inline]
    pub fn contains(&self, address: u32) -> bool {
        self.regions.iter().any(|region| {
            let halfword = (address.wrapping_sub(region.start) / 2) as usize;
            region.bits.get(halfword / 64).is_some_and(|bits| bits >> (halfword % 64) & 1 != 0)
        })
    }
}

/// Returns the beginnings of code, by the sections and within the file, with the numbers of
/// halfwords. There are never more halfwords than in the file, even with a damaged table of
/// sections.
pub fn executable(image: &Image) -> Vec<(u32, usize)> {
    let end = |start: u32, size: u64| u64::from(start) + size;
    let mut ranges = Vec::new();
    for section in image.sections.iter().filter(|section| section.executable) {
        for segment in &image.segments {
            let start = section.address.max(segment.address);
            let section_end = end(section.address, section.size.into());
            let segment_end = end(segment.address, segment.bytes.len() as u64);
            ranges.push((start, section_end.min(segment_end)));
        }
    }
    ranges.sort_unstable();
    let mut behind = 0;
    let mut all = Vec::new();
    for (start, end) in ranges {
        let start = u64::from(start).max(behind);
        if start < end {
            all.push((start as u32, ((end - start) / 2) as usize));
            behind = end;
        }
    }
    all
}

/// Returns `true` if mapping symbols say that data is at an address among code.
pub fn is_data(image: &Image, address: u32) -> bool {
    let behind = image.mapping.partition_point(|mapping| mapping.address <= address);
    behind.checked_sub(1).is_some_and(|last| !image.mapping[last].code)
}

/// Returns the halfword at an address of the running program, as it is in the file.
pub fn halfword(image: &Image, address: u32) -> Option<u16> {
    bytes_at(image, address).map(u16::from_le_bytes)
}

/// The bytes from an address on where the program runs, as they are in the file.
pub fn bytes_at<const N: usize>(image: &Image, address: u32) -> Option<[u8; N]> {
    let is_in = |start: u32, length: usize| (address.wrapping_sub(start) as usize) < length;
    let mut segments = image.segments.iter();
    let segment = segments.find(|segment| is_in(segment.address, segment.bytes.len()))?;
    let at = (address - segment.address) as usize;
    segment.bytes.get(at..at + N)?.try_into().ok()
}

/// The names that belong to an address.
struct Names {
    address: u32,
    functions: Vec<String>,
    files: Vec<String>,
}

impl Names {
    fn at(firmware: &Firmware, address: u32) -> Self {
        let mut names = Self { address, functions: Vec::new(), files: Vec::new() };
        names.functions.extend(firmware.function(address));
        for place in firmware.locate(address) {
            names.functions.extend(place.function);
            names.files.extend(place.file);
        }
        names
    }
}

/// A pattern for code.
enum Pattern {
    Path(String),
    Function(String),
    File(String),
    Addresses { text: String, start: u32, end: u32 },
}

impl Pattern {
    fn parse(firmware: &Firmware, text: &str) -> anyhow::Result<Self> {
        if let Some((start, end)) = text.split_once("..") {
            let place = |part: &str| resolve(&firmware.image, part.trim());
            let context = || format!("the code \"{text}\"");
            let (start, end) =
                (place(start).with_context(context)?, place(end).with_context(context)?);
            return Ok(Self::Addresses { text: text.into(), start, end });
        }
        if text.ends_with("::") {
            return Ok(Self::Path(text.into()));
        }
        let extension = std::path::Path::new(text).extension().and_then(|end| end.to_str());
        let is_source = matches!(extension, Some("rs" | "c" | "h" | "s" | "S" | "cc" | "cpp"));
        if text.contains('/') || is_source {
            return Ok(Self::File(text.into()));
        }
        Ok(Self::Function(text.into()))
    }

    fn means(&self, names: &Names) -> bool {
        match self {
            Self::Path(path) => names.functions.iter().any(|name| is_below(name, path)),
            Self::Function(wanted) => names.functions.iter().any(|name| answers_to(name, wanted)),
            Self::File(path) => names.files.iter().any(|file| is_file(file, path)),
            Self::Addresses { start, end, .. } => (*start..*end).contains(&names.address),
        }
    }

    fn not_found(&self, firmware: &Firmware) -> String {
        let more = match self {
            Self::Path(path) => {
                let words = format!("no function's path begins with \"{path}\"");
                format!("{words}; `quintet size` lists functions{}", if_inlined(firmware, path, ""))
            }
            Self::Function(name) => match resolve(&firmware.image, name) {
                Err(error @ PlaceError::Unknown { .. }) => {
                    let words = error.to_string();
                    format!("{words}{}", if_inlined(firmware, name, &words))
                }
                Err(error) => error.to_string(),
                Ok(address) => format!("\"{name}\" ({address:#x}) is no code of a section"),
            },
            Self::File(path) => format!(
                "no instruction comes from a source file \"{path}\"; it needs debug information \
                 (debug = \"line-tables-only\" in the profile)"
            ),
            Self::Addresses { text, .. } => format!("\"{text}\" holds no executable section"),
        };
        format!("no code found: {more}")
    }
}

/// Says why an existing function may not be found, and what to do. Suggests functions whose paths
/// contain the last part of `wanted`, without those in `said`.
fn if_inlined(firmware: &Firmware, wanted: &str, said: &str) -> String {
    let last = wanted.trim_end_matches("::").rsplit("::").next().unwrap_or(wanted).to_lowercase();
    let (mut has_lines, mut similar) = (false, BTreeSet::new());
    for (start, halfwords) in executable(&firmware.image) {
        for halfword in 0..halfwords {
            let names = Names::at(firmware, start + 2 * halfword as u32);
            has_lines |= !names.files.is_empty();
            let contains = |name: &String| name.to_lowercase().contains(&last);
            similar.extend(names.functions.into_iter().filter(contains));
        }
    }
    let why = if has_lines {
        "if it is inlined everywhere, no instruction of its own is left:"
    } else {
        "if it is inlined, only debug information tells where, and the file has none: build it \
         with debug = \"line-tables-only\" in the profile,"
    };
    let similar = similar.into_iter().filter(|name| !said.contains(name.as_str()));
    let similar = similar.take(SUGGESTIONS).collect::<Vec<_>>().join(", ");
    let others = if similar.is_empty() { "" } else { "; functions that contain the name: " };
    format!("; {why} name the function that calls it, or mark it #[inline(never)]{others}{similar}")
}

/// Returns the functions into which the function `wanted` is inlined, each with the first address
/// there.
pub fn inlined_into(firmware: &Firmware, wanted: &str) -> BTreeMap<String, u32> {
    let mut into = BTreeMap::new();
    for (start, halfwords) in executable(&firmware.image) {
        for halfword in 0..halfwords {
            let names = Names::at(firmware, start + 2 * halfword as u32);
            if let [outer, inner @ ..] = names.functions.as_slice()
                && inner.iter().any(|name| answers_to(name, wanted))
            {
                into.entry(outer.clone()).or_insert(names.address);
            }
        }
    }
    into
}

/// Returns `true` if a function's path begins with `path`, which ends with `::`. The path of
/// `<a::B as c::D>::e` begins with `a::`.
fn is_below(name: &str, path: &str) -> bool {
    name.trim_start_matches(['<', '&', '*']).starts_with(path)
}

/// Returns `true` if `path` is the end of the file's path, or a directory on the way to it.
fn is_file(file: &str, path: &str) -> bool {
    let (file, path) = (format!("/{file}"), format!("/{}", path.trim_start_matches(['.', '/'])));
    if path.ends_with('/') { file.contains(&path) } else { file.ends_with(&path) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quintet_sim::image::{Section, Segment};

    #[test]
    fn there_is_no_more_code_than_the_file_has() {
        let section = |address, size, executable| Section {
            name: ".text".into(),
            address,
            load_address: None,
            size,
            executable,
            writable: false,
        };
        let segment = |address, size: usize| Segment {
            index: 0,
            load_address: 0,
            address,
            bytes: vec![0; size],
            memory_size: 4096,
        };
        let code = |sections: Vec<Section>| {
            let segments = vec![segment(0x100, 512), segment(0x2000_0000, 64)];
            executable(&Image { segments, sections, ..Image::default() })
        };
        assert_eq!(code(vec![section(0x140, 32, true), section(0x180, 32, false)]), [(0x140, 16)]);
        let both = [(0x100, 256), (0x2000_0000, 32)];
        assert_eq!(code(vec![section(0, u32::MAX, true)]), both);
        assert_eq!(code(vec![section(0, u32::MAX, true), section(0x140, 1 << 31, true)]), both);
        let apart = vec![section(0x140, 32, true), section(0x100, 32, true)];
        assert_eq!(code(apart), [(0x100, 16), (0x140, 16)]);
        assert!(code(vec![section(0x300, 32, true), section(0xffff_ffff, 32, true)]).is_empty());
    }

    #[test]
    fn code_holds_the_halfwords_whose_bits_are_set() {
        let code = Code::at(10, vec![0b10_0001, 1]);
        assert!(code.contains(10) && code.contains(20) && !code.contains(12));
        assert!(code.contains(10 + 128) && !code.contains(8) && !code.contains(u32::MAX - 1));
    }

    #[test]
    fn patterns_mean_whole_segments() {
        assert!(is_below("quintet::core::lock", "quintet::"));
        assert!(is_below("<quintet::Channel<T> as Future>::poll", "quintet::"));
        assert!(!is_below("my_quintet::lock", "quintet::"));
        assert!(is_file("quintet/src/core/lock.rs", "lock.rs"));
        assert!(is_file("/src/quintet/src/core/lock.rs", "./quintet/src/"));
        assert!(!is_file("quintet/src/core/clock.rs", "lock.rs"));
        assert!(!is_file("quintet/src2/lock.rs", "quintet/src/"));
    }
}
