//! The connection to GDB, which passes on only whole packets with a correct checksum.
//!
//! ```text
//!  $m20000000,4#5b   handed on as it is
//!  $m20000000,4#00   answered by `-`: GDB sends it again
//!  $vCont;t#bd       answered by an error, if the stub could not take it
//!  -                 the last answer is sent again
//!  GET / HTTP/1.1    no GDB: an error, which ends the connection and not the machine
//! ```
//! Anybody on this computer can connect to the port. While one peer is attached, others are turned
//! away.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::io::{Error, ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::rc::Rc;
use std::time::Duration;

use super::packets::{self, Sorted};
use crate::output;

/// The longest packet, as GDB is told. The stub's buffer has the same size.
pub const PACKET_MAX: usize = 4096;

/// The time for which a read waits before it checks for another peer that wants to connect.
const PATIENCE: Duration = Duration::from_millis(100);

/// The time for which a peer may leave answers unread.
const DEAFNESS: Duration = Duration::from_secs(10);

/// The most bytes of a packet, or of other input, that a message shows.
const SHOWN_MAX: usize = 32;

/// The port, with the peers that have connected but aren't served yet.
pub struct Door {
    listener: TcpListener,
    next: Option<TcpStream>,
}

impl Door {
    /// A door at the port.
    pub fn new(listener: TcpListener) -> Self {
        Self { listener, next: None }
    }

    /// The port.
    pub fn listener(&self) -> &TcpListener {
        &self.listener
    }

    /// Waits for a peer.
    pub fn wait(&mut self) -> Result<TcpStream, Error> {
        if let Some(stream) = self.next.take() {
            return Ok(stream);
        }
        self.listener.set_nonblocking(false)?;
        Ok(self.listener.accept()?.0)
    }

    /// Turns away peers that come while `served` is attached. If `served` has left, they are next.
    fn turn_away(&mut self, served: &TcpStream) -> Result<(), Error> {
        self.listener.set_nonblocking(true)?;
        let Ok((stream, _)) = self.listener.accept() else { return Ok(()) };
        if has_left(served)? && self.next.is_none() {
            self.next = Some(stream);
        } else {
            output::complain("another connection was refused, as GDB is attached already");
        }
        Ok(())
    }
}

/// Returns `true` if the peer has closed the connection.
fn has_left(stream: &TcpStream) -> Result<bool, Error> {
    stream.set_nonblocking(true)?;
    match stream.peek(&mut [0]) {
        Ok(count) => Ok(count == 0),
        Err(error) => Ok(error.kind() != ErrorKind::WouldBlock),
    }
}

/// A peer that is served.
pub struct Connection {
    stream: TcpStream,
    door: Rc<RefCell<Door>>,
    incoming: VecDeque<u8>,
    /// Bytes of whole packets, to be handed on.
    ready: VecDeque<u8>,
    /// The bytes written since the last packet that was passed on.
    answer: Vec<u8>,
    /// The number of these bytes that were sent.
    sent: usize,
    acknowledges: bool,
    packet: Rc<RefCell<Vec<u8>>>,
}

impl Connection {
    /// Serves a peer that came through the door. `packet` has the last packet handed on.
    pub fn new(
        stream: TcpStream,
        door: Rc<RefCell<Door>>,
        packet: Rc<RefCell<Vec<u8>>>,
    ) -> Result<Self, Error> {
        stream.set_nonblocking(false)?;
        stream.set_nodelay(true)?;
        stream.set_write_timeout(Some(DEAFNESS))?;
        Ok(Self {
            stream,
            door,
            incoming: VecDeque::new(),
            ready: VecDeque::new(),
            answer: Vec::new(),
            sent: 0,
            acknowledges: true,
            packet,
        })
    }

    /// Sends the written bytes.
    fn send(&mut self) -> Result<(), Error> {
        if self.sent < self.answer.len() {
            self.stream.set_nonblocking(false)?;
            self.stream.write_all(&self.answer[self.sent..])?;
            self.sent = self.answer.len();
        }
        Ok(())
    }

    /// Takes the bytes that have come. Waits for a while if `waits`.
    fn receive(&mut self, waits: bool) -> Result<(), Error> {
        self.send()?;
        while self.sort()? {}
        if !self.ready.is_empty() {
            return Ok(());
        }
        self.door.borrow_mut().turn_away(&self.stream)?;
        self.stream.set_nonblocking(!waits)?;
        self.stream.set_read_timeout(Some(PATIENCE))?;
        let mut buffer = [0; PACKET_MAX];
        match self.stream.read(&mut buffer) {
            Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
            Ok(count) => self.incoming.extend(&buffer[..count]),
            Err(error) if is_patience(&error) => return Ok(()),
            Err(error) => return Err(error),
        }
        while self.sort()? {}
        Ok(())
    }

