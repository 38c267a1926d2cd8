//! What a `launch` asks for: the program, the board, and all options of `quintet run`, under the
//! same names.
//!
//! ```text
//!  "program": "target/thumbv7m-none-eabi/debug/app",
//!  "board": "stm32f100", "inputs": "buttons.toml"        as --board, --inputs
//!  "stopOnEntry": true                                   halt before the first instruction
//! ```

use std::path::{Path, PathBuf};

use clap::Parser;
use serde_json::{Map, Value};

use crate::commands::options::MachineOptions;

/// What editors send besides, which is none of our options.
const OF_EDITORS: [&str; 12] = [
    "type",
    "name",
    "request",
    "preLaunchTask",
    "postDebugTask",
    "presentation",
    "internalConsoleOptions",
    "console",
    "debugServer",
    "adapter",
    "label",
    "build",
];

/// A program to debug.
#[derive(Clone, Debug)]
pub struct Launch {
    /// The firmware.
    pub program: PathBuf,
    /// The board, and the inputs.
    pub options: MachineOptions,
    /// Halt before the first instruction.
    pub stop_on_entry: bool,
    /// Run without stops.
    pub no_debug: bool,
    /// The firmware's own arguments.
    pub arguments: Vec<String>,
    /// What was not understood, in words.
    pub remarks: Vec<String>,
}

#[derive(Parser, Debug)]
#[command(no_binary_name = true)]
struct Line {
    #[command(flatten)]
    machine: MachineOptions,
}

impl Launch {
    /// Reads the arguments of a `launch`.
    /// # Errors
    /// They don't name a program, or an option has no sense, in words.
    pub fn read(arguments: &Map<String, Value>) -> Result<Self, String> {
        let folder = folder(arguments)?;
        let program = match arguments.get("program") {
            Some(Value::String(program)) if !program.is_empty() => folder.join(program),
            Some(other) => return Err(format!("\"program\" is no path: {other}")),
            None => {
                return Err(
                    "the configuration names no \"program\": it is the ELF file that cargo \
                            has made, such as target/thumbv7m-none-eabi/debug/app"
                        .into(),
                );
            }
        };
        let flag = |name: &str| match arguments.get(name) {
            None | Some(Value::Null) => Ok(false),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(other) => Err(format!("\"{name}\" is true or false, and not {other}")),
        };
        let (stop_on_entry, no_debug) = (flag("stopOnEntry")?, flag("noDebug")?);
        let mut line = Vec::new();
        let mut own = Vec::new();
        let mut remarks = Vec::new();
        for (name, value) in arguments {
            match name.as_str() {
                "program" | "stopOnEntry" | "noDebug" | "cwd" => {}
                "args" => own = texts(name, value)?,
                name if name.starts_with("__") || OF_EDITORS.contains(&name) => {}
                name if !is_option(name) => remarks.push(format!(
                    "the configuration has \"{name}\", which is no option; `quintet run --help` \
                     has all of them\n"
                )),
                name => option(name, value, &folder, &mut line)?,
            }
        }
        // No limit, unless the configuration has one.
        if !arguments.contains_key("maxCycles") {
            line.extend(["--max-cycles".to_owned(), "0".to_owned()]);
        }
        let refused = |error: clap::Error| {
            let text = error.to_string();
            let first = text.lines().next().unwrap_or_default();
            format!("the configuration: {}", first.trim_start_matches("error: "))
        };
        let Line { machine } = Line::try_parse_from(&line).map_err(refused)?;
        if machine.stdin.as_deref() == Some(Path::new("-")) {
            return Err("\"stdin\" is a file here: the adapter's own standard input is the \
                        editor's"
                .into());
        }
        let options = machine;
        Ok(Self { program, options, stop_on_entry, no_debug, arguments: own, remarks })
    }

    /// The command line as firmware reads it.
    pub fn command_line(&self) -> String {
        let mut line = self.program.display().to_string();
        for argument in &self.arguments {
            line.push(' ');
            line.push_str(argument);
        }
        line
    }
}

