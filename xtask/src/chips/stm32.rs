//! The chips of `stm32-metapac`, from the sources of its feature `metadata`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use super::value::{Value, statics};

/// What is known of a chip.
struct Chip {
    name: String,
    priority_bits: u64,
    memories: Vec<Memory>,
    interrupts: BTreeSet<String>,
    devices: BTreeSet<String>,
}

/// Where memory outside of a chip begins.
const EXTERNAL: u64 = 0x6000_0000;

struct Memory {
    name: String,
    kind: &'static str,
    start: u64,
    size: u64,
}

/// The files of data: the name and the text of each.
pub type Files = BTreeMap<String, String>;

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
        files.insert(format!("{family}.toml"), family_text(family, chips, version)?);
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

/// The interrupts and the devices of a group of chips.
type Lists<'a> = (&'a BTreeSet<String>, &'a BTreeSet<String>);
/// One of both.
type Pick = fn(&Lists<'_>) -> BTreeSet<String>;

/// The file of one family.
fn family_text(family: &str, chips: &[Chip], version: &str) -> Result<String> {
    // Chips with the same interrupts and devices are a group, which a letter names.
    let mut groups: Vec<Lists<'_>> = Vec::new();
    for chip in chips {
        let lists = (&chip.interrupts, &chip.devices);
        if !groups.contains(&lists) {
            groups.push(lists);
        }
    }
    let group = |chip: &Chip| {
        let lists = (&chip.interrupts, &chip.devices);
        letter(groups.iter().position(|found| *found == lists).unwrap_or_default())
    };
    let mut text = format!(
        "# {}, from stm32-metapac {version}. `cargo xtask chips` writes this file.\n\
         priority_bits = {}\n\n\
         # The group of each chip, then its memories: kind, name, first address, KiB.\n[chips]\n",
        family.to_uppercase(),
        chips.iter().map(|chip| chip.priority_bits).max().unwrap_or_default(),
    );
    for chip in chips {
        let memories = chip.memories.iter().map(|memory| {
            let Memory { name, kind, start, size } = memory;
            let size = match size % 1024 {
                0 => format!("{}", size / 1024),
                _ => format!("{size}B"),
            };
            format!("{kind} {name} {start:08x} {size}")
        });
        let memories = memories.collect::<Vec<_>>().join(", ");
        writeln!(text, "{} = \"{}, {memories}\"", chip.name, group(chip))?;
    }
    let rows = |text: &mut String, pick: Pick| {
        let mut all: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (index, lists) in groups.iter().enumerate() {
            for row in pick(lists) {
                all.entry(row).or_default().push(letter(index));
            }
        }
        for (row, of) in all {
            let of =
                if of.len() == groups.len() { String::new() } else { ranges(&of, groups.len()) };
            let _ = writeln!(text, "\"{row}\" = \"{of}\"");
        }
    };
    text.push_str(
        "\n# Number and name, and the groups that have it, if not all have.\n[interrupts]\n",
    );
    rows(&mut text, |lists| lists.0.clone());
    text.push_str(
        "\n# Address, name, block and version; of a port its clock's enable bit; interrupts, by\n\
         # signals where there are several. Then the groups.\n[devices]\n",
    );
    rows(&mut text, |lists| lists.1.clone());
    Ok(text)
}

/// The name of a group: a, b, .. z, aa, ab, ..
fn letter(index: usize) -> String {
    let last = char::from(b'a' + (index % 26) as u8);
    if index < 26 { last.to_string() } else { format!("{}{last}", letter(index / 26 - 1)) }
}

/// Groups that follow each other are written as `a-d`.
fn ranges(of: &[String], count: usize) -> String {
    let all: Vec<_> = (0..count).map(letter).collect();
    let mut text = String::new();
    let mut index = 0;
    while index < of.len() {
        let start = all.iter().position(|name| *name == of[index]).unwrap_or_default();
        let mut length = 1;
        while index + length < of.len() && all.get(start + length) == Some(&of[index + length]) {
            length += 1;
        }
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(&of[index]);
        if length > 1 {
            let _ = write!(text, "-{}", of[index + length - 1]);
        }
        index += length;
    }
    text
}
