//! The chips of `stm32-metapac`, from the sources of its feature `metadata`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use super::family::{Chip, Files, Memory, family_text};
use super::value::{Value, statics};

/// Where memory outside of a chip begins.
const EXTERNAL: u64 = 0x6000_0000;

/// Makes the data of all chips.
///
/// # Errors
/// The sources can't be read, or have another form than is known.
pub fn files(sources: &Path, version: &str) -> Result<Files> {
    let mut shared: BTreeMap<String, (BTreeSet<String>, BTreeSet<String>)> = BTreeMap::new();
    let mut blocks = BTreeSet::new();
    let mut families: BTreeMap<String, Vec<Chip>> = BTreeMap::new();
    let mut names: Vec<_> = fs::read_dir(sources.join("src/chips"))?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.is_dir())
        .collect();
    names.sort();
    for path in names {
        let text = fs::read_to_string(path.join("metadata.rs"))?;
        let number = text.split("metadata_").nth(1).and_then(|rest| rest.get(..4));
        let number = number.with_context(|| path.display().to_string())?.to_owned();
        let metadata = statics(&text)?.into_iter().find(|(name, _)| name == "METADATA");
        let (_, metadata) = metadata.with_context(|| path.display().to_string())?;
        if !shared.contains_key(&number) {
            let file = sources.join(format!("src/chips/metadata_{number}.rs"));
            let lists = lists(&fs::read_to_string(file)?, &mut blocks)?;
            shared.insert(number.clone(), lists);
        }
        let (interrupts, devices) = shared[&number].clone();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let family = name[..7].to_owned();
        families.entry(family).or_default().push(Chip {
            priority_bits: metadata.number("nvic_priority_bits"),
            memories: memories(&metadata),
            name,
            interrupts,
            devices,
        });
    }
    let mut files = Files::new();
    for (family, chips) in &families {
        files.insert(
            format!("{family}.toml"),
            family_text(family, chips, &format!("stm32-metapac {version}"))?,
        );
    }
    files.insert("stm32-rules.toml".into(), super::rules::text(sources, &blocks, version)?);
    Ok(files)
}

/// The memories of a chip: ranges that follow each other are one.
fn memories(metadata: &Value) -> Vec<Memory> {
    let mut found: Vec<Memory> = Vec::new();
    let Some(Value::List(first)) = metadata.list("memory").first() else { return found };
    for region in first {
        let kind = match region.text("kind") {
            "Ram" => "ram",
            _ => "flash",
        };
        let name = region.text("name").to_lowercase().replace('_', "-");
        let name = if name.starts_with("bank-") { "flash".to_owned() } else { name };
        let (start, size) = (region.number("address"), region.number("size"));
        // Kept are the memories that a program is linked for. One-time memory is not.
        // and neither is what would be outside of the chip.
        if size == 0 || name == "otp" || start >= EXTERNAL {
            continue;
        }
        match found.last_mut() {
            // A second bank is behind the first, also where the data has it within.
            Some(last)
                if last.kind == kind && (last.start..=last.start + last.size).contains(&start) =>
            {
                last.size += size;
            }
            _ => found.push(Memory { name, kind, start, size }),
        }
    }
    found
}

/// The interrupts and the devices of a chip, a line each.
fn lists(
    text: &str,
    blocks: &mut BTreeSet<(String, String)>,
) -> Result<(BTreeSet<String>, BTreeSet<String>)> {
    let statics = statics(text)?;
    let list = |name: &str| -> Vec<Value> {
        match statics.iter().find(|(found, _)| found == name) {
            Some((_, Value::List(elements))) => elements.clone(),
            _ => Vec::new(),
        }
    };
    let mut numbers = BTreeMap::new();
    let mut interrupts = BTreeSet::new();
    for interrupt in list("INTERRUPTS") {
        let (name, number) = (interrupt.text("name"), interrupt.number("number"));
        numbers.insert(name.to_owned(), number);
        interrupts.insert(format!("{number:03} {name}"));
    }
    let mut devices = BTreeSet::new();
    for device in list("PERIPHERALS") {
        let registers = match device.field("registers") {
            Some(Value::Variant(_, registers)) => Some(&**registers),
            _ => None,
        };
        let block = registers.map_or_else(
            || "-".to_owned(),
            |registers| {
                let (kind, version) = (registers.text("kind"), registers.text("version"));
                let block = registers.text("block");
                blocks.insert((format!("{kind}_{version}"), block.to_owned()));
                if block.eq_ignore_ascii_case(kind) {
                    format!("{kind}_{version}")
                } else {
                    format!("{kind}_{version}:{block}")
                }
            },
        );
        let mut line = format!("{:08x} {} {block}", device.number("address"), device.text("name"));
        if let Some(Value::Variant(_, rcc)) = device.field("rcc")
            && let Some(Value::Variant(_, enable)) = rcc.field("enable")
            && device.text("name").starts_with("GPIO")
        {
            write!(line, " {}.{}", enable.text("register"), enable.text("field"))?;
        }
        let mut signals: Vec<(u64, Vec<&str>)> = Vec::new();
        for interrupt in device.list("interrupts") {
            let Some(&number) = numbers.get(interrupt.text("interrupt")) else { continue };
            let signal = interrupt.text("signal");
            match signals.iter_mut().find(|(found, _)| *found == number) {
                Some((_, list)) => list.push(signal),
                None => signals.push((number, vec![signal])),
            }
        }
        signals.sort();
        for (number, list) in signals {
            match list[..] {
                ["GLOBAL"] => write!(line, " {number}")?,
                _ => write!(line, " {}={number}", list.join(","))?,
            }
        }
        devices.insert(line);
    }
    Ok((interrupts, devices))
}
