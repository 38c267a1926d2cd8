//! `cargo proof masks`: for how long the kernel holds interrupts off, over all programs.
//!
//! Each program of the examples, of Quintet's tests and of the campaign runs once, to its end. Only
//! the kernel's own masks count: sections of its lock, and masks of the exceptions of the switch. A
//! user's section, of a resource or of `critical-section`, takes as long as the user's code in it,
//! and is left out.
//!
//! A place is the function that asks for the section. If the compiler has inlined several, it is
//! the framework's outermost function: the one that the user calls. Each place that takes longer
//! than the goal is listed in `proof/masks-allowed.toml`, with its bound and the reason for one
//! section.
//!
//! Programs that count their switches, by the feature `statistics`, are left out: counting adds the
//! same to each section that switches.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Result, ensure};
use quintet_lab::firmware::Firmware;
use quintet_lab::masks::{Masked, Masks};
use quintet_lab::report::table::{self, table};
use quintet_sim::board::Board;
use quintet_sim::machine::{Machine, Stop};
use quintet_sim::processor::Architecture;

use crate::campaign;
use crate::campaign::programs::has_processes;
use crate::collections::{self, COLLECTIONS, CYCLES_MAX};
use crate::firmware::build_in;
use ahead::{Ahead, Bounded, List};
use allowed::Allowed;

mod ahead;
mod allowed;

/// The goal, in cycles.
const GOAL: u64 = 24;

/// The directory of the framework's source, in a path.
const SOURCE: &str = "quintet/src/";

/// A symbol of programs whose switches are counted.
const COUNTS: &str = "__quintet_count";

/// Functions around the user's code that runs while interrupts are held off, with their files.
const SECTIONS_OF_USERS: [(&str, &str); 3] = [
    ("core/resource.rs", "resource"),
    ("sync/raw_mutex.rs", "lock"),
    ("arch/cortex_m/primask.rs", "disable_interrupts"),
];

/// The programs that are bounded ahead if none is named: together they have most places.
const AHEAD: [&str; 6] = [
    "actor_times",
    "shared_memory",
    "slices_begin",
    "thread_meet_until",
    "thread_mutex",
    "threads_wait",
];

/// Show for how long the kernel holds interrupts off, and where, over everything that is run
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// Run only these programs
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// Fail where a place takes longer than is listed, or isn't
    #[arg(long)]
    check: bool,
    /// Show those within the goal too
    #[arg(long)]
    all: bool,
    /// Show the bounds that are listed, and run nothing
    #[arg(long, conflicts_with_all = ["names", "check", "all"])]
    listed: bool,
    /// Bound each section on all ways through the code of some programs, and fail where a run is
    /// above that; with `--check`, also where the bound is above the listed one
    #[arg(long = "static")]
    ahead: bool,
    /// Write these bounds into their list
    #[arg(long, requires = "ahead", conflicts_with = "names")]
    accept: bool,
}

/// A file of the framework, below its `src`, and a function there.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Where {
    file: String,
    function: String,
    /// `true` if the program is for an ARMv6-M, whose code and cycles are others.
    is_armv6m: bool,
}

/// The words behind a function of a program for an ARMv6-M.
const ON_ARMV6M: &str = " on ARMv6-M";

/// The longest of a place's masks.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Longest {
    cycles: u64,
    instructions: u64,
    program: String,
}

/// The results, by place.
type Found = BTreeMap<Where, Longest>;

