//! The table of tests that `embedded-test` from 0.7 on leaves in the ELF file.
//!
//! The table is the section `.embedded_test`, which isn't loaded. A symbol `EMBEDDED_TEST_VERSION`
//! in this section holds the protocol's version. Each test is a symbol whose name is a JSON object.
//! At the symbol's address are the address of the test's entry and its module path. Up to 0.6 the
//! section holds only the version, 0, and the program lists its tests itself.
//!
//! Any unreadable part of the table is an error: a test that is left out would count as passed.

use super::{Declaration, Test};
use anyhow::{Context, bail};
use object::{Object, ObjectSection, ObjectSymbol, SymbolKind};

/// The symbol of the version.
const VERSION: &str = "EMBEDDED_TEST_VERSION";

/// The longest module path: all tests may share one.
const MODULE_MAX: u32 = 4096;

/// The file's information about its tests.
pub enum Table {
    /// The list of tests.
    Tests(Vec<Test>),
    /// The program knows the list.
    AskProgram,
}

/// Reads the table of an ELF file; `None` if it is not a test binary of this kind.
pub fn read(bytes: &[u8]) -> anyhow::Result<Option<Table>> {
    let Ok(file) = object::File::parse(bytes) else { return Ok(None) };
    let Some(section) = file.section_by_name(".embedded_test") else { return Ok(None) };
    let data = section.data().context("the section .embedded_test cannot be read")?;
    let content = Content { file: &file, start: section.address(), data };
    let inside = file.symbols().filter(|symbol| symbol.section_index() == Some(section.index()));
    let (mut version, mut tests, mut explained) = (None, Vec::new(), 0_u64);
    for symbol in inside.filter(|symbol| symbol.kind() != SymbolKind::Section) {
        let name = symbol.name().context("the name of a test cannot be read")?;
        // Mapping symbols say that there is data.
        if name.starts_with('$') {
            continue;
        }
        explained = explained.saturating_add(symbol.size());
        if name == VERSION {
            version = Some(content.word(symbol.address()));
        } else {
            tests.push(content.test(name, symbol.address())?);
        }
    }
    let Some(version) = version else {
        bail!(
            "the section .embedded_test has no symbol {VERSION}, so its tests cannot be found: \
             leave symbols in the ELF file (no `strip = true` in the profile)"
        );
    };
    match version {
        Some(0) => return Ok(Some(Table::AskProgram)),
        Some(1) => {}
        Some(other) => bail!(
            "the tests use version {other} of the embedded-test protocol, which is not known here; \
             the crate embedded-test has versions 0 (up to 0.6) and 1 (0.7)"
        ),
        None => bail!("{VERSION} lies outside the section .embedded_test"),
    }
    if tests.is_empty() {
        bail!(
            "the section .embedded_test has no test, so nothing would be tested: mark functions \
             with #[test], or take the file out of [[test]]"
        );
    }
    if explained < data.len() as u64 {
        bail!(
            "the section .embedded_test has {} bytes, and symbols explain {explained} of them: \
             tests are missing, so build it anew and leave its symbols in",
            data.len()
        );
    }
    Ok(Some(Table::Tests(tests)))
}

struct Content<'a> {
    file: &'a object::File<'a>,
    start: u64,
    data: &'a [u8],
}

impl Content<'_> {
    fn word(&self, address: u64) -> Option<u32> {
        let offset = usize::try_from(address.checked_sub(self.start)?).ok()?;
        let word = self.data.get(offset..offset.checked_add(4)?)?;
        Some(u32::from_le_bytes(word.try_into().ok()?))
    }

    fn test(&self, name: &str, address: u64) -> anyhow::Result<Test> {
        let declared: Declaration = serde_json::from_str(name)
            .with_context(|| format!("cannot understand the test {}", shortened(name)))?;
        let at = |offset: u64| address.checked_add(offset).and_then(|at| self.word(at));
        let (Some(entry), Some(module), Some(length)) = (at(0), at(4), at(8)) else {
            bail!("the test {} has no entry", declared.name);
        };
        if entry & 1 == 0 || !self.is_code(entry) {
            bail!("the entry of the test {}, {entry:#010x}, is no code", declared.name);
        }
        let Some(module) = self.text(module, length) else {
            let name = declared.name;
            bail!("the module of the test {name} cannot be read: {length} bytes at {module:#010x}");
        };
        let name = format!("{}{}", strip_crate(&module), declared.name);
        Ok(declared.test(name, format!("run_addr {entry}")))
    }

    /// Returns `true` if a section of code holds the address.
    fn is_code(&self, entry: u32) -> bool {
        let mut code = self.file.sections().filter(|one| one.kind() == object::SectionKind::Text);
        code.any(|one| u64::from(entry & !1).wrapping_sub(one.address()) < one.size())
    }

    /// The string at an address of a loaded section.
    fn text(&self, start: u32, length: u32) -> Option<String> {
        if length > MODULE_MAX {
            return None;
        }
        let bytes = self.file.sections().find_map(|section| {
            section.data_range(u64::from(start), u64::from(length)).ok().flatten()
        })?;
        Some(String::from_utf8_lossy(bytes).into_owned())
    }
}

/// The module path without the crate, as libtest shows it, with `::` behind it.
fn strip_crate(module: &str) -> String {
    module.split_once("::").map(|(_, rest)| format!("{rest}::")).unwrap_or_default()
}

/// The beginning of a name, as much as a message needs.
fn shortened(name: &str) -> String {
    const SHOWN: usize = 80;
    match name.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}..", &name[..end]),
        None => name.to_owned(),
    }
}

#[cfg(test)]
mod tests;
