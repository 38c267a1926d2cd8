//! Programs that try to take longer than their bounds, or to have a bound that they should not.

use fastrand::Rng;
use quintet_sim::machine::Machine;

use super::annotations::Annotations;
use super::bound::Cause;
use super::graph::Obstacle;
use super::observe::Recorder;
use super::tests::{FUNCTION, RESET, bounds, conditions, firmware, lm3s6965, taken};
use super::verdict::Analysis;
use crate::firmware::Firmware;

/// The vector of SysTick, and its number.
const SYSTICK: u16 = 15;
const SUPERVISOR_CALL: u16 = 11;

/// The firmware with a handler, which is its second function.
fn with_handler(functions: &[&[u16]], exception: u16) -> Firmware {
    let mut firmware = firmware(functions);
    let (handler, vector) = (FUNCTION + 0x80, 4 * usize::from(exception));
    firmware.image.segments[0].bytes[vector..vector + 4]
        .copy_from_slice(&(handler | 1).to_le_bytes());
    firmware
}

/// Why the first function has no bound of cycles.
fn open(firmware: &Firmware, breakpoints_are_free: bool) -> Vec<Cause> {
    let (board, annotations) = (lm3s6965(), Annotations::default());
    let mut conditions = conditions(&board, &annotations);
    conditions.breakpoints_are_free = breakpoints_are_free;
    let analysis = Analysis::new(firmware, conditions).unwrap();
    let bound = &analysis.bounds()[&FUNCTION];
    assert_eq!(bound.cycles, None, "{bound:?}");
    bound.open_cycles.iter().map(|open| open.cause).collect()
}

#[test]
fn a_register_that_a_handler_or_the_host_answers_in_counts_no_rounds() {
    // MOVS R0, #3; loop: SVC 0; SUBS R0, #1; BNE loop; BX LR. The handler may add to R0.
    let code = [0x2003, 0xdf00, 0x3801, 0xd1fc, 0x4770];
    let firmware = with_handler(&[&code, &[0x4770]], SUPERVISOR_CALL);
    assert_eq!(open(&firmware, false), [Cause::Loop]);
    // MOVS R0, #3; SVC 0; loop: SUBS R0, #1; BNE loop; BX LR.
    let code = [0x2003, 0xdf00, 0x3801, 0xd1fd, 0x4770];
    let firmware = with_handler(&[&code, &[0x4770]], SUPERVISOR_CALL);
    assert_eq!(open(&firmware, false), [Cause::Loop]);
    // The same with a breakpoint that asks for semihosting.
    let before = super::tests::firmware(&[&[0x2003, 0xbeab, 0x3801, 0xd1fd, 0x4770]]);
    assert_eq!(open(&before, true), [Cause::Loop]);
    let within = super::tests::firmware(&[&[0x2003, 0xbeab, 0x3801, 0xd1fc, 0x4770]]);
    assert_eq!(open(&within, true), [Cause::Loop]);
}

#[test]
fn a_table_has_no_targets_by_another_comparison() {
    let is_open = |code: &[u16]| {
        let causes = open(&super::tests::firmware(&[code]), false);
        assert_eq!(causes, [Cause::Obstacle(Obstacle::IndirectBranch)]);
    };
    // CMP R0, #1; CMP R1, #9; BHI out; TBB [PC, R0]; .byte 1, 3; UDIV; out: BX LR.
    is_open(&[0x2801, 0x2909, 0xd804, 0xe8df, 0xf000, 0x0301, 0xfbb0, 0xf0f1, 0x4770]);
    // CMP R0, #1; BHI to the TBB itself.
    is_open(&[0x2801, 0xd8ff, 0xe8df, 0xf000, 0x0301, 0xfbb0, 0xf0f1, 0x4770]);
}

#[test]
fn a_jump_that_looks_like_a_return_is_open() {
    // LDMIA.W R0, {R4, PC}: not from the stack.
    let firmware = super::tests::firmware(&[&[0xe890, 0x8010]]);
    assert_eq!(open(&firmware, false), [Cause::Obstacle(Obstacle::IndirectBranch)]);
}

/// One of R0 to R3.
fn register(random: &mut Rng) -> u16 {
    random.u16(..4)
}

