//! Putting applications into the flash that a kernel has for them, one behind the other.

use super::names::InFlash;
use super::pack::{self, Wishes};
use super::relocate::Movable;
use super::tbf::{Header, PADDING_LEAST, padding};
use crate::debug::DebugInfo;
use crate::firmware::Firmware;
use anyhow::{Context, bail, ensure};
use quintet_sim::board::Board;
use quintet_sim::image::Image;
use std::path::PathBuf;

/// The kernel's symbol with the place of its applications, and the place behind them.
const SYMBOL: &str = "__QUINTET_PROCESSES";

/// The least memory that a process has, in bytes.
const MEMORY_LEAST: u32 = 128;
/// The smallest region of the memory protection unit, and the smallest that consists of eighths.
const REGION_LEAST: u32 = 32;
const REGION_IN_EIGHTHS: u32 = 256;

/// An application: the name of its file, and the file's content.
pub struct Application<'a> {
    /// For messages.
    pub file: &'a str,
    /// The file's content.
    pub bytes: &'a [u8],
}

/// The room for applications: the first address, and the address behind the last.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Room {
    /// In flash.
    pub flash: (u32, u32),
    /// In memory.
    pub memory: (u32, u32),
}

/// Returns the flash of a kernel's applications: the first address, and the address behind.
pub fn flash(kernel: &Image) -> anyhow::Result<(u32, u32)> {
    range(kernel, 0)
}

/// The room that a kernel has for applications.
pub fn room(kernel: &Image) -> anyhow::Result<Room> {
    Ok(Room { flash: range(kernel, 0)?, memory: range(kernel, 8)? })
}

/// A range that the kernel names, so many bytes behind the symbol.
fn range(kernel: &Image, offset: u32) -> anyhow::Result<(u32, u32)> {
    let symbol = kernel.symbol(SYMBOL).with_context(|| {
        format!(
            "the kernel has no processes: it lacks {SYMBOL}, which `quintet::processes!` defines"
        )
    })?;
    let words = [0, 4].map(|at| kernel.initial_word(symbol.address.wrapping_add(offset + at)));
    match words {
        [Some(begin), Some(end)] if begin < end => Ok((begin, end)),
        _ => bail!("{SYMBOL} of the kernel has no addresses"),
    }
}

/// An application that is moved to where there is room.
pub struct Loose<'a> {
    /// The application's name, and its memory beyond the sections.
    pub wishes: Wishes<'a>,
    /// The application to move.
    pub movable: &'a Movable,
}

