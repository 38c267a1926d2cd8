//! The figures of other kernels, which come with the tool as data: the cycles of each operation in
//! each build of each kernel, and the bytes that the kernels take. `data/peer-kernels.toml` says
//! how they were measured. `data/peer-actors.toml` has the actors of other frameworks in the same
//! form, and `data/peer-processes.toml` the processes.
//!
//! A row of a table names its operation as `cycles.sem_sig`, a sum of several as
//! `cycles.mask + cycles.irq_isr`, and an amount of memory as `bytes.thread`. An amount that
//! differs from build to build has a figure for each, as cycles have.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result, bail, ensure};
use serde::{Deserialize, Serialize};

use super::figures::Figure;
use super::{Builds, Column};

/// One list: each file is a series of `[[kernel]]`.
const FILE: &str = concat!(
    include_str!("../../data/peer-kernels.toml"),
    include_str!("../../data/peer-actors.toml"),
    include_str!("../../data/peer-processes.toml")
);
/// The files in messages.
const NAME: &str = "data/peer-*.toml";

/// The kernels, in the file's order.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Kernels {
    #[serde(rename = "kernel")]
    kernels: Vec<Kernel>,
}

/// A kernel and its figures.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Kernel {
    /// The kernel's name in the tables.
    pub name: String,
    /// The versions of the kernel's parts.
    pub versions: BTreeMap<String, String>,
    /// The kernel's port and configuration.
    pub about: String,
    /// The build that users get without a change of their own.
    pub shipped: String,
    /// The kernel's builds.
    pub builds: Vec<Build>,
    /// For each operation, the cycles in each build; -1 if there is no figure.
    cycles: BTreeMap<String, Vec<i64>>,
    /// The bytes that things take.
    #[serde(default)]
    bytes: BTreeMap<String, Bytes>,
}

/// An amount of memory.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(untagged)]
enum Bytes {
    /// In the build that takes least, of objects whose size the builds share or differ in little.
    Least(u32),
    /// In each build; -1 if there is no figure.
    OfBuilds(Vec<i64>),
}

/// A way in which a kernel was built.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Build {
    /// The build's optimisation, with a word if the configuration is not the usual one.
    pub name: String,
    /// `true` if the build checks arguments, states or stacks.
    pub checks: bool,
    /// The options of the configuration.
    pub options: Option<String>,
}

impl Kernels {
    /// The kernels that come with the tool.
    pub fn built_in() -> Result<Self> {
        Self::parse(FILE).context(NAME)
    }

    /// The kernels in a file's text.
    pub fn parse(text: &str) -> Result<Self> {
        let kernels: Self = toml::from_str(text)?;
        let mut names = BTreeSet::new();
        for kernel in &kernels.kernels {
            ensure!(names.insert(&kernel.name), "two kernels are named \"{}\"", kernel.name);
            kernel.check().with_context(|| format!("kernel \"{}\"", kernel.name))?;
        }
        Ok(kernels)
    }

    /// Returns the kernels of a group, in its order.
    pub fn of_group(&self, names: &[String]) -> Result<Self> {
        let find = |name: &String| match self.kernels.iter().find(|one| one.name == *name) {
            Some(kernel) => Ok(kernel.clone()),
            None => bail!("no kernel in {NAME} is named \"{name}\": choose from {}", self.names()),
        };
        Ok(Self { kernels: names.iter().map(find).collect::<Result<_>>()? })
    }

    /// Each of them.
    pub fn iter(&self) -> impl Iterator<Item = &Kernel> {
        self.kernels.iter()
    }

    /// Returns the figures of a row, by kernel. Kernels without such an operation are left out. If
    /// `only` names some, all others are left out too.
    pub fn row(&self, key: &str, only: &[String]) -> Result<BTreeMap<String, Column>> {
        let mut row = BTreeMap::new();
        for kernel in &self.kernels {
            let column = kernel.column(key)?;
            row.extend(column.map(|column| (kernel.name.clone(), column)));
        }
        if row.is_empty() {
            bail!("no kernel of the group has `{key}` in {NAME}");
        }
        if let Some(name) = only.iter().find(|name| !row.contains_key(*name)) {
            let has: Vec<&str> = row.keys().map(String::as_str).collect();
            bail!("\"{name}\" has no `{key}` in {NAME}: choose from {}", has.join(", "));
        }
        row.retain(|name, _| only.is_empty() || only.contains(name));
        Ok(row)
    }

    fn names(&self) -> String {
        let names: Vec<&str> = self.kernels.iter().map(|one| one.name.as_str()).collect();
        names.join(", ")
    }
}

