//! The benchmark tables: firmware is built now, simulated, and compared with published figures and
//! with other systems.
//!
//! A *group* is a table: a scenario file of the firmware workspace (`benches/scenarios/NAME.toml`,
//! see [`scenario`] and [`row`]) and the binaries that it names. A *column* has one system's
//! figures: ours, further forms of ours, and peers, whose firmware is in a cargo workspace of its
//! own.
//!
//! The steps are files. [`build`] compiles. [`measure`] runs a column's firmware and times its
//! marks and [masks](crate::masks), and [`on_chip`] those of a chip. [`peers`] reads versions and
//! compares profiles. [`figures`] finds the documents' figures and the floors, and [`kernels`] the
//! figures of kernels that are not built here. [`published`] compares with other systems. [`pins`]
//! remembers accepted figures, and [`accepted`] the rows in which a peer may be ahead. [`table`]
//! prints the columns that `fit` chooses, and `notes` writes the text below, of which [`wording`]
//! checks what was typed. A new group needs no change here.

pub mod accepted;
pub mod build;
mod bytes;
mod column;
pub mod figures;
pub(crate) mod fit;
pub mod harts;
pub mod kernels;
pub mod measure;
mod notes;
pub mod on_chip;
pub mod page;
pub mod peers;
pub mod pins;
pub mod published;
mod requirements;
pub mod riscv;
pub mod riscv_calls;
pub mod row;
pub mod scenario;
pub mod table;
pub mod wording;

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result};
use quintet_sim::board::Board;
use quintet_sim::script::{NoNames, Script};
use serde::Serialize;

use build::Program;
use column::Runner;
use figures::{Figure, Figures};
use kernels::{Kernel, Kernels};
use measure::Measured;
use row::RowScenario;
use scenario::{PeerScenario, Scenario};

/// Every table that was asked for: the form of `bench --json`.
#[derive(Debug, Serialize)]
pub struct Report {
    /// The tables.
    pub groups: Vec<Group>,
    /// The table of RISC-V cores, beside the group of the hardware.
    pub riscv: Option<riscv::Table>,
    /// The table of the group of system calls on a RISC-V core.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calls: Option<riscv_calls::Table>,
}

/// One table.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Group {
    /// The group's name, which is the scenario file's.
    pub name: String,
    /// The subject of the group.
    pub title: String,
    /// The board that was simulated.
    pub board: String,
    /// How the firmware was built: compiler and profile.
    pub build: String,
    /// The head of our column.
    pub column: String,
    /// The other systems in the table.
    pub peers: Vec<PeerFacts>,
    /// For each form of ours with kernels of its own kind, these.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub beside: BTreeMap<String, Vec<String>>,
    /// The table's rows.
    pub rows: Vec<Row>,
}

impl Group {
    /// The names of the peers that were built and measured now.
    pub fn measured_peers(&self) -> impl Iterator<Item = &str> {
        let is_measured = |peer: &&PeerFacts| peer.missing.is_none() && peer.kernel.is_none();
        self.peers.iter().filter(is_measured).map(|peer| peer.name.as_str())
    }

    /// The peers whose figures come with the tool.
    pub fn kernels(&self) -> impl Iterator<Item = (&PeerFacts, &KernelFacts)> {
        self.peers.iter().filter_map(|peer| Some((peer, peer.kernel.as_ref()?)))
    }
}

/// The facts about a peer.
#[derive(Clone, Debug, Default, Serialize)]
pub struct PeerFacts {
    /// The head of the peer's column.
    pub name: String,
    /// The versions of the peer's packages, from its lock file, or of the kernel's parts.
    pub versions: BTreeMap<String, String>,
    /// Why the peer has no figures; `None` if it has.
    pub missing: Option<String>,
    /// How the peer was built, if its figures come with the tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kernel: Option<KernelFacts>,
}

/// How a kernel whose figures come with the tool was built.
#[derive(Clone, Debug, Serialize)]
pub struct KernelFacts {
    /// The kernel's port and configuration.
    pub about: String,
    /// The build that users get without a change of their own.
    pub shipped: String,
    /// All builds.
    pub builds: Vec<kernels::Build>,
}

impl From<&Kernel> for PeerFacts {
    fn from(kernel: &Kernel) -> Self {
        let Kernel { name, versions, about, shipped, builds, .. } = kernel.clone();
        let kernel = Some(KernelFacts { about, shipped, builds });
        Self { name, versions, missing: None, kernel }
    }
}

