//! Chips of the makers' data, each as a family of one chip.

use std::collections::BTreeMap;

use anyhow::Result;
use quintet_sim::board::Board;
use quintet_sim::chips::{Chip, Family as Data};

use super::{Family, Variant, nordic};
use crate::linker::Memories;
use crate::new::target;

/// The pin that blinks: most boards of the maker have an LED there.
const LED: &str = "PA5";

/// The port of this pin.
const PORT: &str = "GPIOA";

/// The series for which the template has the LED already.
const HAS_LED: &str = "stm32f4";

/// The interrupts of the levels: the first two that are there, of devices that the new application
/// doesn't use.
const DISPATCHERS: [&str; 6] = ["SPI", "I2C", "ADC", "TIM", "LPTIM", "EXTI"];

/// Returns the family of a chip, or `None` if the chip has no port A or too few interrupts.
///
/// # Errors
/// The data makes no valid board, or the board has no memories for a program.
pub(super) fn family(data: &Data, chip: &Chip) -> Result<Option<Family>> {
    if data.name.starts_with("nrf") {
        return nordic::family(data, chip);
    }
    let board = Board::named(&chip.name)?;
    let memories = Memories::of(&board)?;
    let devices = data.devices(chip);
    let port = devices.iter().find(|device| device.name == PORT);
    let dispatchers = dispatchers(data, chip, &DISPATCHERS);
    let (Some(port), [_, _]) = (port, dispatchers.as_slice()) else { return Ok(None) };
    let clock = port.clock.as_deref().and_then(|clock| clock.split_once('.'));
    let clock = clock.map(|(register, bit)| (register.to_lowercase(), bit.to_lowercase()));
    let capitals = chip.name.to_uppercase();
    let variant = Variant {
        flash: memories.code.length / 1024,
        ram: memories.data.length / 1024,
        probe: capitals.split('-').next().map(str::to_owned),
    };
    Ok(Some(Family {
        name: chip.name.clone(),
        board: chip.name.clone(),
        usual: String::new(),
        also: BTreeMap::new(),
        led: LED.to_owned(),
        lit: String::new(),
        target: target(board.core).to_owned(),
        clock_hz: board.clock_hz,
        timer: "systick".to_owned(),
        pac: "stm32-metapac = { version = \"21\", features = [\"NAME\", \"rt\"] }".to_owned(),
        device: "stm32_metapac".to_owned(),
        embassy: None,
        hal: None,
        dispatchers,
        led_block: String::new(),
        led_clock: clock.filter(|_| data.name != HAS_LED),
        has_early_ports: port.block == "gpio_v1",
        variants: BTreeMap::from([(String::new(), variant)]),
    }))
}

/// The interrupts for the levels: the first two whose names begin so.
pub(super) fn dispatchers(data: &Data, chip: &Chip, prefixes: &[&str]) -> Vec<String> {
    let interrupts = data.interrupts(chip);
    let of = |prefix: &str| {
        let names = interrupts.iter().map(|(_, name)| *name);
        names.filter(|name| name.starts_with(prefix)).map(str::to_owned).collect::<Vec<_>>()
    };
    prefixes.iter().flat_map(|prefix| of(prefix)).take(2).collect()
}
