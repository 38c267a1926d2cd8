//! Scopes, variables, and what a person sets or asks for.

use serde_json::{Value as Json, json};

use super::arguments as given;
use super::core::Debugged;
use super::expression::{self, Meaning, Names};
use super::names::{Here, text};
use super::points::data_id;
use super::session::Session;
use super::shown::{Function, Node};
use crate::debug::owner::is_library;
use crate::debug::values::{Shower, Value, parse_number};

/// At most so many variables are in one answer, unless the editor asks for a part.
const ANSWER_MAX: usize = 5000;

/// A variable for the editor: its name, its value, and which function's it is.
struct Line {
    name: String,
    value: Result<Value, &'static str>,
}

impl<M: Debugged> Session<'_, M> {
    /// Answers `scopes`.
    pub(super) fn scopes(&mut self, of: &given::Scopes) -> Result<Json, String> {
        let has_frame = !self.shown.function_at(of.frame_id)?.frame.registers.is_empty();
        let mut scopes = Vec::new();
        let mut add = |name: &str, hint: &str, number: usize, is_expensive: bool| {
            scopes.push(json!({
                "name": name,
                "presentationHint": hint,
                "variablesReference": number,
                "expensive": is_expensive,
            }));
        };
        if has_frame {
            add("Locals", "locals", self.shown.node(Node::Locals(of.frame_id)), false);
        }
        add("Statics", "globals", self.shown.node(Node::Statics), true);
        if has_frame {
            add("Registers", "registers", self.shown.node(Node::Registers(of.frame_id)), true);
        }
        add("Special registers", "registers", self.shown.node(Node::Special), true);
        Ok(json!({ "scopes": scopes }))
    }

    /// Answers `variables`.
    pub(super) fn variables(&mut self, of: &given::Variables) -> Result<Json, String> {
        let node = self.shown.node_at(of.variables_reference)?;
        let all = match node {
            Node::Locals(number) => self.locals(number)?,
            Node::Statics => self.statics(),
            Node::Registers(number) => self.registers(number)?,
            Node::Special => {
                let all = self.debugger.machine().special().into_iter();
                all.map(|special| {
                    let mut shown = word(special.name, special.value);
                    if !special.fields.is_empty() {
                        shown["variablesReference"] = json!(self.shown.node(Node::Fields(special)));
                    }
                    shown
                })
                .collect()
            }
            Node::Fields(special) => {
                let fields = special.fields.iter();
                fields.map(|(name, value)| plain(name, &value.to_string(), "u32")).collect()
            }
            Node::Value(value, function) => self.parts(&value, function, of)?,
        };
        let start = usize::try_from(of.start).unwrap_or(usize::MAX);
        let is_paged = matches!(self.shown.node_at(of.variables_reference)?, Node::Value(..));
        let all: Vec<Json> = if is_paged {
            all
        } else {
            let count = if of.count == 0 { ANSWER_MAX } else { of.count as usize };
            all.into_iter().skip(start).take(count).collect()
        };
        Ok(json!({ "variables": all }))
    }

    fn locals(&mut self, number: usize) -> Result<Vec<Json>, String> {
        let function = self.shown.function_at(number)?.clone();
        let here = self.here(&function);
        let variables = here.variables();
        drop(here);
        let mut lines: Vec<Line> = Vec::new();
        for variable in variables {
            let value = variable.content.map(|content| Value::new(content, variable.kind));
            let value = value.ok_or("<optimised out>");
            // A variable of an inner block hides one of the same name.
            lines.retain(|line| line.name != variable.name);
            lines.push(Line { name: variable.name, value });
        }
        Ok(lines.into_iter().map(|line| self.shown_line(line, Some(number))).collect())
    }

    fn statics(&mut self) -> Vec<Json> {
        let types = self.firmware.debug.types();
        let is_shown = |path: &str| {
            let root = path.trim_start_matches('<').split("::").next().unwrap_or_default();
            !path.contains("{vtable}")
                && !is_library(root)
                && root != "quintet"
                && !path.contains("__quintet_")
        };
        let mut all: Vec<(String, Value)> = types
            .statics()
            .filter(|(path, ..)| is_shown(path))
            .map(|(path, address, kind)| (path.to_owned(), Value::at(address, kind)))
            .collect();
        all.sort_by(|left, right| left.0.cmp(&right.0));
        all.dedup_by(|left, right| left.0 == right.0);
        let line = |(name, value)| Line { name, value: Ok(value) };
        all.into_iter().map(line).map(|line| self.shown_line(line, None)).collect()
    }

    fn registers(&mut self, number: usize) -> Result<Vec<Json>, String> {
        let function = self.shown.function_at(number)?;
        let names = self.debugger.machine().register_names();
        let mut all: Vec<Json> = names
            .iter()
            .zip(&function.frame.registers)
            .map(|(name, value)| match value {
                Some(value) => word(name, *value),
                None => plain(name, "<not kept by this frame>", "u32"),
            })
            .collect();
        all.push(word("pc", function.frame.address));
        Ok(all)
    }

    fn parts(
        &mut self,
        value: &Value,
        function: Option<usize>,
        of: &given::Variables,
    ) -> Result<Vec<Json>, String> {
        let here = self.anywhere();
        let shower = here.shower();
        let (elements, _) = shower.counts(value);
        let lines: Vec<Line> = if elements > 0 && of.filter.as_deref() != Some("named") {
            let count = if of.count == 0 { ANSWER_MAX as u32 } else { of.count };
            let all = shower.elements(value, of.start, count.min(ANSWER_MAX as u32)).into_iter();
            let numbers = of.start..;
            numbers
                .zip(all)
                .map(|(at, value)| Line { name: format!("[{at}]"), value: Ok(value) })
                .collect()
        } else if of.filter.as_deref() == Some("indexed") {
            Vec::new()
        } else {
            let parts = shower.parts(value).into_iter();
            parts.map(|(name, value)| Line { name, value: Ok(value) }).collect()
        };
        drop(here);
        Ok(lines.into_iter().map(|line| self.shown_line(line, function)).collect())
    }

    fn shown_line(&mut self, line: Line, function: Option<usize>) -> Json {
        let Line { name, value } = line;
        let value = match value {
            Ok(value) => value,
            Err(why) => return plain(&name, why, ""),
        };
        let here = self.anywhere();
        let mut shown = shown_value(&here.shower(), &value);
        drop(here);
        shown["name"] = json!(name);
        shown["value"] = shown["result"].take();
        if let Some(shown) = shown.as_object_mut() {
            shown.remove("result");
        }
        let has_parts = shown["namedVariables"].as_u64() != Some(0)
            || shown["indexedVariables"].as_u64() != Some(0);
        let number = if has_parts { self.shown.node(Node::Value(value, function)) } else { 0 };
        shown["variablesReference"] = json!(number);
        shown
    }

    fn here(&self, function: &Function) -> Here<'_, M> {
        let frame = (function.frame.clone(), function.place);
        Here::new(self.debugger.machine(), self.firmware, Some(frame))
    }

    fn anywhere(&self) -> Here<'_, M> {
        Here::new(self.debugger.machine(), self.firmware, None)
    }

    /// The names in a function that the editor has been shown; without one, those where the
    /// program stands.
    fn names(&self, frame: Option<usize>) -> Result<Here<'_, M>, String> {
        match frame {
            Some(number) if number > 0 => Ok(self.here(self.shown.function_at(number)?)),
            _ => {
                let frame = self.debugger.machine().calls(self.firmware).into_iter().next();
                let frame = frame.map(|frame| (frame, 0));
                Ok(Here::new(self.debugger.machine(), self.firmware, frame))
            }
        }
    }

    /// Answers `evaluate`.
    pub(super) fn evaluate(&mut self, of: &given::Evaluate) -> Result<Json, String> {
        if of.context.as_deref() == Some("repl")
            && let Some(answer) = self.command(of.expression.trim())
        {
            return Ok(json!({ "result": answer, "variablesReference": 0 }));
        }
        let here = self.names(of.frame_id)?;
        let meaning = expression::evaluate(&of.expression, &here)?;
        let Meaning::Value(value) = meaning else {
            return Ok(json!({ "result": text(&meaning, &here), "variablesReference": 0 }));
        };
        let mut shown = shown_value(&here.shower(), &value);
        drop(here);
        let has_parts = shown["namedVariables"].as_u64() != Some(0)
            || shown["indexedVariables"].as_u64() != Some(0);
        let number = if has_parts { self.shown.node(Node::Value(value, of.frame_id)) } else { 0 };
        shown["variablesReference"] = json!(number);
        Ok(shown)
    }

    /// A command of the console; none if the text is an expression.
    fn command(&self, text: &str) -> Option<String> {
        match text {
            "cycles" => {
                let machine = self.debugger.machine();
                let (cycles, instructions) = (machine.cycle(), machine.instructions());
                Some(format!("{cycles} cycles, {instructions} instructions"))
            }
            "help" => Some(
                "an expression: a variable or a path of its parts (queue.items[2].0), a static \
                 (app::COUNT), a register ($sp), memory (*0x20000000), sums and comparisons; or \
                 cycles, help"
                    .into(),
            ),
            _ => None,
        }
    }

    /// Answers `setVariable`.
    pub(super) fn set_variable(&mut self, of: &given::Set) -> Result<Json, String> {
        let none = || format!("there is no variable {}", of.name);
        match self.shown.node_at(of.variables_reference)? {
            Node::Locals(number) => {
                let function = self.shown.function_at(number)?.clone();
                let here = self.here(&function);
                let value = here.variable(&of.name).ok_or_else(none)??;
                drop(here);
                self.set(&value, Some(number), &of.value)
            }
            Node::Statics => {
                let here = self.anywhere();
                let value = here.variable(&of.name).ok_or_else(none)??;
                drop(here);
                self.set(&value, None, &of.value)
            }
            Node::Registers(number) => {
                if !self.shown.function_at(number)?.is_current {
                    return Err("only registers of the function that runs can be set".into());
                }
                self.set_register(&of.name, &of.value)
            }
            Node::Special => self.set_register(&of.name, &of.value),
            Node::Fields(_) => Err("set the whole register".into()),
            Node::Value(value, function) => {
                let here = self.anywhere();
                let shower = here.shower();
                let index = of.name.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
                let part = match index.and_then(|index| index.parse().ok()) {
                    Some(index) => shower.elements(&value, index, 1).pop(),
                    None => {
                        let mut parts = shower.parts(&value).into_iter();
                        parts.find(|(name, _)| *name == of.name).map(|(_, part)| part)
                    }
                };
                drop(here);
                self.set(&part.ok_or_else(none)?, function, &of.value)
            }
        }
    }

    /// Answers `setExpression`.
    pub(super) fn set_expression(&mut self, of: &given::Set) -> Result<Json, String> {
        let name = of.expression.trim();
        if let Some(name) = name.strip_prefix('$') {
            return self.set_register(name, &of.value);
        }
        let here = self.names(of.frame_id)?;
        let meaning = expression::evaluate(name, &here)?;
        drop(here);
        match meaning {
            Meaning::Value(value) => self.set(&value, of.frame_id, &of.value),
            _ => Err(format!("{name} is no variable that could be set")),
        }
    }

    fn set(&mut self, value: &Value, function: Option<usize>, to: &str) -> Result<Json, String> {
        let here = self.names(function)?;
        let bytes = match expression::evaluate(to, &here) {
            // A number of another variable or a sum, written out.
            Ok(meaning @ (Meaning::Number(_) | Meaning::Value(_))) => {
                let number = expression::number(&meaning, &here);
                number.map_or_else(
                    |_| here.shower().parse(value, to),
                    |number| here.shower().parse(value, &number.to_string()),
                )
            }
            _ => here.shower().parse(value, to),
        }?;
        drop(here);
        if let Some(address) = value.address() {
            let written = self.debugger.change(|machine| machine.write_memory(address, &bytes));
            written.map_err(|error| error.to_string())?;
        } else if let Some(register) = value.register() {
            let is_current = match function {
                Some(number) => self.shown.function_at(number)?.is_current,
                None => true,
            };
            if !is_current {
                return Err(
                    "the variable is in a register that a called function may have saved: \
                            step out to it first"
                        .into(),
                );
            }
            self.set_word(register.into(), &bytes)?;
        } else {
            return Err("the compiler keeps this variable in no place of its own, so it can't be \
                        set here"
                .into());
        }
        Ok(json!({ "value": to }))
    }

    fn set_word(&mut self, register: usize, bytes: &[u8]) -> Result<(), String> {
        let before = self.debugger.machine().register(register).unwrap_or(0);
        let mut word = before.to_le_bytes();
        let count = bytes.len().min(word.len());
        word[..count].copy_from_slice(&bytes[..count]);
        let value = u32::from_le_bytes(word);
        let is_set = self.debugger.change(|machine| machine.set_register(register, value));
        if is_set { Ok(()) } else { Err("there is no such register".into()) }
    }

    fn set_register(&mut self, name: &str, to: &str) -> Result<Json, String> {
        let value = parse_number(to).and_then(|number| {
            u32::try_from(number)
                .ok()
                .or_else(|| i32::try_from(number).ok().map(i32::cast_unsigned))
        });
        let value = value.ok_or_else(|| format!("\"{to}\" is no number of 32 bits"))?;
        let number = self.debugger.machine().register_names().iter().position(|one| *one == name);
        let is_set = match number {
            Some(number) => self.debugger.change(|machine| machine.set_register(number, value)),
            None => self.debugger.change(|machine| machine.set_special(name, value)),
        };
        if !is_set {
            return Err(format!("the register {name} can't be set"));
        }
        Ok(json!({ "value": format!("{value:#010x}") }))
    }

    /// Answers `dataBreakpointInfo`.
    pub(super) fn data_info(&mut self, of: &given::DataInfo) -> Result<Json, String> {
        let value = match of.variables_reference.filter(|number| *number > 0) {
            Some(number) => match self.shown.node_at(number)? {
                Node::Value(value, _) => {
                    let here = self.anywhere();
                    let shower = here.shower();
                    let index = of.name.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
                    match index.and_then(|index| index.parse().ok()) {
                        Some(index) => shower.elements(&value, index, 1).pop(),
                        None => {
                            let mut parts = shower.parts(&value).into_iter();
                            parts.find(|(name, _)| *name == of.name).map(|(_, part)| part)
                        }
                    }
                }
                Node::Locals(number) => {
                    let here = self.here(self.shown.function_at(number)?);
                    here.variable(&of.name).and_then(Result::ok)
                }
                _ => self.anywhere().variable(&of.name).and_then(Result::ok),
            },
            None => {
                let here = self.names(of.frame_id)?;
                match expression::evaluate(&of.name, &here)? {
                    Meaning::Value(value) => Some(value),
                    _ => None,
                }
            }
        };
        let here = self.anywhere();
        let size = value.as_ref().map_or(0, |value| here.shower().size(value));
        let address = value.as_ref().and_then(Value::address).filter(|_| size > 0);
        Ok(match address {
            Some(address) => json!({
                "dataId": data_id(address, size),
                "description": format!("{size} bytes at {address:#010x}"),
                "accessTypes": ["read", "write", "readWrite"],
                "canPersist": false,
            }),
            None => json!({
                "dataId": null,
                "description": format!("{} is in no memory, so nothing can watch it", of.name),
            }),
        })
    }
}

/// A value as `evaluate` shows it.
fn shown_value(shower: &Shower<'_>, value: &Value) -> Json {
    let (elements, parts) = shower.counts(value);
    let mut shown = json!({
        "result": shower.text(value),
        "type": shower.type_name(value),
        "namedVariables": parts,
        "indexedVariables": elements,
    });
    if let Some(address) = value.address() {
        shown["memoryReference"] = json!(format!("{address:#010x}"));
    }
    shown
}

fn plain(name: &str, value: &str, kind: &str) -> Json {
    json!({ "name": name, "value": value, "type": kind, "variablesReference": 0 })
}

fn word(name: &str, value: u32) -> Json {
    let mut shown = plain(name, &format!("{value:#010x}"), "u32");
    shown["memoryReference"] = json!(format!("{value:#010x}"));
    shown
}
