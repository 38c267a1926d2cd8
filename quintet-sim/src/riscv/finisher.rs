//! SiFive's test finisher: a register by which a program ends the machine, with a code.

/// The bytes of addresses that it takes.
pub const SPAN: u32 = 0x1000;

const PASS: u32 = 0x5555;
const FAIL: u32 = 0x3333;
const RESET: u32 = 0x7777;

/// What a write asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Request {
    /// The program has ended with this code.
    Exit(u32),
    /// The machine is to start anew.
    Reset,
}

/// Returns what the word asks for, if anything: the request is in its lower half, the code in its
/// upper.
pub fn request(word: u32) -> Option<Request> {
    match word & 0xffff {
        PASS => Some(Request::Exit(0)),
        FAIL => Some(Request::Exit(word >> 16)),
        RESET => Some(Request::Reset),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_a_request_with_a_code() {
        assert_eq!(request(0x5555), Some(Request::Exit(0)));
        assert_eq!(request(0x0007_3333), Some(Request::Exit(7)));
        assert_eq!(request(0x7777), Some(Request::Reset));
        assert_eq!(request(0), None);
    }
}
