//! A firmware file, opened: its image, its debug information, its names.

pub mod code;
pub mod crates;
pub mod entries;
pub mod facts;
pub mod guest;
pub mod names;
pub mod raw;
mod several;
pub mod symbols;

use crate::debug::{DebugInfo, Place};
use crate::input;
use crate::svd::Svd;
use anyhow::{Context, bail};
use quintet_sim::image::{Format, Image, Target};
use quintet_sim::script::Names;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A firmware file.
pub struct Firmware {
    /// The path of the file.
    pub path: PathBuf,
    /// The loaded image.
    pub image: Image,
    /// The compiler's debug information.
    pub debug: DebugInfo,
    /// The programs beside it whose names are known.
    pub guests: Vec<guest::Named>,
    /// The names of the chip's registers, where somebody has given them.
    pub svd: Option<Arc<Svd>>,
}

impl Firmware {
    /// Opens a file that contains its load addresses (ELF, Intel HEX, S-record, UF2), or a raw
    /// image for the address `load`.
    pub fn open(path: &Path, load: Option<u32>) -> anyhow::Result<Self> {
        Self::open_for(path, load, &Target::default())
    }

    /// The same, for a file with images for several boards. `target` selects one.
    pub fn open_for(path: &Path, load: Option<u32>, target: &Target) -> anyhow::Result<Self> {
        let name = path.display();
        if path.is_dir() {
            bail!("{name} is a directory; pass the firmware's ELF file");
        }
        Self::of_bytes(path, &input::firmware(path)?, load, target)
    }

    /// The same, of a file that somebody has read.
    pub fn of_bytes(
        path: &Path,
        bytes: &[u8],
        load: Option<u32>,
        target: &Target,
    ) -> anyhow::Result<Self> {
        let name = path.display();
        let image = match (load, Format::of(bytes)) {
            (None, _) => Image::parse(bytes, target),
            (Some(_), Some(format)) => {
                bail!(
                    "{name} is {}, which says itself where it is loaded; leave --load out",
                    format.name()
                )
            }
            (Some(address), None) => Image::raw(bytes, address),
        };
        let image = image.with_context(|| format!("cannot load {name}"))?;
        Ok(Self::of_image(path, image, bytes))
    }

    /// The same, of an image that somebody has read from the bytes.
    pub fn of_image(path: &Path, image: Image, bytes: &[u8]) -> Self {
        let debug = DebugInfo::load(bytes);
        Self { path: path.to_owned(), image, debug, guests: Vec::new(), svd: None }
    }

    /// Returns the same for another thread: questions to the debug information fill caches.
    #[must_use]
    pub fn copy(&self) -> Self {
        Self {
            path: self.path.clone(),
            image: self.image.clone(),
            debug: self.debug.copy(),
            guests: self.guests.clone(),
            svd: self.svd.clone(),
        }
    }

    /// Returns the address in words: `function+offset`, or that it lies in no function. Without
    /// symbols, the code that vectors lead to has their names.
    pub fn describe(&self, address: u32) -> String {
        match self.image.function_at(address) {
            Some(symbol) if symbol.address == address => symbols::demangle(&symbol.name),
            Some(symbol) => {
                let offset = address - symbol.address;
                format!("{}+{offset:#x}", symbols::demangle(&symbol.name))
            }
            None => entries::name(&self.image, address)
                .unwrap_or_else(|| "in no function of the firmware".into()),
        }
    }

    /// The function's name at `address` without an offset, where there is one.
    pub fn function(&self, address: u32) -> Option<String> {
        self.image.function_at(address).map(|symbol| symbols::demangle(&symbol.name))
    }

    /// Returns the words for an address at which the board has nothing, with the register's name.
    pub fn nothing_at(&self, address: u32) -> String {
        match self.svd.as_ref().and_then(|svd| svd.at(address, None)) {
            Some(register) => format!("{}, where the board has nothing", register.path()),
            None => "where nothing is".to_owned(),
        }
    }

    /// Returns the functions and lines at `address`, the innermost inlined function first. Debug
    /// information gives clones and parts their function's name; the symbol tells them apart.
    pub fn locate(&self, address: u32) -> Vec<Place> {
        let mut places = self.debug.locate(address);
        let symbol = self.image.function_at(address);
        let symbol = symbol.filter(|symbol| names::split(&symbol.name).2 != names::Kind::Whole);
        if let (Some(symbol), Some(outer)) = (symbol, places.last_mut()) {
            let name = symbols::demangle(&symbol.name);
            let is_it = |function: &String| names::answers_to(&name, function);
            if outer.function.as_ref().is_some_and(is_it) {
                outer.function = Some(name);
            }
        }
        places
    }

    /// Returns the functions at `address`, by the debug information: the inlined functions, the
    /// innermost first, and the function into which they were inlined. Without debug information,
    /// the address in words.
    pub fn functions(&self, address: u32) -> Vec<String> {
        let places = self.locate(address);
        let names: Vec<String> = places.iter().filter_map(Place::plain_function).collect();
        if names.is_empty() { vec![self.describe(address)] } else { names }
    }

    /// Returns the last `most` of the [functions](Self::functions) at `address`, which are nearest
    /// to the user's code. Each has its type, if it has one, and no modules.
    pub fn functions_in_words(&self, address: u32, most: usize) -> String {
        let names = self.functions(address);
        let names: Vec<&str> = names.iter().map(|name| without_path(name)).collect();
        names[names.len().saturating_sub(most)..].join(" in ")
    }
}

/// Returns a function's name without its modules, but with its type, if it has one.
fn without_path(name: &str) -> &str {
    // The rest is parameters, which have paths of their own.
    let is_list = |(at, _): &(usize, &str)| {
        name[..*at].ends_with(|before: char| before.is_alphanumeric() || before == '_')
    };
    let end = name.match_indices('(').find(is_list).map_or(name.len(), |(at, _)| at);
    let Some((path, _)) = name[..end].rsplit_once("::") else { return name };
    let parent = path.rsplit("::").next().unwrap_or(path);
    let kept = if parent.starts_with(char::is_uppercase) { parent.len() + 2 } else { 0 };
    name.get(path.len() + 2 - kept..).unwrap_or(name)
}

impl Names for Firmware {
    fn variable(&self, name: &str) -> Result<(u32, u32), String> {
        symbols::variable(&self.image, name).map_err(|error| error.to_string())
    }

    fn code(&self, name: &str) -> Result<u32, String> {
        symbols::resolve(&self.image, name).map_err(|error| error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_their_type_and_no_modules() {
        let cases = [
            ("quintet::sync::semaphore::Semaphore::give", "Semaphore::give"),
            ("quintet::core::lock::kernel", "kernel"),
            ("SysTick", "SysTick"),
            ("Semaphore::give", "Semaphore::give"),
            ("a::", ""),
            ("bus::Sensor::read(std::string, int) const", "Sensor::read(std::string, int) const"),
            ("bus::step(std::string)+0x4", "step(std::string)+0x4"),
        ];
        for (name, short) in cases {
            assert_eq!(without_path(name), short);
        }
    }
}
