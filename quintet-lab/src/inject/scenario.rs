//! A campaign as people describe it: a TOML file, or the same by options.
//!
//! ```toml
//! image = "app.elf"               # optional; beside this file, unless the path is absolute
//! board = "lm3s6965"              # optional
//! inputs = "inputs.toml"          # optional
//! exceptions = ["all"]            # optional: "SysTick", "irq5", 5, a handler's name
//! limit = 200_000                 # optional: cycles in which a run must end
//! max_mask = 24                   # optional: the longest masked time, in cycles
//! without = ["stack"]             # optional: checks to leave out
//! ignore_output = ["uart0"]       # optional: channels that may differ
//! ignore_line = ["elapsed"]       # optional: lines that may differ
//! pair_code = ["quintet::"]       # optional: where second injections are made
//!
//! [[window]]                      # one or more
//! from = "main"
//! to = "finish"
//! code = ["quintet::"]
//! ```

use super::check::{Check, Rules};
use super::windows::WindowText;
use anyhow::Context;
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// A campaign as people describe it.
#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// The firmware.
    pub image: Option<PathBuf>,
    /// The board.
    pub board: Option<String>,
    /// Inputs from outside.
    pub inputs: Option<PathBuf>,
    /// The exceptions; empty for all.
    #[serde(default)]
    pub exceptions: Vec<Exception>,
    /// The windows in which they are pended.
    #[serde(default, rename = "window")]
    pub windows: Vec<WindowText>,
    /// The code in which the second of a pair is pended, if it isn't the windows.
    #[serde(default)]
    pub pair_code: Vec<String>,
    /// The cycles in which a run must end.
    pub limit: Option<u64>,
    /// The longest masked time.
    pub max_mask: Option<u64>,
    /// Checks that are left out.
    #[serde(default)]
    pub without: Vec<Check>,
    /// Channels whose output may differ.
    #[serde(default)]
    pub ignore_output: Vec<String>,
    /// Texts: lines of output that contain one of them may differ.
    #[serde(default)]
    pub ignore_line: Vec<String>,
}

/// An exception as people name it.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(untagged, expecting = "expected an exception's name or an interrupt's number")]
pub enum Exception {
    /// An interrupt's number, from 0.
    Number(u16),
    /// `all`, SysTick, PendSV, NMI, `irq5`, or the name of a handler.
    Name(String),
}

impl Scenario {
    /// Reads a file. Paths in the file are relative to it.
    pub fn from_file(path: &Path) -> anyhow::Result<Self> {
        let text = quintet_sim::files::read_text(path)
            .with_context(|| format!("cannot read the scenario {}", path.display()))?;
        let mut scenario: Self = toml::from_str(&text)
            .with_context(|| format!("the scenario {} is not right", path.display()))?;
        let directory = path.parent().unwrap_or(Path::new(""));
        for file in [&mut scenario.image, &mut scenario.inputs].into_iter().flatten() {
            *file = directory.join(&file);
        }
        // A board may be a name or a file.
        if let Some(board) = scenario.board.as_mut().filter(|board| board.contains(['/', '.'])) {
            *board = directory.join(&board).display().to_string();
        }
        Ok(scenario)
    }

    /// The names of the exceptions.
    pub fn exception_names(&self) -> Vec<String> {
        if self.exceptions.is_empty() {
            return vec!["all".into()];
        }
        let text = |exception: &Exception| match exception {
            Exception::Number(number) => number.to_string(),
            Exception::Name(name) => name.clone(),
        };
        self.exceptions.iter().map(text).collect()
    }

    /// A scenario with nothing but the names of exceptions.
    pub fn of_exceptions(names: &[String]) -> Self {
        let exceptions = names.iter().cloned().map(Exception::Name).collect();
        Self { exceptions, ..Self::default() }
    }

    /// Returns the rules by which the ends of runs are compared.
    pub fn rules(&self) -> Rules {
        Rules {
            without: self.without.clone(),
            ignored_channels: self.ignore_output.clone(),
            ignored_lines: self.ignore_line.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_windows_exceptions_and_checks() {
        let text = r#"
            exceptions = ["SysTick", 5]
            max_mask = 24
            without = ["stack"]
            [[window]]
            from = "a"
            to = "b"
            [[window]]
            code = ["quintet::"]
        "#;
        let scenario: Scenario = toml::from_str(text).unwrap();
        assert_eq!(scenario.exception_names(), ["SysTick", "5"]);
        assert_eq!(scenario.windows.len(), 2);
        assert_eq!(scenario.windows[0].describe(), "from a to b");
        assert_eq!(scenario.windows[1].describe(), "code of quintet::");
        assert_eq!(scenario.rules().without, [Check::Stack]);
        assert_eq!(Scenario::default().exception_names(), ["all"]);
    }

    #[test]
    fn mistakes_are_refused() {
        for text in ["windows = 1", "exceptions = [1.5]", "without = [\"all\"]", "limit = -1"] {
            assert!(toml::from_str::<Scenario>(text).is_err(), "{text}");
        }
    }
}
