//! HALs in new crates: what is refused, and what a crate with a HAL depends on.

use quintet_lab::new::chips::Families;
use quintet_lab::new::features::{EMBASSY, HAL};

use super::support::temporary;
use super::{files, new, nowhere};

/// Nothing is made with these features for this chip, and the message has this part.
fn refused(with: &str, chip: &[&str], part: &str) {
    let directory = nowhere(&format!("hals-{with}"), "blinky");
    new(&directory, &[chip, &["--with", with]].concat()).fails(120, &[part]);
    assert!(!directory.exists());
}

#[test]
fn a_hal_that_the_chip_has_not_is_refused_with_the_one_that_it_has() {
    let nucleo = ["--chip", "stm32f446re"];
    refused(
        "embassy-nrf",
        &nucleo,
        "embassy-nrf is not the HAL of stm32f446re: that is embassy-stm32, by --with embassy-stm32",
    );
    let none = "no HAL of Embassy is known for lm3s6965: leave out embassy-stm32";
    refused("defmt,embassy-stm32", &["--chip", "lm3s6965"], none);
    let board = temporary("new-hal.toml", b"like = \"stm32f103\"\nname = \"mine\"\n");
    let parts =
        "embassy is for a chip, and a board file names none: say the chip by --chip as well";
    refused("embassy", &["--board", &board], parts);
}

#[test]
fn a_hal_whose_drivers_block_is_refused_where_it_cannot_be() {
    let nucleo = ["--chip", "stm32f446re"];
    refused(
        "stm32f1xx-hal",
        &nucleo,
        "stm32f1xx-hal is not the HAL of stm32f446re: that is stm32f4xx-hal, by --with \
         stm32f4xx-hal",
    );
    refused("hal", &["--chip", "lm3s6965"], "no HAL is known for lm3s6965: leave out hal;");
    let both =
        "a crate has one HAL of its chip, because each owns the devices: take embassy or hal";
    refused("embassy-stm32,stm32f4xx-hal", &nucleo, both);
    let board = temporary("new-blocking-hal.toml", b"like = \"stm32f103\"\nname = \"mine\"\n");
    refused("hal", &["--board", &board], "hal is for a chip, and a board file names none");
}

/// The package of the HAL is the feature's other name, and the registers are the HAL's.
#[test]
fn the_name_of_the_hal_does_for_hal() {
    let families = Families::read().unwrap();
    for family in families.iter() {
        let Some(hal) = &family.hal else { continue };
        let with = |name: &str| files(family.typical().unwrap(), &[name.to_owned()]);
        let made = with(&hal.package);
        assert_eq!(made, with(HAL), "{}", family.name);
        let manifest: toml::Table = made["Cargo.toml"].parse().unwrap();
        let dependencies = manifest["dependencies"].as_table().unwrap();
        assert!(dependencies.contains_key(&hal.package), "{}", family.name);
        assert!(!dependencies.keys().any(|name| name.contains("pac")), "{}", family.name);
        let dispatchers = hal.dispatchers.join(", ");
        assert!(made["src/main.rs"].contains(&dispatchers), "{}: {dispatchers}", family.name);
    }
}

/// Chips of one family differ by what their size of flash stands for.
#[test]
fn the_size_of_the_flash_chooses_a_feature_of_the_hal() {
    let families = Families::read().unwrap();
    let sizes = [("t6", "[\"stm32f103\"]"), ("c8", "[\"stm32f103\", \"medium\"]")];
    let more = [("rc", "[\"stm32f103\", \"high\"]"), ("zg", "[\"stm32f103\", \"xl\"]")];
    for (rest, features) in sizes.into_iter().chain(more) {
        let chip = families.find(&format!("stm32f103{rest}")).unwrap();
        let made = files(chip, &[HAL.to_owned()]);
        let line = made["Cargo.toml"].lines().find(|line| line.starts_with("stm32f1xx-hal"));
        assert!(line.unwrap().contains(features), "{rest}: {line:?}");
    }
}

/// The package of the HAL is the feature's other name.
#[test]
fn the_name_of_the_hal_does_for_embassy() {
    let families = Families::read().unwrap();
    for family in families.iter() {
        let Some(hal) = &family.embassy else { continue };
        let with = |name: &str| files(family.typical().unwrap(), &[name.to_owned()]);
        let made = with(&hal.package);
        assert_eq!(made, with(EMBASSY), "{}", family.name);
        let manifest: toml::Table = made["Cargo.toml"].parse().unwrap();
        let dependencies = manifest["dependencies"].as_table().unwrap();
        let hal = &dependencies[&hal.package];
        // The registers come from the HAL alone: two versions of them don't link.
        assert!(!dependencies.keys().any(|name| name.ends_with("pac")), "{}", family.name);
        // And time from Quintet alone.
        let features = hal["features"].as_array().unwrap();
        let has_time = features.iter().any(|name| name.as_str().unwrap().contains("time"));
        assert!(!has_time, "{}: {features:?}", family.name);
    }
}
