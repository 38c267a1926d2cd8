//! Running, stopping, pending, watching, restarting, measuring.

use super::*;
use crate::bus::AccessKind;
use crate::image::Image;
use crate::processor::events::EventKind;

/// A machine of 64 KiB with a program of halfwords at 0x100 and handlers by exception number.
fn machine(program: &[u16], handlers: &[(u16, &[u16])]) -> Machine {
    let mut image = vec![0_u8; 0x400];
    let mut place = |at: usize, code: &[u16]| {
        for (index, halfword) in code.iter().enumerate() {
            image[at + 2 * index..][..2].copy_from_slice(&halfword.to_le_bytes());
        }
    };
    place(0, &[0x1000, 0x2000, 0x0101, 0]);
    place(0x100, program);
    for (index, (exception, code)) in handlers.iter().enumerate() {
        let at = 0x200 + 0x40 * index;
        place(at, code);
        place(4 * usize::from(*exception), &[at as u16 | 1, 0]);
    }
    let mut machine = Machine::new(&Board::named("lm3s6965").expect("built in"));
    machine.load(&Image::raw(&image, 0).expect("an image")).expect("it fits");
    machine.reset();
    machine
}

const NOP: u16 = 0xbf00;
const WFI: u16 = 0xbf30;
const BX_LR: u16 = 0x4770;
/// `b .`
const LOOP: u16 = 0xe7fe;
/// `b` back over one halfword.
const BACK_ONE: u16 = 0xe7fd;

fn limit(cycles: u64) -> Until {
    Until { max_cycles: Some(cycles), ..Until::default() }
}

#[test]
fn limits_stop_an_endless_loop() {
    let mut machine = machine(&[LOOP], &[]);
    assert_eq!(machine.run(&limit(1_000)), Stop::CycleLimit);
    assert!((1_000..1_010).contains(&machine.cycle()));
    let executed = machine.instructions();
    let until = Until { max_instructions: Some(executed + 10), ..Until::default() };
    assert_eq!(machine.run(&until), Stop::InstructionLimit);
    assert_eq!(machine.instructions(), executed + 10);
}

#[test]
fn an_exception_that_is_due_at_an_address_comes_before_the_stop_there() {
    // The store pends PendSV; one more instruction completes.
    let store = 0x6001;
    let mut machine = machine(&[store, NOP, NOP, LOOP], &[(14, &[BX_LR])]);
    machine.processor.registers.r[0] = 0xe000_ed04;
    machine.processor.registers.r[1] = 1 << 28;
    let until = Until { addresses: vec![0x104], ..limit(10_000) };
    assert_eq!(machine.run(&until), Stop::Address(0x104));
    assert_eq!(machine.instructions(), 3, "the store, a NOP and the handler");
}

#[test]
fn an_address_stops_before_its_instruction_every_time_around() {
    let mut machine = machine(&[NOP, NOP, BACK_ONE], &[]);
    let until = Until { addresses: vec![0x102], ..limit(10_000) };
    for _ in 0..3 {
        assert_eq!(machine.run(&until), Stop::Address(0x102));
        assert_eq!(machine.pc(), 0x102);
    }
    assert_eq!(machine.instructions(), 1 + 2 * 2);
}

#[test]
fn a_pended_interrupt_is_taken_before_the_next_instruction() {
    let mut machine = machine(&[NOP, NOP, LOOP], &[(20, &[BX_LR]), (14, &[BX_LR])]);
    assert_eq!(machine.step(), None);
    machine.write_memory(0xe000_e100, &(1_u32 << 4).to_le_bytes()).expect("the NVIC");
    machine.pend(20);
    assert_eq!(machine.step(), None);
    assert_eq!((machine.pc(), machine.processor.registers.ipsr), (0x200, 20));
    assert_eq!(machine.instructions(), 1);
}

#[test]
fn nothing_to_wake_for_stops_a_sleeper() {
    let mut machine = machine(&[WFI, LOOP], &[]);
    assert_eq!(machine.run(&limit(1_000_000)), Stop::Asleep);
}

