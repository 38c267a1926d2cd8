//! The facts from the header of an application. The header is read once, when the application is
//! loaded: so no call takes longer if the header is long.

#![expect(unsafe_code, reason = "the header is read by its address")]

use super::record::Process;
use super::tbf::{Entries, Permissions};

/// The facts from the header of an application.
#[derive(Clone, Copy, Debug)]
pub struct Facts {
    /// The beginning of the process's own flash, behind the header.
    pub code: u32,
    /// The address of the first function.
    pub entry: u32,
    /// The name of the application.
    pub name: Part,
    /// The parts of its flash that the application may write.
    pub writeable: Part,
    /// The commands that the application may call. At the beginning, if the header has no list.
    pub permissions: Part,
}

impl Facts {
    /// The facts of no application.
    pub const NONE: Self = Self {
        code: 0,
        entry: 0,
        name: Part::NONE,
        writeable: Part::NONE,
        permissions: Part::NONE,
    };
}

/// A part of a header.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// The offset from the beginning of the header, in bytes.
    pub begin: u16,
    /// The size in bytes.
    pub size: u16,
}

impl Part {
    /// No part.
    pub const NONE: Self = Self { begin: 0, size: 0 };

    /// Returns the place of `part` in a header of less than 64 KiB, which contains it. An empty
    /// slice may be anywhere.
    pub fn of(header: &[u8], part: &[u8]) -> Self {
        let begin = part.as_ptr().addr().wrapping_sub(header.as_ptr().addr());
        if begin > header.len() {
            return Self::NONE;
        }
        Self { begin: begin as u16, size: part.len() as u16 }
    }
}

impl Process {
    /// Returns the name of the application; empty without one.
    #[must_use]
    pub fn name(&self) -> &'static str {
        // SAFETY: the header's name was checked when the application was loaded.
        unsafe { ::core::str::from_utf8_unchecked(self.part(self.facts.get().name)) }
    }

    /// Returns a part of the header of the application.
    fn part(&self, Part { begin, size }: Part) -> &'static [u8] {
        if size == 0 {
            return &[];
        }
        let address = self.flash().begin + u32::from(begin);
        // SAFETY: the header was read there when the application was loaded, and no code writes to
        // flash.
        unsafe { ::core::slice::from_raw_parts(address as usize as *const u8, usize::from(size)) }
    }

    /// Returns the parts of the application's flash that the process may write, as pairs of offset
    /// and size.
    pub(super) fn writeable(&self) -> Entries<'static> {
        Entries(self.part(self.facts.get().writeable))
    }

    /// Returns `true` if the header limits the commands of the process.
    #[inline]
    pub(super) const fn is_limited(&self) -> bool {
        self.facts.get().permissions.begin != 0
    }

    /// Returns the commands that the process may call; `None` allows all commands.
    pub(super) fn permissions(&self) -> Option<Permissions<'static>> {
        self.is_limited().then(|| Permissions(self.part(self.facts.get().permissions)))
    }
}
