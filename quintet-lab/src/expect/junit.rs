//! The results as JUnit's XML, which services of continuous integration read.

use super::run::{Finished, Verdict};
use crate::report::markup::escaped;
use std::fmt::Write;

/// Returns the report. Times are simulated: the same on every computer.
pub fn report(firmware: &str, tests: &[Finished]) -> String {
    let failures = tests.iter().filter(|test| test.verdict == Verdict::Failed).count();
    let skipped = tests.iter().filter(|test| test.verdict == Verdict::Cut).count();
    let time: f64 = tests.iter().map(|test| test.seconds).sum();
    let (name, count) = (escaped(firmware), tests.len());
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites tests=\"{count}\" \
         failures=\"{failures}\" errors=\"0\" skipped=\"{skipped}\" time=\"{time:.6}\">\n\
         \x20 <testsuite name=\"{name}\" tests=\"{count}\" failures=\"{failures}\" errors=\"0\" \
         skipped=\"{skipped}\" time=\"{time:.6}\">\n"
    );
    for test in tests {
        case(&mut text, firmware, test);
    }
    text.push_str("  </testsuite>\n</testsuites>\n");
    text
}

fn case(text: &mut String, firmware: &str, test: &Finished) {
    let (class, name) = (escaped(firmware), escaped(&test.file));
    // Writing to a string cannot fail.
    let _ = writeln!(
        text,
        "    <testcase classname=\"{class}\" name=\"{name}\" file=\"{name}\" time=\"{:.6}\">",
        test.seconds
    );
    let problems = problems(test);
    if let (Verdict::Failed, Some(first)) = (test.verdict, problems.first()) {
        let (first, all) = (escaped(first), escaped(&problems.join("\n")));
        let _ = writeln!(text, "      <failure message=\"{first}\">{all}</failure>");
    }
    if test.verdict == Verdict::Cut {
        text.push_str("      <skipped message=\"interrupted\"/>\n");
    }
    for (channel, output) in &test.output {
        let (channel, output) = (escaped(channel), escaped(output));
        let _ = writeln!(text, "      <system-out>{channel}:\n{output}</system-out>");
    }
    text.push_str("    </testcase>\n");
}

/// What was wrong with a test, a text each.
pub fn problems(test: &Finished) -> Vec<String> {
    let failed = test.expectations.iter().filter_map(|one| {
        let problem = one.problem.as_ref()?;
        Some(format!("line {}: {}: {problem}", one.line, one.text))
    });
    failed.chain(test.problems.iter().cloned()).collect()
}

#[cfg(test)]
mod tests {
    use super::super::run::Judged;
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn a_failure_has_its_message_and_what_was_printed() {
        let judged = |problem: Option<&str>| Judged {
            line: 3,
            text: "line \"<a>\"".into(),
            met: problem.is_none().then_some(7),
            problem: problem.map(str::to_owned),
        };
        let test = |verdict, problem| Finished {
            file: "tests/a&b.toml".into(),
            verdict,
            cycles: 12,
            seconds: 0.5,
            expectations: vec![judged(problem)],
            problems: Vec::new(),
            output: BTreeMap::from([("uart0".to_owned(), "\u{1}x\n".to_owned())]),
        };
        let tests = [test(Verdict::Passed, None), test(Verdict::Failed, Some("nothing"))];
        let text = report("app", &tests);
        for part in [
            "<testsuite name=\"app\" tests=\"2\" failures=\"1\" errors=\"0\" skipped=\"0\" \
             time=\"1.000000\">",
            "name=\"tests/a&amp;b.toml\"",
            "<failure message=\"line 3: line &quot;&lt;a&gt;&quot;: nothing\">",
            "<system-out>uart0:\n\u{fffd}x\n</system-out>",
        ] {
            assert!(text.contains(part), "no {part} in {text}");
        }
        assert_eq!(text.matches("<failure").count(), 1);
    }
}