#[test]
fn sleeping_reaches_the_cycle_limit_exactly() {
    // The script would wake the processor much later.
    let mut machine = machine(&[WFI, LOOP], &[(16, &[BX_LR])]);
    let script = Script::parse("[[at]]\ncycle = 90_000\npend = 0\n", machine.board());
    machine.set_script(script.expect("valid"));
    machine.write_memory(0xe000_e100, &1_u32.to_le_bytes()).expect("the NVIC");
    assert_eq!(machine.run(&limit(50_000)), Stop::CycleLimit);
    assert_eq!(machine.cycle(), 50_000);
    let until = Until { addresses: vec![0x200], ..limit(100_000) };
    assert_eq!(machine.run(&until), Stop::Address(0x200));
    assert!((90_000..90_040).contains(&machine.cycle()), "{}", machine.cycle());
}

#[test]
fn a_step_within_a_limit_sleeps_no_longer() {
    let mut machine = machine(&[WFI, LOOP], &[]);
    let script = Script::parse("[[at]]\ncycle = 90_000\npend = 0\n", machine.board());
    machine.set_script(script.expect("valid"));
    while machine.cycle() < 50_000 {
        assert_eq!(machine.step_within(50_000), None);
    }
    assert_eq!(machine.cycle(), 50_000);
    assert_eq!(machine.step(), None);
    assert_eq!(machine.cycle(), 90_000);
}

#[test]
fn an_interrupt_of_the_script_wakes_whenever_it_comes() {
    for cycle in 0..40 {
        let mut machine = machine(&[NOP, NOP, NOP, NOP, WFI, LOOP], &[(16, &[BX_LR])]);
        let script = format!("[[at]]\ncycle = {cycle}\npend = 0\n");
        machine.set_script(Script::parse(&script, machine.board()).expect("valid"));
        machine.write_memory(0xe000_e100, &1_u32.to_le_bytes()).expect("the NVIC");
        let until = Until { addresses: vec![0x200], ..limit(1_000) };
        assert_eq!(machine.run(&until), Stop::Address(0x200), "pended in cycle {cycle}");
    }
}

#[test]
fn what_is_written_to_the_itm_is_output() {
    let store = 0x7001; // STRB R1, [R0]
    let mut machine = machine(&[store, store, LOOP], &[]);
    machine.processor.registers.r[0] = 0xe000_0004;
    machine.processor.registers.r[1] = u32::from(b'x');
    machine.write_memory(0xe000_0e80, &1_u32.to_le_bytes()).expect("ITM_TCR");
    machine.write_memory(0xe000_0e00, &2_u32.to_le_bytes()).expect("ITM_TER");
    machine.run(&limit(100));
    let expected = Output { channel: "itm1".to_owned(), bytes: b"xx".to_vec() };
    assert_eq!(machine.take_output(), [expected]);
    assert_eq!(machine.take_output(), []);
}

#[test]
fn lockup_stops() {
    // UDF with a HardFault vector of 0: the fault's handler cannot run.
    let mut machine = machine(&[0xde00], &[]);
    assert_eq!(machine.run(&limit(1_000)), Stop::Lockup);
}

#[test]
fn a_breakpoint_stops_under_a_debugger_and_can_be_skipped() {
    let mut machine = machine(&[0xbe07, NOP, LOOP], &[]);
    machine.processor.attach_debugger(true);
    assert_eq!(machine.run(&limit(1_000)), Stop::Breakpoint { immediate: 7 });
    assert_eq!(machine.pc(), 0x100);
    machine.skip_breakpoint();
    assert_eq!(machine.step(), None);
    assert_eq!(machine.pc(), 0x104);
}

#[test]
fn a_reset_request_restarts_and_keeps_memory() {
    // Counts in RAM, then writes AIRCR until the count is 3.
    let program = [
        0x4b06, 0x681a, 0x3201,
        0x601a, // ldr r3,=0x20000000; ldr r2,[r3]; adds r2,#1; str r2,[r3]
        0x2a03, 0xd002, // cmp r2,#3; beq done
        0x4b04, 0x4a05, // ldr r3,=AIRCR; ldr r2,=SYSRESETREQ
        0x601a, LOOP, // str r2,[r3]; b .   (done is the branch below)
        NOP, NOP, // keep the literals aligned
        NOP, NOP, 0x0000, 0x2000, 0xed0c, 0xe000, 0x0004, 0x05fa,
    ];
    let mut machine = machine(&program, &[]);
    machine.observe(true);
    assert_eq!(machine.run(&limit(1_000)), Stop::CycleLimit);
    assert_eq!(machine.read_word(0x2000_0000), Some(3));
    let events = machine.take_events();
    let resets = events.iter().filter(|event| event.kind == EventKind::Reset);
    assert_eq!(resets.count(), 2);
}

