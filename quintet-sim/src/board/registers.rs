//! The checks of the registers that a board file describes.

use super::DeviceDescription;
use super::validate::{Refusal, refuse};
use crate::peripherals::{DeviceKind, Follow, RegisterDescription};

/// The most bytes of one device of registers: each of them is kept.
const SIZE_MAX: u32 = 0x1_0000;

/// Checks the registers of a device.
pub fn check(device: &DeviceDescription) -> Result<(), Refusal> {
    let place = |field: &str| format!("device \"{}\", {field}", device.name);
    if device.kind != DeviceKind::Registers {
        if device.registers.is_empty() {
            return Ok(());
        }
        let problem = format!(
            "only a device of the kind \"registers\" has them; this one is a \"{}\"",
            device.kind.name()
        );
        return refuse(place("register"), problem);
    }
    match device.size {
        None => {
            let problem = "the kind \"registers\" needs it: how many bytes of addresses there \
                           are, as 0x400";
            return refuse(place("size"), problem);
        }
        Some(size) if size > SIZE_MAX => {
            let problem = format!("is {size:#x}, beyond the limit of {SIZE_MAX:#x}; make it two");
            return refuse(place("size"), problem);
        }
        Some(_) => {}
    }
    for register in &device.registers {
        check_place(device, register)?;
        check_value(device, register)?;
        check_alias(device, register)?;
        check_interrupt(device, register)?;
        for follow in &register.follow {
            check_follow(device, register, follow)?;
        }
    }
    Ok(())
}

fn place(device: &DeviceDescription, register: &RegisterDescription, field: &str) -> String {
    format!("device \"{}\", register at {:#x}, {field}", device.name, register.offset)
}

/// The registers of a description, as their offsets.
fn offsets(register: &RegisterDescription) -> std::ops::Range<u64> {
    let first = u64::from(register.offset);
    first..first + 4 * u64::from(register.count)
}

fn check_place(device: &DeviceDescription, register: &RegisterDescription) -> Result<(), Refusal> {
    if !register.offset.is_multiple_of(4) {
        return refuse(place(device, register, "offset"), "must be a multiple of 4");
    }
    if register.count == 0 || (register.count > 1 && !register.follow.is_empty()) {
        let problem = "must be 1 or more, and 1 where bits follow; describe each by itself";
        return refuse(place(device, register, "count"), problem);
    }
    if offsets(register).end > u64::from(device.span()) {
        let problem = format!("ends behind the device's size of {:#x}", device.span());
        return refuse(place(device, register, "offset"), problem);
    }
    let mine = offsets(register);
    let meets = |other: &&RegisterDescription| {
        let theirs = offsets(other);
        mine.start < theirs.end && theirs.start < mine.end
    };
    if device.registers.iter().filter(meets).count() > 1 {
        let problem = "is described twice; put all that it does in one [[device.register]]";
        return refuse(place(device, register, "offset"), problem);
    }
    Ok(())
}

fn check_value(device: &DeviceDescription, register: &RegisterDescription) -> Result<(), Refusal> {
    let changes = register.reset.is_some()
        || register.writable.is_some()
        || register.read_clears | register.one_clears | register.self_clears != 0
        || !register.follow.is_empty();
    if register.constant.is_some() && changes {
        let problem = "stands alone: a register that changes has `reset` in its place";
        return refuse(place(device, register, "constant"), problem);
    }
    Ok(())
}