/// An instruction, or a few that belong together.
fn item(random: &mut Rng) -> Vec<u16> {
    let [d, n, m] = [0; 3].map(|_: u16| register(random));
    match random.u16(..25) {
        0 => vec![0x3000 | d << 8 | random.u16(..256)], // ADDS Rd, #
        1 => vec![0x2000 | d << 8 | random.u16(..256)], // MOVS Rd, #
        2 => vec![0x2800 | d << 8 | random.u16(..4)],   // CMP Rd, #
        3 => vec![0x9800 | d << 8],                     // LDR Rd, [SP]
        4 => vec![0x9000 | d << 8],                     // STR Rd, [SP]
        5 => vec![0x4340 | m << 3 | d],                 // MULS Rd, Rm
        6 => vec![0xfbb0 | n, 0xf0f0 | d << 8 | m],     // UDIV
        7 => vec![0xfb90 | n, 0xf0f0 | d << 8 | m],     // SDIV
        8 => vec![0xfba0 | n, (d << 12) | (d ^ 1) << 8 | m], // UMULL
        9 => vec![0xfbe0 | n, (d << 12) | (d ^ 1) << 8 | m], // UMLAL
        10 => vec![0xb403, 0xbc0c],                     // PUSH {R0, R1}; POP {R2, R3}
        11 => vec![0xbf08, 0x3001],                     // IT EQ; ADDEQ R0, #1
        12 => vec![0xbf14, 0x9800, 0x2105],             // ITE NE; LDRNE R0, [SP]; MOVEQ R1, #5
        13 => vec![0x6820 | d],                         // LDR Rd, [R4]
        14 => vec![0xf8d4, d << 12],                    // LDR.W Rd, [R4]
        15 => vec![0xbf00],                             // NOP
        // R4 anywhere in the flash, R5 in the RAM, aligned or not.
        16 => vec![0xf000 | n, 0x047f], // AND R4, Rn, #0x7f
        17 => vec![0xf000 | n, 0x057f, 0xf045, 0x5500], // AND R5, Rn, #0x7f; ORR R5, #0x20000000
        18 => vec![0xf8b4, d << 12],    // LDRH.W Rd, [R4]
        19 => vec![0xf055, 0x5500, 0xf8c5, d << 12], // ORRS R5, #0x20000000; STR.W Rd, [R5]
        20 => vec![0xf055, 0x5500, 0xf8a5, d << 12], // ORRS R5, #0x20000000; STRH.W Rd, [R5]
        // BIC R5, #3; ORR R5, #0x20000000; LDRD R2, R3, [R5]; STR.W Rd, [R5, #4]
        21 => vec![0xf025, 0x0503, 0xf045, 0x5500, 0xe9d5, 0x2300, 0xf8c5, d << 12 | 4],
        22 => vec![0xf3bf, 0x8f4f],         // DSB
        23 => vec![0xf3bf, 0x8f6f],         // ISB
        _ => vec![0xf3ef, 0x8010 | d << 8], // MRS Rd, PRIMASK
    }
}

/// A program of forward branches, and loops that the code counts; BX LR ends it.
fn program(random: &mut Rng) -> Vec<u16> {
    let mut code = Vec::new();
    for _ in 0..3 + random.u16(..6) {
        let mut part: Vec<u16> = (0..1 + random.u16(..5)).flat_map(|_| item(random)).collect();
        let length = part.len() as u16;
        match random.u16(..4) {
            // B<cond> over the part.
            0 => code.push(0xd000 | random.u16(..14) << 8 | (length - 1)),
            // CBZ Rn over the part.
            1 => code.push(0xb100 | (length - 1) << 3 | register(random)),
            // MOVS R7, #; the part; SUBS R7, #1; BNE back.
            2 => {
                code.push(0x2701 + random.u16(..6));
                let back = 0x100 - (length + 3);
                part.extend([0x3f01, 0xd100 | back]);
            }
            _ => {}
        }
        code.append(&mut part);
    }
    code.push(0x4770);
    code
}

#[test]
fn no_program_of_random_code_breaks_its_bounds() {
    let mut random = Rng::with_seed(1);
    for _ in 0..150 {
        let code = program(&mut random);
        let (bound, _, observed) = bounds(&[&code], &Annotations::default());
        assert!(bound.is_bounded(), "{bound:?} of {code:x?}");
        assert!(bound.cycles.unwrap() >= taken(&observed), "{bound:?} of {code:x?}");
        let stack = observed.functions[&FUNCTION].stack;
        assert!(bound.stack.unwrap() >= stack, "{bound:?} of {code:x?}");
    }
}

