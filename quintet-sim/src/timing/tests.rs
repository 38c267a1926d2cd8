//! The rules of the pipeline, one test each, with the cycles that an STM32F100 takes.
//!
//! Every figure stands between two loads of the cycle counter, as in the measurements from which
//! the model was made. The first of these loads takes two cycles if no instruction can share its
//! second cycle.

use super::Timing;
use crate::processor::bus::{
    Buffer, CacheShape, DataCache, FrontSettings, FrontTiming, Port, RegionTiming,
};
use crate::processor::instruction::Size;
use crate::processor::testing::{DATA, TestBus, cortex_m4f};
use crate::processor::{Configuration, Processor};

/// CPUID of that chip's Cortex-M3 r1p1.
const CPUID: u32 = 0x411f_c231;
/// Where the code of a test begins; both brackets are wide.
const FLASH: u32 = 0x100;
const SRAM: u32 = DATA + 0x100;
/// LDR.W R2, [R0, #4] and LDR.W R3, [R0, #4], with R0 = 0xE0001000.
const FIRST: [u16; 2] = [0xf8d0, 0x2004];
const SECOND: [u16; 2] = [0xf8d0, 0x3004];
const ISB: [u16; 2] = [0xf3bf, 0x8f6f];

const NOP: u16 = 0xbf00;
const ADDS: u16 = 0x3701; // ADDS R7, #1
const LDR: [u16; 2] = [0xf8d6, 0x7000]; // LDR.W R7, [R6]
const STR: [u16; 2] = [0xf8c6, 0x5000]; // STR.W R5, [R6]

/// The cycles from the first bracket to the second, with `code` between them at `base`; R6 points
/// to data.
fn cycles_at(base: u32, code: &[u16], prepare: impl FnOnce(&mut Processor<TestBus>)) -> u32 {
    let configuration = Configuration { cpuid: CPUID, ..Configuration::default() };
    cycles_on(configuration, base, code, prepare)
}

fn cycles_on(
    configuration: Configuration,
    base: u32,
    code: &[u16],
    prepare: impl FnOnce(&mut Processor<TestBus>),
) -> u32 {
    let mut bus = TestBus::new();
    bus.put_words(0, &[DATA + 0x1000, FLASH | 1]);
    let program: Vec<u16> = ISB.iter().chain(&FIRST).chain(code).chain(&SECOND).copied().collect();
    bus.put(base, &program);
    let mut core = Processor::new(configuration, bus);
    core.attach_debugger(true);
    core.poke_private(0xe000_edfc, Size::Word, 1 << 24);
    core.poke_private(0xe000_1000, Size::Word, 1);
    core.reset();
    core.halt();
    core.registers.r[0] = 0xe000_1000;
    core.registers.r[6] = DATA + 0x20;
    core.registers.r[15] = base;
    prepare(&mut core);
    let end = base + 2 * program.len() as u32;
    while core.registers.r[15] != end {
        assert_eq!(core.step(), None);
    }
    core.registers.r[3].wrapping_sub(core.registers.r[2])
}

fn cycles(code: &[u16]) -> u32 {
    cycles_at(FLASH, code, |_| ())
}

fn cycles_in_sram(code: &[u16]) -> u32 {
    cycles_at(SRAM, code, |_| ())
}

#[test]
fn adjacent_loads_share_a_cycle() {
    assert_eq!(cycles(&[]), 1);
    assert_eq!(cycles(&[ADDS]), 3);
    let two = [LDR, LDR].concat();
    assert_eq!(
        cycles(&two),
        5,
        "behind each other on the system bus, not across from the private one"
    );
}

#[test]
fn a_dependent_load_waits_for_its_address() {
    let through_load = [0x6836, 0x6836]; // LDR R6, [R6] twice
    assert_eq!(cycles_at(FLASH, &through_load, |core| core.bus.put_words(DATA + 0x20, &[DATA])), 6);
    let through_sum = [0xeb06, 0x0607, 0x6835]; // ADD.W R6, R6, R7; LDR R5, [R6]
    assert_eq!(cycles(&through_sum), 6, "a sum is not forwarded to the address unit");
    let independent = [0xeb06, 0x0807, 0x6835]; // ADD.W R8, R6, R7; LDR R5, [R6]
    assert_eq!(cycles(&independent), 5);
}

#[test]
fn stores_take_one_cycle_and_delay_a_load_behind_them() {
    assert_eq!(cycles(&STR), 4);
    assert_eq!(cycles(&[STR, STR, STR].concat()), 6);
    let register_offset = [0x51f5, 0x51f5, 0x51f5]; // STR R5, [R6, R7]
    assert_eq!(cycles(&register_offset), 8, "the third register is read in a cycle of its own");
}

