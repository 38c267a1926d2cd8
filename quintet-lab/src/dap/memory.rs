//! Memory and code as they are.

use data_encoding::BASE64;
use serde_json::{Value, json};

use super::arguments as given;
use super::core::Debugged;
use super::session::Session;
use crate::firmware::symbols::parse_number;

/// At most so many bytes are in one answer.
const BYTES_MAX: i64 = 1 << 20;
/// At most so many instructions are in one answer.
const INSTRUCTIONS_MAX: i64 = 4096;

impl<M: Debugged> Session<'_, M> {
    /// Answers `readMemory`: as far as there is memory.
    pub(super) fn read_memory(&mut self, of: &given::Memory) -> Result<Value, String> {
        let start = address(of)?;
        let count = of.count.clamp(0, BYTES_MAX);
        let machine = self.debugger.machine();
        let readable = (0..count).map_while(|at| {
            let address = u32::try_from(i64::from(start) + at).ok()?;
            let mut byte = [0];
            machine.read_memory(address, &mut byte).ok().map(|()| byte[0])
        });
        let bytes: Vec<u8> = readable.collect();
        let unreadable = count - bytes.len() as i64;
        Ok(json!({
            "address": format!("{start:#010x}"),
            "data": BASE64.encode(&bytes),
            "unreadableBytes": unreadable,
        }))
    }

    /// Answers `writeMemory`.
    pub(super) fn write_memory(&mut self, of: &given::Memory) -> Result<Value, String> {
        let start = address(of)?;
        let bytes = BASE64.decode(of.data.as_bytes());
        let bytes = bytes.map_err(|error| format!("\"data\" is no base64: {error}"))?;
        let written = self.debugger.change(|machine| machine.write_memory(start, &bytes));
        written.map_err(|error| error.to_string())?;
        Ok(json!({ "bytesWritten": bytes.len() }))
    }

    /// Answers `disassemble`. In front of an address, instructions are counted back by two bytes.
    pub(super) fn disassemble(&mut self, of: &given::Memory) -> Result<Value, String> {
        let start = address(of)? & !1;
        let count = of.instruction_count.clamp(0, INSTRUCTIONS_MAX);
        let begin = self.instruction_at(
            start,
            of.instruction_offset.clamp(-INSTRUCTIONS_MAX, INSTRUCTIONS_MAX),
        );
        let mut at = begin;
        let mut instructions = Vec::new();
        for _ in 0..count {
            let (shown, length) = self.instruction(at);
            instructions.push(shown);
            at = at.wrapping_add(length);
        }
        Ok(json!({ "instructions": instructions }))
    }

    /// The address so many instructions behind or before another one.
    fn instruction_at(&self, start: u32, offset: i64) -> u32 {
        let length = |at: u32| self.debugger.machine().bits(at).map_or(2, M::length);
        if offset >= 0 {
            return (0..offset).fold(start, |at, _| at.wrapping_add(length(at)));
        }
        // From the beginning of the function, if that is far enough away, code is read in order.
        let count = usize::try_from(-offset).unwrap_or(0);
        let function = self.firmware.image.function_at(start).map(|function| function.address & !1);
        let Some(mut at) = function else { return start.wrapping_sub(2 * count as u32) };
        let mut before = Vec::new();
        while at < start && before.len() < usize::from(u16::MAX) {
            before.push(at);
            at = at.wrapping_add(length(at));
        }
        match before.len().checked_sub(count) {
            Some(index) => before.get(index).copied().unwrap_or(start),
            None => {
                let first = before.first().copied().unwrap_or(start);
                first.wrapping_sub(2 * (count - before.len()) as u32)
            }
        }
    }

    fn instruction(&self, at: u32) -> (Value, u32) {
        let machine = self.debugger.machine();
        let mut shown = json!({ "address": format!("{at:#010x}") });
        let Some(bits) = machine.bits(at) else {
            shown["instruction"] = json!("nothing is here");
            shown["presentationHint"] = json!("invalid");
            return (shown, 2);
        };
        let length = M::length(bits);
        let halves = (0..length / 2).map(|half| format!("{:04x}", bits >> (16 * half) & 0xffff));
        shown["instructionBytes"] = json!(halves.collect::<Vec<_>>().join(" "));
        shown["instruction"] = json!(self.in_words(at, bits));
        let function = self.firmware.image.function_at(at);
        if let Some(function) = function.filter(|function| function.address & !1 == at) {
            shown["symbol"] = json!(crate::firmware::symbols::demangle(&function.name));
        }
        if let Some(row) = self.firmware.debug.lines().at(at) {
            let path = self.firmware.debug.lines().path(row.file);
            shown["location"] = json!({ "path": path, "name": path.rsplit('/').next() });
            shown["line"] = json!(self.editor.line(row.line));
        }
        (shown, length)
    }

    /// The instruction as far as the simulator has words for it, with where it leads.
    fn in_words(&self, at: u32, bits: u32) -> String {
        use quintet_sim::cores::Target;
        let machine = self.debugger.machine();
        let mut text = machine.kind(at, bits);
        if text.is_empty() || machine.flow(at, bits).is_none() {
            return "no instruction".into();
        }
        let to = machine.flow(at, bits).map(|flow| flow.to);
        let Some(Target::NextOr(to) | Target::Always(to) | Target::Call(to)) = to else {
            return text;
        };
        text.push_str(&format!(" {to:#x}"));
        if let Some(function) = self.firmware.function(to) {
            text.push_str(&format!(" <{function}>"));
        }
        text
    }
}

fn address(of: &given::Memory) -> Result<u32, String> {
    let wrong = || format!("\"{}\" is no address", of.memory_reference);
    let base = parse_number(of.memory_reference.trim()).map_err(|_| wrong())?;
    u32::try_from(i64::from(base).saturating_add(of.offset)).map_err(|_| wrong())
}
