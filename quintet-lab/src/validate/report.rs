//! The results of a validation: measurements with their errors, and the tables for people and
//! machines.
//!
//! The error of a measurement is `|simulated - measured| / measured`, a fraction (0.05 is five per
//! cent). An entry with several measurements (the cases of a sequence) is exact when every one of
//! them is, and its error is the mean of theirs, so that a long table of operands weighs as much as
//! any other entry. The mean error of a class is the mean over its entries; the worst error is that
//! of the worst single measurement. A measurement that could not be simulated (another path was
//! taken, a fault) counts as an error of 1.

use std::collections::BTreeMap;

use serde::Serialize;

use super::riscv::Cores;

/// A duration on silicon and in the simulator.
#[derive(Clone, Debug)]
pub struct Measurement {
    /// The difference from the entry's other measurements; empty for the only one.
    pub case: String,
    /// Cycles on silicon.
    pub measured: u64,
    /// Cycles in the simulator, or why there are none.
    pub simulated: Result<u64, String>,
}

impl Measurement {
    /// Returns `true` if the simulator gives the cycles of the silicon.
    pub fn is_exact(&self) -> bool {
        self.simulated.as_ref() == Ok(&self.measured)
    }

    /// The relative error, as a fraction.
    pub fn error(&self) -> f64 {
        match self.simulated {
            Ok(simulated) => simulated.abs_diff(self.measured) as f64 / self.measured.max(1) as f64,
            Err(_) => 1.0,
        }
    }
}

/// A vector or a sequence with its measurements.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Identifier and name, as the source gives them.
    pub name: String,
    /// The instruction class.
    pub class: String,
    /// One, or one per case.
    pub measurements: Vec<Measurement>,
    /// The disassembly, a line per instruction.
    pub disassembly: Vec<String>,
}

impl Entry {
    /// Returns `true` if every measurement is exact.
    pub fn is_exact(&self) -> bool {
        self.measurements.iter().all(Measurement::is_exact)
    }

    fn mean_error(&self) -> f64 {
        mean(self.measurements.iter().map(Measurement::error))
    }

    fn worst_error(&self) -> f64 {
        self.measurements.iter().map(Measurement::error).fold(0.0, f64::max)
    }
}

/// A promise about behaviour rather than time, kept or not.
#[derive(Clone, Debug)]
pub struct Behaviour {
    /// The behaviour's name in the source.
    pub name: &'static str,
    /// The error, if there is one.
    pub result: Result<(), String>,
}

/// Exact entries among all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Count {
    /// Entries whose every measurement is exact.
    pub exact: usize,
    /// All entries.
    pub total: usize,
}

/// [`Count`] and errors.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Tally {
    /// Entries whose every measurement is exact.
    pub exact: usize,
    /// All entries.
    pub total: usize,
    /// The mean over the entries' relative errors, a fraction.
    pub mean_error: f64,
    /// The relative error of the worst measurement, a fraction.
    pub worst_error: f64,
}

/// A [`Tally`] with its class.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClassTally {
    /// The class.
    pub class: String,
    /// The class's figures.
    #[serde(flatten)]
    pub tally: Tally,
}

/// Everything that `validate` found.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The vectors of the RTFM document.
    pub vectors: Vec<Entry>,
    /// The document's behaviours.
    pub behaviours: Vec<Behaviour>,
    /// The sequences, if their file is there.
    pub sequences: Option<Vec<Entry>>,
    /// Those of other files, by the file's name.
    pub others: Vec<(String, Vec<Entry>)>,
    /// Those of RISC-V cores.
    pub riscv: Cores,
}

/// The form of `validate --json`.
#[derive(Debug, Serialize)]
pub struct Summary {
    /// The vectors of the RTFM document.
    pub vectors: Count,
    /// All sequences; null without their file.
    pub sequences: Option<Tally>,
    /// The sequences by class.
    pub classes: Vec<ClassTally>,
    /// The sequences of other files; left out without any.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<FileTally>,
    /// Those of RISC-V cores, by the core; left out without any.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub riscv: Vec<FileTally>,
}

/// A [`Tally`] with its file.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FileTally {
    /// The file's name.
    pub file: String,
    /// The file's figures.
    #[serde(flatten)]
    pub tally: Tally,
}

