//! `cargo xtask masks`: for how long the kernel holds interrupts off, over everything that is run.
//!
//! Each program of the examples, of Quintet's tests and of the campaign is run once, to its end.
//! What counts are masks of the kernel's own: sections of its lock, and what the exceptions of the
//! switch raise. A section of the user's, of a resource or of `critical-section`, takes as long as
//! what the user does in it, and is left out.
//!
//! A place is the function that asks for the section: the outermost of the framework's own, of all
//! that the compiler has put together, so what a user calls where that was inlined. Each that takes
//! longer than the goal is listed in [a file](PATH), with its bound and what has to be one section.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use quintet_lab::firmware::Firmware;
use quintet_lab::masks::{Masked, Masks};
use quintet_lab::report::table::{self, table};
use quintet_sim::board::Board;
use quintet_sim::machine::{Machine, Stop};
use serde::Deserialize;

use crate::campaign;
use crate::collections::{self, COLLECTIONS, CYCLES_MAX};
use crate::cross::firmware::build_in;

/// The goal, in cycles.
const GOAL: u64 = 24;

/// The places that take longer.
const PATH: &str = "xtask/masks-allowed.toml";

/// What a place may take more than its bound: where functions lie in an image depends on the
/// directory that it is built in, and on that what fetching their instructions takes.
const TOLERANCE: f64 = 1.03;

/// Where the framework's source is, in a path.
const SOURCE: &str = "quintet/src/";

/// Functions around what the user does while interrupts are held off, with their files.
const SECTIONS_OF_USERS: [(&str, &str); 3] = [
    ("core/lock.rs", "resource"),
    ("sync/raw_mutex.rs", "lock"),
    ("arch/cortex_m/primask.rs", "disable_interrupts"),
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
}

/// A file of the framework, below its `src`, and a function there.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Where {
    file: String,
    function: String,
}

/// The longest of a place's masks.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Longest {
    cycles: u64,
    instructions: u64,
    program: String,
}

/// What was found, by place.
type Found = BTreeMap<Where, Longest>;

impl Arguments {
    /// Runs the programs.
    pub fn run(&self) -> Result<()> {
        let mut found = Found::new();
        let mut count = 0;
        for collection in &COLLECTIONS {
            let images = build_in(&collection.path(), &[], collection.target)?;
            for name in self.chosen(collection.names()?) {
                let image = images.join(&name);
                watch(&name, &image, collection.load(&name, &image)?, &mut found)?;
                count += 1;
            }
        }
        let images = build_in(&campaign::directory(), &[], campaign::TARGET)?;
        for name in self.chosen(campaign::names()?) {
            let image = images.join(&name);
            let machine = collections::load(&Board::named("lm3s6965")?, &image, None)?;
            watch(&name, &image, machine, &mut found)?;
            count += 1;
        }
        ensure!(count > 0, "there is no program {}", self.names.join(" "));
        let allowed = Allowed::read()?;
        print!("{}", text(&found, &allowed, if self.all { 0 } else { GOAL }));
        println!("{}", summary(&found, count));
        let problems =
            if self.check { allowed.problems(&found, self.names.is_empty()) } else { vec![] };
        ensure!(problems.is_empty(), "{}", problems.join("\n"));
        Ok(())
    }

    /// Those that are wanted: all, if none is named.
    fn chosen(&self, names: Vec<String>) -> impl Iterator<Item = String> {
        let is_wanted = |name: &String| self.names.is_empty() || self.names.contains(name);
        names.into_iter().filter(is_wanted)
    }
}

