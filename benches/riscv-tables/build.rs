//! Copies the binaries of the tables, with the parts of a Cortex-M replaced, and hands the linker
//! scripts to the linker.
//!
//! `cargo lab bench` names the script with the board's memories in `QUINTET_MEMORY`. Without it,
//! the firmware is for the board ibex-clint.

use std::path::{Path, PathBuf};
use std::{env, fs};

/// What is written otherwise, in whichever binary: the library's kernel with the vectors, a
/// return, a register of the interrupt controller, and handlers without the kernel, of which there
/// are none.
const OTHERWISE: [(&str, &str); 10] = [
    ("quintet::kernel!(hardware_priority = 0x20);", "quintet_bench_common::kernel!();"),
    ("bx lr", "ret"),
    (
        "use quintet_bench_common::device::{Interrupt, NVIC_ISPR};",
        "use quintet_bench_common::device::Interrupt;",
    ),
    ("let register = (NVIC_ISPR + interrupt as u32 / 32 * 4) as *mut u32;", ""),
    (
        "unsafe { register.write_volatile(1 << (interrupt as u32 % 32)) };",
        "quintet::pend(interrupt);",
    ),
    ("pend!(\"bare_pend\", \"bare_back\", Interrupt::TIM4);", ""),
    ("const PROGRAMS: [Interrupt; 6] = [", "const PROGRAMS: [Interrupt; 5] = ["),
    ("        Interrupt::EXTI2,\n        Interrupt::TIM6,", "        Interrupt::TIM6,"),
    ("device::enable(Interrupt::", "let _ = (Interrupt::"),
    ("#[path = \"../", "#[path = \"SOURCES/"),
];

const IBEX: &str = "MEMORY { RAM : ORIGIN = 0x00100080, LENGTH = 512K }
REGION_ALIAS(\"REGION_TEXT\", RAM);
REGION_ALIAS(\"REGION_RODATA\", RAM);
REGION_ALIAS(\"REGION_DATA\", RAM);
REGION_ALIAS(\"REGION_BSS\", RAM);
REGION_ALIAS(\"REGION_HEAP\", RAM);
REGION_ALIAS(\"REGION_STACK\", RAM);
";

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let sources = root.join("../src");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    println!("cargo::rerun-if-changed={}", sources.join("bin").display());
    for file in fs::read_dir(root.join("src/bin")).expect("there are binaries") {
        let name = file.expect("it can be listed").file_name();
        let text = fs::read_to_string(sources.join("bin").join(&name)).expect("it is text");
        fs::write(out.join(&name), adapted(&text, &sources)).expect("it can be written");
    }
    println!("cargo::rerun-if-env-changed=QUINTET_MEMORY");
    let memory = env::var("QUINTET_MEMORY").map_or_else(
        |_| IBEX.to_owned(),
        |path| {
            println!("cargo::rerun-if-changed={path}");
            fs::read_to_string(&path).unwrap_or_else(|error| panic!("can't read {path}: {error}"))
        },
    );
    fs::write(out.join("memory.x"), memory).expect("it can be written");
    println!("cargo::rustc-link-search={}", out.display());
    println!("cargo::rustc-link-arg=-Tmemory.x");
    println!("cargo::rustc-link-arg=-Tlink.x");
}

/// The binary's items. The attributes and comments of the crate can't be included.
fn adapted(text: &str, sources: &Path) -> String {
    let lines = text.lines().filter(|line| !line.starts_with("//!") && !line.starts_with("#!["));
    let text: String = lines.map(|line| line.to_owned() + "\n").collect();
    let text = OTHERWISE.iter().fold(text, |text, (from, to)| text.replace(from, to));
    let text = text.replace("SOURCES", &sources.display().to_string());
    text + "use riscv as _;\nuse riscv_rt as _;\n"
}
