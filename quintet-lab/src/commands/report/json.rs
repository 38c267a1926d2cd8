//! The report for programs: what the page shows, but for its pictures.

use super::super::{map, masks, size, stack::Stack, threads};
use super::Findings;
use crate::bounds;
use crate::deadlines;
use crate::firmware::crates::CrateSize;
use crate::profile::Profile;
use crate::trace::summary;
use serde::Serialize;
use std::collections::BTreeMap;

/// What is known of an image and its run. What is not known is null.
#[derive(Serialize)]
pub(in super::super) struct Report<'a> {
    file: &'a str,
    board: &'a str,
    clock_hz: u64,
    cycles: u64,
    instructions: u64,
    /// How the run ended, as `quintet run --json` says it.
    ended: &'static str,
    /// What is said of the end.
    remarks: &'a [String],
    /// The bounds that the run contradicts.
    broken: Vec<String>,
    /// What the firmware printed, by channel.
    output: &'a BTreeMap<String, String>,
    sizes: &'a size::Report,
    crates: &'a [CrateSize],
    priority_line: Option<&'a map::Report>,
    stacks: &'a [Stack],
    threads: Option<&'a threads::Report>,
    masked_cycles: u64,
    masks: &'a [masks::Row],
    costs: &'a [summary::Row],
    profile: &'a Profile,
    bounds: Option<&'a [bounds::report::Row]>,
    deadlines: Option<&'a deadlines::report::Report>,
}

impl<'a> Report<'a> {
    /// Of what was gathered.
    pub fn of(now: &'a Findings) -> Self {
        Self {
            file: &now.name,
            board: &now.board.name,
            clock_hz: now.board.clock_hz,
            cycles: now.cycles,
            instructions: now.instructions,
            ended: now.outcome.word(),
            remarks: &now.remarks,
            broken: now.broken().collect(),
            output: &now.output,
            sizes: &now.sizes,
            crates: &now.crates,
            priority_line: now.map.as_ref(),
            stacks: &now.stacks,
            threads: now.threads.as_ref(),
            masked_cycles: now.masked_cycles,
            masks: &now.masks,
            costs: &now.costs,
            profile: &now.profile,
            bounds: now.bounds.as_ref().ok().map(|bounds| bounds.rows.as_slice()),
            deadlines: now.deadlines.as_ref().ok(),
        }
    }
}
