//! The processes of the group `tock`, as applications for Tock in the flash of the image: headers
//! in its binary format, and code in assembly, so that there is nothing between two marks but what
//! is measured.
//!
//! First those that only wait, then the partner, then the one that is measured. Whatever isn't
//! answered as it should ends it, which the firmware sees.

use core::arch::global_asm;

use crate::header::{MEMORY, SIZE, header};

/// How many there are.
pub const COUNT: usize = 2 + MORE as usize;

/// How many of them only wait.
#[cfg(feature = "processes_8")]
pub const MORE: u32 = 6;
/// How many of them only wait.
#[cfg(not(feature = "processes_8"))]
pub const MORE: u32 = 0;

/// What each has of memory: its stack, and behind that what it lends.
const STACK: u32 = MEMORY / 2;

/// How often everything is measured.
pub const ROUNDS: u32 = 3;

/// The driver that does nothing.
pub const NULL_NUMBER: u32 = 0x9_0001;

/// The driver by which processes wake each other.
pub const WAKE_NUMBER: u32 = 0x9_0002;

/// A driver that isn't there.
const MISSING_NUMBER: u32 = 0x9_0003;

/// The drivers that the list of permissions names, if there is one. The driver that is measured
/// comes last.
const PERMITTED: [u32; 5] = [1, 2, 3, WAKE_NUMBER, NULL_NUMBER];

/// The number of drivers in the list.
#[cfg(feature = "permissions")]
const PERMISSIONS: usize = PERMITTED.len();
/// The number of drivers in the list.
#[cfg(not(feature = "permissions"))]
const PERMISSIONS: usize = 0;

/// The commands that each may be given: the first 16.
const COMMANDS: u32 = 0xffff;

/// The header of each, in front of its list. The list is in the assembly, and its words here, for
/// their sum: kind and length, and then the number of drivers, so that what is said of each is half
/// a word late.
const HEADER: [u32; 8] = {
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
    if PERMISSIONS == 0 { header(&[]) } else { header(&list) }
};

/// By what messages go from one to the other: the driver, its command for one to the partner and
/// that for the way back, the words by which these name who gets it, and the upcall of either.
struct Messages {
    driver: u32,
    send: u32,
    reply: u32,
    partner: u32,
    measured: u32,
    upcall: u32,
}

/// By the driver that wakes.
#[cfg(not(feature = "ipc"))]
const MESSAGES: Messages =
    Messages { driver: WAKE_NUMBER, send: 2, reply: 2, partner: 0, measured: 1, upcall: 0 };
/// By IPC, where the partner is a service: names are places in the table.
#[cfg(feature = "ipc")]
const MESSAGES: Messages = Messages {
    driver: 0x1_0000,
    send: 2,
    reply: 3,
    partner: MORE,
    measured: MORE + 1,
    upcall: MORE,
};

/// What answers say: failed, done, or done with one or two words.
const FAILED: u32 = 0;
const DONE: u32 = 128;
const WORD: u32 = 129;
const WORDS: u32 = 130;

/// ARMv6-M has no immediates of these sizes.
const SMALL: u32 = cfg!(not(target_has_atomic = "ptr")) as u32;

