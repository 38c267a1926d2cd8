//! A board file for an image that lies where the board has no memory, or whose stack begins there:
//! the board, with memories as the image's segments and its vector table ask for them.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::missing::{how, indented, is_built_in};
use quintet_sim::board::Board;
use quintet_sim::image::{Image, MemoryRange};

/// Memories begin and end at multiples of this.
const BLOCK: u64 = 0x1000;
/// Memories are made at least so large where nothing is in the way, as the image's stack needs room
/// too.
const SIZE_MIN: u64 = 0x1_0000;
/// RAM is made larger by at most this to reach a stack.
const REACH: u64 = 0x10_0000;
/// Where code ends and RAM begins (B3.1), and where devices do.
const RAM_START: u64 = 0x2000_0000;
/// Where stacks are: RAM in front of code's end, or behind it.
const STACKS: std::ops::Range<u32> = 0x0100_0000..0x4000_0000;
const DEVICES: std::ops::Range<u64> = 0x4000_0000..0x6000_0000;

/// What to say besides that a segment lies outside the board's memory, or the stack: a board file
/// that has the memory. `table` is where the vector table is, if not first in the image. None where
/// that would be no board.
pub fn offer(image: &Image, board: &Board, table: Option<u32>) -> Option<String> {
    let (text, parts) = file(image, board, table)?;
    if is_built_in(board) {
        Board::parse(&text, "offered").ok()?;
    }
    let ranges = parts.ranges();
    image.check_memories(&ranges).ok()?;
    let is_ram = |stack: u32| ranges.iter().any(|one| one.writable && one.contains(stack - 4, 4));
    // Where the stack is what is wrong, it has to have its place.
    if table.is_some() && !parts.stack.is_some_and(is_ram) {
        return None;
    }
    Some(format!(
        "or {}, {} with memories for the image (look at their sizes):\n\n{}",
        how(board),
        board.name,
        indented(&text)
    ))
}

fn file<'a>(image: &Image, board: &'a Board, table: Option<u32>) -> Option<(String, Parts<'a>)> {
    let loaded = image.segments.iter().filter(|one| !one.bytes.is_empty());
    let first = table.or_else(|| loaded.map(|one| one.load_address).min())?;
    let mut parts = Parts::new(board);
    for segment in &image.segments {
        let length = segment.bytes.len() as u64;
        parts.add(segment.load_address, length, false);
        // What lies elsewhere than it is loaded, or is not loaded, is written by start-up code.
        let is_ram = segment.address != segment.load_address || length == 0;
        parts.add(segment.address, u64::from(segment.memory_size), is_ram);
    }
    // The main stack begins where the vector table says, one above its memory or below. An image
    // may begin with something else.
    let is_stack = |stack: &u32| stack.is_multiple_of(4) && STACKS.contains(stack);
    parts.stack = image.initial_word(first).filter(is_stack);
    if let Some(stack) = parts.stack {
        parts.add(stack - 4, 4, true);
    }
    let mut text = String::new();
    if is_built_in(board) {
        text = format!(
            "like = \"{0}\"\nname = \"my-{0}\"\ndescription = \"{0} with memories for an image\"\n",
            board.name
        );
    }
    if !board.memory_ranges().iter().any(|memory| memory.contains(first, 8)) {
        // Writing to a string never fails.
        let _ = writeln!(text, "vector_table = {first:#x}");
    }
    parts.write(&mut text);
    Some((text, parts))
}

/// What the board lacks.
struct Parts<'a> {
    board: &'a Board,
    /// New sizes of its memories.
    sizes: BTreeMap<&'a str, u64>,
    /// Further memories.
    more: Vec<More>,
    /// Where the main stack begins.
    stack: Option<u32>,
}

/// A further memory: the first address, and one more than the last.
#[derive(Clone, Copy)]
struct More {
    start: u64,
    end: u64,
    is_ram: bool,
}

impl<'a> Parts<'a> {
    fn new(board: &'a Board) -> Self {
        Self { board, sizes: BTreeMap::new(), more: Vec::new(), stack: None }
    }

