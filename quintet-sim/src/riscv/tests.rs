//! The hart on a bus of one memory: traps, privilege, counters, sleep.

use super::bus::{Bus, line};
use super::extensions::Extensions;
use super::hart::{Configuration, Halt, Hart, Privilege};
use super::timing::Model;
use crate::cores::{Flow, Target};
use crate::processor::bus::BusError;
use crate::processor::instruction::Size;

const MSTATUS: u16 = 0x300;
const MIE: u16 = 0x304;
const MTVEC: u16 = 0x305;
const MEPC: u16 = 0x341;
const MCAUSE: u16 = 0x342;
const MTVAL: u16 = 0x343;

/// 4 KiB at 0. An interrupt is pending from a cycle on.
struct Plain {
    bytes: Vec<u8>,
    lines: u32,
    from: u64,
}

impl Bus for Plain {
    fn read(&mut self, address: u32, size: Size, _cycle: u64) -> Result<u32, BusError> {
        let start = address as usize;
        let bytes = self.bytes.get(start..start + size.bytes() as usize).ok_or(BusError)?;
        Ok(bytes.iter().rev().fold(0, |value, byte| value << 8 | u32::from(*byte)))
    }

    fn write(&mut self, address: u32, size: Size, value: u32, _cycle: u64) -> Result<(), BusError> {
        let start = address as usize;
        let length = size.bytes() as usize;
        let bytes = self.bytes.get_mut(start..start + length).ok_or(BusError)?;
        bytes.copy_from_slice(&value.to_le_bytes()[..length]);
        Ok(())
    }

    fn fetch(&mut self, address: u32) -> Result<u16, BusError> {
        self.read(address, Size::Half, 0).map(|half| half as u16)
    }

    fn advance(&mut self, cycle: u64) -> u32 {
        if cycle >= self.from { self.lines } else { 0 }
    }

    fn next_event(&self) -> u64 {
        if self.lines == 0 { u64::MAX } else { self.from }
    }

    fn is_device(&self, _address: u32) -> bool {
        false
    }

    fn time(&self, cycle: u64) -> u64 {
        cycle
    }
}

fn configuration(extensions: Extensions) -> Configuration {
    Configuration {
        extensions,
        user_mode: true,
        protection: true,
        standard_protection: false,
        misaligned: false,
        time: true,
        reset_vector: 0,
        model: Model::Untimed,
        wait_states: 0,
    }
}

/// A hart whose program begins at 0, and whose handler at 0x100 loops.
fn hart(code: &[u32]) -> Hart<Plain> {
    let mut bytes: Vec<u8> = code.iter().flat_map(|word| word.to_le_bytes()).collect();
    bytes.resize(0x1000, 0);
    bytes[0x100..0x104].copy_from_slice(&0x0000_006f_u32.to_le_bytes());
    let bus = Plain { bytes, lines: 0, from: 0 };
    let mut hart = Hart::new(configuration(Extensions::ALL), bus);
    assert!(hart.write_csr(MTVEC, 0x100));
    hart
}

fn trapped(hart: &Hart<Plain>) -> [Option<u32>; 3] {
    [MCAUSE, MEPC, MTVAL].map(|csr| hart.peek_csr(csr))
}

#[test]
fn every_exception_has_its_cause_and_value() {
    // Of each: the instruction, the cause, the value.
    let cases = [
        (0x0000_0000, 2, 0),
        (0xffff_ffff, 2, 0xffff_ffff),
        (0x0010_0073, 3, 0),
        // lw and lh of odd addresses, and of none.
        (0x0010_2503, 4, 1),
        (0x7fe0_1503 | 1 << 20, 4, 0x7ff),
        (0x8000_2503, 5, 0xffff_f800),
        (0x00a0_20a3, 6, 1),
        (0x80a0_2023, 7, 0xffff_f800),
        (0x0000_0073, 11, 0),
        // csrw mhartid, zero: read-only. csrr of a trigger: absent.
        (0xf140_1073, 2, 0xf140_1073),
        (0x7a00_2573, 2, 0x7a00_2573),
    ];
    for (bits, cause, value) in cases {
        let mut hart = hart(&[bits]);
        assert_eq!(hart.step(), None);
        assert_eq!(trapped(&hart), [Some(cause), Some(0), Some(value)], "{bits:#010x}");
        assert_eq!((hart.pc, hart.instructions()), (0x100, 0));
    }
}

