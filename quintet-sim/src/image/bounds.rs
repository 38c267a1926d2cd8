//! Bounds on the size of a file's contents. Each bound is checked before the content is read.
//!
//! A file's tables may point at the same bytes as often as they like: a megabyte of an ELF file can
//! be 60 000 segments, or the name of 60 000 symbols. So it isn't enough that each piece lies in
//! the file. The reader adds up all pieces, and refuses sums beyond bounds that no firmware for a
//! microcontroller comes near.

use super::ImageError;

/// The bytes that all segments together load. The external memories of the largest
/// microcontrollers are smaller.
pub const LOADED_BYTES: Bound = Bound {
    what: "bytes to load",
    most: 256 << 20,
    advice: "no board has so much memory; link it anew, and don't let segments share bytes",
};

/// The segments that a file may have: each is compared with each section.
pub const SEGMENTS: Bound = Bound {
    what: "loadable segments",
    most: 1024,
    advice: "link it with a script that puts sections together into segments",
};

/// The sections that occupy memory.
pub const SECTIONS: Bound = Bound {
    what: "sections that occupy memory",
    most: 4096,
    advice: "link it with a script that puts input sections together, as *(.text .text.*)",
};

/// The bytes of all names of symbols and sections.
pub const NAMED_BYTES: Bound = Bound {
    what: "bytes of names of symbols and sections",
    most: 64 << 20,
    advice: "many symbols share a long name; strip them (arm-none-eabi-strip, or strip = true in \
             the profile)",
};

/// At most so many of something.
#[derive(Clone, Copy, Debug)]
pub struct Bound {
    what: &'static str,
    most: u64,
    advice: &'static str,
}

impl Bound {
    /// Refuses `found` of them if that is more.
    pub fn check(&self, found: u64) -> Result<(), ImageError> {
        let Self { what, most, advice } = *self;
        if found <= most { Ok(()) } else { Err(ImageError::TooMuch { what, found, most, advice }) }
    }

    /// Adds to the sum, and refuses a sum beyond the bound.
    pub fn add(&self, found: &mut u64, more: usize) -> Result<(), ImageError> {
        *found = found.saturating_add(more as u64);
        self.check(*found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_names_itself_and_what_was_found() {
        let bound = Bound { what: "things", most: 3, advice: "take fewer" };
        let mut found = 2;
        assert_eq!(bound.add(&mut found, 1), Ok(()));
        let message = bound.add(&mut found, 2).unwrap_err().to_string();
        assert_eq!(message, "the file has 5 things or more, and at most 3 are read: take fewer");
    }
}