/// A call or a branch that isn't followed may lead to a mask.
#[test]
fn a_section_that_only_an_unknown_call_leads_to_is_found() {
    use super::sections::Finder;
    let (board, annotations) = (lm3s6965(), Annotations::default());
    let of_first = |functions: &[&[u16]]| {
        let firmware = super::tests::firmware(functions);
        let analysis = Analysis::new(&firmware, conditions(&board, &annotations)).unwrap();
        let reached = analysis.reached(FUNCTION);
        let sections = Finder::new(&analysis).sections(&reached, None);
        let places: Vec<u32> = sections.iter().map(|one| one.address).collect();
        (places, reached.hidden().count())
    };
    // BLX R0; BX LR; the address of the second function: CPSID I; CPSIE I; BX LR.
    let second = FUNCTION + 0x80;
    let calls = [0x4780, 0x4770, second as u16 | 1, 0];
    let masks = [0xb672, 0xb662, 0x4770];
    assert_eq!(of_first(&[&calls, &masks]), (vec![second], 0));
    // Without its address, nothing can call it.
    assert_eq!(of_first(&[&[0x4780, 0x4770], &masks]), (vec![], 0));
    // BX R0; CPSID I; BX LR: the branch may lead to what follows.
    assert_eq!(of_first(&[&[0x4700, 0xb672, 0x4770]]), (vec![], 1));
    // BX R0 as the last thing: a call.
    assert_eq!(of_first(&[&[0x4700], &masks]), (vec![], 0));
}

/// A handler that is pended again while it runs goes on with itself: those are two activations.
#[test]
fn a_handler_that_follows_itself_is_observed_twice() {
    // MOVS R0, #9; loop: SUBS R0, #1; BNE loop; BX LR. The handler: UDIV R0, R1, R2; BX LR.
    let code = [0x2009, 0x3801, 0xd1fd, 0x4770];
    for handler in [&[0xfbb1, 0xf0f2, 0x4770][..], &[0xb510, 0xfbb1, 0xf0f2, 0xbd10][..]] {
        let firmware = with_handler(&[&code, handler], SYSTICK);
        let (board, annotations) = (lm3s6965(), Annotations::default());
        let analysis = Analysis::new(&firmware, conditions(&board, &annotations)).unwrap();
        let entry = FUNCTION + 0x80;
        let mut machine = Machine::new(&board);
        machine.load(&firmware.image).unwrap();
        machine.reset();
        let mut recorder = Recorder::new(&analysis, &machine);
        let (mut steps, mut pended) = (0, 0);
        while machine.pc() != RESET + 4 {
            let from = machine.pc();
            if steps == 5 || pended == 1 && from == entry {
                machine.pend(SYSTICK);
                pended += 1;
            }
            assert_eq!(machine.step(), None);
            recorder.look(&machine, from);
            steps += 1;
        }
        let seen = recorder.into_observed(&machine).functions[&entry];
        assert_eq!((pended, seen.times), (2, 2));
        assert!(seen.cycles <= analysis.bounds()[&entry].cycles.unwrap(), "{seen:?}");
    }
}

/// An interrupt before each instruction of random code: no run takes longer than the bounds of the
/// code and of the handler, and what an interruption adds.
#[test]
fn no_interruption_takes_longer_than_it_may() {
    let mut random = Rng::with_seed(2);
    // The handler: PUSH {R4, LR}; UDIV R0, R1, R2; POP {R4, PC}.
    let handler = [0xb510, 0xfbb1, 0xf0f2, 0xbd10];
    for _ in 0..30 {
        // At most 0x80 bytes: the handler lies behind it.
        let code = std::iter::repeat_with(|| program(&mut random)).find(|code| code.len() <= 64);
        let code = code.unwrap();
        let firmware = with_handler(&[&code, &handler], SYSTICK);
        let (board, annotations) = (lm3s6965(), Annotations::default());
        let analysis = Analysis::new(&firmware, conditions(&board, &annotations)).unwrap();
        let cycles = |entry: u32| analysis.bounds()[&entry].cycles.unwrap();
        let most = cycles(FUNCTION) + cycles(FUNCTION + 0x80) + analysis.interruption().around();
        let mut machine = Machine::new(&board);
        machine.load(&firmware.image).unwrap();
        machine.reset();
        while machine.pc() != FUNCTION {
            assert_eq!(machine.step(), None);
        }
        let began = machine.cycle();
        for place in 0.. {
            let mut interrupted = machine.clone();
            let mut steps = 0;
            while interrupted.pc() != RESET + 4 {
                if steps == place {
                    interrupted.pend(SYSTICK);
                }
                assert_eq!(interrupted.step(), None);
                steps += 1;
            }
            let taken = interrupted.cycle() - began;
            assert!(taken <= most, "{taken} of {most} at step {place} of {code:x?}");
            if steps <= place {
                break;
            }
        }
    }
}
