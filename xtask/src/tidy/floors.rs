//! The floors of the framework: a module imports only from the floors below its own.
//!
//! `xtask/floors.toml` lists the floors from the lowest to the highest, with the modules on each. A
//! module is a file and the folder beside it, in which files may import from each other. Modules of
//! one floor don't know each other. The file also lists exceptions, one import at a time, each with
//! its reason. An entry that no import needs is a problem.

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use super::Problem;
use super::imports::imports;
use super::tree::{File, Tree};

/// The table.
pub const PATH: &str = "xtask/floors.toml";
/// The directory of the checked sources.
const SOURCES: &str = "quintet/src/";
/// The module at the root of the crate.
const ROOT: &str = "crate";
/// Folders of `arch` whose modules are found in `arch` itself.
const PORTS: [&str; 3] = ["cortex_m", "host", "riscv"];

/// The floors, the lowest first, and the imports that are allowed although they go up.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Floors {
    #[serde(default, rename = "floor")]
    floors: Vec<Floor>,
    #[serde(default, rename = "exception")]
    exceptions: Vec<Exception>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Floor {
    /// The floor's name in messages.
    name: String,
    /// The content of the floor, for readers of the table.
    #[expect(dead_code, reason = "for the reader of the table")]
    holds: String,
    /// The floor's modules, by their paths in the crate.
    modules: Vec<String>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Exception {
    /// The module that imports, by its name in its floor's list.
    from: String,
    /// The module from which it imports.
    to: String,
    /// Why.
    reason: String,
}

/// A module of the table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Place<'a> {
    module: &'a str,
    /// 0 is the lowest.
    level: usize,
    floor: &'a str,
}

impl Floors {
    /// Reads the table from its text.
    pub fn parse(text: &str) -> Result<Self> {
        let floors: Self = toml::from_str(text).context(PATH)?;
        for Exception { from, to, reason } in &floors.exceptions {
            if reason.is_empty() {
                bail!("{PATH}: the exception of `{from}` for `{to}` has no reason");
            }
            for module in [from, to] {
                if floors.place(&split(module)).is_none_or(|place| place.module != module) {
                    bail!("{PATH}: an exception names `{module}`, which is on no floor");
                }
            }
        }
        Ok(floors)
    }

    /// Returns the module with this path, or the nearest one around it.
    fn place(&self, path: &[&str]) -> Option<Place<'_>> {
        let mut best: Option<(usize, Place<'_>)> = None;
        for (level, floor) in self.floors.iter().enumerate() {
            for module in &floor.modules {
                let words = split(module);
                if path.starts_with(&words) && best.is_none_or(|(length, _)| length < words.len()) {
                    best = Some((words.len(), Place { module, level, floor: &floor.name }));
                }
            }
        }
        best.map(|(_, place)| place)
    }

    /// Returns `true` if this module is in no list, but modules below it are: it only declares
    /// them.
    fn is_folder_only(&self, path: &[&str]) -> bool {
        let mut modules = self.floors.iter().flat_map(|floor| &floor.modules);
        !path.is_empty()
            && self.place(path).is_none_or(|place| place.module == ROOT)
            && modules.any(|module| split(module).starts_with(path))
    }

    /// Adds the problems of one file. `used` notes the exceptions that are needed.
    fn check_file(&self, file: &File, used: &mut [bool], problems: &mut Vec<Problem>) {
        let Some(module) = module_of(&file.path) else { return };
        let module = module.as_slice();
        let listed = without_port(module);
        if self.is_folder_only(&listed) {
            return;
        }
        // Only the root's own file is on the root's floor.
        let is_listed = |place: &Place<'_>| place.module != ROOT || module.is_empty();
        let Some(own) = self.place(&listed).filter(is_listed) else {
            let message = format!("no floor in {PATH} has this module: say on which it is");
            return problems.push(Problem::new(&file.path, 1, message));
        };
        for import in imports(&file.text, module) {
            let words: Vec<&str> = import.path.iter().map(String::as_str).collect();
            let Some(other) = self.place(&without_port(&words)) else { continue };
            if other.module == own.module || other.level < own.level {
                continue;
            }
            let is_it = |one: &Exception| one.from == own.module && one.to == other.module;
            if let Some(index) = self.exceptions.iter().position(is_it) {
                used[index] = true;
                continue;
            }
            let message = if other.level == own.level {
                format!(
                    "`{}` and `{}` are both on the floor `{}`, whose modules don't know each \
                     other: move what they share to a floor below, or one of them up ({PATH})",
                    own.module, other.module, own.floor
                )
            } else {
                format!(
                    "`{}` is on the floor `{}`, and `{}` above it, on `{}`: move what is needed \
                     to a floor below, or let `{}` be given it ({PATH})",
                    own.module, own.floor, other.module, other.floor, own.module
                )
            };
            let problem = Problem::new(&file.path, import.line, message);
            if problems.last() != Some(&problem) {
                problems.push(problem);
            }
        }
    }
}

/// Checks the framework's sources, where there is a table.
pub fn check(tree: &Tree, problems: &mut Vec<Problem>) -> Result<()> {
    let Some(table) = tree.file(PATH) else { return Ok(()) };
    let floors = Floors::parse(&table.text)?;
    let mut used = vec![false; floors.exceptions.len()];
    for file in tree.files.iter().filter(|file| file.path.ends_with(".rs")) {
        // Tests may drive a module by modules of higher floors.
        if !file.path.contains("/tests/") && !file.path.ends_with("/tests.rs") {
            floors.check_file(file, &mut used, problems);
        }
    }
    for (exception, _) in floors.exceptions.iter().zip(&used).filter(|(_, used)| !**used) {
        let Exception { from, to, .. } = exception;
        let message = format!("`{from}` needs no exception for `{to}` any more: remove it");
        problems.push(Problem::new(PATH, 1, message));
    }
    Ok(())
}

