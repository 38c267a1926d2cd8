//! Lines of the process console: whatever comes, and whenever it is served, no part of a line is
//! taken for a command.

use super::{Arrived, INPUT_MAX, Input, LINE_MAX, Line, Unreadable, text};

/// What `serve` makes of the bytes that wait.
fn serve(input: &Input, line: &Line) -> Vec<Result<String, Unreadable>> {
    let mut all = vec![];
    while let Some(arrived) = input.pop() {
        match arrived {
            Arrived::Byte(byte) => {
                line.push(byte);
                continue;
            }
            Arrived::End => {
                let bytes = std::array::from_fn(|index| line.byte(index));
                all.push(text(&bytes, line.count()).map(ToOwned::to_owned));
            }
            Arrived::Lost => all.push(Err(Unreadable::Lost)),
        }
        line.clear();
    }
    all
}

/// The lines of bytes that are served one by one.
fn lines(bytes: &[u8]) -> Vec<Result<String, Unreadable>> {
    let (input, line) = (Input::new(), Line::new());
    let each = bytes.iter().flat_map(|byte| {
        input.push(*byte);
        serve(&input, &line)
    });
    each.collect()
}

/// The lines of bytes that all come before they are served.
fn lines_at_once(bytes: &[u8]) -> Vec<Result<String, Unreadable>> {
    let (input, line) = (Input::new(), Line::new());
    for byte in bytes {
        input.push(*byte);
    }
    serve(&input, &line)
}

fn ok(text: &str) -> Result<String, Unreadable> {
    Ok(text.to_owned())
}

#[test]
fn lines_end_by_each_of_the_three_ends_once() {
    let texts: Vec<_> = lines(b"a\rb\nc\r\n\nd").into_iter().map(Result::unwrap).collect();
    assert_eq!(texts, ["a", "b", "c", ""]);
    assert_eq!(lines(b"a\r\0b\r\n"), [ok("a"), ok("b")]);
}

#[test]
fn bytes_are_taken_back_as_far_as_there_are_any() {
    assert_eq!(lines(b"\x08ax\x08b\x7f\x7f\x7fc\t\n"), [ok("c\t")]);
    // Those beyond the room too.
    let mut bytes = vec![b'x'; LINE_MAX + 2];
    bytes.extend(b"\x7f\x7f\x7fy\n");
    assert_eq!(lines(&bytes), [Ok("x".repeat(LINE_MAX - 1) + "y")]);
    assert_eq!(lines(b"\xc3\xa9\x08\n"), [Err(Unreadable::NoText)]);
}

#[test]
fn a_line_with_noise_in_it_is_refused_as_a_whole() {
    for noise in (0..0x20).filter(|byte| !b"\x08\t\n\r".contains(byte)).chain(0x80..=0xff) {
        let line = [b"terminate 1", &[noise][..], b"0\nlist\n"].concat();
        assert_eq!(lines(&line), [Err(Unreadable::NoText), ok("list")], "{noise:#x}");
    }
}

#[test]
fn a_line_that_is_too_long_is_refused_as_a_whole_and_the_next_one_is_read() {
    for served in [lines, lines_at_once] {
        let mut bytes = vec![b'x'; LINE_MAX];
        bytes.extend(b"\n");
        assert_eq!(served(&bytes), [Ok("x".repeat(LINE_MAX))]);
    }
    let mut bytes = vec![b'y'; LINE_MAX + 1];
    bytes.extend(b"\nlist\n");
    assert_eq!(lines(&bytes), [Err(Unreadable::TooLong), ok("list")]);
    // Its end had no room, but the line behind it has.
    assert_eq!(lines_at_once(&bytes), [Err(Unreadable::Lost), ok("list")]);
}

/// Whatever comes before it, whatever its ends are, and however much is served in between: a line
/// is read as it was written, or not at all.
#[test]
fn no_part_of_a_line_is_ever_read() {
    for before in 0..2 * INPUT_MAX {
        for served in 0..before + 14 {
            for end in ["\n", "\r", "\r\n"] {
                let written = "\n".repeat(before) + "terminate 10" + end + "stop 12" + end;
                let (input, line) = (Input::new(), Line::new());
                let mut read = vec![];
                for (index, byte) in written.bytes().enumerate() {
                    input.push(byte);
                    if index == served {
                        read.extend(serve(&input, &line));
                    }
                }
                read.extend(serve(&input, &line));
                read.retain(|read| *read != ok(""));
                let has_lost = read.contains(&Err(Unreadable::Lost));
                read.retain(|read| *read != Err(Unreadable::Lost));
                let whole = [ok("terminate 10"), ok("stop 12")];
                assert!(read.iter().all(|line| whole.contains(line)), "{before} {read:?}");
                assert!(has_lost || read == whole, "{before}, {served}: {read:?}");
            }
        }
    }
}

#[test]
fn one_mark_stands_for_all_lines_that_were_lost_one_behind_the_other() {
    let (input, line) = (Input::new(), Line::new());
    for byte in "a\n".bytes().chain([b'x'; 3 * INPUT_MAX]).chain("\nmore".bytes()) {
        input.push(byte);
    }
    input.lose();
    for byte in "\nlist\n".bytes() {
        input.push(byte);
    }
    assert_eq!(serve(&input, &line), [ok("a"), Err(Unreadable::Lost), ok("list")]);
    // A line whose beginning was served already is lost too.
    for byte in "termi".bytes() {
        input.push(byte);
    }
    assert_eq!(serve(&input, &line), []);
    input.lose();
    for byte in "nate 1\nlist\n".bytes() {
        input.push(byte);
    }
    assert_eq!(serve(&input, &line), [Err(Unreadable::Lost), ok("list")]);
}
