//! The bytes of an image, with or without the program's own.

use std::collections::{BTreeMap, BTreeSet};

use quintet_sim::image::{Image, Section, Symbol};

use crate::firmware::symbols::demangle;

/// Returns the bytes of code and constants: everything stored but the initial values of variables.
/// Symbols whose names begin with one of `program` are left out. The padding between functions is
/// left out too: it depends on the functions' order, which depends on the directory of the build.
/// (Sizes of other kernels are those of their functions as well.)
pub fn text(image: &Image, program: &[String]) -> u64 {
    let constant = image.sections.iter().filter(|section| section.ram_bytes() == 0);
    let own = own(image, program);
    let counted = constant.map(|section| {
        let inside = own.range(section.address..section.address.saturating_add(section.size));
        let inside: u64 = inside.map(|(_, size)| u64::from(*size)).sum();
        let between = if section.executable { padding(image, section) } else { 0 };
        u64::from(section.flash_bytes()).saturating_sub(inside + between)
    });
    counted.sum()
}

/// Returns the gaps between two symbols of a section that are shorter than a word.
fn padding(image: &Image, section: &Section) -> u64 {
    let all = section.address..section.address.saturating_add(section.size);
    let symbols = image.symbols.iter().filter(|symbol| all.contains(&symbol.address));
    let mut symbols: Vec<_> = symbols.map(|symbol| (symbol.address, symbol.size)).collect();
    symbols.sort_unstable();
    let (mut end, mut sum) = (section.address, 0);
    for (address, size) in symbols {
        let gap = address.saturating_sub(end);
        sum += if gap < 4 { u64::from(gap) } else { 0 };
        end = end.max(address.saturating_add(size));
    }
    sum
}

/// Returns the bytes of variables, with and without initial values. If some are the program's own,
/// so is the padding between its variables: the other variables are counted in words.
pub fn ram(image: &Image, program: &[String]) -> u64 {
    let sections = image.sections.iter().filter(|section| section.ram_bytes() > 0);
    if program.is_empty() {
        return sections.map(|section| u64::from(section.ram_bytes())).sum();
    }
    let mut counted = BTreeSet::new();
    for section in sections {
        let inside = section.address..section.address.saturating_add(section.size);
        let symbols = image.symbols.iter().filter(|symbol| inside.contains(&symbol.address));
        counted.extend(symbols.flat_map(words));
    }
    for (address, size) in own(image, program) {
        counted.retain(|word| !(address..address.saturating_add(size)).contains(word));
    }
    4 * counted.len() as u64
}

/// The words that a symbol has a part of.
fn words(symbol: &Symbol) -> impl Iterator<Item = u32> {
    (symbol.address & !3..symbol.address.saturating_add(symbol.size)).step_by(4)
}

/// The addresses and sizes of the program's own symbols, whose names begin so. A symbol may have
/// several names.
fn own(image: &Image, program: &[String]) -> BTreeMap<u32, u32> {
    let is_own = |symbol: &&Symbol| {
        let name = demangle(&symbol.name);
        program.iter().any(|beginning| name.starts_with(beginning))
    };
    let own = image.symbols.iter().filter(is_own);
    own.map(|symbol| (symbol.address, symbol.size)).collect()
}

#[cfg(test)]
mod tests {
    use quintet_sim::image::SymbolKind;

    use super::*;

    fn section(name: &str, address: u32, size: u32) -> Section {
        let load_address = (address < 0x2000_0000).then_some(address);
        let (name, writable) = (name.to_owned(), load_address.is_none());
        Section { name, address, load_address, size, executable: !writable, writable }
    }

    fn symbol(name: &str, address: u32, size: u32) -> Symbol {
        let (name, kind) = (name.to_owned(), SymbolKind::Function);
        Symbol { name, address, size, kind, absolute: false }
    }

    #[test]
    fn what_is_the_programs_own_is_not_counted() {
        let image = Image {
            sections: vec![section(".text", 0x100, 100), section(".bss", 0x2000_0000, 64)],
            symbols: vec![
                symbol("app::main", 0x100, 20),
                symbol("main", 0x100, 20),
                symbol("kernel::wait", 0x114, 30),
                symbol("kernel::CLAIMED", 0x2000_0000, 1),
                symbol("merged", 0x2000_0020, 30),
                symbol("app::STACK", 0x2000_0020, 24),
            ],
            ..Image::default()
        };
        let app = ["app::".to_owned()];
        assert_eq!((text(&image, &[]), ram(&image, &[])), (100, 64));
        assert_eq!((text(&image, &app), ram(&image, &app)), (80, 12));
        let both = ["app::".to_owned(), "main".to_owned()];
        assert_eq!(text(&image, &both[..1]), 80);
        assert_eq!(text(&image, &["kernel::".to_owned()]), 70);
        assert_eq!(text(&image, &["nobody".to_owned()]), 100);
    }

    #[test]
    fn the_order_of_functions_does_not_count() {
        let functions = |second: u32, third: u32| Image {
            sections: vec![section(".text", 0x100, third + 8 - 0x100)],
            symbols: vec![
                symbol("a", 0x100, 6),
                symbol("label", 0x104, 0),
                symbol("b", second, 10),
                symbol("c", third, 8),
            ],
            ..Image::default()
        };
        // Beside each other, and with two bytes before the last, which begins at a word.
        assert_eq!(text(&functions(0x106, 0x110), &[]), 24);
        assert_eq!(text(&functions(0x108, 0x114), &[]), 24);
        // Bytes without a symbol count.
        assert_eq!(text(&functions(0x106, 0x120), &[]), 40);
    }
}
