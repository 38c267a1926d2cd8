//! What the tests in the simulator share: firmware, built once for all of them, on a board.

#![allow(dead_code, reason = "each test binary uses a part of it")]

use std::path::{Path, PathBuf};

use quintet_lab::toolchain::{self, Setup};
use quintet_sim::board::Board;
use quintet_sim::image::Image;
use quintet_sim::machine::Machine;

/// What most firmware is built for.
pub const TARGET: &str = "thumbv7m-none-eabi";
/// The board that most of it runs on.
pub const BOARD: &str = "lm3s6965";

/// Builds a workspace of firmware beside this directory in the release profile, as `arguments`
/// narrow it; returns the directory of its programs.
///
/// All of it goes where `cargo proof` builds firmware too: what workspaces have in common is built
/// once. Programs that have one name take each other's place, so who builds reads at once.
pub fn build(workspace: &str, target: &str, arguments: &[&str]) -> PathBuf {
    let built = try_build(workspace, target, arguments);
    built.unwrap_or_else(|message| panic!("{workspace} does not build:\n{message}"))
}

/// The same; what the compiler says where that is refused.
///
/// # Errors
/// The messages, if it does not build.
pub fn try_build(workspace: &str, target: &str, arguments: &[&str]) -> Result<PathBuf, String> {
    try_build_in("firmware", &[], workspace, target, arguments)
}

/// The same in a directory of its own, with variables of the environment on which builds depend:
/// in one directory, each change of a variable would build the kernel anew.
///
/// # Errors
/// The messages, if it does not build.
pub fn try_build_in(
    directory: &str,
    variables: &[(&str, &str)],
    workspace: &str,
    target: &str,
    arguments: &[&str],
) -> Result<PathBuf, String> {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("firmware");
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name(directory);
    let workspace = tests.join(workspace);
    let setup = Setup { workspace: &workspace, target, profile: "release", flags: &[] };
    let output = toolchain::cargo(&setup)
        .unwrap_or_else(|error| panic!("{error:#}"))
        .args(["build", "--quiet", "--release", "--locked", "--target", target])
        .args(arguments)
        .env("CARGO_TARGET_DIR", &directory)
        .envs(variables.iter().copied())
        .output()
        .expect("cargo starts");
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    Ok(directory.join(target).join("release"))
}

/// What a program of `behaviours`, or an example, must print.
pub fn written(name: &str) -> String {
    let proof = Path::new(env!("CARGO_MANIFEST_DIR"));
    let places = ["firmware/behaviours/src/bin", "../examples", "../examples/processes"];
    let files = places.map(|place| proof.join(place).join(name).with_extension("out"));
    let file = files.iter().find(|file| file.exists());
    let file = file.unwrap_or_else(|| panic!("nowhere is {name}.out"));
    std::fs::read_to_string(file).expect("it is text")
}

/// Reads a program.
pub fn image(path: &Path) -> Image {
    Image::parse_elf(&std::fs::read(path).expect("it was built")).expect("it is an ELF file")
}

/// A board with a program in it, after reset.
pub fn machine(board: &Board, image: &Image) -> Machine {
    let mut machine = Machine::new(board);
    machine.load(image).expect("it is linked for the board");
    machine.reset();
    machine
}

/// Where a function begins, or what a name stands for in memory.
pub fn address(image: &Image, name: &str) -> u32 {
    image.symbol(name).unwrap_or_else(|| panic!("there is no {name}")).address & !1
}

/// In the scheduler: who runs.
pub const RUNNING: u32 = 4;

/// Where the scheduler is, in firmware with threads.
pub fn scheduler(image: &Image) -> u32 {
    let is_scheduler = |name: &str| name.contains("9scheduler9SCHEDULER");
    let mut symbols = image.symbols.iter();
    symbols.find(|symbol| is_scheduler(&symbol.name)).expect("there are threads").address
}

/// What firmware has printed since it was last asked.
pub fn printed(machine: &mut Machine) -> String {
    let bytes = machine.take_output().into_iter().flat_map(|output| output.bytes).collect();
    String::from_utf8(bytes).expect("programs print text")
}

/// A pseudo-random sequence (xorshift).
pub struct Random(pub u64);

impl Random {
    /// The next number.
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}
