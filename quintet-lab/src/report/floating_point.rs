//! The floating-point registers in a post-mortem.

use quintet_sim::machine::Machine;
use serde::Serialize;

/// The registers of the floating-point unit.
#[derive(Clone, Debug, Serialize)]
pub struct FloatingPoint {
    /// S0 to S31, as their bits.
    pub registers: [u32; 32],
    /// FPSCR.
    pub fpscr: u32,
}

impl FloatingPoint {
    /// Those of a core that has the unit.
    pub(super) fn of(machine: &Machine) -> Option<Self> {
        let processor = &machine.processor;
        let float = &processor.registers.float;
        let has_unit = processor.configuration.has_floating_point();
        has_unit.then_some(Self { registers: float.s, fpscr: float.fpscr })
    }

    /// The registers that are not zero, a few a line, as bits and as numbers.
    pub(super) fn text(&self) -> String {
        let mut text = format!("  fpscr {:08x}\n", self.fpscr);
        let used = self.registers.iter().enumerate().filter(|(_, bits)| **bits != 0);
        let used: Vec<_> = used
            .map(|(number, bits)| {
                let name = format!("s{number}");
                format!("  {name:>3} {bits:08x} ({:e})", f32::from_bits(*bits))
            })
            .collect();
        for row in used.chunks(3) {
            text.push_str(&row.concat());
            text.push('\n');
        }
        text
    }
}
