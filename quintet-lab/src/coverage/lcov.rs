//! Coverage in the tracefile format of lcov, which most viewers read.
//! <https://manpages.debian.org/bookworm/lcov/geninfo.1.en.html#FILES>

use std::fmt::Write;

use thiserror::Error;

use super::{Coverage, File, Function};

/// Why a tracefile can't be read.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("line {line} of the tracefile, \"{text}\", {why}")]
pub struct LcovError {
    line: usize,
    text: String,
    why: &'static str,
}

/// The name of the test where a run was cut before its end.
const PARTIAL: &str = "partial";

/// A tracefile.
pub fn write(coverage: &Coverage) -> String {
    let mut text = format!("TN:{}\n", if coverage.is_partial { PARTIAL } else { "" });
    for (path, file) in &coverage.files {
        // Writing to a string can't fail.
        let _ = of_file(&mut text, path, file);
    }
    text
}

fn of_file(text: &mut String, path: &str, file: &File) -> std::fmt::Result {
    writeln!(text, "SF:{path}")?;
    for (name, function) in &file.functions {
        writeln!(text, "FN:{},{name}", function.line)?;
    }
    for (name, function) in &file.functions {
        writeln!(text, "FNDA:{},{name}", function.count)?;
    }
    let functions = file.function_share();
    writeln!(text, "FNF:{}\nFNH:{}", functions.all, functions.hit)?;
    for (line, branches) in &file.branches {
        for (block, counts) in branches.iter().enumerate() {
            let is_reached = counts.iter().any(|count| *count > 0);
            for (branch, count) in counts.iter().enumerate() {
                let count = if is_reached { count.to_string() } else { "-".to_owned() };
                writeln!(text, "BRDA:{line},{block},{branch},{count}")?;
            }
        }
    }
    let branches = file.branch_share();
    writeln!(text, "BRF:{}\nBRH:{}", branches.all, branches.hit)?;
    for (line, count) in &file.lines {
        writeln!(text, "DA:{line},{count}")?;
    }
    let lines = file.line_share();
    writeln!(text, "LF:{}\nLH:{}\nend_of_record", lines.all, lines.hit)
}

/// Reads a tracefile.
///
/// # Errors
/// [`LcovError`] names the line. Records that this crate doesn't write are passed over.
pub fn read(text: &str) -> Result<Coverage, LcovError> {
    let mut coverage = Coverage::default();
    let mut path = None;
    for (index, line) in text.lines().enumerate() {
        let wrong = |why| LcovError { line: index + 1, text: line.to_owned(), why };
        let Some((kind, rest)) = line.split_once(':') else { continue };
        if kind == "SF" {
            path = Some(rest.to_owned());
            coverage.files.entry(rest.to_owned()).or_default();
            continue;
        }
        coverage.is_partial |= kind == "TN" && rest == PARTIAL;
        if !matches!(kind, "FN" | "FNDA" | "BRDA" | "DA") {
            continue;
        }
        let Some(path) = &path else { return Err(wrong("is of no file: SF comes first")) };
        let file = coverage.files.entry(path.clone()).or_default();
        record(file, kind, rest).ok_or_else(|| wrong("is not what lcov writes"))?;
    }
    Ok(coverage)
}

fn record(file: &mut File, kind: &str, rest: &str) -> Option<()> {
    let (first, more) = rest.split_once(',')?;
    let number = first.parse::<u64>().ok()?;
    let line = u32::try_from(number).ok();
    match kind {
        "FN" => {
            let function = Function { line: line?, count: 0 };
            file.functions.entry(more.to_owned()).or_insert(function);
        }
        "FNDA" => file.functions.get_mut(more)?.count += number,
        "DA" => {
            let count = more.split(',').next()?.parse::<u64>().ok()?;
            *file.lines.entry(line?).or_default() += count;
        }
        _ => {
            let mut fields = more.split(',');
            let block: usize = fields.next()?.parse().ok()?;
            let branch: usize = fields.next()?.parse().ok()?;
            let count = fields.next()?;
            let count = if count == "-" { 0 } else { count.parse::<u64>().ok()? };
            // A limit to what a damaged file makes.
            let branches = file.branches.entry(line?).or_default();
            let block = Some(block).filter(|block| *block <= branches.len())?;
            if block == branches.len() {
                branches.push([0; 2]);
            }
            *branches[block].get_mut(branch)? += count;
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::super::tests::coverage;
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let partial = Coverage { is_partial: true, ..coverage(1, 2) };
        for coverage in [coverage(1, 0), coverage(2, 7), partial, Coverage::default()] {
            assert_eq!(read(&write(&coverage)), Ok(coverage));
        }
        let text = write(&coverage(1, 0));
        assert!(text.contains("SF:src/main.rs\nFN:3,app::main\nFNDA:1,app::main\n"), "{text}");
        assert!(text.contains("BRDA:5,0,0,-\n") && text.contains("DA:3,1\nDA:5,0\nLF:2\nLH:1\n"));
    }

    #[test]
    fn what_is_wrong_is_named() {
        let message = |text: &str| read(text).unwrap_err().to_string();
        assert_eq!(
            message("TN:\nDA:1,2\n"),
            "line 2 of the tracefile, \"DA:1,2\", is of no file: SF comes first"
        );
        for wrong in ["DA:x,2", "DA:1", "BRDA:1,9,0,1", "BRDA:1,0,7,1", "FNDA:1,nobody"] {
            let message = message(&format!("SF:a.rs\n{wrong}\n"));
            assert!(
                message.ends_with(&format!("\"{wrong}\", is not what lcov writes")),
                "{message}"
            );
        }
    }
}