global_asm!(
    // An address in its memory.
    ".macro process_address register, offset",
    ".if {small}",
    "movs \\register, #(\\offset / 4)",
    "lsls \\register, \\register, #2",
    "adds \\register, \\register, r4",
    ".else",
    "add \\register, r4, #\\offset",
    ".endif",
    ".endm",

    // An application: its header, and the same beginning for each.
    ".macro process_begin",
    ".balign {size}",
    ".word {h0}, {h1}, {h2}, {h3}, {h4}, {h5}, {h6}, {h7}",
    ".if {permissions}",
    ".hword 6, 2 + 16 * {permissions}, {permissions}",
    ".irp driver, {p0}, {p1}, {p2}, {p3}, {p4}",
    ".hword \\driver & 0xffff, \\driver >> 16, 0, 0, {commands}, 0, 0, 0",
    ".endr",
    ".hword 0",
    ".endif",
    "mov r4, r1",                     // its memory
    "movs r0, #0",                    // all of it is used, and zero from here on
    "process_address r1, {memory}",
    "svc 5",
    "process_address r0, {stack}",
    "mov sp, r0",
    ".endm",

    // A call to a driver with what is in r2 and r3, and what it must answer.
    ".macro process_arguments driver, first",
    ".if {small}",
    "movs r0, #(\\driver >> 16)",
    "lsls r0, r0, #16",
    "adds r0, #(\\driver & 0xffff)",
    ".else",
    "movw r0, #(\\driver & 0xffff)",
    "movt r0, #(\\driver >> 16)",
    ".endif",
    "movs r1, #\\first",
    ".endm",
    ".macro process_expect answer",
    "cmp r0, #\\answer",
    ".if {small}",                    // the branch is too far
    "beq 7f",
    "b 9f",
    "7:",
    ".else",
    "bne 9f",
    ".endif",
    ".endm",

    // Subscribes to messages and to the upcall for interrupts, and says who it is.
    ".macro process_subscribe which, turn, interrupt",
    "process_arguments {messages}, {upcall}",
    "adr r2, \\turn",
    "adds r2, #1",                    // a function in Thumb code
    "movs r3, #0",
    "svc 1",
    "process_expect {words}",
    "process_arguments {wake}, 1",
    "adr r2, \\interrupt",
    "adds r2, #1",                    // a function in Thumb code
    "movs r3, #0",
    "svc 1",
    "process_expect {words}",
    "process_arguments {wake}, 1",
    "movs r2, #\\which",
    "svc 2",
    "process_expect {done}",
    ".endm",

    // Tells that driver something.
    ".macro process_tell what, which=0",
    "process_arguments {wake}, \\what",
    "movs r2, #\\which",
    "svc 2",
    "process_expect {done}",
    ".endm",

    // Ends, with what was answered.
    ".macro process_end",
    "9:",
    "mov r1, r0",
    "movs r0, #0",
    "svc 6",
    "udf #0",
    ".endm",

    ".pushsection .process_flash, \"ax\", %progbits",
    ".thumb",

    // Those that only wait.
    ".rept {more}",
    "process_begin",
    "2:",
    "movs r0, #1",
    "svc 0",
    "b 2b",
    ".endr",

    // The partner: it waits, and for a turn it wakes the one that is measured.
    "process_begin",
    "process_subscribe 0, partner_turn, partner_interrupt",
    "2:",
    "movs r5, #0",
    "movs r0, #1",
    "svc 0",
    ".if {small}",
    "cmp r5, #0",
    "beq 3f",
    ".else",
    "cbz r5, 3f",
    ".endif",
    "process_arguments {messages}, {reply}",
    "movs r2, #{reply_to}",
    "svc 2",
    "process_expect {done}",
    "process_tell 3",
    "b 2b",
    "3:",
    "process_tell 4",
    "b 2b",
    "process_end",
    ".balign 4",
    "partner_turn:",
    "message_runs:",
    "other_runs:",
    "movs r5, #1",
    "bx lr",
    ".balign 4",
    "partner_interrupt:",
    "bx lr",

    // The one that is measured.
    "process_begin",
    "process_subscribe 1, measured_turn, measured_interrupt",
    "movs r6, #{rounds}",
    "2:",

    "process_arguments {null}, 1",
    "command_from:",
    "svc 2",
    "command_to:",
    "process_expect {done}",
    "process_tell 5",

    "process_arguments {missing}, 1",
    "missing_from:",
    "svc 2",
    "missing_to:",
    "process_expect {failed}",

    "movs r0, #2",                    // where its memory begins
    "memory_from:",
    "svc 5",
    "memory_to:",
    "process_expect {word}",
    "movs r0, #1",                    // its memory grows by nothing
    "movs r1, #0",
    "grow_from:",
    "svc 5",
    "grow_to:",
    "process_expect {word}",

    "process_arguments {null}, 0",
    "process_address r2, {stack}",
    "movs r3, #64",
    "allow_from:",
    "svc 4",
    "allow_to:",
    "process_expect {words}",
    "process_arguments {null}, 0",
    "process_address r2, {stack}",
    "movs r3, #64",
    "allow_from.0:",
    "svc 3",
    "allow_to.0:",
    "process_expect {words}",

    "process_arguments {null}, 0",
    "adr r2, measured_interrupt",
    "adds r2, #1",                    // a function in Thumb code
    "movs r3, #0",
    "subscribe_from:",
    "svc 1",
    "subscribe_to:",
    "process_expect {words}",

    "movs r0, #0",
    "process_address r1, {stack}",
    "strb r6, [r1]",
    "yield_from:",
    "svc 0",
    "yield_to:",
    ".if {small}",
    "process_address r1, {stack}",
    "ldrb r0, [r1]",                  // none was due
    ".else",
    "ldrb r0, [r4, #{stack}]",        // none was due
    ".endif",
    "process_expect 0",

    // A message to the partner, which comes as an upcall: the partner's answer comes in the same
    // way.
    "process_arguments {messages}, {send}",
    "movs r2, #{send_to}",
    "message_from:",
    "svc 2",
    "process_expect {done}",
    "movs r5, #0",
    "movs r0, #1",
    "wait_from:",
    "svc 0",
    "mov r0, r5",
    "process_expect 1",
    "process_tell 3",
    "subs r6, #1",
    "bne 2b",

    // Interrupts wake it from here on.
    "3:",
    "movs r0, #1",
    "svc 0",
    "process_tell 4",
    "b 3b",
    "process_end",
    ".balign 4",
    "measured_turn:",
    "reply_runs:",
    "other_runs.0:",
    "movs r5, #1",
    "bx lr",
    ".balign 4",
    "measured_interrupt:",
    "upcall_runs:",
    "bx lr",
    ".balign {size}",
    ".popsection",
    small = const SMALL,
    size = const SIZE,
    stack = const STACK,
    memory = const MEMORY,
    wake = const WAKE_NUMBER,
    messages = const MESSAGES.driver,
    send = const MESSAGES.send,
    send_to = const MESSAGES.partner,
    reply = const MESSAGES.reply,
    reply_to = const MESSAGES.measured,
    upcall = const MESSAGES.upcall,
    null = const NULL_NUMBER,
    missing = const MISSING_NUMBER,
    permissions = const PERMISSIONS,
    commands = const COMMANDS,
    p0 = const PERMITTED[0],
    p1 = const PERMITTED[1],
    p2 = const PERMITTED[2],
    p3 = const PERMITTED[3],
    p4 = const PERMITTED[4],
    failed = const FAILED,
    done = const DONE,
    word = const WORD,
    words = const WORDS,
    more = const MORE,
    rounds = const ROUNDS,
    h0 = const HEADER[0],
    h1 = const HEADER[1],
    h2 = const HEADER[2],
    h3 = const HEADER[3],
    h4 = const HEADER[4],
    h5 = const HEADER[5],
    h6 = const HEADER[6],
    h7 = const HEADER[7],
);
