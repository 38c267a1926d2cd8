//! What is said of faults: the first one's place and cause first, what its handler did then second.

#[path = "post_mortem/devices.rs"]
mod devices;
mod support;
#[path = "post_mortem/svd.rs"]
mod svd;

use support::{Finished, program, quintet, temporary};

/// Where the code of an image begins: with the handler of all exceptions.
const HANDLER: u32 = 0x40;
const LOOP: u16 = 0xe7fe;
const NOP: u16 = 0xbf00;

/// A core of ARMv6-M, which has no fault registers.
const M0: &str = r#"
name = "m0"
description = "a Cortex-M0"
core = "cortex-m0"
clock_hz = 1_000_000
priority_bits = 2
interrupts = 4
stack_align_reset = true

[[memory]]
name = "flash"
start = 0
size = 0x1000
kind = "flash"
port = "system"

[[memory]]
name = "ram"
start = 0x2000_0000
size = 0x1000
kind = "ram"
port = "system"

[[device]]
name = "radio"
kind = "inert"
base = 0x4000_1000
size = 0x1000
"#;

/// An image with a vector table and a main program.
fn image(main: &[u16]) -> Vec<u8> {
    with_handler(&[LOOP, NOP], main)
}

/// The same with a handler of its own for all exceptions.
fn with_handler(handler: &[u16], main: &[u16]) -> Vec<u8> {
    let start = HANDLER + 2 * handler.len() as u32;
    let mut words = vec![0x2000_1000, start | 1];
    words.resize(16, HANDLER | 1);
    let table = words.into_iter().flat_map(u32::to_le_bytes);
    table.chain(handler.iter().chain(main).flat_map(|half| half.to_le_bytes())).collect()
}

/// Runs it on a board.
fn run_on(board: &str, name: &str, image: &[u8], more: &[&str]) -> Finished {
    let file = temporary(&format!("{name}.bin"), image);
    let arguments = ["run", &file, "--load", "0", "--board", board, "--max-cycles", "100000"];
    quintet(&[&arguments[..], more].concat())
}

/// Runs a main program on ARMv6-M and on ARMv7-M.
#[track_caller]
fn both(name: &str, main: &[u16], headline: &str) {
    let m0 = temporary(&format!("{name}.toml"), M0.as_bytes());
    for board in [m0.as_str(), "lm3s6965"] {
        let run = run_on(board, name, &image(main), &[]);
        run.fails(121, &["a fault that the firmware does not handle: its HardFault handler loops"]);
        let first = run.stderr.lines().find(|line| line.starts_with("quintet: a fault at "));
        let first = first.unwrap_or_else(|| panic!("{}", run.stderr));
        assert!(first.contains(headline), "\"{headline}\" on {board}:\n{}", run.stderr);
    }
}

/// On ARMv6-M alone.
#[track_caller]
fn on_m0(name: &str, main: &[u16], headline: &str) -> Finished {
    let m0 = temporary(&format!("{name}.toml"), M0.as_bytes());
    let run = run_on(&m0, name, &image(main), &[]);
    run.fails(121, &[headline]);
    run
}

#[test]
fn a_load_from_nothing_is_said_with_its_address() {
    // ldr r0, =0xf0000fe0; ldr r0, [r0]
    both(
        "nothing",
        &[0x4801, 0x6800, LOOP, NOP, 0x0fe0, 0xf000],
        "a fault at 0x00000046 in no function of the firmware: a load of 4 bytes from 0xf0000fe0, \
         where nothing is",
    );
}

#[test]
fn an_unaligned_access_is_said_with_its_address() {
    // ldr r0, =0x20000001; ldr r0, [r0]
    let run = on_m0(
        "unaligned",
        &[0x4801, 0x6800, LOOP, NOP, 0x0001, 0x2000],
        "a load of 4 bytes from 0x20000001, no multiple of 4, which ARMv6-M never allows",
    );
    assert!(run.stderr.contains("`read_unaligned`"), "{}", run.stderr);
}

#[test]
fn a_trap_is_no_instruction_of_another_core() {
    both("trap", &[0xdefe], "UDF #254, a deliberate trap: `abort`");
    let run = on_m0("trap_m0", &[0xde00], "UDF #0, a deliberate trap");
    assert!(!run.stderr.contains("built for"), "{}", run.stderr);
}

