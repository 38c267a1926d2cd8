//! Breakpoints of all kinds: where they are, and whether they stop the program.

use std::collections::BTreeMap;

use quintet_sim::bus::{AccessKind, WatchedRange};
use serde_json::{Value, json};

use super::arguments::Wanted;
use crate::debug::lines::Lines;
use crate::firmware::Firmware;
use crate::firmware::symbols;

/// Gives the truth of an expression, and its text.
pub type Evaluate<'a> = dyn FnMut(&str) -> Result<(bool, String), String> + 'a;

/// A breakpoint as the editor wants it, with its place in the program.
#[derive(Clone, Debug)]
pub struct Point {
    id: u64,
    wanted: Wanted,
    addresses: Vec<u32>,
    range: Option<WatchedRange>,
    line: Option<u32>,
    problem: Option<String>,
    hits: u64,
}

/// What a breakpoint does once the program is there.
pub enum Effect {
    /// It lets the program go on.
    Pass,
    /// It halts the program.
    Halt,
    /// It prints this, and lets the program go on.
    Log(String),
}

/// All breakpoints of a session. They outlive a restart.
#[derive(Default, Debug)]
pub struct Points {
    lines: BTreeMap<String, Vec<Point>>,
    functions: Vec<Point>,
    instructions: Vec<Point>,
    data: Vec<Point>,
    last_id: u64,
    /// Whether faults halt.
    pub catches_faults: bool,
    /// Whether panics halt.
    pub catches_panics: bool,
}

/// The names by which editors switch the kinds of exceptions.
pub const FAULTS: &str = "faults";
pub const PANICS: &str = "panics";

impl Points {
    /// Those of a new session.
    pub fn new() -> Self {
        Self { catches_faults: true, catches_panics: true, ..Self::default() }
    }

    /// Replaces the breakpoints of a source file. Returns them as the protocol shows them.
    pub fn set_lines(&mut self, path: &str, wanted: Vec<Wanted>, firmware: &Firmware) -> Value {
        let old = self.lines.remove(path).unwrap_or_default();
        let points = self.taken_over(old, wanted);
        self.lines.insert(path.to_owned(), points);
        self.resolve(firmware);
        shown(&self.lines[path])
    }

    /// Replaces the breakpoints at functions.
    pub fn set_functions(&mut self, wanted: Vec<Wanted>, firmware: &Firmware) -> Value {
        let old = std::mem::take(&mut self.functions);
        self.functions = self.taken_over(old, wanted);
        self.resolve(firmware);
        shown(&self.functions)
    }

    /// Replaces the breakpoints at instructions.
    pub fn set_instructions(&mut self, wanted: Vec<Wanted>, firmware: &Firmware) -> Value {
        let old = std::mem::take(&mut self.instructions);
        self.instructions = self.taken_over(old, wanted);
        self.resolve(firmware);
        shown(&self.instructions)
    }

    /// Replaces the watchpoints.
    pub fn set_data(&mut self, wanted: Vec<Wanted>) -> Value {
        let old = std::mem::take(&mut self.data);
        self.data = self.taken_over(old, wanted);
        for point in &mut self.data {
            point.range = range(&point.wanted);
            point.problem = point
                .range
                .is_none()
                .then(|| format!("\"{}\" is no address and length of data", point.wanted.data_id));
        }
        shown(&self.data)
    }

    /// A breakpoint that was there before keeps its number and its count.
    fn taken_over(&mut self, mut old: Vec<Point>, wanted: Vec<Wanted>) -> Vec<Point> {
        let one = |wanted: Wanted| {
            if let Some(at) = old.iter().position(|point| point.wanted == wanted) {
                return old.swap_remove(at);
            }
            self.last_id += 1;
            Point {
                id: self.last_id,
                wanted,
                addresses: Vec::new(),
                range: None,
                line: None,
                problem: None,
                hits: 0,
            }
        };
        wanted.into_iter().map(one).collect()
    }

    /// Finds the places of all breakpoints anew: the firmware is another one after a restart.
    pub fn resolve(&mut self, firmware: &Firmware) {
        for (path, points) in &mut self.lines {
            points.iter_mut().for_each(|point| of_line(point, path, firmware));
        }
        self.functions.iter_mut().for_each(|point| of_function(point, firmware));
        for point in &mut self.instructions {
            let text = &point.wanted.instruction_reference;
            let address = symbols::parse_number(text).ok();
            let address =
                address.and_then(|at| u32::try_from(i64::from(at) + point.wanted.offset).ok());
            point.addresses = address.map(|address| address & !1).into_iter().collect();
            point.problem = address.is_none().then(|| format!("\"{text}\" is no address"));
        }
    }

    /// Begins all counts anew.
    pub fn forget_hits(&mut self) {
        self.all_mut().for_each(|point| point.hits = 0);
    }

    /// The addresses of all breakpoints.
    pub fn addresses(&self) -> impl Iterator<Item = u32> {
        self.all().flat_map(|point| point.addresses.iter().copied())
    }

