//! The registers that start-up code waits for. Their rules come from the names of fields, in
//! `chips/stm32-rules.toml`; the values after a reset, which the makers' data lacks, stand here.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use crate::board::BoardError;
use crate::peripherals::{Follow, RegisterDescription};

const RULES: &str = include_str!("../../chips/stm32-rules.toml");

/// The rules of each register, of each block.
type Rules = BTreeMap<String, BTreeMap<String, String>>;

/// Values after a reset that start-up code relies on: block, offset, value. From the reference
/// manuals: the oscillator on which a chip starts is on.
const RESETS: [(&str, u32, u32); 26] = [
    ("rcc_c0", 0x00, 0x1100),
    ("rcc_f0", 0x00, 0x81),
    ("rcc_f1", 0x00, 0x81),
    ("rcc_f3", 0x00, 0x81),
    ("rcc_f2", 0x00, 0x81),
    ("rcc_f4", 0x00, 0x81),
    ("rcc_f7", 0x00, 0x81),
    ("rcc_g0", 0x00, 0x100),
    ("rcc_g4", 0x00, 0x100),
    ("rcc_h5", 0x00, 0x09),
    ("rcc_h7", 0x00, 0x01),
    ("rcc_l0", 0x00, 0x100),
    ("rcc_l1", 0x00, 0x100),
    ("rcc_l4", 0x00, 0x61),
    ("rcc_l5", 0x00, 0x61),
    ("rcc_u0", 0x00, 0x61),
    ("rcc_u3", 0x00, 0x01),
    ("rcc_u5", 0x00, 0x11),
    ("rcc_wba", 0x00, 0x100),
    ("rcc_wb", 0x00, 0x61),
    ("rcc_wl", 0x00, 0x61),
    ("pwr_l0", 0x00, 0x1000),
    ("pwr_l1", 0x00, 0x1000),
    ("pwr_l4", 0x00, 0x200),
    ("pwr_g", 0x00, 0x200),
    ("pwr_f4", 0x00, 0xc000),
];

/// Returns the registers of a block that do more than remember.
///
/// # Errors
/// The rules can't be read.
pub fn of(block: &str) -> Result<Vec<RegisterDescription>, BoardError> {
    static ALL: LazyLock<Result<Rules, String>> =
        LazyLock::new(|| toml::from_str(RULES).map_err(|error| error.to_string()));

    let syntax =
        |message: String| BoardError::Syntax { origin: "the rules of STM32".to_owned(), message };
    let all = ALL.as_ref().map_err(|message| syntax(message.clone()))?;
    let key = block.replace(':', "-").to_lowercase();
    let mut registers = Vec::new();
    for (place, rule) in all.get(&key).into_iter().flatten() {
        let register =
            parse(place, rule).ok_or_else(|| syntax(format!("{key}: {place}: {rule}")))?;
        registers.push(register);
    }
    for (prefix, offset, value) in RESETS {
        // A longer name of a block goes before a shorter one.
        let is_longer = |other: &str| other.len() > prefix.len() && block.starts_with(other);
        if !block.starts_with(prefix) || RESETS.iter().any(|(other, ..)| is_longer(other)) {
            continue;
        }
        match registers.iter_mut().find(|register| register.offset == offset) {
            Some(register) => *register.reset.get_or_insert(0) |= value,
            None => registers.push(RegisterDescription {
                offset,
                reset: Some(value),
                ..RegisterDescription::default()
            }),
        }
    }
    Ok(registers)
}

/// A row: `"000 CR" = "1<0 17<16@24*2 =8 -80000000"`.
fn parse(place: &str, rule: &str) -> Option<RegisterDescription> {
    let (offset, name) = place.split_once(' ')?;
    let hex = |text: &str| u32::from_str_radix(text, 16).ok();
    let mut register = RegisterDescription {
        offset: hex(offset)?,
        name: Some(name.to_owned()),
        ..RegisterDescription::default()
    };
    for word in rule.split(' ') {
        if let Some(bits) = word.strip_prefix('=') {
            register.reset = Some(hex(bits)?);
            register.writable = Some(!hex(bits)?);
        } else if let Some(bits) = word.strip_prefix('-') {
            register.self_clears = hex(bits)?;
        } else {
            register.follow.push(follow(word)?);
        }
    }
    Some(register)
}

/// A part of it: `17<16@24*2`.
fn follow(word: &str) -> Option<Follow> {
    let (bit, rest) = word.split_once('<')?;
    let (rest, count) = rest.split_once('*').unwrap_or((rest, "1"));
    let (of, register) = match rest.split_once('@') {
        Some((of, register)) => (of, Some(u32::from_str_radix(register, 16).ok()?)),
        None => (rest, None),
    };
    Some(Follow {
        bit: bit.parse().ok()?,
        of: of.parse().ok()?,
        count: count.parse().ok()?,
        register,
        inverted: false,
        decode: false,
        latch: false,
        after_us: 0,
    })
}
