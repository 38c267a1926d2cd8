//! The registers by GDB's numbers, and the description of the target with these numbers.

use std::num::NonZeroUsize;

use gdbstub::arch::{Arch, RegId, Registers};
use quintet_sim::processor::Configuration;
use quintet_sim::processor::float::fpscr;
use quintet_sim::processor::registers as core;

/// GDB's standard feature names for M-profile cores. GDB knows from them the stack pointers, and
/// how to unwind exception frames.
const DESCRIPTION: &str = r#"<?xml version="1.0"?>
<!DOCTYPE target SYSTEM "gdb-target.dtd">
<target version="1.0">
  <architecture>arm</architecture>
  <feature name="org.gnu.gdb.arm.m-profile">
    <reg name="r0" bitsize="32"/>
    <reg name="r1" bitsize="32"/>
    <reg name="r2" bitsize="32"/>
    <reg name="r3" bitsize="32"/>
    <reg name="r4" bitsize="32"/>
    <reg name="r5" bitsize="32"/>
    <reg name="r6" bitsize="32"/>
    <reg name="r7" bitsize="32"/>
    <reg name="r8" bitsize="32"/>
    <reg name="r9" bitsize="32"/>
    <reg name="r10" bitsize="32"/>
    <reg name="r11" bitsize="32"/>
    <reg name="r12" bitsize="32"/>
    <reg name="sp" bitsize="32" type="data_ptr"/>
    <reg name="lr" bitsize="32"/>
    <reg name="pc" bitsize="32" type="code_ptr"/>
    <reg name="xpsr" bitsize="32"/>
  </feature>
  <feature name="org.gnu.gdb.arm.m-system">
    <reg name="msp" bitsize="32" type="data_ptr" group="system"/>
    <reg name="psp" bitsize="32" type="data_ptr" group="system"/>
    <reg name="primask" bitsize="32" group="system"/>
    <reg name="basepri" bitsize="32" group="system"/>
    <reg name="faultmask" bitsize="32" group="system"/>
    <reg name="control" bitsize="32" group="system"/>
  </feature>
  <feature name="quintet.names-of-openocd">
    <reg name="xPSR" bitsize="32"/>
  </feature>
</target>
"#;

/// The registers of every core, each a word.
const COUNT: usize = 24;
/// The doubles behind them.
const DOUBLES: usize = 16;
/// FPSCR, behind the doubles.
const FLOAT_STATUS: usize = COUNT + DOUBLES;
const STACK: usize = 13;
const COUNTER: usize = 15;
const XPSR: usize = 16;
const MAIN_STACK: usize = 17;
const PROCESS_STACK: usize = 18;
const PRIMASK: usize = 19;
const BASEPRI: usize = 20;
const FAULTMASK: usize = 21;
const CONTROL: usize = 22;
/// CONTROL of a thread with a stack of its own.
const ON_PROCESS_STACK: u32 = 2;
/// The registers beside R0 to R15, by name and place.
pub const SPECIAL: [(&str, usize); 7] = [
    ("xpsr", XPSR),
    ("msp", MAIN_STACK),
    ("psp", PROCESS_STACK),
    ("primask", PRIMASK),
    ("basepri", BASEPRI),
    ("faultmask", FAULTMASK),
    ("control", CONTROL),
];
/// XPSR under the name that other servers give it, and people type.
const XPSR_ALIAS: usize = 23;

/// An M-profile core.
#[derive(Debug)]
pub enum CortexM {}

impl Arch for CortexM {
    type Usize = u32;
    type Registers = Values;
    type BreakpointKind = usize;
    type RegId = Number;

    fn target_description_xml() -> Option<&'static str> {
        Some(DESCRIPTION)
    }
}

/// A register by its place in the description.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Number(usize);

impl RegId for Number {
    fn from_raw_id(id: usize) -> Option<(Self, Option<NonZeroUsize>)> {
        let is_double = (COUNT..FLOAT_STATUS).contains(&id);
        let size = if is_double { 8 } else { 4 };
        (id <= FLOAT_STATUS).then_some((Self(id), NonZeroUsize::new(size)))
    }
}

/// All registers that the core has, in the order of the description; a double is two values.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Values {
    all: [u32; ALL],
    count: usize,
}

/// The values with a floating-point unit.
const ALL: usize = COUNT + 2 * DOUBLES + 1;

