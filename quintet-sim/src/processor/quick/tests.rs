//! Random programs do on the quick path what they do step by step, with no state remembered.

use std::collections::BTreeMap;

use super::micro::{Code, Micro};
use super::*;
use crate::board::Board;
use crate::machine::Machine;
use crate::processor::cache::Decoded;
use crate::processor::decode::is_wide;
use crate::processor::instruction::Operation;
use crate::processor::{Architecture, SEMIHOSTING};

const CODE: u32 = 0x100;
const HANDLER: u32 = 0x40;
const RAM: u32 = 0x2000_0000;
const STACK: u32 = RAM + 0x4000;
/// The bytes of a program behind its beginning, which sets the registers.
const LENGTH: u32 = 160;

struct Random(u64);

impl Random {
    fn below(&mut self, end: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 33) as u32 % end
    }

    fn half(&mut self) -> u16 {
        self.below(1 << 16) as u16
    }
}

/// An instruction that leaves the processor's mode, its masks and the console alone.
fn is_tame(operation: &Operation) -> bool {
    !matches!(
        operation,
        Operation::Undefined
            | Operation::Breakpoint { immediate: SEMIHOSTING }
            | Operation::WaitForEvent
            | Operation::WaitForInterrupt
            | Operation::MoveToSpecial { .. }
            | Operation::ChangeState { .. }
            | Operation::SupervisorCall { .. }
            | Operation::Coprocessor { .. }
            | Operation::Breakpoint { .. }
    )
}

fn decoded(first: u16, second: u16) -> Decoded {
    Decoded::new([first, second], Architecture::V7M)
}

/// A random instruction, of which the quick path has most.
fn candidate(random: &mut Random) -> (Code, Vec<u16>) {
    loop {
        let first = random.half() | if random.below(2) == 0 { 0xe800 } else { 0 };
        let second = random.half();
        let decoded = decoded(first, second);
        let code = Micro::of(CODE, &decoded).code;
        let writes_stack = !is_wide(first) && first >> 7 == 0x161 || first & 0xff87 == 0x4485;
        let is_wanted = code != Code::None || random.below(20) == 0;
        if is_wanted && !writes_stack && is_tame(&decoded.instruction.operation) {
            let halfwords = if is_wide(first) { vec![first, second] } else { vec![first] };
            return (code, halfwords);
        }
    }
}

/// Of some instructions the one of which there were the fewest so far.
fn instruction(random: &mut Random, made: &mut BTreeMap<u8, u32>) -> Vec<u16> {
    let candidates: Vec<_> = (0..30).map(|_| candidate(random)).collect();
    let rarest = candidates.into_iter().min_by_key(|(code, _)| made.get(&(*code as u8)).copied());
    let (code, halfwords) = rarest.expect("there are some");
    *made.entry(code as u8).or_default() += 1;
    halfwords
}

fn word(machine: &mut Machine, address: u32, value: u32) {
    machine.write_memory(address, &value.to_le_bytes()).expect("memory is there");
}

fn code(machine: &mut Machine, address: u32, halfwords: &[u16]) -> u32 {
    let bytes: Vec<u8> = halfwords.iter().flat_map(|half| half.to_le_bytes()).collect();
    machine.write_memory(address, &bytes).expect("flash is there");
    address + bytes.len() as u32
}

/// A machine with a program that begins anew at its end and behind each fault.
fn machine(board: &Board, random: &mut Random, made: &mut BTreeMap<u8, u32>) -> Machine {
    let mut machine = Machine::new(board);
    word(&mut machine, 0, STACK);
    for exception in 1..16 {
        word(&mut machine, 4 * exception, if exception == 1 { CODE } else { HANDLER } | 1);
    }
    // ldr r0, [pc, #12]; str r0, [sp, #24]; ldr r0, [pc, #12]; str r0, [sp, #28]; bx lr.
    code(&mut machine, HANDLER, &[0x4803, 0x9006, 0x4803, 0x9007, 0x4770]);
    word(&mut machine, HANDLER + 16, CODE | 1);
    word(&mut machine, HANDLER + 20, 0x0100_0000);
    // ldr r0 to r7, [pc, ...]; mov sp, r7.
    let literals = CODE + 0x20 + LENGTH + 8;
    let mut at = CODE;
    for register in 0..8 {
        let offset = (literals - ((at + 4) & !3)) / 4 + register;
        at = code(&mut machine, at, &[(0x4800 | register << 8 | offset) as u16]);
        let near = RAM + 0x1000 + 4 * random.below(64);
        let value = [STACK, near, near, near, random.below(40), random.below(u32::MAX)];
        let value = if register == 7 { STACK } else { value[1 + random.below(5) as usize] };
        word(&mut machine, literals + 4 * register, value);
    }
    at = code(&mut machine, at, &[0x46bd]);
    while at < CODE + 0x20 + LENGTH {
        at = code(&mut machine, at, &instruction(random, made));
    }
    // b.w to the beginning: no condition before it counts, as the beginning isn't in a block.
    let offset = CODE.wrapping_sub(at + 4) >> 1;
    code(
        &mut machine,
        at,
        &[0xf000 | (offset >> 11 & 0x7ff) as u16, 0xb800 | (offset & 0x7ff) as u16],
    );
    machine.reset();
    machine
}