    /// The ranges of all watchpoints.
    pub fn ranges(&self) -> Vec<WatchedRange> {
        self.data.iter().filter_map(|point| point.range).collect()
    }

    fn all(&self) -> impl Iterator<Item = &Point> {
        let lines = self.lines.values().flatten();
        lines.chain(&self.functions).chain(&self.instructions).chain(&self.data)
    }

    fn all_mut(&mut self) -> impl Iterator<Item = &mut Point> {
        let lines = self.lines.values_mut().flatten();
        lines.chain(&mut self.functions).chain(&mut self.instructions).chain(&mut self.data)
    }

    /// Asks all breakpoints at an address what they do now. `evaluate` gives the value of a
    /// condition, and the text of what a message shows. Returns the numbers of those that halt, and
    /// the messages.
    pub fn at(&mut self, address: u32, evaluate: &mut Evaluate<'_>) -> (Vec<u64>, Vec<String>) {
        let here = self.all_mut().filter(|point| point.addresses.contains(&address));
        effects(here, evaluate)
    }

    /// The same of the watchpoints of a range.
    pub fn of_range(
        &mut self,
        range: WatchedRange,
        evaluate: &mut Evaluate<'_>,
    ) -> (Vec<u64>, Vec<String>) {
        effects(self.data.iter_mut().filter(|point| point.range == Some(range)), evaluate)
    }
}

fn effects<'a>(
    points: impl Iterator<Item = &'a mut Point>,
    evaluate: &mut Evaluate<'_>,
) -> (Vec<u64>, Vec<String>) {
    let (mut halting, mut logged) = (Vec::new(), Vec::new());
    for point in points {
        match point.effect(evaluate) {
            Ok(Effect::Pass) => {}
            Ok(Effect::Halt) => halting.push(point.id),
            Ok(Effect::Log(text)) => logged.push(text),
            // What can't be evaluated halts, so that nobody waits for a condition that never holds.
            Err(problem) => {
                logged.push(format!("the condition of a breakpoint has no value: {problem}"));
                halting.push(point.id);
            }
        }
    }
    (halting, logged)
}

impl Point {
    fn effect(&mut self, evaluate: &mut Evaluate<'_>) -> Result<Effect, String> {
        let text = |text: &Option<String>| text.clone().filter(|text| !text.trim().is_empty());
        if let Some(condition) = text(&self.wanted.condition)
            && !evaluate(&condition)?.0
        {
            return Ok(Effect::Pass);
        }
        self.hits += 1;
        if let Some(condition) = text(&self.wanted.hit_condition)
            && !counts(&condition, self.hits)?
        {
            return Ok(Effect::Pass);
        }
        let Some(message) = text(&self.wanted.log_message) else { return Ok(Effect::Halt) };
        Ok(Effect::Log(interpolated(&message, evaluate)))
    }

    fn shown(&self) -> Value {
        let mut shown = json!({
            "id": self.id,
            "verified": self.problem.is_none(),
        });
        if let Some(line) = self.line {
            shown["line"] = json!(line);
        }
        if let Some(address) = self.addresses.first() {
            shown["instructionReference"] = json!(format!("{address:#010x}"));
        }
        if let Some(problem) = &self.problem {
            shown["message"] = json!(problem);
            shown["reason"] = json!("failed");
        }
        shown
    }
}

fn shown(points: &[Point]) -> Value {
    json!({ "breakpoints": points.iter().map(Point::shown).collect::<Vec<_>>() })
}

/// Finds the code of a line.
fn of_line(point: &mut Point, path: &str, firmware: &Firmware) {
    (point.addresses, point.problem, point.line) = (Vec::new(), None, None);
    let lines = firmware.debug.lines();
    let Ok(line) = u32::try_from(point.wanted.line) else {
        point.problem = Some(format!("there is no line {}", point.wanted.line));
        return;
    };
    let files = lines.files(path);
    if lines.is_empty() {
        point.problem = Some(format!(
            "{} has no debug information: set debug = 2 in its profile in Cargo.toml, and build \
             it again",
            firmware.path.display()
        ));
    } else if files.is_empty() {
        point.problem = Some(format!("no code of {path} is in the firmware"));
    } else {
        point.addresses = beginnings(lines, &files, line, firmware);
        point.line = Some(line);
        if point.addresses.is_empty() {
            let next = lines.next_line(&files, line);
            let next = next.map(|next| format!("; the next line with code is {next}"));
            let next = next.unwrap_or_default();
            point.problem = Some(format!("no code is on line {line}{next}"));
        }
    }
}

