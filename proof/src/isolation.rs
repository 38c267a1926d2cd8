//! Processes on further processors, under QEMU and in the simulator: a Cortex-M4F, whose protection
//! unit is that of a Cortex-M3, and a Cortex-M33, whose unit is another one. Each has a kernel with
//! floating point and a kernel without.
//!
//! The actions of the processes and their results are those of the simulator's tests
//! (`proof/tests/processes.rs`), with additional ones for floating-point registers.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use quintet_lab::process::pack::{Wishes, pack};
use quintet_lab::process::place::{self, Application};
use quintet_sim::image::Image;

use crate::collections::{COLLECTIONS, Collection};
use crate::emulate::{
    Tally, agree, board_with, emulate, processes, simulate_on, without_addresses,
};
use crate::firmware::{build_in, root};
use crate::qemu::Setup;

#[path = "../tests/processes/cases.rs"]
mod cases;

/// The target of applications, for every kernel.
const OF_APPLICATIONS: &str = "thumbv7m-none-eabi";
/// The memory of applications in the cases, and that of AN505.
const MEMORY: [&str; 2] = ["0x2000", "0x3800"];

/// The attack that is a breakpoint, at which QEMU stays forever: it doesn't know that a program may
/// handle breakpoints itself (`docs/qemu-differences.md`).
const BREAKPOINT: u32 = 24;

/// The client that shares its stack, which the service overwrites. When the client returns to the
/// written value, it leaves QEMU in another exception than the current one
/// (`docs/qemu-differences.md`).
const WRITTEN_OVER: (&str, u32) = ("client", 6);

/// A processor, and the target of the kernel.
struct Board {
    name: &'static str,
    machine: &'static str,
    /// The feature for the memories of the kernel and the applications, if they are not those of
    /// all other boards.
    feature: Option<&'static str>,
    target: &'static str,
    floats: bool,
}

const BOARDS: [Board; 4] = [
    Board {
        name: "Cortex-M4F",
        machine: "mps2-an386",
        feature: None,
        target: "thumbv7em-none-eabihf",
        floats: true,
    },
    Board {
        name: "Cortex-M4F without floating point",
        machine: "mps2-an386",
        feature: None,
        target: "thumbv7em-none-eabi",
        floats: false,
    },
    Board {
        name: "Cortex-M33",
        machine: "mps2-an505",
        feature: Some("an505"),
        target: "thumbv8m.main-none-eabihf",
        floats: false,
    },
    Board {
        name: "Cortex-M33 without floating point",
        machine: "mps2-an505",
        feature: Some("an505"),
        target: "thumbv8m.main-none-eabi",
        floats: false,
    },
];

/// Applications that run beside each other, each with its action, and the expected output.
type Case = (&'static [(&'static str, u32)], &'static [&'static str]);

/// The actions on floating-point registers, if the kernel uses them.
const FLOATS: [Case; 8] = [
    (
        &[("floats", 0), ("drifts", 1), ("hello", 0)],
        &[
            "once more\n",
            "floats ends as Exited(0)",
            "drifts ends as Exited(0)",
            "hello ends as Exited(7)",
            "the thread has run: true",
        ],
    ),
    (&[("floats", 1), ("drifts", 0)], &["floats ends as Exited(0)", "drifts ends as Exited(0)"]),
    (&[("floats", 2), ("drifts", 0)], &["has a stack pointer", "floats ends as Faulted"]),
    (&[("floats", 3), ("drifts", 0)], &["has a stack pointer", "floats ends as Faulted"]),
    (&[("floats", 4), ("drifts", 0)], &["has a stack pointer", "floats ends as Faulted"]),
    (&[("floats", 5), ("drifts", 0)], &["has a stack pointer", "floats ends as Faulted"]),
    (&[("floats", 6), ("drifts", 0)], &["executed an instruction", "floats ends as Faulted"]),
    (&[("floats", 7), ("drifts", 0)], &["has a stack pointer", "floats ends as Faulted"]),
];

/// The programs, by the names that the command takes.
const NAMES: [&str; 3] = ["attacks", "sharing", "floating"];

/// The kernels among the examples: their targets beside a Cortex-M3, and QEMU's machine, with
/// another processor if it has none of that kind.
const EXAMPLES: &str = "examples/processes";
const OF_EXAMPLES: [(&str, &str, Option<&str>); 2] = [
    ("thumbv7em-none-eabihf", "mps2-an386", None),
    ("thumbv8m.main-none-eabihf", "lm3s6965evb", Some("cortex-m33")),
];

