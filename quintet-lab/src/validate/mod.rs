//! How right the simulator is, against silicon.
//!
//! - [`vectors`]: the measurements that the RTFM document prints, repeated as its author made them;
//!   [`behaviours`]: what else it shows. Their data comes with the tool.
//! - [`sequences`] and [`simulate`]: a file of instruction sequences measured on silicon, repeated
//!   one by one.
//! - [`report`]: what counts as exact, and how errors are counted.
//!
//! [`run`] does all of it; the command `validate` prints what it returns, and a test pins the exact
//! counts.

pub mod behaviours;
pub mod report;
pub mod sequences;
pub mod simulate;
pub mod vectors;

use std::path::Path;

use anyhow::Result;
use quintet_sim::board::Board;

use report::Report;
use sequences::Sequence;
use simulate::Chips;
use vectors::Document;

/// Repeats every measurement whose name or class contains `filter`; the sequences only where their
/// file is given.
pub fn run(sequences: Option<&Path>, filter: &str) -> Result<Report> {
    let document = Document::new(Board::named("stm32f100")?)?;
    let behaviours = match filter {
        "" => behaviours::run(&document),
        _ => Vec::new(),
    };
    let sequences = match sequences {
        Some(path) => {
            let chips = Chips::new()?;
            let matches = |sequence: &&Sequence| {
                let texts = [&sequence.id, &sequence.name, &sequence.topic];
                texts.into_iter().any(|text| text.contains(filter))
            };
            let all = sequences::load(path)?;
            Some(all.iter().filter(matches).map(|one| chips.run(one)).collect::<Result<_>>()?)
        }
        None => None,
    };
    Ok(Report { vectors: document.run(filter)?, behaviours, sequences })
}
