//! `quintet tour`: the first look, from an empty directory to a report.

use super::map;
use super::options::{MAX_CYCLES, MachineOptions};
use super::report::{self, Content, Findings, gather};
use crate::exit::Outcome;
use crate::firmware::Firmware;
use crate::process::{build::Crate, build::pack_all, pack::Extras, place};
use crate::report::page::check_name;
use crate::report::table::{self, Table, grouped};
use crate::toolchain::{self, Setup};
use crate::trace::span::in_words;
use crate::trace::summary::Row;
use crate::{output, project};
use anyhow::{Context, Result, ensure};
use quintet_sim::semihosting::OUTPUT_MAX;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

const HELP: &str = "\
Builds the example with a unit of each model (examples/processes), the first time with the
target that it needs; runs it on the simulated board lm3s6965; and prints what it prints, its
priority line, and what each unit takes. The report says the rest. This needs a clone of the
project, rustup and a C toolchain.

Examples:
  quintet tour                    and the report in target/tour/report.html
  quintet tour -o report.html     the report elsewhere
  quintet tour --json | jq '.costs[] | {name, count, own_cycles}'";

/// The kernel, and the application of its process.
const KERNEL: &str = "five_models";
const APPLICATION: &str = "apps/five_models";
const SOURCE: &str = "examples/processes/src/bin/five_models.rs";
const BOARD: &str = "lm3s6965";
const TARGET: &str = "thumbv7m-none-eabi";
const PROFILE: &str = "release";

/// Spaces left of a table, and between its columns.
const MARGIN: usize = 2;
const GAP: usize = 2;

/// Build and run an example of all five models, and show what it costs
#[derive(clap::Args, Debug)]
#[command(after_help = HELP)]
pub struct Arguments {
    /// Where the report goes: a file whose name ends in .html
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Print JSON in place of text: what `quintet report --json` prints of the example
    #[arg(long)]
    json: bool,
}

impl Arguments {
    /// Builds, runs, tells.
    pub fn run(&self) -> Result<Outcome> {
        let page = self.output.clone();
        page.as_deref().map_or(Ok(()), check_name)?;
        let root = project::root()?;
        let (kernel, application) = build(&root)?;
        output::complain("3 of 3: runs it, with everything observed");
        let now = gather(&kernel, &options(application))?;
        let page = match page {
            Some(page) => page,
            None => directory(&root)?.join("report.html"),
        };
        let content = Content { now, before: None, window: (None, None) };
        report::write(&content, &page)?;
        if self.json {
            output::print_json(&report::json::Report::of(&content.now))?;
        } else {
            output::print(&text(&content.now, &page))?;
        }
        // The example ends with 0.
        let outcome = content.now.outcome;
        ensure!(
            outcome == Outcome::Firmware(0),
            "the example did not end as it must: {}",
            report::ending::in_words(outcome)
        );
        Ok(Outcome::Done)
    }
}

/// Builds the kernel and the application, and puts the application into a file that belongs behind
/// the kernel.
fn build(root: &Path) -> Result<(PathBuf, PathBuf)> {
    let workspace = root.join("examples/processes");
    let target = project::firmware_directory(root);
    output::complain("1 of 3: builds the kernel with the tasks, the actor and the thread");
    let setup = Setup { workspace: &workspace, target: TARGET, profile: PROFILE, flags: &[] };
    let mut cargo = toolchain::cargo(&setup)?;
    cargo.args(["build", "--profile", PROFILE, "--locked", "--bin", KERNEL, "--target", TARGET]);
    // On a terminal cargo's own progress is the progress.
    if !std::io::stderr().is_terminal() {
        cargo.arg("--quiet");
    }
    cargo.arg("--target-dir").arg(&target);
    let status = cargo.status().context("can't start cargo to build the example")?;
    ensure!(status.success(), "the example {KERNEL} does not build; cargo says why above");
    let kernel = target.join(TARGET).join(PROFILE).join(KERNEL);

    output::complain("2 of 3: builds the application of the process");
    let built = Crate {
        directory: workspace.join(APPLICATION),
        bins: Vec::new(),
        examples: Vec::new(),
        profile: PROFILE.to_owned(),
        target_directory: Some(target),
        target: TARGET.to_owned(),
    }
    .build()?;
    let room = place::room(&Firmware::open(&kernel, None)?.image)?;
    let packed = pack_all(&built, &room, Extras::default())?;
    let (name, bytes) = packed.first().context("the example has no application")?;
    let application = directory(root)?.join(format!("{name}.tbf"));
    output::write(&application, bytes)?;
    Ok((kernel, application))
}

/// Returns where the files of the tour are.
fn directory(root: &Path) -> Result<PathBuf> {
    let directory = project::target_directory(root).join("tour");
    std::fs::create_dir_all(&directory).with_context(|| directory.display().to_string())?;
    Ok(directory)
}

/// Returns the board for the example, whatever the environment sets.
fn options(application: PathBuf) -> MachineOptions {
    MachineOptions {
        board: BOARD.to_owned(),
        load: None,
        also: Vec::new(),
        process: vec![application],
        app_elf: Vec::new(),
        process_semihosting: false,
        vector_table: None,
        svd: None,
        max_cycles: MAX_CYCLES,
        max_instructions: 0,
        max_output: OUTPUT_MAX,
        inputs: None,
        stdin: None,
    }
}

/// Returns the text of one screen.
fn text(now: &Findings, page: &Path) -> String {
    let clock = now.board.clock_hz;
    let mut text = format!(
        "A task, an async task, an actor, a thread and a process in one image:\n  {SOURCE}\n\n\
         What they printed, on the simulated board {BOARD}:\n"
    );
    for line in now.output.values().flat_map(|text| text.lines()) {
        text.push_str(&format!("  {line}\n"));
    }
    if let Some(map) = &now.map {
        let line = squeezed(map::line_table(map));
        text.push_str(&format!("\nWho is more urgent than whom, and the bytes they take:\n{line}"));
    }
    let costs = squeezed(costs(&now.costs));
    text.push_str(&format!("\nWhat they took, in cycles of {} MHz:\n{costs}", clock / 1_000_000));
    text.push_str(&format!(
        "\nAll of it: {} cycles ({}), {} bytes of flash, {} bytes of RAM.\n\nThe report, for a \
         browser: {}\n",
        grouped(now.cycles),
        in_words(now.cycles, clock),
        grouped(now.sizes.flash),
        grouped(now.sizes.ram),
        beside(page).display()
    ));
    text
}

/// Returns the path relative to the current directory, if it is below.
fn beside(path: &Path) -> &Path {
    let here = std::env::current_dir();
    here.ok().and_then(|here| path.strip_prefix(here).ok()).unwrap_or(path)
}

fn squeezed(mut table: Table) -> String {
    table::squeeze(&mut table, MARGIN, GAP);
    table::text(&table)
}

/// Tasks, threads and processes, in the order of urgency.
fn costs(rows: &[Row]) -> Table {
    let heads = ["what", "of", ">times", ">own cycles", ">longest", ">wake to run", ">share"];
    let mut costs = table::table(&heads);
    for row in rows.iter().filter(|row| matches!(row.group, "tasks" | "threads")) {
        costs.add_row([
            row.name.clone(),
            row.group.to_owned(),
            grouped(row.count),
            grouped(row.own_cycles),
            grouped(row.longest),
            row.wake_longest.map(grouped).unwrap_or_default(),
            format!("{:.2} %", row.share_percent),
        ]);
    }
    costs
}
