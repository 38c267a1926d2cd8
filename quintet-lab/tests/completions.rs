//! `quintet completions`: each shell gets a script that knows every command.

mod support;

use std::process::Command;

use clap::CommandFactory;
use quintet_lab::commands::Cli;
use support::{quintet, temporary};

const SHELLS: [&str; 5] = ["bash", "elvish", "fish", "powershell", "zsh"];

/// The names of all commands.
fn commands() -> Vec<String> {
    Cli::command().get_subcommands().map(|command| command.get_name().to_owned()).collect()
}

/// What the shell bash prints for a script; nothing where there is no bash.
fn bash(arguments: &[&str]) -> Option<String> {
    let Ok(output) = Command::new("bash").args(arguments).output() else {
        eprintln!("skipped: bash is not installed");
        return None;
    };
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && error.is_empty(), "{error}");
    Some(String::from_utf8(output.stdout).expect("it is text"))
}

/// The path of the script for bash.
fn script_of_bash(name: &str) -> String {
    temporary(name, quintet(&["completions", "bash"]).stdout.as_bytes())
}

#[test]
fn each_script_names_every_command() {
    for shell in SHELLS {
        let printed = quintet(&["completions", shell]);
        assert_eq!((printed.code, printed.stderr.as_str()), (0, ""), "{shell}");
        let is_of_word = |letter: char| letter.is_ascii_alphanumeric() || letter == '-';
        let words: Vec<_> = printed.stdout.split(|letter| !is_of_word(letter)).collect();
        for command in commands() {
            assert!(words.contains(&command.as_str()), "{shell} lacks {command}");
        }
        assert!(printed.stdout.contains("max-cycles"), "{shell} lacks options");
    }
}

#[test]
fn bash_takes_the_script() {
    bash(&["-n", &script_of_bash("completions-checked.bash")]);
}

#[test]
fn bash_completes_commands_and_options() {
    let script = script_of_bash("completions-used.bash");
    let completes = |words: &str, last: &str| {
        let line = format!(
            "source {script}; COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); \
             _quintet quintet {last} ''; echo \"${{COMPREPLY[@]}}\""
        );
        bash(&["-c", &line])
    };
    let Some(commands) = completes("quintet co", "co") else { return };
    assert_eq!(commands.split_whitespace().collect::<Vec<_>>(), ["coverage", "completions"]);
    let options = completes("quintet run --max-", "--max-").unwrap();
    let options: Vec<_> = options.split_whitespace().collect();
    assert_eq!(options, ["--max-cycles", "--max-instructions", "--max-output"]);
    let shells = completes("quintet completions z", "z").unwrap();
    assert_eq!(shells.trim(), "zsh");
}

#[test]
fn the_object_has_the_same_script() {
    let json = quintet(&["completions", "fish", "--json"]).json();
    assert_eq!(json["shell"], "fish");
    assert_eq!(json["script"], quintet(&["completions", "fish"]).stdout);
}

#[test]
fn a_shell_that_there_is_not_is_refused_with_those_that_there_are() {
    let parts =
        ["invalid value 'tcsh' for '<SHELL>'", "[possible values: bash, elvish, fish, powershell"];
    quintet(&["completions", "tcsh"]).fails(2, &parts);
    quintet(&["completions"]).fails(2, &["<SHELL>"]);
}

#[test]
fn the_help_says_for_each_shell_where_the_script_goes() {
    let help = quintet(&["completions", "--help"]).stdout;
    for shell in SHELLS {
        let line = format!("quintet completions {shell} > ~/");
        assert!(help.contains(&line), "{shell}:\n{help}");
    }
}
