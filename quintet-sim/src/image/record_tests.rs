//! Files of records: the meaning of each kind, the message for each mistake. Damage that can be
//! noticed is noticed, and no damage makes the reader panic.

use super::*;

/// A record of Intel HEX.
fn hex(kind: u8, offset: u16, data: &[u8]) -> String {
    let [high, low] = offset.to_be_bytes();
    let mut bytes = vec![data.len() as u8, high, low, kind];
    bytes.extend(data);
    let sum = bytes.iter().fold(0, |sum: u8, byte| sum.wrapping_add(*byte));
    bytes.push(sum.wrapping_neg());
    let digits: String = bytes.iter().map(|byte| format!("{byte:02X}")).collect();
    format!(":{digits}\n")
}

/// A Motorola S-record with the address in so many bytes.
fn srec(kind: u8, address: u32, address_bytes: usize, data: &[u8]) -> String {
    let mut bytes = vec![(address_bytes + data.len() + 1) as u8];
    bytes.extend(&address.to_be_bytes()[4 - address_bytes..]);
    bytes.extend(data);
    bytes.push(!bytes.iter().fold(0, |sum: u8, byte| sum.wrapping_add(*byte)));
    let digits: String = bytes.iter().map(|byte| format!("{byte:02X}")).collect();
    format!("S{kind}{digits}\n")
}

/// A block of UF2: number and count, flags and family, address and bytes.
fn uf2(place: (u32, u32), family: Option<u32>, address: u32, data: &[u8]) -> Vec<u8> {
    let flags = if family.is_some() { 0x2000 } else { 0 };
    let length = data.len() as u32;
    let (number, count) = place;
    let words = [0x9e5d_5157, flags, address, length, number, count, family.unwrap_or(0x5000)]
        .map(u32::to_le_bytes);
    let mut block = b"UF2\n".to_vec();
    block.extend(words.concat());
    block.extend(data);
    block.resize(508, 0);
    block.extend(0x0ab1_6f30_u32.to_le_bytes());
    block
}

fn read(bytes: impl AsRef<[u8]>) -> Result<Image, ImageError> {
    Image::parse(bytes.as_ref(), &Target::default())
}

fn refusal(bytes: impl AsRef<[u8]>) -> String {
    read(bytes).expect_err("a mistake").to_string()
}

fn content(image: &Image) -> Vec<(u32, &[u8])> {
    image.segments.iter().map(|segment| (segment.load_address, segment.bytes.as_slice())).collect()
}

const HEX_END: &str = ":00000001FF\n";

#[test]
fn intel_hex_of_all_types_is_read() {
    let file = [
        hex(0, 0x10, &[1, 2]),
        hex(4, 0, &[0x08, 0]),
        hex(0, 0xfffe, &[3, 4, 5, 6]),
        hex(2, 0, &[0x10, 0]),
        hex(0, 0xfffe, &[7, 8, 9]),
        hex(3, 0, &[0x10, 0, 0, 0x21]),
        hex(0, 0x12, &[]),
        HEX_END.into(),
    ];
    let file = file.concat();
    let image = read(&file).unwrap();
    let expected: [(u32, &[u8]); 4] =
        [(0x10, &[1, 2]), (0x1_0000, &[9]), (0x1_fffe, &[7, 8]), (0x0800_fffe, &[3, 4, 5, 6])];
    assert_eq!(content(&image), expected);
    assert_eq!((image.entry, image.format), (Some(0x1_0020), Format::IntelHex));
    let other = format!("\r\n {}\r\n\n", file.to_lowercase().replace('\n', "\r\n"));
    assert_eq!(read(other).unwrap(), image);
    let start = [hex(0, 0, &[1]), hex(5, 0, &[0x08, 0, 1, 3]), HEX_END.into()].concat();
    assert_eq!(read(start).unwrap().entry, Some(0x0800_0102));
}

