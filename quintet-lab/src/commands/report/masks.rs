//! How long interrupts are held off, and where.

use super::super::masks::mask_table;
use super::Content;
use crate::report::page::Section;
use crate::report::table::{grouped, share};

/// So many places are listed.
const SHOWN: usize = 20;

pub fn section(content: &Content) -> anyhow::Result<Option<Section>> {
    let now = &content.now;
    let section = Section::new("masks", "Masks");
    if now.masks.is_empty() {
        return Ok(Some(section.lacks(
            "Interrupts were never held off: nothing has set PRIMASK, FAULTMASK or BASEPRI.",
        )));
    }
    let shown = now.masks.iter().take(SHOWN);
    let mut section =
        section.table("The longest masks, in cycles", &mask_table(shown)).says(&format!(
            "Interrupts are held off for {} of {} cycles, {:.2} %. An interrupt waits as long as \
             the longest mask that comes after start-up, and longer where more urgent ones run.",
            grouped(now.masked_cycles),
            grouped(now.cycles),
            share(now.masked_cycles, now.cycles)
        ));
    if let Some(others) = now.masks.len().checked_sub(SHOWN).filter(|others| *others > 0) {
        section = section.says(&format!("{others} shorter ones are not listed."));
    }
    Ok(Some(section))
}