impl Kernel {
    fn check(&self) -> Result<()> {
        let is_named = |name: &String| self.builds.iter().any(|build| build.name == *name);
        ensure!(is_named(&self.shipped), "`shipped` names \"{}\", no build", self.shipped);
        let names: BTreeSet<&String> = self.builds.iter().map(|build| &build.name).collect();
        ensure!(names.len() == self.builds.len(), "two builds have one name");
        let bytes = self.bytes.iter().filter_map(|(thing, bytes)| match bytes {
            Bytes::OfBuilds(figures) => Some((thing, figures)),
            Bytes::Least(_) => None,
        });
        for (key, figures) in self.cycles.iter().chain(bytes) {
            ensure!(
                figures.len() == self.builds.len(),
                "`{key}` has {} figures for {} builds",
                figures.len(),
                self.builds.len()
            );
            let valid = figures.iter().all(|figure| (-1..=i64::from(u32::MAX)).contains(figure));
            ensure!(valid, "`{key}`: figures are cycles or bytes, or -1 where there is none");
        }
        Ok(())
    }

    fn column(&self, key: &str) -> Result<Option<Column>> {
        if let Some(thing) = key.strip_prefix("bytes.") {
            return Ok(self.bytes.get(thing).and_then(|bytes| match bytes {
                Bytes::Least(bytes) => {
                    Some(Column { cycles: Some(Figure(f64::from(*bytes))), ..Column::default() })
                }
                Bytes::OfBuilds(figures) => self.least(self.named(figures)),
            }));
        }
        let mut sum: Option<BTreeMap<String, Figure>> = None;
        for part in key.split(" + ") {
            let Some(operation) = part.strip_prefix("cycles.") else {
                bail!("`{key}` is no key of {NAME}: they begin with `cycles.` or `bytes.`");
            };
            let now = self.of_builds(operation);
            sum = Some(match sum {
                None => now,
                Some(before) => added(&before, &now),
            });
        }
        Ok(self.least(sum.unwrap_or_default()))
    }

    /// Returns the column with the least of some builds' figures; `None` if there are none.
    fn least(&self, cycles: BTreeMap<String, Figure>) -> Option<Column> {
        let fewest = cycles.iter().reduce(|best, one| if one.1 < best.1 { one } else { best });
        let (name, figure) = fewest.map(|(name, figure)| (name.clone(), *figure))?;
        let checks = self.builds.iter().any(|build| build.name == name && build.checks);
        let shipped = cycles.get(&self.shipped).copied();
        let builds = Some(Builds { best: name, checks, shipped, cycles });
        Some(Column { cycles: Some(figure), builds, ..Column::default() })
    }

    fn of_builds(&self, operation: &str) -> BTreeMap<String, Figure> {
        self.cycles.get(operation).map_or_else(BTreeMap::new, |figures| self.named(figures))
    }

    /// Returns the figures with the names of their builds. Builds without a figure are left out.
    fn named(&self, figures: &[i64]) -> BTreeMap<String, Figure> {
        let pairs = self.builds.iter().zip(figures).filter(|(_, figure)| **figure >= 0);
        pairs.map(|(build, figure)| (build.name.clone(), Figure(*figure as f64))).collect()
    }
}