#[test]
fn an_instruction_that_the_core_lacks_is_one() {
    // ubfx r0, r0, #0, #1
    let run = on_m0(
        "ubfx",
        &[0xf3c0, 0x0000],
        "f3c0 0000 is an instruction of ARMv7-M, which this core, of ARMv6-M, lacks",
    );
    assert!(run.stderr.contains("--target thumbv6m-none-eabi"), "{}", run.stderr);
    let run = on_m0("nonsense", &[0xb600], "b600 is no instruction that this core has");
    assert!(!run.stderr.contains("built for"), "{}", run.stderr);
}

#[test]
fn what_is_no_code_is_not_of_another_core() {
    // ldr r0, =0x20000101; ldr r1, =0x0000f3c0; str r1, [r0, #-1]..; bx r0
    let main = [0x4803, 0x4904, 0x1e42, 0x6011, 0x4700, LOOP, NOP, NOP, 0x0101, 0x2000, 0xf3c0, 0];
    let run =
        on_m0("data", &main, "what is at 0x20000100 is no code, where a jump went from 0x0000004c");
    assert!(!run.stderr.contains("built for"), "{}", run.stderr);
}

#[test]
fn a_breakpoint_without_a_debugger_is_one() {
    both("bkpt", &[0xbe01], "a breakpoint instruction (BKPT 0x1) without a debugger");
}

#[test]
fn a_store_to_flash_is_said_with_its_address_and_place() {
    // movs r0, #0xff; adds r0, #1; str r0, [r0]; nop; nop; nop
    let main = [0x20ff, 0x3001, 0x6000, NOP, NOP, NOP, LOOP];
    both(
        "flash",
        &main,
        "a fault at 0x00000048 in no function of the firmware: a store of 4 bytes to 0x00000100, \
         in `flash`, which no program can write",
    );
    // On ARMv7-M it is buffered, and the fault comes at another instruction.
    let run = run_on("lm3s6965", "flash_late", &image(&main), &[]);
    run.fails(121, &["(the store was buffered, so its fault came some instructions later)"]);
}

#[test]
fn a_jump_to_an_even_address_is_said_with_its_origin() {
    // ldr r0, =0x20000100; blx r0
    both(
        "even",
        &[0x4801, 0x4780, LOOP, NOP, 0x0100, 0x2000],
        "a jump from 0x00000046 in no function of the firmware to the even address 0x20000100: \
         bit 0 of where a jump goes must be set (Thumb)",
    );
}

#[test]
fn a_jump_to_nothing_is_said_with_its_origin() {
    // ldr r0, =0x60000001; bx r0
    both(
        "wild",
        &[0x4801, 0x4700, LOOP, NOP, 0x0001, 0x6000],
        "a fault at 0x60000000 in no function of the firmware: there is no code at 0x60000000, \
         where a jump went from 0x00000046",
    );
}

#[test]
fn a_masked_svc_is_said_with_what_masks_it() {
    // cpsid i; svc #5
    both("svc", &[0xb672, 0xdf05], "`svc #5` while PRIMASK is set");
}

#[test]
fn what_to_do_depends_on_the_address() {
    // ldr r0, =ADDRESS; str r0, [r0]
    let advised = |address: u32, advice: &str| {
        let [low, high] = [address as u16, (address >> 16) as u16];
        let main = [0x4801, 0x6000, NOP, LOOP, low, high];
        run_on("lm3s6965", "advised", &image(&main), &[]).fails(121, &[advice]);
    };
    advised(0x0000_0004, "the address is that of a null pointer, or of a field behind one");
    advised(0x0000_0200, "constants and code lie in flash, which its controller alone writes");
    let lacking =
        "can stand in a board file of your own, as registers that remember (docs/boards.md)";
    advised(0x5000_0000, lacking);
    advised(0x5000_0000, "      like = \"lm3s6965\"\n      name = \"my-lm3s6965\"\n");
    let block = |base: &str| {
        format!("      kind = \"registers\"\n      base = {base}\n      size = 0x400\n")
    };
    advised(0x5004_2404, &block("0x5004_2400"));
    advised(0xe004_2004, &block("0xe004_2000"));
    advised(0x9000_0000, "look at the pointer: the board has nothing there");
}

