//! Whether tasks meet their deadlines: in the run, by response-time analysis, and for every run.

use super::Content;
use crate::report::page::Section;

pub fn section(content: &Content) -> anyhow::Result<Option<Section>> {
    let section = Section::new("deadlines", "Deadlines");
    let report = match &content.now.deadlines {
        Ok(report) => report,
        Err(why) => return Ok(Some(section.lacks(why))),
    };
    let mut section = section
        .table("In this run, and by response-time analysis", &report.task_table())
        .table("What the responses are made of", &report.part_table())
        .table("For all runs, beside this one", &report.bound_table());
    for complaint in report.complaints().chain(report.broken()) {
        section = section.warns(complaint);
    }
    section = section.says(&report.conclusion());
    if !report.open.is_empty() {
        let lines: Vec<String> =
            report.open.iter().map(|gap| format!("{}\n    {}", gap.what, gap.close)).collect();
        section =
            section.folded("What is open for a guarantee, and how it is closed", &lines.join("\n"));
    }
    Ok(Some(section))
}
