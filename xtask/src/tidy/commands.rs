//! The commands, board files and input scripts that the documentation shows are real.
//!
//! Commands in `sh` blocks are parsed by the tools' own parsers: a renamed option is found here and
//! not by a reader. `toml board` and `toml inputs` blocks are read by the simulator.

use clap::CommandFactory;
use clap::error::ErrorKind;
use quintet_sim::board::Board;
use quintet_sim::script::Script;

use super::Problem;
use super::tree::File;
use crate::markdown::{Block, blocks, code_spans, prose};

/// Subcommands of cargo that the documentation may show: cargo's, cargo-generate, and the aliases
/// in crates of `quintet new`.
const CARGO: [&str; 16] = [
    "add",
    "bench",
    "build",
    "clippy",
    "doc",
    "fmt",
    "fuzz",
    "generate",
    "init",
    "install",
    "miri",
    "on-board",
    "publish",
    "run",
    "test",
    "test-on-board",
];

/// Checks one Markdown file.
pub fn check(file: &File, problems: &mut Vec<Problem>) {
    for block in blocks(&file.text) {
        let found = match block.info {
            "sh" | "console" => check_shell(&block),
            "toml board" => refusal(&block, Board::parse(&block.lines.join("\n"), "example").err()),
            "toml inputs" => check_inputs(&block),
            _ => Vec::new(),
        };
        let problem = |(line, message)| Problem::new(&file.path, line, message);
        problems.extend(found.into_iter().map(problem));
    }
    for (line, text) in prose(&file.text) {
        for problem in code_spans(text).filter_map(|span| command_problem(&words(span), true)) {
            problems.push(Problem::new(&file.path, line, problem));
        }
    }
}

fn refusal<E: std::fmt::Display>(block: &Block<'_>, error: Option<E>) -> Vec<(usize, String)> {
    error
        .map(|error| (block.line, format!("this example is refused: {error}")))
        .into_iter()
        .collect()
}

fn check_inputs(block: &Block<'_>) -> Vec<(usize, String)> {
    match Board::named("stm32f100") {
        Ok(board) => refusal(block, Script::parse(&block.lines.join("\n"), &board).err()),
        Err(error) => refusal(block, Some(error)),
    }
}

/// Checks the commands of a shell block. In a `console` block they stand behind `$ `.
fn check_shell(block: &Block<'_>) -> Vec<(usize, String)> {
    let mut problems = Vec::new();
    let mut continued = String::new();
    for (index, line) in block.lines.iter().enumerate() {
        let line = match block.info {
            "console" if continued.is_empty() => line.strip_prefix("$ ").unwrap_or_default(),
            _ => line,
        };
        continued.push_str(line.trim_end_matches('\\'));
        if line.ends_with('\\') {
            continue;
        }
        for command in split_commands(&std::mem::take(&mut continued)) {
            let problem = command_problem(&words(&command), false);
            problems.extend(problem.map(|problem| (block.line + index, problem)));
        }
    }
    problems
}

/// The commands of a line: without comments, apart at pipes and conjunctions.
fn split_commands(line: &str) -> Vec<String> {
    let line = line.split(" #").next().unwrap_or_default().trim();
    if line.starts_with('#') {
        return Vec::new();
    }
    line.replace(" && ", "\n").replace(" | ", "\n").lines().map(String::from).collect()
}

/// Returns the words of a command, without quotes, and without variables before and redirections
/// behind.
fn words(command: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quote = None;
    for character in command.chars() {
        match (quote, character) {
            (Some(open), _) if open == character => quote = None,
            (None, '\'' | '"') => quote = Some(character),
            (None, ' ') => words.push(String::new()),
            (_, character) => words.last_mut().expect("there is one").push(character),
        }
    }
    let is_variable = |word: &String| word.contains('=') && !word.starts_with('-');
    let words = words.into_iter().filter(|word| !word.is_empty()).skip_while(is_variable);
    words.take_while(|word| !matches!(word.as_str(), ">" | "2>" | "<" | "&")).collect()
}

