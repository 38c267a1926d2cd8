//! Tables that are whole, and each way of not being so.

use super::*;

/// The parts of the file.
#[derive(Clone)]
struct Sample {
    version: u32,
    symbols: Vec<(&'static str, u32, u32)>,
    entry: u32,
    module: u32,
    module_length: u32,
    has_symbols: bool,
}

const ADDS: &str = r#"{"disambiguator":1,"name":"adds","ignored":false,"should_panic":true}"#;

impl Sample {
    /// A test and the version.
    fn new() -> Self {
        Self {
            version: 1,
            symbols: vec![(ADDS, 0, 12), ("EMBEDDED_TEST_VERSION", 12, 4)],
            entry: 0x101,
            module: 0x104,
            module_length: 10,
            has_symbols: true,
        }
    }

    /// An ELF file: `.text` at 0x100 with a module's path, `.embedded_test` at 0, symbols.
    fn file(&self) -> Vec<u8> {
        let text = b"\xfe\xe7\0\0one::tests";
        let words = |words: &[u32]| words.iter().flat_map(|w| w.to_le_bytes()).collect::<Vec<u8>>();
        let table = words(&[self.entry, self.module, self.module_length, self.version]);
        let mut names = vec![0];
        let mut symbols = vec![0; 16];
        for (name, at, size) in &self.symbols {
            symbols.extend(words(&[names.len() as u32, *at, *size, 0x2_0011]));
            names.extend(name.bytes().chain([0]));
        }
        let sections = b"\0.text\0.embedded_test\0.symtab\0.strtab\0";
        let parts = [&text[..], &table, &symbols, &names, sections];
        let starts: Vec<u32> = parts
            .iter()
            .scan(52, |at, part| Some(std::mem::replace(at, *at + part.len() as u32)))
            .collect();
        let end = starts[4] + sections.len() as u32;
        let mut file = b"\x7fELF\x01\x01\x01\0\0\0\0\0\0\0\0\0\x02\0\x28\0".to_vec();
        file.extend(words(&[1, 0x101, 0, end, 0, 52 | 32 << 16, 40 << 16]));
        file.extend([6, 0, 5, 0]);
        file.extend(parts.concat());
        let kind = if self.has_symbols { 2 } else { 1 };
        for header in [
            [0; 10],
            [1, 1, 6, 0x100, starts[0], text.len() as u32, 0, 0, 4, 0],
            [7, 1, 0, 0, starts[1], 16, 0, 0, 4, 0],
            [22, kind, 0, 0, starts[2], symbols.len() as u32, 4, 1, 4, 16],
            [30, 3, 0, 0, starts[3], names.len() as u32, 0, 0, 1, 0],
            [30, 3, 0, 0, starts[4], sections.len() as u32, 0, 0, 1, 0],
        ] {
            file.extend(words(&header));
        }
        file
    }

    fn refusal(&self) -> String {
        format!("{:#}", read(&self.file()).err().expect("a damaged table is refused"))
    }
}

#[test]
fn a_whole_table_is_read() {
    let Some(Table::Tests(tests)) = read(&Sample::new().file()).unwrap() else { panic!("none") };
    assert_eq!(
        (tests[0].name.as_str(), tests[0].command.as_str()),
        ("tests::adds", "run_addr 257")
    );
    assert_eq!((tests.len(), tests[0].should_panic, tests[0].ignored), (1, true, false));
    let older =
        Sample { version: 0, symbols: vec![("EMBEDDED_TEST_VERSION", 12, 4)], ..Sample::new() };
    assert!(matches!(read(&older.file()).unwrap(), Some(Table::AskProgram)));
    assert!(read(b"no ELF file").unwrap().is_none());
}

#[test]
fn a_table_that_is_not_whole_is_refused() {
    let sample = Sample::new();
    let version = ("EMBEDDED_TEST_VERSION", 12, 4);
    for (damaged, expected) in [
        (Sample { has_symbols: false, ..sample.clone() }, "leave symbols in the ELF file"),
        (Sample { symbols: vec![(ADDS, 0, 12)], ..sample.clone() }, "has no symbol EMBEDDED_TEST"),
        (Sample { symbols: vec![version], ..sample.clone() }, "has no test, so nothing would be"),
        (Sample { version: 7, ..sample.clone() }, "use version 7 of the embedded-test protocol"),
        (
            Sample { symbols: vec![(ADDS, 0, 8), version], ..sample.clone() },
            "has 16 bytes, and symbols explain 12 of them: tests are missing",
        ),
        (
            Sample { symbols: vec![("adds", 0, 12), version], ..sample.clone() },
            "cannot understand the test adds",
        ),
        (
            Sample { symbols: vec![(ADDS, 8, 12), version], ..sample.clone() },
            "the test adds has no entry",
        ),
        (
            Sample {
                symbols: vec![(ADDS, 0, 12), ("EMBEDDED_TEST_VERSION", 99, 4)],
                ..sample.clone()
            },
            "EMBEDDED_TEST_VERSION lies outside the section",
        ),
        (Sample { entry: 0x100, ..sample.clone() }, "the test adds, 0x00000100, is no code"),
        (Sample { entry: 0x201, ..sample.clone() }, "the test adds, 0x00000201, is no code"),
        (
            Sample { module_length: 1 << 20, ..sample },
            "the module of the test adds cannot be read: 1048576 bytes at 0x00000104",
        ),
    ] {
        let message = damaged.refusal();
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn the_crate_is_no_part_of_a_tests_name() {
    assert_eq!(strip_crate("arithmetic::tests"), "tests::");
    assert_eq!(strip_crate("arithmetic"), "");
}

#[test]
fn long_names_are_shortened() {
    assert_eq!(shortened("adds"), "adds");
    assert_eq!(shortened(&"ä".repeat(100)), format!("{}..", "ä".repeat(80)));
}