#[test]
fn marks_and_line_ends_of_other_systems_are_read() {
    let text = [hex(0, 0x100, &[1, 2]), hex(0, 0x102, &[3, 4]), hex(1, 0, &[])].join("\n");
    let plain = read(&text).unwrap();
    let expected = content(&plain);
    let variants = [
        format!("\u{feff}{text}\n"),
        format!("{text}\r\n\u{1a}"),
        format!("{text}\n\u{1a}\u{1a}rest of the block"),
        text.replace('\n', "\r"),
        text.replace('\n', "\r\n"),
        text.replace('\n', "\r\r\n"),
    ];
    for variant in variants {
        let image = read(&variant).unwrap_or_else(|error| panic!("{variant:?}: {error}"));
        assert_eq!(content(&image), expected, "{variant:?}");
    }
    // An S-record file may have the same.
    let text = srecords().replace('\n', "\r");
    assert!(read(format!("\u{feff}{text}\u{1a}")).is_ok());
    let cut = refusal(format!("{}\r\u{1a}", hex(0, 0x100, &[1, 2])));
    assert!(cut.contains("without the end-of-file record"), "{cut}");
}

#[test]
fn mistakes_in_intel_hex_are_named_with_their_line() {
    let data = hex(0, 0, &[1, 2, 3, 4]);
    let with = |line: &str| format!("{data}{line}\n{HEX_END}");
    let anew = "; the file has been changed or cut off since it was made: make it anew";
    let cases = [
        (with("hello"), "an Intel HEX file, line 2: it doesn't begin with ':'"),
        (with(":0000000G00"), "line 2: 'G' is no hexadecimal digit"),
        (with(":00000001F"), "line 2: 9 digits are no whole number of bytes"),
        (with(":000000"), "line 2: it is cut off: a record has at least 10 digits"),
        (with(":0400000001020304F"), "line 2: 17 digits are no whole number of bytes"),
        (with(":04000000010203F2"), "line 2: it announces 4 bytes of data and has 3"),
        (with(":00000000FF"), "line 2: its checksum is FF, its bytes give 00"),
        (with(&hex(6, 0, &[])), "line 2: Intel HEX has no record type 06"),
        (with(&hex(4, 0, &[1])), "line 2: a record of type 04 has 2 bytes of data, not 1"),
        (with(&hex(1, 0, &[1])), "line 2: a record of type 01 has 0 bytes of data, not 1"),
        (
            with(&hex(0x0d, 0, &[1])),
            "line 2: it is data of a board's block, and no block has begun",
        ),
        (with(&hex(0x0b, 0, &[])), "line 2: it ends a board's block where none has begun"),
        (with(&hex(0x0a, 0, &[1])), "line 2: it begins a block and doesn't say of which board"),
        (with(&hex(0x0a, 0, &[0x99, 0])), "line 4: the block of board 0x9900 isn't ended by then"),
        (data.clone(), "line 1: the file ends here, without the end-of-file record :00000001FF"),
        (with(HEX_END), "line 4: it stands behind the end-of-file record of line 2"),
        (
            with(&hex(0, 3, &[4, 5])),
            "line 2: it gives 0x00000003 to 0x00000003 a second time, after line 1",
        ),
        (
            with(&format!("{}{}", hex(4, 0, &[0xff, 0xff]), hex(0, 0xffff, &[1, 2]))),
            "line 3: 2 bytes at 0xffffffff reach beyond 0xffffffff",
        ),
    ];
    for (file, expected) in cases {
        let message = refusal(&file);
        assert!(message.contains(expected), "{expected}\n{message}");
        assert!(message.ends_with(anew), "{message}");
    }
    assert_eq!(refusal(HEX_END), "an Intel HEX file without any data, so there is nothing to run");
}

/// Data for two boards, as the specification of universal hex puts it together.
fn universal() -> String {
    [
        hex(4, 0, &[0, 0]),
        hex(0x0a, 0, &[0x99, 0, 0xc0, 0xde]),
        hex(0, 0, &[1, 1]),
        hex(0x0c, 0, &[0xff; 8]),
        hex(0x0b, 0, &[0x42]),
        hex(4, 0, &[0, 0]),
        hex(0x0a, 0, &[0x99, 3, 0xc0, 0xde]),
        hex(0x0d, 0, &[2, 2, 2]),
        hex(0x0e, 0, &[5]),
        hex(0x0b, 0, &[]),
        HEX_END.into(),
    ]
    .concat()
}

