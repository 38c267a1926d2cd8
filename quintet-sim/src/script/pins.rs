//! The names of pins.

use super::Refusal;
use crate::board::{DeviceDescription, Parts};
use crate::peripherals::{DeviceKind, is_sio};

/// The GPIO and pin of a name such as "PA0", "P0.3" or, of RP2040, "GP25". Otherwise the field and
/// what is wrong with it.
pub fn find_pin(name: &str, board: Parts<'_>) -> Result<(usize, u8), Refusal> {
    let is_rp2040 = board.devices.iter().any(|device| is_sio(device.kind));
    let parts = || {
        if is_rp2040 && let Some(number) = name.strip_prefix("GP") {
            let number = number.strip_prefix("IO").unwrap_or(number);
            return Some(("0", number.parse().ok()?));
        }
        let rest = name.strip_prefix('P')?;
        let port = rest.get(..1)?;
        let number = rest.get(1..)?;
        let pin: u8 = number.strip_prefix('.').unwrap_or(number).parse().ok()?;
        Some((port, pin))
    };
    let Some((port, pin)) = parts() else {
        let forms = if is_rp2040 { "\"GP25\"" } else { "\"PA0\" or \"P0.3\"" };
        return Err(("pin", format!("\"{name}\" is not of the form {forms}")));
    };
    let has_port = |device: &DeviceDescription| device.port.as_deref() == Some(port);
    let Some(device) = board.devices.iter().position(has_port) else {
        let known: Vec<_> =
            board.devices.iter().filter_map(|device| device.port.as_deref()).collect();
        let known = match known.as_slice() {
            [] => format!("the board {} has no pins", board.name),
            known => format!("there are {}", known.join(", ")),
        };
        return Err(("pin", format!("no port \"{port}\"; {known}")));
    };
    let last = last_pin(board.devices[device].kind);
    if pin > last {
        return Err(("pin", format!("{pin} is beyond the last pin, {last}")));
    }
    Ok((device, pin))
}

/// The number of the last pin of a port.
const fn last_pin(kind: DeviceKind) -> u8 {
    match kind {
        DeviceKind::Mps2Fpgaio => 3,
        DeviceKind::Lm3sGpio => 7,
        kind if is_sio(kind) => 29,
        DeviceKind::NrfGpio => 31,
        _ => 15,
    }
}
