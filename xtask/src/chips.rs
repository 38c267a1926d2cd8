//! `cargo xtask chips`: writes the data of chips anew, from the sources of the crates that have it.
//!
//! The sources are read as text: the crates are large, and nothing of this tree depends on them.

use std::path::{Path, PathBuf};
use std::{env, fs};

use anyhow::{Context, Result, bail, ensure};

mod family;
mod nordic;
mod rules;
mod stm32;
mod value;

/// The versions of the crates from which the data is.
const STM32: (&str, &str) = ("stm32-metapac", "21.0.0");
const NORDIC: (&str, &str) = ("nrf-pac", "0.4.0");

/// Where the data is.
const DATA: &str = "quintet-sim/chips";

/// A family whose core the simulator lacks: a Cortex-M55.
const LACKING: &str = "stm32n6.toml";

/// Write the data of chips anew, from the sources of stm32-metapac and nrf-pac
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// The directory of the crates; where cargo has unpacked its sources if left out
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
        let place = |name| match &self.sources {
            Some(directory) => in_directory(directory, name),
            None => unpacked(name),
        };
        let mut files = stm32::files(&place(STM32)?, STM32.1)?;
        files.extend(nordic::files(&place(NORDIC)?, NORDIC.1)?);
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

/// Finds a crate in a directory of crates.
fn in_directory(directory: &Path, (name, version): (&str, &str)) -> Result<PathBuf> {
    let path = directory.join(format!("{name}-{version}"));
    ensure!(path.is_dir(), "{} is not there", path.display());
    Ok(path)
}

/// Finds a crate among the sources that cargo has unpacked.
fn unpacked((name, version): (&str, &str)) -> Result<PathBuf> {
    let home = env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(PathBuf::from(env::var_os("HOME")?).join(".cargo")));
    let registries = home.context("neither CARGO_HOME nor HOME is set")?.join("registry/src");
    let found = fs::read_dir(&registries).ok().and_then(|mut registries| {
        registries.find_map(|registry| in_directory(&registry.ok()?.path(), (name, version)).ok())
    });
    found.with_context(|| {
        format!(
            "{name} {version} is not below {}: run `cargo fetch` in any crate that depends on it, \
             or give the directory where it is by --sources",
            registries.display()
        )
    })
}
