//! `cargo xtask chips`: writes the data of chips anew, from the sources of the crates that have it.
//!
//! The sources are read as text: the crates are large, and nothing of this tree depends on them.

use std::path::{Path, PathBuf};
use std::{env, fs};

use anyhow::{Context, Result, bail};

mod rules;
mod stm32;
mod value;

/// The version of stm32-metapac from which the data is.
const VERSION: &str = "21.0.0";

/// Where the data is.
const DATA: &str = "quintet-sim/chips";

/// A family whose core the simulator lacks: a Cortex-M55.
const LACKING: &str = "stm32n6.toml";

/// Write the data of chips anew, from the sources of stm32-metapac
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// The directory of stm32-metapac; found among the sources that cargo has unpacked if left out
    #[arg(long, value_name = "DIR")]
    sources: Option<PathBuf>,
    /// Only compare
    #[arg(long)]
    check: bool,
}

impl Arguments {
    /// Writes or compares the files.
    ///
    /// # Errors
    /// The sources aren't there, or a file differs.
    pub fn run(&self) -> Result<()> {
        let sources = self.sources.clone().map_or_else(unpacked, Ok)?;
        let mut files = stm32::files(&sources, VERSION)?;
        files.remove(LACKING);
        for (name, text) in &files {
            let path = Path::new(DATA).join(name);
            let old = fs::read_to_string(&path).unwrap_or_default();
            if self.check && old != *text {
                bail!("{} differs: run `cargo xtask chips`", path.display());
            }
            if !self.check {
                fs::write(&path, text).with_context(|| path.display().to_string())?;
            }
        }
        println!("{} files in {DATA}", files.len());
        Ok(())
    }
}

/// Finds the crate among the sources that cargo has unpacked.
fn unpacked() -> Result<PathBuf> {
    let home = env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(PathBuf::from(env::var_os("HOME")?).join(".cargo")));
    let registries = home.context("neither CARGO_HOME nor HOME is set")?.join("registry/src");
    let found = fs::read_dir(&registries).ok().and_then(|mut registries| {
        registries.find_map(|registry| {
            let path = registry.ok()?.path().join(format!("stm32-metapac-{VERSION}"));
            path.is_dir().then_some(path)
        })
    });
    found.with_context(|| {
        format!(
            "stm32-metapac {VERSION} is not below {}: run `cargo fetch` in any crate that depends \
             on it, or give its directory by --sources",
            registries.display()
        )
    })
}
