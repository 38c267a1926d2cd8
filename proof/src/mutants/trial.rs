//! The tests, beside a change: which reach its place, and whether one of them fails.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use super::build::Program;
use super::watch::{self, End};

/// A test, and the changes that it reaches.
#[derive(Debug)]
pub struct Test {
    /// The index of its program.
    program: usize,
    name: String,
    reached: HashSet<u32>,
    /// At least its steps, and at most twice as many.
    steps: u64,
    /// What it took: only for the order of the tests.
    time: Duration,
}

/// What became of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// No test reaches it.
    Unreached,
    /// It was not tried, though a test reaches it.
    Untried,
    /// This test failed.
    Killed(String),
    /// The tests didn't end, or died.
    Endless,
    /// All tests passed.
    Survived,
}

/// The tests of all programs.
pub struct Tests<'a> {
    programs: &'a [Program],
    tests: Vec<Test>,
    /// The tests that fail without any change. They may rely on others that run before.
    pub failing: Vec<String>,
    /// Where records and outputs go.
    directory: PathBuf,
}

/// The times of the tests that run in one process: those up to the first are together, and so on.
const TIMES: [Duration; 2] = [Duration::from_millis(10), Duration::from_millis(150)];

/// The steps of a test that no change makes endless: so many times as many as without one, and so
/// many more.
const STEPS_TIMES: u64 = 8;
const STEPS_MORE: u64 = 1 << 20;

/// The processor's time for loops that count no steps: so many times the time without a change, on
/// the clock, which is no less; and so much more.
const TIMES_LONGER: u32 = 5;
const MORE_TIME: Duration = Duration::from_secs(2);
/// The processor's time of a test without a change.
const LONGEST: Duration = Duration::from_secs(600);

impl<'a> Tests<'a> {
    /// Runs each test by itself, and records the changes that it reaches.
    pub fn record(programs: &'a [Program], directory: &Path, workers: usize) -> Result<Self> {
        let mut names = Vec::new();
        for (index, program) in programs.iter().enumerate() {
            names.extend(list(program)?.into_iter().map(|name| (index, name)));
        }
        std::fs::create_dir_all(directory)?;
        let recorded = in_parallel(workers, &names, |worker, (program, name)| {
            record(programs, directory, worker, *program, name)
        })?;
        let (mut tests, mut failing) = (Vec::new(), Vec::new());
        for result in recorded {
            match result {
                Ok(test) => tests.push(test),
                Err(name) => failing.push(name),
            }
        }
        tests.sort_by_key(|test: &Test| (test.program, test.time));
        Ok(Self { programs, tests, failing, directory: directory.to_owned() })
    }

    /// Returns the number of tests.
    pub fn len(&self) -> usize {
        self.tests.len()
    }

    /// Returns the changes that some test reaches.
    pub fn reached(&self) -> HashSet<u32> {
        self.tests.iter().flat_map(|test| test.reached.iter().copied()).collect()
    }

    /// Runs the tests that reach a change, with this change, until one fails.
    pub fn judge(&self, worker: usize, number: u32) -> Result<Outcome> {
        let reaching = self.tests.iter().filter(|test| test.reached.contains(&number));
        let reaching: Vec<_> = reaching.collect();
        if reaching.is_empty() {
            return Ok(Outcome::Unreached);
        }
        let part = |test: &Test| TIMES.iter().filter(|limit| test.time > **limit).count();
        for wanted in 0..=TIMES.len() {
            for (index, program) in self.programs.iter().enumerate() {
                let tests = reaching.iter().filter(|test| test.program == index);
                let tests: Vec<_> = tests.filter(|test| part(test) == wanted).collect();
                // The long ones run one by one, so that the first failure ends it.
                let size = if wanted == TIMES.len() { 1 } else { tests.len().max(1) };
                for tests in tests.chunks(size) {
                    if let Some(outcome) = self.try_some(worker, number, program, tests)? {
                        return Ok(outcome);
                    }
                }
            }
        }
        Ok(Outcome::Survived)
    }