/// Refuses other fields in a register that sets or clears the bits of another one.
fn check_alias(device: &DeviceDescription, register: &RegisterDescription) -> Result<(), Refusal> {
    let (field, offset) = match (register.sets, register.clears) {
        (None, None) => return Ok(()),
        (Some(_), Some(_)) => {
            let problem = "is beside `clears`; a register does one of the two";
            return refuse(place(device, register, "sets"), problem);
        }
        (Some(offset), None) => ("sets", offset),
        (None, Some(offset)) => ("clears", offset),
    };
    check_other(device, register, field, offset)?;
    let own = register.reset.is_some() || register.constant.is_some();
    if own || !register.follow.is_empty() {
        let problem = format!(
            "the register reads as the one at {offset:#x}: put `reset`, `constant` and `follow` \
             there"
        );
        return refuse(place(device, register, field), problem);
    }
    if at(device, offset).is_some_and(|other| other.sets.is_some() || other.clears.is_some()) {
        let problem = format!("{offset:#x} has no bits of its own, it sets or clears others");
        return refuse(place(device, register, field), problem);
    }
    Ok(())
}

/// The description of the register at `offset`.
fn at(device: &DeviceDescription, offset: u32) -> Option<&RegisterDescription> {
    device.registers.iter().find(|other| offsets(other).contains(&u64::from(offset)))
}

/// Another register that a field names must be there.
fn check_other(
    device: &DeviceDescription,
    register: &RegisterDescription,
    field: &str,
    offset: u32,
) -> Result<(), Refusal> {
    if !offset.is_multiple_of(4) || offset >= device.span() {
        let problem = format!(
            "{offset:#x} is no register of the device: a multiple of 4 below {:#x}",
            device.span()
        );
        return refuse(place(device, register, field), problem);
    }
    Ok(())
}

fn check_interrupt(
    device: &DeviceDescription,
    register: &RegisterDescription,
) -> Result<(), Refusal> {
    let Some(interrupt) = &register.interrupt else { return Ok(()) };
    check_other(device, register, "interrupt, enable", interrupt.enable)?;
    if interrupt.enable_bit > 31 {
        let problem = format!("is {}; a register has bits 0 to 31", interrupt.enable_bit);
        return refuse(place(device, register, "interrupt, enable_bit"), problem);
    }
    if device.interrupts.is_empty() {
        let problem = "the device lists no `interrupts`: name the external interrupt there";
        return refuse(place(device, register, "interrupt"), problem);
    }
    Ok(())
}

fn check_follow(
    device: &DeviceDescription,
    register: &RegisterDescription,
    follow: &Follow,
) -> Result<(), Refusal> {
    let place = |field: &str| place(device, register, &format!("follow, {field}"));
    if follow.count == 0 || follow.count > 32 || (follow.decode && follow.count > 5) {
        let problem = "must be 1 to 32, and at most 5 with `decode`, where 5 bits choose one of 32";
        return refuse(place("count"), problem);
    }
    let fits = |first: u32, width: u32| u64::from(first) + u64::from(width) <= 32;
    if !fits(follow.bit, follow.width()) {
        let problem = format!("{} bits from {} on end behind bit 31", follow.width(), follow.bit);
        return refuse(place("bit"), problem);
    }
    if !fits(follow.of, follow.count) {
        let problem = format!("{} bits from {} on end behind bit 31", follow.count, follow.of);
        return refuse(place("of"), problem);
    }
    if let Some(offset) = follow.register {
        check_other(device, register, "follow, register", offset)?;
    }
    // Several may set a bit that stays.
    let meets =
        |other: &&Follow| other.mask() & follow.mask() != 0 && !(other.latch && follow.latch);
    let twice = register.follow.iter().filter(|other| !std::ptr::eq(*other, follow)).find(meets);
    if twice.is_some() {
        let problem =
            format!("bit {} or one above it follows twice; a bit follows one", follow.bit);
        return refuse(place("bit"), problem);
    }
    let source = follow.register.unwrap_or(register.offset);
    let followed = (u32::MAX >> (32 - follow.count)) << follow.of;
    let follows = at(device, source).into_iter().flat_map(|other| &other.follow);
    if let Some(other) = follows.into_iter().find(|other| other.mask() & followed != 0) {
        let problem = format!(
            "bit {} of the register at {source:#x} follows bit {} itself; name that one here",
            other.bit, other.of
        );
        return refuse(place("of"), problem);
    }
    Ok(())
}
