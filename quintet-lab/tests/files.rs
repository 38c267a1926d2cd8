//! The files that firmware comes in: told by their content, loaded where they say, several at once,
//! started from their own vector table, with the names of C++.
//!
//! All of them are made here, of a program with four instructions.

mod support;

use support::{quintet, temporary};

/// Where the program's code is, behind the table.
const CODE: u32 = 0x40;

/// A program that belongs at `base` and ends with `code`: a vector table, and behind it what sets
/// R0 to the reason and R1 to the block, then asks for semihosting.
fn program(base: u32, code: u32) -> Vec<u8> {
    let reset = (base + CODE) | 1;
    let mut table = vec![0x2000_1000, reset, reset, reset];
    table.resize(CODE as usize / 4, 0);
    let instructions: [u16; 4] = [
        0x2020, // movs r0, #0x20      SYS_EXIT_EXTENDED
        0xa101, // adr r1, the block
        0xbeab, // bkpt 0xab
        0xe7fe, // b .
    ];
    let mut image: Vec<u8> = table.iter().flat_map(|word| word.to_le_bytes()).collect();
    image.extend(instructions.iter().flat_map(|half| half.to_le_bytes()));
    image.extend([0x2_0026, code].iter().flat_map(|word| word.to_le_bytes()));
    image
}

/// Lines of 16 bytes, each with its offset.
fn pieces(bytes: &[u8]) -> impl Iterator<Item = (u16, &[u8])> {
    bytes.chunks(16).enumerate().map(|(index, piece)| (16 * index as u16, piece))
}

fn digits(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02X}")).collect()
}

/// A record of Intel HEX.
fn hex_record(kind: u8, offset: u16, data: &[u8]) -> String {
    let mut bytes = vec![data.len() as u8, (offset >> 8) as u8, offset as u8, kind];
    bytes.extend(data);
    bytes.push(bytes.iter().fold(0, |sum: u8, byte| sum.wrapping_sub(*byte)));
    format!(":{}\n", digits(&bytes))
}

fn hex(kind: u8, base: u16, bytes: &[u8]) -> String {
    pieces(bytes).map(|(offset, piece)| hex_record(kind, base + offset, piece)).collect()
}

fn s_record(kind: u8, offset: u16, data: &[u8]) -> String {
    let mut bytes = vec![data.len() as u8 + 3, (offset >> 8) as u8, offset as u8];
    bytes.extend(data);
    bytes.push(!bytes.iter().fold(0, |sum: u8, byte| sum.wrapping_add(*byte)));
    format!("S{kind}{}\n", digits(&bytes))
}

fn uf2(address: u32, family: u32, data: &[u8]) -> Vec<u8> {
    let words = [0x9e5d_5157, 0x2000, address, data.len() as u32, 0, 1, family];
    let mut block = b"UF2\n".to_vec();
    block.extend(words.iter().flat_map(|word: &u32| word.to_le_bytes()));
    block.extend(data);
    block.resize(508, 0);
    block.extend(0x0ab1_6f30_u32.to_le_bytes());
    block
}

const HEX_END: &str = ":00000001FF\n";

/// An ELF file of a program at `base` with a section of this name for its table, and these
/// functions, each of two bytes.
fn elf(base: u32, bytes: &[u8], table: &str, functions: &[(&str, u32)]) -> Vec<u8> {
    let section_names = format!("\0{table}\0.text\0.symtab\0.strtab\0.shstrtab\0");
    let name_of = |name: &str| section_names.find(&format!("\0{name}\0")).unwrap() as u32 + 1;
    let (mut names, mut symbols) = (vec![0], vec![0_u32; 4]);
    for (name, address) in functions {
        symbols.extend([names.len() as u32, address | 1, 2, 0x2_0012]);
        names.extend(name.bytes().chain([0]));
    }
    let at = 84;
    let symbols_at = at + bytes.len() as u32;
    let names_at = symbols_at + 4 * symbols.len() as u32;
    let section_names_at = names_at + names.len() as u32;
    let headers_at = section_names_at + section_names.len() as u32;
    let length = bytes.len() as u32;
    let headers = [
        [0; 10],
        [name_of(table), 1, 2, base, at, CODE, 0, 0, 4, 0],
        [name_of(".text"), 1, 6, base + CODE, at + CODE, length - CODE, 0, 0, 4, 0],
        [name_of(".symtab"), 2, 0, 0, symbols_at, 4 * symbols.len() as u32, 4, 1, 4, 16],
        [name_of(".strtab"), 3, 0, 0, names_at, names.len() as u32, 0, 0, 1, 0],
        [name_of(".shstrtab"), 3, 0, 0, section_names_at, section_names.len() as u32, 0, 0, 1, 0],
    ];
    let words =
        |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<_>>();
    let halves =
        |halves: &[u16]| halves.iter().flat_map(|half| half.to_le_bytes()).collect::<Vec<_>>();
    let mut file = b"\x7fELF\x01\x01\x01\0\0\0\0\0\0\0\0\0".to_vec();
    file.extend(halves(&[2, 40]));
    file.extend(words(&[1, (base + CODE) | 1, 52, headers_at, 0x0500_0000]));
    file.extend(halves(&[52, 32, 1, 40, 6, 5]));
    file.extend(words(&[1, at, base, base, length, length, 5, 4]));
    file.extend(bytes);
    file.extend(words(&symbols));
    file.extend(names);
    file.extend(section_names.bytes());
    headers.iter().for_each(|header| file.extend(words(header)));
    file
}

