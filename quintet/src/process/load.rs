//! Loading: the applications in flash become processes, each with its share of the memory.

#![expect(unsafe_code, reason = "flash is read by its address, and frames are written to memory")]

use ::core::fmt;
#[cfg(feature = "credentials")]
use ::core::num::NonZeroU32;

use super::facts::{Facts, Part};
use super::permission::PERMISSIONS_MAX;
use super::record::{Process, Range};
use super::regions::{self, Cover};
use super::system::System;
use super::tbf::{self, Broken, Header, Program};
use crate::arch::process::{self, Frame, STACKED};
use crate::core::section::hold_switches_off;

/// The size of the memory that a process uses before it asks for more: that of its first frame.
const FIRST: u32 = STACKED;
/// The least memory of a process, in bytes.
const LEAST: u32 = 128;
/// The largest size of an application's header, in bytes.
pub const HEADER_MAX: usize = 4096;
/// The largest length of an application's name, in bytes.
pub const NAME_MAX: usize = 64;

/// An application that was found in flash.
#[derive(Clone, Copy, Debug)]
pub enum Found {
    /// An application that runs from now on, with the size of its memory and the surplus. The
    /// surplus is the memory that the application didn't ask for, including the gap before its
    /// memory.
    Process(&'static Process, u32, u32),
    /// An application that is disabled.
    Disabled(&'static str),
    /// An application at this address that can't run.
    Refused(u32, &'static str, Refusal),
}

/// The reason why an application can't run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The application's header can't be read.
    Broken(Broken),
    /// The application was linked for this other place in flash.
    Flash(u32),
    /// No regions of the protection unit cover exactly the application's flash.
    Uncoverable,
    /// The application needs the first number of bytes of memory, and the second number is left.
    Memory(u32, u32),
    /// The application was linked for memory at this address, which doesn't exist or belongs to
    /// another process.
    Place(u32),
    /// There are already `count` processes.
    Count,
    /// The application's header has this size in bytes, and may have [`HEADER_MAX`].
    Header(usize),
    /// The application's name has this length in bytes, and may have [`NAME_MAX`].
    Name(usize),
    /// The list of permissions in the header has so many entries, and may have 16.
    Permissions(usize),
    /// The policy refuses the application, for this reason.
    #[cfg(feature = "credentials")]
    Policy(&'static str),
    /// The policy gives the application this identity, which the process at this place has.
    #[cfg(feature = "credentials")]
    Identity(NonZeroU32, usize),
}

impl From<Broken> for Refusal {
    fn from(broken: Broken) -> Self {
        Self::Broken(broken)
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Broken(broken) => broken.fmt(formatter),
            Self::Flash(address) => write!(
                formatter,
                "it was linked for {address:#010x}: write it to flash where that is behind its \
                 header"
            ),
            Self::Uncoverable => write!(
                formatter,
                "no regions of the memory protection unit cover its flash alone: {}",
                regions::COVERABLE
            ),
            Self::Memory(needed, left) => write!(
                formatter,
                "it needs {needed} bytes of memory and {left} are left: give `memory` more"
            ),
            Self::Place(address) => write!(
                formatter,
                "it was linked for memory at {address:#010x}, which isn't in `memory`, or another \
                 process's, or no beginning of a region of the memory protection unit"
            ),
            Self::Count => formatter.write_str("there are as many processes as `count` says"),
            Self::Header(size) => write!(
                formatter,
                "its header has {size} bytes, and may have {HEADER_MAX}: leave entries out that no \
                 kernel reads"
            ),
            Self::Name(size) => {
                write!(formatter, "its name has {size} bytes, and may have {NAME_MAX}: shorten it")
            }
            Self::Permissions(count) => write!(
                formatter,
                "its header lists permissions in {count} entries, and may list {PERMISSIONS_MAX}: \
                 one entry allows 64 commands of a driver"
            ),
            #[cfg(feature = "credentials")]
            Self::Policy(reason) => write!(formatter, "the policy refuses it: {reason}"),
            #[cfg(feature = "credentials")]
            Self::Identity(id, process) => {
                write!(formatter, "its identity is {id}, which process {process} has already")
            }
        }
    }
}

impl fmt::Display for Found {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Process(process, size, surplus) => write!(
                formatter,
                "process {}: {}, {size} bytes of memory from {:#010x} on, {surplus} of them beyond \
                 need",
                process.index(),
                process.name(),
                process.memory().begin
            ),
            Self::Disabled(name) => write!(formatter, "{name} is not to run, as its header says"),
            Self::Refused(address, name, why) => {
                write!(formatter, "the application {name} at {address:#010x} can't run: {why}")
            }
        }
    }
}

