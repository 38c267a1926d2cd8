//! Whose code a place is: the firmware's own, that of a package, or that of the toolchain.
//!
//! Every command that tells your lines from others asks here. The path of the file decides first.
//! Toolchains and cargo keep sources in directories with names of their own, which are known
//! wherever they lie: on this machine or another, with the separators of Unix or of Windows. Where
//! a path says nothing, as a compiler can be told to write other paths, the function's crate
//! decides, then the root of a crate that the image says it has, then the compilation unit.

use super::Reader;
use gimli::Dwarf;

/// The owner of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Owner {
    /// The firmware's own tree, and what it takes from directories beside it.
    #[default]
    Firmware,
    /// A package that cargo has fetched from a registry or a repository.
    Package,
    /// The library and the headers of a compiler, of Rust or of C.
    Toolchain,
}

/// The crates of Rust's library.
const LIBRARY: [&str; 9] = [
    "alloc",
    "compiler_builtins",
    "core",
    "panic_abort",
    "panic_unwind",
    "portable_simd",
    "std",
    "stdarch",
    "unwind",
];

/// Directories that sources and headers of C and C++ toolchains lie in, one inside the other: `*`
/// is any directory, and `#` one that begins with a digit, as versions do.
const LIBRARIES_OF_C: [&[&str]; 14] = [
    &["newlib", "libc"],
    &["newlib", "libm"],
    &["picolibc", "libc"],
    &["picolibc", "libm"],
    &["libgloss"],
    &["libgcc"],
    &["libstdc++-v3"],
    &["compiler-rt", "lib", "builtins"],
    &["llvm-project", "libc"],
    &["llvm-project", "libcxx"],
    &["lib", "gcc", "*", "#"],
    &["lib", "clang", "#"],
    &["include", "newlib"],
    &["include", "c++"],
];

/// A path that is understood.
pub struct Source<'a> {
    /// Whose it is.
    pub owner: Owner,
    /// The crate, if the path tells it.
    crate_name: Option<&'a str>,
    /// The parts of the path, from the crate's directory on where others own the file.
    inside: Vec<&'a str>,
}

impl<'a> Source<'a> {
    /// Reads a path.
    pub fn of(file: &'a str) -> Self {
        let parts: Vec<&str> = file.split(['/', '\\']).collect();
        let found = of_rust(&parts).map(|(name, at)| (Owner::Toolchain, name, at));
        let package = || of_package(&parts).map(|(name, at)| (Owner::Package, name, at));
        if let Some((owner, name, at)) = found.or_else(package) {
            return Self { owner, crate_name: Some(name), inside: parts[at..].to_vec() };
        }
        let owner = if is_of_c(&parts) { Owner::Toolchain } else { Owner::Firmware };
        let crate_name = if owner == Owner::Firmware { own_crate(&parts) } else { None };
        Self { owner, crate_name, inside: parts }
    }

    /// The crate of the file, as the compiler writes it. `None` if the path doesn't tell it.
    pub fn crate_name(&self) -> Option<String> {
        self.crate_name.map(written)
    }

    /// The path in Rust's library or in a package, from the crate's directory on.
    pub fn in_crate(&self, owner: Owner) -> Option<String> {
        (self.owner == owner && self.crate_name.is_some()).then(|| self.inside.join("/"))
    }
}

/// The name of a package as the compiler writes it.
fn written(name: &str) -> String {
    name.replace('-', "_")
}

/// The crate of a file that nobody else owns: a file in `src/bin` is a crate of its own, and the
/// directory around `src` has the name of another.
fn own_crate<'a>(parts: &[&'a str]) -> Option<&'a str> {
    let source = parts.iter().rposition(|part| *part == "src")?;
    match parts[source + 1..] {
        ["bin", binary, ..] => binary.split('.').next(),
        _ => parts[..source].last().copied().filter(|name| !name.is_empty()),
    }
}

/// Returns `true` for a crate of Rust's library.
pub fn is_library(crate_name: &str) -> bool {
    LIBRARY.contains(&crate_name)
}

/// Returns `true` for the file that every panic goes through.
pub fn is_panicking(file: &str) -> bool {
    let source = Source::of(file);
    source.owner == Owner::Toolchain && source.inside == ["core", "src", "panicking.rs"]
}

