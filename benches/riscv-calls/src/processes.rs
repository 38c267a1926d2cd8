//! The processes: applications for Tock in the flash of the image, in assembly, so that between two
//! marks there is nothing but what is measured. They do what those of the group `tock` do.

use core::arch::global_asm;

use crate::header::{MEMORY, SIZE, header};

/// How often everything is measured.
pub const ROUNDS: u32 = 3;
/// The driver that does nothing.
pub const NULL_NUMBER: u32 = 0x9_0001;
/// The driver by which processes wake each other.
pub const WAKE_NUMBER: u32 = 0x9_0002;
/// A driver that isn't there.
const MISSING_NUMBER: u32 = 0x9_0003;
/// What each has of memory: its stack, and behind that what it lends.
const STACK: u32 = MEMORY / 2;
/// The header of each.
const HEADER: [u32; 8] = header(&[]);
/// The drivers that the partner may call: their first 16 commands. The one that is measured comes
/// last.
const PERMITTED: [u32; 2] = [WAKE_NUMBER, NULL_NUMBER];
const COMMANDS: u32 = 0xffff;
/// The header of the partner, in front of its list. The list is in the assembly, and its words here
/// for their sum: kind and length, and then the number of drivers, so that what is said of each is
/// half a word late.
const LIMITED: [u32; 8] = {
    const COUNT: usize = PERMITTED.len();
    let mut list = [0; 2 + 4 * COUNT];
    list[0] = (2 + 16 * COUNT as u32) << 16 | 6;
    list[1] = COUNT as u32;
    let mut index = 0;
    while index < COUNT {
        list[1 + 4 * index] |= PERMITTED[index] << 16;
        list[2 + 4 * index] |= PERMITTED[index] >> 16;
        list[3 + 4 * index] |= COMMANDS << 16;
        index += 1;
    }
    header(&list)
};
/// What answers say: failed, done, or done with one or two words.
const FAILED: u32 = 0;
const DONE: u32 = 128;
const WORD: u32 = 129;
const WORDS: u32 = 130;