/// The headline on ARMv7-M, which begins behind the place.
#[track_caller]
fn headline(name: &str, image: &[u8], expected: &str) -> Finished {
    headline_on("lm3s6965", name, image, expected)
}

/// The same on a board.
#[track_caller]
fn headline_on(board: &str, name: &str, image: &[u8], expected: &str) -> Finished {
    let run = run_on(board, name, image, &[]);
    let first = run.stderr.lines().find(|line| line.starts_with("quintet: a fault at "));
    let first = first.unwrap_or_else(|| panic!("{}", run.stderr));
    assert!(first.ends_with(expected), "\"{expected}\" in:\n{}", run.stderr);
    run
}

#[test]
fn what_the_system_control_block_makes_a_fault_is_said() {
    // CCR = 0x10; sdiv r0, r1, r2, which is 0
    let division = [0x4802, 0x2110, 0x6001, 0x2200, 0xfb91, 0xf0f2, 0xed14, 0xe000];
    let said = ": a division by zero, which CCR.DIV_0_TRP makes a fault";
    headline("division", &image(&division), said);
    // CCR = 8; ldr r0, [r0], which is 0x20000001
    let trapped = [0x4802, 0x2108, 0x6001, 0x4802, 0x6800, NOP, 0xed14, 0xe000, 0x0001, 0x2000];
    let said = ": a load of 4 bytes from 0x20000001, no multiple of 4, which CCR.UNALIGN_TRP makes \
                a fault";
    headline("trapped", &image(&trapped), said);
    // ldr r0, =0x20000002; ldm r0, {r1, r2}
    let multiple = [0x4801, 0xe890, 0x0006, NOP, 0x0002, 0x2000];
    let said = "0x20000002, no multiple of 4, which this instruction never allows";
    headline("multiple", &image(&multiple), said);
}

#[test]
fn what_may_not_be_reached_or_executed_is_said() {
    // CONTROL = 1; ldr r0, =0xe000ed00; ldr r0, [r0]
    let unprivileged =
        [0x2001, 0xf380, 0x8814, 0xf3bf, 0x8f6f, 0x4801, 0x6800, NOP, 0xed00, 0xe000];
    let said = ": a load of 4 bytes from 0xe000ed00, which code without privilege may not";
    headline("unprivileged", &image(&unprivileged), said);
    // ldr r0, =0x40000001; bx r0
    let said = ": code must not be executed at 0x40000000, where a jump went from 0x00000046 in no \
                function of the firmware";
    headline("never", &image(&[0x4800, 0x4700, 0x0001, 0x4000]), said);
    // vadd.f32 s0, s0, s1
    let said = ": ee30 0a20 is a floating-point instruction, and this core has no such unit";
    let run = headline("vadd", &image(&[0xee30, 0x0a20]), said);
    run.fails(121, &["built for another core", "--target thumbv7m-none-eabi"]);
    // mcr p1, 0, r0, c0, c0
    let said = ": ee00 0110 is for a coprocessor that this core does not have";
    headline("mcr", &image(&[0xee00, 0x0110]), said);
    let run = quintet(&["run", &program("host_overflow")]);
    run.fails(
        101,
        &["it ended in the handler of a fault ", "which the memory protection unit refuses"],
    );
}

#[test]
fn what_is_wrong_with_floating_point_is_said() {
    // vadd.f32 s0, s0, s1
    let said = ": ee30 0a20 is a floating-point instruction, and CPACR keeps the unit off";
    let run = headline_on("mps2-an386", "off", &image(&[0xee30, 0x0a20]), said);
    run.fails(121, &["set bits 20 to 23 of CPACR (0xE000ED88)"]);
    // CPACR = 0x00f00000; vadd.f64 d0, d0, d16
    let double =
        [0x4803, 0x4904, 0x6001, NOP, 0xee30, 0x0b20, NOP, NOP, 0xed88, 0xe000, 0x0000, 0x00f0];
    let said = ": ee30 0b20 is a floating-point instruction that this core lacks: its unit is for \
                single precision";
    headline_on("mps2-an386", "double", &image(&double), said);
    // CPACR = 0x00f00000; vadd.f32 s0, s0, s1; PSP = 0x20800048, 72 bytes behind the memory's end;
    // CONTROL = 6; svc #0. Its handler: vadd.f32 s0, s0, s1.
    let handler = [0xee30, 0x0a20, 0xe7fe, NOP];
    let late = [
        0x4807, 0x4908, 0x6001, 0xee30, 0x0a20, 0x4807, 0xf380, 0x8809, 0x2006, 0xf380, 0x8814,
        0xf3bf, 0x8f6f, 0xdf00, NOP, NOP, 0xed88, 0xe000, 0x0000, 0x00f0, 0x0048, 0x2080,
    ];
    let run = run_on("mps2-an386", "late", &with_handler(&handler, &late), &[]);
    run.fails(
        121,
        &["the floating-point registers of what SVCall interrupted could not be written"],
    );
}