    /// Handles the next piece of the received bytes. Returns `true` if there was a whole piece.
    fn sort(&mut self) -> Result<bool, Error> {
        match self.incoming.front() {
            None => return Ok(false),
            // TCP takes care that answers arrive.
            Some(b'+') => drop(self.incoming.pop_front()),
            Some(b'-') => {
                self.incoming.pop_front();
                self.sent = 0;
                self.send()?;
            }
            Some(0x03) => self.ready.extend(self.incoming.pop_front()),
            Some(b'$') => return self.sort_packet(),
            Some(_) => return Err(foreign(&mut self.incoming)),
        }
        Ok(true)
    }

    fn sort_packet(&mut self) -> Result<bool, Error> {
        let end = self.incoming.iter().position(|byte| *byte == b'#').map(|at| at + 3);
        if end.unwrap_or(self.incoming.len()) > PACKET_MAX {
            let problem = format!("a packet of it has more than {PACKET_MAX} bytes");
            return Err(Error::new(ErrorKind::InvalidData, problem));
        }
        let Some(end) = end.filter(|end| *end <= self.incoming.len()) else { return Ok(false) };
        let packet: Vec<u8> = self.incoming.drain(..end).collect();
        if is_whole(&packet) {
            let body = &packet[1..packet.len() - 3];
            self.acknowledges &= body != b"QStartNoAckMode";
            self.packet.replace(body.to_vec());
            (self.answer, self.sent) = (Vec::new(), 0);
            match packets::sort(body) {
                Sorted::AsItIs => self.ready.extend(packet),
                Sorted::Instead(content) => self.ready.extend(framed(&content)),
                Sorted::Refused => {
                    let acknowledged: &[u8] = if self.acknowledges { b"+" } else { b"" };
                    self.answer = [acknowledged, packets::REFUSED].concat();
                    self.send()?;
                }
            }
        } else if self.acknowledges {
            self.stream.set_nonblocking(false)?;
            self.stream.write_all(b"-")?;
        } else {
            let problem = format!("the checksum of its packet {} is wrong", shown(&packet));
            return Err(Error::new(ErrorKind::InvalidData, problem));
        }
        Ok(true)
    }
}

/// A packet around its content.
fn framed(content: &[u8]) -> Vec<u8> {
    let sum = content.iter().fold(0_u8, |sum, byte| sum.wrapping_add(*byte));
    [b"$", content, format!("#{sum:02x}").as_bytes()].concat()
}

/// Returns `true` if a read that waited has found nothing.
fn is_patience(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted)
}

/// Returns `true` if the two digits behind a packet are the sum of its bytes.
fn is_whole(packet: &[u8]) -> bool {
    let [b'$', body @ .., b'#', high, low] = packet else { return false };
    let sum = body.iter().fold(0_u8, |sum, byte| sum.wrapping_add(*byte));
    let digit = |byte: &u8| char::from(*byte).to_digit(16);
    digit(high).zip(digit(low)) == Some((u32::from(sum >> 4), u32::from(sum & 15)))
}

/// Returns the error for a peer that doesn't speak the protocol, with its bytes.
fn foreign(incoming: &mut VecDeque<u8>) -> Error {
    let problem =
        format!("it isn't GDB's protocol, but begins with {}", shown(incoming.make_contiguous()));
    Error::new(ErrorKind::InvalidData, problem)
}

/// The beginning of bytes, for people.
pub fn shown(bytes: &[u8]) -> String {
    let more = if bytes.len() > SHOWN_MAX { ".." } else { "" };
    format!("\"{}{more}\"", bytes[..bytes.len().min(SHOWN_MAX)].escape_ascii())
}

impl gdbstub::conn::Connection for Connection {
    type Error = Error;

    fn write(&mut self, byte: u8) -> Result<(), Error> {
        self.answer.push(byte);
        Ok(())
    }

    fn write_all(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.answer.extend(bytes);
        Ok(())
    }

    fn flush(&mut self) -> Result<(), Error> {
        self.send()
    }
}

impl gdbstub::conn::ConnectionExt for Connection {
    fn read(&mut self) -> Result<u8, Error> {
        loop {
            if let Some(byte) = self.ready.pop_front() {
                return Ok(byte);
            }
            self.receive(true)?;
        }
    }

    fn peek(&mut self) -> Result<Option<u8>, Error> {
        if self.ready.is_empty() {
            self.receive(false)?;
        }
        Ok(self.ready.front().copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksums_are_two_digits_of_the_sum() {
        assert!(
            is_whole(b"$g#67") && is_whole(b"$#00") && is_whole(b"$mz#E7") && is_whole(b"$mz#e7")
        );
        for broken in [&b"$g#68"[..], b"$g#zz", b"g#67", b"$g67", b"$#0", b"#00", b""] {
            assert!(!is_whole(broken), "{}", shown(broken));
        }
    }

    #[test]
    fn bytes_are_shown_in_part() {
        assert_eq!(shown(b"GET / HTTP/1.1\r\n"), r#""GET / HTTP/1.1\r\n""#);
        assert_eq!(shown(&[b'a'; 40]), format!("\"{}..\"", "a".repeat(32)));
    }
}