global_asm!(
    // An application: the same beginning for each, behind its header.
    ".macro process_begin",
    "mv s0, a1",                      // its memory
    "li a0, 0",                       // all of it is used, and zero from here on
    "addi a1, s0, {memory}",
    "li a4, 5",
    "ecall",
    "addi sp, s0, {stack}",
    ".endm",

    // A call with what is in a2 and a3, and what it must answer.
    ".macro process_call class, number, first",
    "li a0, \\number",
    "li a1, \\first",
    "li a4, \\class",
    ".endm",
    ".macro process_expect answer",
    "addi a0, a0, -\\answer",
    "bnez a0, 9f",
    ".endm",

    // Subscribes to messages and to the upcall for interrupts, and says who it is.
    ".macro process_subscribe which, turn, interrupt",
    "process_call 1, {wake}, 0",
    "la a2, \\turn",
    "li a3, 0",
    "ecall",
    "process_expect {words}",
    "process_call 1, {wake}, 1",
    "la a2, \\interrupt",
    "li a3, 0",
    "ecall",
    "process_expect {words}",
    "process_tell 1, \\which",
    ".endm",

    // Tells that driver something.
    ".macro process_tell what, which=0",
    "process_call 2, {wake}, \\what",
    "li a2, \\which",
    "ecall",
    "process_expect {done}",
    ".endm",

    // Ends, with what was answered.
    ".macro process_end",
    "9:",
    "mv a1, a0",
    "li a0, 0",
    "li a4, 6",
    "ecall",
    "unimp",
    ".endm",

    ".pushsection .process_flash, \"ax\", @progbits",
    ".option push",
    ".option norelax",

    // The partner: it waits, and for a turn it wakes the one that is measured.
    ".balign {size}",
    ".word {l0}, {l1}, {l2}, {l3}, {l4}, {l5}, {l6}, {l7}",
    ".hword 6, 2 + 16 * 2, 2",
    ".irp driver, {wake}, {null}",
    ".hword \\driver & 0xffff, \\driver >> 16, 0, 0, {commands}, 0, 0, 0",
    ".endr",
    ".hword 0",
    "process_begin",
    "li s2, {rounds}",
    "1:",
    "process_call 2, {null}, 1",
    "limited_from:",
    "ecall",
    "limited_to:",
    "process_expect {done}",
    "process_call 2, {null}, 17",
    "ecall",
    "process_expect {failed}",
    "addi a1, a1, -11",                // there is no such device, to this process
    "bnez a1, 9f",
    "addi s2, s2, -1",
    "bnez s2, 1b",
    "process_subscribe 0, partner_turn, partner_interrupt",
    "2:",
    "li s1, 0",
    "li a0, 1",
    "li a4, 0",
    "ecall",
    "beqz s1, 3f",
    "process_tell 2, 1",
    "process_tell 3",
    "j 2b",
    "3:",
    "process_tell 4",
    "j 2b",
    "process_end",
    "partner_turn:",
    "message_runs:",
    "li s1, 1",
    "ret",
    "partner_interrupt:",
    "ret",

    // The one that is measured.
    ".balign {size}",
    ".word {h0}, {h1}, {h2}, {h3}, {h4}, {h5}, {h6}, {h7}",
    "process_begin",
    "process_subscribe 1, measured_turn, measured_interrupt",
    "li s2, {rounds}",
    "2:",
    "li s3, {rounds}",                // in a row, as the calls of the floor are
    "4:",
    "process_call 2, {null}, 1",
    "command_from:",
    "ecall",
    "command_to:",
    "process_expect {done}",
    "addi s3, s3, -1",
    "bnez s3, 4b",
    "process_tell 5",
    "process_call 2, {missing}, 1",
    "missing_from:",
    "ecall",
    "missing_to:",
    "process_expect {failed}",
    "process_call 5, 2, 0",           // where its memory begins
    "memory_from:",
    "ecall",
    "memory_to:",
    "process_expect {word}",
    "process_call 4, {null}, 0",
    "addi a2, s0, {stack}",
    "li a3, 64",
    "allow_from:",
    "ecall",
    "allow_to:",
    "process_expect {words}",
    "process_call 1, {null}, 0",
    "la a2, measured_interrupt",
    "li a3, 0",
    "subscribe_from:",
    "ecall",
    "subscribe_to:",
    "process_expect {words}",
    "process_call 0, 0, 0",
    "addi a1, s0, {stack}",
    "sb a4, 0(a1)",
    "yield_from:",
    "ecall",
    "yield_to:",
    "lbu a0, {stack}(s0)",            // none was due
    "process_expect 0",

    // A message to the partner, which comes as an upcall, as its answer does.
    "li s1, 0",
    "process_call 2, {wake}, 2",
    "li a2, 0",
    "message_from:",
    "ecall",
    "process_expect {done}",
    "li a0, 1",
    "li a4, 0",
    "wait_from:",
    "ecall",
    "mv a0, s1",
    "process_expect 1",
    "process_tell 3",
    "addi s2, s2, -1",
    "bnez s2, 2b",

    // Interrupts wake it from here on.
    "3:",
    "li a0, 1",
    "li a4, 0",
    "ecall",
    "process_tell 4",
    "j 3b",
    "process_end",
    "measured_turn:",
    "reply_runs:",
    "li s1, 1",
    "ret",
    "measured_interrupt:",
    "upcall_runs:",
    "ret",
    ".balign {size}",
    ".option pop",
    ".popsection",
    size = const SIZE,
    stack = const STACK,
    memory = const MEMORY,
    wake = const WAKE_NUMBER,
    null = const NULL_NUMBER,
    missing = const MISSING_NUMBER,
    failed = const FAILED,
    done = const DONE,
    word = const WORD,
    words = const WORDS,
    rounds = const ROUNDS,
    commands = const COMMANDS,
    l0 = const LIMITED[0],
    l1 = const LIMITED[1],
    l2 = const LIMITED[2],
    l3 = const LIMITED[3],
    l4 = const LIMITED[4],
    l5 = const LIMITED[5],
    l6 = const LIMITED[6],
    l7 = const LIMITED[7],
    h0 = const HEADER[0],
    h1 = const HEADER[1],
    h2 = const HEADER[2],
    h3 = const HEADER[3],
    h4 = const HEADER[4],
    h5 = const HEADER[5],
    h6 = const HEADER[6],
    h7 = const HEADER[7],
);
