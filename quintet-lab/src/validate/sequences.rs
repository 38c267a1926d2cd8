//! Instruction sequences measured on silicon: the file and its entries.
//!
//! An entry is a program of a few instructions with its registers, flags and memory, and the
//! difference of the two values of CYCCNT that two of its loads (the *brackets*) read. An entry may
//! carry *cases*: the same code measured with other operand values, a measurement each.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result, bail};
use quintet_sim::files;
use serde::{Deserialize, Deserializer};

/// The part of the file that is read here. Texts for people are left out.
#[derive(Deserialize)]
struct File {
    sequences: Vec<Sequence>,
}

/// One entry of the file.
#[derive(Clone, Debug, Deserialize)]
pub struct Sequence {
    /// The entry's identifier, unique in the file.
    pub id: String,
    /// The parts of the sequence, for people.
    pub name: String,
    /// The instruction class by which the report groups the sequence.
    pub topic: String,
    /// The measured cycles, of the first case where there are cases.
    pub cycles: u64,
    /// The positions in [`Self::instructions`] of the two loads of CYCCNT.
    pub bracket: [usize; 2],
    /// APSR before the first instruction.
    pub apsr: Hex,
    /// Registers before the first instruction, by name.
    pub regs: BTreeMap<String, Hex>,
    /// Memory that the instructions read.
    #[serde(default)]
    pub mem: Vec<Bytes>,
    /// Bytes beside the instructions, which the fetch unit may see.
    #[serde(default)]
    pub around: Vec<Bytes>,
    /// The device, when it is not the file's usual one.
    pub device: Option<String>,
    /// Special registers before the first instruction.
    #[serde(default)]
    pub sys: Option<SpecialRegisters>,
    /// The instructions, in the order of execution.
    #[serde(rename = "insns")]
    pub instructions: Vec<Step>,
    /// The same code with other operands.
    pub cases: Option<Cases>,
}

/// Special registers, where an entry names them.
#[derive(Clone, Copy, Debug, Deserialize)]
pub struct SpecialRegisters {
    /// PRIMASK.
    pub primask: u8,
    /// FAULTMASK.
    pub faultmask: u8,
    /// BASEPRI.
    pub basepri: u8,
    /// CONTROL.
    pub control: u8,
}

/// An executed instruction.
#[derive(Clone, Debug, Deserialize)]
pub struct Step(
    /// The instruction's address.
    pub Hex,
    /// The instruction's halfwords in program order, separated by blanks.
    pub String,
    /// The instruction's disassembly.
    pub String,
    /// The instruction's fate: taken or not, skipped under IT, operands.
    #[serde(default)]
    pub String,
    /// The instruction's data accesses.
    #[serde(default)]
    pub Vec<String>,
);

impl Step {
    /// The instruction's halfwords.
    pub fn halfwords(&self) -> Result<Vec<u16>> {
        let parse = |word| u16::from_str_radix(word, 16).with_context(|| format!("`{word}`"));
        self.1.split_whitespace().map(parse).collect()
    }

    /// A line for people.
    pub fn describe(&self) -> String {
        let Self(Hex(address), code, disassembly, note, accesses) = self;
        let line =
            format!("{address:08x}  {code:<10} {disassembly:<28} {note} {}", accesses.join(", "));
        line.trim_end().to_owned()
    }

    /// Returns the register that this load writes, if it is a load of one word.
    pub fn loaded_register(&self) -> Result<usize> {
        let halfwords = self.halfwords()?;
        let register = match halfwords.as_slice() {
            // LDR (immediate) T1 and (register) T1
            [first] if first >> 11 == 0b01101 || first >> 9 == 0b010_1100 => first & 7,
            // LDR (immediate) T2 and (literal) T1
            [first] if first >> 11 == 0b10011 || first >> 11 == 0b01001 => first >> 8 & 7,
            // LDR.W, all forms
            [first, second] if first & 0xff70 == 0xf850 => second >> 12,
            _ => bail!("`{}` at {:#010x} is not a load of a word", self.2, self.0.0),
        };
        Ok(usize::from(register))
    }
}

/// A table of measurements: names of registers, and rows with a value for each and the cycles at
/// the end.
#[derive(Clone, Debug, Deserialize)]
pub struct Cases {
    columns: Vec<String>,
    rows: Vec<Vec<serde_json::Value>>,
}

/// One row of [`Cases`].
pub struct Case {
    /// Register numbers and values that replace the entry's own.
    pub registers: Vec<(usize, u32)>,
    /// The measured cycles.
    pub cycles: u64,
}

impl Sequence {
    /// Returns every measurement of the entry: its rows, or the entry itself if it has none.
    pub fn cases(&self) -> Result<Vec<Case>> {
        match &self.cases {
            None => Ok(vec![Case { registers: Vec::new(), cycles: self.cycles }]),
            Some(cases) => cases.rows.iter().map(|row| cases.parse(row)).collect(),
        }
    }

    /// The registers before the first instruction, by number.
    pub fn registers(&self) -> Result<Vec<(usize, u32)>> {
        self.regs.iter().map(|(name, value)| Ok((register_number(name)?, value.0))).collect()
    }
}