#[test]
fn universal_hex_is_read_by_the_board() {
    let of = |boards: &[u16]| {
        let target = Target { universal_hex: boards.to_vec(), ..Target::default() };
        Image::parse(universal().as_bytes(), &target).map_err(|error| error.to_string())
    };
    assert_eq!(content(&of(&[0x9900]).unwrap()), [(0, [1, 1].as_slice())]);
    assert_eq!(content(&of(&[0x9901, 0x9903]).unwrap()), [(0, [2, 2, 2].as_slice())]);
    let open = "the file has images for the boards 0x9900 (micro:bit V1), 0x9903 (micro:bit V2), \
                and the board doesn't say which of them it is; say in the board file which is its: \
                universal_hex = [0x9900]";
    assert_eq!(of(&[]).unwrap_err(), open);
    let other = of(&[0x1234]).unwrap_err();
    assert!(other.contains("0x9903 (micro:bit V2), and the board is of 0x1234;"), "{other}");
    let one = universal().lines().take(5).collect::<Vec<_>>().join("\n") + "\n" + HEX_END;
    assert_eq!(content(&read(one).unwrap()), [(0, [1, 1].as_slice())]);
}

fn srecords() -> String {
    [
        srec(0, 0, 2, b"name"),
        srec(1, 0x10, 2, &[1, 2]),
        srec(2, 0x1_2340, 3, &[3]),
        srec(3, 0x0800_0000, 4, &[4, 5]),
        srec(5, 3, 2, &[]),
        srec(6, 3, 3, &[]),
        srec(7, 0x0800_0041, 4, &[]),
    ]
    .concat()
}

#[test]
fn s_records_of_all_types_are_read() {
    let image = read(srecords()).unwrap();
    let expected: [(u32, &[u8]); 3] = [(0x10, &[1, 2]), (0x1_2340, &[3]), (0x0800_0000, &[4, 5])];
    assert_eq!(content(&image), expected);
    assert_eq!((image.entry, image.format), (Some(0x0800_0040), Format::SRecord));
    for (kind, address_bytes) in [(8, 3), (9, 2)] {
        let file = srec(1, 0, 2, &[1]) + &srec(kind, 0x43, address_bytes, &[]);
        assert_eq!(read(file).unwrap().entry, Some(0x42));
    }
}

#[test]
fn mistakes_in_s_records_are_named_with_their_line() {
    let (data, end) = (srec(1, 0, 2, &[1, 2]), srec(9, 0, 2, &[]));
    let with = |line: &str| format!("{data}{line}\n{end}");
    let cases = [
        (with("hello"), "an S-record file, line 2: it doesn't begin with S0 to S9"),
        (with("S1030000G0"), "line 2: 'G' is no hexadecimal digit"),
        (with("S10300"), "line 2: it announces 3 bytes behind its length and has 1"),
        (with("S1"), "line 2: it is cut off: a record has at least 10 characters"),
        (with("S10300"), "line 2: it announces 3 bytes behind its length and has 1"),
        (with("S9030000FD"), "line 2: its checksum is FD, its bytes give FC"),
        (with("S102AA53"), "line 2: S1 has 2 bytes of address, and it is shorter"),
        (with(&srec(4, 0, 2, &[])), "line 2: S4 is reserved and means nothing"),
        (with(&srec(5, 1, 2, &[7])), "line 2: S5 has an address or a count and no data"),
        (with(&srec(9, 1, 2, &[7])), "line 2: S9 has an address or a count and no data"),
        (with(&srec(5, 2, 2, &[])), "line 2: it counts 2 records of data, there are 1"),
        (data.clone(), "line 1: the file ends here, without the record S7, S8 or S9 that ends it"),
        (with(&end), "line 4: it stands behind the record of line 2, which ends the file"),
        (with(&srec(1, 1, 2, &[9])), "line 2: it gives 0x00000001 to 0x00000001 a second time"),
        (with(&srec(3, u32::MAX, 4, &[9, 9])), "line 2: 2 bytes at 0xffffffff reach beyond"),
    ];
    for (file, expected) in cases {
        let message = refusal(&file);
        assert!(message.contains(expected), "{expected}\n{message}");
    }
    assert!(refusal(&end).contains("an S-record file without any data"));
}