/// The sums of the builds that have both.
fn added(
    one: &BTreeMap<String, Figure>,
    other: &BTreeMap<String, Figure>,
) -> BTreeMap<String, Figure> {
    let sum = |(name, figure): (&String, &Figure)| {
        Some((name.clone(), Figure(figure.0 + other.get(name)?.0)))
    };
    one.iter().filter_map(sum).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TWO: &str = "[[kernel]]\nname = 'A'\nversions = { a = '1' }\nabout = 'port'\n\
        shipped = '-O2'\nbuilds = [{ name = '-O2', checks = false },\
        { name = '-O2 checked', checks = true }, { name = '-O3', checks = false }]\n\
        cycles = { give = [20, 30, 10], take = [5, 6, -1], none = [-1, -1, -1] }\n\
        bytes = { thread = 64, text = [800, 900, -1] }\n\
        [[kernel]]\nname = 'B'\nversions = {}\nabout = ''\nshipped = '-O2'\n\
        builds = [{ name = '-O2', checks = true }]\ncycles = { give = [12] }\n";

    fn kernels() -> Kernels {
        Kernels::parse(TWO).unwrap()
    }

    fn refused(text: &str) -> String {
        format!("{:#}", Kernels::parse(text).unwrap_err())
    }

    #[test]
    fn a_kernel_s_figure_is_that_of_its_fastest_build() {
        let row = kernels().row("cycles.give", &[]).unwrap();
        let builds = row["A"].builds.as_ref().unwrap();
        assert_eq!((row["A"].cycles, builds.best.as_str()), (Some(Figure(10.0)), "-O3"));
        assert_eq!((builds.shipped, builds.checks), (Some(Figure(20.0)), false));
        assert_eq!(builds.cycles.len(), 3);
        let builds = row["B"].builds.as_ref().unwrap();
        assert_eq!((builds.best.as_str(), builds.checks), ("-O2", true));
    }

    #[test]
    fn figures_are_added_up_where_a_build_has_both() {
        let row = kernels().row("cycles.give + cycles.take", &[]).unwrap();
        let builds = row["A"].builds.as_ref().unwrap();
        assert_eq!((row["A"].cycles, builds.best.as_str()), (Some(Figure(25.0)), "-O2"));
        assert_eq!((row.len(), builds.cycles.len()), (1, 2));
    }

    #[test]
    fn bytes_are_of_the_leanest_build_or_of_each() {
        let row = kernels().row("bytes.thread", &[]).unwrap();
        assert_eq!((row["A"].cycles, row.len()), (Some(Figure(64.0)), 1));
        assert!(row["A"].builds.is_none());
        let row = kernels().row("bytes.text", &[]).unwrap();
        let builds = row["A"].builds.as_ref().unwrap();
        assert_eq!((row["A"].cycles, builds.best.as_str()), (Some(Figure(800.0)), "-O2"));
        assert_eq!(builds.cycles.len(), 2, "-O3 has no figure");
    }

    #[test]
    fn a_row_may_choose_its_kernels() {
        let only = |name: &str| kernels().row("cycles.take", &[name.to_owned()]);
        assert_eq!(only("A").unwrap().into_keys().collect::<Vec<_>>(), ["A"]);
        assert_eq!(
            only("B").unwrap_err().to_string(),
            "\"B\" has no `cycles.take` in data/peer-*.toml: choose from A"
        );
    }

    #[test]
    fn what_the_file_does_not_have_is_refused() {
        for key in ["cycles.none", "cycles.nap", "bytes.nap"] {
            let said = kernels().row(key, &[]).unwrap_err().to_string();
            assert_eq!(said, format!("no kernel of the group has `{key}` in data/peer-*.toml"));
        }
        assert_eq!(
            kernels().row("threads.give", &[]).unwrap_err().to_string(),
            "`threads.give` is no key of data/peer-*.toml: they begin with `cycles.` or `bytes.`"
        );
        let names = ["B", "C"].map(str::to_owned);
        assert_eq!(
            kernels().of_group(&names).unwrap_err().to_string(),
            "no kernel in data/peer-*.toml is named \"C\": choose from A, B"
        );
    }

    #[test]
    fn a_file_that_contradicts_itself_is_refused() {
        let said = refused(&TWO.replace("take = [5, 6, -1]", "take = [5, 6]"));
        assert_eq!(said, "kernel \"A\": `take` has 2 figures for 3 builds");
        let said = refused(&TWO.replace("take = [5, 6, -1]", "take = [5, 6, -2]"));
        assert_eq!(
            said,
            "kernel \"A\": `take`: figures are cycles or bytes, or -1 where there is none"
        );
        let said = refused(&TWO.replace("[800, 900, -1]", "[800, 900]"));
        assert_eq!(said, "kernel \"A\": `text` has 2 figures for 3 builds");
        let said = refused(&TWO.replace("shipped = '-O2'", "shipped = '-Os'"));
        assert_eq!(said, "kernel \"A\": `shipped` names \"-Os\", no build");
        let said = refused(&TWO.replace("name = '-O3'", "name = '-O2'"));
        assert_eq!(said, "kernel \"A\": two builds have one name");
        assert_eq!(refused(&TWO.replace("'B'", "'A'")), "two kernels are named \"A\"");
        assert!(refused(&TWO.replace("give = [12]", "give = ['x']")).contains("invalid type"));
        assert!(refused(&TWO.replace("about = ''", "abut = ''")).contains("abut"));
    }

    #[test]
    fn the_file_that_comes_with_the_tool_is_whole() {
        let kernels = Kernels::built_in().unwrap();
        assert_eq!(kernels.iter().count(), 16);
        let row = kernels.row("cycles.sem_sw", &[]).unwrap();
        assert_eq!(row["ChibiOS"].builds.as_ref().unwrap().best, "-O3 LTO");
        assert!(row["RTX5"].cycles > row["ChibiOS"].cycles);
        let row = kernels.row("cycles.pg", &[]).unwrap();
        assert_eq!(row["QK 8.1.5"].builds.as_ref().unwrap().best, "-O3 LTO unchecked");
        assert!(!row.contains_key("QK"));
    }
}
