//! `cargo proof random-bounds`: static bounds beside runs of random programs.
//!
//! A generator makes programs of many functions, which are printed in Rust or in C, and built with
//! random options for a random board. Each function is called with random inputs. Each activation
//! that nothing interrupts is compared with the bounds of its function, as `quintet bounds --check`
//! does. Then interrupts come: a function may take no longer than its bound, the bounds of the
//! handlers, and what each interruption adds.

mod c;
mod deadlines;
mod examine;
mod generate;
mod input;
mod program;
mod rust;
mod shrink;
mod target;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use quintet_lab::bounds::annotations::Annotations;
use quintet_lab::report::table::{self, grouped, table};

use crate::random::Random;
use deadlines::Answer;
use examine::{Amount, Arrival, Broken, Examined};
use input::Input;
use program::{KINDS, Kind, Program};
use target::{Language, Target};

/// Compare static bounds with runs of random programs in Rust and C
///
/// Each program is built with random options for a random board, and each of its functions is
/// called with random inputs, without interrupts and with some. The command fails if a function
/// took more cycles or stack than its bound. C needs arm-none-eabi-gcc; without it, all programs
/// are in Rust. By default it makes 100 000 runs without interrupts and as many with some, in a
/// quarter of an hour or so.
#[derive(clap::Args, Clone, Debug)]
pub struct Arguments {
    /// So many programs
    #[arg(long, value_name = "N", default_value_t = 50)]
    programs: u64,
    /// So many inputs for each function of a program, and as many runs with interrupts
    #[arg(long, value_name = "N", default_value_t = 50)]
    inputs: u64,
    /// So many sets of tasks of a program
    #[arg(long, value_name = "N", default_value_t = 10)]
    sets: u64,
    /// So many functions in a program
    #[arg(long, value_name = "N", default_value_t = generate::FUNCTIONS)]
    functions: u32,
    /// Choose others
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
    /// Begin with this one of the programs: go on with a run that was cut
    #[arg(long, value_name = "I", default_value_t = 0)]
    from: u64,
    /// Only this one of the programs
    #[arg(long, value_name = "I", conflicts_with = "from")]
    only: Option<u64>,
    /// Only programs in Rust
    #[arg(long)]
    rust: bool,
    /// Print the source of the programs instead
    #[arg(long)]
    print: bool,
    /// Go on behind a broken bound, and list all of them in the end, without smaller programs
    #[arg(long)]
    keep_going: bool,
}

impl Arguments {
    /// Runs the programs.
    pub fn run(&self) -> Result<()> {
        let languages = self.languages();
        let all = self.only.map_or(self.from..self.programs, |only| only..only + 1);
        let started = Instant::now();
        let mut tally = Tally::default();
        for index in all.clone() {
            let one = Case::new(self.seed, index, self.functions, &languages);
            if self.print {
                println!("// {}\n{}", one.target.words(), one.target.source(&one.program));
                continue;
            }
            one.examine(self, &mut tally)?;
            let seconds = started.elapsed().as_secs_f64();
            let done = index + 1 - all.start;
            let left = seconds * (all.end - index - 1) as f64 / done as f64;
            eprintln!("{done} programs, {tally}, {seconds:.0} s; about {left:.0} s to go");
        }
        if self.print {
            return Ok(());
        }
        print!("{}", tally.table());
        println!("{tally}, {:.0} s", started.elapsed().as_secs_f64());
        if !tally.broken.is_empty() {
            bail!("{} bounds do not hold:\n{}", tally.broken.len(), tally.broken.join("\n"));
        }
        println!("no run was above a bound");
        Ok(())
    }

    fn languages(&self) -> Vec<Language> {
        if self.rust {
            return vec![Language::Rust];
        }
        if !target::has_c() {
            eprintln!("skipped: C, as {} with a library is not installed", target::GCC);
            return vec![Language::Rust];
        }
        vec![Language::Rust, Language::C]
    }
}

/// Runs a small number of programs in Rust. Returns the number of activations, and the numbers of
/// functions with a bound of their cycles and of all.
///
/// # Errors
/// A bound that doesn't hold, with the way to repeat the run; a program that doesn't build.
pub fn sample(seed: u64, programs: u64, functions: u32, inputs: u64) -> Result<(u64, [u64; 2])> {
    let arguments = Arguments {
        programs,
        inputs,
        sets: 2,
        functions,
        seed,
        from: 0,
        only: None,
        rust: true,
        print: false,
        keep_going: false,
    };
    let mut tally = Tally::default();
    for index in 0..programs {
        Case::new(seed, index, functions, &[Language::Rust]).examine(&arguments, &mut tally)?;
    }
    Ok((tally.amount.activations, tally.counts()))
}

/// What was seen.
#[derive(Clone, Debug, Default)]
struct Tally {
    amount: Amount,
    kinds: BTreeMap<Kind, OfKind>,
    /// The sets of tasks.
    sets: OfKind,
    broken: Vec<String>,
}

/// The functions of a kind.
#[derive(Clone, Debug, Default)]
struct OfKind {
    all: u64,
    bounded: u64,
    /// Why the others were not.
    open: BTreeMap<String, u64>,
}

impl OfKind {
    fn count(&mut self, open: Option<String>) {
        self.all += 1;
        match open {
            None => self.bounded += 1,
            Some(why) => *self.open.entry(why).or_default() += 1,
        }
    }

    fn row(&self, name: String) -> [String; 4] {
        let mut open: Vec<_> = self.open.iter().collect();
        open.sort_by_key(|(_, times)| std::cmp::Reverse(**times));
        let open = open.iter().take(4).map(|(why, times)| format!("{why} {times}"));
        let open: Vec<String> = open.collect();
        [name, self.all.to_string(), self.bounded.to_string(), open.join(", ")]
    }
}

