//! The checks of a board file that its types cannot express.
//!
//! People write board files by hand. So every refusal names the entry and the field, and shows the
//! correct form.

use super::{ALIAS, Board, Core, DeviceDescription, MemoryDescription, Parts, front, registers};
use crate::processor::bus::{CHIP_PRIVATE, DEVICES_START, PRIVATE_START, VENDOR_START};

/// The largest memory that the simulator provides: a typing mistake in a size must not eat the
/// computer's own.
const MEMORY_SIZE_MAX: u32 = 256 << 20;

/// The most that all memories have together.
const MEMORIES_SIZE_MAX: u64 = 512 << 20;

/// The core's parts on the private peripheral bus: first and last address, and name.
const OF_THE_CORE: [(u32, u32, &str); 9] = [
    (0xe000_0000, 0xe000_0fff, "ITM"),
    (0xe000_1000, 0xe000_1fff, "DWT"),
    (0xe000_2000, 0xe000_2fff, "FPB"),
    (0xe000_3000, 0xe000_dfff, "reserved"),
    (0xe000_e000, 0xe000_efff, "SysTick, NVIC, SCB, MPU, debug"),
    (0xe000_f000, 0xe003_ffff, "reserved"),
    (0xe004_0000, 0xe004_0fff, "TPIU"),
    (0xe004_1000, 0xe004_1fff, "ETM"),
    (0xe00f_f000, 0xe00f_ffff, "ROM table"),
];

/// The place in the file, and the error there.
pub type Refusal = (String, String);

/// Checks everything.
pub fn check(board: &Board) -> Result<(), Refusal> {
    check_core(board)?;
    let mut taken: Vec<(u64, u64, String)> = Vec::new();
    let mut together = 0;
    for memory in &board.memories {
        check_memory(memory)?;
        front::check(board, memory)?;
        check_together(&mut together, memory)?;
        for start in std::iter::once(memory.start).chain(memory.aliases.iter().copied()) {
            let place = format!("memory \"{}\"", memory.name);
            check_memory_place(start, memory.size, &place)?;
            claim(&mut taken, start, memory.size, place)?;
        }
    }
    if board.memories.is_empty() {
        return refuse("memory", "a board needs at least one [[memory]]");
    }
    for device in &board.devices {
        check_device(board, device)?;
        registers::check(device)?;
        let place = format!("device \"{}\"", device.name);
        check_device_place(device.base, device.reach(), &place)?;
        claim(&mut taken, device.base, device.reach(), place)?;
    }
    let mut slow: Vec<(u64, u64, String)> = Vec::new();
    for memory in &board.memories {
        for start in std::iter::once(memory.start).chain(memory.aliases.iter().copied()) {
            let place = format!("memory \"{}\"", memory.name);
            claim(&mut slow, start, memory.size, place)?;
        }
    }
    for bridge in &board.bridges {
        let place = format!("bridge \"{}\"", bridge.name);
        check_bridge_place(bridge.start, bridge.size, &place)?;
        claim(&mut slow, bridge.start, bridge.size, place)?;
    }
    check_names(&board.parts())
}

/// Checks the parts of a board with a RISC-V core, whose architecture gives no place to devices.
pub fn check_parts(parts: &Parts<'_>) -> Result<(), Refusal> {
    let mut taken: Vec<(u64, u64, String)> = Vec::new();
    let mut together = 0;
    for memory in parts.memories {
        check_memory(memory)?;
        check_together(&mut together, memory)?;
        for start in std::iter::once(memory.start).chain(memory.aliases.iter().copied()) {
            let place = format!("memory \"{}\"", memory.name);
            last(start, memory.size, &place)?;
            claim(&mut taken, start, memory.size, place)?;
        }
        if memory.front_end.is_some() {
            let place = format!("memory \"{}\", front_end", memory.name);
            return refuse(place, "a RISC-V core is not timed, and has none");
        }
    }
    for device in parts.devices {
        check_shape(device)?;
        check_port(device)?;
        registers::check(device)?;
        let place = format!("device \"{}\"", device.name);
        last(device.base, device.reach(), &place)?;
        claim(&mut taken, device.base, device.reach(), place)?;
        if let Some(number) = device.interrupts.iter().find(|number| **number >= 240) {
            let problem = format!("{number} is beyond the 240 that are simulated");
            return refuse(format!("device \"{}\", interrupts", device.name), problem);
        }
    }
    check_names(parts)
}

/// The two numbers of `r2p0`, each 0 to 15.
pub fn revision(text: &str) -> Option<(u8, u8)> {
    let (major, minor) = text.strip_prefix('r')?.split_once('p')?;
    let number = |text: &str| text.parse::<u8>().ok().filter(|number| *number <= 15);
    Some((number(major)?, number(minor)?))
}