    /// Runs these tests of a program with a change. Returns `None` if all pass.
    fn try_some(
        &self,
        worker: usize,
        number: u32,
        program: &Program,
        tests: &[&&Test],
    ) -> Result<Option<Outcome>> {
        let steps: u64 = tests.iter().map(|test| 2 * test.steps).sum();
        let mut command = command(program, tests.iter().map(|test| test.name.as_str()));
        command
            .env("QUINTET_MUTANT", number.to_string())
            .env("QUINTET_MUTANTS_STEPS", (STEPS_TIMES * steps + STEPS_MORE).to_string());
        let output = self.directory.join(format!("output-{worker}"));
        let time: Duration = tests.iter().map(|test| test.time).sum();
        let (end, text) = watch::run(&mut command, &output, TIMES_LONGER * time + MORE_TIME)?;
        Ok(match end {
            End::Success => None,
            End::Stopped => Some(Outcome::Endless),
            End::Failure => {
                let failed = text.lines().find_map(|line| {
                    line.strip_prefix("test ")?.strip_suffix(" ... FAILED").map(str::to_owned)
                });
                Some(failed.map_or(Outcome::Endless, Outcome::Killed))
            }
        })
    }
}

/// The variable that names the directories of shared libraries: the tests of a macro use some of
/// the compiler's.
const LIBRARIES: &str = match () {
    () if cfg!(windows) => "PATH",
    () if cfg!(target_os = "macos") => "DYLD_FALLBACK_LIBRARY_PATH",
    () => "LD_LIBRARY_PATH",
};

/// Returns the command that runs these tests, one after the other.
fn command<'b>(program: &Program, names: impl Iterator<Item = &'b str>) -> Command {
    let mut command = Command::new(&program.path);
    command
        .args(["--exact", "--test-threads=1"])
        .args(names)
        .current_dir(&program.directory)
        .env("CARGO_MANIFEST_DIR", &program.directory)
        .env(LIBRARIES, &program.libraries)
        .env_remove("RUST_BACKTRACE");
    command
}

/// Returns the names of a program's tests.
fn list(program: &Program) -> Result<Vec<String>> {
    let mut command = Command::new(&program.path);
    command.env(LIBRARIES, &program.libraries).args(["--list", "--format", "terse"]);
    let output = command.output().context("listing tests")?;
    ensure!(output.status.success(), "{} lists no tests", program.name);
    let text = String::from_utf8_lossy(&output.stdout);
    let names = text.lines().filter_map(|line| line.strip_suffix(": test").map(str::to_owned));
    Ok(names.collect())
}

/// Runs a test, and records the changes that it reaches. Returns its name if it fails.
fn record(
    programs: &[Program],
    directory: &Path,
    worker: usize,
    program: usize,
    name: &str,
) -> Result<Result<Test, String>> {
    let path = directory.join(format!("record-{worker}"));
    std::fs::write(&path, [])?;
    let mut command = command(&programs[program], [name].into_iter());
    command.env("QUINTET_MUTANTS_RECORD", &path);
    let begin = Instant::now();
    let output = directory.join(format!("output-{worker}"));
    let (end, _) = watch::run(&mut command, &output, LONGEST)?;
    let time = begin.elapsed();
    if end != End::Success {
        return Ok(Err(name.to_owned()));
    }
    let record = std::fs::read(&path)?;
    let words =
        record.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]));
    let (steps, reached): (Vec<u32>, Vec<u32>) = words.partition(|word| word >> 31 != 0);
    let steps = steps.iter().map(|word| 1 << (word & 63)).max().unwrap_or(1);
    let reached = reached.into_iter().collect();
    Ok(Ok(Test { program, name: name.to_owned(), reached, steps, time }))
}

/// Does some work for each item, by some workers. `work` gets the number of its worker.
pub fn in_parallel<T: Sync, R: Send>(
    workers: usize,
    items: &[T],
    work: impl Fn(usize, &T) -> Result<R> + Sync,
) -> Result<Vec<R>> {
    let next = AtomicUsize::new(0);
    let results: Mutex<Vec<(usize, Result<R>)>> = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for worker in 0..workers {
            let (next, results, work) = (&next, &results, &work);
            scope.spawn(move || {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(index) else { break };
                    let result = work(worker, item);
                    results.lock().expect("no worker panics").push((index, result));
                }
            });
        }
    });
    let mut results = results.into_inner().expect("no worker panics");
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}