/// A board file like that of the built-in `lm3s6965`, with one more line.
fn board(file: &str, line: &str) -> String {
    let usual = include_str!("../../quintet-sim/boards/lm3s6965.toml");
    temporary(file, format!("{line}\n{usual}").as_bytes())
}

#[test]
fn each_format_is_told_by_its_content() {
    let image = program(0, 7);
    let s_records: String = pieces(&image).map(|(at, piece)| s_record(1, at, piece)).collect();
    let files = [
        ("files-hex.bin", (hex(0, 0, &image) + HEX_END).into_bytes()),
        ("files-srec.hex", (s_records + &s_record(9, 0, &[])).into_bytes()),
        ("files-uf2.elf", uf2(0, 0x1234, &image)),
        ("files-elf.uf2", elf(0, &image, ".isr_vector", &[])),
    ];
    for (name, content) in files {
        let file = temporary(name, &content);
        let run = quintet(&["run", &file]);
        assert_eq!((run.code, run.stderr.as_str()), (7, ""), "{name}");
        let run = quintet(&["run", &file, "--load", "0"]);
        run.fails(120, &[name, "which says itself where it is loaded; leave --load out"]);
    }
    let size = quintet(&[
        "size",
        "--json",
        &temporary("files-hex.bin", (hex(0, 0, &image) + HEX_END).as_bytes()),
    ]);
    assert_eq!(size.json()["flash"], image.len());
}

#[test]
fn a_mistake_in_a_file_is_named_with_its_line() {
    let file = temporary("files-cut.hex", hex(0, 0, &program(0, 7)).as_bytes());
    let line = "files-cut.hex: an Intel HEX file, line 5: the file ends here, without the \
                end-of-file record :00000001FF; the file has been changed or cut off since it was \
                made: make it anew";
    quintet(&["run", &file]).fails(120, &["cannot load", line]);
    let text = temporary("files-text.hex", b"firmware");
    let run = quintet(&["run", &text]);
    run.fails(120, &["neither an ELF file nor Intel HEX, S-record or UF2", "(--load ADDRESS)"]);
}

#[test]
fn of_a_file_for_several_boards_the_boards_own_part_is_taken() {
    let begin =
        |board: u8| hex_record(4, 0, &[0, 0]) + &hex_record(0x0a, 0, &[0x99, board, 0xc0, 0xde]);
    let end = hex_record(0x0b, 0, &[]);
    let universal = [
        begin(0),
        hex(0, 0, &program(0, 1)),
        end.clone(),
        begin(3),
        hex(0x0d, 0, &program(0, 2)),
        end,
        HEX_END.into(),
    ];
    let file = temporary("files-universal.hex", universal.concat().as_bytes());
    for (line, code) in [("universal_hex = [0x9900]", 1), ("universal_hex = [0x9903]", 2)] {
        let board = board(&format!("files-{code}.toml"), line);
        assert_eq!(quintet(&["run", &file, "--board", &board]).code, code);
        let shown = quintet(&["boards", &board]).stdout;
        assert!(shown.contains("takes universal hex 0x990"), "{shown}");
    }
    let way_out = "say in the board file which is its: universal_hex = [0x9900]";
    quintet(&["run", &file]).fails(120, &["0x9900 (micro:bit V1), 0x9903 (micro:bit V2)", way_out]);

    let families = [uf2(0, 0x1234, &program(0, 3)), uf2(0, 0xe48b_ff56, &program(0, 4))].concat();
    let file = temporary("files-families.uf2", &families);
    let rp2040 = board("files-rp2040.toml", "uf2_families = [0xe48b_ff56]");
    assert_eq!(quintet(&["run", &file, "--board", &rp2040]).code, 4);
    let way_out = "uf2_families = [0x1234]";
    quintet(&["run", &file]).fails(120, &["families 0x1234, 0xe48bff56 (RP2040)", way_out]);
    let run = quintet(&["run", &file, "--board", "stm32f100"]);
    run.fails(120, &["and the board is of 0x5ee21072 (STM32F1)"]);
}

