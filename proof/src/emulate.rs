//! Firmware with a written output, unchanged, in the simulator and under QEMU.
//!
//! The simulator is ours, and so is what it runs: a mistake in both would agree with itself. QEMU
//! knows nothing of either. Each image is built once; both must print what stands beside its
//! source, and end with success.
//!
//! One program that judges itself is built for every architecture that Quintet supports, and runs
//! on a processor of each; in the simulator too, where that has the processor. Processes on those
//! are [isolation]'s, and applications on RISC-V are [riscv]'s.
//!
//! QEMU counts time in instructions here, so that a run is the same every time. An instruction
//! takes 64 ns, about a cycle of the boards, and more in programs that mostly sleep; the time that
//! programs see is not the simulator's.
//! What QEMU can't do (press a button, count cycles) is said aloud.

use std::path::{Path, PathBuf};
use std::thread;

use anyhow::{Context, Result, bail, ensure};
use quintet_sim::board::{Board, Core};
use quintet_sim::image::Image;
use quintet_sim::machine::{Machine, Stop, Until};

use crate::collections::{COLLECTIONS, CYCLES_MAX, Collection};
use crate::firmware::{build_in, build_with, root};
use crate::qemu::{self, Setup};
use crate::{isolation, riscv};

/// Time by instructions: 2^6 ns each.
const COUNT_INSTRUCTIONS: [&str; 2] = ["-icount", "shift=6,sleep=off"];
/// The programs that sleep for seconds, and time for those: 2^9 ns an instruction. QEMU executes
/// every turn of a sleep by `wfe`, and there are fewer turns so.
const SLEEPERS: [&str; 5] =
    ["actor_blink", "dinner_cooperative", "dinner_preemptive", "dinner_threads", "pelican"];
const COUNT_COARSELY: [&str; 2] = ["-icount", "shift=9,sleep=off"];
/// The programs that judge themselves: binaries of `proof/firmware/shapes`, and the feature that
/// they need, if there are threads in them, which not every architecture has.
const JUDGES: [(&str, Option<&str>); 5] = [
    ("interrupted", None),
    ("stacks", Some("threads")),
    ("threads", Some("threads")),
    ("threads", Some("longest")),
    ("ticks", Some("ticks")),
];
/// What they are built for, and a processor of QEMU's with that architecture.
const PROCESSORS: [(&str, &str); 6] = [
    ("thumbv6m-none-eabi", "cortex-m0"),
    ("thumbv7m-none-eabi", "cortex-m3"),
    ("thumbv7em-none-eabi", "cortex-m4"),
    ("thumbv7em-none-eabihf", "cortex-m7"),
    ("thumbv8m.main-none-eabi", "cortex-m33"),
    ("thumbv8m.main-none-eabihf", "cortex-m33"),
];

/// The program whose threads and interrupts use all floating-point registers, by instructions of
/// its own.
const FLOATS: &str = "floats";
/// What it is built for: where arguments are passed in the registers, and where the compiler's
/// flags alone let code use them.
const FLOATING: [(&str, &str, &[&str]); 3] = [
    ("thumbv7em-none-eabihf", "cortex-m4", &[]),
    ("thumbv8m.main-none-eabihf", "cortex-m33", &[]),
    ("thumbv7em-none-eabi", "cortex-m4", &["-Ctarget-cpu=cortex-m4"]),
];

/// Programs that QEMU can't run, and what it doesn't do as the chip does.
const NOT_UNDER_QEMU: [(&str, &str); 2] =
    [("statistics", "counts no cycles"), ("priority_bits", "has all bits of a priority")];

/// The programs that a stack overflow ends, by itself or in a switch, and what they write then:
/// ARMv7-M guards the stack by the memory protection unit, ARMv8-M by a limit.
const OVERFLOWS: [(&str, [&str; 2]); 2] = [
    ("overflow", ["the stack of the thread `DEEP` overflowed: its 512 bytes don't suffice"; 2]),
    (
        "brim",
        [
            "was hit by `URGENT`, or in a switch to that thread",
            "the stack of the thread `FULL` overflowed: its 512 bytes don't suffice",
        ],
    ),
];

/// The memory that QEMU decides about at once when it reads what a semihosting call points to, in
/// bytes (`docs/qemu-differences.md`).
const PAGE: u32 = 1024;

/// The one whose masks can't hold off a switch alone: the judges of threads use instructions that
/// it lacks.
const SMALL: &str = "thumbv6m-none-eabi";
/// Programs of threads that QEMU runs on a Cortex-M0: of `proof/firmware/behaviours`.
const ON_SMALL: [&str; 6] =
    ["condvar", "mutex_inheritance", "mutex_time_out", "threads", "threads_delay", "threads_wait"];