/// The folder from which paths count.
fn folder(arguments: &Map<String, Value>) -> Result<PathBuf, String> {
    match arguments.get("cwd") {
        None | Some(Value::Null) => Ok(PathBuf::new()),
        Some(Value::String(folder)) => Ok(PathBuf::from(folder)),
        Some(other) => Err(format!("\"cwd\" is no path: {other}")),
    }
}

/// The name of an option on the command line.
fn dashed(name: &str) -> String {
    let mut dashed = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() {
            dashed.push('-');
        }
        dashed.push(letter.to_ascii_lowercase());
    }
    dashed
}

fn is_option(name: &str) -> bool {
    let command = <Line as clap::CommandFactory>::command();
    let wanted = dashed(name);
    command.get_arguments().any(|argument| argument.get_long() == Some(&wanted))
}

fn option(name: &str, value: &Value, folder: &Path, line: &mut Vec<String>) -> Result<(), String> {
    let dashed = format!("--{}", dashed(name));
    // An option may be a path or something else: what is there as a path is one.
    let place = |text: String| {
        let path = folder.join(&text);
        let is_path = !folder.as_os_str().is_empty() && path.exists();
        if is_path { path.display().to_string() } else { text }
    };
    match value {
        Value::Null | Value::Bool(false) => {}
        Value::Bool(true) => line.push(dashed),
        value => {
            for text in texts(name, value)? {
                line.push(format!("{dashed}={}", place(text)));
            }
        }
    }
    Ok(())
}

/// A text or a number, or several.
fn texts(name: &str, value: &Value) -> Result<Vec<String>, String> {
    match value {
        Value::String(text) => Ok(vec![text.clone()]),
        Value::Number(number) => Ok(vec![number.to_string()]),
        Value::Array(all) if all.iter().all(|one| one.is_string() || one.is_number()) => {
            let all = all.iter().map(|one| texts(name, one));
            Ok(all.collect::<Result<Vec<_>, _>>()?.concat())
        }
        other => Err(format!("\"{name}\" is a text, a number, or a list of these, not {other}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(arguments: &Value) -> Result<Launch, String> {
        Launch::read(arguments.as_object().unwrap())
    }

    #[test]
    fn options_have_the_names_of_the_command_line() {
        let launch = read(&json!({
            "type": "quintet", "request": "launch", "name": "x", "program": "app",
            "board": "stm32f100", "maxCycles": 1000, "also": ["a.elf", "b.elf"],
            "stopOnEntry": true, "processSemihosting": true, "args": ["one", "two"],
        }))
        .unwrap();
        assert_eq!(launch.options.board, "stm32f100");
        assert_eq!(launch.options.max_cycles, 1000);
        assert_eq!(launch.options.also, ["a.elf", "b.elf"]);
        assert!(launch.options.process_semihosting && launch.stop_on_entry && !launch.no_debug);
        assert_eq!(launch.command_line(), "app one two");
        assert_eq!(launch.remarks, [] as [&str; 0]);
        assert_eq!(read(&json!({ "program": "app" })).unwrap().options.max_cycles, 0);
    }

    #[test]
    fn what_makes_no_sense_is_refused_in_words() {
        for (arguments, part) in [
            (json!({}), "names no \"program\""),
            (json!({ "program": 7 }), "\"program\" is no path: 7"),
            (json!({ "program": "a", "maxCycles": "many" }), "invalid value 'many'"),
            (json!({ "program": "a", "stopOnEntry": 1 }), "\"stopOnEntry\" is true or false"),
            (json!({ "program": "a", "board": {} }), "\"board\" is a text"),
            (json!({ "program": "a", "stdin": "-" }), "\"stdin\" is a file here"),
        ] {
            let refused = read(&arguments).unwrap_err();
            assert!(refused.contains(part), "{refused}");
        }
        let launch = read(&json!({ "program": "a", "bord": "x" })).unwrap();
        assert!(launch.remarks[0].contains("\"bord\", which is no option"), "{:?}", launch.remarks);
    }
}
