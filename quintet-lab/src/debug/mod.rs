//! The compiler's information: lines and functions by address, and the rules for unwinding.
//!
//! Everything here is best effort. Firmware without DWARF, or with damaged DWARF, gives fewer
//! answers, never an error. Information that would take too much stack or memory is left out, with
//! a warning.

mod augmentation;
pub mod backtrace;
mod bounds;
mod dead_code;
pub mod evaluate;
pub mod lines;
pub mod owner;
mod split;
pub mod types;
mod unwind;
pub mod values;
pub mod variables;
pub mod walk;

use crate::firmware::names::without_generics;
use crate::firmware::symbols::demangle;
use crate::log::Defmt;
use crate::output;
use bounds::{Bounds, Excess};
use gimli::{DebugFrame, Dwarf, EhFrame, EndianArcSlice, LittleEndian, SectionId};
use lines::Lines;
use object::{Object, ObjectSection};
use owner::{Clues, Owner, Roots, Source};
use std::cell::OnceCell;
use std::sync::Arc;
use types::Types;

type Reader = EndianArcSlice<LittleEndian>;

/// A function and a line of source.
#[derive(Clone, PartialEq, Eq, Debug, Default, serde::Serialize)]
pub struct Place {
    /// The function's path, demangled.
    pub function: Option<String>,
    /// The source file.
    pub file: Option<String>,
    /// The line in the file.
    pub line: Option<u32>,
    /// `true` if the function was inlined into the next place's.
    pub inlined: bool,
    /// The whole path of the file, as the compiler knew it.
    #[serde(skip)]
    pub path: Option<String>,
    /// Whose code it is.
    #[serde(skip)]
    pub owner: Owner,
    /// `true` if the function's name is Rust's, so that its generic arguments are noise: of C++
    /// templates, the arguments tell functions apart.
    #[serde(skip)]
    pub is_rust: bool,
}

impl Place {
    /// Returns `true` if the place is in the firmware's own source, and not in the compiler's
    /// library or a package that cargo has fetched.
    pub fn is_own(&self) -> bool {
        self.owner == Owner::Firmware
    }

    /// Of several places of one address, inlined ones first: the firmware's own, else the first
    /// that is in a package, as a driver's beside a `read_volatile` of the compiler's library, else
    /// the first.
    pub fn own_of(places: &[Self]) -> Option<&Self> {
        let of_package = places.iter().find(|place| place.owner == Owner::Package);
        places.iter().find(|place| place.is_own()).or(of_package).or(places.first())
    }

    /// A place in a file.
    #[cfg(test)]
    pub fn in_file(file: &str) -> Self {
        Self { file: Some(file.to_owned()), owner: Source::of(file).owner, ..Self::default() }
    }

    /// The function's name, of Rust without generic arguments.
    pub fn plain_function(&self) -> Option<String> {
        let function = self.function.as_deref()?;
        Some(if self.is_rust { without_generics(function) } else { function.to_owned() })
    }

    /// Returns, for people, an address with the functions of its places.
    pub fn at(address: u32, places: &[Self]) -> String {
        let function = Self::own_of(places).map(Self::function_and_line).unwrap_or_default();
        format!("{address:#010x} {function}").trim_end().to_owned()
    }

    /// Returns, for people, the function, with the file and the line in parentheses.
    pub fn function_and_line(&self) -> String {
        let mut text = String::new();
        if let Some(function) = &self.function {
            text.push_str(if function.starts_with("in ") { "" } else { "in " });
            text.push_str(function);
        }
        if let Some(file) = &self.file {
            let line = self.line.map(|line| format!(":{line}")).unwrap_or_default();
            let space = if text.is_empty() { "" } else { " " };
            text.push_str(&format!("{space}({file}{line})"));
        }
        text
    }

    /// For people: the file and the line, and the function in parentheses.
    pub fn text(&self) -> String {
        let mut text = self.file.clone().unwrap_or_default();
        text.extend(self.line.iter().map(|line| format!(":{line}")));
        text.extend(self.function.iter().map(|function| format!(" ({function})")));
        text
    }
}

/// The debug information of one firmware file.
pub struct DebugInfo {
    file: Vec<u8>,
    /// These are made at the first question: most runs ask none.
    dwarf: OnceCell<Option<Arc<Dwarf<Reader>>>>,
    context: OnceCell<Option<addr2line::Context<Reader>>>,
    types: OnceCell<Arc<Types>>,
    lines: OnceCell<Lines>,
    units: OnceCell<Vec<gimli::Unit<Reader>>>,
    roots: OnceCell<Roots>,
    defmt: OnceCell<Defmt>,
    frames: DebugFrame<Reader>,
    /// The same rules as compilers write them for C++ and RISC-V, and the address of the section.
    exception_frames: (EhFrame<Reader>, u64),
    /// The debug information of the files that run together with this one.
    also: Vec<Also>,
}