/// A row of a table. A figure that does not exist is `None`.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Row {
    /// The subject of the measurement.
    pub name: String,
    /// The unit of `cycles`, `document` and `floor`.
    pub unit: Unit,
    /// Instructions executed.
    pub instructions: Option<Figure>,
    /// The figure: cycles, or bytes if the unit says so. In a halting group, a debugger halts at
    /// each mark, as it did for the documents.
    pub cycles: Option<Figure>,
    /// Cycles of firmware that nobody halts; `None` if `cycles` has this figure.
    pub undisturbed: Option<Figure>,
    /// The same without any framework, in the same firmware.
    pub bare: Option<Figure>,
    /// The place in the code of the figure, for figures with a place.
    pub place: Option<String>,
    /// The document's figure.
    pub document: Option<Figure>,
    /// The documents' figures where there are several, in the row's unit.
    pub documents: Vec<DocumentFigure>,
    /// The least that the hardware allows.
    pub floor: Option<Figure>,
    /// A note for readers.
    pub note: Option<String>,
    /// The same by further forms of ours.
    pub forms: BTreeMap<String, Column>,
    /// The figures of other systems for the same.
    pub peers: BTreeMap<String, Column>,
    /// The best of the peers.
    pub best: Option<Best>,
    /// Our figure divided by that.
    pub ratio: Option<Figure>,
    /// `true` if the best of the others is ahead of ours.
    pub behind: Option<bool>,
    /// The decision record that says why a peer may be ahead.
    pub behind_by: Option<String>,
    /// The columns without a figure in this row, and why.
    pub without: BTreeMap<String, String>,
}

/// A column's figures in a row.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Column {
    /// Instructions executed.
    pub instructions: Option<Figure>,
    /// Cycles, or bytes where the row's unit says so.
    pub cycles: Option<Figure>,
    /// The same without any framework, in the same firmware.
    pub bare: Option<Figure>,
    /// The place in the code of the figure, for figures with a place.
    pub place: Option<String>,
    /// The figures of each build, if there are several. `cycles` is the least of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub builds: Option<Builds>,
    /// For a form of ours: the best of the peers beside the form.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub best: Option<Best>,
    /// The form's figure divided by the best peer's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ratio: Option<Figure>,
}

impl From<Measured> for Column {
    fn from(measured: Measured) -> Self {
        let Measured { instructions, figure, bare, place } = measured;
        Self { instructions, cycles: Some(figure), bare, place, ..Self::default() }
    }
}

/// A kernel's figures in a row, by its builds.
#[derive(Clone, Debug, Serialize)]
pub struct Builds {
    /// The build with the least figure.
    pub best: String,
    /// `true` if that one checks arguments, states or stacks.
    pub checks: bool,
    /// The figure of the build that users have without a change of theirs.
    pub shipped: Option<Figure>,
    /// All of them.
    pub cycles: BTreeMap<String, Figure>,
}

/// The best of the other systems in a row.
#[derive(Clone, Debug, Serialize)]
pub struct Best {
    /// The system's name.
    pub name: String,
    /// The system's figure, in the row's unit.
    pub figure: Figure,
    /// The build, if there are several.
    pub build: Option<String>,
}

/// One of several documents' figures.
#[derive(Clone, Debug, Serialize)]
pub struct DocumentFigure {
    /// The head of the column.
    pub name: String,
    /// The figure, in the row's unit.
    pub figure: Figure,
}

/// The unit of a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    /// Processor cycles.
    #[default]
    Cycles,
    /// Bytes of memory.
    Bytes,
}

/// The options of [`run`].
#[derive(Clone, Copy, Debug)]
pub struct Options<'a> {
    /// Another board than the group's own.
    pub board: Option<&'a str>,
    /// `true` if peers are built and measured too.
    pub peers: bool,
}

/// Builds and measures a group.
pub fn run(root: &Path, scenario: &Scenario, options: Options<'_>) -> Result<Group> {
    if let Some(board) = options.board.map(crate::simulated::riscv_board).transpose()?.flatten() {
        return harts::run(root, scenario, &board);
    }
    let board = Board::find(options.board.unwrap_or(&scenario.board))?;
    requirements::check(scenario, &board)?;
    let inputs = inputs(root, scenario, &board)?;
    let runner = Runner { root, scenario, board: &board, inputs, prints: prints(root, scenario)? };
    let column = scenario.column.as_deref().unwrap_or("Quintet");
    let main = Program { directory: None, binary: &scenario.binary, features: &scenario.features };
    let free = runner.measure(column, &main, false)?;
    let mut halted = scenario.halting.then(|| runner.measure(column, &main, true)).transpose()?;
    let figures = Figures::built_in()?;
    let kernels = kernels(scenario, &board)?;
    let mut rows = Vec::new();
    for (index, row) in scenario.rows.iter().enumerate() {
        let mut filled = beside(row, &figures, kernels.as_ref())?;
        let undisturbed = free[index].clone().unwrap_or_default();
        let main = match halted.as_mut().and_then(|halted| halted[index].take()) {
            Some(halted) => {
                filled.undisturbed = undisturbed.cycles;
                halted
            }
            None => undisturbed,
        };
        (filled.instructions, filled.cycles) = (main.instructions, main.cycles);
        (filled.bare, filled.place) = (main.bare, main.place);
        rows.push(filled);
    }
    for form in &scenario.forms {
        let features = [&scenario.features[..], &form.features].concat();
        let program = Program { directory: None, binary: &form.binary, features: &features };
        let figures = runner.measure(&form.name, &program, false)?;
        for (row, column) in rows.iter_mut().zip(figures) {
            row.forms.extend(column.map(|column| (form.name.clone(), column)));
        }
    }
    let mut peers: Vec<PeerFacts> =
        kernels.iter().flat_map(Kernels::iter).map(PeerFacts::from).collect();
    for peer in scenario.peers.iter().filter(|_| options.peers) {
        peers.push(add_peer(&runner, peer, &mut rows)?);
    }
    for row in &mut rows {
        published::compare(row, scenario);
    }
    Ok(Group {
        name: scenario.name.clone(),
        title: scenario.title.clone(),
        board: board.name.clone(),
        build: peers::build_in_words(root)?,
        column: column.to_owned(),
        peers,
        beside: scenario.beside(),
        rows,
    })
}

