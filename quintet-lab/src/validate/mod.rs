//! The accuracy of the simulator, against silicon.
//!
//! - [`vectors`]: the measurements that the RTFM document prints, repeated as its author made them.
//!   [`behaviours`]: the document's other results. Their data comes with the tool.
//! - [`sequences`] and [`simulate`]: a file of instruction sequences measured on silicon, repeated
//!   one by one.
//! - [`on_chip`]: the document's programs on a chip of the user.
//! - [`riscv`]: sequences and programs of RISC-V cores, against their register-transfer models.
//! - [`report`]: the definition of exact, and the counts of errors.
//!
//! [`run`] does all of this. The command `validate` prints its result, and a test pins the exact
//! counts.

pub mod behaviours;
pub mod on_chip;
pub mod report;
pub mod riscv;
pub mod sequences;
pub mod simulate;
pub mod vectors;

use std::path::PathBuf;

use anyhow::Result;
use quintet_sim::board::Board;

use report::{Entry, Report};
use sequences::Sequence;
use simulate::Chips;
use vectors::Document;

/// A file of sequences.
#[derive(Clone, Debug)]
pub struct Source {
    /// The path of the file.
    pub path: PathBuf,
    /// The wait states of the flash of a CC2652R.
    pub wait_states: u8,
    /// `true` if this flash had its line buffer on.
    pub line_buffer: bool,
}

impl Source {
    /// Repeats the sequences whose name or class contains `filter`.
    fn run(&self, filter: &str) -> Result<Vec<Entry>> {
        let chips = Chips::new(self.wait_states, self.line_buffer)?;
        let matches = |sequence: &&Sequence| {
            let texts = [&sequence.id, &sequence.name, &sequence.topic];
            texts.into_iter().any(|text| text.contains(filter))
        };
        let all = sequences::load(&self.path)?;
        all.iter().filter(matches).map(|one| chips.run(one)).collect()
    }

    /// Returns the file's name without the directory.
    fn name(&self) -> String {
        self.path.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }
}

/// Repeats every measurement whose name or class contains `filter`: those of the document, and
/// those of the files. The first file is reported by classes, the others as a whole.
pub fn run(files: &[Source], filter: &str) -> Result<Report> {
    let document = Document::new(Board::named("stm32f100")?)?;
    let behaviours = match filter {
        "" => behaviours::run(&document),
        _ => Vec::new(),
    };
    let mut files = files.iter();
    let sequences = files.next().map(|file| file.run(filter)).transpose()?;
    let others = files.map(|file| Ok((file.name(), file.run(filter)?))).collect::<Result<_>>()?;
    let vectors = document.run(filter)?;
    Ok(Report { vectors, behaviours, sequences, others, riscv: riscv::Cores::default() })
}