#[test]
fn events_stop_the_machine_whether_or_not_they_are_recorded() {
    let mut machine = machine(&[0xdf00, LOOP], &[(11, &[NOP, BX_LR])]);
    let until = Until { events: vec![EventFilter::Enter(Some(11))], ..limit(1_000) };
    let stop = machine.run(&until);
    let Stop::Event(event) = stop else { panic!("{stop:?}") };
    assert!(matches!(event.kind, EventKind::Enter { exception: 11, return_address: 0x102, .. }));
    assert_eq!(machine.pc(), 0x200);
    machine.observe(true);
    let until = Until { events: vec![EventFilter::Exit(None)], ..limit(1_000) };
    assert!(matches!(machine.run(&until), Stop::Event(_)));
    assert_eq!(machine.take_events().len(), 1);
    assert_eq!(machine.run(&until), Stop::CycleLimit);
}

#[test]
fn an_event_of_the_past_stops_nothing() {
    let mut machine = machine(&[0xdf00, LOOP], &[(11, &[NOP, BX_LR])]);
    machine.observe(true);
    assert_eq!(machine.run(&limit(500)), Stop::CycleLimit);
    let until = Until { events: vec![EventFilter::Enter(None)], ..limit(1_000) };
    assert_eq!(machine.run(&until), Stop::CycleLimit);
    assert_eq!(machine.take_events().len(), 2, "an entry and an exit");
}

#[test]
fn watches_see_loads_stores_registers_and_the_nvic() {
    // ldr r3,=0x20000010; movs r2,#5; str r2,[r3]; ldr r1,[r3]; b .
    let program = [0x4b02, 0x2205, 0x601a, 0x6819, LOOP, NOP, 0x0010, 0x2000];
    let watch_of = |kind| Watch::Memory(WatchedRange { start: 0x2000_0012, length: 1, kind });
    let mut machine = machine(&program, &[]);
    machine.watch(watch_of(AccessKind::Any));
    let Stop::Watch(hit) = machine.run(&limit(1_000)) else { panic!("no hit") };
    assert_eq!((hit.pc, hit.address, hit.old, hit.new), (0x104, 0x2000_0010, 0, 5));
    let Stop::Watch(hit) = machine.run(&limit(1_000)) else { panic!("no hit") };
    assert_eq!((hit.pc, hit.new), (0x106, 5));
    machine.clear_watches();
    machine.reset();
    machine.watch(Watch::Register(2));
    let Stop::Watch(hit) = machine.run(&limit(1_000)) else { panic!("no hit") };
    assert_eq!((hit.pc, hit.old, hit.new), (0x102, 0, 5));
    machine.unwatch(&Watch::Register(2));
    assert_eq!(machine.run(&limit(1_000)), Stop::CycleLimit);
}

#[test]
fn stacks_and_masks_are_measured() {
    // push {r0-r7}; cpsid i; nop; cpsie i; pop {r0-r7}; b .
    let mut machine = machine(&[0xb4ff, 0xb672, NOP, 0xb662, 0xbcff, LOOP], &[]);
    machine.run(&limit(1_000));
    let stacks = machine.stack_high_water();
    assert_eq!((stacks.main.lowest, stacks.main.bytes()), (Some(0x2000_0fe0), 32));
    assert_eq!(stacks.process.lowest, None);
    let masked = machine.masked_time();
    assert_eq!((masked.primask.count, masked.primask.longest_pc), (1, 0x104));
    assert!(masked.primask.total >= 2);
    assert_eq!(masked.basepri.count, 0);
}

#[test]
fn a_debugger_reads_and_writes_everywhere() {
    let mut machine = machine(&[LOOP], &[]);
    assert_eq!(machine.read_word(0xe000_ed00).map(|cpuid| cpuid >> 24), Some(0x41));
    assert_eq!(machine.write_memory(0x100, &NOP.to_le_bytes()), Ok(()));
    assert_eq!(machine.write_memory(0x102, &LOOP.to_le_bytes()), Ok(()));
    machine.run(&limit(100));
    assert_eq!(machine.pc(), 0x102, "the new code is executed");
    let error = machine.write_memory(0x9000_0000, &[1]).expect_err("nothing there");
    assert!(error.to_string().contains("0x90000000"), "{error}");
    assert!(machine.read_memory(0x9000_0000, &mut [0]).is_err());
    assert!(machine.read_memory(0xf000_0000, &mut [0; 8]).is_err());
    assert_eq!(machine.write_memory(0x4000_c024, &[5, 0, 0, 0]), Ok(()), "a device");
    assert_eq!(machine.read_word(0x4000_c024), Some(5));
}

