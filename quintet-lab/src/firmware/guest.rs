//! Programs that run beside the firmware, as the applications of processes do: their names and
//! their debug information become part of the firmware's.
//!
//! Only code is taken over. The firmware's own names come first where somebody asks by name.

use std::path::{Path, PathBuf};

use anyhow::Context;
use quintet_sim::image::{Guest, Mapping, Section, Symbol};

use super::Firmware;
use crate::debug::DebugInfo;
use crate::process::pack::image_of;

/// Where a program lies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// The first address of its flash, and the address behind.
    pub flash: (u32, u32),
    /// How much higher its code lies than it was linked for; wraps around.
    pub by: u32,
    /// The same of its variables, if it is known before the kernel runs.
    pub variables_by: Option<u32>,
}

/// A program whose names are known.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Named {
    /// Its ELF file.
    pub file: PathBuf,
    /// Where each section is in memory.
    pub sections: Vec<(String, u32)>,
}

impl Named {
    /// The command by which GDB takes the program's names.
    pub fn gdb_command(&self) -> String {
        let sections = self.sections.iter();
        let sections: String =
            sections.map(|(name, address)| format!(" -s {name} {address:#x}")).collect();
        format!("add-symbol-file {}{sections}", self.file.display())
    }
}

impl Firmware {
    /// Adds the names and the debug information of a program, whose bytes are loaded already.
    pub fn add_guest(&mut self, file: &Path, bytes: &[u8], place: Place) -> anyhow::Result<()> {
        let name = || format!("cannot read the names in {}", file.display());
        let guest = image_of(bytes).with_context(name)?;
        let (begin, end) = place.flash;
        let moved = |address: u32| {
            let address = address.wrapping_add(place.by);
            (begin..end).contains(&address).then_some(address)
        };
        let section = |section: &Section| {
            let address = match moved(section.address) {
                Some(address) => address,
                None => section.address.wrapping_add(place.variables_by?),
            };
            Some((section.name.clone(), address))
        };
        let sections = guest.sections.iter().filter(|section| section.size > 0);
        let sections = sections.filter_map(section).collect();
        self.guests.push(Named { file: file.to_owned(), sections });
        let image = &mut self.image;
        image.sections.extend(guest.sections.into_iter().filter_map(|section| {
            let is_code = section.executable && !section.writable;
            let address = moved(section.address).filter(|_| is_code)?;
            let size = section.size.min(end - address);
            Some(Section { address, load_address: Some(address), size, ..section })
        }));
        image.symbols.extend(guest.symbols.into_iter().filter_map(|symbol| {
            let address = moved(symbol.address).filter(|_| !symbol.absolute)?;
            Some(Symbol { address, ..symbol })
        }));
        image.symbols.sort_by_key(|symbol| symbol.address);
        image.mapping.extend(guest.mapping.into_iter().filter_map(|mark| {
            let address = moved(mark.address)?;
            Some(Mapping { address, ..mark })
        }));
        image.mapping.sort_by_key(|mark| mark.address);
        let entry = guest.entry.unwrap_or_default().wrapping_add(place.by) & !1;
        image.guests.push(Guest { begin, end, entry });
        self.debug.add_moved(DebugInfo::load(bytes), place.flash, place.by);
        Ok(())
    }
}
