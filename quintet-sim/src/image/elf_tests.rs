//! The ELF reader against a small image, each refusal, and random damage.
//!
//! The damage is deterministic: the same seed gives the same files. `cargo test` tries some
//! thousands; a long run is `cargo test --release -p quintet-sim image -- --ignored`.

use super::*;
use crate::processor::Architecture;

const CODE: u32 = 0x100;
const DATA: u32 = 0x2000_0000;

fn half(file: &mut Vec<u8>, value: u16) {
    file.extend(value.to_le_bytes());
}

fn words(file: &mut Vec<u8>, values: &[u32]) {
    file.extend(values.iter().flat_map(|value| value.to_le_bytes()));
}

/// Build attributes of an architecture and a profile, in the ABI's vendor section for the file,
/// with others around: a text, and one with a number and a text.
fn attributes(architecture: u8, profile: u8) -> Vec<u8> {
    let mut tags = b"\x05CPU\0\x20\x01other\0".to_vec();
    tags.extend([6, architecture, 7, profile, 9, 2, 67]);
    tags.extend(b"2.09\0");
    let mut section = b"A".to_vec();
    words(&mut section, &[4 + 6 + 5 + tags.len() as u32]);
    section.extend(b"aeabi\0\x01");
    words(&mut section, &[5 + tags.len() as u32]);
    section.extend(tags);
    section
}

/// A complete executable for ARMv7-M: `.text` at [`CODE`], `.data` at [`DATA`] loaded behind
/// `.text`, `.bss`, a function, a variable, a label, an absolute symbol and both mapping symbols.
fn sample() -> Vec<u8> {
    sample_with(&attributes(10, b'M'))
}

fn sample_with(attributes: &[u8]) -> Vec<u8> {
    let text: Vec<u8> = (0..32).collect();
    let data = [0xAA; 8];
    let names = b"\0main\0counter\0label\0_stack_start\0$t\0$d.1\0";
    let section_names = b"\0.text\0.data\0.bss\0.symtab\0.strtab\0.shstrtab\0.ARM.attributes\0";
    let symbols: [[u32; 4]; 7] = [
        [0, 0, 0, 0],
        [1, CODE | 1, 16, 0x1_0012],       // main, FUNC
        [6, DATA, 8, 0x2_0011],            // counter, OBJECT
        [14, CODE + 16, 0, 0x1_0010],      // label, NOTYPE
        [20, 0x2001_0000, 0, 0xfff1_0010], // _stack_start, ABS
        [33, CODE, 0, 0x1_0000],           // $t
        [36, CODE + 24, 0, 0x1_0000],      // $d.1
    ];
    let text_at = 52 + 3 * 32;
    let data_at = text_at + 32;
    let symbols_at = data_at + 8;
    let names_at = symbols_at + 7 * 16;
    let section_names_at = names_at + names.len() as u32;
    let attributes_at = section_names_at + section_names.len() as u32;
    let sections_at = attributes_at + attributes.len() as u32;

    let mut file = b"\x7fELF\x01\x01\x01\0\0\0\0\0\0\0\0\0".to_vec();
    half(&mut file, 2);
    half(&mut file, 40);
    words(&mut file, &[1, CODE | 1, 52, sections_at, 0x0500_0000]);
    for value in [52, 32, 3, 40, 8, 6] {
        half(&mut file, value);
    }
    words(&mut file, &[1, text_at, CODE, CODE, 32, 32, 5, 4]);
    words(&mut file, &[1, data_at, DATA, CODE + 32, 8, 8, 6, 4]);
    words(&mut file, &[1, 0, DATA + 8, DATA + 8, 0, 64, 6, 4]);
    file.extend(&text);
    file.extend(data);
    symbols.iter().for_each(|symbol| words(&mut file, symbol));
    file.extend(names);
    file.extend(section_names);
    file.extend(attributes);
    assert_eq!(file.len() as u32, sections_at);
    let names_length = names.len() as u32;
    let section_names_length = section_names.len() as u32;
    let attributes_length = attributes.len() as u32;
    let headers: [[u32; 10]; 8] = [
        [0; 10],
        [1, 1, 6, CODE, text_at, 32, 0, 0, 4, 0],
        [7, 1, 3, DATA, data_at, 8, 0, 0, 4, 0],
        [13, 8, 3, DATA + 8, data_at + 8, 64, 0, 0, 4, 0],
        [18, 2, 0, 0, symbols_at, 7 * 16, 5, 1, 4, 16],
        [26, 3, 0, 0, names_at, names_length, 0, 0, 1, 0],
        [34, 3, 0, 0, section_names_at, section_names_length, 0, 0, 1, 0],
        [44, 0x7000_0003, 0, 0, attributes_at, attributes_length, 0, 0, 1, 0],
    ];
    headers.iter().for_each(|header| words(&mut file, header));
    file
}