impl Default for Values {
    fn default() -> Self {
        Self { all: [0; ALL], count: ALL }
    }
}

impl Values {
    /// The value at one place.
    pub fn get(&self, place: usize) -> u32 {
        self.all.get(place).copied().unwrap_or(0)
    }

    /// The registers of a thread that doesn't run: on the process stack, and without those of
    /// floating point, of which the switch keeps some.
    pub fn of_thread(mut self, r: [u32; 16], xpsr: u32) -> Self {
        self.all[..r.len()].copy_from_slice(&r);
        (self.all[XPSR], self.all[XPSR_ALIAS]) = (xpsr, xpsr);
        (self.all[PROCESS_STACK], self.all[CONTROL]) = (r[STACK], ON_PROCESS_STACK);
        self.all[COUNT..].fill(0);
        self
    }
}

/// The description of a core, with a floating-point unit or without. GDB makes S0 to S31 of the
/// doubles.
pub fn description(has_float: bool) -> String {
    if !has_float {
        return DESCRIPTION.to_owned();
    }
    let double =
        |number| format!("    <reg name=\"d{number}\" bitsize=\"64\" type=\"ieee_double\"/>\n");
    let doubles: String = (0..DOUBLES).map(double).collect();
    let unit = format!(
        "  <feature name=\"org.gnu.gdb.arm.vfp\">\n{doubles}    \
         <reg name=\"fpscr\" bitsize=\"32\" type=\"int\" group=\"float\"/>\n  </feature>\n</target>"
    );
    DESCRIPTION.replace("</target>", &unit)
}

impl Registers for Values {
    type ProgramCounter = u32;

    fn pc(&self) -> u32 {
        self.all[COUNTER]
    }

    fn gdb_serialize(&self, mut write_byte: impl FnMut(Option<u8>)) {
        for byte in self.all[..self.count].iter().flat_map(|value| value.to_le_bytes()) {
            write_byte(Some(byte));
        }
    }

    fn gdb_deserialize(&mut self, bytes: &[u8]) -> Result<(), ()> {
        let (words, rest) = bytes.as_chunks::<4>();
        if words.len() > ALL || !rest.is_empty() {
            return Err(());
        }
        self.count = words.len();
        for (value, word) in self.all.iter_mut().zip(words) {
            *value = u32::from_le_bytes(*word);
        }
        Ok(())
    }
}

/// The places among [`Values`] of a register: one, or two of a double.
pub fn places(Number(number): Number) -> std::ops::Range<usize> {
    match number {
        ..COUNT => number..number + 1,
        COUNT..FLOAT_STATUS => {
            let first = COUNT + 2 * (number - COUNT);
            first..first + 2
        }
        _ => ALL - 1..ALL,
    }
}

/// Reads the value at one place.
pub fn read(registers: &core::Registers, place: usize) -> u32 {
    match place {
        XPSR | XPSR_ALIAS => registers.xpsr(),
        MAIN_STACK => registers.main_stack_pointer(),
        PROCESS_STACK => registers.process_stack_pointer(),
        PRIMASK => registers.primask.into(),
        BASEPRI => registers.basepri.into(),
        FAULTMASK => registers.faultmask.into(),
        CONTROL => registers.control(),
        ..COUNT => registers.r[place],
        _ => registers.float.s.get(place - COUNT).copied().unwrap_or(registers.float.fpscr),
    }
}

/// Writes the value at one place, if the core has the register.
pub fn write(
    registers: &mut core::Registers,
    place: usize,
    value: u32,
    configuration: &Configuration,
) {
    match place {
        STACK => registers.r[STACK] = value & !3,
        COUNTER => registers.r[COUNTER] = value & !1,
        XPSR | XPSR_ALIAS => {
            registers.set_xpsr(value);
            registers.apsr &= configuration.flags_mask();
        }
        MAIN_STACK => registers.set_main_stack_pointer(value),
        PROCESS_STACK => registers.set_process_stack_pointer(value),
        PRIMASK => registers.primask = value & 1 != 0,
        BASEPRI => registers.basepri = value as u8 & configuration.priority_mask(),
        FAULTMASK => registers.faultmask = value & 1 != 0,
        CONTROL => registers.set_control(value & configuration.control_mask()),
        ..COUNT => registers.r[place] = value,
        _ if !configuration.has_floating_point() => {}
        _ => match registers.float.s.get_mut(place - COUNT) {
            Some(single) => *single = value,
            None => registers.float.fpscr = value & fpscr::ALL,
        },
    }
}