#[test]
fn words_come_while_a_load_waits_for_a_store_that_shared_a_cycle() {
    // LDR R7, [R6] or ADDS R7, R7, #1; STR R5, [R6]; LDR.W R1, [LR, #8]!; two loads, all wide ones
    // across two words
    let with = |first: u16| {
        let code = [&[ADDS, first, 0x6035, 0xf85e, 0x1f08], &[LDR, LDR].concat()[..]].concat();
        cycles_at(FLASH, &code, |core| core.registers.r[14] = DATA + 0x20)
    };
    assert_eq!(with(0x6837), 10);
    assert_eq!(with(0x1c7f), 11, "a store alone holds the fetch up");
}

#[test]
fn multiples_take_a_cycle_more_than_they_have_registers() {
    assert_eq!(cycles(&[0xe896, 0x0030]), 5); // LDM.W R6, {R4, R5}
    assert_eq!(cycles(&[0xe9d6, 0x4500]), 5); // LDRD R4, R5, [R6]
    assert_eq!(cycles(&[0xe8a6, 0x0330]), 7); // STM.W R6!, {R4, R5, R8, R9}
}

#[test]
fn what_waits_behind_a_long_instruction_stays_in_the_queue() {
    // PUSH {R0, R1, R2}; MOV.W R4, R1 and R2, #0, each across two words; POP {R0, R1, R2}
    let across = [0xb407, 0xf04f, 0x0400, 0xf04f, 0x0100, 0xf04f, 0x0200, 0xbc07];
    assert_eq!(cycles_at(FLASH, &across, |core| core.registers.r[13] = DATA + 0x800), 14);
    // STM.W R6!, {R4, R5, R8, R9} and three more: nothing else is in the way.
    let stores = [[0xe8a6, 0x0330]; 4].concat();
    assert_eq!(cycles(&stores), 22);
}

#[test]
fn a_known_target_is_fetched_while_its_branch_is_decoded() {
    assert_eq!(cycles(&[0xe000, NOP]), 4); // B over a NOP
    assert_eq!(cycles(&[ADDS, 0xe7ff]), 5);
    // A wide target across two words takes a fetch more, unless the branch has waited in the decode
    // stage.
    assert_eq!(cycles(&[ADDS, NOP, 0xe7ff]), 7);
}

#[test]
fn branches_decided_in_the_execute_stage_take_a_cycle_more() {
    let compare = [NOP, NOP, 0xb107, NOP]; // CBZ R7, over a NOP
    assert_eq!(cycles(&compare), 6, "the first NOP passes while the load waits");
    let through_register = |core: &mut Processor<TestBus>| core.registers.r[4] = (FLASH + 0x0c) | 1;
    assert_eq!(cycles_at(FLASH, &[0x4720, NOP], through_register), 5); // BX R4
    let through_link = |core: &mut Processor<TestBus>| core.registers.r[14] = (FLASH + 0x0c) | 1;
    assert_eq!(cycles_at(FLASH, &[0x4770, NOP], through_link), 4); // BX LR
}

#[test]
fn it_is_handled_with_the_narrow_instruction_before_it() {
    let folded = [ADDS, 0xbf08, ADDS]; // ADDS; IT EQ; ADDEQ
    let alone = [0xf107, 0x0701, 0xbf08, ADDS]; // ADD.W; IT EQ; ADDEQ
    assert_eq!(cycles(&folded), 4);
    assert_eq!(cycles(&alone), 5);
}

#[test]
fn it_is_not_handled_with_a_load() {
    let behind_load = [0x6835, 0xbf08, ADDS]; // LDR R5, [R6]; IT EQ; ADDEQ
    assert_eq!(cycles(&behind_load), 6);
}

#[test]
fn a_link_register_just_loaded_is_read_in_the_execute_stage() {
    let target = (FLASH + 0x10) | 1;
    let load = [0xf8d6, 0xe000, 0x4770, NOP]; // LDR.W LR, [R6]; BX LR, over a NOP
    let measured = cycles_at(FLASH, &load, |core| core.bus.put_words(DATA + 0x20, &[target]));
    let apart = [0xf8d6, 0xe000, ADDS, 0x4770]; // the same with an ADDS between
    let with_pause = cycles_at(FLASH, &apart, |core| core.bus.put_words(DATA + 0x20, &[target]));
    assert_eq!(measured, with_pause, "what the pause costs, the branch gains");
}