fn patched(offset: usize, bytes: &[u8]) -> Result<Image, ImageError> {
    let mut file = sample();
    file[offset..offset + bytes.len()].copy_from_slice(bytes);
    Image::parse_elf(&file)
}

#[test]
fn everything_in_the_sample_is_found() {
    let image = Image::parse_elf(&sample()).unwrap();
    assert_eq!(image.entry, Some(CODE));
    let ranges: Vec<_> =
        image.segments.iter().map(|s| (s.load_address, s.address, s.memory_size)).collect();
    assert_eq!(ranges, [(CODE, CODE, 32), (CODE + 32, DATA, 8), (DATA + 8, DATA + 8, 64)]);
    assert_eq!(image.segments[1].bytes, [0xAA; 8]);
    let costs: Vec<_> = image
        .sections
        .iter()
        .map(|s| (s.name.as_str(), s.flash_bytes(), s.ram_bytes(), s.load_address))
        .collect();
    assert_eq!(
        costs,
        [(".text", 32, 0, Some(CODE)), (".data", 8, 8, Some(CODE + 32)), (".bss", 0, 64, None)]
    );
    let names: Vec<_> =
        image.symbols.iter().map(|s| (s.name.as_str(), s.address, s.kind)).collect();
    assert_eq!(
        names,
        [
            ("main", CODE, SymbolKind::Function),
            ("label", CODE + 16, SymbolKind::Label),
            ("counter", DATA, SymbolKind::Data),
            ("_stack_start", 0x2001_0000, SymbolKind::Label),
        ]
    );
    assert!(image.symbol("_stack_start").unwrap().absolute);
    assert_eq!(
        image.mapping,
        [Mapping { address: CODE, code: true }, Mapping { address: CODE + 24, code: false }]
    );
    assert_eq!(image.function_at(CODE + 14).unwrap().name, "main");
    assert_eq!(image.function_at(CODE + 20).unwrap().name, "label");
    assert_eq!(image.function_at(DATA), None);
}

#[test]
fn what_it_was_built_for_is_known() {
    use BuiltFor::{V6M, V7EM, V7M, V8M};
    let read = |attributes: &[u8]| Image::parse_elf(&sample_with(attributes)).unwrap();
    let cases = [(10, V7M), (11, V6M), (12, V6M), (13, V7EM), (16, V8M), (17, V8M), (21, V8M)];
    for (number, built_for) in cases {
        let image = read(&attributes(number, b'M'));
        assert_eq!(image.built_for, Some(built_for), "{number}");
        let refused = |core| image.check_architecture(core).is_err();
        assert_eq!(refused(Architecture::V7M), built_for == V8M, "{number}");
        assert!(!refused(Architecture::V8M), "{number}");
    }
    assert_eq!(read(&attributes(10, b'A')).built_for, None);
    assert_eq!(read(&attributes(9, b'M')).built_for, None);
    // Unreadable attributes are unknown attributes, and the image is accepted.
    let all = attributes(17, b'M');
    for length in 0..all.len() {
        let _ = read(&all[..length]);
    }
    assert_eq!(read(&[]).built_for, None);
    assert_eq!(read(&all[..20]).check_architecture(Architecture::V7M), Ok(()));
}

#[test]
fn foreign_files_are_named() {
    let reason = |result: Result<Image, ImageError>| match result {
        Err(ImageError::Foreign { reason }) => reason,
        other => panic!("not refused as foreign: {other:?}"),
    };
    assert!(reason(patched(4, &[2])).contains("64-bit"));
    assert!(reason(patched(18, &[243, 0])).contains("RISC-V"));
    assert!(reason(patched(16, &[1, 0])).contains("relocatable"));
    assert!(reason(patched(16, &[3, 0])).contains("position-independent"));
    assert!(reason(patched(16, &[4, 0])).contains("core dump"));
    assert!(reason(patched(5, &[2])).contains("big-endian"));
    assert!(reason(patched(52, &[3, 0, 0, 0])).contains("operating system"));
    assert!(matches!(patched(4, &[9]), Err(ImageError::Malformed { .. })));
    let text = Image::parse_elf(b"#!/bin/sh\n").unwrap_err();
    assert_eq!(text, ImageError::NotElf { found: "23 21 2f 62".into() });
    assert_eq!(Image::parse_elf(b""), Err(ImageError::Empty));
}

#[test]
fn a_file_cut_anywhere_is_refused_as_truncated() {
    let file = sample();
    for length in 4..file.len() {
        let result = Image::parse_elf(&file[..length]);
        assert!(matches!(result, Err(ImageError::Truncated { .. })), "{length}: {result:?}");
    }
}