/// Executes one instruction on the quick path, or steps.
fn go(machine: &mut Machine) -> bool {
    machine.processor.pipeline.remember_soon();
    let limits = Limits { cycle: u64::MAX, instructions: machine.instructions() + 1 };
    let stack = machine.processor.registers.r[13];
    let is_quick = machine.processor.hurry(limits, stack, |_| false, |_, _, _| ());
    if !is_quick {
        machine.step();
    }
    is_quick
}

fn compare(
    board: &Board,
    random: &mut Random,
    made: &mut BTreeMap<u8, u32>,
    counts: &mut BTreeMap<String, u32>,
) {
    let mut quick = machine(board, random, made);
    let mut steps = quick.clone();
    steps.remember_states(false);
    for _ in 0..3000 {
        let pc = quick.pc();
        let halfwords = [pc, pc.wrapping_add(2)].map(|at| quick.read_halfword(at).unwrap_or(0));
        if go(&mut quick) {
            let micro = Micro::of(pc, &decoded(halfwords[0], halfwords[1]));
            *counts.entry(format!("{:?}", micro.code)).or_default() += 1;
        }
        steps.step();
        let at = format!("{halfwords:04x?} at {pc:#x}");
        assert_eq!(quick.cycle(), steps.cycle(), "{at}");
        assert_eq!(quick.instructions(), steps.instructions(), "{at}");
        assert_eq!(quick.skipped(), steps.skipped(), "{at}");
        let registers = |machine: &Machine| {
            let registers = &machine.processor.registers;
            (registers.r, registers.apsr, registers.itstate, registers.ici, registers.ipsr)
        };
        assert_eq!(registers(&quick), registers(&steps), "{at}");
    }
    let (mut one, mut other) = (vec![0; 0x8000], vec![0; 0x8000]);
    quick.read_memory(RAM, &mut one).expect("RAM is there");
    steps.read_memory(RAM, &mut other).expect("RAM is there");
    assert_eq!(one, other);
}

#[test]
fn random_programs_do_the_same_as_step_by_step() {
    let mut random = Random(9);
    let (mut made, mut counts) = (BTreeMap::new(), BTreeMap::new());
    for round in 0..200 {
        let mut board = Board::named("lm3s6965").expect("built in");
        for memory in &mut board.memories {
            memory.read_wait_states = round % 3;
        }
        compare(&board, &mut random, &mut made, &mut counts);
    }
    // Of each instruction of the quick path some were executed there.
    assert!(counts.values().all(|count| *count >= 20), "{counts:?}");
    assert!(counts.len() > 55, "{} {counts:?}", counts.len());
}

#[test]
fn code_that_was_changed_is_not_executed_from_memory() {
    let board = Board::named("lm3s6965").expect("built in");
    let mut machine = Machine::new(&board);
    word(&mut machine, 0, STACK);
    word(&mut machine, 4, RAM | 1);
    // adds r0, #1; strh r1, [r2]; b to the beginning.
    code(&mut machine, RAM, &[0x3001, 0x8011, 0xe7fc]);
    machine.reset();
    machine.processor.registers.r[1] = 0xbf00;
    machine.processor.registers.r[2] = RAM + 0x100;
    let mut quick = 0;
    for _ in 0..300 {
        quick += u32::from(go(&mut machine));
    }
    assert!(quick > 200, "{quick}");
    let sum = machine.processor.registers.r[0];
    // The store hits the addition itself, which becomes a NOP.
    machine.processor.registers.r[2] = RAM;
    for _ in 0..300 {
        go(&mut machine);
    }
    assert!(machine.processor.registers.r[0] <= sum + 1);
    machine.write_memory(RAM, &0x3001_u16.to_le_bytes()).expect("RAM is there");
    machine.processor.registers.r[2] = RAM + 0x100;
    for _ in 0..300 {
        go(&mut machine);
    }
    assert!(machine.processor.registers.r[0] >= sum + 100, "a tool's write counts too");
}