/// Returns the kernels with which a group is compared; `None` on another board than theirs.
fn kernels(scenario: &Scenario, board: &Board) -> Result<Option<Kernels>> {
    if scenario.kernels.is_empty() || board.name != scenario.board {
        return Ok(None);
    }
    Kernels::built_in()?.of_group(&scenario.kernels).map(Some)
}

fn inputs(root: &Path, scenario: &Scenario, board: &Board) -> Result<Option<Script>> {
    let Some(name) = &scenario.inputs else { return Ok(None) };
    let path = root.join("benches").join("inputs").join(format!("{name}.toml"));
    Ok(Some(Script::from_file(&path, board, &NoNames)?))
}

fn prints(root: &Path, scenario: &Scenario) -> Result<Option<String>> {
    let Some(name) = &scenario.prints else { return Ok(None) };
    let path = root.join("benches").join("inputs").join(format!("{name}.out"));
    Ok(Some(std::fs::read_to_string(&path).with_context(|| path.display().to_string())?))
}

/// Returns the figures beside a row's measured figures.
fn beside(row: &RowScenario, figures: &Figures, kernels: Option<&Kernels>) -> Result<Row> {
    let factor = row.document_factor.unwrap_or(1.0);
    let document = |key: &str| figures.document(key).map(|figure| Figure(figure.0 * factor));
    let documents = row
        .documents
        .iter()
        .map(|[name, key]| Ok(DocumentFigure { name: name.clone(), figure: document(key)? }));
    // -1 means that the document's system has no such thing.
    let documents = documents.filter(|one| !one.as_ref().is_ok_and(|one| one.figure.0 < 0.0));
    let published = kernels.zip(row.published.as_deref());
    let peers = published.map(|(kernels, key)| kernels.row(key, &row.columns)).transpose()?;
    Ok(Row {
        name: row.name.clone(),
        unit: if row.what()?.is_time() { Unit::Cycles } else { Unit::Bytes },
        document: row.document.as_deref().map(document).transpose()?,
        documents: documents.collect::<Result<_>>()?,
        peers: peers.unwrap_or_default(),
        behind_by: row.behind.clone(),
        floor: row.floor.as_deref().map(|key| figures.floor(key)).transpose()?,
        note: row.note.as_deref().map(|note| wording::filled(note, figures)).transpose()?,
        without: filled(&row.without, figures)?,
        ..Row::default()
    })
}

/// Returns the reasons of empty cells with the figures that they take from the data.
fn filled(
    without: &BTreeMap<String, String>,
    figures: &Figures,
) -> Result<BTreeMap<String, String>> {
    let reason =
        |(name, text): (&String, &String)| Ok((name.clone(), wording::filled(text, figures)?));
    without.iter().map(reason).collect()
}

