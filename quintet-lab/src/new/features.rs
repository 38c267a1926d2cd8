//! What `--with` can add to a new crate.

use anyhow::{Result, bail};

use super::Purpose;
use super::chips::{Chip, Hal};

/// The least likeness of a known name to an unknown one for which an error proposes the known name.
const LIKENESS_MIN: f64 = 0.7;

/// The features, each with the part of the application that the feature adds.
pub const FEATURES: [(&str, &str); 6] = [
    ("defmt", "the log is defmt's: levels, times and places, and little flash"),
    ("async", "a second async task, which waits for a channel"),
    ("actors", "an actor, which takes one event after the other"),
    ("threads", "a thread, which waits for a semaphore"),
    (EMBASSY, "a serial port by Embassy's HAL of the chip; the HAL's own name does as well"),
    (HAL, "the same by the HAL whose drivers block, as stm32f4xx-hal; its own name does"),
];

/// The feature that needs a HAL of Embassy for the chip.
pub const EMBASSY: &str = "embassy";

/// The feature that needs a HAL for the chip whose drivers block.
pub const HAL: &str = "hal";

/// The beginning of the names of Embassy's packages.
const PACKAGE_OF_EMBASSY: &str = "embassy-";

/// The end of the names of the other HALs' packages.
const PACKAGE_OF_HAL: &str = "-hal";

/// Returns the features with these names. The package of a HAL stands for the HAL's feature.
///
/// # Errors
/// A name that no feature has, with the names that there are; a HAL that is not the chip's; two
/// HALs.
pub fn check(wanted: &[String], purpose: &Purpose<'_>) -> Result<Vec<&'static str>> {
    let with: Vec<_> = wanted.iter().map(|name| named(name, purpose)).collect::<Result<_>>()?;
    if with.contains(&EMBASSY) && with.contains(&HAL) {
        bail!(
            "a crate has one HAL of its chip, because each owns the devices: take {EMBASSY} or \
             {HAL}"
        );
    }
    Ok(with)
}

/// Returns the feature with this name.
fn named(name: &str, purpose: &Purpose<'_>) -> Result<&'static str> {
    if name == EMBASSY || name.starts_with(PACKAGE_OF_EMBASSY) {
        check_embassy(name, purpose)?;
        return Ok(EMBASSY);
    }
    if name == HAL || name.ends_with(PACKAGE_OF_HAL) {
        check_hal(name, purpose)?;
        return Ok(HAL);
    }
    if let Some((known, _)) = FEATURES.iter().find(|(known, _)| *known == name) {
        return Ok(known);
    }
    if name == "processes" {
        bail!(
            "a crate with processes has more parts than one: the kernel, and a crate for each \
             application; begin with a copy of the directory examples/processes of Quintet"
        );
    }
    let known = FEATURES.map(|(known, _)| known);
    let likeness = |known: &str| strsim::jaro_winkler(name, known);
    let near = known.into_iter().max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
    let near = near.filter(|near| likeness(near) >= LIKENESS_MIN);
    let proposal = near.map_or(String::new(), |near| format!("; did you mean {near}?"));
    let end = if proposal.is_empty() { ";" } else { "" };
    bail!("--with has no \"{name}\"{proposal}{end} there are {}", known.join(", "));
}

/// Refuses a chip without a HAL of Embassy, and a package that is another chip's.
fn check_embassy(name: &str, purpose: &Purpose<'_>) -> Result<()> {
    let chip = chip(name, purpose)?;
    match &chip.family.embassy {
        None => bail!(
            "no HAL of Embassy is known for {}: leave out {name}; async tasks and embassy-time \
             work without a HAL",
            chip.name
        ),
        Some(hal) if name != EMBASSY => check_package(name, chip, hal),
        Some(_) => Ok(()),
    }
}

/// Refuses a chip without a HAL whose drivers block, and a package that is another chip's.
fn check_hal(name: &str, purpose: &Purpose<'_>) -> Result<()> {
    let chip = chip(name, purpose)?;
    match &chip.family.hal {
        None => bail!(
            "no HAL is known for {}: leave out {name}; src/board.rs then has the LED by the \
             chip's registers, where a crate has them",
            chip.name
        ),
        Some(hal) if name != HAL => check_package(name, chip, hal),
        Some(_) => Ok(()),
    }
}

/// Refuses the package of another chip's HAL.
fn check_package(name: &str, chip: &Chip<'_>, hal: &Hal) -> Result<()> {
    if name != hal.package {
        bail!("{name} is not the HAL of {}: that is {}, by --with {1}", chip.name, hal.package);
    }
    Ok(())
}

/// Returns the chip, which a HAL needs.
fn chip<'a>(name: &str, purpose: &'a Purpose<'_>) -> Result<&'a Chip<'a>> {
    let Some(chip) = &purpose.chip else {
        bail!(
            "{name} is for a chip, and a board file names none: say the chip by --chip as well \
             (`quintet new --list` shows all), or leave out {name} and add the HAL to Cargo.toml \
             of the new crate"
        );
    };
    Ok(chip)
}
