//! Applications on RISC-V, in the simulator and under QEMU, as [emulate](crate::emulate) does it
//! with those on Cortex-M.
//!
//! The processor has atomic instructions or none. The emulator's one has them, and a program that
//! is built without them is right there, too.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use quintet_sim::image::Image;
use quintet_sim::riscv::board::Board;
use quintet_sim::riscv::machine::{Limits, Machine, Stop};

use crate::collections::{COLLECTIONS, CYCLES_MAX};
use crate::cross::riscv::QEMU;
use crate::emulate::{Tally, agree, processes};
use crate::firmware::{build_in, root};
use crate::qemu::{self, Setup};

/// The workspace of the programs.
const DIRECTORY: &str = "proof/firmware/riscv";
/// What they are built for.
const TARGETS: [&str; 2] = ["riscv32imac-unknown-none-elf", "riscv32imc-unknown-none-elf"];
/// The programs with a written output, and those that judge themselves and write nothing; and the
/// features that they are built with.
const PROGRAMS: [(&str, bool, &str); 9] = [
    ("levels", true, "riscv"),
    ("sizes", true, "riscv"),
    ("platform", true, "riscv"),
    ("external", true, "riscv"),
    ("times", true, "tick-1m"),
    ("interrupted", false, "riscv"),
    ("asleep", false, "riscv"),
    ("threads_interrupted", false, "riscv"),
    ("delays_interrupted", false, "tick-1m"),
];
/// The programs of a Cortex-M that run on RISC-V as well, and what they write.
const BEHAVIOURS: &str = "proof/firmware/riscv-behaviours";
const OUTPUTS: [&str; 2] = ["proof/firmware/behaviours/src/bin", "examples"];
/// The kernels of a Cortex-M's examples with processes, for RISC-V, and where those are. (The other
/// one prints registers.)
const KERNELS: &str = "proof/firmware/riscv-processes";
const EXAMPLES: &str = "examples/processes";
const WITH_PROCESSES: [&str; 4] = ["five_models", "one_process", "shared_driver", "shared_memory"];
/// QEMU's arguments: no other firmware, and time by instructions.
const ARGUMENTS: [&str; 4] = ["-bios", "none", "-icount", "shift=6,sleep=off"];

/// Runs the programs that are wanted.
pub fn run(wants: impl Fn(&str) -> bool, tally: &mut Tally) {
    for (name, writes, features) in PROGRAMS.into_iter().filter(|(name, ..)| wants(name)) {
        for target in TARGETS {
            let result = compare(name, writes, features, target);
            tally.record(&format!("{name} on RISC-V"), result);
        }
    }
    for name in WITH_PROCESSES.into_iter().filter(|name| wants(name)) {
        // The kernels of two have drivers that update a word by an atomic instruction.
        let is_built = |target: &&str| !name.starts_with("shared_") || target.contains("imac");
        for target in TARGETS.into_iter().filter(is_built) {
            tally.record(&format!("{name} on RISC-V"), with_processes(name, target));
        }
    }
    for target in TARGETS {
        if let Err(error) = behaviours(&wants, target, tally) {
            tally.record("the programs of a Cortex-M on RISC-V", Err(error));
        }
    }
}

/// Runs the programs of a Cortex-M that are wanted.
fn behaviours(wants: &impl Fn(&str) -> bool, target: &str, tally: &mut Tally) -> Result<()> {
    let directory = root().join(BEHAVIOURS);
    let manifest = std::fs::read_to_string(directory.join("Cargo.toml"))?;
    let atomics = target.contains("imac");
    let mut names = manifest
        .split("[[bin]]")
        .skip(1)
        .filter(|program| atomics || !program.contains("required-features"))
        .filter_map(|program| program.split('"').nth(1))
        .filter(|name| wants(name))
        .peekable();
    if names.peek().is_none() {
        return Ok(());
    }
    let arguments: &[&str] = if atomics { &["--features", "atomics"] } else { &[] };
    let built = build_in(&directory, arguments, target)?;
    for name in names {
        let outputs = OUTPUTS.map(|place| root().join(place).join(name).with_extension("out"));
        let path = outputs.iter().find(|path| path.exists()).unwrap_or(&outputs[0]);
        let expected = std::fs::read_to_string(path)
            .with_context(|| format!("cannot read {}", path.display()))?;
        let result = run_both(&built.join(name), &expected, target);
        tally.record(&format!("{name} on RISC-V"), result);
    }
    Ok(())
}

