//! A machine's state at a moment, to go back to, without a copy of its whole memory.
//!
//! As on a [Cortex-M](crate::snapshot), a snapshot copies the pages that have changed since the
//! last one, and shares the rest. All else is small, and copied whole.

use super::machine::Machine;
use crate::board::{Interrupts, Parts};
use crate::bus::{BusImage, SystemBus};

/// A machine's state.
#[derive(Clone)]
pub struct Snapshot {
    /// The machine, without its memories and devices.
    shell: Machine,
    image: BusImage,
}

impl Machine {
    /// Returns the present state. The machine must be mutable, because it notes which memory has
    /// been copied. A program sees no change.
    pub fn snapshot(&mut self) -> Snapshot {
        let image = self.hart.bus.system.snapshot();
        let system = std::mem::replace(&mut self.hart.bus.system, nothing());
        let shell = self.clone();
        self.hart.bus.system = system;
        Snapshot { shell, image }
    }

    /// Goes back to a snapshot of this machine. A tool's watches stay.
    pub fn restore(&mut self, snapshot: &Snapshot) {
        let system = std::mem::replace(&mut self.hart.bus.system, nothing());
        self.clone_from(&snapshot.shell);
        self.hart.bus.system = system;
        self.hart.bus.system.restore(&snapshot.image);
        // What a watch has seen since then has not happened.
        self.hart.bus.system.take_access();
    }
}

/// A bus without memories and devices.
fn nothing() -> SystemBus {
    SystemBus::of(&Parts {
        name: "",
        interrupts: Interrupts::Below(0),
        clock_hz: 1,
        memories: &[],
        bridges: &[],
        devices: &[],
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::riscv::board::Board;

    /// Counts in x5, and stores the count at 0x80000100.
    fn counter() -> Machine {
        let mut machine = Machine::new(&Board::named("virt-rv32").unwrap());
        // addi x5, x5, 1; auipc x6, 0; sw x5, 0xfc(x6); j to the first.
        for (place, word) in
            [0x0012_8293_u32, 0x0000_0317, 0x0e53_2e23, 0xff5f_f06f].into_iter().enumerate()
        {
            machine.write_memory(0x8000_0000 + 4 * place as u32, &word.to_le_bytes()).unwrap();
        }
        machine.reset();
        machine
    }

    #[test]
    fn a_machine_that_is_set_back_continues_exactly() {
        let state = |machine: &Machine| {
            let mut word = [0; 4];
            machine.read_memory(0x8000_0100, &mut word).unwrap();
            (machine.hart.registers, machine.hart.pc, machine.hart.cycle(), word)
        };
        let mut machine = counter();
        let step = |machine: &mut Machine, count| {
            for _ in 0..count {
                assert_eq!(machine.step(), None);
            }
        };
        step(&mut machine, 1001);
        let (snapshot, before) = (machine.snapshot(), state(&machine));
        assert!(before.3 != [0; 4], "{before:x?}");
        step(&mut machine, 777);
        let after = state(&machine);
        machine.restore(&snapshot);
        assert_eq!(state(&machine), before);
        step(&mut machine, 777);
        assert_eq!(state(&machine), after);
    }
}