/// The debug information of another file, and the addresses for which it is asked.
struct Also {
    debug: DebugInfo,
    /// The first address, and the address behind the last; `None` for all.
    range: Option<(u32, u32)>,
    /// How much higher the code lies than it was linked for.
    by: u32,
}

impl Also {
    /// Returns the address as the file has it, if the file is to be asked for it.
    fn linked(&self, address: u32) -> Option<u32> {
        let is_here = self.range.is_none_or(|(begin, end)| (begin..end).contains(&address));
        is_here.then(|| address.wrapping_sub(self.by))
    }
}

impl DebugInfo {
    /// Takes the DWARF sections of an ELF file, and nothing of other files.
    pub fn load(bytes: &[u8]) -> Self {
        let file = object::File::parse(bytes).ok();
        let excess = file.as_ref().and_then(|file| bounds::check_sizes(file, &Bounds::USUAL).err());
        let readable = file.filter(|_| excess.is_none());
        let exception_frames = exception_frames(readable.as_ref());
        let frames = readable.map(|file| section(&file, ".debug_frame"));
        let mut frames = frames.unwrap_or_default();
        augmentation::remove(&mut frames);
        let mut frames = DebugFrame::from(reader(&frames));
        frames.set_address_size(4);
        let dwarf = OnceCell::new();
        if let Some(excess) = excess {
            output::complain(&excess.to_string());
            let _ = dwarf.set(None);
        }
        Self {
            file: bytes.to_vec(),
            dwarf,
            context: OnceCell::new(),
            types: OnceCell::new(),
            lines: OnceCell::new(),
            units: OnceCell::new(),
            roots: OnceCell::new(),
            defmt: OnceCell::new(),
            frames,
            exception_frames,
            also: Vec::new(),
        }
    }

    /// Returns the same for another thread, which has its own caches.
    #[must_use]
    pub fn copy(&self) -> Self {
        let also = |one: &Also| Also { debug: one.debug.copy(), ..*one };
        Self {
            file: self.file.clone(),
            dwarf: OnceCell::from(self.dwarf().cloned()),
            context: OnceCell::new(),
            types: OnceCell::new(),
            lines: OnceCell::new(),
            units: OnceCell::new(),
            roots: OnceCell::new(),
            defmt: OnceCell::new(),
            frames: self.frames.clone(),
            exception_frames: self.exception_frames.clone(),
            also: self.also.iter().map(also).collect(),
        }
    }

    /// Adds the debug information of another file that runs together with this one.
    pub fn add(&mut self, other: Self) {
        self.also.push(Also { debug: other, range: None, by: 0 });
    }

    /// The same, of a file whose code lies in `range`, which is `by` bytes higher than it was
    /// linked for.
    pub fn add_moved(&mut self, other: Self, range: (u32, u32), by: u32) {
        self.also.push(Also { debug: other, range: Some(range), by });
    }

    /// Returns everything but the rules for unwinding. `None` if the file has none, or too much.
    fn dwarf(&self) -> Option<&Arc<Dwarf<Reader>>> {
        let read = || match dwarf(&self.file, &Bounds::USUAL)? {
            Ok(dwarf) => {
                if let Some(said) = split::said(&dwarf) {
                    output::complain(&said);
                }
                Some(Arc::new(dwarf))
            }
            Err(excess) => {
                output::complain(&excess.to_string());
                None
            }
        };
        self.dwarf.get_or_init(read).as_ref()
    }

    fn context(&self) -> Option<&addr2line::Context<Reader>> {
        let context = || addr2line::Context::from_arc_dwarf(self.dwarf()?.clone()).ok();
        self.context.get_or_init(context).as_ref()
    }

    /// Returns the statics with their types.
    pub fn types(&self) -> &Arc<Types> {
        let read = || self.dwarf().map(|dwarf| Types::read(dwarf)).unwrap_or_default();
        self.types.get_or_init(|| Arc::new(read()))
    }

    /// Returns the lines and their addresses, those of the other files too.
    pub fn lines(&self) -> &Lines {
        self.lines.get_or_init(|| {
            let mut lines = Lines::default();
            if let Some(dwarf) = self.dwarf() {
                lines.read(dwarf, self.units());
            }
            for also in &self.also {
                lines.add(also.debug.lines(), also.range, also.by);
            }
            lines.sorted()
        })
    }

