//! What the compiler wrote down about the firmware: lines and functions by address, and how to unwind.
//!
//! Everything here is best effort: firmware without DWARF, or with damaged DWARF, gives fewer answers, never
//! an error.

pub mod backtrace;
mod unwind;

use crate::firmware::symbols::demangle;
use gimli::{DebugFrame, Dwarf, EndianArcSlice, LittleEndian, Section};
use object::{Object, ObjectSection};
use std::sync::Arc;

type Reader = EndianArcSlice<LittleEndian>;

/// A function and a line of source.
#[derive(Clone, PartialEq, Eq, Debug, Default, serde::Serialize)]
pub struct Place {
    /// The function's path, demangled.
    pub function: Option<String>,
    /// The source file.
    pub file: Option<String>,
    /// The line in it.
    pub line: Option<u32>,
    /// Whether the function was inlined into the next place's.
    pub inlined: bool,
}

/// The debug information of one firmware file.
pub struct DebugInfo {
    context: Option<addr2line::Context<Reader>>,
    frames: DebugFrame<Reader>,
}

impl DebugInfo {
    /// Reads the DWARF sections of an ELF file; of anything else, nothing.
    pub fn load(bytes: &[u8]) -> Self {
        let file = object::File::parse(bytes).ok();
        let section = |name: &str| -> Reader {
            let data = file.as_ref().and_then(|file| file.section_by_name(name)?.data().ok());
            EndianArcSlice::new(Arc::from(data.unwrap_or_default()), LittleEndian)
        };
        let dwarf = Dwarf::load(|id| Ok::<_, gimli::Error>(section(id.name())));
        let context = dwarf.and_then(addr2line::Context::from_dwarf).ok();
        let mut frames = DebugFrame::from(section(DebugFrame::<Reader>::section_name()));
        frames.set_address_size(4);
        Self { context, frames }
    }

    /// The functions and lines at `address`, the innermost inlined function first. Empty when unknown.
    pub fn locate(&self, address: u32) -> Vec<Place> {
        let Some(context) = &self.context else { return Vec::new() };
        let Ok(mut frames) = context.find_frames(u64::from(address)).skip_all_loads() else {
            return Vec::new();
        };
        let mut places = Vec::new();
        while let Ok(Some(frame)) = frames.next() {
            let function = frame.function.as_ref().and_then(|name| name.raw_name().ok());
            let location = frame.location.as_ref();
            places.push(Place {
                function: function.map(|name| demangle(&name)),
                file: location.and_then(|location| location.file).map(shorten),
                line: location.and_then(|location| location.line),
                inlined: true,
            });
        }
        if let Some(last) = places.last_mut() {
            last.inlined = false;
        }
        places
    }
}

/// A path as a reader wants it: relative to the working directory where it lies inside.
fn shorten(file: &str) -> String {
    let directory = std::env::current_dir().unwrap_or_default();
    match std::path::Path::new(file).strip_prefix(directory) {
        Ok(relative) => relative.display().to_string(),
        Err(_) => file.to_owned(),
    }
}
