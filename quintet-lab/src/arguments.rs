//! Separates the arguments of `quintet run` into the tool's and the firmware's.
//!
//! Cargo calls the tool as a runner: `quintet run [OPTIONS] ELF ARGUMENTS...`, where everything
//! after the ELF belongs to the program. People write `quintet run ELF --max-cycles 1000`. Both
//! work: behind the ELF, the tool takes the options that it knows. All other arguments go to the
//! firmware, and so does everything behind `--`. A misspelled option of the tool is refused.

use crate::commands::Cli;
use clap::{Arg, ArgAction, CommandFactory};
use std::ffi::{OsStr, OsString};

/// Puts the firmware's arguments of `run` behind a `--`, in whatever order you gave them.
pub fn separate(arguments: Vec<OsString>) -> Vec<OsString> {
    if arguments.get(1).is_none_or(|command| command != "run") {
        return arguments;
    }
    let command = Cli::command();
    let Some(run) = command.find_subcommand("run") else { return arguments };
    let mut tool: Vec<OsString> = arguments[..2].to_vec();
    let mut firmware = Vec::new();
    let mut rest = arguments[2..].iter();
    let mut elf_seen = false;
    while let Some(argument) = rest.next() {
        if argument == "--" {
            firmware.extend(rest.cloned());
            break;
        }
        let option = is_option(argument);
        match known_option(run.get_arguments(), argument) {
            Some(takes_value) => {
                tool.push(argument.clone());
                if takes_value {
                    tool.extend(rest.next().cloned());
                }
            }
            // Before the ELF an unknown option is the tool's to refuse.
            None if !elf_seen => {
                tool.push(argument.clone());
                elf_seen |= !option;
            }
            // Before the first argument of the firmware, a word that is almost an option of the
            // tool is a mistake, which the parser explains.
            None if firmware.is_empty() && is_misspelled(run.get_arguments(), argument) => {
                tool.push(argument.clone());
            }
            None => firmware.push(argument.clone()),
        }
    }
    if !firmware.is_empty() {
        tool.push("--".into());
        tool.append(&mut firmware);
    }
    tool
}

/// Options of the runners of tests, which cargo passes on.
const OF_TESTS: [&str; 17] = [
    "list",
    "exact",
    "ignored",
    "include-ignored",
    "skip",
    "nocapture",
    "no-capture",
    "show-output",
    "quiet",
    "format",
    "test-threads",
    "color",
    "logfile",
    "report-time",
    "shuffle",
    "bench",
    "test",
];

/// From this likeness on (0 to 1, of Jaro and Winkler), a name is taken for another one.
const LIKENESS_MIN: f64 = 0.9;

/// Returns `true` if an argument is no option of the tool or of tests, but looks like one of the
/// tool's.
fn is_misspelled<'a>(mut options: impl Iterator<Item = &'a Arg>, argument: &OsStr) -> bool {
    let Some(name) = argument.to_str().and_then(|text| text.strip_prefix("--")) else {
        return false;
    };
    let name = name.split('=').next().unwrap_or(name);
    let is_like = |long: &str| strsim::jaro_winkler(long, name) >= LIKENESS_MIN;
    !OF_TESTS.contains(&name) && options.any(|option| option.get_long().is_some_and(is_like))
}

fn is_option(argument: &OsStr) -> bool {
    argument.as_encoded_bytes().starts_with(b"-") && argument.len() > 1
}

/// For one of the tool's options, returns `true` if the option's value is the next argument.
/// Returns `None` for any other argument.
fn known_option<'a>(mut options: impl Iterator<Item = &'a Arg>, argument: &OsStr) -> Option<bool> {
    let text = argument.to_str()?;
    if matches!(text, "-h" | "--help") {
        return Some(false);
    }
    let name = text.strip_prefix("--")?;
    let (name, value_inside) = match name.split_once('=') {
        Some((name, _)) => (name, true),
        None => (name, false),
    };
    let option = options.find(|option| option.get_long() == Some(name))?;
    let takes_value = matches!(option.get_action(), ArgAction::Set | ArgAction::Append);
    Some(takes_value && !value_inside && !option.is_require_equals_set())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn separated(line: &str) -> String {
        let arguments = line.split(' ').map(OsString::from).collect();
        let parts: Vec<_> =
            separate(arguments).into_iter().map(|part| part.into_string().unwrap()).collect();
        parts.join(" ")
    }

    #[test]
    fn options_of_the_tool_may_stand_on_both_sides_of_the_elf() {
        assert_eq!(separated("quintet run a.elf"), "quintet run a.elf");
        assert_eq!(separated("quintet run --gdb a.elf one"), "quintet run --gdb a.elf -- one");
        assert_eq!(
            separated("quintet run --json a.elf --board lm3s6965 --max-cycles=9"),
            "quintet run --json a.elf --board lm3s6965 --max-cycles=9"
        );
    }

    #[test]
    fn the_rest_is_the_firmwares() {
        assert_eq!(
            separated("quintet run a.elf one --two --board b three"),
            "quintet run a.elf --board b -- one --two three"
        );
        assert_eq!(separated("quintet run a.elf -- --board b"), "quintet run a.elf -- --board b");
        assert_eq!(
            separated("quintet run a.elf --nocapture -- --x"),
            "quintet run a.elf -- --nocapture --x"
        );
    }

    #[test]
    fn a_misspelled_option_is_not_the_firmwares() {
        for option in ["--max-cycls", "--max-cycle=5", "--bord", "--input"] {
            let line = format!("quintet run a.elf {option}");
            assert_eq!(separated(&line), line, "the parser refuses it");
            let behind = separated(&format!("quintet run a.elf one {option}"));
            assert_eq!(behind, format!("quintet run a.elf -- one {option}"));
        }
        for option in OF_TESTS.map(|option| format!("--{option}")) {
            let line = format!("quintet run a.elf {option}");
            assert_eq!(separated(&line), format!("quintet run a.elf -- {option}"));
        }
        assert_eq!(separated("quintet run a.elf --two"), "quintet run a.elf -- --two");
    }

    #[test]
    fn an_unknown_option_before_the_elf_is_left_for_the_parser_to_refuse() {
        assert_eq!(separated("quintet run --bord x a.elf"), "quintet run --bord x -- a.elf");
        assert_eq!(separated("quintet size --top 3"), "quintet size --top 3");
    }
}
