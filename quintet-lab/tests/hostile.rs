//! Files that ask for more than any firmware: each ends in words, or loses what it can do without.

mod support;

use quintet_lab::debug::DebugInfo;
use support::{quintet, temporary};

/// Code that prints nothing and ends with 0: SYS_EXIT with ADP_Stopped_ApplicationExit.
const EXITS: [u16; 8] = [0x2018, 0x4901, 0xbeab, 0xe7fe, 0x0026, 0x0002, 0, 0];

/// Code that is undefined on purpose.
const DIES: [u16; 2] = [0xde00, 0xe7fe];

/// Where code begins.
const CODE: u32 = 0x40;

fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// A section that isn't loaded: its name, flags and content.
type Extra<'a> = (&'a str, u32, Vec<u8>);

/// An ELF file whose vector table at 0 has all vectors at code.
fn elf(code: &[u16], extras: &[Extra<'_>]) -> Vec<u8> {
    let mut text = words(&[0x2000_1000]);
    text.extend(words(&[CODE | 1; 15]));
    text.extend(code.iter().flat_map(|half| half.to_le_bytes()));
    let mut names = b"\0.text\0.shstrtab\0".to_vec();
    let (mut content, mut headers) = (text.clone(), words(&[0; 10]));
    let length = text.len() as u32;
    headers.extend(words(&[1, 1, 6, 0, 84, length, 0, 0, 4, 0]));
    for (name, flags, bytes) in extras {
        let at = 84 + content.len() as u32;
        headers.extend(words(&[
            names.len() as u32,
            1,
            *flags,
            0,
            at,
            bytes.len() as u32,
            0,
            0,
            1,
            0,
        ]));
        names.extend(name.bytes().chain([0]));
        content.extend(bytes);
    }
    let at = 84 + content.len() as u32;
    headers.extend(words(&[7, 3, 0, 0, at, names.len() as u32, 0, 0, 1, 0]));
    content.extend(names);
    let count = extras.len() as u32 + 3;
    let mut file = b"\x7fELF\x01\x01\x01\0\0\0\0\0\0\0\0\0\x02\0\x28\0".to_vec();
    let sections = 84 + content.len() as u32;
    file.extend(words(&[1, CODE | 1, 52, sections, 0x500_0000, 52 | 32 << 16, 1 | 40 << 16]));
    file.extend(words(&[count | (count - 1) << 16]));
    file.extend(words(&[1, 84, 0, 0, length, length, 5, 4]));
    file.extend(content);
    file.extend(headers);
    file
}

/// A function at the code, and functions inlined into each other in it.
fn nested(levels: usize) -> [Extra<'static>; 2] {
    let abbreviations = [
        &[1, 0x11, 1, 0x11, 1, 0x12, 6, 0, 0][..], // unit: low_pc, high_pc
        &[2, 0x2e, 1, 0x11, 1, 0x12, 6, 0x03, 8, 0, 0], // function: the same, name
        &[3, 0x1d, 1, 0x11, 1, 0x12, 6, 0x31, 0x13, 0, 0], // inlined: the same, its origin
        &[0],
    ];
    let range = words(&[CODE, 4]);
    let mut entries = [&[1][..], &range, &[2], &range, b"work\0"].concat();
    let function = 11 + 9;
    entries.extend([&[3][..], &range, &words(&[function])].concat().repeat(levels));
    entries.extend(vec![0; levels + 2]);
    let mut info = words(&[entries.len() as u32 + 7]);
    info.extend([4, 0, 0, 0, 0, 0, 4]);
    info.extend(entries);
    [(".debug_abbrev", 0, abbreviations.concat()), (".debug_info", 0, info)]
}

#[test]
fn debug_information_that_nests_too_deeply_is_left_out() {
    let file = temporary("deep.elf", &elf(&DIES, &nested(15_000)));
    let run = quintet(&["run", &file]);
    let left_out = "quintet: the debug information of the firmware is left out, so lines and \
                    functions may be missing: it has 513 levels of entries in each other or more";
    run.fails(121, &[left_out, "Registers:"]);
    assert_eq!(run.stderr.matches("is left out").count(), 1, "{}", run.stderr);
}

#[test]
fn as_deep_as_is_read_it_takes_no_more_stack_than_a_thread_has() {
    // One level is the function's.
    let debug = DebugInfo::load(&elf(&DIES, &nested(511)));
    let places = debug.locate(CODE);
    assert_eq!(places.len(), 512);
    assert!(places.iter().all(|place| place.function.as_deref() == Some("work")));
    assert!(DebugInfo::load(&elf(&DIES, &nested(512))).locate(CODE).is_empty());
}

#[test]
fn a_decompression_bomb_is_left_out_and_the_firmware_runs() {
    let mut bomb = words(&[1, 0xffff_0000, 1]); // zlib, four gigabytes
    bomb.extend([0x78, 0x9c, 3, 0, 0, 0, 0, 1]);
    for name in [".debug_info", ".debug_frame", ".debug_str"] {
        let file = temporary("bomb.elf", &elf(&EXITS, &[(name, 0x800, bomb.clone())]));
        let run = quintet(&["run", &file]);
        let left_out = "is left out, so lines and functions may be missing: it has 4294901760 \
                        bytes in its sections, uncompressed, or more, and at most 268435456 are \
                        read.";
        run.fails(0, &[left_out]);
    }
    let file = temporary("bomb_map.elf", &elf(&EXITS, &[(".quintet.map", 0x800, bomb)]));
    let expected = "the map in .quintet.map has 4294901760 bytes uncompressed, and at most 4194304";
    quintet(&["map", &file]).fails(120, &[expected]);
}

#[test]
fn a_table_of_tests_without_its_symbols_is_no_success() {
    let table = (".embedded_test", 0, vec![1, 0, 0, 0]);
    let file = temporary("stripped_tests.elf", &elf(&EXITS, &[table]));
    let expected = "the section .embedded_test has no symbol EMBEDDED_TEST_VERSION, so its tests \
                    cannot be found: leave symbols in the ELF file";
    quintet(&["run", &file]).fails(120, &["stripped_tests.elf cannot be run", expected]);
}

#[test]
fn segments_that_share_bytes_are_refused_by_the_command() {
    let mut file = elf(&EXITS, &[]);
    let header = words(&[1, 0, 0x2000_0000, 0x2000_0000, 1 << 20, 1 << 20, 6, 4]);
    let at = file.len() as u32;
    file.extend(header.repeat(1000));
    file.resize(2 << 20, 0);
    file[28..32].copy_from_slice(&at.to_le_bytes());
    file[44..46].copy_from_slice(&1000_u16.to_le_bytes());
    let run = quintet(&["run", &temporary("segments.elf", &file)]);
    run.fails(120, &["cannot load", "the file has 1048576000 bytes to load or more, and at most"]);
}

#[test]
fn a_file_without_an_end_is_refused_by_the_command() {
    if std::path::Path::new("/dev/zero").exists() {
        let run = quintet(&["run", "/dev/zero"]);
        run.fails(120, &["cannot read /dev/zero: it has more than 536870912 bytes"]);
    }
}

/// A raw image that prints the string behind its code again and again by SYS_WRITE0.
fn prints_for_ever(length: usize) -> String {
    let mut image = words(&[0x2000_1000]);
    image.extend(words(&[CODE | 1; 15]));
    // LDR R1, text; MOVS R0, #4; BKPT 0xab; B to the beginning; the address of the text
    image.extend([0x4901_u16, 0x2004, 0xbeab, 0xe7fb].iter().flat_map(|half| half.to_le_bytes()));
    image.extend(words(&[CODE + 12]));
    image.extend(vec![b'a'; length]);
    image.extend([0; 4]);
    temporary(&format!("prints_{length}.bin"), &image)
}

#[test]
fn printing_without_end_is_cut_and_takes_time() {
    let file = prints_for_ever(60_000);
    let run = quintet(&["run", &file, "--load", "0", "--json", "--max-cycles", "100000"]);
    run.fails(124, &[]);
    let report = run.json();
    // Beyond 4096 bytes, each is a cycle.
    assert_eq!(report["output"]["stdout"].as_str().unwrap().len(), 2 * 60_000);
    assert_eq!(report["output_cut"], serde_json::Value::Null);
    let file = prints_for_ever(1000);
    let limits = ["--max-cycles", "100000", "--max-output", "2500"];
    let run = quintet(&[&["run", &file, "--load", "0", "--json"][..], &limits].concat());
    let cut = "quintet: what the firmware printed was cut behind 2500 bytes; --max-output N keeps \
               more, 0 all";
    run.fails(124, &[cut]);
    assert_eq!(run.json()["output"]["stdout"].as_str().unwrap().len(), 2500);
    assert_eq!(run.json()["output_cut"], 2500);
    let run = quintet(&[&["run", &file, "--load", "0"][..], &limits].concat());
    run.fails(124, &[cut]);
    assert_eq!(run.stdout.len(), 2500);
}