impl Arguments {
    /// Runs the programs.
    pub fn run(&self) -> Result<()> {
        let allowed = Allowed::read()?;
        if self.listed {
            let ahead = List::read()?;
            print!("{}{}", allowed.text(&ahead), ahead.text_of_open());
            return Ok(());
        }
        let mut run = Run { ahead: self.ahead, ..Run::default() };
        for collection in &COLLECTIONS {
            let images = build_in(&collection.path(), &[], collection.target)?;
            for name in self.chosen(collection.names()?) {
                let image = images.join(&name);
                run.watch(&name, &image, collection.load(&name, &image)?)?;
            }
        }
        let images = build_in(&campaign::directory(), &[], campaign::TARGET)?;
        // Those of processes are built apart, and need applications.
        let names = campaign::names(campaign::PLAIN)?;
        let names = names.into_iter().filter(|name| !has_processes(name));
        for name in self.chosen(names.collect()) {
            let image = images.join(&name);
            let machine = collections::load(&Board::named("lm3s6965")?, &image, None)?;
            run.watch(&name, &image, machine)?;
        }
        ensure!(run.programs > 0, "there is no program {}", self.names.join(" "));
        let above = if self.all { 0 } else { GOAL };
        if self.ahead {
            print!("{}", run.text_of_bounds(above));
        } else {
            print!("{}", run.text(&allowed, above));
        }
        let broken = std::mem::take(&mut run.broken);
        ensure!(broken.is_empty(), "sections above their bounds:\n{}", broken.join("\n"));
        let all = self.names.is_empty();
        if self.accept {
            List::write(&run.bounds, GOAL)?;
        }
        let all_ran = all && !self.ahead;
        let mut problems = if self.check { allowed.problems(&run.found, all_ran) } else { vec![] };
        if self.check && self.ahead {
            problems.extend(List::read()?.problems(&run.bounds, GOAL, allowed::most, all));
        }
        ensure!(problems.is_empty(), "{}", problems.join("\n"));
        Ok(())
    }

    /// Returns the wanted programs: all, if none is named; ahead, the sample of these.
    fn chosen(&self, names: Vec<String>) -> impl Iterator<Item = String> {
        let is_wanted = |name: &String| match self.names.is_empty() {
            true => !self.ahead || AHEAD.contains(&name.as_str()),
            false => self.names.contains(name),
        };
        names.into_iter().filter(is_wanted)
    }
}

/// The results of all runs.
#[derive(Default)]
struct Run {
    found: Found,
    programs: usize,
    /// Those whose switches are counted.
    counted: usize,
    /// Whether sections are also bounded ahead of the runs.
    ahead: bool,
    /// The bounds of the code, by place.
    bounds: BTreeMap<Where, Bounded>,
    /// Where a run was above its bound.
    broken: Vec<String>,
}

impl Run {
    /// Runs a program, and notes its masks.
    fn watch(&mut self, name: &str, image: &Path, mut machine: Machine) -> Result<()> {
        let firmware = Firmware::open(image, None)?;
        self.programs += 1;
        if firmware.image.symbols.iter().any(|symbol| symbol.name == COUNTS) {
            self.counted += 1;
            return Ok(());
        }
        let is_armv6m = machine.board().configuration().architecture == Architecture::V6M;
        let mut places = BTreeMap::new();
        let mut by_address: BTreeMap<u32, u64> = BTreeMap::new();
        let mut note = |mask: Masked| {
            let at = mask.place(&firmware);
            let place = places.entry(at).or_insert_with(|| place(&firmware, at, is_armv6m));
            let Some(place) = place else { return };
            let Masked { cycles, instructions, .. } = mask;
            let known = by_address.entry(mask.from).or_default();
            *known = cycles.max(*known);
            let this = Longest { cycles, instructions, program: name.to_owned() };
            let longest = self.found.entry(place.clone()).or_insert_with(|| this.clone());
            if this.cycles > longest.cycles {
                *longest = this;
            }
        };
        let stop = run(&mut machine, &mut note);
        // Some programs end with a code that the campaign or a test expects.
        ensure!(matches!(stop, Some(Stop::Exit { .. })), "{name} did not end by itself: {stop:?}");
        // The pipelines of the ARMv6-M's cores are not followed.
        if self.ahead && !is_armv6m {
            self.look_ahead(name, &firmware, &ahead::look(&firmware, &machine)?, &by_address);
        }
        Ok(())
    }

    /// Notes the bounds of a program's sections, and compares what a run has shown, by address.
    fn look_ahead(
        &mut self,
        name: &str,
        firmware: &Firmware,
        ahead: &Ahead,
        seen: &BTreeMap<u32, u64>,
    ) {
        for (&address, bounded) in &ahead.sections {
            if let Some(place) = place(firmware, address, false) {
                self.bounds.entry(place).or_default().join(bounded);
            }
        }
        for (address, cycles) in seen {
            let bounded = ahead.sections.get(address);
            let most = bounded.map(|one| one.cycles + ahead.refill);
            let is_open = bounded.is_some_and(|one| !one.open.is_empty());
            if !is_open && most.is_none_or(|most| most < *cycles) {
                let at = firmware.describe(*address);
                let most = most.map_or("not found".to_owned(), |most| format!("{most} at most"));
                self.broken.push(format!("{name}: {cycles} cycles from {at}, which is {most}"));
            }
        }
    }

