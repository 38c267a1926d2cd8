//! A firmware file, opened: its image, its debug information, its names.

pub mod code;
pub mod symbols;

use crate::debug::DebugInfo;
use crate::input;
use anyhow::{Context, bail};
use quintet_sim::image::Image;
use std::path::{Path, PathBuf};

/// A firmware file.
pub struct Firmware {
    /// Where it was read from.
    pub path: PathBuf,
    /// What is loaded.
    pub image: Image,
    /// What the compiler wrote down.
    pub debug: DebugInfo,
}

impl Firmware {
    /// Opens an ELF file, or a raw image that belongs at `load`.
    pub fn open(path: &Path, load: Option<u32>) -> anyhow::Result<Self> {
        let name = path.display();
        if path.is_dir() {
            bail!("{name} is a directory; pass the firmware's ELF file");
        }
        let bytes = input::firmware(path)?;
        let image = match load {
            None => Image::parse_elf(&bytes),
            Some(_) if Image::is_elf(&bytes) => {
                bail!(
                    "{name} is an ELF file, which says itself where it is loaded; leave --load out"
                )
            }
            Some(address) => Image::raw(&bytes, address),
        };
        let image = image.with_context(|| format!("cannot load {name}"))?;
        Ok(Self { path: path.to_owned(), image, debug: DebugInfo::load(&bytes) })
    }

    /// The address in words: `function+offset`, or that it lies in no function.
    pub fn describe(&self, address: u32) -> String {
        match self.image.function_at(address) {
            Some(symbol) if symbol.address == address => symbols::demangle(&symbol.name),
            Some(symbol) => {
                let offset = address - symbol.address;
                format!("{}+{offset:#x}", symbols::demangle(&symbol.name))
            }
            None => "in no function of the firmware".into(),
        }
    }

    /// The function's name at `address` without an offset, where there is one.
    pub fn function(&self, address: u32) -> Option<String> {
        self.image.function_at(address).map(|symbol| symbols::demangle(&symbol.name))
    }

    /// The functions at `address`, as far as debug information tells: those that were inlined, the
    /// innermost first, and the one that they were inlined into. Without it, the address in words.
    pub fn functions(&self, address: u32) -> Vec<String> {
        let places = self.debug.locate(address);
        let names = places.iter().filter_map(|place| place.function.as_deref());
        let names: Vec<String> = names.map(without_generics).collect();
        if names.is_empty() { vec![self.describe(address)] } else { names }
    }

    /// The last `most` of the [functions](Self::functions) at `address`, which are nearest to what
    /// the user wrote, each with its type, if it has one, and without its modules.
    pub fn functions_in_words(&self, address: u32, most: usize) -> String {
        let names = self.functions(address);
        let names: Vec<&str> = names.iter().map(|name| without_path(name)).collect();
        names[names.len().saturating_sub(most)..].join(" in ")
    }
}

/// A function's name without its modules: with its type, if it has one.
fn without_path(name: &str) -> &str {
    let Some((path, _)) = name.rsplit_once("::") else { return name };
    let parent = path.rsplit("::").next().unwrap_or(path);
    let kept = if parent.starts_with(char::is_uppercase) { parent.len() + 2 } else { 0 };
    name.get(path.len() + 2 - kept..).unwrap_or(name)
}

/// A function's name without what stands between angle brackets.
fn without_generics(name: &str) -> String {
    let mut depth = 0_u32;
    let mut before = ' ';
    let mut plain = String::new();
    for character in name.chars() {
        match character {
            '<' => depth += 1,
            // Not that of an arrow.
            '>' if before != '-' => depth = depth.saturating_sub(1),
            _ if depth == 0 => plain.push(character),
            _ => {}
        }
        before = character;
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_readable() {
        assert_eq!(without_generics("with<(), x::wake::{closure_env#0}<A, B<C>>>"), "with");
        assert_eq!(without_generics("poll<fn(u64) -> Future<T>, Ready>"), "poll");
        assert_eq!(without_generics("TIM4"), "TIM4");
    }

    #[test]
    fn names_have_their_type_and_no_modules() {
        let cases = [
            ("quintet::sync::semaphore::Semaphore::give", "Semaphore::give"),
            ("quintet::core::lock::kernel", "kernel"),
            ("SysTick", "SysTick"),
            ("Semaphore::give", "Semaphore::give"),
            ("a::", ""),
        ];
        for (name, short) in cases {
            assert_eq!(without_path(name), short);
        }
    }
}