/// Runs a program, and notes its masks.
fn watch(name: &str, image: &Path, mut machine: Machine, found: &mut Found) -> Result<()> {
    let firmware = Firmware::open(image, None)?;
    let mut places = BTreeMap::new();
    let mut note = |mask: Masked| {
        let at = mask.place(&firmware);
        let place = places.entry(at).or_insert_with(|| place(&firmware, at));
        let Some(place) = place else { return };
        let Masked { cycles, instructions, .. } = mask;
        let this = Longest { cycles, instructions, program: name.to_owned() };
        let longest = found.entry(place.clone()).or_insert_with(|| this.clone());
        if this.cycles > longest.cycles {
            *longest = this;
        }
    };
    let stop = run(&mut machine, &mut note);
    // Some programs end with a code that the campaign or a test expects.
    ensure!(matches!(stop, Some(Stop::Exit { .. })), "{name} did not end by itself: {stop:?}");
    Ok(())
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

/// The place of the kernel's at an address; none if that is the user's.
fn place(firmware: &Firmware, address: u32) -> Option<Where> {
    let places = firmware.debug.locate(address);
    let functions = firmware.functions(address);
    let mut outermost = None;
    for (place, function) in places.iter().zip(functions) {
        let file = place.file.as_deref().and_then(|file| Some(file.split_once(SOURCE)?.1));
        match file {
            Some(file) if is_section_of_users(file, &function) => return None,
            Some(file) => outermost = Some(Where { file: file.to_owned(), function }),
            // The expansion of a macro of ours.
            None if function.starts_with("__quintet_") => {}
            None => break,
        }
    }
    // Assembly of an expansion has its name, and no line.
    outermost.or_else(|| {
        let function = firmware.function(address)?;
        let is_ours = function == "PendSV" || function.starts_with("__quintet_");
        is_ours.then(|| Where { file: "arch/cortex_m".to_owned(), function })
    })
}

/// Whether the user's code runs in what a function holds interrupts off for: `init`, before there
/// are any, among it.
fn is_section_of_users(file: &str, function: &str) -> bool {
    SECTIONS_OF_USERS.contains(&(file, function)) || file == "critical_section.rs"
}

/// The places that take longer than `above`, the longest first.
fn text(found: &Found, allowed: &Allowed, above: u64) -> String {
    let mut rows: Vec<_> = found.iter().filter(|(_, longest)| longest.cycles > above).collect();
    rows.sort_by_key(|(place, longest)| (std::cmp::Reverse(longest.cycles), (*place).clone()));
    let mut table = table(&[
        "place",
        ">cycles",
        ">instructions",
        "in the program",
        "what has to be one section",
    ]);
    for (place, longest) in rows {
        table.add_row([
            place.to_string(),
            longest.cycles.to_string(),
            longest.instructions.to_string(),
            longest.program.clone(),
            allowed.entry(place).map(|entry| entry.reason.clone()).unwrap_or_default(),
        ]);
    }
    table::text(&table)
}

/// How many there are.
fn summary(found: &Found, programs: usize) -> String {
    let within = found.values().filter(|longest| longest.cycles <= GOAL).count();
    let all = found.len();
    format!("{within} of {all} places take at most {GOAL} cycles, in {programs} programs")
}

impl std::fmt::Display for Where {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}: {}", self.file, self.function)
    }
}

/// The places that may take longer than the goal.
struct Allowed {
    entries: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    /// The file below the framework's `src`, and the function: `a/b.rs: name`.
    place: String,
    /// The most cycles that it takes.
    cycles: u64,
    /// What has to be one section.
    reason: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Contents {
    #[serde(default)]
    allowed: Vec<Entry>,
}

impl Allowed {
    fn read() -> Result<Self> {
        let path = crate::cross::firmware::root().join(PATH);
        let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {PATH}"))?;
        Self::parse(&text)
    }

    fn parse(text: &str) -> Result<Self> {
        let Contents { allowed } = toml::from_str(text).context(PATH)?;
        for entry in &allowed {
            ensure!(!entry.reason.is_empty(), "{PATH}: {} has no reason", entry.place);
            ensure!(entry.cycles > GOAL, "{PATH}: {} is within the goal", entry.place);
        }
        Ok(Self { entries: allowed })
    }

    fn entry(&self, place: &Where) -> Option<&Entry> {
        let place = place.to_string();
        self.entries.iter().find(|entry| entry.place == place)
    }

    /// What is longer than it may be; and, if `all` was run, what is listed for nothing.
    fn problems(&self, found: &Found, all: bool) -> Vec<String> {
        let too_long = found.iter().filter_map(|(place, longest)| {
            let bound = self.entry(place).map_or(GOAL, |entry| entry.cycles);
            let Longest { cycles, program, .. } = longest;
            let is_longer = *cycles as f64 > bound as f64 * TOLERANCE;
            is_longer.then(|| {
                format!(
                    "{place} holds interrupts off for {cycles} cycles in {program}, more than \
                     {bound}: shorten it, or list it in {PATH}"
                )
            })
        });
        let is_used = |entry: &&Entry| {
            found
                .iter()
                .any(|(place, longest)| place.to_string() == entry.place && longest.cycles > GOAL)
        };
        let unused = self.entries.iter().filter(|entry| all && !is_used(entry));
        let unused =
            unused.map(|entry| format!("{PATH}: {} is within the goal: remove it", entry.place));
        too_long.chain(unused).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &str = "[[allowed]]\nplace = \"a.rs: f\"\ncycles = 100\nreason = \"two words\"";

    fn found(function: &str, cycles: u64) -> Found {
        let place = Where { file: "a.rs".to_owned(), function: function.to_owned() };
        let longest = Longest { cycles, instructions: 1, program: "p".to_owned() };
        Found::from([(place, longest)])
    }

    #[test]
    fn what_is_longer_than_listed_is_refused() {
        let allowed = Allowed::parse(LIST).unwrap();
        let problems = |found: &Found| allowed.problems(found, true).join("; ");
        assert_eq!(problems(&found("f", 103)), "", "where functions lie makes a difference");
        assert!(problems(&found("f", 104)).starts_with("a.rs: f holds interrupts off for 104"));
        assert!(problems(&found("g", 30)).contains("for 30 cycles in p, more than 24"));
    }

    #[test]
    fn what_is_listed_must_need_it() {
        let allowed = Allowed::parse(LIST).unwrap();
        assert_eq!(allowed.problems(&found("g", 3), false), [""; 0]);
        assert_eq!(allowed.problems(&found("f", 24), true).len(), 1);
        assert!(Allowed::parse(&LIST.replace("100", "24")).is_err());
        assert!(Allowed::parse(&LIST.replace("two words", "")).is_err());
    }
}
