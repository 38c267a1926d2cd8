//! The applications in a piece of flash, one behind the other: what is there, and changes of it.
//!
//! An application that stays keeps its address and all its bytes, so several are updated apart from
//! each other. What an uninstalled one leaves becomes padding, as Tock's tools leave it, and later
//! applications go there again where they fit.

use anyhow::{Context, bail, ensure};

use super::credential;
use super::place::next;
use super::tbf::{self, Header, PADDING_LEAST, padding};

/// Flash that was erased.
const ERASED: u8 = 0xff;

/// An application in flash.
#[derive(Clone, Debug)]
pub struct Installed {
    /// The address of its header.
    pub address: u32,
    /// What the header says.
    pub header: Header,
}

impl Installed {
    fn end(&self) -> u64 {
        u64::from(self.address) + u64::from(self.header.total_size)
    }
}

/// A piece of flash for applications.
pub struct Flash {
    begin: u32,
    bytes: Vec<u8>,
    /// The applications, without padding, in the order of their addresses.
    pub applications: Vec<Installed>,
    /// The address behind the last header that can be read, padding included.
    end_of_list: u32,
}

impl Flash {
    /// Reads the flash from the address `begin` on.
    pub fn read(begin: u32, bytes: Vec<u8>) -> anyhow::Result<Self> {
        let size =
            u32::try_from(bytes.len()).ok().filter(|size| begin.checked_add(*size).is_some());
        let size = size.context("it is larger than what is left of the addresses")?;
        let mut applications = Vec::new();
        let mut at = 0;
        while at < size {
            let rest = &bytes[at as usize..];
            let version = rest.first_chunk().map(|first| u16::from_le_bytes(*first));
            // The kernel's list ends there too.
            if version.is_none_or(|version| version == u16::MAX || version == 0) {
                break;
            }
            let address = begin + at;
            let header = Header::read(rest).with_context(|| {
                format!(
                    "no application is at {address:#010x}, where the list of applications goes on: \
                     name the address of the first one by --at, or erase what is there"
                )
            })?;
            ensure!(
                header.total_size.is_multiple_of(4),
                "the application at {address:#010x} takes {} bytes, no multiple of 4: no further \
                 one can be found",
                header.total_size
            );
            at += header.total_size;
            if header.entry.is_some() {
                applications.push(Installed { address, header });
            }
        }
        Ok(Self { begin, bytes, applications, end_of_list: begin + at })
    }

    /// The first address, and the address behind the last.
    pub fn range(&self) -> (u32, u32) {
        (self.begin, self.begin + self.bytes.len() as u32)
    }

    /// The number of bytes up to the end of the applications, and of whatever is behind them.
    pub fn used(&self) -> usize {
        let last = self.bytes.iter().rposition(|byte| *byte != ERASED).map_or(0, |last| last + 1);
        last.max((self.end_of_list - self.begin) as usize)
    }

    /// Returns the flash as it is now.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// Returns what the credential of an application says. One that is disabled is looked at as it
    /// was before: it is disabled by its header, which the credential covers.
    pub fn credential(&self, one: &Installed) -> anyhow::Result<credential::State> {
        let at = (one.address - self.begin) as usize;
        let size = one.header.total_size as usize;
        let mut application = self.bytes.get(at..at + size).unwrap_or_default().to_vec();
        tbf::set_enabled(&mut application, true)?;
        credential::state(&application)
    }

    /// Returns the application with this name.
    fn named(&self, name: &str) -> anyhow::Result<&Installed> {
        let mut named = self.applications.iter().filter(|one| one.header.name == name);
        let Some(one) = named.next() else {
            let all: Vec<_> =
                self.applications.iter().map(|one| one.header.name.as_str()).collect();
            let there = match all.as_slice() {
                [] => "there is none".to_owned(),
                all => format!("there are: {}", all.join(", ")),
            };
            bail!("no application is named {name}; {there}");
        };
        ensure!(
            named.next().is_none(),
            "several applications are named {name}: uninstall all by this name, and install the \
             one that is wanted"
        );
        Ok(one)
    }

    /// Lets an application run from the next start of the kernel on, or not.
    pub fn enable(&mut self, name: &str, is_enabled: bool) -> anyhow::Result<()> {
        let one = self.named(name)?;
        let (at, size) = ((one.address - self.begin) as usize, one.header.total_size as usize);
        tbf::set_enabled(&mut self.bytes[at..at + size], is_enabled)
            .with_context(|| format!("cannot change {name}"))?;
        *self = Self::read(self.begin, std::mem::take(&mut self.bytes))?;
        Ok(())
    }