/// Run the examples' and tests' images in the simulator and, unchanged, under QEMU
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// Run only these programs
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// Leave out the targets without registers of floating point that have a twin with them
    #[arg(long)]
    quick: bool,
}

impl Arguments {
    /// Runs them.
    pub fn run(&self) -> Result<()> {
        if !qemu::is_installed() {
            bail!("qemu-system-arm is not installed: install the package qemu-system-arm");
        }
        let mut tally = Tally::default();
        for collection in &COLLECTIONS {
            let names: Vec<_> = collection.names()?.into_iter().filter(|n| self.wants(n)).collect();
            if names.is_empty() {
                continue;
            }
            let images = build_in(&collection.path(), &[], collection.target)?;
            let run = |name: &String| compare(collection, name, &images.join(name));
            let verdicts = for_each(&names, run);
            names.iter().zip(verdicts).for_each(|(name, verdict)| tally.record(name, verdict));
        }
        for (name, feature) in JUDGES.into_iter().filter(|(name, _)| self.wants(name)) {
            for (target, processor) in self.processors() {
                if feature.is_none() || target != SMALL {
                    let verdict = judge(name, feature, target, processor, &[]);
                    tally.record(&format!("{name} on {processor}"), verdict);
                }
            }
        }
        for name in ON_SMALL.into_iter().filter(|name| self.wants(name) && self.builds_for(SMALL)) {
            tally.record(&format!("{name} on cortex-m0"), on_small(name));
        }
        for (target, processor, flags) in FLOATING.into_iter().filter(|_| self.wants(FLOATS)) {
            let verdict = judge(FLOATS, Some(FLOATS), target, processor, flags);
            tally.record(&format!("{FLOATS} on {processor}"), verdict);
        }
        let with_threads = self.processors().filter(|(target, _)| *target != SMALL);
        for (target, processor) in with_threads {
            for (name, texts) in OVERFLOWS.into_iter().filter(|(name, _)| self.wants(name)) {
                let text = texts[usize::from(target.starts_with("thumbv8m"))];
                let verdict = overflow(name, text, target, processor);
                tally.record(&format!("{name} on {processor}"), verdict);
            }
        }
        isolation::run(|name| self.wants(name), |target| self.builds_for(target), &mut tally);
        isolation::run_examples(|name| self.wants(name), &mut tally)?;
        riscv::run(|name| self.wants(name), &mut tally);
        let Tally { count, wrong } = tally;
        ensure!(count > 0, "there is no program {}", self.names.join(" "));
        ensure!(wrong.is_empty(), "{} of {count} are wrong: {}", wrong.len(), wrong.join(", "));
        println!("{count} programs do what is written");
        Ok(())
    }

    /// What the programs that judge themselves are built for.
    fn processors(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        PROCESSORS.into_iter().filter(|(target, _)| self.builds_for(target))
    }

    fn builds_for(&self, target: &str) -> bool {
        !(self.quick && PROCESSORS.iter().any(|(other, _)| *other == format!("{target}hf")))
    }

    fn wants(&self, name: &str) -> bool {
        self.names.is_empty() || self.names.iter().any(|wanted| wanted == name)
    }
}

/// What has been run.
#[derive(Default)]
pub struct Tally {
    count: usize,
    wrong: Vec<String>,
}

impl Tally {
    /// Counts a program and prints what came of it.
    pub fn record(&mut self, name: &str, result: Result<String>) {
        self.count += 1;
        match result {
            Ok(verdict) => println!("{name}: {verdict}"),
            Err(error) => {
                println!("{name}: WRONG: {error:#}");
                self.wrong.push(name.to_owned());
            }
        }
    }
}

/// Does something for each name, on all processors at once; the results in the names' order.
fn for_each<T: Send>(names: &[String], run: impl Fn(&String) -> T + Sync) -> Vec<T> {
    let workers = thread::available_parallelism().map_or(1, usize::from);
    let work = &|first: usize| {
        let own = names.iter().enumerate().skip(first).step_by(workers);
        own.map(|(place, name)| (place, run(name))).collect::<Vec<_>>()
    };
    let mut results = thread::scope(|scope| {
        let started: Vec<_> = (0..workers).map(|first| scope.spawn(move || work(first))).collect();
        let ended = started.into_iter().map(|worker| worker.join().expect("a run ends or fails"));
        ended.flatten().collect::<Vec<_>>()
    });
    results.sort_by_key(|(place, _)| *place);
    results.into_iter().map(|(_, result)| result).collect()
}

