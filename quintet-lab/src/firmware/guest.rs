//! Programs that run beside the firmware, as the applications of processes do: their names and
//! their debug information become part of the firmware's.
//!
//! Only code is taken over. The firmware's own names come first where somebody asks by name.

use std::path::Path;

use anyhow::Context;
use quintet_sim::image::{Guest, Image, Mapping, Section, Symbol};

use super::Firmware;
use crate::debug::DebugInfo;

/// Where a program lies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// The first address of its flash, and the address behind.
    pub flash: (u32, u32),
    /// How much higher its code lies than it was linked for; wraps around.
    pub by: u32,
}

impl Firmware {
    /// Adds the names and the debug information of a program, whose bytes are loaded already.
    pub fn add_guest(&mut self, file: &Path, bytes: &[u8], place: Place) -> anyhow::Result<()> {
        let name = || format!("cannot read the names in {}", file.display());
        let guest = Image::parse_elf(bytes).with_context(name)?;
        let (begin, end) = place.flash;
        let moved = |address: u32| {
            let address = address.wrapping_add(place.by);
            (begin..end).contains(&address).then_some(address)
        };
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