    /// Takes the applications with this name away.
    pub fn uninstall(&mut self, name: &str) -> anyhow::Result<()> {
        let is_it = |one: &Installed| one.header.name == name;
        if !self.applications.iter().any(is_it) {
            self.named(name)?;
        }
        let rest = self.applications.iter().filter(|one| !is_it(one));
        let rest = rest.map(|one| (one.address, self.bytes_of(one).to_vec())).collect();
        self.write(rest)
    }

    /// Puts an application there, in place of the one with its name if there is one. Returns its
    /// address.
    pub fn install(&mut self, bytes: &[u8]) -> anyhow::Result<u32> {
        let header = Header::read(bytes)?;
        let (name, size) = (header.name.as_str(), header.total_size);
        ensure!(header.entry.is_some(), "it is padding, and has no program");
        let others: Vec<_> = self
            .applications
            .iter()
            .filter(|one| one.header.name != name || name.is_empty())
            .collect();
        let is_free = |at: u32| {
            let end = u64::from(at) + u64::from(size);
            let mut hit = others.iter();
            hit.find(|one| u64::from(at) < one.end() && u64::from(one.address) < end).copied()
        };
        let end = self.begin + self.bytes.len() as u32;
        let fits = |at: u32| u64::from(at) + u64::from(size) <= u64::from(end);
        let at = match header.fixed_flash {
            Some(fixed) => {
                let at = fixed.wrapping_sub(header.protected);
                let is_inside = (self.begin..end).contains(&at) && fits(at);
                ensure!(
                    is_inside,
                    "{name} was linked for {at:#010x} and takes {size} bytes, and applications lie \
                     at {:#010x} to {end:#010x}: link it for another address, or name the flash \
                     that it was linked for",
                    self.begin
                );
                if let Some(other) = is_free(at) {
                    bail!(
                        "{name} was linked for {at:#010x}, where {} lies: uninstall that, or link \
                         {name} for another address",
                        other.header.name
                    );
                }
                at
            }
            None => {
                let begins = std::iter::once(self.begin).chain(
                    // An end beyond the last address is no beginning.
                    others.iter().filter_map(|one| u32::try_from(one.end()).ok()),
                );
                let mut places: Vec<u32> = begins.map(|begin| next(begin, size)).collect();
                places.sort_unstable();
                let free = places.into_iter().find(|at| fits(*at) && is_free(*at).is_none());
                free.with_context(|| {
                    format!(
                        "{name} takes {size} bytes, and no place for them is free in {:#010x} to \
                         {end:#010x}: uninstall an application, or give the kernel more flash",
                        self.begin
                    )
                })?
            }
        };
        let mut all: Vec<_> =
            others.iter().map(|one| (one.address, self.bytes_of(one).to_vec())).collect();
        all.push((at, bytes[..size as usize].to_vec()));
        self.write(all)?;
        Ok(at)
    }

    fn bytes_of(&self, one: &Installed) -> &[u8] {
        let at = (one.address - self.begin) as usize;
        &self.bytes[at..at + one.header.total_size as usize]
    }