/// The beginnings of a line's code: one in each function, and in each place into which one is
/// inlined, behind what the function begins with.
fn beginnings(lines: &Lines, files: &[u32], line: u32, firmware: &Firmware) -> Vec<u32> {
    let mut found: BTreeMap<(u32, Vec<Option<String>>), u32> = BTreeMap::new();
    for address in lines.beginnings(files, line) {
        let Some(function) = firmware.image.function_at(address) else { continue };
        let begin = function.address & !1;
        let end = begin.saturating_add(function.size);
        let places = firmware.locate(address).into_iter().map(|place| place.function).collect();
        let address = if address == begin { lines.behind_prologue(begin, end) } else { address };
        found.entry((begin, places)).or_insert(address);
    }
    let mut all: Vec<u32> = found.into_values().collect();
    all.sort_unstable();
    all.dedup();
    all
}

fn of_function(point: &mut Point, firmware: &Firmware) {
    (point.addresses, point.problem, point.line) = (Vec::new(), None, None);
    match symbols::resolve(&firmware.image, point.wanted.name.trim()) {
        Ok(address) => {
            let size = firmware.image.function_at(address).map_or(0, |function| function.size);
            let lines = firmware.debug.lines();
            let address = lines.behind_prologue(address, address.saturating_add(size));
            point.line = lines.at(address).map(|row| row.line);
            point.addresses = vec![address];
        }
        Err(error) => point.problem = Some(error.to_string()),
    }
}

/// The place of data that [`data_id`] has named.
fn range(wanted: &Wanted) -> Option<WatchedRange> {
    let (start, length) = wanted.data_id.split_once('+')?;
    let kind = match wanted.access_type.as_deref() {
        Some("read") => AccessKind::Read,
        Some("readWrite") => AccessKind::Any,
        _ => AccessKind::Write,
    };
    let length = length.parse().ok().filter(|length| *length > 0)?;
    Some(WatchedRange { start: symbols::parse_number(start).ok()?, length, kind })
}

/// The name of a place of data.
pub fn data_id(address: u32, length: u32) -> String {
    format!("{address:#010x}+{length}")
}

/// Whether a count of hits fulfils what is wanted of it: `5` or `>= 5`, `== 5`, `% 5` and so on.
/// A number alone lets the program pass until the count has reached it.
fn counts(condition: &str, hits: u64) -> Result<bool, String> {
    let condition = condition.trim();
    let digits = condition.find(|one: char| one.is_ascii_digit()).unwrap_or(condition.len());
    let (operator, number) = condition.split_at(digits);
    let wrong =
        || format!("\"{condition}\" is no count: write 5, >= 5, == 5, > 5, < 5, <= 5 or % 5");
    let number: u64 = number.trim().parse().map_err(|_| wrong())?;
    Ok(match operator.trim() {
        "" | ">=" => hits >= number,
        "=" | "==" => hits == number,
        ">" => hits > number,
        "<" => hits < number,
        "<=" => hits <= number,
        "%" => hits.checked_rem(number).ok_or_else(wrong)? == 0,
        _ => return Err(wrong()),
    })
}

/// A message with the values of what stands in braces.
fn interpolated(message: &str, evaluate: &mut Evaluate<'_>) -> String {
    let mut text = String::new();
    let mut rest = message;
    while let Some((before, behind)) = rest.split_once('{') {
        text.push_str(before);
        let Some((expression, behind)) = behind.split_once('}') else {
            text.push('{');
            rest = behind;
            continue;
        };
        match evaluate(expression) {
            Ok((_, value)) => text.push_str(&value),
            Err(problem) => text.push_str(&format!("<{problem}>")),
        }
        rest = behind;
    }
    text + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_compared_as_asked() {
        for (condition, hits, holds) in [
            ("3", 2, false),
            ("3", 4, true),
            ("== 3", 4, false),
            (" =3", 3, true),
            ("% 2", 4, true),
            ("%2", 5, false),
            ("<=1", 2, false),
        ] {
            assert_eq!(counts(condition, hits), Ok(holds), "{condition}");
        }
        for wrong in ["", "x", "% 0", "3 times", "~3", "-3"] {
            assert!(counts(wrong, 1).unwrap_err().contains("is no count"), "{wrong}");
        }
    }

    #[test]
    fn messages_show_values() {
        let mut evaluate = |name: &str| match name {
            "x" => Ok((true, "7".to_owned())),
            other => Err(format!("there is no {other}")),
        };
        let mut text = |message| interpolated(message, &mut evaluate);
        assert_eq!(text("x is {x}, y is {y}."), "x is 7, y is <there is no y>.");
        assert_eq!(text("open { and"), "open { and");
    }

    #[test]
    fn data_has_a_name_that_is_understood_again() {
        let wanted = Wanted { data_id: data_id(0x2000_0010, 4), ..Wanted::default() };
        let found = range(&wanted).unwrap();
        assert_eq!((found.start, found.length, found.kind), (0x2000_0010, 4, AccessKind::Write));
        for wrong in ["", "7", "x+4", "0x20000000+0"] {
            assert_eq!(range(&Wanted { data_id: wrong.into(), ..Wanted::default() }), None);
        }
    }
}