#[test]
fn what_holds_an_svc_off_is_said() {
    // SHPR2 = 0xe0000000; BASEPRI = 0x20; svc #3
    let basepri = [0x4803, 0xf04f, 0x4160, 0x6001, 0x2020, 0xf380, 0x8811, 0xdf03, 0xed1c, 0xe000];
    let said = ": `svc #3` while BASEPRI, 0x20, holds its exception off";
    headline("basepri", &image(&basepri), said);
    // cpsid f; svc #4
    headline("faultmask", &image(&[0xb671, 0xdf04]), ": `svc #4` while FAULTMASK is set");
    // In its own handler.
    let said = ": `svc #2` while the handler of SVCall is as urgent as its exception, or more";
    headline("svc_in_svc", &with_handler(&[0xdf02, NOP], &[0xdf00, NOP]), said);
}

#[test]
fn what_goes_wrong_with_exceptions_is_said() {
    // ldr r0, =0x60000100; mov sp, r0; svc #0
    let stacking = [0x4801, 0x4685, 0xdf00, NOP, 0x0100, 0x6000];
    let said = ": no frame of SVCall could be written: a store of 4 bytes to 0x600000f8, where \
                nothing is";
    headline("stacking", &image(&stacking), said);
    // mov r0, #0x60000000; mov sp, r0; bx lr
    let unstacking = with_handler(&[0xf04f, 0x40c0, 0x4685, 0x4770], &[0xdf00, NOP]);
    let said = ": the frame to return to could not be read: a load of 4 bytes from 0x60000018, \
                where nothing is";
    headline("unstacking", &unstacking, said);
    // mvn r0, #10; bx r0
    let invalid = with_handler(&[0xf06f, 0x000a, 0x4700, NOP], &[0xdf00, NOP]);
    let said = ": the return from SVCall by 0xfffffff5 failed its checks: the value or the frame \
                is wrong";
    headline("invalid_return", &invalid, said);
    // VTOR = 0x10000000; svc #0
    let vector = [0x4802, 0xf04f, 0x5180, 0x6001, 0xdf00, NOP, 0xed08, 0xe000];
    let said = ": the vector of SVCall could not be read: nothing is at 0x1000002c";
    headline("vector", &image(&vector), said);
    // The vector of SVCall is even.
    let mut even = image(&[0xdf00, NOP]);
    even[4 * 11] = HANDLER as u8;
    let said = ": the vector of SVCall is the even address 0x00000040: bit 0 of where a jump goes \
                must be set (Thumb)";
    headline("even_vector", &even, said);
    // The handler sets bit 14 of the stacked status: an LDM that was interrupted, at a NOP.
    let ici = [0x9807, 0x2140, 0x0209, 0x4308, 0x9007, 0x4770];
    let said = ": the IT or ICI bits of the status register don't go with this instruction";
    headline("ici", &with_handler(&ici, &[0xdf00, NOP, LOOP]), said);
}

