//! Where a program runs, and its build: by the pinned compiler of Rust, or by GCC for C.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use quintet_lab::toolchain;

use super::program::{HANDLERS, Program};
use super::{c, rust};
use crate::firmware::{output, root};
use crate::random::Random;

/// The compiler of C.
pub const GCC: &str = "arm-none-eabi-gcc";

/// The registers of processors.
const COPROCESSORS: u32 = 0xe000_ed88;
const PRIORITIES: u32 = 0xe000_e400;
/// FLASH_ACR of the STM32F4, and the bits that choose the accelerator's parts.
const FLASH_CONTROL: u32 = 0x4002_3c00;

/// The language of a program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Language {
    Rust,
    C,
}

/// A board as a program sees it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// The simulator's name.
    pub board: &'static str,
    /// A register of a device that can be written.
    pub device: u32,
    flash: u32,
    /// Whether there is a floating-point unit.
    pub has_floats: bool,
    /// The value of FLASH_ACR.
    flash_control: Option<u32>,
}

/// Each board with its flash, a register of a device, and whether it has a floating-point unit.
const PLACES: [(&str, u32, u32, bool); 6] = [
    ("lm3s6965", 0, 0x4002_0000, false),
    ("stm32f100", 0x0800_0000, 0x4000_6c04, false),
    ("mps2-an385", 0, 0x4000_0008, false),
    ("mps2-an386", 0, 0x4000_0008, true),
    ("stm32f446", 0x0800_0000, 0x4000_6010, true),
    ("efm32pg1", 0, 0x4000_0010, true),
];

impl Place {
    /// One at random.
    pub fn new(random: &mut Random) -> Self {
        let (board, flash, device, has_floats) = random.pick(&PLACES);
        let control = random.below(6) | random.below(8) << 8;
        let flash_control = (board == "stm32f446").then_some(control);
        Self { board, device, flash, has_floats, flash_control }
    }

    /// What start-up code writes: addresses with values.
    pub fn start_up(&self, priorities: &[u8; HANDLERS]) -> Vec<(u32, u32)> {
        let mut all = vec![(PRIORITIES, u32::from_le_bytes(*priorities))];
        if self.has_floats {
            all.push((COPROCESSORS, 0x00f0_0000));
        }
        all.extend(self.flash_control.map(|value| (FLASH_CONTROL, value)));
        all
    }

    /// A linker script. A loader writes RAM, so what lies there needs no copy.
    fn layout(&self) -> String {
        format!(
            "MEMORY {{ FLASH (rx) : ORIGIN = 0x{:x}, LENGTH = 128K\n\
             RAM (rwx) : ORIGIN = 0x20000000, LENGTH = 8K }}\n\
             ENTRY(Reset)\n\
             SECTIONS {{\n\
             .text : {{ KEEP(*(.vectors)) *(.text .text.*) *(.rodata .rodata.*) }} > FLASH\n\
             .ARM.exidx : {{ *(.ARM.exidx .ARM.exidx.*) }} > FLASH\n\
             .data : {{ KEEP(*(.data .data.*)) }} > RAM\n\
             .bss (NOLOAD) : {{ KEEP(*(.bss .bss.* COMMON)) }} > RAM\n\
             end = .; }}\n",
            self.flash
        )
    }
}

/// A way to build a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Target {
    pub place: Place,
    pub language: Language,
    /// The level of optimisation.
    pub level: &'static str,
}

impl Target {
    /// One at random.
    pub fn new(random: &mut Random, languages: &[Language]) -> Self {
        let place = Place::new(random);
        let language = random.pick(languages);
        let level = match language {
            Language::Rust => random.pick(&["1", "2", "3", "s", "z"]),
            Language::C => random.pick(&["1", "2", "3", "s", "g"]),
        };
        // Without optimisation, counters lie on the stack, and most loops have no bound.
        let level = if random.one_in(12) { "0" } else { level };
        Self { place, language, level }
    }

    /// In words.
    pub fn words(&self) -> String {
        let Self { place, language, level } = self;
        format!("{language:?} -O{level} on {}", place.board)
    }

    /// The source of a program.
    pub fn source(&self, program: &Program) -> String {
        match self.language {
            Language::Rust => rust::source(program, &self.place),
            Language::C => c::source(program, &self.place),
        }
    }

    /// Builds a program in a directory of its own. Returns the ELF file.
    pub fn build(&self, program: &Program, directory: &Path) -> Result<PathBuf> {
        std::fs::create_dir_all(directory)
            .with_context(|| format!("cannot make {}", directory.display()))?;
        let image = directory.join("app.elf");
        let name = if self.language == Language::Rust { "app.rs" } else { "app.c" };
        std::fs::write(directory.join("layout.ld"), self.place.layout())?;
        std::fs::write(directory.join(name), self.source(program))?;
        let mut command = match self.language {
            Language::Rust => self.rustc()?,
            Language::C => self.gcc(),
        };
        let script = directory.join("layout.ld");
        match self.language {
            Language::Rust => {
                command.args(["-C", &format!("link-arg=-T{}", script.display())]);
            }
            Language::C => {
                command.arg("-T").arg(&script);
            }
        }
        command.arg(directory.join(name)).arg("-o").arg(&image);
        if self.language == Language::C {
            command.args(["-lc", "-lgcc"]);
        }
        let built = command.output().context("the compiler could not be started")?;
        if !built.status.success() {
            let said = String::from_utf8_lossy(&built.stderr);
            bail!("{} does not build:\n{said}", directory.join(name).display());
        }
        Ok(image)
    }

    fn rustc(&self) -> Result<Command> {
        let target =
            if self.place.has_floats { "thumbv7em-none-eabihf" } else { "thumbv7m-none-eabi" };
        toolchain::add_missing_target(&root(), target)?;
        let mut command = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
        command.current_dir(root()).env_remove("RUSTFLAGS");
        command.args(["--edition", "2021", "--crate-type", "bin", "--crate-name", "app"]);
        command.args(["--target", target, "-C", "linker=rust-lld", "-C", "panic=abort"]);
        command.args(["-C", "codegen-units=1", "-C", "debug-assertions=off"]);
        command.args(["-C", &format!("opt-level={}", self.level)]);
        Ok(command)
    }

    fn gcc(&self) -> Command {
        let mut command = Command::new(GCC);
        let core = if self.place.has_floats { "cortex-m4" } else { "cortex-m3" };
        command.args([&format!("-mcpu={core}"), "-mthumb", &format!("-O{}", self.level)]);
        if self.place.has_floats {
            command.args(["-mfloat-abi=hard", "-mfpu=fpv4-sp-d16"]);
        }
        command.args(["-w", "-std=gnu11", "-fno-strict-aliasing", "-nostartfiles"]);
        command
    }
}

/// Whether there is a compiler of C with a library.
pub fn has_c() -> bool {
    let asked = Command::new(GCC).arg("-print-file-name=libc.a").stderr(Stdio::null()).output();
    asked.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains('/'))
}

/// The directory of builds with a name.
pub fn scratch(name: &str) -> PathBuf {
    output().with_file_name("random-bounds").join(name)
}