/// Returns the error of one of our commands; `None` for other programs. In prose (`brief`) a
/// command need not be complete.
fn command_problem(words: &[String], brief: bool) -> Option<String> {
    let is_toolchain = |word: &&str| word.starts_with('+');
    let text: Vec<&str> =
        words.iter().map(String::as_str).filter(|word| !is_toolchain(word)).collect();
    let (mut parser, arguments) = match text.as_slice() {
        ["quintet", rest @ ..] | ["cargo", "lab", rest @ ..] => {
            (quintet_lab::commands::Cli::command(), rest)
        }
        ["cargo", "proof", rest @ ..] => (proof::command::Cli::command(), rest),
        ["cargo", "xtask", rest @ ..] => (crate::command::Cli::command(), rest),
        ["cargo", subcommand, ..]
            if !subcommand.starts_with('-') && !CARGO.contains(subcommand) =>
        {
            return Some(format!("cargo {subcommand} is not a command that this project has"));
        }
        _ => return None,
    };
    // Adds clap's own arguments, such as `help`.
    parser.build();
    if brief { unknown_part(&parser, arguments) } else { parse(parser, arguments) }
}

/// Parses the whole command.
fn parse(parser: clap::Command, arguments: &[&str]) -> Option<String> {
    let name = parser.get_name().to_owned();
    let error = parser
        .try_get_matches_from(std::iter::once(name.as_str()).chain(arguments.iter().copied()));
    let error = error.err()?;
    let teaches = matches!(
        error.kind(),
        ErrorKind::DisplayHelp
            | ErrorKind::DisplayVersion
            | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
    );
    (!teaches).then(|| format!("{} is refused: {}", arguments.join(" "), first_line(&error)))
}

fn first_line(error: &clap::Error) -> String {
    error.to_string().lines().next().unwrap_or_default().to_owned()
}

/// A subcommand or option that does not exist.
fn unknown_part(parser: &clap::Command, arguments: &[&str]) -> Option<String> {
    let (subcommand, options) = arguments.split_first()?;
    if subcommand.starts_with('-') {
        return None;
    }
    let Some(command) = parser.find_subcommand(subcommand) else {
        return Some(format!("{} has no command {subcommand}", parser.get_name()));
    };
    let options = options.iter().take_while(|word| **word != "--");
    let unknown = options.filter_map(|word| word.strip_prefix("--")).find(|option| {
        let name = option.split('=').next().unwrap_or_default();
        name != "help" && !command.get_arguments().any(|known| known.get_long() == Some(name))
    });
    unknown.map(|option| format!("{} {subcommand} has no option --{option}", parser.get_name()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(text: &str) -> Vec<String> {
        let file = File { path: "a.md".to_owned(), text: text.to_owned() };
        let mut problems = Vec::new();
        check(&file, &mut problems);
        problems.into_iter().map(|problem| problem.to_string()).collect()
    }

    #[test]
    fn real_commands_are_accepted() {
        let text = "Use `cargo lab run --max-cycles` or `cargo xtask tidy`.\n```sh\ncargo test\n\
                    cargo proof campaign --floats\n\
                    cargo lab measure app --from a \\\n  --to b --json | jq .summary # all\n```\n\
                    ```console\n$ quintet boards\nquintet nonsense is output here\n```\n";
        assert_eq!(problems(text), [""; 0]);
    }

    #[test]
    fn commands_and_options_that_do_not_exist_are_reported() {
        let found = problems("```sh\ncargo lab walk app\ncargo lab run app --bord x --\n```\n");
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].starts_with("a.md:2:") && found[1].starts_with("a.md:3:"), "{found:?}");
        assert_eq!(problems("`cargo lab run --bord`, `quintet walk`, `cargo walk`").len(), 3);
    }

    #[test]
    fn examples_of_files_are_read_by_the_simulator() {
        assert_eq!(
            problems("```toml inputs\n[[at]]\nms = 3\npin = \"PA0\"\nlevel = 1\n```\n"),
            [""; 0]
        );
        assert_eq!(problems("```toml inputs\n[[at]]\npin = \"PA0\"\n```\n").len(), 1);
        assert_eq!(problems("```toml board\nname = \"x\"\n```\n").len(), 1);
    }
}