    /// Returns the compilation units.
    fn units(&self) -> &[gimli::Unit<Reader>] {
        self.units.get_or_init(|| {
            let mut units = Vec::new();
            let Some(dwarf) = self.dwarf() else { return units };
            let mut headers = dwarf.units();
            // Damaged information ends the list.
            while let Ok(Some(header)) = headers.next() {
                units.extend(dwarf.unit(header).ok());
            }
            units
        })
    }

    /// Returns the content of the file.
    pub fn file(&self) -> &[u8] {
        &self.file
    }

    /// The messages of firmware that logs with defmt.
    pub fn defmt(&self) -> &Defmt {
        self.defmt.get_or_init(|| Defmt::open(&self.file))
    }

    /// Returns the place of one of these messages in the source.
    pub fn defmt_location(&self, index: u64) -> Option<Place> {
        let Defmt::Messages(messages) = self.defmt() else { return None };
        let place = messages.location(index, &self.file)?;
        let owner = place.file.as_deref().map_or(Owner::Firmware, |file| Source::of(file).owner);
        let file = place.file.as_deref().map(shorten).map(without_registry);
        Some(Place { file, owner, ..place })
    }

    /// The functions and lines at `address`, the innermost inlined function first. Empty when
    /// unknown.
    pub fn locate(&self, address: u32) -> Vec<Place> {
        let others = self
            .also
            .iter()
            .filter_map(|also| also.linked(address).map(|address| also.debug.locate_here(address)));
        let all = std::iter::once(self.locate_here(address)).chain(others);
        all.into_iter().find(|places| !places.is_empty()).unwrap_or_default()
    }

    /// Returns the directories of the image's crates.
    fn roots(&self) -> &Roots {
        self.roots.get_or_init(|| self.dwarf().map(|dwarf| Roots::read(dwarf)).unwrap_or_default())
    }

    fn locate_here(&self, address: u32) -> Vec<Place> {
        let Some(context) = self.context() else { return Vec::new() };
        let address = u64::from(address);
        let Ok(mut frames) = context.find_frames(address).skip_all_loads() else {
            return Vec::new();
        };
        let unit = context.find_dwarf_and_unit(address).skip_all_loads();
        let unit = unit.and_then(|unit| owner::unit_path(unit.unit));
        let mut places = Vec::new();
        while let Ok(Some(frame)) = frames.next() {
            let raw = frame.function.as_ref().and_then(|name| name.raw_name().ok());
            let function = raw.map(|name| demangle(&name));
            let language = frame.function.as_ref().and_then(|name| name.language);
            let location = frame.location.as_ref();
            let file = location.and_then(|location| location.file).map(straighten);
            let owner = self.roots().owner(&Clues {
                file: file.as_deref(),
                function: function.as_deref(),
                is_rust: language == Some(gimli::DW_LANG_Rust),
                unit: unit.as_deref(),
            });
            places.push(Place {
                function,
                file: file.as_deref().map(shorten),
                path: file,
                line: location.and_then(|location| location.line),
                inlined: true,
                owner,
                is_rust: language == Some(gimli::DW_LANG_Rust),
            });
        }
        if let Some(last) = places.last_mut() {
            last.inlined = false;
        }
        places
    }
}

fn reader(bytes: &[u8]) -> Reader {
    EndianArcSlice::new(Arc::from(bytes), LittleEndian)
}

/// Returns a section's content. Compilers compress it with `-gz`.
fn section(file: &object::File<'_>, name: &str) -> Vec<u8> {
    let section = file.section_by_name(name);
    let data = section.and_then(|section| section.uncompressed_data().ok());
    data.unwrap_or_default().into_owned()
}

/// The rules in `.eh_frame`, and its address, from which their addresses count.
fn exception_frames(file: Option<&object::File<'_>>) -> (EhFrame<Reader>, u64) {
    const NAME: &str = ".eh_frame";
    let address = file.and_then(|file| file.section_by_name(NAME));
    let address = address.map_or(0, |section| section.address());
    let bytes = file.map(|file| section(file, NAME)).unwrap_or_default();
    let mut frames = EhFrame::from(reader(&bytes));
    frames.set_address_size(4);
    (frames, address)
}

