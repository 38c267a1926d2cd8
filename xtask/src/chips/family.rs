//! The file of a family: a row for each chip, interrupt and device.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use anyhow::Result;

/// What is known of a chip.
pub struct Chip {
    /// The name, in small letters.
    pub name: String,
    /// The bits of an interrupt's priority.
    pub priority_bits: u64,
    /// By their addresses.
    pub memories: Vec<Memory>,
    /// A row each.
    pub interrupts: BTreeSet<String>,
    /// A row each.
    pub devices: BTreeSet<String>,
}

/// A memory of a chip.
#[derive(Clone)]
pub struct Memory {
    /// The name.
    pub name: String,
    /// `flash` or `ram`.
    pub kind: &'static str,
    /// The first address.
    pub start: u64,
    /// In bytes.
    pub size: u64,
}

/// The files of data: the name and the text of each.
pub type Files = BTreeMap<String, String>;

/// The interrupts and the devices of a group of chips.
type Lists<'a> = (&'a BTreeSet<String>, &'a BTreeSet<String>);
/// One of both.
type Pick = fn(&Lists<'_>) -> BTreeSet<String>;

/// The file of one family, from the crate of this name and version.
///
/// # Errors
/// None: writing to a text doesn't fail.
pub fn family_text(family: &str, chips: &[Chip], source: &str) -> Result<String> {
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
        "# {}, from {source}. `cargo xtask chips` writes this file.\n\
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