/// Reads all registers.
pub fn read_all(registers: &core::Registers, configuration: &Configuration) -> Values {
    let count = if configuration.has_floating_point() { ALL } else { COUNT };
    Values { all: std::array::from_fn(|place| read(registers, place)), count }
}

/// Writes the changed registers. Some registers have two names: the name that was not changed must
/// not undo the other.
pub fn write_all(registers: &mut core::Registers, values: &Values, configuration: &Configuration) {
    let before = read_all(registers, configuration);
    let values = values.all.iter().take(values.count.min(before.count));
    for (place, (value, before)) in values.zip(before.all).enumerate() {
        if *value != before {
            write(registers, place, *value, configuration);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quintet_sim::processor::Architecture;

    fn registers() -> core::Registers {
        core::Registers {
            r: std::array::from_fn(|number| number as u32 * 16),
            other_sp: 0x2000_0800,
            apsr: 0x6000_0000,
            ipsr: 0,
            itstate: 0,
            ici: 0,
            thumb: true,
            primask: true,
            faultmask: false,
            basepri: 0xe0,
            unprivileged_thread: false,
            process_stack: true,
            float: core::FloatRegisters::RESET,
        }
    }

    fn cortex_m4f() -> Configuration {
        let architecture = Architecture::V7EM;
        Configuration {
            architecture,
            floating_point: quintet_sim::processor::instruction::float::FloatUnit::Fpv4Single,
            priority_bits: 4,
            ..Configuration::default()
        }
    }

    fn cortex_m3() -> Configuration {
        Configuration { priority_bits: 4, ..Configuration::default() }
    }

    #[test]
    fn registers_survive_the_way_to_gdb_and_back() {
        for (configuration, count) in [(cortex_m3(), COUNT), (cortex_m4f(), ALL)] {
            let mut bytes = Vec::new();
            read_all(&registers(), &configuration).gdb_serialize(|byte| bytes.extend(byte));
            assert_eq!(bytes.len(), 4 * count);
            let mut values = Values::default();
            values.gdb_deserialize(&bytes).unwrap();
            assert_eq!(values.count, count);
            assert_eq!(values.pc(), 0xf0);
            assert_eq!(values.all[XPSR], 0x6100_0000);
            assert_eq!((values.all[MAIN_STACK], values.all[PROCESS_STACK]), (0x2000_0800, 0xd0));
            assert_eq!(values.all[CONTROL], 2);
        }
    }

    #[test]
    fn writing_all_registers_writes_what_changed_and_exists() {
        for configuration in [cortex_m3(), cortex_m4f()] {
            let has_float = configuration.has_floating_point();
            let mut target = registers();
            let mut values = read_all(&target, &configuration);
            values.all[MAIN_STACK] = 0x2000_0400;
            values.all[BASEPRI] = 0xff;
            values.all[STACK] = 0x2000_0700;
            values.all[XPSR] = 0x010f_0000;
            values.all[COUNT + 31] = 7;
            values.all[ALL - 1] = u32::MAX;
            values.count = ALL;
            write_all(&mut target, &values, &configuration);
            assert_eq!((target.other_sp, target.r[13]), (0x2000_0400, 0x2000_0700));
            assert_eq!(target.basepri, 0xf0);
            assert_eq!(target.apsr, if has_float { 0x000f_0000 } else { 0 });
            let float = if has_float { (7, fpscr::ALL) } else { (0, 0) };
            assert_eq!((target.float.s[31], target.float.fpscr), float);
        }
    }

    #[test]
    fn the_description_lists_as_many_registers_as_there_are() {
        assert_eq!(description(false).matches("<reg ").count(), COUNT);
        assert_eq!(description(true).matches("<reg ").count(), FLOAT_STATUS + 1);
        assert!(description(true).ends_with("</feature>\n</target>\n"));
        assert!(Number::from_raw_id(FLOAT_STATUS + 1).is_none());
        let (fifteenth, size) = Number::from_raw_id(COUNT + 15).unwrap();
        assert_eq!((places(fifteenth), size), (COUNT + 30..COUNT + 32, NonZeroUsize::new(8)));
        assert_eq!(places(Number(FLOAT_STATUS)), ALL - 1..ALL);
    }
}
