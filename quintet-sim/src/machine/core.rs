//! A machine with a Cortex-M behind the interface of all cores.

use super::{Machine, MemoryError, Output, Stop, Until};
use crate::cores::{Core, Family, Flow, Passage, Target, Unwinding};
use crate::image::{Image, ImageError};
use crate::processor::decode::{decode, is_wide};
use crate::processor::events::EventKind;
use crate::processor::instruction::{Condition, Operation, Register};

const STACK: usize = 13;
const LINK: usize = 14;
const COUNTER: usize = 15;

/// The exceptions by which kernels switch threads.
const SVCALL: u16 = 11;
const PENDSV: u16 = 14;

/// The first exception that is an interrupt of a device.
const FIRST_INTERRUPT: u16 = 16;

const REGISTERS: [&str; 16] = [
    "r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11", "r12", "sp", "lr",
    "pc",
];

impl Core for Machine {
    const FAMILY: Family = Family::CortexM;

    fn register_names(&self) -> &'static [&'static str] {
        &REGISTERS
    }

    fn register(&self, number: usize) -> Option<u32> {
        self.processor.registers.r.get(number).copied()
    }

    fn set_register(&mut self, number: usize, value: u32) -> bool {
        let register = self.processor.registers.r.get_mut(number);
        register.map(|register| *register = value).is_some()
    }

    fn unwinding(&self) -> Unwinding {
        Unwinding {
            registers: COUNTER as u16,
            stack: STACK as u16,
            link: LINK as u16,
            preserved: 0xff0,
        }
    }

    fn pc(&self) -> u32 {
        self.pc()
    }

    fn stack_pointer(&self) -> u32 {
        self.processor.registers.r[STACK]
    }

    fn thread_pointer(&self) -> u32 {
        self.processor.registers.process_stack_pointer()
    }

    fn is_privileged(&self) -> bool {
        let registers = &self.processor.registers;
        registers.ipsr != 0 || registers.control() & 1 == 0
    }

    fn is_masked(&self) -> bool {
        let registers = &self.processor.registers;
        registers.primask || registers.faultmask || registers.basepri != 0
    }

    #[inline]
    fn handler(&self) -> u16 {
        self.processor.registers.ipsr
    }

    fn handler_name(number: u16) -> String {
        match number {
            0 => "thread mode".into(),
            1 => "Reset".into(),
            2 => "NMI".into(),
            3 => "HardFault".into(),
            4 => "MemManage".into(),
            5 => "BusFault".into(),
            6 => "UsageFault".into(),
            11 => "SVCall".into(),
            12 => "DebugMonitor".into(),
            14 => "PendSV".into(),
            15 => "SysTick".into(),
            FIRST_INTERRUPT.. => format!("IRQ {}", number - FIRST_INTERRUPT),
            other => format!("reserved exception {other}"),
        }
    }

    fn is_interrupt(number: u16) -> bool {
        number >= FIRST_INTERRUPT
    }

    fn is_switch(number: u16) -> bool {
        matches!(number, SVCALL | PENDSV)
    }

    fn cycle(&self) -> u64 {
        self.cycle()
    }

    fn instructions(&self) -> u64 {
        self.instructions()
    }

    fn skipped(&self) -> u64 {
        self.skipped()
    }

    fn flow(&self, address: u32, bits: u32) -> Option<Flow> {
        let architecture = self.processor.configuration.architecture;
        let instruction = decode(bits as u16, (bits >> 16) as u16, architecture);
        let operation = &instruction.operation;
        if matches!(operation, Operation::Undefined) {
            return None;
        }
        // The processor's own program counter is two halfwords ahead.
        let to = |offset: i32| address.wrapping_add(4).wrapping_add_signed(offset);
        let is_condition = matches!(operation, Operation::IfThen { .. });
        Some(Flow { length: instruction.length.into(), to: target(operation, to), is_condition })
    }

    fn kind(&self, _: u32, bits: u32) -> String {
        let architecture = self.processor.configuration.architecture;
        let instruction = decode(bits as u16, (bits >> 16) as u16, architecture);
        let operation = format!("{:?}", instruction.operation);
        let word = operation.chars().take_while(|letter| letter.is_alphanumeric());
        let mut words = String::new();
        for letter in word {
            if letter.is_uppercase() && !words.is_empty() {
                words.push(' ');
            }
            words.extend(letter.to_lowercase());
        }
        words
    }

    fn length(bits: u32) -> u32 {
        if is_wide(bits as u16) { 4 } else { 2 }
    }

    #[inline]
    fn step_within(&mut self, end: u64) -> Option<Stop> {
        self.step_within(end)
    }

    fn run(&mut self, until: &Until) -> Stop {
        self.run(until)
    }

    fn observe(&mut self, on: bool) {
        self.observe(on);
    }

    fn take_passages(&mut self) -> Vec<Passage> {
        let passage = |event: crate::processor::events::Event| match event.kind {
            EventKind::Enter { exception, began, tail_chained, .. } => Some(Passage {
                cycle: began,
                handler: exception,
                is_entry: true,
                is_chained: tail_chained,
            }),
            EventKind::Exit { exception, .. } => Some(Passage {
                cycle: event.cycle,
                handler: exception,
                is_entry: false,
                is_chained: false,
            }),
            _ => None,
        };
        self.take_events().into_iter().filter_map(passage).collect()
    }

    fn load(&mut self, image: &Image) -> Result<(), ImageError> {
        self.load(image)
    }

    fn read_memory(&self, address: u32, buffer: &mut [u8]) -> Result<(), MemoryError> {
        self.read_memory(address, buffer)
    }

    fn write_memory(&mut self, address: u32, data: &[u8]) -> Result<(), MemoryError> {
        self.write_memory(address, data)
    }

    fn take_output(&mut self) -> Vec<Output> {
        self.take_output()
    }

    fn output_cut(&self) -> Option<u64> {
        self.output_cut()
    }
}

