//! The fault status registers in words (B3.2.15 to B3.2.18).

use quintet_sim::cores::Core;
use quintet_sim::image::MemoryRange;
use quintet_sim::machine::Machine;

/// A bit of a status register: its position, its name, what it says.
type Bit = (u32, &'static str, &'static str);

/// The Configurable Fault Status Register: MemManage, BusFault and UsageFault in one.
const CONFIGURABLE: &[Bit] = &[
    (0, "IACCVIOL", "an instruction was fetched from a place that must not be executed"),
    (1, "DACCVIOL", "a load or store was refused by the memory protection unit or the memory map"),
    (3, "MUNSTKERR", "an exception return could not read its frame: refused by memory protection"),
    (4, "MSTKERR", "an exception entry could not write its frame: refused by memory protection"),
    (
        5,
        "MLSPERR",
        "floating-point registers could not be written into a frame: refused by memory protection",
    ),
    (8, "IBUSERR", "an instruction was fetched from where there is no memory"),
    (9, "PRECISERR", "a load or store reached nothing, or a device refused it"),
    (10, "IMPRECISERR", "a store some instructions ago reached nothing (it was buffered)"),
    (11, "UNSTKERR", "an exception return could not read its frame: no memory there"),
    (
        12,
        "STKERR",
        "an exception entry could not write its frame: no memory there (stack overflow?)",
    ),
    (13, "LSPERR", "floating-point registers could not be written into a frame: no memory there"),
    (16, "UNDEFINSTR", "an undefined instruction was executed"),
    (
        17,
        "INVSTATE",
        "a jump went to an even address (bit 0 must be set), or the IT state is wrong",
    ),
    (
        18,
        "INVPC",
        "an exception return failed its checks: the value in the PC or the frame is wrong",
    ),
    (
        19,
        "NOCP",
        "an instruction for a coprocessor that this core does not have, or that CPACR keeps off",
    ),
    (24, "UNALIGNED", "an access to an address that is not a multiple of its size"),
    (25, "DIVBYZERO", "a division by zero"),
];

/// The HardFault Status Register.
const HARD: &[Bit] = &[
    (1, "VECTTBL", "the vector table could not be read"),
    (30, "FORCED", "another fault became a HardFault, because its handler is disabled or masked"),
    (31, "DEBUGEVT", "a breakpoint instruction was executed and no debugger is attached"),
];

const MEMORY_ADDRESS_VALID: u32 = 1 << 7;
const BUS_ADDRESS_VALID: u32 = 1 << 15;

/// The fault registers of the System Control Block.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Serialize)]
pub struct FaultStatus {
    /// CFSR, at 0xE000ED28.
    pub cfsr: u32,
    /// HFSR, at 0xE000ED2C.
    pub hfsr: u32,
    /// MMFAR, at 0xE000ED34.
    pub mmfar: u32,
    /// BFAR, at 0xE000ED38.
    pub bfar: u32,
}

/// In CFSR: an exception's frame could not be written. What lies there is something else.
pub const STACKING: u32 = 1 << 4 | 1 << 12;

impl FaultStatus {
    /// Reads the registers as a debugger does; what cannot be read counts as 0.
    pub fn read(word: impl Fn(u32) -> Option<u32>) -> Self {
        let register = |address| word(address).unwrap_or(0);
        Self {
            cfsr: register(0xe000_ed28),
            hfsr: register(0xe000_ed2c),
            mmfar: register(0xe000_ed34),
            bfar: register(0xe000_ed38),
        }
    }

    /// Returns `true` if any fault is recorded.
    pub fn any(&self) -> bool {
        self.cfsr != 0 || self.hfsr != 0
    }