/// Builds a program that judges itself for a target, with these flags of the compiler, and runs it
/// on a processor of QEMU's.
fn judge(
    name: &str,
    feature: Option<&str>,
    target: &str,
    processor: &str,
    flags: &[&str],
) -> Result<String> {
    let image = shape(name, feature, target, flags)?;
    emulate(&on_processor(processor), &image)?;
    let board = board_with(processor)?;
    if let Some(board) = &board {
        simulate_on(board, &image, None).context("in the simulator")?;
    }
    let simulated = if board.is_some() { " and in the simulator" } else { "" };
    let with = feature.map_or_else(String::new, |feature| format!(" with {feature}"));
    let flags = flags.last().map_or_else(String::new, |flags| format!(", {flags}"));
    Ok(format!("right under QEMU{simulated}, built for {target}{with}{flags}"))
}

/// Runs a program of threads under QEMU on a Cortex-M0: it must print what it prints everywhere.
fn on_small(name: &str) -> Result<String> {
    let workspace = root().join("proof/firmware/behaviours");
    let image = build_in(&workspace, &["--bin", name], SMALL)?.join(name);
    let expected = workspace.join("src/bin").join(name).with_extension("out");
    let expected = std::fs::read_to_string(&expected)
        .with_context(|| format!("cannot read the expected output {}", expected.display()))?;
    agree(&emulate(&on_processor("cortex-m0"), &image)?, &expected)?;
    Ok(format!("as written under QEMU, built for {SMALL}"))
}

/// Builds a program of `proof/firmware/shapes`.
fn shape(name: &str, feature: Option<&str>, target: &str, flags: &[&str]) -> Result<PathBuf> {
    let arguments = ["--bin", name, "--features", feature.unwrap_or_default()];
    let images = build_with(&root().join("proof/firmware/shapes"), &arguments, target, flags)?;
    Ok(images.join(name))
}

/// QEMU's board of those programs, with another processor.
fn on_processor(processor: &str) -> Setup<'_> {
    Setup { processor: Some(processor), ..Setup::new("lm3s6965evb") }
}

/// The simulator's board of those programs with another core, if the simulator has that. A
/// Cortex-M0 and a Cortex-M3 are those of the tests that `cargo test` runs.
pub fn board_with(processor: &str) -> Result<Option<Board>> {
    let core = match processor {
        "cortex-m4" => Core::CortexM4F,
        "cortex-m33" => Core::CortexM33F,
        _ => return Ok(None),
    };
    Ok(Some(Board { core, core_revision: None, ..Board::named("lm3s6965")? }))
}

/// Builds a program whose stack overflows for a target, and sees it named by QEMU's processor, with
/// this text.
fn overflow(name: &str, text: &str, target: &str, processor: &str) -> Result<String> {
    let image = shape(name, Some("threads"), target, &[])?;
    names(emulate(&on_processor(processor), &image), text)?;
    let board = board_with(processor)?;
    if let Some(board) = &board {
        names(simulate_on(board, &image, None), text).context("in the simulator")?;
    }
    let simulated = if board.is_some() { " and in the simulator" } else { "" };
    Ok(format!("caught and named under QEMU{simulated}, built for {target}"))
}

/// Whether a run failed, and said why.
fn names(run: Result<String>, text: &str) -> Result<()> {
    match run {
        Ok(_) => bail!("the overflow was not caught"),
        Err(error) if error.to_string().contains(text) => Ok(()),
        Err(error) => Err(error),
    }
}

/// Runs an image under QEMU, counting time in instructions; returns what it wrote.
pub fn emulate(setup: &Setup<'_>, image: &Path) -> Result<String> {
    let sleeps = SLEEPERS.iter().any(|name| image.ends_with(name));
    let arguments = if sleeps { &COUNT_COARSELY } else { &COUNT_INSTRUCTIONS };
    let setup = Setup { arguments, ..setup.clone() };
    let output = setup.run(image)?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{} after it wrote:\n{text}{errors}", output.status);
    Ok(text)
}

/// A stack of a thread whose guard begins a page of QEMU's.
fn unreadable_stack(image: &Path) -> Option<String> {
    let image = Image::parse_elf(&std::fs::read(image).ok()?).ok()?;
    let mut stacks = image.symbols.into_iter().filter(|symbol| symbol.name.contains("_stack"));
    stacks.find(|stack| stack.size >= 256 && stack.address % PAGE == 0).map(|stack| stack.name)
}

