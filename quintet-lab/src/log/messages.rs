//! The messages of a firmware that logs with defmt: their table in the ELF file, and the table's
//! errors.

use super::shape::{Flaw, Formats};
use crate::debug::Place;
use defmt_decoder::{DEFMT_VERSIONS, Encoding, Locations, Table};
use defmt_parser::Level;
use object::{Object, ObjectSection, ObjectSymbol};
use serde::Deserialize;
use std::cell::{Cell, OnceCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

/// The beginning of the symbol that names the version; LLD keeps a quote in front of it.
const VERSION: &str = "_defmt_version_ = ";

/// The defmt messages in a firmware file.
pub enum Defmt {
    /// The file has none.
    Absent,
    /// They can be decoded.
    Messages(Box<Messages>),
    /// They cannot, for this reason.
    Unusable(String),
}

/// The table.
pub struct Messages {
    table: Table,
    formats: Formats,
    locations: OnceCell<Locations>,
}

/// A message in words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Message {
    /// `trace` to `error`; `None` for `println!`.
    pub level: Option<&'static str>,
    /// The firmware's own time, in its format.
    pub timestamp: Option<String>,
    /// The message's text.
    pub text: String,
    /// The message's index.
    pub index: u64,
}

/// The name of a symbol in the table, which is JSON.
#[derive(Deserialize)]
struct Entry {
    tag: String,
    data: String,
}

impl Defmt {
    /// Looks for the table in an ELF file; anything else has none.
    pub fn open(bytes: &[u8]) -> Self {
        let Ok(file) = object::File::parse(bytes) else { return Self::Absent };
        let is_table = |name: &str| name == ".defmt" || name.starts_with(".defmt.");
        let has_table = file.sections().any(|section| section.name().is_ok_and(is_table));
        let mut versions: Vec<&str> =
            file.symbols().filter_map(|symbol| version(&symbol)).collect();
        versions.sort_unstable();
        versions.dedup();
        match (has_table, versions.as_slice()) {
            (false, []) => return Self::Absent,
            (false, _) => return Self::Unusable(NO_TABLE.into()),
            (true, []) => return Self::Unusable(STRIPPED.into()),
            (true, [version]) if DEFMT_VERSIONS.contains(version) => {}
            (true, [version]) => return Self::Unusable(other_version(version)),
            (true, several) => {
                let all = several.join(" and ");
                return Self::Unusable(format!(
                    "it links crates of defmt with different wire formats ({all}); `cargo tree \
                     --invert defmt` shows which crates ask for each"
                ));
            }
        }
        let table = guarded(|| Table::parse(bytes).map_err(|error| format!("{error:#}")));
        match table.unwrap_or_else(|| Err("the table is damaged".into())) {
            Ok(Some(table)) => Self::Messages(Box::new(Messages {
                table,
                formats: formats(&file),
                locations: OnceCell::new(),
            })),
            Ok(None) => Self::Absent,
            Err(error) => Self::Unusable(format!("the decoder says: {error}")),
        }
    }
}

const NO_TABLE: &str = "it has no section .defmt; link it with `-C link-arg=-Tdefmt.x`";

const STRIPPED: &str = "its symbols, which are the table of messages, were stripped; run the file \
                        that the linker made, and leave `strip` out of the profile";

fn other_version(version: &str) -> String {
    format!(
        "its version of defmt has the wire format {version}, and this command knows {}; a version \
         of defmt with one of those works, or a newer version of this command",
        DEFMT_VERSIONS.join(" and ")
    )
}

fn version<'a>(symbol: &object::Symbol<'a, '_>) -> Option<&'a str> {
    let name = symbol.name().ok()?;
    let name = name.strip_prefix('"').unwrap_or(name);
    Some(name.strip_prefix(VERSION)?.trim_end_matches('"'))
}

/// The format strings, as [`Table`] has them too, but doesn't show them.
fn formats(file: &object::File<'_>) -> Formats {
    let mut formats = Formats::default();
    for symbol in file.symbols() {
        let section = symbol.section_index().and_then(|index| file.section_by_index(index).ok());
        let name = section.as_ref().and_then(|section| section.name().ok()).unwrap_or_default();
        if !name.starts_with(".defmt") {
            continue;
        }
        let entry = symbol.name().ok().and_then(|name| serde_json::from_str::<Entry>(name).ok());
        let Some(Entry { tag, data }) = entry else { continue };
        let is_message = match tag.strip_prefix("defmt_") {
            Some("trace" | "debug" | "info" | "warn" | "error") => true,
            // The decoder takes these for messages without a level. It takes parts for such
            // messages too.
            Some("println") => true,
            Some("timestamp") => {
                formats.timestamp = Some(data);
                continue;
            }
            Some("bitflags_value") | None => continue,
            Some(_) => false,
        };
        if let Ok(index) = u16::try_from(symbol.address()) {
            formats.strings.insert(index, (data, is_message));
        }
    }
    formats
}

impl Messages {
    /// Returns `true` if frames are delimited by zeros, and encoded.
    pub fn is_encoded(&self) -> bool {
        self.table.encoding() == Encoding::Rzcobs
    }

    /// The message that the bytes begin with, and how many they are.
    pub fn decode(&self, bytes: &[u8]) -> Result<(Message, usize), Flaw> {
        let length = guarded(|| self.formats.measure(bytes)).unwrap_or(Err(Flaw::Other))?;
        let frame = bytes.get(..length).ok_or(Flaw::Short)?;
        let decoded = guarded(|| {
            let (frame, _) = self.table.decode(frame).ok()?;
            Some(Message {
                level: frame.level().map(Level::as_str),
                timestamp: frame.display_timestamp().map(|time| time.to_string()),
                text: frame.display_message().to_string(),
                index: frame.index(),
            })
        });
        decoded.flatten().map(|message| (message, length)).ok_or(Flaw::Other)
    }

    /// Returns a message's place in the source; `None` if the debug information of `bytes`, the ELF
    /// file, doesn't contain it.
    pub fn location(&self, index: u64, bytes: &[u8]) -> Option<Place> {
        let read = || guarded(|| self.table.get_locations(bytes).ok()).flatten();
        let locations = self.locations.get_or_init(|| read().unwrap_or_default());
        let location = locations.get(&index)?;
        Some(Place {
            function: Some(location.module.clone()),
            file: Some(location.file.display().to_string()),
            line: u32::try_from(location.line).ok(),
            ..Place::default()
        })
    }
}

thread_local! {
    /// `true` while a panic of this thread is caught and prints nothing.
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Calls the decoder, which panics at some unexpected bytes. Returns `None` then.
fn guarded<T>(call: impl FnOnce() -> T) -> Option<T> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let others = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if !GUARDED.get() {
                others(panic);
            }
        }));
    });
    let before = GUARDED.replace(true);
    let result = catch_unwind(AssertUnwindSafe(call));
    GUARDED.set(before);
    result.ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_of_the_decoder_is_no_panic_of_the_command() {
        assert_eq!(guarded(|| 7), Some(7));
        assert_eq!(guarded(|| -> u32 { std::panic::panic_any("as the decoder may") }), None);
        assert!(!GUARDED.get());
    }

    #[test]
    fn what_is_no_elf_file_has_no_messages() {
        assert!(matches!(Defmt::open(b"text"), Defmt::Absent));
    }
}
