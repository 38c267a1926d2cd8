//! Scenario files: the rows of a group, and the marks of the firmware between which each is
//! measured.
//!
//! ```toml
//! name = "hardware"
//! title = "what the processor's own mechanisms cost"
//! binary = "hardware"             # benches/src/bin/hardware.rs
//! features = ["time"]             # optional: in every build of ours
//! board = "stm32f100"
//! order = 1                       # where the table stands among the others
//! halting = true                  # optional: measured by a halting debugger too
//! inputs = "showdown"             # optional: benches/inputs/showdown.toml, what the world does
//! prints = "showdown"             # optional: benches/inputs/showdown.out, what it must print
//! column = "tasks"                # optional: the head of our column, where there are several
//! kernels = ["ChibiOS"]           # optional: with which of data/peer-*.toml it is compared
//!
//! [[form]]                        # the same by another of our models, as a column of its own
//! name = "async"
//! binary = "showdown_async"
//! features = ["cooperative"]      # optional: more cargo features than in every build of ours
//! beside = ["QV 8.1.5"]           # optional: the kernels of the form's own kind, for a ratio more
//!
//! [[variant]]                     # the firmware built otherwise, for the rows that name it
//! name = "more_8"
//! features = ["more_8"]           # cargo features,
//! binary = "timers"               # or another binary,
//! binary_of_ours = "timers_too"   # or another one for ours than for peers,
//! profile = "small"               # or by another profile of cargo
//!
//! [[peer]]                        # another system, in a crate of its own
//! name = "RTIC"
//! crate = "peers/rtic"            # below benches/; none for a binary beside ours
//! binary = "async"                # optional: where it is not named as ours
//! features = ["time"]             # optional: in every build of it
//! packages = ["rtic", "rtic-sync"] # optional: whose versions the table names, from Cargo.lock
//! ```
//! The rows, their kinds and their options are in [`row`](super::row).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;

use super::row::RowScenario;
use super::wording;

/// A group's file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// The group's name.
    pub name: String,
    /// The subject of the group.
    pub title: String,
    /// The binary of the firmware workspace.
    pub binary: String,
    /// Cargo features in every build of ours.
    #[serde(default)]
    pub features: Vec<String>,
    /// The board of the group's figures.
    pub board: String,
    /// The least bits of a priority with which the firmware builds.
    #[serde(default)]
    pub priority_bits: u8,
    /// `true` if the firmware waits by timer 2 of an STM32.
    #[serde(default)]
    pub timer: bool,
    /// The table's place among the others.
    pub order: u32,
    /// `true` if the firmware can be built with a BKPT at each mark.
    #[serde(default)]
    pub halting: bool,
    /// The file of inputs, without directory and ending.
    pub inputs: Option<String>,
    /// The file of the expected output, without directory and ending.
    pub prints: Option<String>,
    /// The head of our column.
    pub column: Option<String>,
    /// The kernels with which the group is compared. They are not built here.
    #[serde(default)]
    pub kernels: Vec<String>,
    /// Further forms of ours.
    #[serde(default, rename = "form")]
    pub forms: Vec<Form>,
    /// Other builds of the firmware.
    #[serde(default, rename = "variant")]
    pub variants: Vec<Variant>,
    /// Other systems.
    #[serde(default, rename = "peer")]
    pub peers: Vec<PeerScenario>,
    /// The rows.
    #[serde(rename = "row")]
    pub rows: Vec<RowScenario>,
}

/// Another form of ours: the same work by another model.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Form {
    /// The head of the form's column.
    pub name: String,
    /// The binary of the firmware workspace.
    pub binary: String,
    /// More cargo features than every build of ours has.
    #[serde(default)]
    pub features: Vec<String>,
    /// The kernels with which the form is compared; empty if it isn't.
    #[serde(default)]
    pub beside: Vec<String>,
}