fn target(operation: &Operation, to: impl Fn(i32) -> u32) -> Target {
    match *operation {
        Operation::Branch { condition: Condition::AL, offset } => Target::Always(to(offset)),
        Operation::Branch { offset, .. } | Operation::CompareBranch { offset, .. } => {
            Target::NextOr(to(offset))
        }
        Operation::BranchLink { offset } => Target::Call(to(offset)),
        Operation::BranchLinkExchange { .. } => Target::CallUnknown,
        Operation::BranchExchange { rm } if rm == Register::LR => Target::Return,
        Operation::BranchExchange { .. } | Operation::TableBranch { .. } => Target::Unknown,
        Operation::LoadMultiple { registers, .. } if registers >> COUNTER & 1 != 0 => {
            Target::Return
        }
        Operation::Load { rt, .. } if rt == Register::PC => Target::Unknown,
        Operation::Move { rd, .. } | Operation::Alu { rd, .. } if rd == Register::PC => {
            Target::Unknown
        }
        _ => Target::Next,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;

    #[test]
    fn the_flow_of_an_instruction_is_told_from_its_bits() {
        let machine = Machine::new(&Board::named("lm3s6965").unwrap());
        let flow = |bits| machine.flow(0x100, bits).map(|flow| (flow.length, flow.to));
        for (bits, length, to) in [
            (0xbf00, 2, Target::Next),
            (0xd0fe, 2, Target::NextOr(0x100)),
            (0xb108, 2, Target::NextOr(0x106)),
            (0xe7fe, 2, Target::Always(0x100)),
            (0xf802_f000, 4, Target::Call(0x108)),
            (0x4798, 2, Target::CallUnknown),
            (0x4770, 2, Target::Return),
            (0xbd10, 2, Target::Return),
            (0x4718, 2, Target::Unknown),
        ] {
            assert_eq!(flow(bits), Some((length, to)), "{bits:#x}");
        }
        assert_eq!(flow(0xde00), None);
        assert!(machine.flow(0x100, 0xbf08).is_some_and(|flow| flow.is_condition));
    }
}