#[test]
fn a_bootloader_and_its_application_run_together() {
    let boot = temporary("files-boot.bin", &program(0, 7));
    let functions = [("app_main", 0x4000 + CODE)];
    let app = temporary("files-app.elf", &elf(0x4000, &program(0x4000, 8), ".vectors", &functions));
    let at_0 = format!("{boot}@0x0");
    for line in
        [vec!["run", &app, "--also", &at_0], vec!["run", &boot, "--load", "0", "--also", &app]]
    {
        let run = quintet(&line);
        assert_eq!(
            (run.code, run.stderr.as_str()),
            (7, ""),
            "the board's table is the bootloader's"
        );
    }
    let run = quintet(&["run", &app, "--also", &at_0, "--vector-table", "0x4000", "--json"]);
    assert_eq!(run.code, 8);
    let report = run.json();
    assert_eq!(report["vector_table"]["address"], 0x4000);
    assert_eq!(report["vector_table"]["found"], "as asked for");
    assert_eq!(report["also"][0], at_0);
    let run = quintet(&[
        "measure",
        &boot,
        "--load",
        "0",
        "--also",
        &app,
        "--vector-table",
        "0x4000",
        "--from",
        "app_main",
        "--to",
        "app_main+4",
        "--json",
    ]);
    assert_eq!(run.json()["occurrences"][0]["instructions"], 2, "{}", run.stderr);

    let run = quintet(&["run", &app, "--also", &format!("{boot}@0x3fe0")]);
    run.fails(
        120,
        &["files-app.elf and ", "files-boot.bin both load 0x00004000 to 0x0000402f; link one"],
    );
    let run = quintet(&["run", &app, "--also", &boot]);
    run.fails(
        120,
        &["files-boot.bin", "the address where it is to be loaded (--also FILE@ADDRESS)"],
    );
    let run = quintet(&["run", &app, "--also", &format!("{boot}@0x60000000")]);
    run.fails(
        120,
        &["cannot load ", "files-boot.bin on the board lm3s6965: segment 0 (0x60000000"],
    );
}

#[test]
fn the_vector_table_that_is_taken_is_told() {
    let file = temporary("files-off.elf", &elf(0x4000, &program(0x4000, 8), ".isr_vector", &[]));
    let run = quintet(&["run", &file]);
    let told = "quintet: starts from the vector table at 0x00004000 (section .isr_vector), not at \
                0x00000000, where lm3s6965 does: nothing is there\n";
    assert_eq!((run.code, run.stderr.as_str()), (8, told));
    assert_eq!(
        quintet(&["run", &file, "--json"]).json()["vector_table"]["found"],
        "section .isr_vector"
    );
    let mut headed = vec![0x42; 0x100];
    headed.extend(program(0x100, 9));
    let file = temporary("files-headed.bin", &headed);
    let run = quintet(&["run", &file, "--load", "0"]);
    let told = "quintet: starts from the vector table at 0x00000100 (it looks like one), not at \
                0x00000000, where lm3s6965 does: what is there is no vector table\n";
    assert_eq!((run.code, run.stderr.as_str()), (9, told));
    let mut high = program(0x4000, 8);
    high[..4].copy_from_slice(&0x2008_0000_u32.to_le_bytes());
    let file = temporary("files-high.elf", &elf(0x4000, &high, ".isr_vector", &[]));
    let why = "the vector table at 0x00004000 (section .isr_vector): its stack pointer 0x20080000 \
               isn't in RAM or just above it: sram 0x20000000 to 0x2000ffff; link the firmware for \
               this board or choose another board";
    quintet(&["run", &file]).fails(120, &["files-high.elf on the board lm3s6965", why]);
    let run = quintet(&["run", &file, "--vector-table", "0x4080"]);
    run.fails(120, &["no vector table at 0x00004080"]);
}

