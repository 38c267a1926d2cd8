//! A board file for an image that lies where the board has no memory: the board, with memories as
//! the image's segments ask for them.

use std::collections::BTreeMap;
use std::fmt::Write;

use quintet_sim::board::Board;
use quintet_sim::image::Image;

/// Memories begin and end at multiples of this.
const BLOCK: u64 = 0x1000;
/// Memories are made at least so large, as the image's stack needs room too.
const SIZE_MIN: u64 = 0x1_0000;
/// Where code ends and RAM begins (B3.1), and where devices do.
const RAM_START: u64 = 0x2000_0000;
const DEVICES_START: u64 = 0x4000_0000;

/// What to say besides that a segment lies outside the board's memory: a board file that has the
/// memory. None where that would be no board.
pub fn offer(image: &Image, board: &Board) -> Option<String> {
    let text = file(image, board)?;
    let made = Board::parse(&text, "offered").ok()?;
    image.check_memories(&made.memory_ranges()).ok()?;
    let lines = text.lines().map(|line| format!("{:6}{line}", "").trim_end().to_owned());
    Some(format!(
        "or give --board this file, {} with memories for the image (look at their sizes):\n\n{}",
        board.name,
        lines.collect::<Vec<_>>().join("\n")
    ))
}

fn file(image: &Image, board: &Board) -> Option<String> {
    let is_built_in = Board::names().any(|name| name == board.name);
    let mut parts = is_built_in.then(|| Parts::new(board))?;
    for segment in &image.segments {
        parts.add(segment.load_address, segment.bytes.len() as u64);
        parts.add(segment.address, u64::from(segment.memory_size));
    }
    let first = image.segments.iter().filter(|one| !one.bytes.is_empty());
    let first = first.map(|one| one.load_address).min()?;
    // The main stack begins where the vector table says, one above its memory or below.
    if let Some(stack) = image.initial_word(first).filter(|stack| *stack > 4) {
        parts.add(stack - 4, 4);
    }
    let mut text = format!(
        "like = \"{0}\"\nname = \"my-{0}\"\ndescription = \"{0} with memories for an image\"\n",
        board.name
    );
    if !board.memory_ranges().iter().any(|memory| memory.contains(first, 8)) {
        // Writing to a string never fails.
        let _ = writeln!(text, "vector_table = {first:#x}");
    }
    parts.write(&mut text);
    Some(text)
}

/// What the board lacks.
struct Parts<'a> {
    board: &'a Board,
    /// New sizes of its memories.
    sizes: BTreeMap<&'a str, u64>,
    /// Further memories: the first address, and one more than the last.
    more: Vec<(u64, u64)>,
}

impl<'a> Parts<'a> {
    fn new(board: &'a Board) -> Self {
        Self { board, sizes: BTreeMap::new(), more: Vec::new() }
    }

    fn add(&mut self, start: u32, length: u64) {
        let (start, end) = (u64::from(start), u64::from(start) + length);
        // A linker script may declare registers as memory without content.
        if length == 0 || (DEVICES_START..0x6000_0000).contains(&start) {
            return;
        }
        let begins = |memory: u64, size: u64| start >= memory && start <= memory + size;
        for memory in &self.board.memories {
            let size = self.sizes.get(&*memory.name).copied().unwrap_or(memory.size.into());
            let starts = std::iter::once(memory.start).chain(memory.aliases.clone());
            if let Some(at) = starts.map(u64::from).find(|at| begins(*at, size)) {
                if end > at + size {
                    self.sizes.insert(&memory.name, (end - at).next_multiple_of(BLOCK));
                }
                return;
            }
        }
        let start = start - start % BLOCK;
        let end = end.next_multiple_of(BLOCK).max(start + SIZE_MIN);
        match self.more.iter_mut().find(|(from, to)| start <= *to && *from <= end) {
            Some((from, to)) => (*from, *to) = (start.min(*from), end.max(*to)),
            None => self.more.push((start, end)),
        }
    }

    fn write(&self, text: &mut String) {
        if !self.sizes.is_empty() {
            text.push_str("[sizes]\n");
        }
        for (name, size) in &self.sizes {
            let _ = writeln!(text, "{name} = {size:#x}");
        }
        for (number, (start, end)) in (1..).zip(&self.more) {
            let is_code = *start < RAM_START;
            let (kind, port) = if is_code { ("flash", "code-shared") } else { ("ram", "system") };
            let _ = write!(
                text,
                "\n[[memory]]\nname = \"more{number}\"\nstart = {start:#x}\nsize = {:#x}\n\
                 kind = \"{kind}\"\nport = \"{port}\"\n",
                end - start
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
        let text = file(&image, &board).unwrap();
        let made = Board::parse(&text, "test").unwrap_or_else(|error| panic!("{error}\n{text}"));
        image.check_memories(&made.memory_ranges()).unwrap();
        assert!(offer(&image, &board).is_some());
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
        assert!(is_flash(&made, 0x0802_0017) && is_flash(&made, 0x1000_03ff), "below 0x20000000");
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
        assert_eq!(offer(&image(&[(0xe000_0000, 0xe000_0000, 64, 64)]), &board), None);
        assert_eq!(offer(&image(&[]), &board), None);
    }
}
