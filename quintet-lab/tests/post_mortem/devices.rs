//! What is said of devices that nothing models, that refuse, or that work in silence.

use super::support::temporary;
use super::{LOOP, M0, NOP, image, run_on};

#[test]
fn a_loop_that_polls_an_inert_device_is_named() {
    // ldr r0, =0x40001010; again: ldr r1, [r0]; cmp r1, #0; beq again
    let main = [0x4802, 0x6801, 0x2900, 0xd0fc, LOOP, NOP, 0x1010, 0x4000];
    let m0 = temporary("polls.toml", M0.as_bytes());
    let run = run_on(&m0, "polls", &image(&main), &[]);
    let polls = "it polls 0x40001010 of `radio`, which is inert: all its registers read as 0";
    run.fails(124, &["the limit of 100 000 cycles was reached", polls, "It does so at 0x00000046"]);
    // Registers do what they are described to do, and no more.
    let described = "size = 0x1000\n[[device.register]]\noffset = 0x10\nname = \"SR\"\n";
    let registers = M0.replace("\"inert\"", "\"registers\"");
    let at = registers.rfind("size = 0x1000\n").unwrap();
    let registers = format!("{}{described}", &registers[..at]);
    let file = temporary("polls_registers.toml", registers.as_bytes());
    let polls =
        "0x40001010, RADIO.SR, of `radio`, whose registers remember and do what the board says";
    run_on(&file, "polls_registers", &image(&main), &[])
        .fails(124, &[polls, "let the bit `follow`"]);
    let follows = format!("{registers}follow = [{{ bit = 0, of = 1, inverted = true }}]\n");
    let file = temporary("polls_not.toml", follows.as_bytes());
    let run = run_on(&file, "polls_not", &image(&main), &[]);
    assert!(!run.stderr.contains("it polls"), "{}", run.stderr);
    // A loop that reads memory polls nothing.
    let main = [0x4802, 0x6801, 0x2900, 0xd0fc, LOOP, NOP, 0x0010, 0x2000];
    let run = run_on(&m0, "polls_ram", &image(&main), &[]);
    run.fails(124, &["--max-cycles"]);
    assert!(!run.stderr.contains("it polls"), "{}", run.stderr);
}

#[test]
fn a_device_whose_interrupt_nothing_raises_is_named() {
    // ldr r0, =0x40001010; ldr r1, =4; again: str r1, [r0]; ldr r0, =0xe000e100; str r1, [r0]; wfi
    let main = [0x4803, 0x2104, 0x6001, 0x4803, 0x6001, 0xbf30, LOOP, NOP, 0x1010, 0x4000];
    let main: Vec<u16> = main.into_iter().chain([0xe100, 0xe000]).collect();
    let registers = M0.replace("\"inert\"", "\"registers\"\ninterrupts = [2]");
    let file = temporary("awaits.toml", registers.as_bytes());
    let says = "it has set up `radio` and enabled what it would interrupt with, but nothing models";
    let run = run_on(&file, "awaits", &image(&main), &[]);
    run.fails(122, &["the processor sleeps and nothing will ever wake it", says]);
    // An interrupt of a device that the program leaves alone is for software, as a dispatcher's.
    let mut alone = main.clone();
    alone[2] = NOP;
    let run = run_on(&file, "awaits_nothing", &image(&alone), &[]);
    assert!(!run.stderr.contains("it has set up"), "{}", run.stderr);
    // So is one that isn't enabled.
    let mut off = main;
    off[4] = NOP;
    let run = run_on(&file, "awaits_none", &image(&off), &[]);
    assert!(!run.stderr.contains("it has set up"), "{}", run.stderr);
}