    fn add(&mut self, start: u32, length: u64, is_ram: bool) {
        let (start, end) = (u64::from(start), u64::from(start) + length);
        // A linker script may declare registers as memory without content.
        if length == 0 || DEVICES.contains(&start) {
            return;
        }
        if let Some((name, at, size)) = self.memory_for(start, is_ram) {
            if end > at + size {
                self.sizes.insert(name, (end - at).next_multiple_of(BLOCK));
            }
            return;
        }
        let one = More {
            start: start - start % BLOCK,
            end: end.next_multiple_of(BLOCK),
            is_ram: is_ram || start >= RAM_START,
        };
        let meets = |other: &&mut More| {
            one.start <= other.end && other.start <= one.end && one.is_ram == other.is_ram
        };
        match self.more.iter_mut().find(meets) {
            Some(other) => {
                (other.start, other.end) = (one.start.min(other.start), one.end.max(other.end));
            }
            None => self.more.push(one),
        }
    }

    /// The memory of the board that an address belongs to, or, of RAM, that can be made to reach
    /// it: the name, the first address and the size.
    fn memory_for(&self, address: u64, is_ram: bool) -> Option<(&'a str, u64, u64)> {
        let ranges = self.board.memories.iter().flat_map(|memory| {
            let size = self.sizes.get(&*memory.name).copied().unwrap_or(memory.size.into());
            let starts = std::iter::once(memory.start).chain(memory.aliases.clone());
            let writable = memory.kind == quintet_sim::board::MemoryKind::Ram;
            starts.map(move |at| (&*memory.name, u64::from(at), size, writable))
        });
        let below = ranges.filter(|(_, at, ..)| *at <= address).max_by_key(|(_, at, ..)| *at)?;
        let (name, at, size, writable) = below;
        let reach = if is_ram && writable { size.max(REACH) } else { size };
        (address <= at + reach).then_some((name, at, size))
    }

    /// The further memories, as large as they can be made, and trimmed where the board's begin.
    fn memories(&self) -> Vec<More> {
        let board = self.board.memory_ranges().into_iter().map(|one| u64::from(one.start));
        let starts: Vec<u64> = board.chain(self.more.iter().map(|one| one.start)).collect();
        let trimmed = |one: &More| {
            let next = starts.iter().copied().filter(|start| *start > one.start).min();
            let end = one.end.max(one.start + SIZE_MIN).min(next.unwrap_or(u64::MAX));
            More { end, ..*one }
        };
        self.more.iter().map(trimmed).collect()
    }

    /// All memories, the board's and the further ones.
    fn ranges(&self) -> Vec<MemoryRange> {
        let mut ranges = self.board.memory_ranges();
        for range in &mut ranges {
            let size = self.sizes.get(&*range.name).and_then(|size| u32::try_from(*size).ok());
            range.size = size.unwrap_or(range.size);
        }
        ranges.extend(self.memories().into_iter().map(|one| MemoryRange {
            name: "more".into(),
            start: one.start as u32,
            size: (one.end - one.start) as u32,
            writable: one.is_ram,
        }));
        ranges
    }