#[test]
fn a_load_with_write_back_is_late_for_an_address() {
    let plain = [0xf8d6, 0x5000, 0x682c]; // LDR.W R5, [R6]; LDR R4, [R5]
    let written_back = [0xf856, 0x5b04, 0x682c]; // LDR.W R5, [R6], #4; LDR R4, [R5]
    let through = |code| cycles_at(FLASH, code, |core| core.bus.put_words(DATA + 0x20, &[DATA]));
    assert_eq!(through(&written_back), through(&plain) + 1);
}

#[test]
fn the_last_register_of_ldmdb_is_late_only_with_write_back() {
    let through = |code: &[u16]| {
        cycles_at(FLASH, code, |core| core.bus.put_words(DATA + 0x18, &[DATA, DATA]))
    };
    let plain = [0xe916, 0x0030, 0x682b]; // LDMDB R6, {R4, R5}; LDR R3, [R5]
    let written_back = [0xe936, 0x0030, 0x682b]; // LDMDB R6!, {R4, R5}; LDR R3, [R5]
    let first = [0xe916, 0x0030, 0x6823]; // LDMDB R6, {R4, R5}; LDR R3, [R4]
    assert_eq!(through(&written_back), through(&plain) + 1);
    assert_eq!(through(&first), through(&plain));
}

#[test]
fn the_second_register_of_ldrd_is_late_with_write_back() {
    let through = |code: &[u16]| {
        cycles_at(FLASH, code, |core| core.bus.put_words(DATA + 0x20, &[DATA, DATA, DATA, DATA]))
    };
    let plain = [0xe9d6, 0x4500, 0x682b]; // LDRD R4, R5, [R6]; LDR R3, [R5]
    let after = [0xe8f6, 0x4502, 0x682b]; // LDRD R4, R5, [R6], #8; LDR R3, [R5]
    let before = [0xe9f6, 0x4502, 0x682b]; // LDRD R4, R5, [R6, #8]!; LDR R3, [R5]
    let first = [0xe8f6, 0x4502, 0x6823]; // LDRD R4, R5, [R6], #8; LDR R3, [R4]
    assert_eq!(through(&after), through(&plain) + 1);
    assert_eq!(through(&before), through(&plain) + 1);
    assert_eq!(through(&first), through(&plain));
}

#[test]
fn what_needs_nothing_passes_while_a_load_waits() {
    assert_eq!(cycles(&LDR), 4);
    assert_eq!(cycles(&[LDR[0], LDR[1], NOP]), 4);
    assert_eq!(cycles(&[LDR[0], LDR[1], NOP, NOP]), 5);
}

#[test]
fn a_nop_passes_while_a_store_reads_its_data() {
    // ADD.W R8, R8, R9; STR R5, [R6, R7]; then a NOP, narrow or wide
    let store = [0xeb08, 0x0809, 0x51f5];
    let with = |behind: &[u16]| cycles(&[&store[..], behind].concat());
    assert_eq!(with(&[NOP]), with(&[]));
    assert_eq!(with(&[0xf3af, 0x8000]), with(&[]));
    assert_eq!(with(&[NOP, NOP]), with(&[]) + 1, "one of them");
    // STR R5, [R6] leaves the execute stage in its first cycle.
    assert_eq!(cycles(&[0x6035, NOP, ADDS]), cycles(&[0x6035, ADDS]) + 1);
}

#[test]
fn it_is_handled_with_a_nop_that_passes_behind_a_load() {
    let it = [0xbf08, 0xea45, 0x0505]; // IT EQ; ORREQ.W R5, R5, R5
    let behind = |first: &[u16]| cycles(&[first, &it].concat());
    assert_eq!(behind(&[ADDS, 0x6837, NOP]), behind(&[ADDS, 0x6837]) - 1); // LDR R7, [R6]
}

#[test]
fn a_skipped_load_does_not_wait_for_an_accumulation() {
    // ITE NE; the instruction; LDREQ.W R8, [R4], skipped
    let skipped = |code: [u16; 2]| cycles(&[0xbf14, code[0], code[1], 0xf8d4, 0x8000]);
    let accumulate = [0xfb06, 0x4405]; // MLA R4, R6, R5, R4
    let elsewhere = [0xfb06, 0x3305]; // MLA R3, R6, R5, R3
    assert_eq!(skipped(accumulate), skipped(elsewhere));
    let sum = [0xeb06, 0x0405]; // ADD.W R4, R6, R5
    let sum_elsewhere = [0xeb06, 0x0305]; // ADD.W R3, R6, R5
    assert_eq!(skipped(sum), skipped(sum_elsewhere) + 1, "which isn't there that long");
}