#[test]
fn contradictions_are_refused() {
    let second = 52 + 32;
    let shorter = patched(second + 20, &[4, 0, 0, 0]);
    assert!(matches!(shorter, Err(ImageError::Malformed { .. })), "memory smaller than content");
    let beyond = patched(second + 8, &[0xff, 0xff, 0xff, 0xff]);
    assert!(matches!(beyond, Err(ImageError::BeyondAddressSpace { index: 1, .. })));
    let past_the_file = patched(second + 4, &[0, 0, 1, 0]).unwrap_err();
    assert!(past_the_file.to_string().contains("segment 1 reaches to byte 65544"));
    let nothing = patched(44, &[0, 0]);
    assert_eq!(nothing, Err(ImageError::NothingToLoad));
}

/// A small deterministic generator (xorshift64*): the damage must be the same on every machine.
struct Generator(u64);

impl Generator {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() >> 16) as usize % limit
    }
}

/// Damages the sample `rounds` times, and uses each file that is still accepted: nothing may panic.
fn survive(rounds: u32, seed: u64) -> u32 {
    let original = sample();
    let mut random = Generator(seed);
    let mut accepted = 0;
    for _ in 0..rounds {
        let mut file = original.clone();
        for _ in 0..=random.below(6) {
            let at = random.below(file.len());
            match random.below(4) {
                0 => file[at] = random.next() as u8,
                1 => file[at] ^= 1 << random.below(8),
                2 => file[at] = [0, 0xff, 0x7f, 0x80][random.below(4)],
                _ => {
                    let extreme = [0u32, 1, u32::MAX, 0x8000_0000, 0xffff_fff0][random.below(5)];
                    let at = at & !3;
                    let end = (at + 4).min(file.len());
                    file[at..end].copy_from_slice(&extreme.to_le_bytes()[..end - at]);
                }
            }
        }
        if random.below(8) == 0 {
            file.truncate(random.below(file.len()));
        }
        match Image::parse_elf(&file) {
            Ok(image) => {
                accepted += 1;
                exercise(&image, &mut random);
            }
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
    accepted
}

/// Asks an image everything.
fn exercise(image: &Image, random: &mut Generator) {
    let memory =
        MemoryRange { name: "ram".into(), start: 0, size: random.next() as u32, writable: true };
    let _ = image.check_memories(std::slice::from_ref(&memory));
    for address in [0, CODE, DATA, u32::MAX, random.next() as u32] {
        let word = image.initial_word(address).unwrap_or(address);
        let table = VectorTable { address, found: Found::First };
        let _ = check_vector_table(&table, word, !word, std::slice::from_ref(&memory));
        let _ = image.function_at(address);
    }
    let _ = image.tables_by_name_and_entry();
    let _ = image.tables_by_place().count();
    let _: u64 = image.sections.iter().map(|s| u64::from(s.flash_bytes() | s.ram_bytes())).sum();
}

#[test]
fn random_damage_never_panics() {
    let accepted = survive(20_000, 0x5EED);
    assert!(accepted > 1000, "the damage is so heavy that nothing gets past the first check");
}

#[test]
#[ignore = "a long run; by name"]
fn random_damage_never_panics_for_long() {
    for seed in 1..=64 {
        survive(200_000, seed);
    }
}

#[test]
fn random_bytes_never_panic() {
    let mut random = Generator(7);
    for _ in 0..5_000 {
        let mut file = MAGIC_WITH_IDENTITY.to_vec();
        file.extend((0..random.below(400)).map(|_| random.next() as u8));
        if let Ok(image) = Image::parse_elf(&file) {
            exercise(&image, &mut random);
        }
    }
}

const MAGIC_WITH_IDENTITY: &[u8] = b"\x7fELF\x01\x01\x01\0\0\0\0\0\0\0\0\0\x02\0\x28\0";

/// A file whose tables point `count` times at the same megabyte: of segments, or of names.
fn shared_megabyte(segments: u32, symbols: u32) -> Vec<u8> {
    const MEGABYTE: u32 = 1 << 20;
    let code_at = 52 + 32 * (segments + 1);
    let symbols_at = code_at + 8;
    let names_at = symbols_at + 16 * symbols;
    let sections_at = names_at + MEGABYTE + 2;
    let mut file = b"\x7fELF\x01\x01\x01\0\0\0\0\0\0\0\0\0".to_vec();
    half(&mut file, 2);
    half(&mut file, 40);
    words(&mut file, &[1, CODE | 1, 52, sections_at, 0x0500_0000]);
    for value in [52, 32, segments as u16 + 1, 40, 3, 2] {
        half(&mut file, value);
    }
    words(&mut file, &[1, code_at, CODE, CODE, 8, 8, 5, 4]);
    for _ in 0..segments {
        words(&mut file, &[1, names_at, DATA, DATA, MEGABYTE, MEGABYTE, 6, 4]);
    }
    words(&mut file, &[0x2001_0000, CODE | 1]);
    for _ in 0..symbols {
        words(&mut file, &[1, CODE | 1, 2, 0xfff1_0012]);
    }
    file.push(0);
    file.resize(file.len() + MEGABYTE as usize, b'a');
    file.push(0);
    assert_eq!(file.len() as u32, sections_at);
    words(&mut file, &[0; 10]);
    words(&mut file, &[0, 2, 0, 0, symbols_at, 16 * symbols, 2, 0, 4, 16]);
    words(&mut file, &[0, 3, 0, 0, names_at, MEGABYTE + 2, 0, 0, 1, 0]);
    file
}

#[test]
fn segments_that_share_bytes_are_refused_before_they_are_copied() {
    let image = Image::parse_elf(&shared_megabyte(2, 3)).unwrap();
    assert_eq!((image.segments.len(), image.symbols.len()), (3, 3));
    assert_eq!(image.symbols[0].name.len(), 1 << 20);
    let message = Image::parse_elf(&shared_megabyte(1000, 0)).unwrap_err().to_string();
    assert!(message.starts_with("the file has 1048576008 bytes to load or more"), "{message}");
    assert!(message.contains("at most 268435456 are read: no board has so much"), "{message}");
    let message = Image::parse_elf(&shared_megabyte(60_000, 0)).unwrap_err().to_string();
    assert!(message.starts_with("the file has 60001 loadable segments or more"), "{message}");
}

#[test]
fn symbols_that_share_a_long_name_are_refused_before_they_are_copied() {
    let message = Image::parse_elf(&shared_megabyte(0, 60_000)).unwrap_err().to_string();
    let expected = "the file has 68157440 bytes of names of symbols and sections or more, and at \
                    most 67108864 are read: many symbols share a long name; strip them";
    assert!(message.starts_with(expected), "{message}");
}

#[test]
fn a_weak_name_stands_behind_the_strong_one() {
    // `label` becomes a function at `main`'s address, weak or strong.
    let symbols_at = sample().len() - 8 * 40;
    let entry = (0..sample().len() - 16)
        .find(|at| sample()[*at..].starts_with(&[14, 0, 0, 0]) && *at < symbols_at)
        .expect("the symbol of `label`");
    for (binding, first) in [(0x22, "main"), (0x12, "main"), (0x02, "main")] {
        let mut file = sample();
        file[entry + 4..entry + 8].copy_from_slice(&(CODE | 1).to_le_bytes());
        file[entry + 8] = 16;
        file[entry + 12] = binding;
        let image = Image::parse_elf(&file).unwrap();
        assert_eq!(image.symbols[0].name, first, "{binding:#x}");
        // And the other way round: `main` is weak.
        file[entry - 2 * 16 + 12] = 0x22;
        let image = Image::parse_elf(&file).unwrap();
        let expected = if binding == 0x22 { "main" } else { "label" };
        assert_eq!(image.symbols[0].name, expected, "{binding:#x}");
        assert_eq!(image.function_at(CODE + 4).unwrap().name, expected);
    }
}

#[test]
fn of_weak_names_the_default_one_comes_first() {
    // `main` and `label`, now `dummy`, are weak functions at one address, as start-up code of mbed
    // has its vectors.
    let mut file = sample();
    let symbols_at = file.len() - 8 * 40;
    let mut places = 0..file.len() - 16;
    let entry = places.find(|at| file[*at..].starts_with(&[14, 0, 0, 0]) && *at < symbols_at);
    let entry = entry.expect("the symbol of `label`");
    file[entry + 4..entry + 8].copy_from_slice(&(CODE | 1).to_le_bytes());
    file[entry + 8] = 16;
    (file[entry + 12], file[entry - 2 * 16 + 12]) = (0x22, 0x22);
    assert_eq!(Image::parse_elf(&file).unwrap().symbols[0].name, "main");
    let name = file.windows(5).position(|bytes| bytes == b"label").expect("the name");
    file[name..name + 5].copy_from_slice(b"dummy");
    assert_eq!(Image::parse_elf(&file).unwrap().function_at(CODE + 4).unwrap().name, "dummy");
    // A strong name is still better.
    file[entry - 2 * 16 + 12] = 0x12;
    assert_eq!(Image::parse_elf(&file).unwrap().symbols[0].name, "main");
}