#[test]
fn without_compressed_instructions_a_jump_to_a_halfword_traps() {
    let mut hart = hart(&[0x0060_00ef]);
    hart.configuration.extensions = Extensions::M;
    hart.step();
    assert_eq!(trapped(&hart), [Some(0), Some(0), Some(6)]);
    assert_eq!(hart.registers[1], 0, "no link");
}

#[test]
fn misaligned_accesses_are_done_where_the_core_does_them() {
    let mut hart = hart(&[0x0010_2503]);
    hart.configuration.misaligned = true;
    hart.step();
    assert_eq!((hart.registers[10], hart.pc), (0x0000_1025, 4));
}

#[test]
fn a_trap_enters_machine_mode_and_mret_leaves_it() {
    // mret at 0; user code at 0x40: ecall.
    let mut hart = hart(&[0x3020_0073]);
    hart.bus.bytes[0x40..0x44].copy_from_slice(&0x73_u32.to_le_bytes());
    hart.write_csr(MEPC, 0x40);
    hart.write_csr(MSTATUS, 1 << 7);
    // Everything is allowed.
    hart.protection.set_address(0, u32::MAX);
    hart.protection.set_configuration(0, 0x1f);
    hart.step();
    assert_eq!((hart.pc, hart.privilege, hart.is_privileged()), (0x40, Privilege::User, false));
    assert_eq!(hart.peek_csr(MSTATUS), Some(1 << 7 | 1 << 3));
    hart.step();
    assert_eq!(trapped(&hart), [Some(8), Some(0x40), Some(0)]);
    assert_eq!((hart.privilege, hart.peek_csr(MSTATUS)), (Privilege::Machine, Some(1 << 7)));
    assert!(hart.is_masked());
}

#[test]
fn user_mode_may_not_do_what_machine_mode_may() {
    for bits in [0x3020_0073, 0x3400_2573, 0xc000_2573] {
        let mut hart = hart(&[bits]);
        hart.protection.set_address(0, u32::MAX);
        hart.protection.set_configuration(0, 0x1f);
        hart.privilege = Privilege::User;
        hart.step();
        assert_eq!(trapped(&hart), [Some(2), Some(0), Some(bits)]);
    }
}

#[test]
fn protection_stops_fetches_loads_and_stores() {
    let cases = [(0x0000_2503, 0x1c, 5), (0x00a0_2023, 0x1d, 7), (0x0000_2503, 0x19, 1)];
    for (bits, configuration, cause) in cases {
        let mut hart = hart(&[bits]);
        hart.protection.set_address(0, u32::MAX);
        hart.protection.set_configuration(0, configuration);
        hart.privilege = Privilege::User;
        hart.step();
        assert_eq!(trapped(&hart), [Some(cause), Some(0), Some(0)], "{bits:#010x}");
    }
    // In machine mode with MPRV, the load is one of user mode.
    let mut hart = hart(&[0x0000_2503]);
    hart.write_csr(MSTATUS, 1 << 17);
    hart.step();
    assert_eq!(trapped(&hart), [Some(5), Some(0), Some(0)]);
}

#[test]
fn interrupts_come_in_their_order_and_to_their_vector() {
    for (lines, number) in [(line::ALL, 11), (line::SOFTWARE | line::TIMER, 3), (line::TIMER, 7)] {
        let mut hart = hart(&[0x13]);
        hart.bus.lines = lines;
        hart.write_csr(MIE, line::ALL);
        hart.write_csr(MTVEC, 0x201);
        hart.write_csr(MSTATUS, 1 << 3);
        hart.step();
        assert_eq!(trapped(&hart)[..2], [Some(1 << 31 | number), Some(0)]);
        assert_eq!(hart.pc, 0x200 + 4 * number);
    }
}

#[test]
fn a_sleeping_hart_wakes_at_the_interrupt_even_if_it_is_masked() {
    let mut hart = hart(&[0x1050_0073, 0x13]);
    hart.bus.lines = line::TIMER;
    hart.bus.from = 1000;
    hart.write_csr(MIE, line::TIMER);
    for _ in 0..3 {
        assert_eq!(hart.step(), None);
    }
    assert_eq!((hart.pc, hart.cycle(), hart.instructions()), (8, 1001, 2));
    let mut hart = self::hart(&[0x1050_0073]);
    assert_eq!([hart.step(), hart.step()], [None, Some(Halt::Asleep)]);
}

