//! The tables of the Cortex-M0 and M0+, a row each.

use super::{Table, Timing};
use crate::processor::bus::RegionTiming;
use crate::processor::bus::{Buffer, CacheShape, DataCache, FrontSettings, FrontTiming, Port};
use crate::processor::instruction::Size;
use crate::processor::testing::{DATA, TestBus};
use crate::processor::{Architecture, Configuration, Processor};

const CODE: u32 = 0x100;
const HANDLER: u32 = 0x300;

fn core(cpuid: u32, code: &[u16]) -> Processor<TestBus> {
    let mut bus = TestBus::new();
    bus.put_words(0, &[DATA + 0x1000, CODE | 1]);
    bus.put_words(4 * 14, &[HANDLER | 1]);
    // The value that POP loads into PC.
    bus.put_words(DATA + 0x40, &[CODE | 1]);
    bus.put(CODE, code);
    bus.put(HANDLER, &[0x4770, 0xbf00]); // BX LR
    let configuration =
        Configuration { architecture: Architecture::V6M, cpuid, ..Configuration::default() };
    let mut core = Processor::new(configuration, bus);
    core.reset();
    core.registers.r[6] = DATA + 0x20;
    core.registers.r[13] = DATA + 0x40;
    core.registers.r[5] = CODE + 0x21;
    core
}

const CORES: [u32; 2] = [0x410c_c200, 0x410c_c601];

/// The cycles of the first instruction of `code` on both cores.
fn cycles(code: &[u16]) -> [u64; 2] {
    CORES.map(|cpuid| {
        let mut core = core(cpuid, code);
        let before = core.pipeline.now();
        assert_eq!(core.step(), None);
        core.pipeline.now() - before
    })
}

#[test]
fn each_instruction_takes_what_its_row_says() {
    let rows: [(&str, &[u16], [u64; 2]); 22] = [
        ("ADDS R1, #1", &[0x3101], [1, 1]),
        ("MULS R1, R2", &[0x4351], [1, 1]),
        ("LDR R1, [R6]", &[0x6831], [2, 2]),
        ("STRB R1, [R6]", &[0x7031], [2, 2]),
        ("LDR R1, [PC]", &[0x4900], [2, 2]),
        ("LDMIA R6!, {R0-R3}", &[0xce0f], [5, 5]),
        ("STMIA R6!, {R0, R1}", &[0xc603], [3, 3]),
        ("PUSH {R0-R2, LR}", &[0xb507], [5, 5]),
        ("POP {R0}", &[0xbc01], [2, 2]),
        ("POP {PC}", &[0xbd00], [5, 4]),
        ("B", &[0xe000], [3, 2]),
        ("BEQ, not taken", &[0xd000], [1, 1]),
        ("BNE, taken", &[0xd100], [3, 2]),
        ("BL", &[0xf000, 0xf800], [4, 3]),
        ("BX R5", &[0x4728], [3, 2]),
        ("BLX R5", &[0x47a8], [3, 2]),
        ("MOV PC, R5", &[0x46af], [3, 2]),
        ("MRS R0, PRIMASK", &[0xf3ef, 0x8010], [4, 3]),
        ("MSR PRIMASK, R0", &[0xf380, 0x8810], [4, 3]),
        ("DSB", &[0xf3bf, 0x8f4f], [4, 3]),
        ("ISB", &[0xf3bf, 0x8f6f], [4, 3]),
        ("CPSID i", &[0xb672], [1, 1]),
    ];
    for (name, code, expected) in rows {
        assert_eq!(cycles(code), expected, "{name}");
    }
}

#[test]
fn an_exception_takes_what_the_manual_says() {
    // Three cycles of the manual's 16 and 15 are before the instruction's end.
    for (cpuid, entry, back) in [(CORES[0], 13, 12), (CORES[1], 12, 11)] {
        let mut core = core(cpuid, &[0xbf00; 8]);
        core.poke_private(0xe000_ed04, Size::Word, 1 << 28);
        let mut before = core.pipeline.now();
        while core.registers.r[15] != HANDLER {
            before = core.pipeline.now();
            assert_eq!(core.step(), None);
        }
        assert_eq!(core.pipeline.now() - before, entry, "to the handler");
        let before = core.pipeline.now();
        assert_eq!(core.step(), None);
        assert!(core.registers.r[15] < HANDLER);
        assert_eq!(core.pipeline.now() - before, back, "back");
    }
}

#[test]
fn wait_states_come_on_top_of_the_table() {
    let region = |read_wait_states, front| RegionTiming {
        start: 0,
        end: DATA - 1,
        port: Port::CodeShared,
        read_wait_states,
        write_wait_states: 0,
        front,
    };
    let whole = CacheShape { lines: 4, ways: 4 };
    let settings = FrontSettings {
        wait_states: 10,
        buffer: false,
        prefetch: false,
        instructions: true,
        data: false,
        flush: false,
    };
    let cache = FrontTiming {
        line_bytes: 8,
        buffer: Buffer::None,
        instructions: whole,
        data: DataCache::Shared,
        settings,
    };
    // Two words of two NOPs, and two more in another line.
    for (region, fronts, expected) in [
        (region(0, 0), &[][..], 6),
        (region(3, 0), &[][..], 6 + 3 * 3),
        (region(0, 1), &[cache][..], 6 + 2 * 10),
    ] {
        let mut core = core(CORES[0], &[0xbf00; 6]);
        core.pipeline = Timing::new(&[region], fronts, false, Some(Table::CortexM0));
        core.pipeline.resume(CODE);
        let before = core.pipeline.now();
        for _ in 0..6 {
            assert_eq!(core.step(), None);
        }
        assert_eq!(core.pipeline.now() - before, expected);
    }
}