#[test]
fn an_image_for_another_board_is_refused() {
    let mut machine = Machine::new(&Board::named("lm3s6965").expect("built in"));
    let image = Image::raw(&[0; 64], 0x0800_0000).expect("an image");
    let message = machine.load(&image).expect_err("outside").to_string();
    assert!(message.contains("0x08000000") && message.contains("flash"), "{message}");
    let blank = Image::raw(&[0xff; 64], 0).expect("an image");
    assert!(machine.load(&blank).expect_err("blank").to_string().contains("no vector table"));
}

#[test]
fn an_image_in_ram_starts_from_its_own_vector_table() {
    let mut machine = Machine::new(&Board::named("stm32f100").expect("built in"));
    let halfwords: [u16; 6] = [0x1000, 0x2000, 0x0009, 0x2000, LOOP, 0];
    let bytes: Vec<u8> = halfwords.iter().flat_map(|halfword| halfword.to_le_bytes()).collect();
    machine.load(&Image::raw(&bytes, 0x2000_0000).expect("an image")).expect("it begins with one");
    machine.reset();
    assert_eq!(machine.vector_table(), 0x2000_0000);
    assert_eq!(machine.pc(), 0x2000_0008);
    assert_eq!(machine.run(&limit(100)), Stop::CycleLimit);
}

#[test]
fn a_machine_can_be_sent_to_another_thread() {
    fn check<T: Send + Clone + 'static>() {}
    check::<Machine>();
    check::<crate::snapshot::Snapshot>();
}

/// Calls a function of the RP2040's boot ROM by its code in the table to which `table` points.
/// Returns r0 and r1.
fn call_rom(table: u32, code: &[u8; 2], arguments: [u32; 4]) -> (u32, u32) {
    const BACK: u32 = 0x1000_0140;
    let mut machine = Machine::new(&Board::named("rp2040").expect("built in"));
    let mut image = [0_u8; 0x100];
    image[..4].copy_from_slice(&0x2004_0000_u32.to_le_bytes());
    image[4..8].copy_from_slice(&(BACK | 1).to_le_bytes());
    image[0x40..0x42].copy_from_slice(&0xe7fe_u16.to_le_bytes());
    machine.load(&Image::raw(&image, 0x1000_0100).expect("an image")).expect("fits");
    machine.reset();
    let half = |machine: &Machine, at: u32| u32::from(machine.read_halfword(at).expect("ROM"));
    let mut call = |function: u32, arguments: [u32; 4]| {
        machine.processor.registers.r[..4].copy_from_slice(&arguments);
        machine.processor.registers.r[14] = BACK | 1;
        machine.processor.registers.r[15] = function & !1;
        let until = Until { addresses: vec![BACK], max_cycles: Some(100_000), ..Until::default() };
        assert_eq!(machine.run(&until), Stop::Address(BACK), "{code:?}");
        (machine.processor.registers.r[0], machine.processor.registers.r[1])
    };
    let rom = Machine::new(&Board::named("rp2040").expect("built in"));
    let (entries, lookup) = (half(&rom, table), half(&rom, 0x18));
    let (found, _) = call(lookup, [entries, u32::from(u16::from_le_bytes(*code)), 0, 0]);
    assert_ne!(found, 0, "{code:?}");
    if table == 0x14 {
        return call(found, arguments);
    }
    // A table of functions. The first argument selects one.
    let function = rom.read_word(found + arguments[3]).expect("ROM");
    call(function, [arguments[0], arguments[1], arguments[2], 0])
}