impl Cases {
    fn parse(&self, row: &[serde_json::Value]) -> Result<Case> {
        if row.len() != self.columns.len() {
            bail!("a case has {} values for {} columns", row.len(), self.columns.len());
        }
        let mut case = Case { registers: Vec::new(), cycles: 0 };
        for (column, value) in self.columns.iter().zip(row) {
            if column == "cycles" {
                case.cycles = value.as_u64().context("a case's cycles are not a number")?;
            } else {
                let text = value.as_str().context("a case's register is not a string")?;
                case.registers.push((register_number(column)?, parse_hex(text)?));
            }
        }
        Ok(case)
    }
}

/// Bytes at an address, both in hexadecimal.
#[derive(Clone, Debug, Deserialize)]
pub struct Bytes(pub Hex, String);

impl Bytes {
    /// The bytes.
    pub fn bytes(&self) -> Result<Vec<u8>> {
        let digits = self.1.as_bytes();
        if !digits.len().is_multiple_of(2) || !digits.is_ascii() {
            bail!("`{}` is not a row of bytes", self.1);
        }
        (0..digits.len() / 2)
            .map(|index| {
                u8::from_str_radix(&self.1[2 * index..2 * index + 2], 16)
                    .with_context(|| format!("`{}` is not a row of bytes", self.1))
            })
            .collect()
    }
}

/// A word written in hexadecimal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hex(pub u32);

impl<'de> Deserialize<'de> for Hex {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        parse_hex(&text).map(Hex).map_err(serde::de::Error::custom)
    }
}

fn parse_hex(text: &str) -> Result<u32> {
    u32::from_str_radix(text.trim_start_matches("0x"), 16)
        .with_context(|| format!("`{text}` is not a hexadecimal word"))
}

fn register_number(name: &str) -> Result<usize> {
    match name {
        "sp" => return Ok(13),
        "lr" => return Ok(14),
        _ => {}
    }
    match name.strip_prefix('r').and_then(|digits| digits.parse().ok()) {
        Some(number) if number < 15 => Ok(number),
        _ => bail!("`{name}` is not a register"),
    }
}

/// The longest file of sequences, in bytes.
const BYTES_MAX: u64 = 64 << 20;

/// Reads a file of sequences.
pub fn load(path: &Path) -> Result<Vec<Sequence>> {
    let read = files::read(path, BYTES_MAX);
    let bytes = read.with_context(|| format!("can't read {}", path.display()))?;
    parse(&String::from_utf8_lossy(&bytes))
        .with_context(|| format!("{} is not a file of sequences", path.display()))
}

fn parse(text: &str) -> Result<Vec<Sequence>> {
    Ok(serde_json::from_str::<File>(text)?.sequences)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = r#"{"device": {}, "sequences": [
        {"id": "A", "name": "sdiv", "topic": "div", "code": "flash", "data": [], "cycles": 5,
         "bracket": [1, 3], "apsr": "20000000", "regs": {"r0": "e0001000", "sp": "20000020"},
         "around": [["080007d0", "00bf"]], "mem": [["20000000", "0102ff"]],
         "insns": [["080007c0", "f3bf 8f6f", "isb sy"],
                   ["080007c4", "f8d0 4004", "ldr.w r4, [r0, #4]", "", ["r4 dwt e0001004"]],
                   ["080007c8", "fb96 f5f7", "sdiv r5, r6, r7", "in:r6=1"],
                   ["080007cc", "6845", "ldr r5, [r0, #4]", "", ["r4 dwt e0001004"]]],
         "cases": {"columns": ["r6", "r7", "cycles"],
                   "rows": [["1", "ffffffff", 5], ["0", "2", 4]]}}]}"#;

    #[test]
    fn an_entry_with_trailing_columns_left_out_is_read() {
        let sequence = &parse(FILE).unwrap()[0];
        assert_eq!(sequence.apsr, Hex(0x2000_0000));
        assert_eq!(sequence.registers().unwrap(), [(0, 0xe000_1000), (13, 0x2000_0020)]);
        assert_eq!(sequence.mem[0].bytes().unwrap(), [1, 2, 0xff]);
        assert_eq!(sequence.instructions[0].halfwords().unwrap(), [0xf3bf, 0x8f6f]);
    }

    #[test]
    fn brackets_name_the_register_that_they_load() {
        let sequence = &parse(FILE).unwrap()[0];
        assert_eq!(sequence.instructions[1].loaded_register().unwrap(), 4);
        assert_eq!(sequence.instructions[3].loaded_register().unwrap(), 5);
        assert!(sequence.instructions[2].loaded_register().is_err());
    }

    #[test]
    fn each_row_of_the_cases_is_a_measurement() {
        let cases = parse(FILE).unwrap()[0].cases().unwrap();
        assert_eq!(cases.len(), 2);
        assert_eq!(cases[0].registers, [(6, 1), (7, 0xffff_ffff)]);
        assert_eq!(cases[1].cycles, 4);
    }

    #[test]
    fn what_is_no_hexadecimal_or_no_register_is_refused() {
        assert!(parse(&FILE.replace("20000000\", \"regs", "2g\", \"regs")).is_err());
        assert!(parse(&FILE.replace("\"r0\"", "\"pc\"")).unwrap()[0].registers().is_err());
        assert!(parse(&FILE.replace("0102ff", "0102f")).unwrap()[0].mem[0].bytes().is_err());
    }
}
