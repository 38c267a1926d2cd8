//! The windows of a campaign: the executed instructions before which exceptions are pended.
//!
//! A window is a stretch of *execution* between two marks, or the instructions that belong to given
//! code, or both at once (those of the code between the marks). The search for code by name
//! includes inlined copies, as far as the debug information has them.

use crate::firmware::Firmware;
use crate::firmware::code::Code;
use crate::firmware::symbols::resolve;
use anyhow::{Context, bail};
use serde::{Deserialize, Serialize};

/// The most windows of a campaign: each has a bit.
const WINDOWS_MAX: usize = 64;

/// A window as people write it.
#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct WindowText {
    /// The window opens when the instruction here is about to execute.
    pub from: Option<String>,
    /// The mark whose instruction closes the window. An exception before that instruction still
    /// belongs to the window.
    pub to: Option<String>,
    /// Only instructions of this code: paths (`quintet::`), functions, source files, `A..B`.
    #[serde(default)]
    pub code: Vec<String>,
}

/// The windows of a campaign, found in the firmware.
#[derive(Clone, Debug)]
pub struct Windows {
    windows: Vec<Window>,
}

#[derive(Clone, Debug)]
struct Window {
    marks: Option<[u32; 2]>,
    code: Option<Code>,
}

impl WindowText {
    /// The window in words.
    pub fn describe(&self) -> String {
        let marks = match (&self.from, &self.to) {
            (Some(from), Some(to)) => Some(format!("from {from} to {to}")),
            _ => None,
        };
        let code = (!self.code.is_empty()).then(|| format!("code of {}", self.code.join(", ")));
        marks.into_iter().chain(code).collect::<Vec<_>>().join(", ")
    }
}

impl Windows {
    /// Finds the windows' places.
    pub fn find(firmware: &Firmware, texts: &[WindowText]) -> anyhow::Result<Self> {
        if texts.is_empty() {
            bail!("no window says where to interrupt: give --from A --to B, --code PATH or both");
        }
        if texts.len() > WINDOWS_MAX {
            bail!("{} windows are too many; there can be {WINDOWS_MAX}", texts.len());
        }
        let windows = texts.iter().map(|text| Window::find(firmware, text));
        Ok(Self { windows: windows.collect::<anyhow::Result<_>>()? })
    }

    /// Windows without marks: all of the code, whenever it executes.
    pub fn of_code(code: Code) -> Self {
        Self { windows: vec![Window { marks: None, code: Some(code) }] }
    }

    /// The instruction at `pc` is about to execute. `open` remembers, with a bit each, the windows
    /// that are between their marks. Returns the windows that contain the instruction.
    pub fn visit(&self, pc: u32, open: &mut u64) -> u64 {
        let mut inside = 0;
        for (index, window) in self.windows.iter().enumerate() {
            let bit = 1 << index;
            let mut between = window.marks.is_none() || *open & bit != 0;
            if let Some([from, to]) = window.marks {
                if between && pc == to {
                    *open &= !bit;
                }
                if pc == from {
                    *open |= bit;
                    between = true;
                }
            }
            if between && window.code.as_ref().is_none_or(|code| code.contains(pc)) {
                inside |= bit;
            }
        }
        inside
    }
}

impl Window {
    fn find(firmware: &Firmware, text: &WindowText) -> anyhow::Result<Self> {
        let place = |text: &String| resolve(&firmware.image, text);
        let marks = match (&text.from, &text.to) {
            (Some(from), Some(to)) => Some([
                place(from).context("the window's from")?,
                place(to).context("the window's to")?,
            ]),
            (None, None) => None,
            _ => bail!("a window needs both from and to, or neither"),
        };
        if marks.is_none() && text.code.is_empty() {
            bail!("a window needs from and to, or code, or all three");
        }
        let code = match text.code.as_slice() {
            [] => None,
            patterns => Some(Code::find(firmware, patterns)?),
        };
        Ok(Self { marks, code })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(marks: Option<[u32; 2]>, code: Option<Code>) -> Windows {
        Windows { windows: vec![Window { marks, code }] }
    }

    fn visits(windows: &Windows, path: &[u32]) -> Vec<u32> {
        let mut open = 0;
        path.iter().copied().filter(|&pc| windows.visit(pc, &mut open) != 0).collect()
    }

    #[test]
    fn a_window_between_marks_holds_what_executes_between_them() {
        let path = [1, 10, 50, 11, 20, 3, 20, 10, 4];
        assert_eq!(visits(&window(Some([10, 20]), None), &path), [10, 50, 11, 20, 10, 4]);
        assert_eq!(visits(&window(Some([10, 10]), None), &path), [10, 50, 11, 20, 3, 20, 10, 4]);
    }

    #[test]
    fn code_and_marks_together_are_what_both_hold() {
        let code = Code::at(10, vec![0b10_0001]);
        let windows = window(Some([10, 30]), Some(code.clone()));
        assert_eq!(visits(&windows, &[20, 10, 12, 20, 30, 20]), [10, 20]);
        assert_eq!(visits(&window(None, Some(code)), &[20, 12, 10]), [20, 10]);
    }
}