#[test]
fn pins_and_what_is_printed_are_in_the_order_of_time() {
    // As below, with "a" printed by semihosting before PC13 is set, and "b" before it is cleared.
    let main = [0x4807, 0x4908, 0x6041, 0x2201, 0x0352, 0x4603, 0x4906, 0x2004, 0xbeab, 0x611a];
    let behind = [0x4905, 0x2004, 0xbeab, 0x615a, LOOP, NOP, 0x1000, 0x4000, 0, 0x30];
    let texts = [0x74, 0, 0x78, 0, 0x0a61, 0, 0x0a62, 0];
    let main: Vec<u16> = main.into_iter().chain(behind).chain(texts).collect();
    let port = M0.replace("\"inert\"", "\"stm32f1-gpio\"\nport = \"C\"");
    let at = port.rfind("size = 0x1000\n").unwrap();
    let file = temporary("ordered.toml", &port.as_bytes()[..at]);
    let run = run_on(&file, "ordered", &image(&main), &["--for", "5ms", "--pins"]);
    let lines: Vec<_> = run.stdout.lines().collect();
    assert!(
        matches!(lines[..], ["a", high, "b", low] if high.ends_with(" PC13 high")
        && low.ends_with(" PC13 low")),
        "{}\n{}",
        run.stdout,
        run.stderr
    );
}

#[test]
fn pins_that_change_are_named_where_nothing_is_printed() {
    // PC13 is made an output, set and cleared: ldr r0, =0x40001000; ldr r1, =0x300000;
    // str r1, [r0, #4]; movs r2, #1; lsls r2, r2, #13; str r2, [r0, #16]; str r2, [r0, #20]; b .
    let main = [0x4803, 0x4904, 0x6041, 0x2201, 0x0352, 0x6102, 0x6142, LOOP];
    let main: Vec<u16> = main.into_iter().chain([0x1000, 0x4000, 0, 0x30]).collect();
    let port = M0.replace("\"inert\"", "\"stm32f1-gpio\"\nport = \"C\"");
    let at = port.rfind("size = 0x1000\n").unwrap();
    let file = temporary("blinks.toml", &port.as_bytes()[..at]);
    let changed = "quintet: the firmware printed nothing; pins changed: PC13 2 times (--pins)";
    run_on(&file, "blinks", &image(&main), &[]).fails(124, &[changed]);
    let run = run_on(&file, "blinks_for", &image(&main), &["--for", "50ms"]);
    assert_eq!((run.code, run.stderr.trim()), (0, changed));
    let run = run_on(&file, "blinks_shown", &image(&main), &["--for", "50ms", "--pins"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    let lines: Vec<_> = run.stdout.lines().collect();
    assert!(
        matches!(lines[..], [high, low] if high.ends_with(" s] PC13 high")
        && low.starts_with("[0.0000") && low.ends_with(" s] PC13 low")),
        "{}",
        run.stdout
    );
    let run = run_on(&file, "blinks_json", &image(&main), &["--json"]);
    assert_eq!(run.json()["pin_changes"]["PC13"], 2);
    // Where nothing changes, an end that was asked for says nothing.
    let silent = "the firmware printed nothing, and no pin changed";
    run_on(&file, "dark", &image(&[LOOP]), &[]).fails(124, &[silent]);
    let run = run_on(&file, "dark_for", &image(&[LOOP]), &["--for", "50ms"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
}

#[test]
fn words_for_a_second_core_are_said_to_find_none() {
    // ldr r0, =0xd0000054; movs r1, #0; str r1, [r0]; b .
    let main = [0x4801, 0x2100, 0x6001, LOOP, 0x0054, 0xd000];
    let two = M0.replace("\"inert\"", "\"rp2040-sio\"").replace("\"radio\"", "\"sio\"");
    let two = two.replace("base = 0x4000_1000\nsize = 0x1000", "base = 0xd000_0000\nport = \"A\"");
    let file = temporary("two_cores.toml", two.as_bytes());
    let says = "it has sent 1 word to core 1 by the FIFO of `sio` and gets no answer";
    run_on(&file, "two_cores", &image(&main), &[]).fails(124, &[says, "the board has one core"]);
}

#[test]
fn a_flash_that_its_controller_protects_is_said_to_be_so() {
    // ldr r0, =0x200; movs r1, #1; str r1, [r0]
    let main = [0x4801, 0x2101, 0x6001, LOOP, 0x0200, 0x0000];
    let flash = M0.replace("kind = \"inert\"", "kind = \"nrf51-nvmc\"");
    let flash = flash.replace("\"radio\"", "\"nvmc\"").replace("_1000\nsize = 0x1000\n", "_1000\n");
    let file = temporary("protects.toml", flash.as_bytes());
    let says = "in `flash`, which its controller `nvmc` doesn't let the program write now";
    run_on(&file, "protects", &image(&main), &[]).fails(121, &[says]);
}
