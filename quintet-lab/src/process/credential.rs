//! Credentials: footers of an application that say what its header and its binary are.
//!
//! Source: "Tock Binary Format" in the book of Tock. The SHA-256 covers all that lies before the
//! footers.

use anyhow::ensure;
use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};

use super::Header;

/// The type of a footer with a credential, and two formats of these.
const CREDENTIAL: u16 = 128;
const RESERVED: u32 = 0;
const SHA_256: u32 = 3;

/// The size of a footer before its data.
const HEAD: usize = 8;
/// The size of a footer with a SHA-256.
pub(super) const SIZE: usize = HEAD + 32;
/// The most data of one footer, in bytes.
const DATA_MAX: usize = 0x8000;

/// What the credential of an application says.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// There is none of a known format.
    None,
    /// There is a SHA-256, which is right.
    Right,
    /// There is a SHA-256, and the application is another one.
    Wrong,
}

/// Adds the SHA-256 to a packed application that has room for it behind its binary. What is left is
/// reserved, as Tock's own tools leave it.
pub(super) fn add(mut application: Vec<u8>) -> anyhow::Result<Vec<u8>> {
    let (end, total) = ends(&application)?;
    let mut at = end.next_multiple_of(4);
    ensure!(
        at + SIZE <= total,
        "there is no room for a credential of {SIZE} bytes behind the binary"
    );
    let digest = Sha256::digest(&application[..end]);
    at += footer(&mut application[at..], SHA_256, &digest);
    while at + HEAD <= total {
        let size = (total - at - HEAD).min(DATA_MAX);
        at += footer(&mut application[at..], RESERVED, &vec![0; size]);
    }
    Ok(application)
}

/// Writes a footer. Returns its size.
fn footer(place: &mut [u8], format: u32, data: &[u8]) -> usize {
    let size = HEAD + data.len();
    place[..2].copy_from_slice(&CREDENTIAL.to_le_bytes());
    place[2..4].copy_from_slice(&((size - 4) as u16).to_le_bytes());
    place[4..8].copy_from_slice(&format.to_le_bytes());
    place[8..size].copy_from_slice(data);
    size
}

/// Returns the ends of an application's binary and of all of it.
fn ends(application: &[u8]) -> anyhow::Result<(usize, usize)> {
    let header = Header::read(application)?;
    Ok((header.end as usize, header.total_size as usize))
}

/// Returns the SHA-256 of an application without its footers, as hexadecimal digits.
pub fn digest(application: &[u8]) -> anyhow::Result<String> {
    let (end, _) = ends(application)?;
    Ok(HEXLOWER.encode(&Sha256::digest(&application[..end])))
}

/// Returns what an application's credential says.
pub fn state(application: &[u8]) -> anyhow::Result<State> {
    let (end, total) = ends(application)?;
    let mut rest = application.get(end.next_multiple_of(4)..total).unwrap_or_default();
    let number = |bytes: &[u8]| bytes.iter().rev().fold(0, |sum, &byte| sum << 8 | u32::from(byte));
    while let Some((head, behind)) = rest.split_at_checked(4) {
        let (kind, size) = (number(&head[..2]), number(&head[2..]) as usize);
        let Some((format, data)) = behind.get(..size).and_then(|all| all.split_at_checked(4))
        else {
            break;
        };
        if kind == u32::from(CREDENTIAL) && number(format) == SHA_256 {
            let is_right = data == Sha256::digest(&application[..end]).as_slice();
            return Ok(if is_right { State::Right } else { State::Wrong });
        }
        rest = behind.get(size.next_multiple_of(4)..).unwrap_or_default();
    }
    Ok(State::None)
}

#[cfg(test)]
mod tests {
    use super::super::tbf::Application;
    use super::*;

    fn application(binary: usize, total: u32) -> Vec<u8> {
        let binary = vec![7; binary];
        let written = Application {
            name: "blink",
            binary: &binary,
            entry: 1,
            memory: 2048,
            fixed: None,
            minor: 0,
        };
        written.write(0x80, total)
    }

    #[test]
    fn a_credential_is_of_the_header_and_the_binary() {
        // The rest is more than one footer has.
        for (binary, total) in [(300, 512), (301, 512), (344, 512), (300, 1 << 17)] {
            let plain = application(binary, total);
            assert_eq!(state(&plain).unwrap(), State::None);
            let bytes = add(plain.clone()).unwrap();
            assert_eq!((bytes.len(), state(&bytes).unwrap()), (plain.len(), State::Right));
            assert_eq!(digest(&bytes).unwrap(), digest(&plain).unwrap());
            for changed in [8, 0x80, 0x80 + binary - 1, (0x80 + binary).next_multiple_of(4) + 8] {
                let mut bytes = bytes.clone();
                bytes[changed] ^= 1;
                assert_eq!(state(&bytes).unwrap(), State::Wrong, "{changed}");
            }
        }
    }

    #[test]
    fn a_credential_without_room_is_refused() {
        let message = add(application(345, 512)).unwrap_err().to_string();
        assert_eq!(message, "there is no room for a credential of 40 bytes behind the binary");
    }
}
