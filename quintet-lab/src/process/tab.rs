//! Tock application bundles (TAB): a tar of the application's files in the Tock binary format, one
//! for each processor or place, and `metadata.toml`.
//!
//! Source: "Tock Application Bundle" in the book of Tock; the output of elf2tab.

use std::io::Read;
use std::path::Path;

use anyhow::{Context, bail, ensure};

use quintet_sim::board::Board;
use quintet_sim::image::{BuiltFor, Image};
use quintet_sim::processor::Architecture;

use super::tbf::Header;
use crate::output;

/// The end of a bundle's name.
pub const EXTENSION: &str = "tab";
/// The file about the bundle.
const METADATA: &str = "metadata.toml";
/// The largest file in a bundle, in bytes.
const FILE_BYTES_MAX: u64 = 64 << 20;
/// The most files in a bundle.
const FILES_MAX: usize = 256;

/// The processors that run code of others, each with those whose code it runs, the best first.
const RUNS: [(&str, &[&str]); 5] = [
    ("cortex-m7", &["cortex-m7", "cortex-m4f", "cortex-m4", "cortex-m3", "cortex-m0"]),
    ("cortex-m4f", &["cortex-m4f", "cortex-m4", "cortex-m3", "cortex-m0"]),
    ("cortex-m33", &["cortex-m33", "cortex-m4", "cortex-m3", "cortex-m0"]),
    ("cortex-m4", &["cortex-m4", "cortex-m3", "cortex-m0"]),
    ("cortex-m3", &["cortex-m3", "cortex-m0"]),
];

/// A bundle.
#[derive(Clone, Debug, Default)]
pub struct Tab {
    /// The application's name; empty without one.
    pub name: String,
    /// The application's files, with their names without `.tbf`.
    pub files: Vec<(String, Vec<u8>)>,
}

/// Returns `true` if a file is a bundle, by the end of its name.
pub fn is_tab(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == EXTENSION)
}

impl Tab {
    /// Reads a bundle.
    pub fn read(bytes: &[u8]) -> anyhow::Result<Self> {
        let what = "it is no bundle of Tock (a tar of .tbf files and metadata.toml)";
        let mut tab = Self::default();
        let mut archive = tar::Archive::new(bytes);
        for (count, entry) in archive.entries().context(what)?.enumerate() {
            ensure!(count < FILES_MAX, "it has more than {FILES_MAX} files");
            let entry = entry.context(what)?;
            let path = entry.path().context(what)?.into_owned();
            ensure!(
                entry.size() <= FILE_BYTES_MAX,
                "{} in it has {} bytes, more than an application has",
                path.display(),
                entry.size()
            );
            let mut content = Vec::new();
            entry.take(FILE_BYTES_MAX).read_to_end(&mut content).context(what)?;
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
            let name = name.unwrap_or_default();
            if name == METADATA {
                let text = String::from_utf8_lossy(&content);
                let table: toml::Table = text.parse().context("its metadata.toml is damaged")?;
                let named = table.get("name").and_then(toml::Value::as_str);
                tab.name = named.unwrap_or_default().to_owned();
            } else if let Some(stem) = name.strip_suffix(".tbf") {
                tab.files.push((stem.to_owned(), content));
            }
        }
        ensure!(!tab.files.is_empty(), "{what}: it has no .tbf file");
        Ok(tab)
    }

    /// Returns the bundle as a file. The same bundle gives the same bytes at any time.
    pub fn write(&self) -> anyhow::Result<Vec<u8>> {
        let mut builder = tar::Builder::new(Vec::new());
        let mut table = toml::Table::new();
        table.insert("tab-version".into(), 1.into());
        table.insert("name".into(), self.name.clone().into());
        table.insert("only-for-boards".into(), "".into());
        let files = self.files.iter().map(|(name, bytes)| (format!("{name}.tbf"), bytes.clone()));
        let metadata = (METADATA.to_owned(), table.to_string().into_bytes());
        for (name, bytes) in std::iter::once(metadata).chain(files) {
            let mut header = tar::Header::new_gnu();
            header.set_size(bytes.len() as u64);
            header.set_mode(0o644);
            builder.append_data(&mut header, &name, bytes.as_slice()).context("the bundle")?;
        }
        builder.into_inner().context("the bundle")
    }

    /// Returns the file for a processor, and for this flash if the files were linked for places.
    /// Without a processor, the bundle must be for one alone.
    pub fn choose(&self, processor: Option<&str>, flash: (u32, u32)) -> anyhow::Result<&[u8]> {
        let of = |(name, _): &&(String, Vec<u8>)| processor_of(name).to_owned();
        let mut all: Vec<String> = self.files.iter().map(|file| of(&file)).collect();
        all.sort();
        all.dedup();
        let wanted: Vec<&str> = match processor {
            Some(name) => RUNS
                .iter()
                .find(|(one, _)| *one == name)
                .map_or(vec![name], |(_, all)| all.to_vec()),
            None => match all.as_slice() {
                [one] => vec![one],
                _ => bail!("it has files for {}: name the processor by --arch", all.join(", ")),
            },
        };
        let mut elsewhere = Vec::new();
        for processor in &wanted {
            for file in self.files.iter().filter(|file| of(file) == *processor) {
                let header = Header::read(&file.1)
                    .with_context(|| format!("cannot read {}.tbf in it", file.0))?;
                let at = header.fixed_flash.map(|fixed| fixed.wrapping_sub(header.protected));
                match at {
                    Some(at) if !(flash.0..flash.1).contains(&at) => elsewhere.push(at),
                    _ => return Ok(&file.1),
                }
            }
        }
        if let Some(first) = elsewhere.first() {
            bail!(
                "its files were linked for other places, the first for {first:#010x}, and \
                 applications lie at {:#010x} to {:#010x}: build it for these",
                flash.0,
                flash.1
            );
        }
        bail!(
            "it has no file for {}, but for {}: build it for that processor",
            wanted.first().unwrap_or(&""),
            all.join(", ")
        );
    }
}