/// Runs one program on either side; says where it ran.
fn compare(name: &str, writes: bool, features: &str, target: &str) -> Result<String> {
    let directory = root().join(DIRECTORY);
    let mut expected = String::new();
    if writes {
        let path = directory.join(format!("src/bin/{name}.out"));
        let text = std::fs::read_to_string(&path);
        expected = text.with_context(|| format!("cannot read {}", path.display()))?;
    }
    let image = build_in(&directory, &["--bin", name, "--features", features], target)?.join(name);
    run_both(&image, &expected, target)
}

/// Runs a kernel with its processes on either side; says where it ran.
fn with_processes(name: &str, target: &str) -> Result<String> {
    let mut collections = COLLECTIONS.iter();
    let examples = collections.find(|collection| collection.directory == EXAMPLES);
    let examples = examples.with_context(|| format!("{EXAMPLES} is no collection"))?;
    let path = examples.output(name);
    let expected = std::fs::read_to_string(&path)
        .with_context(|| format!("cannot read {}", path.display()))?;
    let image = build_in(&root().join(KERNELS), &["--bin", name], target)?.join(name);
    let more = examples.processes(name, &image)?;
    let loader = processes(examples, name, &image)?;
    run_both_with(&image, &expected, target, more, loader.as_deref())
}

/// Runs an image in the simulator and under QEMU; says where it ran.
fn run_both(image: &Path, expected: &str, target: &str) -> Result<String> {
    run_both_with(image, expected, target, None, None)
}

/// The same with something else in memory: at an address, and as QEMU loads it.
fn run_both_with(
    image: &Path,
    expected: &str,
    target: &str,
    more: Option<(u32, Vec<u8>)>,
    loader: Option<&str>,
) -> Result<String> {
    agree(&simulate(image, more)?, expected).context("in the simulator")?;
    let right = format!("as written in the simulator (virt-rv32), built for {target}");
    if !qemu::has(QEMU) {
        return Ok(format!("{right}; SKIPPED under QEMU: {QEMU} is not installed"));
    }
    agree(&emulate(image, loader)?, expected).context("under QEMU")?;
    Ok(format!("{right}, and under QEMU (virt)"))
}

/// Runs an image under QEMU; returns what it wrote.
fn emulate(image: &Path, loader: Option<&str>) -> Result<String> {
    let setup = Setup { program: QEMU, arguments: &ARGUMENTS, loader, ..Setup::new("virt") };
    let output = setup.run(image)?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{} after it wrote:\n{text}{errors}", output.status);
    Ok(text)
}

/// Runs an image in the simulator; returns what it wrote.
fn simulate(image: &Path, more: Option<(u32, Vec<u8>)>) -> Result<String> {
    let bytes = std::fs::read(image).with_context(|| format!("cannot read {}", image.display()))?;
    let mut machine = Machine::new(&Board::named("virt-rv32")?);
    machine.load(&Image::parse_riscv_elf(&bytes)?)?;
    if let Some((address, bytes)) = more {
        machine.load(&Image::raw(&bytes, address)?)?;
    }
    machine.reset();
    let stop = machine.run(&Limits { cycles: Some(CYCLES_MAX), instructions: None });
    let output = machine.take_output();
    let text: String = output.iter().map(|piece| String::from_utf8_lossy(&piece.bytes)).collect();
    ensure!(stop == Stop::Exit { code: 0 }, "{stop:?} after it wrote:\n{text}");
    Ok(text)
}