/// The flash and the memory that are left.
struct Left {
    /// The address of the next application.
    flash: u32,
    /// The address where free memory begins.
    memory: u32,
    /// The number of processes so far.
    count: usize,
}

impl System {
    /// Loads the applications in flash, and calls `found` for each. Then starts the processes. Call
    /// this once at the beginning: after [`thread::initialise`](crate::thread::initialise), or in
    /// `init`.
    ///
    /// # Panics
    /// If the processor has no memory protection unit, or too few regions: eight are needed on
    /// ARMv7-M, three on ARMv8-M, and on RISC-V six entries that nobody has locked. If
    /// a driver has places for fewer processes than `count` says: the
    /// compiler refuses this already for drivers that declare their
    /// [`PLACES`](super::Driver::PLACES).
    ///
    /// # Safety
    /// `flash` and `memory` of [`processes!`](crate::processes) exist, and no other code uses them.
    pub unsafe fn start(&'static self, found: impl FnMut(&Found)) {
        // SAFETY: the caller's.
        unsafe { self.start_if(|_, _, _| Ok(()), found) };
    }

    /// The same, for the applications that `admit` accepts. It gets the process, the header, and
    /// the flash from there on.
    ///
    /// # Safety
    /// As for [`start`](Self::start).
    pub(super) unsafe fn start_if(
        &'static self,
        mut admit: impl FnMut(&Process, &Header<'static>, &'static [u8]) -> Result<(), Refusal>,
        mut found: impl FnMut(&Found),
    ) {
        // SAFETY: at start-up.
        if let Err(regions) = unsafe { process::initialise() } {
            panic!(
                "processes need a memory protection unit with {} regions, and this processor has \
                 {regions}: take a chip that has them, or threads in place of processes",
                process::REGIONS_NEEDED
            );
        }
        super::check::refuse_few_slots(self.drivers, self.processes.len());
        super::life::initialise();
        let mut left = Left { flash: self.flash.begin, memory: self.memory.begin, count: 0 };
        while let Some(flash) = self.rest(left.flash) {
            match tbf::read(flash) {
                Ok(None) => break,
                Ok(Some(header)) => {
                    if header.program.is_some() {
                        let admit = |process: &_| admit(process, &header, flash);
                        found(&self.load(&mut left, &header, admit));
                    }
                    left.flash += header.total_size as u32;
                }
                Err((broken, size)) => {
                    found(&Found::Refused(left.flash, "", broken.into()));
                    // Without the size, the next application can't be found.
                    let Some(size) = size else { break };
                    left.flash += size as u32;
                }
            }
        }
        // The first process that runs may never let `main`, which calls this, continue.
        let _held = hold_switches_off();
        for process in &self.processes[..left.count] {
            process.begin();
        }
    }

