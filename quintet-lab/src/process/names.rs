//! Names for applications in flash: which ELF file an application was made from, and where its code
//! lies. So the commands know its functions and lines as they know the kernel's.
//!
//! The first function tells how far the code was moved: its address stands in the ELF file, and in
//! the header in flash. Then most of the code must be the same. Not all of it is: an application
//! that was moved to its place has other addresses in it than its file.

use std::path::{Path, PathBuf};

use anyhow::{bail, ensure};
use quintet_sim::image::Image;

use super::pack::image_of;
use super::tbf::Header;
use crate::firmware::Firmware;
use crate::firmware::guest::Place;
use crate::input;

/// Of so many bytes of code ...
const OF: u64 = 4;
/// ... so many must be the same.
const SAME: u64 = 3;

/// An application that lies in flash.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InFlash {
    /// The address of its header.
    pub address: u32,
    /// What the header says.
    pub header: Header,
}

/// An ELF file with names.
#[derive(Debug)]
pub struct Names {
    /// The file.
    pub file: PathBuf,
    /// The file's content.
    pub bytes: Vec<u8>,
    /// `true` if the user has named the file: it must fit an application then.
    pub is_asked_for: bool,
}

impl InFlash {
    /// The address behind the application.
    pub fn end(&self) -> u32 {
        self.address.saturating_add(self.header.total_size)
    }

    /// Returns `true` if an address lies in the application.
    pub fn contains(&self, address: u32) -> bool {
        (self.address..self.end()).contains(&address)
    }
}

/// Returns the applications that an image has in this flash, without padding.
pub fn in_flash(image: &Image, (begin, end): (u32, u32)) -> Vec<InFlash> {
    let mut found = Vec::new();
    let mut address = begin;
    while address < end {
        let Some(rest) = loaded(image, address) else { break };
        let rest = &rest[..rest.len().min((end - address) as usize)];
        let Ok(header) = Header::read(rest) else { break };
        let behind = address.saturating_add(header.total_size);
        if header.entry.is_some() {
            found.push(InFlash { address, header });
        }
        address = behind;
    }
    found
}

/// Gives names to the applications in a kernel's flash. Each file names the applications that were
/// made from it.
pub fn add(kernel: &mut Firmware, flash: (u32, u32), all: &[Names]) -> anyhow::Result<()> {
    let applications = in_flash(&kernel.image, flash);
    let mut has_names = vec![false; applications.len()];
    for Names { file, bytes, is_asked_for } in all {
        let image = match image_of(bytes) {
            Ok(image) => image,
            Err(error) if *is_asked_for => bail!("cannot use {}: {error}", file.display()),
            Err(_) => continue,
        };
        let mut fits_any = false;
        for (application, has_names) in applications.iter().zip(&mut has_names) {
            let Some(place) = place(&kernel.image, application, &image) else { continue };
            fits_any = true;
            if !std::mem::replace(has_names, true) {
                kernel.add_guest(file, bytes, place)?;
            }
        }
        ensure!(fits_any || !is_asked_for, refusal(file, &applications));
    }
    Ok(())
}

/// Why no application was made from this file.
fn refusal(file: &Path, applications: &[InFlash]) -> String {
    let names: Vec<_> = applications.iter().map(|one| one.header.name.as_str()).collect();
    let file = file.display();
    if names.is_empty() {
        return format!(
            "{file} has names for an application, and the kernel's flash has none: put one there \
             by --process FILE"
        );
    }
    format!(
        "{file} has other code than {}: name the ELF file that the application was made from, or \
         make the application anew",
        names.join(", ")
    )
}

/// Returns where the program of an ELF file lies, if the application was made from it.
fn place(kernel: &Image, application: &InFlash, elf: &Image) -> Option<Place> {
    let entry = application.address.wrapping_add(application.header.entry?);
    let by = entry.wrapping_sub(elf.entry? & !1);
    let flash = (application.address, application.end());
    let (mut same, mut all) = (0, 0);
    for section in elf.sections.iter().filter(|section| section.executable) {
        let linked = section.load_address.unwrap_or(section.address);
        let own = loaded(elf, linked)?;
        let own = &own[..own.len().min(section.size as usize)];
        let there = linked.wrapping_add(by);
        let is_inside = (flash.0..flash.1).contains(&there)
            && u64::from(there) + own.len() as u64 <= u64::from(flash.1);
        let there = loaded(kernel, there).filter(|_| is_inside)?;
        all += own.len() as u64;
        same += own.iter().zip(there).filter(|(one, other)| one == other).count() as u64;
    }
    (all > 0 && same * OF >= all * SAME).then(|| {
        let variables = elf.sections.iter().filter(|section| section.ram_bytes() > 0);
        let linked = variables.map(|section| section.address).min();
        let variables_by = application
            .header
            .fixed_memory
            .zip(linked)
            .map(|(now, linked)| now.wrapping_sub(linked));
        Place { flash, by, variables_by }
    })
}

/// Returns the loaded bytes from an address on, to the end of their segment.
fn loaded(image: &Image, address: u32) -> Option<&[u8]> {
    image.segments.iter().find_map(|segment| {
        let offset = address.checked_sub(segment.load_address)? as usize;
        segment.bytes.get(offset..).filter(|rest| !rest.is_empty())
    })
}

/// Returns the ELF files that lie beside an application's file, where `quintet pack` and Tock's
/// tools leave them: `NAME.elf` or `NAME` for `NAME.tbf`.
pub fn beside(file: &Path) -> Vec<Names> {
    let all = [file.with_extension("elf"), file.with_extension("")].into_iter();
    all.filter(|beside| beside != file && beside.is_file())
        .filter_map(|file| {
            Some(Names { bytes: input::firmware(&file).ok()?, file, is_asked_for: false })
        })
        .filter(|names| Image::is_elf(&names.bytes))
        .collect()
}
