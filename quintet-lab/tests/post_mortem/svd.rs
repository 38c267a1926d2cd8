//! The names of a maker's file: of what a loop waits for, and of what firmware writes.

use super::support::{quintet, temporary};
use super::{LOOP, M0, NOP, image, run_on};

/// A radio with a status register, of which one field has two bits.
const SVD: &str = "<device><name>X</name><version>1</version><description>x</description>
<addressUnitBits>8</addressUnitBits><width>32</width><size>32</size><peripherals><peripheral>
<name>RADIO</name><baseAddress>0x40001000</baseAddress><registers>
<register><name>CR</name><addressOffset>0xc</addressOffset><fields>
<field><name>ON</name><bitOffset>2</bitOffset><bitWidth>1</bitWidth></field></fields></register>
<register><name>SR</name><addressOffset>0x10</addressOffset><fields>
<field><name>RDY</name><bitOffset>17</bitOffset><bitWidth>1</bitWidth></field>
<field><name>SWS</name><bitOffset>2</bitOffset><bitWidth>2</bitWidth></field></fields></register>
</registers></peripheral><peripheral><name>AWAY</name><baseAddress>0x40009000</baseAddress>
<registers><register><name>DR</name><addressOffset>0</addressOffset></register></registers>
</peripheral></peripherals></device>";

/// ldr r0, =0x40001010; again: ldr r1, [r0]; lsls r1, r1, #14; bpl again; b .
const READY: [u16; 8] = [0x4802, 0x6801, 0x0389, 0xd5fc, LOOP, NOP, 0x1010, 0x4000];

#[test]
fn a_loop_waits_for_a_field_with_a_name() {
    let svd = temporary("waits.svd", SVD.as_bytes());
    let m0 = temporary("waits.toml", M0.as_bytes());
    let run = run_on(&m0, "waits", &image(&READY), &["--svd", &svd]);
    let waits = "it polls 0x40001010, RADIO.SR, of `radio`, which is inert: all its registers read \
                 as 0. It waits for RADIO.SR.RDY, bit 17, to be 1. It does so at 0x00000046";
    run.fails(124, &[waits, "offset = 0x10", "reset = 0x20000", "writable = 0xfffdffff"]);
    let run = run_on(&m0, "waits_json", &image(&READY), &["--svd", &svd, "--json"]);
    let waits = &run.json()["post_mortem"]["waits_for"];
    assert_eq!((&waits["register"], &waits["fields"][0]), (&"RADIO.SR".into(), &"RDY".into()));
    assert_eq!((&waits["bits"], &waits["value"]), (&0x2_0000.into(), &0x2_0000.into()));
    // Without the file, the bit is known, and its name is not.
    let run = run_on(&m0, "waits_bit", &image(&READY), &[]);
    run.fails(124, &["It waits for the register at 0x10, bit 17, to be 1"]);
    let arguments = ["--svd", &svd, "--for", "50ms", "--json"];
    let run = run_on(&m0, "waits_for", &image(&READY), &arguments);
    assert_eq!(run.json()["waits_for"]["register"], "RADIO.SR");
}

#[test]
fn the_board_file_of_the_report_lets_the_loop_go_on() {
    // As above for 0x40007040 in PWR, and then an exit by semihosting: movs r0, #0x18;
    // ldr r1, =0x20026; bkpt 0xab.
    let main = [0x4804, 0x6801, 0x0389, 0xd5fc, 0x2018, 0x4901, 0xbeab, LOOP];
    let main: Vec<u16> = main.into_iter().chain([0x0026, 0x0002, 0x7040, 0x4000]).collect();
    let run = run_on("stm32l476rg", "offer", &image(&main), &[]);
    run.fails(
        124,
        &["of `pwr`, whose registers remember", "[[register]]", "like = \"stm32l476rg\""],
    );
    let (_, file) = run.stderr.split_once("give --board this file:\n\n").unwrap();
    let lines = file.lines().take_while(|line| !line.trim_start().starts_with("- "));
    let file = temporary("offered.toml", lines.collect::<Vec<_>>().join("\n").as_bytes());
    let run = run_on(&file, "offer_taken", &image(&main), &[]);
    assert_eq!(run.code, 0, "{}", run.stderr);
}

#[test]
fn a_field_of_two_bits_has_a_value() {
    // again: ldr r1, [r0]; movs r2, #12; ands r1, r2; cmp r1, #12; bne again
    let main = [0x4803, 0x6801, 0x220c, 0x4011, 0x290c, 0xd1fa, LOOP, NOP, 0x1010, 0x4000];
    let svd = temporary("value.svd", SVD.as_bytes());
    let m0 = temporary("value.toml", M0.as_bytes());
    let run = run_on(&m0, "value", &image(&main), &["--svd", &svd]);
    run.fails(124, &["It waits for RADIO.SR.SWS, bits 2, 3, to be 0x3", "reset = 0xc"]);
}

#[test]
fn an_access_to_what_the_board_lacks_has_the_register_s_name() {
    // ldr r0, =0x40009000; ldr r0, [r0]
    let main = [0x4801, 0x6800, LOOP, NOP, 0x9000, 0x4000];
    let svd = temporary("away.svd", SVD.as_bytes());
    let m0 = temporary("away.toml", M0.as_bytes());
    let run = run_on(&m0, "away", &image(&main), &["--svd", &svd]);
    run.fails(121, &["a load of 4 bytes from 0x40009000, AWAY.DR, where the board has nothing"]);
}

#[test]
fn a_trace_shows_what_is_written_to_registers() {
    // ldr r0, =0x4000100c; movs r1, #4; str r1, [r0]; b .
    let main = [0x4802, 0x2104, 0x6001, LOOP, NOP, NOP, 0x100c, 0x4000];
    let svd = temporary("trace.svd", SVD.as_bytes());
    let m0 = temporary("trace.toml", M0.as_bytes());
    let file = temporary("trace_svd.bin", &image(&main));
    let arguments = ["trace", &file, "--load", "0", "--board", &m0, "--max-cycles", "1000"];
    let out = temporary("trace_svd.json", b"");
    let run = quintet(&[&arguments[..], &["--svd", &svd, "-o", &out]].concat());
    run.fails(0, &[]);
    let text = std::fs::read_to_string(&out).unwrap();
    assert!(text.contains("CR = 0x00000004: ON 1"), "{text}");
}

#[test]
fn what_is_no_svd_is_refused() {
    let m0 = temporary("refused.toml", M0.as_bytes());
    let none = temporary("none.svd", b"registers");
    let said = "is no SVD file, as chips' makers and svd2rust's authors have them";
    run_on(&m0, "none", &image(&READY), &["--svd", &none]).fails(120, &["none.svd", said]);
    let run = run_on(&m0, "gone", &image(&READY), &["--svd", "gone.svd"]);
    run.fails(120, &["cannot read --svd gone.svd"]);
}
