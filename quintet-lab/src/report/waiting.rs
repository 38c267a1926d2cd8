//! Firmware that waits for an interrupt which nothing will raise: it sleeps, and has set up a
//! device that nothing models and enabled the interrupt of that device.

use quintet_sim::board::DeviceDescription;
use quintet_sim::machine::Machine;
use quintet_sim::peripherals::DeviceKind;

/// The words in which the NVIC tells the enabled interrupts.
const ENABLED: u32 = 0xe000_e100;

/// RP2040's register of words for the second core: how many it took, when it is read.
const CORE_1_FIFO: u32 = 0x54;

/// What to do where firmware has spoken to a second core, which nothing models; none where not.
pub fn core_advice(machine: &Machine) -> Option<String> {
    let board = machine.board();
    let sio = board.devices.iter().find(|device| device.kind == DeviceKind::Rp2040Sio)?;
    let sent = machine.read_word(sio.base.wrapping_add(CORE_1_FIFO)).filter(|sent| *sent != 0)?;
    Some(format!(
        "it has sent {sent} word{} to core 1 by the FIFO of `{}` and gets no answer: the board has \
         one core. Run on core 0 what it starts there, or leave that out when it is simulated",
        if sent == 1 { "" } else { "s" },
        sio.name
    ))
}

/// What is said of devices that firmware has started, and whose work nothing does; none where there
/// is none.
pub fn started_advice(machine: &Machine) -> Option<String> {
    let board = machine.board();
    let is_started = |device: &&DeviceDescription| {
        device.registers.iter().filter(|register| register.starts != 0).any(|register| {
            let word = machine.read_word(device.base.wrapping_add(register.offset));
            word.is_some_and(|word| word & register.starts != 0)
        })
    };
    let started: Vec<_> = board.devices.iter().filter(is_started).map(named).collect();
    if started.is_empty() {
        return None;
    }
    Some(format!(
        "it has started {}, which nothing models: what {} would send, receive or do at pins has \
         not happened (`quintet boards {}` says what is not modelled)",
        started.join(" and "),
        if started.len() == 1 { "it" } else { "they" },
        board.name
    ))
}

/// What to do where firmware sleeps and may wait for such devices; none where there is none.
pub fn advice(machine: &Machine) -> Option<String> {
    let board = machine.board();
    let fresh = Machine::new(board);
    let awaited = |device: &&DeviceDescription| {
        is_unmodelled(device.kind)
            && device.interrupts.iter().any(|interrupt| is_enabled(machine, *interrupt))
            && is_set_up(machine, &fresh, device)
    };
    let awaited: Vec<_> = board.devices.iter().filter(awaited).map(named).collect();
    if awaited.is_empty() {
        return None;
    }
    Some(format!(
        "it has set up {} and enabled what {} would interrupt with, but nothing models {}, so that \
         no interrupt comes; leave out what waits for it when it is simulated (`quintet boards {}` \
         says what is not modelled)",
        awaited.join(", "),
        if awaited.len() == 1 { "it" } else { "they" },
        if awaited.len() == 1 { "that device" } else { "those devices" },
        board.name
    ))
}

fn named(device: &DeviceDescription) -> String {
    format!("`{}`", device.name)
}

/// Whether a kind of device does no work of its own.
pub const fn is_unmodelled(kind: DeviceKind) -> bool {
    matches!(kind, DeviceKind::Inert | DeviceKind::Registers)
}

fn is_enabled(machine: &Machine, interrupt: u16) -> bool {
    let word = machine.read_word(ENABLED + u32::from(interrupt / 32) * 4);
    word.is_some_and(|word| word >> (interrupt % 32) & 1 != 0)
}

/// Whether a register of the device is no longer what it is after a reset. An interrupt that only
/// software uses, as a dispatcher does, leaves its device alone.
fn is_set_up(machine: &Machine, fresh: &Machine, device: &DeviceDescription) -> bool {
    let words = (0..device.span()).step_by(4).map(|offset| device.base.wrapping_add(offset));
    words.into_iter().any(|address| machine.read_word(address) != fresh.read_word(address))
}

#[cfg(test)]
mod tests {
    use super::*;
    use quintet_sim::board::Board;

    #[test]
    fn a_state_machine_that_was_started_is_told() {
        let mut machine = Machine::new(&Board::named("rp2040").unwrap());
        assert_eq!(started_advice(&machine), None);
        machine.write_memory(0x5030_0000, &4_u32.to_le_bytes()).unwrap();
        let said = started_advice(&machine).unwrap();
        assert!(said.starts_with("it has started `pio1`, which nothing models"), "{said}");
        machine.write_memory(0x5030_0000, &0xf0_u32.to_le_bytes()).unwrap();
        assert_eq!(started_advice(&machine), None, "no machine is on");
    }
}
