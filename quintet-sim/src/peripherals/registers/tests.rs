//! Registers as board files describe them.

use super::*;

#[derive(Deserialize, Serialize)]
struct File {
    register: Vec<RegisterDescription>,
}

/// Registers of 0x40 bytes at a megahertz: a microsecond is a cycle.
fn device(text: &str) -> Registers {
    let file: File = toml::from_str(text).expect("valid");
    let mut device = Registers::new(1);
    device.describe(&Setup { registers: &file.register, span: 0x40, clock_hz: 1_000_000 });
    device
}

fn read(device: &mut Registers, offset: u32, cycle: u64) -> u32 {
    device.advance(cycle);
    device.read(offset, cycle).expect("a register")
}

fn write(device: &mut Registers, offset: u32, value: u32, cycle: u64) {
    device.advance(cycle);
    device.write(offset, value, cycle).expect("a register");
}

#[test]
fn what_is_not_described_remembers() {
    let mut device = device("[[register]]\noffset = 0\nreset = 5\n");
    assert_eq!((read(&mut device, 0, 0), read(&mut device, 4, 0)), (5, 0));
    write(&mut device, 4, 7, 0);
    write(&mut device, 0, 9, 0);
    assert_eq!((read(&mut device, 0, 0), read(&mut device, 4, 0)), (9, 7));
    device.reset(0);
    assert_eq!((read(&mut device, 0, 0), read(&mut device, 4, 0)), (5, 0));
    write(&mut device, 0x40, 1, 0);
    assert_eq!(read(&mut device, 0x40, 0), 0, "nothing is there");
}

#[test]
fn bits_follow_after_their_time() {
    // Like an oscillator and its ready bit.
    let text = "[[register]]\noffset = 0\nreset = 3\n\
                follow = [{ bit = 1, of = 0 }, { bit = 17, of = 16, after_us = 100 }]\n";
    let mut device = device(text);
    write(&mut device, 0, 0x1_0001, 1_000);
    assert_eq!(read(&mut device, 0, 1_099), 0x1_0003);
    assert_eq!(read(&mut device, 0, 1_100), 0x3_0003);
    write(&mut device, 0, 0xffff_ffff, 1_200);
    write(&mut device, 0, 0, 1_300);
    assert_eq!(read(&mut device, 0, 1_399), 0x2_0000, "the ready bit is not the program's");
    assert_eq!(read(&mut device, 0, 1_400), 0);
    write(&mut device, 0, 0x1_0000, 2_000);
    write(&mut device, 0, 0, 2_050);
    assert_eq!(read(&mut device, 0, 2_149), 0, "switched off before it was ready");
}

#[test]
fn bits_follow_another_register_inverted_or_decoded() {
    // Like resets and their end, and like a clock's source and the selected one.
    let text = "[[register]]\noffset = 0\nreset = 0xf\n\
                [[register]]\noffset = 8\n\
                follow = [{ bit = 0, of = 0, count = 4, register = 0, inverted = true }]\n\
                [[register]]\noffset = 0xc\n[[register]]\noffset = 0x10\n\
                follow = [{ bit = 0, of = 0, count = 2, register = 0xc, decode = true }]\n";
    let mut device = device(text);
    assert_eq!((read(&mut device, 8, 0), read(&mut device, 0x10, 0)), (0, 1));
    write(&mut device, 0, 0b0101, 0);
    write(&mut device, 0xc, 2, 0);
    assert_eq!((read(&mut device, 8, 0), read(&mut device, 0x10, 0)), (0b1010, 0b100));
    write(&mut device, 8, 0, 0);
    assert_eq!(read(&mut device, 8, 0), 0b1010);
}

#[test]
fn a_latched_bit_stays_until_the_program_clears_it() {
    // As a conversion: started by a bit that clears itself, done some time later.
    let text = "[[register]]\noffset = 0\nself_clears = 1\n\
                [[register]]\noffset = 4\none_clears = 2\n\
                follow = [{ bit = 1, of = 0, register = 0, latch = true, after_us = 10 }]\n\
                [[register]]\noffset = 8\nread_clears = 1\n\
                follow = [{ bit = 0, of = 0, register = 0, latch = true }]\n";
    let mut device = device(text);
    write(&mut device, 0, 1, 0);
    assert_eq!((read(&mut device, 0, 0), read(&mut device, 4, 9)), (0, 0));
    assert_eq!(read(&mut device, 4, 10), 2);
    write(&mut device, 4, 1, 20);
    assert_eq!(read(&mut device, 4, 20), 3, "a written 0 leaves it");
    write(&mut device, 4, 2, 20);
    assert_eq!(read(&mut device, 4, 20), 0);
    assert_eq!((read(&mut device, 8, 20), read(&mut device, 8, 20)), (1, 0));
    write(&mut device, 0, 1, 30);
    assert_eq!(read(&mut device, 4, 40), 2, "again");
}

#[test]
fn constants_masks_and_registers_that_set_or_clear() {
    let text = "[[register]]\noffset = 0\nconstant = 0x1234\n\
                [[register]]\noffset = 4\nwritable = 0xf0\nreset = 0x11\n\
                [[register]]\noffset = 8\nsets = 4\n[[register]]\noffset = 0xc\nclears = 4\n\
                [[register]]\noffset = 0x20\ncount = 2\nconstant = 7\n";
    let mut device = device(text);
    write(&mut device, 0, 0, 0);
    assert_eq!(read(&mut device, 0, 0), 0x1234);
    write(&mut device, 4, 0xff, 0);
    assert_eq!(read(&mut device, 4, 0), 0xf1);
    write(&mut device, 0xc, 0x30, 0);
    assert_eq!((read(&mut device, 4, 0), read(&mut device, 8, 0)), (0xc1, 0xc1));
    write(&mut device, 8, 0x10, 0);
    assert_eq!(read(&mut device, 0xc, 0), 0xd1);
    assert_eq!([0x20, 0x24, 0x28].map(|offset| read(&mut device, offset, 0)), [7, 7, 0]);
}

#[test]
fn an_enabled_bit_interrupts_until_it_is_cleared() {
    // Like a measurement: a task, its event, and the interrupts that are set and cleared.
    let text = "[[register]]\noffset = 0\nself_clears = 1\n\
                [[register]]\noffset = 4\n\
                interrupt = { bits = 1, enable = 8, enable_bit = 3 }\n\
                follow = [{ bit = 0, of = 0, register = 0, latch = true, after_us = 36 }]\n\
                [[register]]\noffset = 0xc\nsets = 8\n\
                [[register]]\noffset = 0x10\nclears = 8\n";
    let mut device = device(text);
    write(&mut device, 0xc, 8, 0);
    write(&mut device, 0, 1, 100);
    assert_eq!((device.outputs(), device.next_event()), (0, 136));
    device.advance(136);
    assert_eq!((device.outputs(), device.next_event()), (1, u64::MAX));
    write(&mut device, 0x10, 8, 140);
    assert_eq!(device.outputs(), 0);
    write(&mut device, 0xc, 8, 140);
    write(&mut device, 4, 0, 150);
    assert_eq!(device.outputs(), 0);
}