#[test]
fn the_boot_rom_of_the_rp2040_has_its_functions() {
    let bits = |code: &[u8; 2], word: u32| call_rom(0x14, code, [word, 0, 0, 0]).0;
    assert_eq!([0, 0xf0f0, u32::MAX].map(|word| bits(b"P3", word)), [0, 8, 32]);
    assert_eq!([1, 0x8000_0001, 6].map(|word| bits(b"R3", word)), [1 << 31, 0x8000_0001, 3 << 29]);
    assert_eq!([0, 1, u32::MAX].map(|word| bits(b"L3", word)), [32, 31, 0]);
    assert_eq!([0, 8, 1 << 31].map(|word| bits(b"T3", word)), [32, 3, 31]);
    for code in [b"MS", b"S4", b"MC", b"C4"] {
        assert_eq!(call_rom(0x14, code, [0x2000_0000, 0x2000_0100, 8, 0]).0, 0x2000_0000);
    }
    call_rom(0x14, b"FC", [0; 4]);
}

#[test]
fn the_boot_rom_of_the_rp2040_computes() {
    let single = |place, first: f32, second: f32| {
        let arguments = [first.to_bits(), second.to_bits(), 0, place];
        f32::from_bits(call_rom(0x16, b"SF", arguments).0)
    };
    assert_eq!((single(0x00, 1.5, 2.25), single(0x08, 1.5, 2.25)), (3.75, 3.375));
    assert_eq!((single(0x0c, 1.0, 3.0), single(0x18, 9.0, 0.0)), (1.0 / 3.0, 3.0));
    let compared = |first: f32, second: f32| {
        call_rom(0x16, b"SF", [first.to_bits(), second.to_bits(), 0, 0x54]).0 as i32
    };
    assert_eq!((compared(1.0, 2.0), compared(2.0, 2.0), compared(3.0, 2.0)), (-1, 0, 1));
    let (low, high) = call_rom(0x16, b"SF", [1.5_f32.to_bits(), 0, 0, 0x7c]);
    assert_eq!(u64::from(high) << 32 | u64::from(low), 1.5_f64.to_bits());
    let (low, high) = call_rom(0x16, b"SD", [-7_i32 as u32, 0, 0, 0x2c]);
    assert_eq!(u64::from(high) << 32 | u64::from(low), (-7.0_f64).to_bits());
}

#[test]
fn a_script_changes_memory_at_a_time_and_before_a_place() {
    let text = "
        [[at]]
        cycle = 1
        poke = 0x2000_0000
        value = 0x0102_0304
        [[at]]
        place = \"0x106\"
        nth = 2
        flip = 0x2000_0000
        bit = 8
    ";
    let back = 0xe7fb; // B 0x102
    let mut machine = machine(&[NOP, NOP, NOP, NOP, back], &[]);
    machine.set_script(Script::parse(text, machine.board()).expect("valid"));
    let word = |machine: &Machine| machine.read_word(0x2000_0000);
    let at = |address| Until { addresses: vec![address], ..limit(1_000) };
    assert_eq!((word(&machine), machine.happened(0)), (Some(0), None));
    assert_eq!(machine.run(&at(0x106)), Stop::Address(0x106));
    assert_eq!((word(&machine), machine.happened(0)), (Some(0x0102_0304), None));
    let snapshot = machine.snapshot();
    let first = machine.cycle();
    for _ in 0..2 {
        assert_eq!(machine.run(&at(0x106)), Stop::Address(0x106));
        assert_eq!(word(&machine), Some(0x0102_0204), "a bit is flipped the second time");
        assert!(machine.happened(0).is_some_and(|cycle| cycle > first));
        assert_eq!(machine.run(&at(0x106)), Stop::Address(0x106));
        assert_eq!(word(&machine), Some(0x0102_0204), "and not again");
        machine.restore(&snapshot);
        assert_eq!((word(&machine), machine.happened(0)), (Some(0x0102_0304), None));
    }
}

#[test]
fn a_script_pends_and_drives_at_a_place() {
    let text = "
        [[at]]
        place = \"0x104\"
        pend = 0
        [[at]]
        place = \"0x104\"
        pin = \"PA2\"
        level = 1
    ";
    let mut machine = machine(&[NOP, NOP, NOP, LOOP], &[(16, &[BX_LR])]);
    machine.set_script(Script::parse(text, machine.board()).expect("valid"));
    machine.write_memory(0xe000_e100, &1_u32.to_le_bytes()).expect("the NVIC");
    let device = machine.board().devices.iter().position(|one| one.port.as_deref() == Some("A"));
    let until = Until { addresses: vec![0x200], ..limit(1_000) };
    assert!(!machine.pin_level(device.expect("port A"), 2));
    assert_eq!(machine.run(&until), Stop::Address(0x200));
    assert!(machine.pin_level(device.expect("port A"), 2));
}