#[test]
fn functions_of_cpp_and_clones_have_their_names_everywhere() {
    let functions = [
        ("_ZN6Sensor4readEi.constprop.0", CODE),
        ("_ZN6Sensor4stopEv", CODE + 4),
        ("_ZN6Sensor4sendEv", CODE + 12),
        ("_ZN6Sensor4sendEv.isra.0", CODE + 14),
    ];
    let file = temporary("files-cpp.elf", &elf(0, &program(0, 0), ".vectors", &functions));
    for from in ["read", "Sensor::read", "Sensor::read(int)", "_ZN6Sensor4readEi.constprop.0"] {
        let run = quintet(&["measure", &file, "--from", from, "--to", "Sensor::stop", "--json"]);
        let report = run.json();
        assert_eq!(report["from"]["address"], CODE, "{from}");
        assert_eq!(report["occurrences"][0]["instructions"], 2);
    }
    let size = quintet(&["size", &file]).stdout;
    assert!(size.contains("Sensor::read(int) [clone .constprop.0]"), "{size}");
    let run = quintet(&["measure", &file, "--from", "Sensor::send", "--to", "Sensor::stop"]);
    let clones = "; the compiler made others of it: Sensor::send() [clone .isra.0] (0x4e)";
    assert!(run.stderr.contains(clones), "{}", run.stderr);
    let run = quintet(&["measure", &file, "--from", "Sensor::raed", "--to", "Sensor::stop"]);
    run.fails(120, &["the nearest: Sensor::read(int) [clone .constprop.0]"]);
}

/// A program that a C++ compiler clones a function of: `scale` always has a 3, so there is only the
/// clone without it. It then reads where nothing is.
const CLONED: &str = r#"
extern "C" void start();
__attribute__((section(".vectors"), used)) void *const vectors[] = {
    (void *)0x20001000, (void *)start, (void *)start, (void *)start };
struct Sensor {
    __attribute__((noinline)) static int scale(int value, int by);
    __attribute__((noinline)) static int read(int value);
};
__attribute__((noinline)) static int times(int value, int by) {
    volatile int sum = 0;
    for (int i = 0; i < by; i++) sum += value;
    return sum + *(volatile int *)0x60000000;
}
int Sensor::read(int value) { return times(value, 3) + times(value + 1, 3); }
extern "C" void start() { Sensor::read(7); for (;;) ; }
"#;

#[test]
fn a_backtrace_names_clones_and_functions_of_cpp() {
    let source = temporary("files-cloned.cpp", CLONED.as_bytes());
    let elf = temporary("files-cloned.elf", b"");
    let mut compiler = std::process::Command::new("arm-none-eabi-g++");
    compiler.args(["-mthumb", "-mcpu=cortex-m3", "-O2", "-g", "-fno-exceptions", "-nostdlib"]);
    compiler.args(["-fno-tree-vectorize", "-fno-inline", "-fno-ipa-icf", "-Wl,--entry=start"]);
    compiler.args(["-Wl,-Ttext=0x100,--section-start=.vectors=0", "-o", &elf, &source]);
    match compiler.output() {
        Err(_) => return eprintln!("skipped: there is no arm-none-eabi-g++"),
        Ok(built) => {
            let errors = String::from_utf8_lossy(&built.stderr).into_owned();
            assert!(built.status.success(), "{errors}");
        }
    }
    let run = quintet(&["run", &elf, "--max-cycles", "10_000"]);
    let cloned = "times(int, int) [clone .constprop.0]";
    run.fails(121, &[cloned, "Sensor::read(int)", "files-cloned.cpp:15"]);
    let measured = quintet(&["measure", &elf, "--from", "times", "--to", "times+2", "--json"]);
    assert_eq!(measured.json()["from"]["text"], "times");
    let code = quintet(&["inject", &elf, "--code", "times", "--exception", "irq5"]);
    assert!(!code.stderr.contains("no code found"), "{}", code.stderr);
}

#[test]
fn a_raw_image_at_a_wrong_address_is_refused_with_the_right_one() {
    let mut image = 0x2000_1000_u32.to_le_bytes().to_vec();
    image.extend(0x0800_4041_u32.to_le_bytes().repeat(15));
    image.extend([0x00, 0xbf, 0xfd, 0xe7]);
    let file = temporary("behind_a_bootloader.bin", &image);
    let run = |load: &str| {
        quintet(&["run", &file, "--board", "stm32f446", "--load", load, "--max-cycles", "1_000"])
    };
    let said = ["is not linked for 0x08000000", "which seems to be --load 0x08004000"];
    run("0x08000000").fails(120, &said);
}
