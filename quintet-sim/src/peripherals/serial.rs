//! The common part of UARTs: a transmitter that takes time for each byte, and a wire on which bytes
//! come in.
//!
//! ```text
//!  program ── write ──> waiting (FIFO or buffer) ── shifting, one frame each ──> sent
//!  script ── send ──> incoming ── one frame each ──> the device's receive FIFO
//! ```
//! A frame of 0 cycles means that no baud rate is set: bytes then pass at once, as in emulators
//! without time.

use std::collections::VecDeque;

/// The sending half. Bytes are in the log from the moment that the device accepts them.
#[derive(Clone, Debug, Default)]
pub struct Transmitter {
    waiting: u32,
    shifting_until: Option<u64>,
    frame: u64,
    sent: Vec<u8>,
}

impl Transmitter {
    /// Sends `byte`. Up to `capacity` bytes can wait behind the byte in the shifter, and a frame
    /// takes `frame` cycles. Returns `false` if there is no room, and a chip would lose the byte.
    ///
    /// The log keeps the byte even so. Programs for emulators without time never check for room,
    /// and their output is worth more than a realistic loss. The device's flags still show the
    /// loss.
    pub fn send(&mut self, byte: u8, capacity: u32, frame: u64, cycle: u64) -> bool {
        self.sent.push(byte);
        if frame == 0 {
            self.waiting = 0;
            self.shifting_until = None;
        } else if self.shifting_until.is_none() {
            self.frame = frame;
            self.shifting_until = Some(cycle.saturating_add(frame));
        } else if self.waiting < capacity {
            self.waiting += 1;
        } else {
            return false;
        }
        true
    }

    /// Lets time pass, and says whether a byte left the waiting ones, or the last one left the
    /// shifter.
    pub fn advance(&mut self, cycle: u64) -> bool {
        let mut moved = false;
        while let Some(end) = self.shifting_until.filter(|end| *end <= cycle) {
            moved = true;
            if self.waiting == 0 {
                self.shifting_until = None;
            } else {
                self.waiting -= 1;
                self.shifting_until = Some(end.saturating_add(self.frame));
            }
        }
        moved
    }

    /// Returns how many bytes wait behind the byte in the shifter.
    pub fn waiting(&self) -> u32 {
        self.waiting
    }

    /// Returns `true` if a byte is being shifted out.
    pub fn is_busy(&self) -> bool {
        self.shifting_until.is_some()
    }

    /// When the next byte is out.
    pub fn next_event(&self) -> u64 {
        self.shifting_until.unwrap_or(u64::MAX)
    }

    /// Takes the log.
    pub fn take_sent(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.sent)
    }

    /// Returns the transmitter after a reset. Bytes on their way are dropped, the log stays.
    #[must_use]
    pub fn reset(&mut self) -> Self {
        Self { sent: self.take_sent(), ..Self::default() }
    }
}

/// The incoming wire. Bytes wait at its other end until the receiver is on. Then they come one
/// frame apart, even if the device has no room for them.
#[derive(Clone, Debug, Default)]
pub struct Wire {
    incoming: VecDeque<u8>,
    /// When the first one has arrived completely.
    arrival: Option<u64>,
}

impl Wire {
    /// Puts a byte at the far end.
    pub fn queue(&mut self, byte: u8) {
        self.incoming.push_back(byte);
    }

    /// Starts the first byte's frame if the receiver is on and none is under way.
    pub fn listen(&mut self, enabled: bool, frame: u64, cycle: u64) {
        if !enabled {
            self.arrival = None;
        } else if self.arrival.is_none() && !self.incoming.is_empty() {
            self.arrival = Some(cycle.saturating_add(frame));
        }
    }

    /// Returns the next byte that has arrived by `cycle`, with its cycle. Without a baud rate, a
    /// byte comes only when there is room.
    pub fn arrive(&mut self, cycle: u64, frame: u64, room: bool) -> Option<(u8, u64)> {
        let at = self.arrival.filter(|at| *at <= cycle && (frame > 0 || room))?;
        let byte = self.incoming.pop_front()?;
        self.arrival = if self.incoming.is_empty() { None } else { Some(at.saturating_add(frame)) };
        Some((byte, at))
    }

    /// When the next byte has arrived, given whether there is room for one.
    pub fn next_event(&self, frame: u64, room: bool) -> u64 {
        if frame > 0 || room { self.arrival.unwrap_or(u64::MAX) } else { u64::MAX }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_byte_takes_its_frame() {
        let mut transmitter = Transmitter::default();
        assert!(transmitter.send(b'a', 1, 100, 0));
        assert!(transmitter.send(b'b', 1, 100, 10));
        assert!(!transmitter.send(b'c', 1, 100, 20), "no room");
        assert!(!transmitter.advance(99));
        assert!(transmitter.advance(100));
        assert_eq!((transmitter.waiting(), transmitter.is_busy()), (0, true));
        assert!(transmitter.advance(200));
        assert!(!transmitter.is_busy());
        assert_eq!(transmitter.take_sent(), b"abc", "the log has what a chip would lose");
    }

    #[test]
    fn without_a_baud_rate_bytes_pass_at_once() {
        let mut transmitter = Transmitter::default();
        for byte in 0..100 {
            assert!(transmitter.send(byte, 1, 0, 0));
        }
        assert!(!transmitter.is_busy());
    }

    #[test]
    fn bytes_arrive_one_frame_apart() {
        let mut wire = Wire::default();
        wire.queue(1);
        wire.queue(2);
        wire.listen(false, 10, 5);
        assert_eq!(wire.next_event(10, true), u64::MAX);
        wire.listen(true, 10, 50);
        assert_eq!(wire.next_event(10, true), 60);
        assert_eq!(wire.arrive(59, 10, true), None);
        assert_eq!(wire.arrive(75, 10, false), Some((1, 60)));
        assert_eq!(wire.arrive(75, 10, true), Some((2, 70)));
        assert_eq!(wire.next_event(10, true), u64::MAX);
    }

    #[test]
    fn without_a_baud_rate_bytes_wait_for_room() {
        let mut wire = Wire::default();
        wire.queue(7);
        wire.listen(true, 0, 5);
        assert_eq!(wire.arrive(9, 0, false), None);
        assert_eq!(wire.arrive(9, 0, true), Some((7, 5)));
    }
}
