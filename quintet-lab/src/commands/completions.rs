//! `quintet completions`: prints the script with which a shell completes command lines.

use crate::commands::Cli;
use crate::exit::Outcome;
use crate::output;
use clap::CommandFactory;
use clap_complete::Shell;
use serde::Serialize;

const EXAMPLES: &str = "\
Examples:
  quintet completions bash > ~/.local/share/bash-completion/completions/quintet
  quintet completions zsh > ~/.zfunc/_quintet
  quintet completions fish > ~/.config/fish/completions/quintet.fish
  quintet completions elvish > ~/.config/elvish/lib/quintet.elv
  quintet completions powershell > ~/quintet.ps1

Each file is where that shell looks for scripts, or where its settings below name it.
Make the directory first if it isn't there yet, and start a new shell afterwards.
  bash        needs the package bash-completion; without it, put
              `source <(quintet completions bash)` into ~/.bashrc
  zsh         has in ~/.zshrc, in this order: fpath=(~/.zfunc $fpath)
              and: autoload -Uz compinit && compinit
  elvish      has in ~/.config/elvish/rc.elv: use quintet
  powershell  has in the file that `echo $PROFILE` shows: . ~/quintet.ps1
The script is of this version: print it again after an update.";

/// Print the script with which your shell completes `quintet`
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report {
    shell: String,
    script: String,
}

impl Arguments {
    /// Prints the script.
    pub fn run(&self) -> anyhow::Result<Outcome> {
        let script = script(self.shell)?;
        if self.json {
            output::print_json(&Report { shell: self.shell.to_string(), script })?;
        } else {
            output::print(&script)?;
        }
        Ok(Outcome::Done)
    }
}

/// Returns the script for a shell.
fn script(shell: Shell) -> anyhow::Result<String> {
    let mut command = Cli::command();
    let name = command.get_name().to_owned();
    let mut bytes = Vec::new();
    clap_complete::generate(shell, &mut command, name, &mut bytes);
    Ok(String::from_utf8(bytes)?)
}