/// Runs one image on either side, where that can be; says where it ran.
fn compare(collection: &Collection, name: &str, image: &Path) -> Result<String> {
    let output = collection.output(name);
    let expected = std::fs::read_to_string(&output)
        .with_context(|| format!("cannot read the expected output {}", output.display()))?;
    let loader = processes(collection, name, image)?;
    let compared = |text: &str| match loader {
        Some(_) => without_addresses(text),
        None => text.to_owned(),
    };
    let expected = compared(&expected);
    let output = compared(&simulate(collection, name, image)?);
    agree(&output, &expected).context("in the simulator")?;
    let simulated = format!("as written in the simulator ({})", collection.board_name());
    if collection.inputs(name).is_some() {
        return Ok(format!("{simulated}; SKIPPED under QEMU, which takes no inputs"));
    }
    if let Some((_, why)) = NOT_UNDER_QEMU.iter().find(|(program, _)| *program == name) {
        return Ok(format!("{simulated}; SKIPPED under QEMU, which {why}"));
    }
    let setup = Setup { loader: loader.as_deref(), ..Setup::new(collection.machine) };
    let output = compared(&emulate(&setup, image)?);
    agree(&output, &expected).with_context(|| match unreadable_stack(image) {
        Some(stack) => format!(
            "under QEMU, which takes no semihosting call from the {PAGE} bytes that `{stack}` \
             begins with, as it begins with its guard at a multiple of that: give the stacks of \
             the program other sizes"
        ),
        None => "under QEMU".to_owned(),
    })?;
    Ok(format!("{simulated} and under QEMU ({})", collection.machine))
}

/// Writes the processes of a kernel to a file; how QEMU loads it.
pub fn processes(collection: &Collection, name: &str, image: &Path) -> Result<Option<String>> {
    let Some((address, bytes)) = collection.processes(name, image)? else { return Ok(None) };
    let file = image.with_extension("processes.bin");
    std::fs::write(&file, bytes).with_context(|| format!("cannot write {}", file.display()))?;
    Ok(Some(format!("loader,file={},addr={address:#x},force-raw=on", file.display())))
}

/// Runs an image in the simulator; returns what it wrote.
fn simulate(collection: &Collection, name: &str, image: &Path) -> Result<String> {
    end(collection.load(name, image)?)
}

/// Runs an image in the simulator, with something else in its memory; returns what it wrote.
pub fn simulate_on(board: &Board, image: &Path, more: Option<(u32, &[u8])>) -> Result<String> {
    let bytes = std::fs::read(image).with_context(|| format!("cannot read {}", image.display()))?;
    let mut machine = Machine::new(board);
    machine.load(&Image::parse_elf(&bytes)?)?;
    if let Some((address, bytes)) = more {
        machine.write_memory(address, bytes)?;
    }
    machine.reset();
    end(machine)
}

/// Runs a machine to its end, which must be a success.
fn end(mut machine: Machine) -> Result<String> {
    let stop = machine.run(&Until { max_cycles: Some(CYCLES_MAX), ..Until::default() });
    let output = machine.take_output();
    let text: String = output.iter().map(|piece| String::from_utf8_lossy(&piece.bytes)).collect();
    ensure!(stop == Stop::Exit { code: 0 }, "{stop:?} after it wrote:\n{text}");
    Ok(text)
}

/// A text without the digits of its numbers of 32 bits: the dump of a process has the addresses and
/// the registers of its target.
pub fn without_addresses(text: &str) -> String {
    let mut parts = text.split("0x");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| {
        let digits = part.chars().take_while(char::is_ascii_hexdigit).count();
        let left = if digits == 8 { "________" } else { &part[..digits] };
        text + "0x" + left + &part[digits..]
    })
}

/// Refuses an output that is not the expected one, and shows the first line that differs.
pub fn agree(output: &str, expected: &str) -> Result<()> {
    let (mut lines, mut wanted) = (output.lines(), expected.lines());
    for number in 1_usize.. {
        match (lines.next(), wanted.next()) {
            (None, None) => break,
            (line, want) if line == want => {}
            (line, want) => {
                let (line, want) = (line.unwrap_or("nothing"), want.unwrap_or("nothing"));
                bail!("line {number} is \"{line}\", expected \"{want}\"; all of it:\n{output}");
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_the_order_of_the_names() {
        let names: Vec<_> = (0..100).map(|number| number.to_string()).collect();
        assert_eq!(for_each(&names, Clone::clone), names);
        assert_eq!(for_each(&[], Clone::clone), [""; 0]);
    }

    #[test]
    fn only_numbers_of_32_bits_lose_their_digits() {
        assert_eq!(without_addresses("at 0x2000abcd, 0x12, 0x"), "at 0x________, 0x12, 0x");
    }

    #[test]
    fn the_first_line_that_differs_is_named() {
        assert!(agree("a\nb\n", "a\nb\n").is_ok());
        let error = agree("a\nc\n", "a\nb\n").unwrap_err().to_string();
        assert!(error.starts_with("line 2 is \"c\", expected \"b\""), "{error}");
        let error = agree("a\n", "a\nb\n").unwrap_err().to_string();
        assert!(error.starts_with("line 2 is \"nothing\", expected \"b\""), "{error}");
    }
}