/// Returns everything but the rules for unwinding, if it is within bounds.
fn dwarf(bytes: &[u8], bounds: &Bounds) -> Option<Result<Dwarf<Reader>, Excess>> {
    let file = object::File::parse(bytes).ok()?;
    let abbreviations = section(&file, ".debug_abbrev");
    let mut info = section(&file, ".debug_info");
    if let Err(excess) = bounds::check_abbreviations(&info, &abbreviations, bounds) {
        return Some(Err(excess));
    }
    dead_code::banish_functions(&mut info, &abbreviations);
    let load = |id: SectionId| {
        Ok::<_, gimli::Error>(match id {
            SectionId::DebugInfo => reader(&info),
            SectionId::DebugAbbrev => reader(&abbreviations),
            SectionId::DebugLine => {
                let mut lines = section(&file, id.name());
                dead_code::banish_lines(&mut lines);
                reader(&lines)
            }
            _ => reader(&section(&file, id.name())),
        })
    };
    let dwarf = Dwarf::load(load).ok()?;
    Some(bounds::check(&dwarf, bounds).map(|()| dwarf))
}

/// Shortens a path for readers: relative to the working directory if the file is inside, and
/// without the commit or the toolchain's directory for Rust's library. So the library's paths are
/// the same wherever its sources are installed, or not. A `..` is resolved.
fn shorten(file: &str) -> String {
    let file = &straighten(file);
    if let Some(path) = Source::of(file).in_crate(Owner::Toolchain) {
        return format!("/rustc/library/{path}");
    }
    let directory = std::env::current_dir().unwrap_or_default();
    match std::path::Path::new(file).strip_prefix(directory) {
        Ok(relative) => relative.display().to_string(),
        Err(_) => file.to_owned(),
    }
}

/// The path of a file of a package, from the package on.
fn without_registry(file: String) -> String {
    Source::of(&file).in_crate(Owner::Package).unwrap_or(file)
}

/// Leaves out `directory/..`, of which C libraries have many. The separator of Windows becomes
/// ours, so that files are found by their ends whoever compiled them.
fn straighten(file: &str) -> String {
    let file = &file.replace('\\', "/");
    let mut parts: Vec<&str> = Vec::new();
    for part in file.split('/') {
        match (part, parts.last()) {
            ("..", Some(&last)) if !matches!(last, "" | "." | "..") => drop(parts.pop()),
            _ => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::{Place, shorten, straighten, without_registry};

    #[test]
    fn the_place_of_an_inlined_function_is_the_nearest_that_says_something() {
        let of = |files: &[&str]| {
            let places: Vec<_> = files.iter().map(|file| Place::in_file(file)).collect();
            Place::own_of(&places).and_then(|place| place.file.clone())
        };
        let (core, driver) =
            ("/rustc/library/core/src/ptr/mod.rs", "/x/registry/src/y/qspi-1.0.0/a.rs");
        assert_eq!(of(&[core, driver, "src/main.rs"]).as_deref(), Some("src/main.rs"));
        assert_eq!(of(&[core, driver]).as_deref(), Some(driver));
        assert_eq!(of(&[core]).as_deref(), Some(core));
        assert_eq!(of(&[]), None);
    }

    #[test]
    fn templates_keep_their_arguments() {
        let place = |is_rust| Place {
            function: Some("Array<int, 4>::sum() const".to_owned()),
            is_rust,
            ..Place::default()
        };
        let plain = |is_rust| place(is_rust).plain_function();
        assert_eq!(plain(false).as_deref(), Some("Array<int, 4>::sum() const"));
        assert_eq!(plain(true).as_deref(), Some("Array::sum() const"));
    }

    #[test]
    fn the_librarys_paths_are_the_same_wherever_it_is() {
        let hash = "59807616e1fa2540724bfbac14d7976d7e4a3860";
        for root in [&format!("/rustc/{hash}"), "/h/x/.rustup/toolchains/1.95/lib/rustlib/src/rust"]
        {
            let file = format!("{root}/library/core/src/ptr/mod.rs");
            assert_eq!(shorten(&file), "/rustc/library/core/src/ptr/mod.rs");
        }
        assert_eq!(shorten("/x/library/core/src/a.rs"), "/x/library/core/src/a.rs");
    }

    #[test]
    fn files_of_crates_are_told_without_the_registry() {
        let file = "/cargo/registry/src/index-1/panic-probe-1.0.0/src/lib.rs";
        assert_eq!(without_registry(file.into()), "panic-probe-1.0.0/src/lib.rs");
        assert_eq!(without_registry("src/main.rs".into()), "src/main.rs");
    }

    #[test]
    fn paths_go_straight() {
        assert_eq!(straighten("/build/libc/string/../../../libc/memset.c"), "/libc/memset.c");
        assert_eq!(straighten("../src/../main.c"), "../main.c");
        assert_eq!(straighten("../../main.c"), "../../main.c");
        assert_eq!(straighten("/../main.c"), "/../main.c");
        assert_eq!(straighten("src/main.rs"), "src/main.rs");
        assert_eq!(straighten("C:\\own\\app\\..\\src\\main.c"), "C:/own/src/main.c");
    }
}