/// Runs the wanted cases on all boards whose target is wanted.
pub fn run(wants: impl Fn(&str) -> bool, builds_for: impl Fn(&str) -> bool, tally: &mut Tally) {
    for board in BOARDS.iter().filter(|board| builds_for(board.target)) {
        for name in NAMES.into_iter().filter(|name| wants(name)) {
            let verdict = Built::new(board, name).and_then(|built| match name {
                "attacks" => built.attacks(),
                "sharing" => built.sharing(),
                _ if board.floats => built.floats(),
                _ => built.floats_nowhere(),
            });
            tally.record(&format!("{name} on {}", board.name), verdict);
        }
    }
}

/// Runs the wanted examples, whose output is the same as on a Cortex-M3.
pub fn run_examples(wants: impl Fn(&str) -> bool, tally: &mut Tally) -> Result<()> {
    let found = COLLECTIONS.iter().find(|collection| collection.directory == EXAMPLES);
    let collection = found.with_context(|| format!("{EXAMPLES} is no collection"))?;
    let names: Vec<_> = collection.names()?.into_iter().filter(|name| wants(name)).collect();
    for (target, machine, processor) in OF_EXAMPLES {
        if names.is_empty() {
            break;
        }
        let images = build_in(&collection.path(), &[], target)?;
        for name in &names {
            let image = images.join(name);
            let setup = Setup { processor, ..Setup::new(machine) };
            let verdict = example(collection, name, &image, &setup)
                .map(|()| format!("as written under QEMU ({machine}), built for {target}"));
            tally.record(&format!("{name} for {target}"), verdict);
        }
    }
    Ok(())
}

fn example(collection: &Collection, name: &str, image: &Path, setup: &Setup<'_>) -> Result<()> {
    let output = collection.output(name);
    let expected = std::fs::read_to_string(&output)
        .with_context(|| format!("cannot read the expected output {}", output.display()))?;
    let loader = processes(collection, name, image)?;
    let output = emulate(&Setup { loader: loader.as_deref(), ..setup.clone() }, image)?;
    agree(&without_addresses(&output), &without_addresses(&expected))
}

/// A kernel, and a directory of applications.
struct Built<'a> {
    board: &'a Board,
    kernel: PathBuf,
    applications: Vec<(&'static str, Image)>,
}

impl<'a> Built<'a> {
    fn new(board: &'a Board, name: &str) -> Result<Self> {
        let kernel = if name == "floating" && board.floats { "floats" } else { "kernel" };
        let mut features: Vec<_> = board.feature.into_iter().collect();
        features.extend((kernel == "floats").then_some(kernel));
        let arguments = ["--bin", kernel, "--features", &features.join(",")];
        let kernels = root().join("proof/firmware/processes");
        let kernel = build_in(&kernels, &arguments, board.target)?.join(kernel);
        let arguments = ["--features", board.feature.unwrap_or_default()];
        let directory = root().join("proof/firmware/process-apps");
        let built = build_in(&directory, &arguments, OF_APPLICATIONS)?;
        // Those for another board take their place.
        let names = ["attack", "hello", "service", "client", "other", "floats", "drifts"];
        let applications = names.map(|name| Ok((name, image(&built.join(name))?)));
        let applications = applications.into_iter().collect::<Result<_>>()?;
        Ok(Self { board, kernel, applications })
    }

    /// Returns an application that does the action of this number.
    fn application(&self, name: &str, number: u32) -> Result<Vec<u8>> {
        let found = self.applications.iter().find(|(found, _)| *found == name);
        let (name, image) = found.with_context(|| format!("there is no application {name}"))?;
        let mut image = image.clone();
        for symbol in ["ATTACK", "WHAT"] {
            let Some(place) = image.symbol(symbol).map(|symbol| symbol.address) else { continue };
            for segment in &mut image.segments {
                let at = place.wrapping_sub(segment.load_address) as usize;
                if let Some(word) = segment.bytes.get_mut(at..at.saturating_add(4)) {
                    word.copy_from_slice(&number.to_le_bytes());
                }
            }
        }
        let heap = if *name == "hello" { 0 } else { 1024 };
        pack(&image, &Wishes { name, heap, sha256: false })
    }

