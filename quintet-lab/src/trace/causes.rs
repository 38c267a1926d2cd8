//! The causes of exceptions that code asked for: system calls, and interrupts that a store pends.

use quintet_sim::machine::Machine;

/// The classes of Tock's system calls, by the number in the instruction.
const CLASSES: [&str; 8] = [
    "yield",
    "subscribe",
    "command",
    "allow read-write",
    "allow read-only",
    "memop",
    "exit",
    "allow shared",
];
/// The classes for a driver: R0 has the driver's number, R1 the number of the call.
const FOR_DRIVERS: std::ops::RangeInclusive<usize> = 1..=4;
/// The first address of the processor's own registers, and the bits of an address that tell these
/// registers apart from the rest.
const PRIVATE: u32 = 0xe000_e000;
const PRIVATE_MASK: u32 = 0xffff_f000;
/// The interrupts that are looked at, in words of 32.
const WORDS: usize = 4;
/// The system's exceptions that a store can pend: PendSV and SysTick.
const SYSTEM: [u16; 2] = [14, 15];

/// Returns a process's system call in words, in the handler's first cycle; `None` for another
/// `svc`.
pub fn system_call(machine: &Machine, return_address: u32) -> Option<String> {
    let registers = &machine.processor.registers;
    if !registers.unprivileged_thread {
        return None;
    }
    let instruction = machine.read_halfword(return_address.wrapping_sub(2))?;
    let class = usize::from(instruction & 0xff);
    let name = CLASSES.get(class).filter(|_| instruction >> 8 == 0xdf)?;
    let [driver, number] = [registers.r[0], registers.r[1]];
    Some(match FOR_DRIVERS.contains(&class) {
        true => format!("{name} {driver:#x}, {number}"),
        false => (*name).to_owned(),
    })
}

/// The pending interrupts, to see the interrupts that a store pends.
#[derive(Clone, Copy, Default, Debug)]
pub struct Pending([u32; WORDS], [bool; 2]);

impl Pending {
    /// Looks behind the instruction at `from`. Returns the exceptions that became pending, and
    /// whether the instruction pended them, not a device.
    #[inline]
    pub fn look(&mut self, machine: &Machine, from: u32) -> (Vec<u16>, bool) {
        let table = &machine.processor.system.exceptions;
        let now = std::array::from_fn(|word| table.pending_word(word));
        if now == self.0 {
            return (Vec::new(), false);
        }
        let before = std::mem::replace(&mut self.0, now);
        let new = |word: usize| now[word] & !before[word];
        let interrupts = (0..32 * WORDS).filter(|one| new(one / 32) >> (one % 32) & 1 != 0);
        let exceptions = interrupts.map(|interrupt| interrupt as u16 + 16).collect();
        (exceptions, stores_to_own_registers(machine, from))
    }

    /// Returns which of PendSV and SysTick became pending.
    #[inline]
    pub fn look_at_system(&mut self, machine: &Machine) -> impl Iterator<Item = u16> + use<> {
        let table = &machine.processor.system.exceptions;
        let now = SYSTEM.map(|exception| table.is_pending(exception));
        let before = std::mem::replace(&mut self.1, now);
        let new = [now[0] && !before[0], now[1] && !before[1]];
        SYSTEM.into_iter().zip(new).filter(|(_, is_new)| *is_new).map(|(exception, _)| exception)
    }
}

/// Returns `true` if the instruction stores to an address in a register, and this address is among
/// the processor's own registers now.
fn stores_to_own_registers(machine: &Machine, from: u32) -> bool {
    let Some(instruction) = machine.read_halfword(from) else { return false };
    let base = match instruction {
        // STR with an offset, STR with a register.
        0x6000..=0x67ff | 0x5000..=0x51ff => instruction >> 3 & 7,
        // STR.W with 12 bits, with 8 bits or a register.
        _ if matches!(instruction & 0xfff0, 0xf8c0 | 0xf840) => instruction & 15,
        _ => return false,
    };
    machine.processor.registers.r[usize::from(base)] & PRIVATE_MASK == PRIVATE
}

#[cfg(test)]
mod tests {
    use super::*;
    use quintet_sim::board::Board;

    const CODE: u32 = 0x2000_0000;

    fn machine(instruction: u16) -> Machine {
        let mut machine = Machine::new(&Board::named("lm3s6965").unwrap());
        machine.write_memory(CODE, &instruction.to_le_bytes()).unwrap();
        machine
    }

    #[test]
    fn a_system_call_of_a_process_is_told_by_its_class() {
        let call = |instruction, unprivileged| {
            let mut machine = machine(instruction);
            machine.processor.registers.unprivileged_thread = unprivileged;
            machine.processor.registers.r[..2].copy_from_slice(&[1, 2]);
            system_call(&machine, CODE + 2)
        };
        assert_eq!(call(0xdf02, true).as_deref(), Some("command 0x1, 2"));
        assert_eq!(call(0xdf00, true).as_deref(), Some("yield"));
        assert_eq!(
            (call(0xdf09, true), call(0xdf00, false), call(0xbf00, true)),
            (None, None, None)
        );
    }

    #[test]
    fn only_a_store_to_its_own_registers_pends_by_itself() {
        let pended = |instruction, base| {
            let mut machine = machine(instruction);
            machine.processor.registers.r[1] = base;
            let mut pending = Pending::default();
            machine.pend(16 + 33);
            (pending.look(&machine, CODE), pending.look(&machine, CODE))
        };
        // STR R0, [R1]; STR.W R0, [R1, ..]; ADDS.
        assert_eq!(pended(0x6008, 0xe000_e200), ((vec![49], true), (vec![], false)));
        assert_eq!(pended(0xf8c1, 0xe000_e000).0, (vec![49], true));
        assert_eq!(pended(0x6008, 0x2000_0000).0, (vec![49], false));
        assert_eq!(pended(0x1c40, 0xe000_e200).0, (vec![49], false));
    }
}
