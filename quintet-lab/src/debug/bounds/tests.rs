//! Each bound, on a unit made here.

use super::*;
use crate::debug::reader;
use gimli::SectionId;

/// Abbreviations: 1 a unit, 2 something with a name by reference and children, 3 one with ranges.
const ABBREVIATIONS: &[u8] = &[
    1, 0x11, 1, 0x10, 0x17, 0, 0, // unit: stmt_list
    2, 0x0b, 1, 0x03, 0x0e, 0, 0, // block: name, children
    3, 0x2e, 0, 0x55, 0x17, 0, 0, // function: ranges
    0,
];

/// A unit of DWARF 4 with the bytes of its entries behind its own.
fn unit(entries: &[u8]) -> Vec<u8> {
    let mut content = vec![4, 0, 0, 0, 0, 0, 4, 1, 0, 0, 0, 0];
    content.extend(entries);
    content.push(0);
    [(content.len() as u32).to_le_bytes().as_slice(), &content].concat()
}

/// Blocks in each other.
fn nested(levels: usize) -> Vec<u8> {
    let mut entries = [2, 0, 0, 0, 0].repeat(levels);
    entries.extend(vec![0; levels]);
    unit(&entries)
}

/// A line table of DWARF 4 with a directory, a file in it and `program` bytes of program.
fn lines(program: usize) -> Vec<u8> {
    let mut header = vec![1, 1, 1, 0xfb, 14, 1];
    header.extend(b"directory\0\0file.c\0\x01\0\0\0");
    let mut content = vec![4, 0];
    content.extend((header.len() as u32).to_le_bytes());
    content.extend(header);
    content.extend(vec![1; program]);
    [(content.len() as u32).to_le_bytes().as_slice(), &content].concat()
}

fn dwarf(info: &[u8]) -> Dwarf<Reader> {
    let ranges = [[0, 0, 0, 0, 4, 0, 0, 0]; 3].concat();
    let load = |id: SectionId| {
        Ok::<_, gimli::Error>(match id {
            SectionId::DebugInfo => reader(info),
            SectionId::DebugAbbrev => reader(ABBREVIATIONS),
            SectionId::DebugStr => reader(b"a name\0"),
            SectionId::DebugRanges => reader(&[ranges.as_slice(), &[0; 8]].concat()),
            SectionId::DebugLine => reader(&lines(100)),
            _ => reader(&[]),
        })
    };
    Dwarf::load(load).unwrap()
}

/// Returns the excess beyond the bounds.
fn excess(info: &[u8], bounds: &Bounds) -> Option<Excess> {
    let early = check_abbreviations(info, ABBREVIATIONS, bounds);
    early.and_then(|()| check(&dwarf(info), bounds)).err()
}

#[test]
fn each_bound_is_counted() {
    let functions = unit(&[3, 0, 0, 0, 0].repeat(10));
    assert_eq!(excess(&functions, &Bounds::USUAL), None);
    let usual = Bounds::USUAL;
    let units = [nested(0), nested(0), nested(0)].concat();
    for (info, bounds, what, found) in [
        (&nested(600), usual, "levels of entries in each other", 513),
        (&functions, Bounds { entries: 10, ..usual }, "entries", 11),
        (&functions, Bounds { ranges: 29, ..usual }, "address ranges", 30),
        (&nested(5), Bounds { names: 44, ..usual }, "bytes of names", 15 + 5 * 6),
        (&units, Bounds { units: 2, ..usual }, "units", 3),
        (&units, Bounds { abbreviations: 40, ..usual }, "bytes in tables of abbreviations", 44),
        (&units, Bounds { lines: 300, ..usual }, "bytes in line tables", 3 * 128),
    ] {
        let expected = Excess { what, found, most: 0 };
        let excess = excess(info, &bounds).map(|excess| Excess { most: 0, ..excess });
        assert_eq!(excess, Some(expected));
    }
}

#[test]
fn what_is_left_out_is_said() {
    let excess = excess(&nested(600), &Bounds::USUAL).unwrap();
    let expected = "the debug information of the firmware is left out, so lines and functions may \
                    be missing: it has 513 levels of entries in each other or more, and at most \
                    512 are read. No compiler writes so much for a microcontroller: build the \
                    firmware anew, or strip it of debug information (arm-none-eabi-objcopy \
                    --strip-debug)";
    assert_eq!(excess.to_string(), expected);
}

#[test]
fn damaged_tables_of_abbreviations_end() {
    assert_eq!(table_length(ABBREVIATIONS), ABBREVIATIONS.len() as u64);
    for length in 0..ABBREVIATIONS.len() {
        assert_eq!(table_length(&ABBREVIATIONS[..length]), length as u64);
    }
    assert_eq!(table_length(&[0x80; 100]), 100);
    assert_eq!(table_length(&[1, 0x11, 0, 0x03, 0x21, 7, 0, 0, 0, 9, 9]), 9, "implicit values");
}