#[test]
fn uf2_is_read_by_the_family() {
    let plain = [uf2((1, 2), None, 0x102, &[3, 4]), uf2((0, 2), None, 0x100, &[1, 2])].concat();
    let image = read(&plain).unwrap();
    assert_eq!(content(&image), [(0x100, [1, 2, 3, 4].as_slice())]);
    assert_eq!((image.format, image.entry), (Format::Uf2, None));
    let mut other = uf2((0, 9), Some(0x77), 0x100, &[6]);
    other[8] |= 1; // Not for the main flash.
    let rp2040 = uf2((0, 1), Some(0xe48b_ff56), 0x1000_0000, &[5]);
    let two = [rp2040, uf2((0, 1), Some(0x1234), 0x100, &[6]), other].concat();
    let of = |families: &[u32]| {
        let target = Target { uf2_families: families.to_vec(), ..Target::default() };
        Image::parse(&two, &target).map_err(|error| error.to_string())
    };
    assert_eq!(content(&of(&[0x1234]).unwrap()), [(0x100, [6].as_slice())]);
    let open = "the file has images for the families 0x1234, 0xe48bff56 (RP2040), and the board \
                doesn't say which of them it is; say in the board file which is its: uf2_families \
                = [0x1234]";
    assert_eq!(of(&[]).unwrap_err(), open);
    assert!(of(&[7]).unwrap_err().contains("and the board is of 0x7;"));
}

#[test]
fn the_end_of_a_block_may_be_padded_without_being_counted() {
    let end = hex(0x0b, 0, &[]);
    let with = |line: &str| {
        let target = Target { universal_hex: vec![0x9903], ..Target::default() };
        Image::parse(universal().replacen(&end, line, 1).as_bytes(), &target)
    };
    assert_eq!(with(":0000000BFFFFFFFFFFF5\n").unwrap(), with(&end).unwrap());
    let message = with(":0000000BFFFFFFFEFFF5\n").unwrap_err().to_string();
    assert!(message.contains("it announces 0 bytes of data and has 5"), "{message}");
}

#[test]
fn many_families_are_not_all_listed() {
    let blocks = (0..2_000).flat_map(|family| uf2((0, 1), Some(family), 0x100, &[1]));
    let message = refusal(blocks.collect::<Vec<u8>>());
    assert!(message.contains("0x6, 0x7 and others, and the board"), "{message}");
}

#[test]
fn what_is_in_no_block_of_universal_hex_is_for_every_board() {
    let file = hex(0, 0x40, &[9]) + &universal();
    let target = Target { universal_hex: vec![0x9903], ..Target::default() };
    let image = Image::parse(file.as_bytes(), &target).unwrap();
    assert_eq!(content(&image), [(0, [2, 2, 2].as_slice()), (0x40, [9].as_slice())]);
}

#[test]
fn mistakes_in_uf2_are_named_with_their_block() {
    let first = uf2((0, 2), None, 0x100, &[1, 2]);
    let with = |block: Vec<u8>| [first.clone(), block].concat();
    let changed = |at: usize, word: u32| {
        let mut block = uf2((1, 2), None, 0x200, &[3]);
        block[at..at + 4].copy_from_slice(&word.to_le_bytes());
        with(block)
    };
    let cases = [
        (
            with(vec![0; 100]),
            "a UF2 file, the block at byte 0x200: it is cut off: it has 100 of 512",
        ),
        (changed(0, 7), "byte 0x200: it is no block of UF2: it has 0x00000007, not 0x0a324655"),
        (changed(4, 7), "it is no block of UF2: it has 0x00000007, not 0x9e5d5157"),
        (changed(508, 7), "it is no block of UF2: it has 0x00000007, not 0x0ab16f30"),
        (changed(16, 477), "it announces 477 bytes of data, and a block holds 476"),
        (changed(20, 2), "its number is 2, and there are 2 blocks from 0 on"),
        (changed(20, 0), "it is block 0, which has come before"),
        (changed(24, 3), "it says that there are 3 blocks, the first says 2"),
        (
            changed(12, 0x101),
            "it gives 0x00000101 to 0x00000101 a second time, after the block at byte 0x0",
        ),
        (changed(12, u32::MAX - 1), ""),
        (
            first.clone(),
            "the block at byte 0x0: the file ends behind it with 1 of 2 blocks; block 1 is missing",
        ),
    ];
    for (file, expected) in cases {
        if expected.is_empty() {
            assert_eq!(read(&file).unwrap().segments.len(), 2);
            continue;
        }
        let message = refusal(&file);
        assert!(message.contains(expected), "{expected}\n{message}");
    }
    let nothing = uf2((0, 1), None, 0x100, &[]);
    assert_eq!(refusal(nothing), "a UF2 file without any data, so there is nothing to run");
}

