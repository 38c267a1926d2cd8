//! Tests that the program lists itself, as `embedded-test` up to 0.6 does.
//!
//! With the command line `list`, the program passes a JSON object to the semihosting operation
//! 0x100 and ends with 0. With the command line `run NAME`, it runs a test.

use super::{Declaration, Test};
use crate::commands::options::MachineOptions;
use crate::firmware::Firmware;
use crate::simulation::{Advance, Simulation, Sink};
use anyhow::{Context, bail};
use serde::Deserialize;
use std::collections::BTreeMap;

#[derive(Deserialize)]
struct List {
    version: u32,
    tests: Vec<Declaration>,
}

/// Runs the program until it has listed its tests.
pub fn ask(firmware: &Firmware, options: &MachineOptions) -> anyhow::Result<Vec<Test>> {
    let mut simulation = Simulation::<quintet_sim::machine::Machine>::new(
        firmware,
        options,
        Sink::Keep(BTreeMap::new()),
    )?;
    simulation.machine.set_command_line("list");
    simulation.machine.expect_tests();
    let advance = simulation.advance(&[])?;
    let told = simulation.machine.take_tests();
    match (advance, told) {
        (Advance::Exit(0), Some(told)) => understand(&told),
        (Advance::Exit(code), _) => {
            let output = simulation.sink.into_texts().into_values().collect::<String>();
            bail!(
                "the program was asked for its tests, as embedded-test up to 0.6 is, and ended \
                 with code {code} without telling them{}",
                if output.is_empty() { String::new() } else { format!(":\n{}", output.trim_end()) }
            )
        }
        (Advance::Reached(_), _) => bail!("the program did not come to telling its tests"),
        (Advance::Ended(cause), _) => bail!(
            "the program was asked for its tests, as embedded-test up to 0.6 is, and did not come \
             to telling them:\n{}",
            simulation.examine(&cause).text().trim_end()
        ),
    }
}

/// Reads the program's list.
fn understand(told: &[u8]) -> anyhow::Result<Vec<Test>> {
    let told = String::from_utf8_lossy(told);
    let list: List = serde_json::from_str(&told)
        .with_context(|| "cannot understand which tests the program has")?;
    if list.version != 1 {
        bail!(
            "the program tells its tests in version {} of the embedded-test protocol, not 1; \
             embedded-test 0.6 and 0.7 are known here",
            list.version
        );
    }
    if list.tests.is_empty() {
        bail!(
            "the program has no test, so nothing would be tested: mark functions with #[test], or \
             take the file out of [[test]]"
        );
    }
    let test = |declared: Declaration| {
        let name = declared.name.clone();
        let command = format!("run {name}");
        declared.test(name, command)
    };
    Ok(list.tests.into_iter().map(test).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_programs_list_is_understood_or_refused() {
        let test = r#"{"name":"a::b","should_panic":true,"ignored":false,"timeout":null}"#;
        let told = format!(r#"{{"version":1,"tests":[{test}]}}"#);
        let tests = understand(told.as_bytes()).unwrap();
        assert_eq!((tests[0].name.as_str(), tests[0].command.as_str()), ("a::b", "run a::b"));
        assert!(tests[0].should_panic && !tests[0].ignored);
        for (told, expected) in [
            (&told[..told.len() - 1], "cannot understand which tests the program has"),
            (r#"{"version":2,"tests":[]}"#, "in version 2 of the embedded-test protocol, not 1"),
            (r#"{"version":1,"tests":[]}"#, "the program has no test, so nothing would be tested"),
        ] {
            let message = understand(told.as_bytes()).err().unwrap().to_string();
            assert!(message.contains(expected), "{message}");
        }
    }
}