/// Returns `true` for the framework's files where it isn't a package.
pub fn is_framework(file: &str) -> bool {
    let source = Source::of(file);
    source.owner == Owner::Firmware && has(&source.inside, &["quintet", "src"])
}

/// The crate in a path of Rust's library, and where its directory is.
fn of_rust<'a>(parts: &[&'a str]) -> Option<(&'a str, usize)> {
    let is_hash = |text: &str| text.len() == 40 && text.bytes().all(|one| one.is_ascii_hexdigit());
    let at = match parts {
        // A compiler without the library's sources writes paths that begin so.
        ["", "rustc", "library" | "vendor", ..] | ["", "rust", "deps", ..] => 3,
        ["", "rustc", hash, "library" | "vendor", ..] if is_hash(hash) => 4,
        _ => {
            let sources = ["lib", "rustlib", "src", "rust"];
            let component = parts.windows(4).position(|part| part == sources).map(|at| at + 5);
            // Distributions build the library in the directory that the archive has.
            let archive = |part: &[&str]| {
                let version = part[0].strip_prefix("rustc-").unwrap_or_default();
                version.starts_with(|first: char| first.is_ascii_digit()) && part[1] == "library"
            };
            component.or_else(|| parts.windows(2).position(archive).map(|at| at + 2))?
        }
    };
    let name = parts.get(at)?;
    Some((unversioned(name).unwrap_or(name), at))
}

/// The package in a path of one that cargo has fetched, and where its directory is.
fn of_package<'a>(parts: &[&'a str]) -> Option<(&'a str, usize)> {
    let at = |at: usize| Some((unversioned(parts.get(at)?)?, at));
    let registry = parts.iter().enumerate().rev().find_map(|(place, part)| match *part {
        // In cargo's directory, and as distributions lay it out.
        "registry" if parts.get(place + 1) == Some(&"src") => at(place + 3),
        "registry" | "cargo-vendor-dir" => at(place + 1),
        _ => None,
    });
    // With trimmed paths, cargo writes a package's name and version first.
    let trimmed = || at(0).filter(|_| parts.get(1) == Some(&"src"));
    registry.or_else(|| of_checkout(parts)).or_else(trimmed)
}

/// The same of a repository: its name with a hash, the commit, and then the package, which may be
/// the whole of it.
fn of_checkout<'a>(parts: &[&'a str]) -> Option<(&'a str, usize)> {
    let is_hash = |text: &str| text.bytes().all(|one| one.is_ascii_hexdigit());
    let at = parts.windows(2).position(|part| part == ["git", "checkouts"])? + 2;
    let (repository, hash) = parts.get(at)?.rsplit_once('-')?;
    let commit = parts.get(at + 1)?;
    if !is_hash(hash) || !is_hash(commit) {
        return None;
    }
    let inside = &parts[at + 2..];
    match inside.iter().rposition(|part| *part == "src") {
        None | Some(0) => Some((repository, at)),
        Some(source) => Some((inside[source - 1], at + 1 + source)),
    }
}

/// Returns `true` for a path in a C toolchain's sources or headers.
fn is_of_c(parts: &[&str]) -> bool {
    let directories = &parts[..parts.len().saturating_sub(1)];
    let is_target = |part: &str| part.contains("-none-") && part.contains("eabi");
    let headers = |pair: &[&str]| is_target(pair[0]) && pair[1] == "include";
    LIBRARIES_OF_C.iter().any(|path| has(directories, path)) || directories.windows(2).any(headers)
}

/// Returns `true` if the directories follow one another in a path. The first may have a version
/// behind its name, as in `picolibc-1.8`.
fn has(parts: &[&str], path: &[&str]) -> bool {
    let is = |(part, name): (&&str, &&str)| match *name {
        "*" => true,
        "#" => part.starts_with(|first: char| first.is_ascii_digit()),
        name => *part == name,
    };
    parts.windows(path.len()).any(|part| {
        let first = unversioned(part[0]).unwrap_or(part[0]);
        first == path[0] && part.iter().zip(path).skip(1).all(is)
    })
}

