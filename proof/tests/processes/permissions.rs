//! The commands that a list of permissions allows, and no other.

use super::{Built, with_entry};

/// The kinds of entries of a header: a list of permissions, and one that no kernel knows.
const PERMISSIONS: u16 = 6;
const UNKNOWN: u16 = 0x7000;
/// The numbers of three drivers of the kernel.
const ALARM: u32 = 0;
const CONSOLE: u32 = 1;
const LEDS: u32 = 2;

/// Commands, and whether the list allows them. Each of the first 31 commands has a bit of its own.
const COMMANDS: [(u32, u32, bool); 13] = [
    (ALARM, 1, true),
    (ALARM, 2, false),
    (ALARM, 0x101, false),
    (ALARM, 31, true),
    (ALARM, 32, false),
    (ALARM, 40, true),
    (ALARM, 64, true),
    (ALARM, 65, false),
    (ALARM, 0x8000_0001, false),
    (ALARM, 0, false),
    // Named, but without commands; and not named at all.
    (CONSOLE, 0, false),
    (LEDS, 0, false),
    (LEDS, 31, false),
];

/// An application that gives the commands of a table behind it. It ends with a bit for each command
/// whose answer isn't that there is no such driver.
const CODE: [u16; 18] = [
    0xa408, 0x2500, 0x2601, // adr r4, the table; movs r5, #0; movs r6, #1
    0xcc03, 0x2200, 0x2300, 0xdf02, // ldmia r4!, {r0, r1}; movs r2, #0; movs r3, #0; svc 2
    0x2800, 0xd101, 0x290b, 0xd000, // cmp r0, #0; bne +2; cmp r1, #11; beq +1
    0x4335, 0x0076, 0x0b70, 0xd0f3, // orrs r5, r6; lsls r6, #1; lsrs r0, r6, #13; beq -13
    0x2000, 0x4629, 0xdf06, // movs r0, #0; mov r1, r5; svc 6
];

/// The application, with an entry of its header.
fn application(kind: u16, entry: &[u8]) -> Vec<u8> {
    let mut bytes = with_entry(kind, entry);
    let begin = usize::from(u16::from_le_bytes([bytes[2], bytes[3]]));
    let words = COMMANDS.iter().flat_map(|&(driver, command, _)| [driver, command]);
    let code = CODE.iter().flat_map(|half| half.to_le_bytes());
    let all: Vec<u8> = code.chain(words.flat_map(u32::to_le_bytes)).collect();
    bytes[begin..begin + all.len()].copy_from_slice(&all);
    bytes
}

/// A list of permissions: for each entry the driver, the 64 commands, and a bit for each of them.
fn list(entries: &[(u32, u32, u64)]) -> Vec<u8> {
    let mut bytes = (entries.len() as u16).to_le_bytes().to_vec();
    for (driver, which, bits) in entries {
        bytes.extend([driver.to_le_bytes(), which.to_le_bytes()].concat());
        bytes.extend(bits.to_le_bytes());
    }
    bytes
}

#[test]
fn a_process_with_permissions_gives_the_commands_that_they_name_and_no_other() {
    let built = Built::new();
    let entries =
        list(&[(CONSOLE, 0, 0), (ALARM, 0, 1 << 1 | 1 << 31 | 1 << 40), (ALARM, 1, 1 << 0)]);
    let bit = |(at, &(.., allowed)): (usize, &(_, _, bool))| u32::from(allowed) << at;
    let allowed: u32 = COMMANDS.iter().enumerate().map(bit).sum();
    let printed = built.run_flash(&application(PERMISSIONS, &entries));
    assert!(printed.contains(&format!("wide ends as Exited({allowed})")), "{printed}");
    let all = (1 << COMMANDS.len()) - 1;
    let printed = built.run_flash(&application(UNKNOWN, &[0; 4]));
    assert!(printed.contains(&format!("wide ends as Exited({all})")), "{printed}");
}