/// Another build of the firmware, of ours and of each peer.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Variant {
    /// The variant's name in rows.
    pub name: String,
    /// Cargo features.
    #[serde(default)]
    pub features: Vec<String>,
    /// Another binary than the group's.
    pub binary: Option<String>,
    /// Our binary, if it has another name than the peers'.
    pub binary_of_ours: Option<String>,
    /// A profile of cargo, if it is not `release`.
    pub profile: Option<String>,
}

/// Another system.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PeerScenario {
    /// The head of the peer's column.
    pub name: String,
    /// The directory of the peer's crate, below `benches/`, in the workspace of all peers.
    /// `None` for a binary of our own crate.
    #[serde(rename = "crate")]
    pub directory: Option<String>,
    /// The peer's binary, if it has another name than ours.
    pub binary: Option<String>,
    /// Cargo features in every build of the peer.
    #[serde(default)]
    pub features: Vec<String>,
    /// The packages whose versions matter.
    #[serde(default)]
    pub packages: Vec<String>,
}

impl PeerScenario {
    /// Returns the directory of the peer's workspace below the project's `root`.
    pub fn workspace(&self, root: &Path) -> PathBuf {
        let workspace = self.directory.as_deref().and_then(|path| Path::new(path).parent());
        root.join("benches").join(workspace.unwrap_or(Path::new("")))
    }
}

impl Scenario {
    /// The scenario in a file's text.
    pub fn parse(text: &str) -> Result<Self> {
        let scenario: Self = toml::from_str(text)?;
        scenario.check_peers()?;
        scenario.check_beside()?;
        for (index, row) in scenario.rows.iter().enumerate() {
            row.what()?;
            let is_named = scenario.rows[..index].iter().any(|before| before.name == row.name);
            ensure!(!is_named, "two rows are named \"{}\"; pins tell them by name", row.name);
            scenario.check_names(row).with_context(|| format!("row \"{}\"", row.name))?;
        }
        Ok(scenario)
    }

    /// Returns the variant that a row asks for; `None` for the firmware as it is.
    pub fn variant(&self, name: &str) -> Option<&Variant> {
        self.variants.iter().find(|variant| variant.name == name)
    }

    /// Returns the forms that have kernels of their own kind, with these.
    pub fn beside(&self) -> BTreeMap<String, Vec<String>> {
        let forms = self.forms.iter().filter(|form| !form.beside.is_empty());
        forms.map(|form| (form.name.clone(), form.beside.clone())).collect()
    }

    fn check_peers(&self) -> Result<()> {
        let is_ours = |peer: &&PeerScenario| peer.directory.is_none() && peer.binary.is_none();
        if let Some(PeerScenario { name, .. }) = self.peers.iter().find(is_ours) {
            bail!(
                "peer \"{name}\" has neither `crate` nor `binary`, so that it would be ours: \
                 name its crate below benches/, or its binary in ours"
            );
        }
        Ok(())
    }

    fn check_beside(&self) -> Result<()> {
        for name in self.forms.iter().flat_map(|form| &form.beside) {
            let known = self.kernels.join(", ");
            ensure!(
                self.kernels.contains(name),
                "`beside` names \"{name}\", which isn't among the group's `kernels`: {known}"
            );
        }
        Ok(())
    }

    fn check_names(&self, row: &RowScenario) -> Result<()> {
        for name in row.variant.iter().chain(&row.than).chain(&row.also) {
            ensure!(self.variant(name).is_some(), "no [[variant]] is named \"{name}\"");
        }
        let has_kernels = row.published.is_none() || !self.kernels.is_empty();
        ensure!(has_kernels, "`published` is for groups that name `kernels`");
        for name in row.without.keys() {
            let is_peer = self.peers.iter().any(|peer| peer.name == *name);
            let is_form = self.forms.iter().any(|form| form.name == *name);
            ensure!(is_peer || is_form, "`without` names \"{name}\", which has no column");
        }
        Ok(())
    }
}

