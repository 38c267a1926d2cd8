//! Footers: entries behind an application's binary, of which those with credentials are known.
//!
//! ```text
//!   type, 128   length   format   data ...
//!   u16         u16      u32
//! ```
//!
//! An entry is aligned as one of the header.

use super::{Header, half, word};

/// The type of an entry with a credential.
const CREDENTIAL: u16 = 128;

/// The format of a credential, as Tock numbers them.
pub mod format {
    /// No credential: the room is reserved.
    pub const RESERVED: u32 = 0;
    /// A signature by RSA with 3072 bits.
    pub const RSA_3072: u32 = 1;
    /// A signature by RSA with 4096 bits.
    pub const RSA_4096: u32 = 2;
    /// SHA-256, 32 bytes.
    pub const SHA_256: u32 = 3;
    /// SHA-384, 48 bytes.
    pub const SHA_384: u32 = 4;
    /// SHA-512, 64 bytes.
    pub const SHA_512: u32 = 5;
    /// A signature by ECDSA over NIST's P-256.
    pub const ECDSA_P256: u32 = 7;
}

/// A credential of an application.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Credential<'a> {
    /// The [format].
    pub format: u32,
    /// The data; the format says how long it is.
    pub data: &'a [u8],
}

/// The credentials of an application, in their order. Ends at an entry that doesn't fit.
#[derive(Clone, Debug)]
pub struct Credentials<'a>(&'a [u8]);

impl<'a> Credentials<'a> {
    /// Returns the credentials of a `whole` application with this header.
    #[must_use]
    pub fn of(whole: &'a [u8], header: &Header<'_>) -> Self {
        let end = header.program.as_ref().map_or(whole.len(), |program| program.end as usize);
        // Entries are aligned, and so is the header before the binary.
        let from = end.checked_next_multiple_of(4).unwrap_or(end);
        Self(whole.get(from..).unwrap_or_default())
    }
}

impl<'a> Iterator for Credentials<'a> {
    type Item = Credential<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let kind = half(self.0, 0)?;
            let length = usize::from(half(self.0, 2)?);
            let content = self.0.get(4..4 + length)?;
            self.0 = self.0.get(4 + length.next_multiple_of(4)..).unwrap_or_default();
            if kind == CREDENTIAL
                && let (Some(format), Some(data)) = (word(content, 0), content.get(4..))
                && format != format::RESERVED
            {
                return Some(Credential { format, data });
            }
        }
    }
}