/// The name in NAME-VERSION.
fn unversioned(directory: &str) -> Option<&str> {
    let is_version = |at: &(usize, &str)| {
        let mut numbers = directory[at.0 + 1..].split('.');
        let is_number = |one: &str| !one.is_empty() && one.bytes().all(|one| one.is_ascii_digit());
        numbers.next().is_some_and(is_number) && numbers.next().is_some_and(is_number)
    };
    directory.match_indices('-').find(is_version).map(|(at, _)| &directory[..at])
}

/// The crate that a name of Rust begins with: in `<a::B as c::D>::e` that of the type, or of the
/// trait where the type is one of the language.
pub fn crate_of_name(name: &str) -> Option<&str> {
    let starts = name.split(['<', ' ', '&', '*', '(', '[', ',']).filter(|part| part.contains("::"));
    starts.filter_map(|part| part.split("::").next()).find(|first| is_word(first))
}

fn is_word(text: &str) -> bool {
    let mut letters = text.chars();
    letters.next().is_some_and(|first| first.is_alphabetic() || first == '_')
        && letters.all(|letter| letter.is_alphanumeric() || letter == '_')
}

/// What the debug information says of a function.
pub struct Clues<'a> {
    /// The whole path of its file.
    pub file: Option<&'a str>,
    /// Its name, demangled.
    pub function: Option<&'a str>,
    /// Whether it is in Rust.
    pub is_rust: bool,
    /// The path of the main file of the compilation unit that it is in.
    pub unit: Option<&'a str>,
}

/// The directories of crates whose compilation units are in an image.
#[derive(Default)]
pub struct Roots {
    /// Of Rust's library, wherever the compiler was told that it is.
    library: Vec<String>,
}

impl Roots {
    /// Reads the names of the units.
    pub(super) fn read(dwarf: &Dwarf<Reader>) -> Self {
        let mut roots = Self::default();
        let mut units = dwarf.units();
        while let Ok(Some(header)) = units.next() {
            let Ok(unit) = dwarf.unit(header) else { continue };
            roots.add(&unit_path(&unit).unwrap_or_default());
        }
        roots
    }

    /// Notes a unit of a crate: of `DIRECTORY/library/core/src/lib.rs/@/core.HASH-cgu.0` the
    /// directory `DIRECTORY/library`.
    fn add(&mut self, unit: &str) {
        let Some((file, crate_name)) = unit.split_once("/@/") else { return };
        let name = crate_name.split('.').next().unwrap_or_default();
        let file = file.replace('\\', "/");
        let Some((root, rest)) = file.rsplit_once("/library/") else { return };
        let is_its = is_library(name) && rest.ends_with("/src/lib.rs");
        if is_its && !root.is_empty() && !self.library.iter().any(|known| known == root) {
            self.library.push(root.to_owned());
        }
    }

    /// Whose code a function is.
    pub fn owner(&self, clues: &Clues<'_>) -> Owner {
        let by_file = clues.file.map_or(Owner::Firmware, |file| Source::of(file).owner);
        if by_file != Owner::Firmware {
            return by_file;
        }
        if clues.is_rust {
            // An implementation for the library's types may be anybody's.
            let path = clues.function.filter(|name| !name.starts_with('<'));
            let is_path = path.and_then(crate_of_name).is_some_and(is_library);
            let file = clues.file.map(|file| file.replace('\\', "/"));
            let is_inside = |root: &String| {
                let rest = file.as_ref().and_then(|file| file.strip_prefix(root.as_str()));
                rest.is_some_and(|rest| rest.starts_with("/library/"))
            };
            let is_library = is_path || self.library.iter().any(is_inside);
            return if is_library { Owner::Toolchain } else { Owner::Firmware };
        }
        // All of a file of C is its owner's, with what its headers bring.
        clues.unit.map_or(Owner::Firmware, |unit| Source::of(unit).owner)
    }
}

/// The path of the main file of a compilation unit.
pub(super) fn unit_path(unit: &gimli::Unit<Reader>) -> Option<String> {
    let text = |text: &Reader| String::from_utf8_lossy(text.bytes()).into_owned();
    let name = text(unit.name.as_ref()?);
    let is_whole = name.starts_with(['/', '\\']) || name.get(1..2) == Some(":");
    let directory = unit.comp_dir.as_ref().filter(|_| !is_whole).map(text);
    Some(match directory {
        Some(directory) => super::straighten(&format!("{directory}/{name}")),
        None => name,
    })
}

#[cfg(test)]
mod tests;