/// The processor in a file's name, which may have addresses behind it.
fn processor_of(name: &str) -> &str {
    name.split_once('.').map_or(name, |(processor, _)| processor)
}

/// The name of a board's processor in bundles.
pub fn processor_of_board(board: &Board) -> &'static str {
    let configuration = board.configuration();
    match configuration.architecture {
        Architecture::V6M => "cortex-m0",
        Architecture::V7M => "cortex-m3",
        Architecture::V7EM if configuration.has_floating_point() => "cortex-m4f",
        Architecture::V7EM => "cortex-m4",
        Architecture::V8M => "cortex-m33",
    }
}

/// The name of the processor that an ELF file was built for.
pub fn processor_of_image(image: &Image) -> &'static str {
    match image.built_for {
        Some(BuiltFor::V6M) => "cortex-m0",
        Some(BuiltFor::V7M) | None => "cortex-m3",
        Some(BuiltFor::V7EM) => "cortex-m4",
        Some(_) => "cortex-m33",
    }
}

/// Returns the name of an application's file in a bundle: the processor, and the addresses that it
/// was linked for.
pub fn file_name(processor: &str, header: &Header) -> String {
    match (header.fixed_flash, header.fixed_memory) {
        (Some(flash), Some(memory)) => {
            let flash = flash.wrapping_sub(header.protected);
            format!("{processor}.{flash:#010x}.{memory:#010x}")
        }
        _ => processor.to_owned(),
    }
}

/// Writes a bundle of one application in the Tock binary format.
pub fn write_one(path: &Path, processor: &str, tbf: &[u8]) -> anyhow::Result<usize> {
    let header = Header::read(tbf)?;
    let name = file_name(processor, &header);
    let tab = Tab { name: header.name, files: vec![(name, tbf.to_vec())] };
    let bytes = tab.write()?;
    output::write(path, &bytes)?;
    Ok(bytes.len())
}

#[cfg(test)]
mod tests {
    use super::super::tbf::Application;
    use super::*;

    const FLASH: (u32, u32) = (0x2_0000, 0x4_0000);

    fn tbf(fixed: Option<u32>) -> Vec<u8> {
        let fixed = fixed.map(|flash| (0x2000_4000, flash));
        Application { name: "a", binary: &[1; 64], entry: 0, memory: 512, fixed, minor: 0 }
            .write(0x80, 512)
    }

    fn tab(files: &[(&str, Option<u32>)]) -> Tab {
        let files = files.iter().map(|(name, fixed)| ((*name).to_owned(), tbf(*fixed))).collect();
        Tab { name: "a".into(), files }
    }

    #[test]
    fn what_was_written_is_read() {
        let written = tab(&[("cortex-m3", None), ("cortex-m4", None)]);
        let bytes = written.write().unwrap();
        assert_eq!(bytes, written.write().unwrap());
        let read = Tab::read(&bytes).unwrap();
        assert_eq!((read.name.as_str(), &read.files), ("a", &written.files));
    }

    #[test]
    fn the_processor_and_the_place_choose_the_file() {
        let places = [("cortex-m4.0x1.0x2", Some(0x1_0080)), ("cortex-m4.0x3.0x4", Some(0x2_0280))];
        let all = tab(&[places[0], places[1], ("cortex-m0", None)]);
        let flash = |tab: &Tab, processor| {
            let bytes = tab.choose(processor, FLASH).map_err(|error| format!("{error:#}"))?;
            Ok::<_, String>(Header::read(bytes).unwrap().fixed_flash)
        };
        assert_eq!(flash(&all, Some("cortex-m4f")), Ok(Some(0x2_0280)));
        assert_eq!(flash(&all, Some("cortex-m3")), Ok(None));
        let several = flash(&all, None).unwrap_err();
        assert!(several.contains("for cortex-m0, cortex-m4: name the processor by --arch"));
        let other = flash(&tab(&places[..1]), Some("cortex-m4")).unwrap_err();
        assert!(other.contains("the first for 0x00010000"), "{other}");
        let other = flash(&tab(&places), Some("rv32imac")).unwrap_err();
        assert!(other.contains("no file for rv32imac, but for cortex-m4"), "{other}");
    }

    #[test]
    fn what_is_no_bundle_is_refused() {
        let said = |bytes: &[u8]| format!("{:#}", Tab::read(bytes).unwrap_err());
        assert!(said(b"").contains("it has no .tbf file"), "{}", said(b""));
        assert!(said(&[1; 2000]).contains("it is no bundle of Tock"), "{}", said(&[1; 2000]));
        let mut cut = tab(&[("cortex-m3", None)]).write().unwrap();
        cut.truncate(1200);
        assert!(said(&cut).contains("it is no bundle of Tock"), "{}", said(&cut));
    }
}