#[test]
fn an_accumulation_shares_the_last_cycle_of_the_product() {
    // UMULL R4, R5, R6, R7; MLA R8, R6, R7, R5
    assert_eq!(cycles(&[0xfba6, 0x4507, 0xfb06, 0x5807]), 6);
    // UMULL R4, R5, R6, R7; MLA R8, R6, R7, R9
    assert_eq!(cycles(&[0xfba6, 0x4507, 0xfb06, 0x9807]), 7);
    // UMLAL and SMLAL R4, R5, R6, R7; MLA R8, R6, R7, R5 and R9
    for first in [0xfbe6, 0xfbc6] {
        let behind = |last| cycles(&[first, 0x4507, 0xfb06, last]);
        assert_eq!(behind(0x5807), behind(0x9807), "the adder is still in use");
    }
}

#[test]
fn special_registers_wait_for_the_one_read_before_them() {
    let mrs = [0xf3ef, 0x8512]; // MRS R5, BASEPRI_MAX
    let msr = [0xf386, 0x8811]; // MSR BASEPRI, R6
    assert_eq!(cycles(&mrs), 3);
    assert_eq!(cycles(&msr), 3);
    assert_eq!(cycles(&[mrs, mrs].concat()), 5);
    assert_eq!(cycles(&[mrs, msr].concat()), 5);
    assert_eq!(cycles(&[msr, mrs].concat()), 4);
}

#[test]
fn setting_a_mask_by_cps_takes_a_cycle_more_than_clearing_it() {
    assert_eq!(cycles(&[0xb672]), 4); // CPSID I
    assert_eq!(cycles(&[0xb662]), 3); // CPSIE I
    assert_eq!(cycles(&[0xb672, 0xb672]), 5, "only when it changes");
}

#[test]
fn code_in_sram_comes_a_word_each_two_cycles() {
    assert_eq!(cycles_in_sram(&[]), 2);
    let wide = [0xf107, 0x0701];
    assert_eq!(cycles_in_sram(&[wide, wide, wide].concat()), 8);
    assert_eq!(cycles_in_sram(&[0xe000, NOP]), 6); // B over a NOP
}

#[test]
fn data_and_code_compete_for_the_system_bus() {
    assert_eq!(cycles_in_sram(&[STR, STR, STR, STR].concat()), 13);
    assert_eq!(cycles_in_sram(&[0xe8a6, 0x0330]), 11); // STM.W R6!, {R4, R5, R8, R9}
    assert_eq!(cycles_in_sram(&[0xe9d6, 0x4500]), 6); // LDRD R4, R5, [R6]
}

/// The cycles on a Cortex-M4F, with `wait_states` for all below the data memory.
fn cycles_with_wait_states(wait_states: u8, code: &[u16]) -> u32 {
    cycles_on(cortex_m4f(), FLASH, code, |core| {
        let slow = RegionTiming {
            start: 0,
            end: DATA - 1,
            port: Port::CodeShared,
            read_wait_states: wait_states,
            write_wait_states: 0,
            front: 0,
        };
        core.pipeline = Timing::new(&[slow], &[], true, None);
        core.pipeline.resume(FLASH);
        core.registers.r[8] = 0x40;
    })
}

#[test]
fn wait_states_hold_up_the_fetch_and_what_branches_leave_behind() {
    let wide = [0xf107, 0x0701];
    assert_eq!(cycles_with_wait_states(2, &wide.repeat(4)), 15, "three cycles a word");
    // BEQ over an ADDS, not taken: its target is fetched in vain.
    let not_taken = [[0xd000, ADDS], wide].concat();
    assert_eq!(cycles_with_wait_states(2, &not_taken), 12);
    // LDR.W R5, [R8]: a fetch whose address is on the bus goes first, then the data.
    assert_eq!(cycles_with_wait_states(2, &[0xf8d8, 0x5000]), 11);
    // LDRD R4, R5, [R8]: the second word of data goes before the next fetch.
    assert_eq!(cycles_with_wait_states(2, &[0xe9d8, 0x4500]), 14);
}

/// The cycles on a Cortex-M4F whose flash has two wait states and keeps the line read last.
fn cycles_with_line_buffer(code: &[u16], prepare: impl FnOnce(&mut Processor<TestBus>)) -> u32 {
    cycles_on(cortex_m4f(), FLASH, code, |core| {
        let flash = RegionTiming {
            start: 0,
            end: DATA - 1,
            port: Port::CodeShared,
            read_wait_states: 0,
            write_wait_states: 0,
            front: 1,
        };
        let off = false;
        let settings = FrontSettings {
            wait_states: 2,
            buffer: true,
            prefetch: off,
            instructions: off,
            data: off,
            flush: off,
        };
        let buffer = FrontTiming {
            line_bytes: 16,
            buffer: Buffer::All,
            instructions: CacheShape::default(),
            data: DataCache::None,
            settings,
        };
        core.pipeline = Timing::new(&[flash], &[buffer], true, None);
        core.pipeline.resume(FLASH);
        prepare(core);
    })
}