impl std::fmt::Display for Tally {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Amount { runs, cut, activations, interrupted } = self.amount;
        let [runs, cut, activations, interrupted] =
            [runs, cut, activations, interrupted].map(grouped);
        write!(
            formatter,
            "{runs} runs ({cut} cut), {interrupted} with interrupts, {activations} activations, {} \
             sets of tasks",
            grouped(self.sets.all)
        )
    }
}

impl Tally {
    fn count(&mut self, kind: Kind, open: Option<String>) {
        self.kinds.entry(kind).or_default().count(open);
    }

    /// The functions with a bound, and all.
    fn counts(&self) -> [u64; 2] {
        self.kinds.values().fold([0, 0], |sum, one| [sum[0] + one.bounded, sum[1] + one.all])
    }

    fn table(&self) -> String {
        let mut shown = table(&["kind", ">functions", ">bounded", "open by"]);
        for kind in KINDS {
            let one = self.kinds.get(&kind).cloned().unwrap_or_default();
            shown.add_row(one.row(kind.word()));
        }
        let [bounded, all] = self.counts();
        shown.add_row(["all".to_owned(), all.to_string(), bounded.to_string(), String::new()]);
        shown.add_row(self.sets.row("sets of tasks".to_owned()));
        table::text(&shown)
    }
}

/// A program with its target.
struct Case {
    index: u64,
    program: Program,
    target: Target,
    /// The rest of the stream: inputs.
    random: Random,
}

impl Case {
    fn new(seed: u64, index: u64, functions: u32, languages: &[Language]) -> Self {
        let mut random = Random::of_item(seed, index);
        let target = Target::new(&mut random, languages);
        let functions = functions.max(program::TABLE);
        let program = generate::program(&mut random, functions, target.place.has_floats);
        Self { index, program, target, random }
    }

    fn examine(&self, arguments: &Arguments, tally: &mut Tally) -> Result<()> {
        let Self { index, program, target, .. } = self;
        let Arguments { seed, functions, inputs, .. } = arguments;
        let directory = target::scratch(&format!("{seed}-{index}"));
        let again = format!(
            "cargo proof random-bounds --seed {seed} --functions {functions} --inputs {inputs}{} \
             --only {index}",
            if arguments.rust { " --rust" } else { "" }
        );
        let image = target.build(program, &directory).with_context(|| again.clone())?;
        let examined = Examined::open(&image, target.place.board)?;
        let annotations = Annotations::default();
        let mut ready = examined.ready(&annotations).with_context(|| again.clone())?;
        let mut random = self.random.clone();
        let mut told = BTreeSet::new();
        for (number, function) in program.functions.iter().enumerate() {
            let Some(function) = function else { continue };
            let name = format!("f{number}");
            tally.count(function.kind, ready.open(&name));
            let all: Vec<Input> = (0..*inputs).map(|_| Input::new(&mut random)).collect();
            let mut broken = ready.run((number, &name), &all, &mut tally.amount)?;
            for input in &all {
                if broken.is_some() {
                    break;
                }
                let steps = random.pick(&[20, 100, 400]);
                let arrivals = examine::arrivals(&mut random, steps);
                broken = ready.interrupt((number, &name), input, &arrivals, &mut tally.amount)?;
            }
            let Some(broken) = broken else { continue };
            let report = format!("{} ({}): {}\nagain: {again}", name, target.words(), broken.what);
            if arguments.keep_going {
                if told.insert(broken.entry) {
                    eprintln!("{report}");
                    tally.broken.push(report);
                }
                continue;
            }
            let small = shrink::report(program, target, &broken)?;
            bail!("{report}\n{small}");
        }
        for set in 0..arguments.sets {
            let mut random = Random::of_item(random.next(), set);
            let open = match ready.deadlines(program.functions.len(), &mut random)? {
                Answer::Bounded => None,
                Answer::Open(why) => Some(why),
                Answer::Broken(what) => {
                    let attacks = program.attacks();
                    let words = target.words();
                    let report = format!("set {set} ({words}): {what}{attacks}\nagain: {again}");
                    ensure!(arguments.keep_going, "{report}");
                    eprintln!("{report}");
                    tally.broken.push(report);
                    None
                }
            };
            tally.sets.count(open);
        }
        // Programs that held are of no use later.
        ensure!(image.exists(), "the image has gone");
        std::fs::remove_dir_all(&directory)?;
        Ok(())
    }
}

/// Whether a program of a target breaks a bound with an input.
fn breaks(
    program: &Program,
    target: &Target,
    name: &str,
    (called, input, arrivals): (usize, &Input, &[Arrival]),
) -> Result<Option<(Broken, Examined)>> {
    let directory = target::scratch("smaller");
    let Ok(image) = target.build(program, &directory) else { return Ok(None) };
    let examined = Examined::open(&image, target.place.board)?;
    let annotations = Annotations::default();
    let mut ready = examined.ready(&annotations)?;
    let numbers = program.functions.iter().enumerate();
    let there: Vec<usize> = numbers.filter(|(_, one)| one.is_some()).map(|one| one.0).collect();
    let Some(index) = there.iter().position(|one| *one == called) else { return Ok(None) };
    let amount = &mut Amount::default();
    let broken = if arrivals.is_empty() {
        ready.run((index, name), std::slice::from_ref(input), amount)?
    } else {
        ready.interrupt((index, name), input, arrivals, amount)?
    };
    drop(ready);
    Ok(broken.map(|broken| (broken, examined)))
}