#[test]
fn the_second_fault_and_the_lockup_come_behind_the_first() {
    // The handler: ldr r1, =0x70000000; ldr r1, [r1]. The program: udf #1.
    let handler = [0x4900, 0x6809, 0x0000, 0x7000, NOP, NOP];
    let handler = [&handler[..]].concat();
    let m0 = temporary("second.toml", M0.as_bytes());
    for board in [m0.as_str(), "lm3s6965"] {
        let run = run_on(board, "second", &with_handler(&handler, &[0xde01]), &[]);
        run.fails(121, &["quintet: a fault at 0x0000004c", ": UDF #1, a deliberate trap"]);
        let then = "then another fault, while it was handled, at 0x00000042 in no function of the \
                    firmware: a load of 4 bytes from 0x70000000, where nothing is\n  lockup: ";
        assert!(run.stderr.contains(then), "{}", run.stderr);
        let json = run_on(board, "second", &with_handler(&handler, &[0xde01]), &["--json"]).json();
        let first = &json["post_mortem"]["first_fault"];
        assert_eq!((first["kind"].as_str(), first["address"].as_u64()), (Some("trap"), Some(0x4c)));
        assert_eq!(json["post_mortem"]["then"].as_array().unwrap().len(), 2, "{json}");
    }
}

#[test]
fn a_handler_that_resets_is_said_to() {
    // ldr r0, =0xe000ed0c; ldr r1, =0x05fa0004; str r1, [r0]; b .
    let handler = [0x4801, 0x4902, 0x6001, LOOP, 0xed0c, 0xe000, 0x0004, 0x05fa];
    let m0 = temporary("reset.toml", M0.as_bytes());
    let run = run_on(&m0, "reset", &with_handler(&handler, &[0xde01]), &[]);
    run.fails(124, &["quintet: a fault at 0x00000050", ": UDF #1", "then the firmware was reset "]);
    run.fails(124, &[" times, and it faulted again\n  the limit of 100 000 cycles was reached"]);
}

#[test]
fn a_handler_that_ends_the_program_is_told_with_its_fault() {
    // movs r0, #0x18; ldr r1, =0x20023; bkpt 0xab: by semihosting, as of an error at run time.
    let handler = [0x2018, 0x4900, 0xbeab, NOP, 0x0023, 0x0002];
    let m0 = temporary("ends.toml", M0.as_bytes());
    let run = run_on(&m0, "ends", &with_handler(&handler, &[0xde01]), &[]);
    run.fails(1, &["quintet: it ended in the handler of a fault at 0x0000004c", ": UDF #1"]);
    let json = run_on(&m0, "ends", &with_handler(&handler, &[0xde01]), &["--json"]).json();
    assert_eq!(json["first_fault"]["kind"], "trap", "{json}");
    assert!(json["post_mortem"].is_null(), "{json}");
}

#[test]
fn a_handler_that_returns_to_the_fault_is_said_to() {
    let m0 = temporary("returns.toml", M0.as_bytes());
    let run = run_on(&m0, "returns", &with_handler(&[0x4770, NOP], &[0xde01]), &[]);
    run.fails(124, &["quintet: a fault at 0x00000044", "its handler returns to the instruction"]);
}

#[test]
fn a_fault_that_was_mended_is_nothing_to_speak_of() {
    // The handler steps over the instruction: ldr r0, [sp, #24]; adds r0, #2; str r0, [sp, #24];
    // bx lr. The program: udf #1; cpsid i; b .
    let handler = [0x9806, 0x3002, 0x9006, 0x4770];
    let m0 = temporary("mended.toml", M0.as_bytes());
    let run = run_on(&m0, "mended", &with_handler(&handler, &[0xde01, 0xb672, LOOP]), &[]);
    run.fails(121, &["quintet: an endless loop with all interrupts masked, at 0x0000004c"]);
    assert!(!run.stderr.contains("UDF"), "{}", run.stderr);
}

#[test]
fn tasks_that_wake_each_other_are_named() {
    let run = quintet(&["run", &program("livelock"), "--max-cycles", "2_000_000"]);
    let named =
        "the tasks `left` and `right` wake each other for ever, and nothing less urgent runs";
    run.fails(124, &[named, "Let one task a side await it", "`quintet::sync`"]);
    assert!(!run.stderr.contains("`third`"), "{}", run.stderr);
}

#[test]
fn the_cause_stands_beside_the_fault_registers() {
    let run = quintet(&["run", &program("hard_fault")]);
    let headline = "in hard_fault::read_nothing (tests/firmware/programs/src/bin/hard_fault.rs:";
    run.fails(
        121,
        &[headline, "a load of 4 bytes from 0x70000000, where nothing is\n", "PRECISERR"],
    );
}