/// Measures a peer and puts its figures into the rows. It is no error if the peer cannot be built
/// here: its packages may be out of reach.
fn add_peer(runner: &Runner<'_>, peer: &PeerScenario, rows: &mut [Row]) -> Result<PeerFacts> {
    peers::check_profile(runner.root, peer)?;
    let versions = peers::versions(runner.root, peer)?;
    let binary = peer.binary.as_deref().unwrap_or(&runner.scenario.binary);
    let directory = peer.directory.as_deref();
    let program = Program { directory, binary, features: &peer.features };
    let missing = match runner.measure(&peer.name, &program, false) {
        Ok(figures) => {
            for (row, column) in rows.iter_mut().zip(figures) {
                row.peers.extend(column.map(|column| (peer.name.clone(), column)));
            }
            None
        }
        Err(error) if error.is::<build::NotBuilt>() => Some(format!("{error:#}")),
        Err(error) => return Err(error).with_context(|| format!("peer \"{}\"", peer.name)),
    };
    Ok(PeerFacts { name: peer.name.clone(), versions, missing, kernel: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_converted_to_the_row_s_unit() {
        let row = "name = 'r'\nmarks = [['a', 'b']]\ndocument_factor = 180\n\
                   documents = [['RTIC', 'showdown.interrupt_time_us.2']]";
        let row =
            beside(&toml::from_str(row).unwrap(), &Figures::built_in().unwrap(), None).unwrap();
        assert_eq!(row.documents[0].name, "RTIC");
        assert!((row.documents[0].figure.0 - 117.144).abs() < 1e-9);
    }

    #[test]
    fn the_philosophers_are_compared_with_the_least_of_all_kernels_of_qp() {
        let figures = Figures::built_in().unwrap();
        let root = crate::project::root().unwrap();
        let scenarios = scenario::load(&root, &["qp-3".to_owned(), "qp-4".to_owned()]).unwrap();
        let mut found = BTreeMap::new();
        for scenario in &scenarios {
            let kernels = Kernels::built_in().unwrap().of_group(&scenario.kernels).unwrap();
            for row in &scenario.rows {
                let filled = beside(row, &figures, Some(&kernels)).unwrap();
                found.extend(published::best(&filled).map(|best| (row.name.clone(), best)));
            }
        }
        let least = [
            ("dispatch with a transition", 199.0, "QV 8.1.5", "-O2 unchecked"),
            ("post", 81.0, "QV 8.1.5", "-O2 unchecked"),
            ("publish to 5", 791.0, "QV 7.3.4", "-Os"),
            ("code and constants", 2332.0, "QV 8.1.5", "-O2 unchecked"),
            ("stacks", 176.0, "QV 8.1.5", "-O2 unchecked"),
        ];
        for (row, figure, name, build) in least {
            let Best { name: is, figure: least, build: by } = &found[row];
            assert_eq!((is.as_str(), least.0, by.as_deref()), (name, figure, Some(build)), "{row}");
        }
    }

    #[test]
    fn what_a_document_s_system_lacks_has_no_figure() {
        let row = "name = 'r'\nmarks = [['a', 'b']]\npublished = 'cycles.yield'\n\
                   documents = [['QV', 'qp.group1.msg_post_get.0'],\
                   ['QK', 'qp.group1.msg_post_get.1']]";
        let (row, figures) = (toml::from_str(row).unwrap(), Figures::built_in().unwrap());
        let kernels = Kernels::built_in().unwrap();
        let filled = beside(&row, &figures, Some(&kernels)).unwrap();
        assert_eq!(filled.documents.len(), 1);
        assert_eq!((filled.documents[0].figure, filled.peers.len()), (Figure(174.0), 4));
        assert!(beside(&row, &figures, None).unwrap().peers.is_empty());
    }

    #[test]
    fn every_scenario_names_figures_that_exist() {
        let directory = crate::project::root().unwrap().join("benches/scenarios");
        let (figures, all) = (Figures::built_in().unwrap(), Kernels::built_in().unwrap());
        let mut count = 0;
        // Scenarios in `next` wait for firmware. The directory may be missing.
        for directory in [directory.clone(), directory.join("next")] {
            for file in std::fs::read_dir(directory).into_iter().flatten() {
                let path = file.unwrap().path();
                if path.extension().is_none_or(|extension| extension != "toml") {
                    continue;
                }
                let text = std::fs::read_to_string(&path).unwrap();
                let scenario = Scenario::parse(&text).with_context(|| path.display().to_string());
                let scenario = scenario.unwrap();
                let kernels = all.of_group(&scenario.kernels).unwrap();
                for row in &scenario.rows {
                    let filled = beside(row, &figures, Some(&kernels));
                    assert!(filled.is_ok(), "{}, {filled:?}", path.display());
                }
                count += 1;
            }
        }
        assert!(count >= 11, "{count}");
    }

    #[test]
    fn on_another_board_nobody_else_s_cycles_are_shown() {
        let text = "name = 'a'\ntitle = 'b'\nbinary = 'a'\nboard = 'stm32f100'\norder = 1\n\
                    kernels = ['QXK', 'ChibiOS']\n[[row]]\nname = 'r'\nconstant = 'X'\n";
        let scenario = Scenario::parse(text).unwrap();
        let on = |board: &str| kernels(&scenario, &Board::find(board).unwrap()).unwrap();
        assert!(on("lm3s6965").is_none());
        let named = on("stm32f100").unwrap();
        let named: Vec<&str> = named.iter().map(|kernel| kernel.name.as_str()).collect();
        assert_eq!(named, ["QXK", "ChibiOS"]);
    }
}