    /// Runs applications under QEMU and in the simulator. Returns both outputs.
    fn run(&self, applications: &[(&str, u32)]) -> Result<[String; 2]> {
        let flash = place::flash(&image(&self.kernel)?)?;
        let packed = applications.iter().map(|&(name, what)| self.application(name, what));
        let packed = packed.collect::<Result<Vec<_>>>()?;
        let named: Vec<_> = packed.iter().map(|bytes| Application { file: "it", bytes }).collect();
        let file = self.kernel.with_extension("processes.bin");
        let placed = place::place(flash, &named)?;
        std::fs::write(&file, &placed)
            .with_context(|| format!("cannot write {}", file.display()))?;
        let loader = format!("loader,file={},addr={:#x},force-raw=on", file.display(), flash.0);
        let setup = Setup { loader: Some(&loader), ..Setup::new(self.board.machine) };
        // The devices of the kernel for AN386 are those of the other programs.
        let board = match self.board.feature {
            Some(_) => quintet_sim::board::Board::named(self.board.machine)?,
            None => board_with("cortex-m4")?.context("the simulator has no Cortex-M4F")?,
        };
        let simulated = simulate_on(&board, &self.kernel, Some((flash.0, &placed)))
            .context("in the simulator")?;
        Ok([emulate(&setup, &self.kernel)?, simulated])
    }

    /// Runs applications on either side, and checks that the output contains the texts.
    fn expect(&self, applications: &[(&str, u32)], texts: &[&str]) -> Result<()> {
        for printed in self.run(applications).with_context(|| format!("{applications:?}"))? {
            self.look(&printed, applications, texts)?;
        }
        Ok(())
    }

    fn look(&self, printed: &str, applications: &[(&str, u32)], texts: &[&str]) -> Result<()> {
        for text in texts {
            let text = match self.board.feature {
                Some(_) => text.replace(MEMORY[0], MEMORY[1]),
                None => (*text).to_owned(),
            };
            ensure!(printed.contains(&text), "{applications:?}: no \"{text}\" in\n{printed}");
        }
        ensure!(!printed.contains("not stopped"), "{applications:?}: not stopped:\n{printed}");
        Ok(())
    }

    /// Each is stopped, and a neighbour runs on.
    fn attacks(&self) -> Result<String> {
        let attacks: Vec<_> =
            cases::ATTACKS.into_iter().filter(|(number, _)| *number != BREAKPOINT).collect();
        for &(number, cause) in &attacks {
            let texts = [cause, "attack ends as Faulted", "hello ends as Exited(7)"];
            self.expect(&[("attack", number), ("hello", 0)], &texts)?;
        }
        for number in cases::REFUSALS {
            self.expect(&[("attack", number)], &["attack ends as Exited(0)"])?;
        }
        let (attacks, refusals) = (attacks.len(), cases::REFUSALS.len());
        Ok(format!("{attacks} are stopped and {refusals} refused, {}", self.place()))
    }

    /// Memory is shared for as long as both want.
    fn sharing(&self) -> Result<String> {
        let ways: Vec<_> = cases::SHARING
            .into_iter()
            .filter(|(_, clients, _)| clients[..] != [WRITTEN_OVER])
            .collect();
        for &(service, clients, texts) in &ways {
            let applications: Vec<_> =
                [("service", service)].into_iter().chain(clients.iter().copied()).collect();
            self.expect(&applications, texts)?;
        }
        Ok(format!("{} ways, {}", ways.len(), self.place()))
    }

    /// Checks that registers are kept, and no process sees another one's.
    fn floats(&self) -> Result<String> {
        for (applications, texts) in FLOATS {
            self.expect(applications, &[texts, &["drifts ends as Exited(0)"]].concat())?;
        }
        Ok(format!("kept, {}", self.place()))
    }

    /// Checks that a kernel that keeps no registers lets no process use them.
    fn floats_nowhere(&self) -> Result<String> {
        let texts = ["executed an instruction that can't be", "floats ends as Faulted"];
        self.expect(&[("floats", 0)], &texts)?;
        Ok(format!("refused, {}", self.place()))
    }

    fn place(&self) -> String {
        format!(
            "under QEMU ({}) and in the simulator, built for {}",
            self.board.machine, self.board.target
        )
    }
}

fn image(path: &Path) -> Result<Image> {
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    Ok(Image::parse_elf(&bytes)?)
}
