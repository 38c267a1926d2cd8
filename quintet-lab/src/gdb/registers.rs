//! The registers as GDB numbers them, and the description of the target that tells it so.

use std::num::NonZeroUsize;

use gdbstub::arch::{Arch, RegId, Registers};
use quintet_sim::processor::registers as core;

/// GDB's standard feature names for M-profile cores: it knows from them what is a stack pointer and
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

const COUNT: usize = 24;
const STACK: usize = 13;
const COUNTER: usize = 15;
const XPSR: usize = 16;
const MAIN_STACK: usize = 17;
const PROCESS_STACK: usize = 18;
const PRIMASK: usize = 19;
const BASEPRI: usize = 20;
const FAULTMASK: usize = 21;
const CONTROL: usize = 22;
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
        (id < COUNT).then_some((Self(id), NonZeroUsize::new(4)))
    }
}

/// All registers, in the order of the description.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Values([u32; COUNT]);

impl Registers for Values {
    type ProgramCounter = u32;

    fn pc(&self) -> u32 {
        self.0[COUNTER]
    }

    fn gdb_serialize(&self, mut write_byte: impl FnMut(Option<u8>)) {
        for byte in self.0.iter().flat_map(|value| value.to_le_bytes()) {
            write_byte(Some(byte));
        }
    }

    fn gdb_deserialize(&mut self, bytes: &[u8]) -> Result<(), ()> {
        let (words, rest) = bytes.as_chunks::<4>();
        if words.len() > COUNT || !rest.is_empty() {
            return Err(());
        }
        for (value, word) in self.0.iter_mut().zip(words) {
            *value = u32::from_le_bytes(*word);
        }
        Ok(())
    }
}

/// Reads one register.
pub fn read(registers: &core::Registers, Number(number): Number) -> u32 {
    match number {
        XPSR | XPSR_ALIAS => registers.xpsr(),
        MAIN_STACK => registers.main_stack_pointer(),
        PROCESS_STACK => registers.process_stack_pointer(),
        PRIMASK => registers.primask.into(),
        BASEPRI => registers.basepri.into(),
        FAULTMASK => registers.faultmask.into(),
        CONTROL => registers.control(),
        _ => registers.r[number],
    }
}

/// Writes one register. `priority_mask` has the bits of BASEPRI that exist.
pub fn write(
    registers: &mut core::Registers,
    Number(number): Number,
    value: u32,
    priority_mask: u8,
) {
    match number {
        STACK => registers.r[STACK] = value & !3,
        COUNTER => registers.r[COUNTER] = value & !1,
        XPSR | XPSR_ALIAS => registers.set_xpsr(value),
        MAIN_STACK => registers.set_main_stack_pointer(value),
        PROCESS_STACK => registers.set_process_stack_pointer(value),
        PRIMASK => registers.primask = value & 1 != 0,
        BASEPRI => registers.basepri = value as u8 & priority_mask,
        FAULTMASK => registers.faultmask = value & 1 != 0,
        CONTROL => registers.set_control(value),
        _ => registers.r[number] = value,
    }
}

/// Reads all registers.
pub fn read_all(registers: &core::Registers) -> Values {
    Values(std::array::from_fn(|number| read(registers, Number(number))))
}

/// Writes those of all registers that changed. Some places have two names; the one that was not
/// changed must not undo the other.
pub fn write_all(registers: &mut core::Registers, values: &Values, priority_mask: u8) {
    let before = read_all(registers);
    for (number, (value, before)) in values.0.iter().zip(before.0).enumerate() {
        if *value != before {
            write(registers, Number(number), *value, priority_mask);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn registers_survive_the_way_to_gdb_and_back() {
        let mut bytes = Vec::new();
        read_all(&registers()).gdb_serialize(|byte| bytes.extend(byte));
        assert_eq!(bytes.len(), 4 * COUNT);
        let mut values = Values::default();
        values.gdb_deserialize(&bytes).unwrap();
        assert_eq!(values, read_all(&registers()));
        assert_eq!(values.pc(), 0xf0);
        assert_eq!(values.0[XPSR], 0x6100_0000);
        assert_eq!((values.0[MAIN_STACK], values.0[PROCESS_STACK]), (0x2000_0800, 0xd0));
        assert_eq!(values.0[CONTROL], 2);
    }

    #[test]
    fn writing_all_registers_writes_what_changed() {
        let mut target = registers();
        let mut values = read_all(&target);
        values.0[MAIN_STACK] = 0x2000_0400;
        values.0[BASEPRI] = 0xff;
        values.0[STACK] = 0x2000_0700;
        values.0[XPSR] = 0x0100_0000;
        write_all(&mut target, &values, 0xf0);
        assert_eq!((target.other_sp, target.r[13]), (0x2000_0400, 0x2000_0700));
        assert_eq!((target.basepri, target.apsr), (0xf0, 0));
    }

    #[test]
    fn the_description_lists_as_many_registers_as_there_are() {
        assert_eq!(DESCRIPTION.matches("<reg ").count(), COUNT);
        assert!(Number::from_raw_id(COUNT).is_none());
    }
}
