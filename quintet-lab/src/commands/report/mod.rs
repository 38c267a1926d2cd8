//! `quintet report`: all that the lab knows of an image, on one page.
//!
//! One run with all observers gathers the figures (`gather`). Each section of the page is a
//! function of them in a file of its own: to add one, write the file and put its function into
//! `SECTIONS`.

mod against;
mod bounds;
mod charts;
mod costs;
mod crates;
mod deadlines;
pub(super) mod ending;
mod gather;
pub(super) mod json;
mod masks;
mod memory;
mod priority;
mod profile;
mod stacks;
mod threads;
mod timeline;

pub(super) use gather::{Findings, gather};

use super::options::MachineOptions;
use crate::ctrl_c;
use crate::exit::Outcome;
use crate::output;
use crate::point::{self, Point};
use crate::report::page::{Page, Section, check_name};
use crate::report::table::grouped;
use crate::simulated::{Simulated, family};
use crate::trace::span::in_words;
use anyhow::ensure;
use quintet_sim::cores::Family;
use quintet_sim::machine::Machine;
use quintet_sim::riscv::machine::Machine as RiscV;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  quintet report app -o report.html                      everything about app, on a page
  quintet report app -o report.html --against before     and what has changed since before
  quintet report app -o report.html --max-cycles 12_000_000
  quintet report app -o report.html --from 1s --to 1.2s  another part of the run as timeline
  quintet report kernel -o report.html --process hello
  quintet report app --json | jq '.masks[0]'

The page needs no network and no other file: open it in any browser, mail it, or print
it. It shows the memory map, sizes by section, crate and symbol, how deep the stacks got and
can get, the priority line, what each task, thread and handler took and can take, whether
tasks that declare a period meet their deadlines, the longest masks, a timeline,
a profile with a flame graph, the threads, the state machines, and how the run ended. The
firmware needs no code for it. It runs once with everything observed, for as long as
--max-cycles allows, once more to look around where the stacks were deepest, and once more
for deadlines. A section
that has nothing to show says what it would take. The file named by --against runs on the
same board, with the same options.";

/// Write all that the lab knows of an image to one page
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// The firmware: ELF, Intel HEX, S-record or UF2, or a raw image with --load
    elf: PathBuf,
    /// The page: a file whose name ends in .html
    #[arg(short, long, value_name = "FILE", required_unless_present = "json")]
    output: Option<PathBuf>,
    /// Compare with this image, as an older build of the same firmware
    #[arg(long, value_name = "ELF")]
    against: Option<PathBuf>,
    /// Begin the timeline there: a time, or a place (a symbol, symbol+offset, or an address as
    /// 0x1a4) when the run comes there first
    #[arg(long, value_name = "POINT", value_parser = Point::parse)]
    from: Option<Point>,
    /// End the timeline there
    #[arg(long, value_name = "POINT", value_parser = Point::parse)]
    to: Option<Point>,
    /// Print JSON: what the page shows of the image, but for its pictures
    #[arg(long, conflicts_with = "against")]
    json: bool,
    #[command(flatten)]
    machine: MachineOptions,
}

/// What a section is made of.
pub(super) struct Content {
    /// The image that the page is of.
    pub now: Findings,
    /// The one that it is compared with.
    pub before: Option<Findings>,
    /// The part of the run that the timeline shows; its end may be behind that of the run.
    pub window: (Option<u64>, Option<u64>),
}

/// Makes a section of what is known; none if the section doesn't apply.
type Show = fn(&Content) -> anyhow::Result<Option<Section>>;

/// The sections, in the order of the page.
const SECTIONS: [Show; 14] = [
    ending::section,
    against::section,
    memory::section,
    crates::section,
    stacks::section,
    bounds::section,
    priority::section,
    costs::section,
    deadlines::section,
    masks::section,
    timeline::section,
    profile::section,
    threads::section,
    charts::section,
];

