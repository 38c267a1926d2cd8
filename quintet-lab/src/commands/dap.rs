//! `quintet dap`: a debug adapter for editors.

use crate::dap::{self, Server};
use crate::exit::Outcome;
use crate::output;
use std::io::BufReader;

const EXAMPLES: &str = "\
Examples:
  quintet dap               an editor starts it, and speaks on its standard input and output
  quintet dap --port 4711   editors connect to 127.0.0.1:4711, one after the other

The editor names the program in its own configuration, with the options of quintet run
under their names: \"program\", \"board\", \"inputs\", \"process\", \"args\" and so on, and
\"stopOnEntry\". The page \"In your editor\" of the book has the configuration of VS Code,
Neovim, Helix, Zed and Emacs.";

/// Debug firmware from an editor, by the Debug Adapter Protocol
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// Wait for editors on this port of this computer (0: any free one), instead of speaking on
    /// standard input and output
    #[arg(long, value_name = "PORT")]
    port: Option<u16>,
}

impl Arguments {
    /// Serves editors.
    pub fn run(&self) -> anyhow::Result<Outcome> {
        match self.port {
            Some(port) => {
                let server = Server::open(port)?;
                let port = server.port()?;
                output::complain(&format!("waiting for an editor at 127.0.0.1:{port}"));
                server.serve()?;
            }
            None => dap::serve(BufReader::new(std::io::stdin()), std::io::stdout())?,
        }
        Ok(Outcome::Done)
    }
}
