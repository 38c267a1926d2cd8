//! The identity of an application: credentials, and a policy that looks at them before the
//! application becomes a process.
//!
//! Names prove nothing: whoever can write an application to flash can give it any name, and
//! processes find each other [by names](super::ipc). [`System::start_checked`] asks a policy about
//! each application. [`Known`] is a ready one: only certain applications may have certain names.
//!
//! A credential stands in a footer of the application. It covers the header and the binary, which
//! [`Candidate::covered`] returns: all but the footers. The kernel computes SHA-256. Your policy
//! can check signatures by a crate of your choice.
//!
//! Needs the feature `credentials`.
//!
//! ```
//! use quintet::process::System;
//! use quintet::process::identity::{Known, digest};
//! use semihosting::println;
//!
//! /// The digest of `hello`, as `quintet pack --sha256` prints it.
//! const ID: [u8; 32] = digest("f117020b5e6c42a9d44e29edeaf2452179c9ef85e168eb9919397af4feeded6d");
//! /// Only this application may be called `hello`.
//! static KNOWN: Known<1> = Known([("hello", ID)]);
//!
//! fn start(processes: &'static System) {
//!     // SAFETY: the linker script leaves flash and memory to the processes.
//!     unsafe { processes.start_checked(|one| KNOWN.reserve(one), |found| println!("{found}")) };
//! }
//! ```

#![expect(unsafe_code, reason = "`start_checked` has the condition of `start`")]

use ::core::num::NonZeroU32;

use sha2::{Digest, Sha256};

use super::load::{Found, Refusal};
use super::record::Process;
use super::system::System;
use super::tbf::Header;
pub use super::tbf::footers::{Credential, Credentials, format};

/// An application that is about to become a process.
#[derive(Clone, Copy, Debug)]
pub struct Candidate<'a> {
    header: &'a Header<'a>,
    whole: &'a [u8],
}

impl<'a> Candidate<'a> {
    /// Returns the application's name; empty without one.
    #[must_use]
    pub const fn name(&self) -> &'a str {
        self.header.name
    }

    /// Returns what credentials cover: the header and the binary, without the footers.
    #[must_use]
    pub fn covered(&self) -> &'a [u8] {
        let end = self.header.program.as_ref().map_or(self.whole.len(), |it| it.end as usize);
        self.whole.get(..end).unwrap_or(self.whole)
    }

    /// Returns the credentials, in the order of the footers.
    #[must_use]
    pub fn credentials(&self) -> Credentials<'a> {
        Credentials::of(self.whole, self.header)
    }

    /// Returns the SHA-256 of what credentials cover. On a Cortex-M3 without wait states, each 64
    /// bytes take 12 300 cycles: 20 KiB a third of a second at 12 MHz.
    #[must_use]
    pub fn sha256(&self) -> [u8; 32] {
        Sha256::digest(self.covered()).into()
    }

    /// Returns `true` if there is a credential of the format [SHA-256](format::SHA_256) and each of
    /// them is right. This finds flash that was written badly. It proves nothing about who has
    /// written the application: anybody can compute a digest.
    #[must_use]
    pub fn is_intact(&self) -> bool {
        let mut digests = self.credentials().filter(|one| one.format == format::SHA_256).peekable();
        digests.peek().is_some() && {
            let digest = self.sha256();
            digests.all(|one| one.data == digest)
        }
    }
}

/// A policy's answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The application becomes a process without an identity.
    Run,
    /// The application becomes a process with this [identity](Process::short_id). No two processes
    /// have one: the second application with it is refused.
    RunAs(NonZeroU32),
    /// The application doesn't become a process, for this reason.
    Refuse(&'static str),
}

/// Applications that are known by their names and their SHA-256.
#[derive(Debug)]
pub struct Known<const N: usize>(pub [(&'static str, [u8; 32]); N]);

impl<const N: usize> Known<N> {
    /// A policy: only the known applications may have the known names. Each has its place in the
    /// list, counted from 1, as its identity. Applications of other names run without one.
    #[must_use]
    pub fn reserve(&self, candidate: &Candidate<'_>) -> Verdict {
        self.find(candidate).unwrap_or(Verdict::Run)
    }

    /// A policy: only the known applications run, with identities as by [`reserve`](Self::reserve).
    #[must_use]
    pub fn allow(&self, candidate: &Candidate<'_>) -> Verdict {
        self.find(candidate)
            .unwrap_or(Verdict::Refuse("the kernel knows no application of its name"))
    }

    /// Returns the verdict about an application with a known name.
    fn find(&self, candidate: &Candidate<'_>) -> Option<Verdict> {
        let of_name = |one: &(&str, [u8; 32])| one.0 == candidate.name();
        self.0.iter().find(|one| of_name(one))?;
        let digest = candidate.sha256();
        let index = self.0.iter().position(|one| of_name(one) && one.1 == digest);
        let id = index.and_then(|index| NonZeroU32::new(index as u32 + 1));
        Some(id.map_or(Verdict::Refuse("its name is another application's"), Verdict::RunAs))
    }
}

/// Reads a SHA-256, 64 hexadecimal digits.
///
/// # Panics
/// If there is another number of characters, or one that is no hexadecimal digit. In a constant,
/// the compiler says so.
#[must_use]
pub const fn digest(text: &str) -> [u8; 32] {
    assert!(text.len() == 64, "a SHA-256 has 64 hexadecimal digits");
    let mut digest = [0; 32];
    let mut index = 0;
    while index < digest.len() {
        let (high, low) = (text.as_bytes()[2 * index], text.as_bytes()[2 * index + 1]);
        digest[index] = digit(high) << 4 | digit(low);
        index += 1;
    }
    digest
}

const fn digit(byte: u8) -> u8 {
    match byte {
        b'0'..=b'9' => byte - b'0',
        b'a'..=b'f' => byte - b'a' + 10,
        b'A'..=b'F' => byte - b'A' + 10,
        _ => panic!("a SHA-256 has 64 hexadecimal digits"),
    }
}

impl System {
    /// Like [`start`](Self::start), for applications that the policy accepts: `check` is asked
    /// about each that could become a process, in the order of their addresses.
    ///
    /// # Panics
    /// As [`start`](Self::start).
    ///
    /// # Safety
    /// As for [`start`](Self::start).
    pub unsafe fn start_checked(
        &'static self,
        mut check: impl FnMut(&Candidate<'_>) -> Verdict,
        found: impl FnMut(&Found),
    ) {
        let admit = |process: &Process, header: &Header<'static>, flash: &'static [u8]| {
            let whole = flash.get(..header.total_size).unwrap_or_default();
            let id = match check(&Candidate { header, whole }) {
                Verdict::Run => None,
                Verdict::RunAs(id) => Some(id),
                Verdict::Refuse(reason) => return Err(Refusal::Policy(reason)),
            };
            let mut others = self.processes.iter();
            if let Some(id) = id
                && let Some(other) = others.find(|other| other.short_id() == Some(id))
            {
                return Err(Refusal::Identity(id, other.index()));
            }
            process.short_id.set(id);
            Ok(())
        };
        // SAFETY: the caller's.
        unsafe { self.start_if(admit, found) };
    }
}

impl Process {
    /// Returns the identity that a [policy](System::start_checked) has given the application;
    /// `None` without one. A driver can keep something for an application by this number, from one
    /// start of the system to the next.
    #[must_use]
    pub const fn short_id(&self) -> Option<NonZeroU32> {
        self.short_id.get()
    }
}