/// Refuses the entry at `place`.
pub fn refuse<T>(place: impl Into<String>, problem: impl Into<String>) -> Result<T, Refusal> {
    Err((place.into(), problem.into()))
}

fn is_name(text: &str) -> bool {
    let allowed = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    !text.is_empty() && text.chars().all(allowed)
}

fn check_core(board: &Board) -> Result<(), Refusal> {
    if !is_name(&board.name) {
        return refuse("name", "must be of letters, digits, '-' and '_'");
    }
    if !(1_000..=1_000_000_000).contains(&board.clock_hz) {
        return refuse("clock_hz", "must be between 1_000 and 1_000_000_000");
    }
    let bits = match board.core {
        Core::CortexM0 | Core::CortexM0Plus => 2..=2,
        _ => 3..=8,
    };
    if !bits.contains(&board.priority_bits) {
        let (low, high) = bits.into_inner();
        let problem = format!("is {}, but this core has {low} to {high}", board.priority_bits);
        return refuse("priority_bits", problem);
    }
    if board.interrupts == 0 || board.interrupts > 240 {
        return refuse("interrupts", format!("is {}; a core has 1 to 240", board.interrupts));
    }
    if board.mpu_regions != 0 && board.mpu_regions != 8 {
        return refuse("mpu_regions", format!("is {}; a core has 0 or 8", board.mpu_regions));
    }
    if !board.vector_table.is_multiple_of(128) {
        return refuse("vector_table", "must be a multiple of 128");
    }
    match board.core_revision.as_deref() {
        Some(text) if revision(text).is_none() => {
            refuse("core_revision", format!("\"{text}\" is not of the form \"r2p0\""))
        }
        _ => Ok(()),
    }
}

/// Adds a memory to the sum of all, which has a bound.
fn check_together(together: &mut u64, memory: &MemoryDescription) -> Result<(), Refusal> {
    *together += u64::from(memory.size);
    if *together <= MEMORIES_SIZE_MAX {
        return Ok(());
    }
    let problem = format!(
        "the memories have more than {MEMORIES_SIZE_MAX} bytes together, the most that is simulated"
    );
    refuse(format!("memory \"{}\": size", memory.name), problem)
}

fn check_memory(memory: &MemoryDescription) -> Result<(), Refusal> {
    let place = |field: &str| format!("memory \"{}\", {field}", memory.name);
    if !is_name(&memory.name) {
        return refuse(place("name"), "must be of letters, digits, '-' and '_'");
    }
    if memory.size == 0 || !memory.size.is_multiple_of(4) {
        return refuse(place("size"), "must be a multiple of 4 and not 0");
    }
    if memory.size > MEMORY_SIZE_MAX {
        return refuse(place("size"), format!("is beyond the limit of {MEMORY_SIZE_MAX} bytes"));
    }
    if std::iter::once(&memory.start).chain(&memory.aliases).any(|start| start % 4 != 0) {
        return refuse(place("start"), "every first address must be a multiple of 4");
    }
    let is_inside = |offset: u32| offset.is_multiple_of(4) && offset < memory.size;
    if let Some((offset, _)) = memory.words.iter().find(|(offset, _)| !is_inside(*offset)) {
        let problem = format!(
            "{offset:#x} is no word of the memory: a multiple of 4 below {:#x}",
            memory.size
        );
        return refuse(place("words"), problem);
    }
    Ok(())
}

fn check_device(board: &Board, device: &DeviceDescription) -> Result<(), Refusal> {
    let place = |field: &str| format!("device \"{}\", {field}", device.name);
    if is_name(&device.name) && device.base < DEVICES_START {
        return refuse(place("base"), "devices are at 0x40000000 and above (B3.1)");
    }
    check_shape(device)?;
    for number in &device.interrupts {
        if *number >= board.interrupts {
            let problem = format!("{number} is beyond the board's {}", board.interrupts);
            return refuse(place("interrupts"), problem);
        }
    }
    check_port(device)
}

/// Checks what no core and no other device matters for.
fn check_shape(device: &DeviceDescription) -> Result<(), Refusal> {
    let place = |field: &str| format!("device \"{}\", {field}", device.name);
    if !is_name(&device.name) {
        return refuse(place("name"), "must be of letters, digits, '-' and '_'");
    }
    if !device.base.is_multiple_of(4) || device.span() == 0 || !device.span().is_multiple_of(4) {
        return refuse(place("base"), "base and size must be multiples of 4 and size not 0");
    }
    if device.span() < device.kind.span() {
        return refuse(place("size"), format!("must be at least {:#x}", device.kind.span()));
    }
    if device.atomic_aliases && (device.span() > ALIAS || !device.base.is_multiple_of(4 * ALIAS)) {
        let problem = "needs a base that is a multiple of 0x4000, and a size of 0x1000 at the most";
        return refuse(place("atomic_aliases"), problem);
    }
    let outputs = device.kind.outputs();
    if device.interrupts.len() > outputs {
        let problem =
            format!("lists {}, but a {:?} has {outputs}", device.interrupts.len(), device.kind);
        return refuse(place("interrupts"), problem);
    }
    Ok(())
}

