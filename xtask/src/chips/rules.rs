//! What start-up code waits for, from the names of fields: a clock is ready when it is on.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use anyhow::Result;

use super::value::{Value, statics};

/// The blocks whose ready bits are derived.
const KINDS: [&str; 4] = ["rcc_", "pwr_", "adc_", "flash_"];

struct Field {
    register: usize,
    name: String,
    bit: u64,
    bits: u64,
}

struct Register {
    name: String,
    offset: u64,
    fieldset: String,
}

/// The file of all blocks: registers by name, and the rules.
///
/// # Errors
/// A source file can't be read.
pub fn text(sources: &Path, blocks: &BTreeSet<(String, String)>, version: &str) -> Result<String> {
    let mut text = format!(
        "# Registers of STM32 whose bits follow others, from the names of fields in stm32-metapac\n\
         # {version}. `cargo xtask chips` writes this file.\n\
         #\n\
         # Offset and name, then: 2<0 for a bit that follows bit 0, 2<0@24 if bit 0 is in the\n\
         # register at 0x24, 2<0*3 for three bits from there on, =8 for bits that are always set,\n\
         # -8 for bits that are clear again after a write.\n"
    );
    for (block, name) in blocks {
        if !KINDS.iter().any(|kind| block.starts_with(kind)) {
            continue;
        }
        let file = fs::read_to_string(sources.join(format!("src/registers/{block}.rs")))?;
        let found = statics(&file)?;
        let Some((_, ir)) = found.into_iter().find(|(name, _)| name == "REGISTERS") else {
            continue;
        };
        let lines = rules(&ir, name);
        if lines.is_empty() {
            continue;
        }
        let suffix = name.to_lowercase();
        let is_usual = block.starts_with(&format!("{suffix}_"));
        let key = if is_usual { block.clone() } else { format!("{block}-{suffix}") };
        writeln!(text, "\n[{key}]")?;
        for (register, rule) in lines {
            writeln!(text, "\"{register}\" = \"{rule}\"")?;
        }
    }
    Ok(text)
}

/// The length and the stride of an array; one element without one.
fn array(value: &Value) -> (u64, u64) {
    match value.field("array") {
        Some(Value::Variant(_, inner)) => match &**inner {
            Value::Variant(kind, regular) if kind == "Regular" => {
                (regular.number("len"), regular.number("stride"))
            }
            _ => (1, 0),
        },
        _ => (1, 0),
    }
}

/// The registers and the fields of a block.
fn parts(ir: &Value, block: &str) -> (Vec<Register>, Vec<Field>) {
    let (mut registers, mut fields) = (Vec::new(), Vec::new());
    let blocks = ir.list("blocks");
    let Some(block) = blocks.iter().find(|found| found.text("name").eq_ignore_ascii_case(block))
    else {
        return (registers, fields);
    };
    for item in block.list("items") {
        let Some(Value::Variant(kind, inner)) = item.field("inner") else { continue };
        if kind != "Register" {
            continue;
        }
        let (count, stride) = array(item);
        for index in 0..count {
            let name = item.text("name").to_uppercase();
            registers.push(Register {
                name: if count > 1 { format!("{name}{index}") } else { name },
                offset: item.number("byte_offset") + index * stride,
                fieldset: inner.text("fieldset").to_owned(),
            });
        }
    }
    for (index, register) in registers.iter().enumerate() {
        let sets = ir.list("fieldsets");
        let Some(set) = sets.iter().find(|set| set.text("name") == register.fieldset) else {
            continue;
        };
        for field in set.list("fields") {
            let Some(Value::Variant(kind, offset)) = field.field("bit_offset") else { continue };
            if kind != "Regular" {
                continue;
            }
            let (count, stride) = array(field);
            for element in 0..count {
                let name = field.text("name");
                fields.push(Field {
                    register: index,
                    name: if count > 1 { format!("{name}#{element}") } else { name.to_owned() },
                    bit: offset.number("offset") + element * stride,
                    bits: field.number("bit_size"),
                });
            }
        }
    }
    (registers, fields)
}

/// The names that the field which a field follows may have; `None` if the field follows nothing.
fn followed(name: &str) -> Option<Vec<String>> {
    let (stem, element) = name.split_once('#').unwrap_or((name, ""));
    let element = if element.is_empty() { String::new() } else { format!("#{element}") };
    let with = |text: &str| format!("{text}{element}");
    if stem == "sws" {
        return Some(vec![with("sw")]);
    }
    if stem == "actvos" {
        return Some(vec![with("vos")]);
    }
    // A prescaler is applied.
    let prescaler = stem.strip_suffix('f').unwrap_or_default();
    if prescaler.ends_with("hpre") || matches!(prescaler, "ppre1" | "ppre2") {
        return Some(Vec::new());
    }
    if stem == "hsidivf" || stem == "adrdy" {
        return Some(if stem == "adrdy" { vec![with("aden")] } else { Vec::new() });
    }
    let base = stem.strip_suffix("rdyf").or_else(|| stem.strip_suffix("rdy"))?;
    Some(["on", "en", "den"].map(|end| with(&format!("{base}{end}"))).to_vec())
}

/// The rules of a block: offset and name of each register, and what its bits do.
fn rules(ir: &Value, block: &str) -> Vec<(String, String)> {
    let (registers, fields) = parts(ir, block);
    let mut lines = Vec::new();
    for (index, register) in registers.iter().enumerate() {
        // Flags of interrupts have the same names.
        if register.name.starts_with("CI") {
            continue;
        }
        let (mut rule, mut always, mut short) = (String::new(), 0u64, 0u64);
        for field in fields.iter().filter(|field| field.register == index) {
            if matches!(field.name.as_str(), "adcal") {
                short |= 1 << field.bit;
            }
            let Some(names) = followed(&field.name) else { continue };
            let is_followed = |found: &&Field| names.contains(&found.name);
            let here = fields.iter().filter(|found| found.register == index).find(is_followed);
            let found = here.or_else(|| fields.iter().find(is_followed));
            let mask = (1u64 << field.bits) - 1;
            match found {
                None if field.name.starts_with("act") && field.name != "actvosrdy" => {}
                None => always |= mask << field.bit,
                Some(found) => {
                    let _ = write!(rule, " {}<{}", field.bit, found.bit);
                    if found.register != index {
                        let _ = write!(rule, "@{:x}", registers[found.register].offset);
                    }
                    let bits = field.bits.min(found.bits);
                    if bits > 1 {
                        let _ = write!(rule, "*{bits}");
                    }
                }
            }
        }
        if always != 0 {
            let _ = write!(rule, " ={always:x}");
        }
        if short != 0 {
            let _ = write!(rule, " -{short:x}");
        }
        if !rule.is_empty() {
            lines.push((format!("{:03x} {}", register.offset, register.name), rule.trim().into()));
        }
    }
    lines
}