    /// Returns the bound of each place, the highest first.
    fn text_of_bounds(&self, above: u64) -> String {
        let is_shown =
            |(_, bounded): &(&Where, &Bounded)| bounded.cycles > above || !bounded.open.is_empty();
        let mut rows: Vec<_> = self.bounds.iter().filter(is_shown).collect();
        rows.sort_by_key(|(place, bounded)| (Reverse(bounded.cycles), (*place).clone()));
        let mut table = table(&["place", ">seen", ">on all ways", "without a bound"]);
        for (place, bounded) in rows {
            table.add_row([
                place.to_string(),
                self.found.get(place).map_or(String::new(), |one| one.cycles.to_string()),
                bounded.cycles.to_string(),
                bounded.open.iter().cloned().collect::<Vec<_>>().join(", "),
            ]);
        }
        table::text(&table)
    }

    /// Returns the places that take longer than `above`, the longest first, with their groups.
    fn text(&self, allowed: &Allowed, above: u64) -> String {
        let longer = |(_, longest): &(&Where, &Longest)| longest.cycles > above;
        let mut rows: Vec<_> = self.found.iter().filter(longer).collect();
        rows.sort_by_key(|(place, longest)| (Reverse(longest.cycles), (*place).clone()));
        let mut table = table(&["place", ">cycles", ">instructions", "longest in", "why"]);
        for (place, longest) in rows {
            table.add_row([
                place.to_string(),
                longest.cycles.to_string(),
                longest.instructions.to_string(),
                longest.program.clone(),
                allowed.group_of(place).map(|group| group.mark.clone()).unwrap_or_default(),
            ]);
        }
        let mut text = table::text(&table);
        text.push_str(&allowed.reasons());
        text.push_str(&self.summary());
        text
    }

    /// Returns the number of places.
    fn summary(&self) -> String {
        let within = self.found.values().filter(|longest| longest.cycles <= GOAL).count();
        let (all, programs) = (self.found.len(), self.programs - self.counted);
        format!(
            "{within} of {all} places take at most {GOAL} cycles, in {programs} programs; {} that \
             count their switches are left out\n",
            self.counted
        )
    }
}

/// Runs to the end, or for so many cycles.
fn run(machine: &mut Machine, note: &mut impl FnMut(Masked)) -> Option<Stop> {
    let mut masks = Masks::default();
    while machine.cycle() < CYCLES_MAX {
        let from = machine.pc();
        let stop = machine.step();
        masks.look(machine, from).into_iter().for_each(&mut *note);
        if stop.is_some() {
            return stop;
        }
    }
    None
}

/// Returns the kernel's place at an address; `None` if the place is the user's.
fn place(firmware: &Firmware, address: u32, is_armv6m: bool) -> Option<Where> {
    let places = firmware.debug.locate(address);
    let functions = firmware.functions(address);
    let mut outermost = None;
    for (place, function) in places.iter().zip(functions) {
        // Whole debug information has the path as well, line tables have not.
        let function = function.rsplit("::").next().unwrap_or(&function).to_owned();
        let file = place.file.as_deref().and_then(|file| Some(file.split_once(SOURCE)?.1));
        match file {
            Some(file) if is_section_of_users(file, &function) => return None,
            Some(file) => {
                outermost = Some(Where { file: file.to_owned(), function, is_armv6m });
            }
            // The expansion of a macro of ours.
            None if function.starts_with("__quintet_") => {}
            None => break,
        }
    }
    // Assembly of an expansion has the expansion's name, and no line.
    outermost.or_else(|| {
        let function = firmware.function(address)?;
        let is_ours = function == "PendSV" || function.starts_with("__quintet_");
        is_ours.then(|| Where { file: "arch/cortex_m".to_owned(), function, is_armv6m })
    })
}

/// Returns `true` if a function holds interrupts off for the user's code. One of them is `init`,
/// which runs before there are interrupts.
fn is_section_of_users(file: &str, function: &str) -> bool {
    SECTIONS_OF_USERS.contains(&(file, function)) || file == "critical_section.rs"
}

impl std::fmt::Display for Where {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let on = if self.is_armv6m { ON_ARMV6M } else { "" };
        write!(formatter, "{}: {}{on}", self.file, self.function)
    }
}