fn check_port(device: &DeviceDescription) -> Result<(), Refusal> {
    let place = format!("device \"{}\", port", device.name);
    match (&device.port, device.kind.has_pins()) {
        (None, true) => refuse(place, "a GPIO needs it, as \"A\" or \"0\""),
        (Some(_), false) => refuse(place, "only a GPIO has one"),
        (Some(port), true) if !is_port(port) => {
            refuse(place, "must be one capital letter or one digit")
        }
        _ => Ok(()),
    }
}

fn is_port(text: &str) -> bool {
    let [letter] = text.as_bytes() else { return false };
    letter.is_ascii_uppercase() || letter.is_ascii_digit()
}

/// Returns the last address of a range that begins at `start`. Refuses a range beyond the end of
/// addresses.
fn last(start: u32, size: u32, place: &str) -> Result<u32, Refusal> {
    match size.checked_sub(1).map(|more| start.checked_add(more)) {
        None => refuse(place, "must not be empty"),
        Some(None) => refuse(place, format!("{size:#x} bytes at {start:#x} end behind 0xffffffff")),
        Some(Some(last)) => Ok(last),
    }
}

fn check_memory_place(start: u32, size: u32, place: &str) -> Result<(), Refusal> {
    let last = last(start, size, place)?;
    if last < PRIVATE_START {
        return Ok(());
    }
    let problem = format!(
        "{start:#010x} to {last:#010x} reaches 0xe0000000 or above, where the architecture has no \
         memory (B3.1); put it lower, or make it a [[device]] of the kind \"inert\""
    );
    refuse(place, problem)
}

fn check_bridge_place(start: u32, size: u32, place: &str) -> Result<(), Refusal> {
    let last = last(start, size, place)?;
    if last < PRIVATE_START || start >= VENDOR_START {
        return Ok(());
    }
    let problem = format!(
        "{start:#010x} to {last:#010x} reaches the private peripheral bus (0xe0000000 to \
         0xe00fffff), which no bridge is in front of"
    );
    refuse(place, problem)
}

/// Refuses devices where the architecture leaves no room for a chip's devices.
fn check_device_place(base: u32, size: u32, place: &str) -> Result<(), Refusal> {
    let last = last(base, size, place)?;
    let in_gap = CHIP_PRIVATE.contains(&base) && CHIP_PRIVATE.contains(&last);
    if last < PRIVATE_START || in_gap || base >= VENDOR_START {
        return Ok(());
    }
    let met = OF_THE_CORE.iter().find(|(start, end, _)| base <= *end && *start <= last);
    let (start, end, what) = met.unwrap_or(&OF_THE_CORE[0]);
    let problem = format!(
        "{base:#010x} to {last:#010x} meets {start:#010x} to {end:#010x}, which is the core's own \
         ({what}); devices of a chip are below 0xe0000000, at 0xe0042000 to 0xe00fefff (as a \
         DBGMCU) or from 0xe0100000 on"
    );
    refuse(place, problem)
}

/// Notes that `place` takes the addresses, unless something else did.
fn claim(
    taken: &mut Vec<(u64, u64, String)>,
    start: u32,
    size: u32,
    place: String,
) -> Result<(), Refusal> {
    let (start, end) = (u64::from(start), u64::from(start) + u64::from(size));
    if let Some((.., other)) = taken.iter().find(|(low, high, _)| start < *high && *low < end) {
        return refuse(place, format!("{start:#010x} to {:#010x} overlaps {other}", end - 1));
    }
    taken.push((start, end, place));
    Ok(())
}

fn check_names(board: &Parts<'_>) -> Result<(), Refusal> {
    let memories = board.memories.iter().map(|memory| ("memory", &memory.name));
    let devices = board.devices.iter().map(|device| ("device", &device.name));
    let mut seen: Vec<&String> = Vec::new();
    for (what, name) in memories.chain(devices) {
        if seen.contains(&name) {
            return refuse(format!("{what} \"{name}\", name"), "is used twice");
        }
        seen.push(name);
    }
    let mut ports: Vec<&String> = Vec::new();
    for device in board.devices {
        let Some(port) = &device.port else { continue };
        if ports.contains(&port) {
            return refuse(format!("device \"{}\", port", device.name), "is used twice");
        }
        ports.push(port);
    }
    Ok(())
}