#[test]
fn a_branch_that_is_not_taken_costs_the_line_buffer_its_line() {
    // Up to the next line; CMP R7, #0; BEQ, not taken; the rest of that line.
    let line = |branch: u16| [&[ADDS; 4][..], &[0x2f00, branch], &[ADDS; 6]].concat();
    let count = |branch| cycles_with_line_buffer(&line(branch), |_| ());
    let (near, far) = (0xd000, 0xd020);
    assert!(count(far) >= count(near) + 3, "the target's line, and this one again");
    // ITT EQ; ADDEQ; BEQ: in an IT block too.
    let block = |branch: u16| [&[ADDS; 4][..], &[0xbf04, ADDS, branch], &[ADDS; 5]].concat();
    let count = |branch| {
        cycles_with_line_buffer(&block(branch), |core| core.registers.r[14] = (FLASH + 0x80) | 1)
    };
    let counts = [0xe7ff, 0xe020, 0x4770].map(count); // B in this line and not, BX LR
    assert!(counts[1] > counts[0] && counts[2] == counts[1], "{counts:?}");
}

#[test]
fn a_core_that_holds_addresses_fetches_what_a_branch_has_made_useless() {
    // BX R4, over seven NOPs: the word behind it is on its way, and the next one's address waits.
    let mut branch = [NOP; 8];
    branch[0] = 0x4720;
    let aim = |core: &mut Processor<TestBus>| core.registers.r[4] = (SRAM + 0x18) | 1;
    assert_eq!(cycles_at(SRAM, &branch, aim), 6);
    assert_eq!(cycles_on(cortex_m4f(), SRAM, &branch, aim), 8);
}

#[test]
fn a_fetch_puts_a_store_off_and_a_load_behind_it() {
    assert_eq!(cycles_in_sram(&STR), 4);
    assert_eq!(cycles_on(cortex_m4f(), SRAM, &STR, |_| ()), 5);
}

/// The cycles of one instruction on a Cortex-M4F, between two that each wait for nothing.
fn on_cortex_m4f(code: [u16; 2]) -> u32 {
    let count = |code: &[u16]| {
        cycles_on(cortex_m4f(), FLASH, code, |core| {
            core.poke_private(0xe000_ed88, Size::Word, 0xf << 20);
        })
    };
    let around = [ADDS, ADDS];
    count(&[&around[..], &code, &around].concat()) - count(&[around, around].concat())
}

#[test]
fn a_cortex_m4_multiplies_in_one_cycle() {
    assert_eq!(on_cortex_m4f([0xfb07, 0x5407]), 1, "MLA R4, R7, R7, R5");
    assert_eq!(on_cortex_m4f([0xfba7, 0x4507]), 1, "UMULL R4, R5, R7, R7");
    assert_eq!(on_cortex_m4f([0xfbe7, 0x4567]), 1, "UMAAL R4, R5, R7, R7");
}

#[test]
fn floating_point_takes_what_the_table_says() {
    let table = [
        ([0xee30, 0x0a81], 1),  // VADD.F32 S0, S1, S2
        ([0xeeb5, 0x0ac0], 1),  // VCMPE.F32 S0, #0.0
        ([0xee00, 0x0a81], 3),  // VMLA.F32 S0, S1, S2
        ([0xeea0, 0x0a81], 3),  // VFMA.F32 S0, S1, S2
        ([0xee80, 0x0a81], 14), // VDIV.F32 S0, S1, S2
        ([0xeeb1, 0x0ae0], 14), // VSQRT.F32 S0, S1
        ([0xee10, 0x4a10], 2),  // VMOV R4, S0
        ([0xeef1, 0xfa10], 1),  // VMRS APSR_nzcv, FPSCR
        ([0xed96, 0x0a00], 2),  // VLDR S0, [R6]
        ([0xed96, 0x0b00], 3),  // VLDR D0, [R6]
        ([0xed86, 0x0a00], 2),  // VSTR S0, [R6]
        ([0xec96, 0x0a08], 9),  // VLDMIA R6, {S0-S7}
        ([0xec86, 0x0a08], 9),  // VSTMIA R6, {S0-S7}
    ];
    for (code, cycles) in table {
        assert_eq!(on_cortex_m4f(code), cycles, "{code:04x?}");
    }
}