impl Arguments {
    /// Runs the firmware and writes the page.
    pub fn run(&self) -> anyhow::Result<Outcome> {
        self.output.as_deref().map_or(Ok(()), check_name)?;
        output::check(self.output.as_deref())?;
        let window = self.window()?;
        let now = gather(&self.elf, &self.machine)?;
        check_window(window, &now)?;
        let before = match &self.against {
            // A part is compared with nothing.
            Some(path) if ctrl_c::note().is_none() => {
                Some(gather(path, &self.machine)?).filter(|_| ctrl_c::note().is_none())
            }
            _ => None,
        };
        let content = Content { now, before, window };
        self.output.as_deref().map_or(Ok(()), |page| write(&content, page))?;
        let Findings { outcome, remarks, cycles, .. } = &content.now;
        if *outcome == Outcome::Died {
            remarks.iter().for_each(|remark| output::complain(remark));
        }
        let broken: Vec<String> = content.now.broken().collect();
        if self.json {
            output::print_json(&json::Report::of(&content.now))?;
            return Ok(ending::of_report(*outcome, !broken.is_empty()));
        }
        for line in &broken {
            output::print(&format!("{line}\n"))?;
        }
        let ended = ending::in_words(*outcome);
        let file = self.output.iter().map(|file| file.display().to_string()).collect::<String>();
        output::print(&format!("{file}: {} cycles; {ended}\n", grouped(*cycles)))?;
        Ok(ending::of_report(*outcome, !broken.is_empty()))
    }

    /// Finds the part of the run that the timeline shows. Refuses an empty one.
    fn window(&self) -> anyhow::Result<(Option<u64>, Option<u64>)> {
        let points = [self.from.as_ref(), self.to.as_ref()];
        if points == [None, None] {
            return Ok((None, None));
        }
        match family(&self.machine, &self.elf)? {
            Family::CortexM => self.window_on::<Machine>(points),
            Family::RiscV => self.window_on::<RiscV>(points),
        }
    }

    fn window_on<M: Simulated>(
        &self,
        points: [Option<&Point>; 2],
    ) -> anyhow::Result<(Option<u64>, Option<u64>)> {
        let firmware = M::open(&self.machine, &self.elf)?;
        let window = point::cycles::<M>(&firmware, &self.machine, points)?;
        let clock = M::clock_of(&self.machine, &firmware)?;
        if let [Some(from), Some(to)] = window {
            ensure!(
                from < to,
                "the timeline is empty: it ends at {}, and --from is {}; give a later --to",
                in_words(to, clock),
                in_words(from, clock)
            );
        }
        Ok((window[0], window[1]))
    }
}

/// Refuses a timeline behind the end of the run.
fn check_window((from, _): (Option<u64>, Option<u64>), now: &Findings) -> anyhow::Result<()> {
    let clock = now.board.clock_hz;
    let recorded = now.recording.window.1;
    let from = from.unwrap_or(0);
    ensure!(
        from == 0 || from < recorded,
        "the timeline is empty: it begins at {}, and what was recorded ends at {} already; give an \
         earlier --from",
        in_words(from, clock),
        in_words(recorded, clock)
    );
    Ok(())
}

/// Writes the page.
pub(super) fn write(content: &Content, file: &Path) -> anyhow::Result<()> {
    let mut sections = Vec::new();
    for section in SECTIONS {
        sections.extend(section(content)?);
    }
    let now = &content.now;
    let title = ctrl_c::titled(&format!("Report on {}", now.name));
    let page = Page { title, facts: facts(now), sections };
    output::write(file, page.text().as_bytes())
}

fn facts(now: &Findings) -> Vec<(&'static str, String)> {
    let clock = now.board.clock_hz;
    vec![
        ("Board", now.board.name.clone()),
        ("Clock", format!("{} Hz", grouped(clock))),
        ("Ran for", format!("{} cycles, {}", grouped(now.cycles), in_words(now.cycles, clock))),
        ("Instructions", grouped(now.instructions)),
        ("Flash", format!("{} bytes", grouped(now.sizes.flash))),
        ("RAM", format!("{} bytes", grouped(now.sizes.ram))),
        ("End", ending::in_words(now.outcome)),
        ("Made by", format!("quintet {}", env!("CARGO_PKG_VERSION"))),
    ]
}