impl Report {
    /// The figures without the entries.
    pub fn summary(&self) -> Summary {
        let Tally { exact, total, .. } = tally(self.vectors.iter());
        let sequences = self.sequences.as_deref();
        Summary {
            vectors: Count { exact, total },
            sequences: sequences.map(|entries| tally(entries.iter())),
            classes: classes(sequences.unwrap_or_default()),
            files: file_tallies(&self.others),
            riscv: file_tallies(&self.riscv.entries),
        }
    }

    /// The tables for people. `verbose` lists each wrong entry with its instructions.
    pub fn table(&self, verbose: bool) -> String {
        let summary = self.summary();
        let kept = self.behaviours.iter().filter(|behaviour| behaviour.result.is_ok()).count();
        let mut text = format!(
            "reference vectors  {:>4} of {:>4} exact\n\
             behaviours         {kept:>4} of {:>4} as measured\n",
            summary.vectors.exact,
            summary.vectors.total,
            self.behaviours.len(),
        );
        if let Some(all) = summary.sequences {
            text += &class_table(&summary.classes, all);
        }
        if !summary.files.is_empty() {
            text += &file_table("other files", &summary.files);
        }
        if !summary.riscv.is_empty() {
            text += &file_table("RISC-V cores", &summary.riscv);
        }
        if !self.riscv.without_model.is_empty() {
            text += &format!("not timed: {}\n", self.riscv.without_model.join(", "));
        }
        for behaviour in &self.behaviours {
            if let Err(reason) = &behaviour.result {
                text += &format!("\nbehaviour {}: {reason}\n", behaviour.name);
            }
        }
        let riscv = self.riscv.entries.iter().flat_map(|(_, entries)| entries);
        let entries = self.vectors.iter().chain(self.sequences.iter().flatten()).chain(riscv);
        for entry in entries.filter(|entry| verbose && !entry.is_exact()) {
            text += &listing(entry);
        }
        text
    }
}

fn class_table(classes: &[ClassTally], all: Tally) -> String {
    let classes = classes.iter().map(|ClassTally { class, tally }| (class.as_str(), tally));
    tally_table("class", classes.chain([("all sequences", &all)]))
}

fn file_tallies(files: &[(String, Vec<Entry>)]) -> Vec<FileTally> {
    let tallied = |(file, entries): &(String, Vec<Entry>)| FileTally {
        file: file.clone(),
        tally: tally(entries.iter()),
    };
    files.iter().map(tallied).collect()
}

fn file_table(head: &str, files: &[FileTally]) -> String {
    tally_table(head, files.iter().map(|FileTally { file, tally }| (file.as_str(), tally)))
}

fn tally_table<'a>(head: &str, rows: impl Iterator<Item = (&'a str, &'a Tally)> + Clone) -> String {
    let names = rows.clone().map(|(name, _)| name.len());
    let width = names.chain([head.len()]).max().unwrap_or_default() + 1;
    let mut text =
        format!("\n{head:<width$}{:>7}{:>7}{:>9}{:>9}\n", "exact", "of", "mean", "worst");
    for (name, tally) in rows {
        text += &format!(
            "{name:<width$}{:>7}{:>7}{:>8.2}%{:>8.1}%\n",
            tally.exact,
            tally.total,
            tally.mean_error * 100.0,
            tally.worst_error * 100.0,
        );
    }
    text
}

fn listing(entry: &Entry) -> String {
    let mut text = format!("\n{} ({})\n", entry.name, entry.class);
    for measurement in entry.measurements.iter().filter(|measurement| !measurement.is_exact()) {
        let Measurement { case, measured, simulated } = measurement;
        let simulated = match simulated {
            Ok(cycles) => {
                format!("simulated {cycles} ({:+})", *cycles as i64 - *measured as i64)
            }
            Err(reason) => format!("not simulated: {reason}"),
        };
        text += &format!("  measured {measured}, {simulated}  {case}\n");
    }
    for line in &entry.disassembly {
        text += &format!("    {line}\n");
    }
    text
}

fn classes(entries: &[Entry]) -> Vec<ClassTally> {
    let mut classes: BTreeMap<&str, Vec<&Entry>> = BTreeMap::new();
    for entry in entries {
        classes.entry(&entry.class).or_default().push(entry);
    }
    classes
        .into_iter()
        .map(|(class, entries)| ClassTally {
            class: class.to_owned(),
            tally: tally(entries.into_iter()),
        })
        .collect()
}

fn tally<'a>(entries: impl Iterator<Item = &'a Entry> + Clone) -> Tally {
    Tally {
        exact: entries.clone().filter(|entry| entry.is_exact()).count(),
        total: entries.clone().count(),
        mean_error: mean(entries.clone().map(Entry::mean_error)),
        worst_error: entries.map(Entry::worst_error).fold(0.0, f64::max),
    }
}

