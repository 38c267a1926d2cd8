//! A row of a scenario file: the measurement, the occurrence that counts, and the figures beside
//! it.
//!
//! ```toml
//! [[row]]
//! name = "call and return"
//! marks = [["before", "inside"], ["inside", "after"]]  # cycles, added up
//! occurrence = "shortest"                               # optional: "longest" (usual), "mean"
//! within = ["phase_1", "phase_2"]                       # optional: only between these marks
//! variant = "more_8"                                    # optional: in this build
//! bare = [["bare_before", "bare_inside"]]               # optional: the same without any framework
//! beyond_bare = true                                    # optional: what ours takes more than that
//! document = "rtfm.function_call.0"                     # optional key of figures.toml
//! published = "cycles.yield"                            # optional key of peer-kernels.toml
//! columns = ["ChibiOS", "QXK"]                          # optional: only these of the kernels
//! behind = "0028"                                       # optional: a peer may be ahead, because
//! floor = "thread_switch_as_a_call.0"                   # optional key of hardware-floors.toml
//! note = "what a reader should know"                    # optional, printed below the table
//! without = { Embassy = "has no such thing" }           # optional: columns without a figure
//!
//! [[row]]
//! name = "interrupt time"
//! marks = [["pin_high", "pin_low"]]
//! documents = [["FreeRTOS/C", "showdown.interrupt_time_us.0"]]  # columns of their own,
//! document_factor = 180                                         # converted to what is measured
//!
//! [[row]]
//! name = "stack per suspended task"
//! stack = ["pend", "inside"]      # bytes by which the stack pointer is lower at the second mark
//!
//! [[row]]
//! name = "size of a job"
//! constant = "JOB_BYTES"          # bytes, the value of a word of the firmware's memory
//!
//! [[row]]
//! name = "longest mask"
//! masked = ["start", "end"]       # cycles by PRIMASK, FAULTMASK or BASEPRI between these marks
//! plus = [["pend", "handler"]]    # optional: cycles between these marks are added
//! also = ["more_8"]               # optional: the longest of these builds and its own
//!
//! [[row]]
//! name = "bytes per task"
//! size = "ram"                    # bytes of the image: "text", "ram", or "ram-and-stack"; or
//!                                 # "main-stack", what of it the whole run used; or "stacks",
//!                                 # the same with the threads' stacks
//! idle = "idle"                   # for "ram-and-stack": the mark where main's frame is complete
//! variant = "more_8"
//! each = 8                        # (this build - the group's build) / 8
//! contents = 4                    # optional: bytes that are the user's own, taken off the share
//! program = ["timers::main"]      # optional: symbols that begin so are the user's own as well
//! than = "timers"                 # optional: the build to compare with instead of the group's
//! ```

use std::collections::BTreeMap;

use anyhow::{Result, bail, ensure};
use serde::Deserialize;

/// A row's part of the file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RowScenario {
    /// The subject of the measurement.
    pub name: String,
    marks: Option<Vec<[String; 2]>>,
    stack: Option<[String; 2]>,
    constant: Option<String>,
    masked: Option<[String; 2]>,
    size: Option<Size>,
    idle: Option<String>,
    /// The marks between which time is added to the time of a mask.
    #[serde(default)]
    pub plus: Vec<[String; 2]>,
    /// The marks around the same without any framework, in the same firmware.
    pub bare: Option<Vec<[String; 2]>>,
    /// `true` if the figure is the part beyond `bare`.
    #[serde(default)]
    pub beyond_bare: bool,
    /// The occurrence that counts.
    #[serde(default)]
    pub occurrence: Occurrence,
    /// The marks between which occurrences count.
    pub within: Option<[String; 2]>,
    /// The build in which the row is measured; `None` for the group's own.
    pub variant: Option<String>,
    /// Further builds in which the row is measured. The longest counts.
    #[serde(default)]
    pub also: Vec<String>,
    /// If set, the figure is the difference to another build, divided by this number.
    pub each: Option<u32>,
    /// Bytes of the share that are the user's own and do not count.
    #[serde(default)]
    pub contents: u32,
    /// Beginnings of the names of symbols that are the program's own and do not count.
    #[serde(default)]
    pub program: Vec<String>,
    /// The other build; `None` for the group's own.
    pub than: Option<String>,
    /// The key of the document's figure.
    pub document: Option<String>,
    /// The documents' figures where there are several: head of the column and key.
    #[serde(default)]
    pub documents: Vec<[String; 2]>,
    /// The factor from the documents' unit to the row's.
    pub document_factor: Option<f64>,
    /// The key of other kernels' figures.
    pub published: Option<String>,
    /// The kernels that have the same as the row; empty for all.
    #[serde(default)]
    pub columns: Vec<String>,
    /// The number of the decision record that says why a peer may be ahead.
    pub behind: Option<String>,
    /// The key of the floor.
    pub floor: Option<String>,
    /// A note for readers about the row.
    pub note: Option<String>,
    /// The columns that have no figure here, and why.
    #[serde(default)]
    pub without: BTreeMap<String, String>,
}