    /// Returns the flash from an address on, or `None` behind its end.
    fn rest(&self, begin: u32) -> Option<&'static [u8]> {
        let size = self.flash.end.checked_sub(begin).filter(|&size| size > 0)?;
        // SAFETY: flash, by the promise of the caller of `start`.
        Some(unsafe { ::core::slice::from_raw_parts(begin as usize as *const u8, size as usize) })
    }

    /// Makes a process of an application, if possible.
    fn load(
        &'static self,
        left: &mut Left,
        header: &Header<'static>,
        admit: impl FnOnce(&Process) -> Result<(), Refusal>,
    ) -> Found {
        if !header.is_enabled {
            return Found::Disabled(header.name);
        }
        match self.try_load(left, header, admit) {
            Ok(found) => found,
            Err(refusal) => Found::Refused(left.flash, header.name, refusal),
        }
    }

    fn try_load(
        &'static self,
        left: &mut Left,
        header: &Header<'static>,
        admit: impl FnOnce(&Process) -> Result<(), Refusal>,
    ) -> Result<Found, Refusal> {
        let process = self.processes.get(left.count).ok_or(Refusal::Count)?;
        let program = header.program.as_ref().ok_or(Broken::Program)?;
        let flash = Range { begin: left.flash, end: left.flash + header.total_size as u32 };
        check_limits(header)?;
        let facts = facts(flash, header, program);
        if let Some(fixed) = header.fixed_flash.filter(|&fixed| fixed != facts.code) {
            return Err(Refusal::Flash(fixed));
        }
        let code = regions::cover(flash.begin, flash.end).ok_or(Refusal::Uncoverable)?;
        let (memory, data) = self.allot(left.memory, header, program)?;
        admit(process)?;
        process.load((flash, facts), memory, regions::words(code, data));
        process.note_permissions();
        prepare(process);
        begin(process);
        process.open();
        let surplus = memory.end - left.memory - program.memory.max(LEAST);
        left.memory = memory.end;
        left.count += 1;
        Ok(Found::Process(process, memory.end - memory.begin, surplus))
    }

    /// Returns memory for an application, and the regions that cover the memory.
    fn allot(
        &self,
        free: u32,
        header: &Header<'_>,
        program: &Program,
    ) -> Result<(Range, Cover), Refusal> {
        let needed = program.memory.max(LEAST);
        let none_left = Refusal::Memory(needed, self.memory.end.saturating_sub(free));
        let begin = header.fixed_memory.unwrap_or(free);
        let (found, end) = regions::allot(begin, needed).ok_or(none_left)?;
        if let Some(fixed) = header.fixed_memory
            && (fixed < free || found != fixed)
        {
            return Err(Refusal::Place(fixed));
        }
        if end > self.memory.end {
            return Err(header.fixed_memory.map_or(none_left, Refusal::Place));
        }
        let cover = regions::cover(found, end).ok_or(none_left)?;
        Ok((Range { begin: found, end }, cover))
    }
}

/// Checks that a header is within the limits of what a call may have to look at.
fn check_limits(header: &Header<'_>) -> Result<(), Refusal> {
    let permissions = header.permissions.map_or(0, |list| list.count());
    if header.header_size > HEADER_MAX {
        Err(Refusal::Header(header.header_size))
    } else if header.name.len() > NAME_MAX {
        Err(Refusal::Name(header.name.len()))
    } else if permissions > PERMISSIONS_MAX {
        Err(Refusal::Permissions(permissions))
    } else {
        Ok(())
    }
}

/// Reads the facts from a header at the beginning of `flash`.
fn facts(flash: Range, header: &Header<'static>, program: &Program) -> Facts {
    let place = |part: &[u8]| Part::of(header.bytes, part);
    let behind = flash.begin + header.header_size as u32;
    Facts {
        code: behind + program.protected,
        entry: behind + program.entry,
        name: place(header.name.as_bytes()),
        writeable: place(header.writeable.0),
        permissions: header.permissions.map_or(Part::NONE, |list| place(list.0)),
    }
}

/// Takes a process's memory away but for its first frame.
pub fn prepare(process: &Process) {
    let end = process.memory().begin + FIRST;
    process.break_.set(end);
    process.progress.set(0);
    // The end of the used memory never lies below the frame with which the process is entered.
    process.lent.set(end);
    process.open_memory();
}

/// Lets a [prepared](prepare) process begin with its first function. Returns the address of its
/// frame, which is the process's stack pointer.
pub fn begin(process: &Process) -> *mut Frame {
    process.open_flash(true);
    process.clear_registers();
    write_frame(process)
}

/// Lets a process be entered while it changes: it has a valid frame, and no code that it can
/// execute. Returns the address of the frame.
pub fn close(process: &Process) -> *mut Frame {
    process.open_flash(false);
    write_frame(process)
}

/// Writes the frame with which a process begins.
fn write_frame(process: &Process) -> *mut Frame {
    let memory = process.memory();
    let frame = process.first_frame();
    let Facts { code, entry, .. } = process.facts.get();
    let size = memory.end - memory.begin;
    let begun = Frame::first(entry, [code, memory.begin, size, memory.begin + FIRST]);
    // SAFETY: the process's memory, which is large enough, or its record; the process doesn't run.
    unsafe { frame.write(begun) };
    frame
}