    /// Writes the list anew: these applications, padding between them, and behind them erased flash
    /// as far as the list went before.
    fn write(&mut self, mut all: Vec<(u32, Vec<u8>)>) -> anyhow::Result<()> {
        all.sort_by_key(|(address, _)| *address);
        let mut list = Vec::new();
        for (address, bytes) in all {
            let free = self.begin + list.len() as u32;
            let gap = address - free;
            ensure!(
                gap == 0 || gap >= PADDING_LEAST,
                "{gap} bytes are left before {address:#010x}, too few for padding"
            );
            if gap > 0 {
                list.extend(padding(gap));
            }
            list.extend(bytes);
        }
        let before = (self.end_of_list - self.begin) as usize;
        // What lies behind the list may be somebody else's.
        if let Some(behind) = self.bytes.get(before..list.len()) {
            let first = behind.iter().position(|byte| ![ERASED, 0].contains(byte));
            if let Some(first) = first {
                bail!(
                    "something that is no application lies at {:#010x}: erase it, or keep \
                     applications away by a smaller range",
                    self.end_of_list + first as u32
                );
            }
        }
        let mut bytes = self.bytes.clone();
        if let Some(old) = bytes.get_mut(..before) {
            old.fill(ERASED);
        }
        let place = bytes.get_mut(..list.len()).context("the applications don't fit")?;
        place.copy_from_slice(&list);
        *self = Self::read(self.begin, bytes)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEGIN: u32 = 0x2_0000;

    fn application(name: &str, total: u32, fixed: Option<u32>, fill: u8) -> Vec<u8> {
        let fixed = fixed.map(|flash| (0x2000_4000, flash));
        let written =
            tbf::Application { name, binary: &[fill; 64], entry: 0, memory: 512, fixed, minor: 0 };
        written.write(0x80, total)
    }

    fn flash() -> Flash {
        let mut flash = Flash::read(BEGIN, vec![ERASED; 0x2000]).unwrap();
        for (name, fill) in [("one", 1), ("two", 2), ("three", 3)] {
            flash.install(&application(name, 512, None, fill)).unwrap();
        }
        flash
    }

    fn listed(flash: &Flash) -> Vec<(String, u32, bool)> {
        let all = flash.applications.iter();
        all.map(|one| (one.header.name.clone(), one.address, one.header.is_enabled)).collect()
    }

    #[test]
    fn one_is_updated_apart_from_the_others() {
        let mut flash = flash();
        let before = flash.bytes.clone();
        assert_eq!(flash.install(&application("two", 512, None, 9)).unwrap(), BEGIN + 512);
        let changed: Vec<_> =
            (0..before.len()).filter(|at| before[*at] != flash.bytes[*at]).collect();
        assert_eq!((changed.len(), changed[0]), (64, 512 + 0x80));
        // A larger one goes behind the others, and leaves padding.
        assert_eq!(flash.install(&application("two", 1024, None, 9)).unwrap(), BEGIN + 2048);
        let names: Vec<_> = listed(&flash).into_iter().map(|(name, ..)| name).collect();
        assert_eq!(names, ["one", "three", "two"]);
        assert_eq!(flash.install(&application("four", 512, None, 4)).unwrap(), BEGIN + 512);
    }

    #[test]
    fn what_is_uninstalled_leaves_padding_and_at_the_end_erased_flash() {
        let mut flash = flash();
        flash.uninstall("one").unwrap();
        let all = [("two".to_owned(), BEGIN + 512, true), ("three".to_owned(), BEGIN + 1024, true)];
        assert_eq!(listed(&flash), all);
        flash.uninstall("three").unwrap();
        flash.uninstall("two").unwrap();
        assert!(flash.into_bytes().iter().all(|byte| *byte == ERASED));
    }

    #[test]
    fn what_is_disabled_stays_and_can_be_enabled() {
        let mut flash = flash();
        let before = flash.bytes.clone();
        flash.enable("two", false).unwrap();
        assert_eq!(listed(&flash)[1], ("two".to_owned(), BEGIN + 512, false));
        flash.enable("two", true).unwrap();
        assert_eq!(flash.bytes, before);
    }

    #[test]
    fn each_refusal_names_the_cause_and_loses_nothing() {
        let mut flash = flash();
        let before = flash.bytes.clone();
        let said = |result: anyhow::Result<()>, part: &str| {
            let message = format!("{:#}", result.unwrap_err());
            assert!(message.contains(part), "{message}");
        };
        said(flash.uninstall("four"), "no application is named four; there are: one, two, three");
        said(flash.enable("", true), "no application is named ; there are");
        let at = application("four", 512, Some(BEGIN + 512 + 0x80), 4);
        said(flash.install(&at).map(drop), "was linked for 0x00020200, where two lies: uninstall");
        let at = application("four", 512, Some(0x80), 4);
        said(flash.install(&at).map(drop), "applications lie at 0x00020000 to 0x00022000: link it");
        let large = application("four", 0x4000, None, 4);
        said(flash.install(&large).map(drop), "four takes 16384 bytes, and no place for them");
        said(flash.install(&padding(512)).map(drop), "it is padding, and has no program");
        said(flash.install(b"no").map(drop), "less than a header");
        assert_eq!(flash.bytes, before);
    }

    #[test]
    fn what_is_no_application_is_not_written_over() {
        let mut bytes = flash().into_bytes();
        bytes[0x700] = 7;
        let mut flash = Flash::read(BEGIN, bytes.clone()).unwrap();
        let refused = flash.install(&application("four", 1024, None, 4)).unwrap_err().to_string();
        assert!(refused.contains("no application lies at 0x00020700: erase it"), "{refused}");
        assert_eq!(flash.bytes, bytes);
        let mut bytes = flash.into_bytes();
        bytes[0] = 7;
        let message = Flash::read(BEGIN, bytes).err().unwrap().to_string();
        assert!(message.contains("no application is at 0x00020000"), "{message}");
    }
}