/// The scenarios of the firmware workspace under `root`: those named, or all.
pub fn load(root: &Path, names: &[String]) -> Result<Vec<Scenario>> {
    let directory = root.join("benches").join("scenarios");
    let mut all = Vec::new();
    let files = std::fs::read_dir(&directory)
        .with_context(|| format!("no benchmark scenarios in {}", directory.display()))?;
    for file in files {
        let path = file?.path();
        if path.extension().is_some_and(|extension| extension == "toml") {
            let text = std::fs::read_to_string(&path)?;
            all.push(Scenario::parse(&text).with_context(|| path.display().to_string())?);
        }
    }
    wording::check(&all)?;
    all.sort_by(|left, right| (left.order, &left.name).cmp(&(right.order, &right.name)));
    if names.is_empty() {
        return Ok(all);
    }
    names
        .iter()
        .map(|name| match all.iter().find(|scenario| scenario.name == *name) {
            Some(scenario) => Ok(scenario.clone()),
            None => {
                let known: Vec<&str> = all.iter().map(|scenario| scenario.name.as_str()).collect();
                bail!("no group is named \"{name}\"; there are {}", known.join(", "))
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "name = 'a'\ntitle = 'b'\nbinary = 'a'\nboard = 'stm32f100'\norder = 1\n\
                        [[peer]]\nname = 'P'\ncrate = 'peers/p'\npackages = ['p']\n\
                        [[variant]]\nname = 'v'\nfeatures = ['f']\n";

    fn parse(row: &str) -> Result<Scenario> {
        Scenario::parse(&format!("{HEAD}[[row]]\nname = 'r'\n{row}"))
    }

    #[test]
    fn rows_name_variants_and_peers_that_exist() {
        assert!(parse("constant = 'X'\nvariant = 'v'\nwithout = { P = 'has none' }").is_ok());
        let refused = |row: &str| format!("{:#}", parse(row).unwrap_err());
        assert!(refused("constant = 'X'\nvariant = 'w'").contains("no [[variant]] is named \"w\""));
        assert!(refused("marks = [['x', 'y']]\nalso = ['w']").contains("no [[variant]]"));
        assert_eq!(
            refused("constant = 'X'\npublished = 'bytes.thread'"),
            "row \"r\": `published` is for groups that name `kernels`"
        );
        assert!(refused("constant = 'X'\nwithout = { Q = 'has none' }").contains("\"Q\""));
    }

    #[test]
    fn a_peer_has_a_place() {
        let peer = |place: &str| parse(&format!("constant = 'X'\n[[peer]]\nname = 'Q'\n{place}"));
        let beside = peer("binary = 'q'").unwrap();
        assert!(beside.peers[1].workspace(Path::new("r")).ends_with("benches"));
        assert!(beside.peers[0].workspace(Path::new("r")).ends_with("benches/peers"));
        let said = peer("packages = ['q']").unwrap_err().to_string();
        assert!(said.contains("peer \"Q\" has neither `crate` nor `binary`"), "{said}");
        assert!(said.contains("name its crate below benches/, or its binary in ours"), "{said}");
    }

    #[test]
    fn a_form_is_beside_kernels_of_its_group() {
        let with = |beside: &str| {
            let form = format!("[[form]]\nname = 'f'\nbinary = 'f'\nbeside = {beside}\n");
            let head = HEAD.replace("[[peer]]", &format!("kernels = ['A', 'B']\n{form}[[peer]]"));
            Scenario::parse(&format!("{head}[[row]]\nname = 'r'\nconstant = 'X'\n"))
        };
        assert_eq!(with("['B']").unwrap().forms[0].beside, ["B"]);
        let said = with("['C']").unwrap_err().to_string();
        assert_eq!(said, "`beside` names \"C\", which isn't among the group's `kernels`: A, B");
    }

    #[test]
    fn a_name_is_one_row_s() {
        let error = parse("constant = 'X'\n[[row]]\nname = 'r'\nconstant = 'Y'").unwrap_err();
        assert!(error.to_string().contains("two rows are named \"r\""));
    }

    #[test]
    fn unknown_fields_are_refused() {
        assert!(parse("mark = [['x', 'y']]").is_err());
    }
}