    /// One sentence for each bit that is set, the cause before its consequence.
    pub fn words(&self) -> Vec<String> {
        let mut sentences = Vec::new();
        for (bit, name, meaning) in set_bits(CONFIGURABLE, self.cfsr) {
            let address = match bit {
                1 if self.cfsr & MEMORY_ADDRESS_VALID != 0 => Some(self.mmfar),
                9 if self.cfsr & BUS_ADDRESS_VALID != 0 => Some(self.bfar),
                _ => None,
            };
            let place = address.map(|address| format!(" (address {address:#010x})"));
            sentences.push(format!("{name}: {meaning}{}", place.unwrap_or_default()));
        }
        for (_, name, meaning) in set_bits(HARD, self.hfsr) {
            sentences.push(format!("{name}: {meaning}"));
        }
        sentences
    }

    /// What the stack pointer suggests that the fault found; nothing where the stack that
    /// overflowed `is_named`.
    pub fn stack_advice(
        &self,
        pointer: u32,
        memories: &[MemoryRange],
        is_named: bool,
    ) -> Option<String> {
        let in_ram = memories.iter().any(|memory| {
            memory.writable && pointer >= memory.start && pointer - memory.start <= memory.size
        });
        let unstacked = in_ram && self.cfsr & STACKING != 0;
        (!is_named && (!in_ram || unstacked)).then(|| {
            let what = if unstacked {
                "there is no room for an exception's frame below the stack pointer"
            } else {
                "the stack pointer has left its memory"
            };
            format!(
                "{what} ({pointer:#010x}): probably a stack overflow; make the stack larger or the \
                 recursion shallower"
            )
        })
    }

    /// What the bits suggest.
    pub fn advice(&self) -> Vec<String> {
        const JUMPS: u32 = 1 | 1 << 8 | 1 << 17;
        const IMPRECISE: u32 = 1 << 10;
        let mut advice = Vec::new();
        if self.cfsr & JUMPS != 0 {
            advice.push(
                "a jump went wrong: look at the function pointer, or at the return address that \
                 was overwritten on the stack; LR tells who called"
                    .into(),
            );
        }
        if self.cfsr & IMPRECISE != 0 {
            advice.push("the store that failed is some instructions before the place shown".into());
        }
        advice
    }
}

fn set_bits(bits: &[Bit], value: u32) -> impl Iterator<Item = &Bit> {
    bits.iter().filter(move |(bit, ..)| value & (1 << bit) != 0)
}

/// The name of an exception by its number (B1.5.2).
pub fn exception_name(number: u16) -> String {
    Machine::handler_name(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bus_fault_names_its_address_and_its_escalation() {
        let status =
            FaultStatus { cfsr: 1 << 9 | 1 << 15, hfsr: 1 << 30, mmfar: 1, bfar: 0x7000_0004 };
        let words = status.words();
        assert_eq!(words.len(), 2);
        assert!(words[0].starts_with("PRECISERR:") && words[0].contains("0x70000004"));
        assert!(words[1].starts_with("FORCED:"));
    }

    #[test]
    fn an_address_that_is_not_valid_is_not_shown() {
        let status = FaultStatus { cfsr: 1 << 1, mmfar: 0x1234, ..FaultStatus::default() };
        assert!(!status.words()[0].contains("1234"));
    }

    #[test]
    fn every_bit_has_words() {
        let all = FaultStatus { cfsr: 0x030f_3f3b, hfsr: 0xc000_0002, ..FaultStatus::default() };
        assert_eq!(all.words().len(), CONFIGURABLE.len() + HARD.len());
        assert!(!FaultStatus::default().any());
        assert!(all.any());
    }

    #[test]
    fn registers_are_read_at_their_addresses() {
        let status =
            FaultStatus::read(|address| (address != 0xe000_ed38).then_some(address & 0xff));
        assert_eq!(status, FaultStatus { cfsr: 0x28, hfsr: 0x2c, mmfar: 0x34, bfar: 0 });
    }

    #[test]
    fn exceptions_have_names() {
        assert_eq!(exception_name(3), "HardFault");
        assert_eq!(exception_name(16), "IRQ 0");
        assert_eq!(exception_name(7), "reserved exception 7");
    }
}