/// Returns the words of a module's path; empty for the root.
fn split(module: &str) -> Vec<&str> {
    if module == ROOT { Vec::new() } else { module.split("::").collect() }
}

/// Returns the words of the path of a file's module, if the module belongs to the framework.
fn module_of(path: &str) -> Option<Vec<&str>> {
    let inner = path.strip_prefix(SOURCES)?.strip_suffix(".rs")?;
    let mut words: Vec<&str> = inner.split('/').collect();
    if matches!(words.last(), Some(&("mod" | "lib"))) {
        words.pop();
    }
    Some(words)
}

/// The same path where the modules of each architecture are in `arch` itself.
fn without_port<'a>(path: &[&'a str]) -> Vec<&'a str> {
    let is_port =
        |(index, word): (usize, &&str)| index == 1 && path[0] == "arch" && PORTS.contains(word);
    let words = path.iter().enumerate();
    words.filter(|(index, word)| !is_port((*index, word))).map(|(_, word)| *word).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "
[[floor]]
name = 'processor'
holds = 'masks'
modules = ['arch']

[[floor]]
name = 'records'
holds = 'plain data'
modules = ['core::list', 'core::timer']

[[floor]]
name = 'switch'
holds = 'assembly'
modules = ['arch::switch']

[[floor]]
name = 'whole'
holds = 'the rest'
modules = ['crate', 'thread']
";

    fn problems_with(more: &str, path: &str, line: &str) -> Vec<String> {
        let table = File { path: PATH.to_owned(), text: format!("{TABLE}{more}") };
        let file = File { path: path.to_owned(), text: format!("//! Title.\n{line}\n") };
        let mut problems = Vec::new();
        check(&Tree { files: vec![file, table], paths: Vec::new() }, &mut problems).unwrap();
        problems.into_iter().map(|problem| problem.to_string()).collect()
    }

    fn problems(path: &str, line: &str) -> Vec<String> {
        problems_with("", path, line)
    }

    #[test]
    fn an_import_from_above_is_refused() {
        assert_eq!(
            problems("quintet/src/core/list/search.rs", "use crate::arch::switch::pend;"),
            ["quintet/src/core/list/search.rs:2: `core::list` is on the floor `records`, and \
              `arch::switch` above it, on `switch`: move what is needed to a floor below, or let \
              `core::list` be given it (xtask/floors.toml)"]
        );
        assert_eq!(problems("quintet/src/core/list.rs", "use crate::arch::mask;"), [""; 0]);
        assert_eq!(problems("quintet/src/arch/host/switch.rs", "use crate::core::list;"), [""; 0]);
        assert_eq!(problems("quintet/src/core/list.rs", "use crate::debug;").len(), 1);
        assert_eq!(problems("quintet/src/arch/cortex_m/nvic.rs", "use super::switch;").len(), 1);
    }

    #[test]
    fn modules_of_one_floor_do_not_know_each_other() {
        assert_eq!(
            problems("quintet/src/core/list.rs", "use super::timer::Node;"),
            ["quintet/src/core/list.rs:2: `core::list` and `core::timer` are both on the floor \
                 `records`, whose modules don't know each other: move what they share to a floor \
                 below, or one of them up (xtask/floors.toml)"]
        );
        assert_eq!(problems("quintet/src/core/list/a.rs", "use super::b;"), [""; 0]);
        assert_eq!(problems("quintet/src/core/list/tests.rs", "use crate::thread;"), [""; 0]);
    }

    #[test]
    fn every_module_is_on_a_floor() {
        let message = "no floor in xtask/floors.toml has this module: say on which it is";
        let found = problems("quintet/src/sync/mod.rs", "");
        assert_eq!(found, [format!("quintet/src/sync/mod.rs:1: {message}")]);
        assert_eq!(problems("quintet/src/core/mod.rs", "pub mod list;"), [""; 0]);
        assert_eq!(problems("quintet/src/lib.rs", "use crate::thread::Thread;").len(), 1);
        assert_eq!(problems("quintet-sim/src/lib.rs", "use crate::thread;"), [""; 0]);
    }

    #[test]
    fn an_exception_has_a_reason_and_is_needed() {
        let exception = "[[exception]]\nfrom = 'core::list'\nto = 'thread'\nreason = 'later'";
        let line = "use crate::thread::Thread;";
        assert_eq!(problems_with(exception, "quintet/src/core/list.rs", line), [""; 0]);
        let message = "`core::list` needs no exception for `thread` any more: remove it";
        let found = problems_with(exception, "quintet/src/core/list.rs", "");
        assert_eq!(found, [format!("{PATH}:1: {message}")]);

        let refusal = |text: String| Floors::parse(&text).unwrap_err().to_string();
        assert_eq!(
            refusal(format!("{TABLE}{}", exception.replace("later", ""))),
            "xtask/floors.toml: the exception of `core::list` for `thread` has no reason"
        );
        assert_eq!(
            refusal(format!("{TABLE}{}", exception.replace("core::list", "core::lists"))),
            "xtask/floors.toml: an exception names `core::lists`, which is on no floor"
        );
    }
}