/// Moves applications into the room, one behind the other, and packs each. Returns the bytes for
/// flash, in the same order. Each application begins at a multiple of its size. Its memory begins
/// where regions of the memory protection unit can cover it.
pub fn move_all(room: &Room, applications: &[Loose<'_>]) -> anyhow::Result<Vec<Vec<u8>>> {
    let (mut flash, mut memory) = (room.flash.0, room.memory.0);
    let mut packed = Vec::new();
    for Loose { wishes, movable } in applications {
        let name = wishes.name;
        let linked = &movable.linked;
        let bytes = linked.binary.len();
        let (before, total) =
            pack::sizes(bytes + wishes.footers(bytes), name, movable.alignment.0)?;
        let begin = flash.next_multiple_of(total);
        let behind = u64::from(begin) + u64::from(total);
        ensure!(
            behind <= u64::from(room.flash.1),
            "{name} takes {begin:#010x} to {behind:#010x}, and the flash for applications ends at \
             {:#010x}: give `flash` of `processes!` more, or leave one out",
            room.flash.1
        );
        let needed = linked.memory_size.saturating_add(wishes.heap).max(MEMORY_LEAST);
        let (from, to) = memory_for(memory, needed, movable.alignment.1);
        ensure!(
            to <= u64::from(room.memory.1),
            "{name} needs {needed} bytes of memory from {from:#010x} on, and the memory for \
             applications ends at {:#010x}: give `memory` of `processes!` more, or the application \
             a smaller stack (`main!(.., stack = BYTES)`)",
            room.memory.1
        );
        packed.push(pack::pack_linked(&movable.moved(begin + before, from), wishes)?);
        // The address is below the end.
        (flash, memory) = (behind as u32, to as u32);
    }
    Ok(packed)
}

/// Returns the memory for this number of bytes. Its beginning and its end are multiples of an
/// eighth of the power of two above its size, so that two regions cover exactly this memory.
fn memory_for(free: u32, bytes: u32, alignment: u32) -> (u32, u64) {
    let power = bytes.next_power_of_two();
    let step = if power < REGION_IN_EIGHTHS { power } else { (power / 8).max(REGION_LEAST) };
    let begin = free.next_multiple_of(step.max(alignment));
    (begin, u64::from(begin) + u64::from(bytes.next_multiple_of(step)))
}

/// Returns what is to be said of applications that find no memory, whatever regions the kernel's
/// protection unit has: each takes no less than it asks for.
pub fn without_memory(room: &Room, applications: &[InFlash]) -> Vec<String> {
    let (begin, end) = room.memory;
    let mut free = u64::from(begin);
    let mut said = Vec::new();
    for application in applications.iter().filter(|one| one.header.is_enabled) {
        let header = &application.header;
        let needed = u64::from(header.memory.unwrap_or_default().max(MEMORY_LEAST));
        let at = header.fixed_memory.map_or(free, u64::from);
        let name = &header.name;
        if at < u64::from(begin) || at >= u64::from(end) && header.fixed_memory.is_some() {
            said.push(format!(
                "{name} doesn't run: it was linked for memory at {at:#010x}, and the kernel has \
                 {begin:#010x} to {end:#010x} for processes: link it for a place there"
            ));
        } else if at + needed > u64::from(end) {
            said.push(format!(
                "{name} doesn't run: it needs {needed} bytes of memory from {at:#010x} on, and the \
                 kernel's memory for processes ends at {end:#010x}, {} bytes further: give \
                 `memory` of `processes!` more, or the application a smaller stack or heap",
                u64::from(end).saturating_sub(at)
            ));
        } else {
            free = free.max(at + needed);
        }
    }
    said
}

/// Puts applications into the flash of a kernel, so that they run together with it.
pub fn put_behind(
    kernel: &mut Firmware,
    applications: &[Application<'_>],
    board: &Board,
) -> anyhow::Result<()> {
    let flash = flash(&kernel.image).with_context(|| context(kernel))?;
    let image = image(flash, applications)?;
    let path = PathBuf::from("the applications");
    kernel.add(
        Firmware { path, image, debug: DebugInfo::load(&[]), guests: Vec::new(), svd: None },
        board,
    )
}

/// The same for a kernel on a board with a RISC-V core, whose memories are checked when the machine
/// is loaded.
pub fn put_behind_riscv(
    kernel: &mut Firmware,
    applications: &[Application<'_>],
) -> anyhow::Result<()> {
    let flash = flash(&kernel.image).with_context(|| context(kernel))?;
    kernel.image.segments.extend(image(flash, applications)?.segments);
    Ok(())
}

/// The applications as they lie in flash.
fn image(flash: (u32, u32), applications: &[Application<'_>]) -> anyhow::Result<Image> {
    Ok(Image::raw(&place(flash, applications)?, flash.0)?)
}

/// Returns the context of the error if a kernel takes no applications.
pub fn context(kernel: &Firmware) -> String {
    format!("cannot load processes behind {}", kernel.path.display())
}

/// Returns the bytes for the flash from `begin` on, before `end`. Each application begins at a
/// multiple of its size, if that is a power of two, or of an eighth of the next power of two. An
/// application that was linked for one place goes there. The gaps are marked as padding.
pub fn place(
    (begin, end): (u32, u32),
    applications: &[Application<'_>],
) -> anyhow::Result<Vec<u8>> {
    let mut flash = Vec::new();
    let mut fixed_last = applications.iter().collect::<Vec<_>>();
    // Applications with a fixed place go first, in that order. The others go behind them.
    let address = |application: &Application<'_>| {
        let header = Header::read(application.bytes).ok()?;
        Some(header.fixed_flash?.wrapping_sub(header.protected))
    };
    fixed_last.sort_by_key(|application| address(application).unwrap_or(u32::MAX));
    for application in fixed_last {
        let name = application.file;
        let header =
            Header::read(application.bytes).with_context(|| format!("cannot load {name}"))?;
        let free = begin + flash.len() as u32;
        let at = address(application).unwrap_or_else(|| next(free, header.total_size));
        ensure!(
            at >= begin && at >= free,
            "{name} was linked for {at:#010x}, but {}: link it for another address",
            if at < begin { before(begin) } else { other(free) }
        );
        let behind = u64::from(at) + u64::from(header.total_size);
        ensure!(
            behind <= u64::from(end),
            "{name} takes {at:#010x} to {behind:#010x}, and the flash for applications ends at \
             {end:#010x}: give `flash` of `processes!` more, or leave one out"
        );
        let gap = at - free;
        if gap > 0 {
            ensure!(
                gap >= PADDING_LEAST,
                "{name} leaves {gap} bytes before it: too few for padding"
            );
            flash.extend(padding(gap));
        }
        flash.extend_from_slice(&application.bytes[..header.total_size as usize]);
    }
    Ok(flash)
}

/// Why nothing may be there.
fn before(begin: u32) -> String {
    format!("the flash for applications begins at {begin:#010x}")
}

/// Why nothing may be there.
fn other(free: u32) -> String {
    format!("another one lies there, up to {free:#010x}")
}

/// Returns where an application of this size may begin, from `free` on.
pub fn next(free: u32, size: u32) -> u32 {
    let power = size.next_power_of_two();
    let step = if power == size { size } else { power / 8 };
    free.next_multiple_of(step.max(32))
}

#[cfg(test)]
mod tests {
    use super::super::tbf;
    use super::*;

    const FLASH: (u32, u32) = (0x2_0000, 0x2_4000);

    fn application(total: u32, fixed: Option<u32>) -> Vec<u8> {
        let fixed = fixed.map(|flash| (0x2000_4000, flash));
        let written = tbf::Application {
            name: "a",
            binary: &[1; 64],
            entry: 0,
            memory: 512,
            fixed,
            minor: 0,
        };
        written.write(0x80, total)
    }

    fn placed(applications: &[Vec<u8>]) -> anyhow::Result<Vec<u8>> {
        let named: Vec<_> =
            applications.iter().map(|bytes| Application { file: "a.tbf", bytes }).collect();
        place(FLASH, &named)
    }

    #[test]
    fn each_begins_at_a_multiple_of_its_size() {
        let flash = placed(&[application(512, None), application(2048, None)]).unwrap();
        assert_eq!(flash.len(), 4096);
        let gap = Header::read(&flash[512..]).unwrap();
        assert_eq!((gap.total_size, gap.name.as_str()), (1536, ""));
        assert_eq!(Header::read(&flash[2048..]).unwrap().name, "a");
    }

    #[test]
    fn one_that_was_linked_for_a_place_lies_there() {
        let flash = placed(&[application(512, None), application(1024, Some(0x2_0880))]).unwrap();
        assert_eq!(Header::read(&flash[0x800..]).unwrap().total_size, 1024);
        assert_eq!(Header::read(&flash[0xc00..]).unwrap().total_size, 512);
    }

    #[test]
    fn one_place_for_two_is_refused() {
        let both = [application(1024, Some(0x2_0880)), application(1024, Some(0x2_0880))];
        let message = placed(&both).unwrap_err().to_string();
        assert!(message.contains("another one lies there, up to 0x00020c00"), "{message}");
        let message = placed(&[application(512, Some(0x1_0080))]).unwrap_err().to_string();
        assert!(message.contains("the flash for applications begins at 0x00020000"), "{message}");
    }

    #[test]
    fn too_many_are_refused() {
        let message = placed(&[application(0x8000, None)]).unwrap_err().to_string();
        assert!(message.contains("ends at 0x00024000: give `flash` of `processes!` more"));
    }

    #[test]
    fn an_application_that_finds_no_memory_is_told_by_name() {
        let room = Room { flash: FLASH, memory: (0x2000_4000, 0x2000_4400) };
        let one =
            |bytes: Vec<u8>, address| InFlash { address, header: Header::read(&bytes).unwrap() };
        let (fixed, any) = (application(512, Some(0x2_0080)), application(512, None));
        let said =
            without_memory(&room, &[one(fixed.clone(), 0x2_0000), one(any.clone(), 0x2_0200)]);
        assert!(said.is_empty(), "{said:?}");
        let all = [one(fixed.clone(), 0x2_0000), one(any.clone(), 0x2_0200), one(any, 0x2_0400)];
        let said = without_memory(&room, &all);
        assert_eq!(said.len(), 1, "{said:?}");
        assert!(said[0].starts_with("a doesn't run: it needs 512 bytes of memory from 0x20004400"));
        let elsewhere = Room { flash: FLASH, memory: (0x2000_8000, 0x2000_9000) };
        let said = without_memory(&elsewhere, &[one(fixed, 0x2_0000)]);
        assert!(said[0].contains("linked for memory at 0x20004000, and the kernel has 0x20008000"));
    }

    #[test]
    fn a_kernel_without_processes_is_refused() {
        let message = flash(&Image::default()).unwrap_err().to_string();
        assert!(message.contains("`quintet::processes!` defines"), "{message}");
    }
}