#[test]
fn a_handler_that_cannot_run_is_a_lockup() {
    let mut hart = hart(&[0]);
    hart.write_csr(MTVEC, 0x8000);
    let steps = [hart.step(), hart.step(), hart.step()];
    assert_eq!(steps, [None, None, Some(Halt::Lockup)]);
}

#[test]
fn counters_can_be_set_and_stopped() {
    // csrwi minstret, 5; csrr a0, minstret; csrwi mcountinhibit, 4; nop; csrr a1, minstret
    let mut hart = hart(&[0xb022_d073, 0xb020_2573, 0x3202_5073, 0x13, 0xb020_25f3]);
    for _ in 0..5 {
        assert_eq!(hart.step(), None);
    }
    assert_eq!((hart.registers[10], hart.registers[11]), (5, 6));
}

#[test]
fn a_store_in_between_loses_no_reservation_and_a_second_conditional_fails() {
    // lr.w a0, (zero); sc.w a1, a0, (zero); sc.w a2, a0, (zero)
    let mut hart = hart(&[0x1000_252f, 0x18a0_25af, 0x18a0_262f]);
    for _ in 0..3 {
        assert_eq!(hart.step(), None);
    }
    assert_eq!((hart.registers[11], hart.registers[12]), (0, 1));
}

#[test]
fn push_and_pop_are_each_other_s_inverse() {
    // cm.push {ra, s0-s1}, -16; then cm.popretz {ra, s0-s1}, 16.
    let mut hart = hart(&[0xbc62_b862]);
    hart.registers[2] = 0x800;
    let saved = [(1, 0x40), (8, 11), (9, 22)];
    for (register, value) in saved {
        hart.registers[register] = value;
    }
    hart.step();
    assert_eq!(hart.registers[2], 0x7f0);
    let word = |at: usize| u32::from(hart.bus.bytes[at]);
    assert_eq!([word(0x7f4), word(0x7f8), word(0x7fc)], [0x40, 11, 22]);
    for (register, _) in saved {
        hart.registers[register] = 0;
    }
    hart.registers[10] = 5;
    hart.step();
    for (register, value) in saved {
        assert_eq!(hart.registers[register], value, "x{register}");
    }
    assert_eq!((hart.pc, hart.registers[2], hart.registers[10]), (0x40, 0x800, 0));
}

#[test]
fn the_interface_of_cores_tells_where_instructions_lead() {
    let mut hart = hart(&[]);
    let flow = |bits| hart.flow(0x20, bits);
    let cases = [
        (0x0000_0013, 4, Target::Next),
        (0x0000_0463, 4, Target::NextOr(0x28)),
        (0x0080_006f, 4, Target::Always(0x28)),
        (0x0080_00ef, 4, Target::Call(0x28)),
        (0x0000_8067, 4, Target::Return),
        (0x8082, 2, Target::Return),
        (0x8502, 2, Target::Unknown),
        (0x9502, 2, Target::CallUnknown),
        (0xbe42, 2, Target::Return),
        (0x3020_0073, 4, Target::ReturnFromTrap),
    ];
    for (bits, length, to) in cases {
        assert_eq!(flow(bits), Some(Flow { length, to, is_condition: false }), "{bits:#x}");
    }
    assert_eq!(flow(0), None);
    assert!(hart.set_register(10, 7) && !hart.set_register(32, 7) && hart.set_register(0, 7));
    assert_eq!([0, 10].map(|number| hart.register(number)), [Some(0), Some(7)]);
    assert_eq!(super::text::REGISTERS[10], "a0");
}

/// Any bits end in an instruction or a trap, in both modes.
#[test]
fn random_code_never_panics() {
    let mut state = 1_u64;
    for _ in 0..200 {
        let code: Vec<u32> = (0..1024)
            .map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                (state >> 33) as u32
            })
            .collect();
        let mut hart = hart(&code);
        hart.configuration.misaligned = state & 1 << 40 != 0;
        hart.semihosting = false;
        for _ in 0..2000 {
            hart.step();
            if hart.pc >= 0x1000 {
                hart.pc = (state >> 50) as u32 & 0xffe;
            }
        }
        assert_eq!(hart.registers[0], 0);
    }
}
