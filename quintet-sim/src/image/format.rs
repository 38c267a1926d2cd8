//! The formats of firmware files, recognised by their content, and the parts that a board takes of
//! a file with images for several boards.

use super::pieces::without_marks;
use super::{Image, ImageError, elf, hex, srec, uf2};

/// A kind of file.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Format {
    /// Plain bytes, which contain no addresses.
    #[default]
    Raw,
    /// ELF, with sections, symbols and debug information.
    Elf,
    /// Intel HEX, and the universal hex of micro:bit.
    IntelHex,
    /// Motorola S-record.
    SRecord,
    /// UF2.
    Uf2,
}

impl Format {
    /// Returns the format of a file with this content, if the content tells it.
    pub fn of(bytes: &[u8]) -> Option<Self> {
        let text = without_marks(bytes).trim_ascii_start();
        let digits = |from: usize| {
            text.get(from..from + 2).is_some_and(|two| two.iter().all(u8::is_ascii_hexdigit))
        };
        match text {
            _ if bytes.starts_with(elf::MAGIC) => Some(Self::Elf),
            _ if bytes.starts_with(uf2::MAGIC) => Some(Self::Uf2),
            [b':', ..] if digits(1) => Some(Self::IntelHex),
            [b'S', b'0'..=b'9', ..] if digits(2) => Some(Self::SRecord),
            _ => None,
        }
    }

    /// Returns the format's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Raw => "a raw image",
            Self::Elf => "an ELF file",
            Self::IntelHex => "an Intel HEX file",
            Self::SRecord => "an S-record file",
            Self::Uf2 => "a UF2 file",
        }
    }
}

/// Says which parts of a file for several boards are for this board.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Target {
    /// The board's identifiers in universal hex files.
    pub universal_hex: Vec<u16>,
    /// The families of UF2 files that the board takes.
    pub uf2_families: Vec<u32>,
}

impl Image {
    /// Reads a file that contains its load addresses, whatever its format.
    pub fn parse(bytes: &[u8], target: &Target) -> Result<Self, ImageError> {
        match Format::of(bytes) {
            Some(Format::Elf) => elf::parse(bytes),
            Some(Format::IntelHex) => hex::parse(bytes, target),
            Some(Format::SRecord) => srec::parse(bytes),
            Some(Format::Uf2) => uf2::parse(bytes, target),
            _ if bytes.is_empty() => Err(ImageError::Empty),
            _ => Err(ImageError::Unknown { found: beginning(bytes) }),
        }
    }
}

/// The first bytes of a file, for a message.
pub(super) fn beginning(bytes: &[u8]) -> String {
    let found: Vec<String> = bytes.iter().take(4).map(|byte| format!("{byte:02x}")).collect();
    found.join(" ")
}

/// The most identifiers that a message names.
const SHOWN_MAX: usize = 8;

/// Chooses the parts of a file with several images: those with the identifiers in `wanted`, or the
/// only one. `None` in `held` is a part without an identifier.
pub(super) fn choose<T: Copy + Ord + std::fmt::LowerHex>(
    held: &[Option<T>],
    wanted: &[T],
    choice: &Choice<'_, T>,
) -> Result<Option<T>, ImageError> {
    if let Some(id) = wanted.iter().find(|id| held.contains(&Some(**id))) {
        return Ok(Some(*id));
    }
    let name = |id: &Option<T>| match id {
        None => "none".to_owned(),
        Some(id) => match (choice.name)(*id) {
            Some(name) => format!("{id:#x} ({name})"),
            None => format!("{id:#x}"),
        },
    };
    let list = |ids: &[Option<T>]| {
        let shown = ids.iter().take(SHOWN_MAX).map(name).collect::<Vec<_>>().join(", ");
        let more = if ids.len() > SHOWN_MAX { " and others" } else { "" };
        format!("{shown}{more}")
    };
    match held {
        [] => Err(ImageError::Nothing { format: choice.format }),
        [None] => Ok(None),
        [one] if wanted.is_empty() => Ok(*one),
        _ => Err(ImageError::ForOthers {
            what: choice.what,
            held: list(held),
            wanted: list(&wanted.iter().copied().map(Some).collect::<Vec<_>>()),
            field: choice.field,
            example: held.iter().flatten().next().map(|id| format!("{id:#x}")).unwrap_or_default(),
        }),
    }
}

/// The words of a choice.
pub(super) struct Choice<'a, T> {
    /// The file's format.
    pub format: Format,
    /// The kind of the identifiers.
    pub what: &'static str,
    /// The field of the board file that gives the board's identifier.
    pub field: &'static str,
    /// Returns the name of a known identifier.
    pub name: &'a dyn Fn(T) -> Option<&'static str>,
}