fn mean(values: impl Iterator<Item = f64> + Clone) -> f64 {
    let count = values.clone().count();
    if count == 0 { 0.0 } else { values.sum::<f64>() / count as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(class: &str, cycles: &[(u64, u64)]) -> Entry {
        let measurements = cycles
            .iter()
            .map(|&(measured, simulated)| Measurement {
                case: String::new(),
                measured,
                simulated: Ok(simulated),
            })
            .collect();
        Entry {
            name: "T1 ldr".to_owned(),
            class: class.to_owned(),
            measurements,
            disassembly: vec!["08000000  ldr r0, [r1]".to_owned()],
        }
    }

    fn report() -> Report {
        let sequences = vec![
            entry("load", &[(4, 4)]),
            entry("load", &[(10, 9)]),
            entry("div", &[(5, 5), (4, 6)]),
        ];
        Report {
            vectors: vec![entry("rtfm", &[(1, 1)])],
            behaviours: vec![Behaviour { name: "order", result: Err("wrong word".to_owned()) }],
            sequences: Some(sequences),
            others: Vec::new(),
            riscv: Cores::default(),
        }
    }

    #[test]
    fn other_files_have_a_line_each() {
        let others = vec![("other.json".to_owned(), vec![entry("load", &[(4, 5), (4, 4)])])];
        let report = Report { others, ..report() };
        let json = serde_json::to_value(report.summary()).unwrap();
        assert_eq!(json["files"][0]["file"], "other.json");
        assert_eq!(
            (&json["files"][0]["exact"], &json["files"][0]["total"]),
            (&0.into(), &1.into())
        );
        let table = report.table(false);
        assert!(table.contains("other.json        0      1   12.50%    25.0%"), "{table}");
    }

    #[test]
    fn cores_have_a_line_each_and_those_without_a_model_are_named() {
        let entries = vec![("ibex".to_owned(), vec![entry("load", &[(4, 5)])])];
        let riscv = Cores { entries, without_model: vec!["hazard3".to_owned()] };
        let report = Report { riscv, ..report() };
        let json = serde_json::to_value(report.summary()).unwrap();
        assert_eq!(
            (&json["riscv"][0]["file"], &json["riscv"][0]["exact"]),
            (&"ibex".into(), &0.into())
        );
        let table = report.table(true);
        assert!(table.contains("ibex               0      1   25.00%    25.0%"), "{table}");
        assert!(table.contains("not timed: hazard3"), "{table}");
        assert!(table.contains("measured 4, simulated 5 (+1)"), "{table}");
    }

    #[test]
    fn an_entry_is_exact_only_if_every_case_is_and_weighs_as_one() {
        let summary = report().summary();
        let sequences = summary.sequences.unwrap();
        assert_eq!((sequences.exact, sequences.total), (1, 3));
        assert!((sequences.mean_error - (0.0 + 0.1 + 0.25) / 3.0).abs() < 1e-12);
        assert_eq!(sequences.worst_error, 0.5);
    }

    #[test]
    fn a_measurement_that_could_not_be_simulated_is_wholly_wrong() {
        let mut wrong = entry("load", &[(4, 4)]);
        wrong.measurements[0].simulated = Err("HardFault".to_owned());
        assert_eq!(wrong.mean_error(), 1.0);
        assert!(!wrong.is_exact());
    }

    #[test]
    fn the_machine_readable_form_is_the_contract() {
        let json = serde_json::to_value(report().summary()).unwrap();
        assert_eq!(json["vectors"], serde_json::json!({"exact": 1, "total": 1}));
        assert_eq!(json["classes"][0]["class"], "div");
        assert_eq!(json["classes"][0]["worst_error"], 0.5);
        let absent = Report { sequences: None, ..report() };
        let json = serde_json::to_value(absent.summary()).unwrap();
        assert!(json["sequences"].is_null());
        assert_eq!(json["classes"], serde_json::json!([]));
    }

    #[test]
    fn the_verbose_table_lists_what_is_wrong_and_only_that() {
        let table = report().table(true);
        assert!(table.contains("measured 10, simulated 9 (-1)"), "{table}");
        assert!(table.contains("behaviour order: wrong word"), "{table}");
        assert!(!table.contains("measured 1, "), "{table}");
        assert!(!report().table(false).contains("simulated"));
    }
}
