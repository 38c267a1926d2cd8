//! Messages on a stream, as the protocol frames them.
//!
//! ```text
//!  Content-Length: 57\r\n
//!  \r\n
//!  {"seq":1,"type":"request","command":"initialize", ..}      57 bytes
//! ```
//! A header that makes no sense ends the connection, because nobody knows where the next message
//! begins. A body that makes no sense is skipped.

use std::io::{BufRead, Error, ErrorKind, Write};

use serde_json::Value;

/// No message is longer, in bytes.
pub const MESSAGE_MAX: usize = 16 << 20;

/// No header has a longer line, nor more lines.
const LINE_MAX: usize = 256;
const LINES_MAX: usize = 16;

/// A message, or what came in place of one.
#[derive(Debug)]
pub enum Incoming {
    /// A message.
    Message(Value),
    /// A body that is no JSON: why.
    Broken(String),
    /// The stream has ended, or can't be understood any more: why, if nobody closed it.
    End(Option<String>),
}

/// Reads the next message.
pub fn read(stream: &mut impl BufRead) -> Incoming {
    let length = match header(stream) {
        Ok(Some(length)) => length,
        Ok(None) => return Incoming::End(None),
        Err(error) => return Incoming::End(Some(error.to_string())),
    };
    let mut body = vec![0; length];
    if let Err(error) = stream.read_exact(&mut body) {
        let problem = match error.kind() {
            ErrorKind::UnexpectedEof => {
                format!("it ended within a message of {length} bytes")
            }
            _ => error.to_string(),
        };
        return Incoming::End(Some(problem));
    }
    match serde_json::from_slice(&body) {
        Ok(message) => Incoming::Message(message),
        Err(error) => Incoming::Broken(error.to_string()),
    }
}

/// Reads a header. Returns the length of the body; `None` where the stream has ended before it.
fn header(stream: &mut impl BufRead) -> Result<Option<usize>, Error> {
    let mut length = None;
    for number in 0..LINES_MAX {
        let mut line = Vec::new();
        let count =
            std::io::Read::take(&mut *stream, LINE_MAX as u64).read_until(b'\n', &mut line)?;
        if count == 0 && number == 0 {
            return Ok(None);
        }
        let text = String::from_utf8_lossy(&line);
        let text = text.trim_end();
        if !line.ends_with(b"\n") {
            return Err(wrong(&format!("its header has the line \"{}\"", text.escape_debug())));
        }
        if text.is_empty() {
            let none = || wrong("a header of it has no Content-Length");
            return length.ok_or_else(none).map(Some);
        }
        let Some((name, value)) = text.split_once(':') else {
            return Err(wrong(&format!("its header has the line \"{}\"", text.escape_debug())));
        };
        if name.eq_ignore_ascii_case("content-length") {
            let number = value.trim().parse::<usize>().ok().filter(|number| *number <= MESSAGE_MAX);
            let none =
                || wrong(&format!("its Content-Length is \"{}\"", value.trim().escape_debug()));
            length = Some(number.ok_or_else(none)?);
        }
    }
    Err(wrong("a header of it has no end"))
}

fn wrong(problem: &str) -> Error {
    let why = format!("it doesn't speak the debug adapter protocol: {problem}");
    Error::new(ErrorKind::InvalidData, why)
}

/// Writes a message.
pub fn write(stream: &mut dyn Write, message: &Value) -> Result<(), Error> {
    let body = message.to_string();
    write!(stream, "Content-Length: {}\r\n\r\n{body}", body.len())?;
    stream.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends(bytes: &[u8]) -> Option<String> {
        match read(&mut &*bytes) {
            Incoming::End(why) => why,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn messages_follow_each_other() {
        let mut written = Vec::new();
        write(&mut written, &serde_json::json!({ "seq": 1 })).unwrap();
        written.extend(b"content-length:3\r\nContent-Type: x\r\n\r\n{x}");
        write(&mut written, &serde_json::json!({ "seq": 2 })).unwrap();
        let mut stream = &written[..];
        assert!(matches!(read(&mut stream), Incoming::Message(one) if one["seq"] == 1));
        assert!(matches!(read(&mut stream), Incoming::Broken(_)), "{{x}} is skipped");
        assert!(matches!(read(&mut stream), Incoming::Message(one) if one["seq"] == 2));
        assert!(matches!(read(&mut stream), Incoming::End(None)));
    }

    #[test]
    fn nonsense_ends_the_connection_with_a_reason() {
        for (bytes, part) in [
            (&b"GET / HTTP/1.1\r\n\r\n"[..], "\"GET / HTTP/1.1\""),
            (b"Content-Length: -1\r\n\r\n{}", "its Content-Length is \"-1\""),
            (b"Content-Length: 99999999999\r\n\r\n{}", "its Content-Length is \"99999999999\""),
            (b"Content-Type: x\r\n\r\n{}", "no Content-Length"),
            (b"Content-Length: 20\r\n\r\n{}", "ended within a message of 20 bytes"),
            (&[b'x'; 4000], "its header has the line"),
            (&b"a: b\r\n".repeat(40), "has no end"),
        ] {
            let why = ends(bytes).unwrap_or_default();
            assert!(why.contains(part), "{why}");
        }
    }
}