/// The occurrence that counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Occurrence {
    /// The longest.
    #[default]
    Longest,
    /// The shortest.
    Shortest,
    /// The mean of all.
    Mean,
}

/// The part of an image that counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Size {
    /// Code and constants: all that is stored, but for the initial values of variables.
    Text,
    /// Variables, with and without initial values.
    Ram,
    /// Variables, and the stack that `main` keeps forever.
    RamAndStack,
    /// The main stack, as deep as the run went.
    MainStack,
    /// The main stack and those of all threads, each as deep as the run went.
    Stacks,
}

impl Size {
    /// Returns `true` if the size belongs to a run, not to the image.
    const fn is_of_a_run(self) -> bool {
        matches!(self, Self::MainStack | Self::Stacks)
    }
}

/// The kinds of measurements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum What<'a> {
    /// Cycles between marks, of several pairs together.
    Marks(&'a [[String; 2]]),
    /// Stack between two marks.
    Stack(&'a [String; 2]),
    /// A word of memory.
    Constant(&'a str),
    /// The longest time for which interrupts are held off between two marks.
    Masked(&'a [String; 2]),
    /// Bytes of the image's code and constants.
    Text,
    /// Bytes of the image's variables.
    Ram,
    /// The same, and the stack in use at a mark.
    RamAndStack(&'a str),
    /// The main stack, as deep as the run went.
    MainStack,
    /// The main stack and those of all threads, each as deep as the run went.
    Stacks,
}

impl What<'_> {
    /// Returns `true` if the row counts cycles, and `false` if it counts bytes.
    pub fn is_time(&self) -> bool {
        matches!(self, Self::Marks(_) | Self::Masked(_))
    }
}

impl RowScenario {
    /// Returns the row's kind of measurement.
    pub fn what(&self) -> Result<What<'_>> {
        let ways = [
            self.marks.as_deref().map(What::Marks),
            self.stack.as_ref().map(What::Stack),
            self.constant.as_deref().map(What::Constant),
            self.masked.as_ref().map(What::Masked),
            self.size.map(|size| self.sized(size)).transpose()?,
        ];
        let mut ways = ways.into_iter().flatten();
        let (Some(what), None) = (ways.next(), ways.next()) else {
            bail!(
                "row \"{}\" needs one of `marks`, `stack`, `constant`, `masked` and `size`",
                self.name
            );
        };
        ensure!(what != What::Marks(&[]), "row \"{}\" has no pair of marks", self.name);
        let divides = self.each.is_none_or(|each| each > 0 && self.variant.is_some());
        ensure!(divides, "row \"{}\": `each` needs a variant and is not 0", self.name);
        let compares = self.than.is_none() || self.each.is_some() && self.than != self.variant;
        let is_share = self.contents == 0 || self.each.is_some();
        ensure!(is_share, "row \"{}\": `contents` is for `each`", self.name);
        let is_sized = self.program.is_empty() || self.size.is_some_and(|size| !size.is_of_a_run());
        ensure!(is_sized, "row \"{}\": `program` is for the `size` of an image", self.name);
        let is_pair =
            self.bare.is_none() && !self.beyond_bare || self.bare.is_some() && self.marks.is_some();
        ensure!(is_pair, "row \"{}\": `bare` is for `marks`, `beyond_bare` for `bare`", self.name);
        ensure!(
            self.plus.is_empty() || self.masked.is_some(),
            "row \"{}\": `plus` is for `masked`",
            self.name
        );
        ensure!(
            self.columns.is_empty() || self.published.is_some(),
            "row \"{}\": `columns` is for `published`",
            self.name
        );
        ensure!(compares, "row \"{}\": `than` names another variant for `each`", self.name);
        ensure!(
            self.behind.is_none() || self.published.is_some(),
            "row \"{}\": `behind` is for `published`",
            self.name
        );
        ensure!(
            self.also.is_empty() || what.is_time() && self.each.is_none(),
            "row \"{}\": `also` is for times, without `each`",
            self.name
        );
        let keys = self.published.iter().flat_map(|keys| keys.split(" + "));
        let (kind, unit) = if what.is_time() { ("cycles.", "cycles") } else { ("bytes.", "bytes") };
        for key in keys {
            ensure!(
                key.starts_with(kind),
                "row \"{}\" counts {unit}, `published` names `{key}`",
                self.name
            );
        }
        Ok(what)
    }

    /// Returns `true` if a debugger that halts at each mark can measure the row: time between
    /// marks, but not between builds, which may begin before there is a cycle counter.
    pub fn can_be_halted(&self) -> bool {
        self.marks.is_some() && self.each.is_none()
    }

    /// Returns the marks that the row names, perhaps with repetitions.
    pub fn mark_names(&self) -> impl Iterator<Item = &str> {
        let pairs = self.marks.iter().flatten().chain(&self.stack).chain(&self.masked);
        let pairs = pairs.chain(&self.within).chain(self.bare.iter().flatten());
        let pairs = pairs.chain(&self.plus).flatten();
        pairs.chain(&self.idle).map(String::as_str)
    }

    fn sized(&self, size: Size) -> Result<What<'_>> {
        match (size, &self.idle) {
            (Size::Text, None) => Ok(What::Text),
            (Size::Ram, None) => Ok(What::Ram),
            (Size::MainStack, None) => Ok(What::MainStack),
            (Size::Stacks, None) => Ok(What::Stacks),
            (Size::RamAndStack, Some(mark)) => Ok(What::RamAndStack(mark)),
            _ => bail!(
                "row \"{}\": `idle` belongs to `size = \"ram-and-stack\"`, which needs it",
                self.name
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(text: &str) -> RowScenario {
        toml::from_str(&format!("name = 'r'\n{text}")).unwrap()
    }

    #[test]
    fn a_row_is_measured_in_exactly_one_way() {
        let pairs = row("marks = [['x', 'y'], ['y', 'z']]\nwithin = ['a', 'b']");
        assert!(matches!(pairs.what().unwrap(), What::Marks(marks) if marks.len() == 2));
        assert_eq!(pairs.mark_names().collect::<Vec<_>>(), ["x", "y", "y", "z", "a", "b"]);
        assert_eq!(row("constant = 'X'").what().unwrap(), What::Constant("X"));
        assert_eq!(row("size = 'ram'").what().unwrap(), What::Ram);
        let refused = |text: &str| row(text).what().unwrap_err().to_string();
        assert!(refused("").contains("needs one of"));
        assert!(refused("constant = 'X'\nstack = ['x', 'y']").contains("needs one of"));
        assert!(refused("marks = []").contains("no pair"));
    }

    #[test]
    fn halting_is_for_time_within_one_build() {
        assert!(row("marks = [['x', 'y']]").can_be_halted());
        assert!(!row("marks = [['x', 'y']]\neach = 8\nvariant = 'v'").can_be_halted());
        assert!(!row("size = 'ram'").can_be_halted());
    }

    #[test]
    fn only_time_is_compared_with_a_bare_handler() {
        let compared = row("marks = [['x', 'y']]\nbare = [['v', 'w']]");
        assert!(compared.what().is_ok());
        assert_eq!(compared.mark_names().collect::<Vec<_>>(), ["x", "y", "v", "w"]);
        assert!(row("constant = 'X'\nbare = [['v', 'w']]").what().is_err());
        assert!(row("marks = [['x', 'y']]\nbeyond_bare = true").what().is_err());
    }

    #[test]
    fn time_is_added_to_masks_only() {
        let added = row("masked = ['x', 'y']\nplus = [['v', 'w']]");
        assert!(added.what().is_ok());
        assert_eq!(added.mark_names().collect::<Vec<_>>(), ["x", "y", "v", "w"]);
        assert!(row("size = 'ram'\nplus = [['v', 'w']]").what().is_err());
    }

    #[test]
    fn columns_are_those_of_published_figures() {
        let chosen = row("constant = 'X'\npublished = 'bytes.thread'\ncolumns = ['ChibiOS']");
        assert!(chosen.what().is_ok());
        let refused = row("constant = 'X'\ncolumns = ['ChibiOS']").what().unwrap_err();
        assert_eq!(refused.to_string(), "row \"r\": `columns` is for `published`");
        let refused = row("constant = 'X'\nbehind = '0028'").what().unwrap_err();
        assert_eq!(refused.to_string(), "row \"r\": `behind` is for `published`");
    }

    #[test]
    fn cycles_are_compared_with_cycles() {
        assert!(row("marks = [['x', 'y']]\npublished = 'cycles.mask + cycles.irq'").what().is_ok());
        let refused = |text: &str| row(text).what().unwrap_err().to_string();
        assert_eq!(
            refused("marks = [['x', 'y']]\npublished = 'cycles.mask + bytes.thread'"),
            "row \"r\" counts cycles, `published` names `bytes.thread`"
        );
        assert_eq!(
            refused("constant = 'X'\npublished = 'cycles.mask'"),
            "row \"r\" counts bytes, `published` names `cycles.mask`"
        );
    }

    #[test]
    fn several_builds_are_for_times() {
        assert!(row("masked = ['x', 'y']\nalso = ['v', 'w']").what().is_ok());
        let refused = row("size = 'ram'\nalso = ['v']").what().unwrap_err().to_string();
        assert_eq!(refused, "row \"r\": `also` is for times, without `each`");
    }

    #[test]
    fn the_stack_is_counted_at_a_mark() {
        let counted = row("size = 'ram-and-stack'\nidle = 'here'");
        assert_eq!(counted.what().unwrap(), What::RamAndStack("here"));
        assert_eq!(counted.mark_names().collect::<Vec<_>>(), ["here"]);
        assert!(row("size = 'ram-and-stack'").what().is_err());
        assert!(row("size = 'text'\nidle = 'here'").what().is_err());
    }

    #[test]
    fn a_stack_that_was_used_has_no_program() {
        assert_eq!(row("size = 'main-stack'").what().unwrap(), What::MainStack);
        assert_eq!(row("size = 'stacks'").what().unwrap(), What::Stacks);
        let refused = row("size = 'main-stack'\nprogram = ['x']").what().unwrap_err().to_string();
        assert_eq!(refused, "row \"r\": `program` is for the `size` of an image");
        assert!(row("size = 'main-stack'\nidle = 'here'").what().is_err());
    }

    #[test]
    fn a_share_needs_something_to_compare_with() {
        assert!(row("size = 'ram'\neach = 8\nvariant = 'v'").what().is_ok());
        assert!(row("size = 'ram'\neach = 8").what().is_err());
        assert!(row("size = 'ram'\ncontents = 4").what().is_err());
        assert!(row("size = 'ram'\nprogram = ['x']").what().is_ok());
        assert!(row("constant = 'X'\nprogram = ['x']").what().is_err());
        assert!(row("size = 'ram'\neach = 0\nvariant = 'v'").what().is_err());
        assert!(row("size = 'ram'\neach = 8\nvariant = 'v'\nthan = 'w'").what().is_ok());
        assert!(row("size = 'ram'\nvariant = 'v'\nthan = 'w'").what().is_err());
        assert!(row("size = 'ram'\neach = 8\nvariant = 'v'\nthan = 'v'").what().is_err());
    }
}