    fn write(&self, text: &mut String) {
        if !self.sizes.is_empty() {
            text.push_str("[sizes]\n");
        }
        for (name, size) in &self.sizes {
            let _ = writeln!(text, "{name} = {size:#x}");
        }
        let is_taken = |name: &String| self.board.memories.iter().any(|one| one.name == *name);
        let names = (1..).map(|number| format!("more{number}")).filter(|name| !is_taken(name));
        for (name, one) in names.zip(self.memories()) {
            let kind = if one.is_ram { "ram" } else { "flash" };
            let port = if one.start < RAM_START { "code-shared" } else { "system" };
            let _ = write!(
                text,
                "\n[[memory]]\nname = \"{name}\"\nstart = {:#x}\nsize = {:#x}\n\
                 kind = \"{kind}\"\nport = \"{port}\"\n",
                one.start,
                one.end - one.start
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quintet_sim::board::MemoryKind;
    use quintet_sim::image::Segment;

    fn image(segments: &[(u32, u32, usize, u32)]) -> Image {
        let segment = |&(load_address, address, bytes, memory_size): &(u32, u32, usize, u32)| {
            Segment { index: 0, load_address, address, bytes: vec![0; bytes], memory_size }
        };
        Image { segments: segments.iter().map(segment).collect(), ..Image::default() }
    }

    fn offered(segments: &[(u32, u32, usize, u32)]) -> (String, Board) {
        let (image, board) = (image(segments), Board::named("lm3s6965").unwrap());
        let (text, _) = file(&image, &board, None).unwrap();
        let made = Board::parse(&text, "test").unwrap_or_else(|error| panic!("{error}\n{text}"));
        image.check_memories(&made.memory_ranges()).unwrap();
        assert!(offer(&image, &board, None).is_some());
        (text, made)
    }

    fn is_flash(board: &Board, address: u32) -> bool {
        let mut memories = board.memories.iter();
        let memory = memories.find(|memory| address.wrapping_sub(memory.start) < memory.size);
        memory.is_some_and(|memory| memory.kind == MemoryKind::Flash)
    }

    #[test]
    fn an_image_elsewhere_gets_memories_of_its_own() {
        let (text, made) = offered(&[
            (0x0800_0000, 0x0800_0000, 0x2_0010, 0x2_0010),
            (0x0802_0010, 0x1000_0100, 8, 0x300),
        ]);
        assert!(text.contains("vector_table = 0x8000000"), "{text}");
        assert_eq!(made.vector_table, 0x0800_0000);
        assert!(is_flash(&made, 0x0802_0017));
        assert!(!is_flash(&made, 0x1000_03ff), "start-up code copies data there");
    }

    #[test]
    fn an_image_that_is_too_large_makes_the_memory_larger() {
        let (text, made) =
            offered(&[(0, 0, 0x4_1000, 0x4_1000), (0x2000_8000, 0x2000_8000, 0, 0x9000)]);
        assert!(text.contains("[sizes]") && !text.contains("[[memory]]"), "{text}");
        assert!(!text.contains("vector_table"), "{text}");
        assert_eq!(made.memory_ranges().iter().filter(|one| one.writable).count(), 1);
    }

    #[test]
    fn what_would_be_no_board_is_not_offered() {
        let board = Board::named("lm3s6965").unwrap();
        assert_eq!(offer(&image(&[(0xe000_0000, 0xe000_0000, 64, 64)]), &board, None), None);
        assert_eq!(offer(&image(&[]), &board, None), None);
    }

    /// An image at 0 whose stack begins at `stack`.
    fn with_stack(stack: u32) -> Image {
        let mut image = image(&[(0, 0, 0x100, 0x100)]);
        image.segments[0].bytes[..4].copy_from_slice(&stack.to_le_bytes());
        image
    }

    #[test]
    fn ram_is_made_to_reach_the_stack() {
        let board = Board::named("microbit").unwrap();
        let (text, _) = file(&with_stack(0x2002_0000), &board, None).unwrap();
        assert!(text.contains("[sizes]\nsram = 0x20000\n") && !text.contains("[[mem"), "{text}");
        assert!(offer(&with_stack(0x2002_0000), &board, Some(0)).is_some());
        // In flash it is no stack, and far away it gets RAM of its own.
        assert_eq!(offer(&with_stack(0xc044), &board, Some(0)), None);
        let (text, _) = file(&with_stack(0x2400_1000), &board, None).unwrap();
        assert!(text.contains("start = 0x24000000") && text.contains("\"ram\""), "{text}");
    }

    #[test]
    fn memory_ends_where_the_next_begins() {
        let image = image(&[(0, 0, 0x100, 0x100), (0x1fff_8700, 0x1fff_8700, 0, 0x2000)]);
        let board = Board::named("lm3s6965").unwrap();
        let (text, _) = file(&image, &board, None).unwrap();
        assert!(text.contains("start = 0x1fff8000\nsize = 0x8000\nkind = \"ram\""), "{text}");
        assert!(offer(&image, &board, None).is_some());
    }

    #[test]
    fn a_board_of_the_users_own_gets_the_parts_that_it_lacks() {
        let text = "like = \"lm3s6965\"\nname = \"mine\"\ndescription = \"d\"\n";
        let board = Board::parse(text, "test").unwrap();
        let image = image(&[(0, 0, 0x100, 0x100), (0x2400_0000, 0x2400_0000, 0, 0x100)]);
        let says = offer(&image, &board, None).unwrap();
        assert!(says.starts_with("or put this into your board file, mine with"), "{says}");
        assert!(!says.contains("like") && says.contains("start = 0x24000000"), "{says}");
    }
}