#[test]
fn what_is_in_no_format_needs_an_address() {
    let message = refusal(b"#!/bin/sh");
    let expected = "neither an ELF file nor Intel HEX, S-record or UF2: it begins with 23 21 2f \
                    62; a raw image needs the address where it is to be loaded";
    assert_eq!(message, expected);
    assert_eq!(read(b""), Err(ImageError::Empty));
    assert_eq!(Format::of(b":("), None);
    assert_eq!(Format::of(b"Say"), None);
}

/// One file of each format.
fn samples() -> Vec<Vec<u8>> {
    let hex = [hex(4, 0, &[8, 0]), hex(0, 0, &[1, 2, 3]), hex(0, 3, &[4]), HEX_END.into()];
    let blocks = [uf2((0, 2), None, 0x100, &[1; 16]), uf2((1, 2), None, 0x110, &[2; 16])];
    vec![hex.concat().into(), universal().into(), srecords().into(), blocks.concat()]
}

#[test]
fn a_file_cut_anywhere_is_refused() {
    for file in samples().iter().filter(|file| **file != universal().into_bytes()) {
        // The end of a line may be missing.
        let is_text = !file.starts_with(b"UF2");
        let whole = if is_text { file.trim_ascii_end().len() } else { file.len() };
        for length in 0..whole {
            let message = refusal(&file[..length]);
            assert!(!message.is_empty());
        }
        assert!(read(&file[..whole]).is_ok());
    }
}

#[test]
fn a_changed_character_is_noticed() {
    // In UF2 files only the headers can be checked, but not the bytes and addresses.
    for file in &samples()[..3] {
        let target = Target { universal_hex: vec![0x9900], ..Target::default() };
        let right = Image::parse(file, &target).unwrap();
        for at in 0..file.trim_ascii_end().len() {
            // The checksum of an S-record leaves out the type.
            if at > 0 && file[at - 1] == b'S' {
                continue;
            }
            for other in 0..=u8::MAX {
                let mut changed = file.clone();
                changed[at] = other;
                if let Ok(image) = Image::parse(&changed, &target) {
                    let same = file[at].eq_ignore_ascii_case(&other) || file[at] == b'\n';
                    assert!(same, "byte {at}: {:?} for {:?}", other as char, file[at] as char);
                    assert_eq!(image, right);
                }
            }
        }
    }
}

#[test]
fn no_damage_panics() {
    let mut random = 1_u32;
    let mut next = |bound: usize| {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (random >> 8) as usize % bound
    };
    let mut accepted = 0;
    for round in 0..20_000 {
        let mut file = samples().swap_remove(round % 4);
        for _ in 0..=next(4) {
            let (from, to) = (next(file.len()), next(file.len()));
            match next(4) {
                0 => file[from] = next(256) as u8,
                1 => file[from] = file[to],
                2 => file.truncate(from + 1),
                _ => {
                    let part = file[from.min(to)..from.max(to)].to_vec();
                    file.extend(part);
                }
            }
        }
        match read(&file) {
            Ok(image) => {
                accepted += 1;
                let _ = image.tables_by_place().count();
                let size: usize = image.segments.iter().map(|segment| segment.bytes.len()).sum();
                assert!(size <= file.len());
            }
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
    assert!(accepted > 100, "the damage is so heavy that nothing gets past the first check");
}
