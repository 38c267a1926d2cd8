//! Packets that the stub must not see as they are: it trusts that a peer keeps to what was offered.
//!
//! ```text
//!  mffffffff,10        reads up to the end of the address space, and no more than an answer holds
//!  M20000000,4:0102    refused: it announces 4 bytes and has 2
//!  vCont;t             refused: stopping was not offered
//!  s, vCont;s          becomes vCont;s:1, as the stub steps no unnamed thread
//! ```
//! A refused packet is answered by an error, and the session goes on.

use super::connection::PACKET_MAX;

/// The error for a packet that makes no sense: EINVAL.
pub const REFUSED: &[u8] = b"$E22#a9";

/// The most bytes that an answer holds, as digits.
const ANSWER_MAX: u64 = (PACKET_MAX / 2 - 8) as u64;

/// A step of the processor: whichever thread it is that runs.
const STEP: &[u8] = b"vCont;s:1";

/// One more than the last address.
const SPACE: u64 = 1 << 32;

/// What becomes of a packet.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Sorted {
    /// It is handed on.
    AsItIs,
    /// This content is handed on in its place.
    Instead(Vec<u8>),
    /// It is answered by [`REFUSED`].
    Refused,
}

/// Looks at the content of a packet.
pub fn sort(content: &[u8]) -> Sorted {
    match content {
        [b'm', place @ ..] => read(place),
        [b'M', rest @ ..] => written(rest, |data| {
            let is_digits = data.iter().all(u8::is_ascii_hexdigit) && data.len() % 2 == 0;
            is_digits.then_some(data.len() / 2)
        }),
        [b'X', rest @ ..] => written(rest, unescaped),
        [b's', ..] => Sorted::Instead(STEP.to_vec()),
        [b'v', b'C', b'o', b'n', b't', rest @ ..] if rest != b"?" => resumed(rest),
        _ => Sorted::AsItIs,
    }
}

fn read(place: &[u8]) -> Sorted {
    let Some((address, length)) = range(place) else { return Sorted::Refused };
    let possible = length.min(ANSWER_MAX).min(SPACE - address);
    if possible == length {
        return Sorted::AsItIs;
    }
    Sorted::Instead(format!("m{address:x},{possible:x}").into_bytes())
}

/// A write has as many bytes as it announces, and they end with the address space.
fn written(rest: &[u8], count: impl Fn(&[u8]) -> Option<usize>) -> Sorted {
    let colon = rest.iter().position(|byte| *byte == b':');
    let fits = colon.and_then(|colon| {
        let (address, length) = range(&rest[..colon])?;
        let has = count(&rest[colon + 1..])? as u64;
        Some(has == length && address + length <= SPACE)
    });
    if fits == Some(true) { Sorted::AsItIs } else { Sorted::Refused }
}

/// The number of bytes that binary data stands for. `}` marks the byte behind it.
fn unescaped(data: &[u8]) -> Option<usize> {
    let mut count = 0;
    let mut bytes = data.iter();
    while let Some(byte) = bytes.next() {
        if *byte == b'}' {
            bytes.next()?;
        }
        count += 1;
    }
    Some(count)
}

/// The address and the length of `ADDRESS,LENGTH`.
fn range(text: &[u8]) -> Option<(u64, u64)> {
    let comma = text.iter().position(|byte| *byte == b',')?;
    Some((number(&text[..comma])?, number(&text[comma + 1..])?))
}

/// A hexadecimal number of 32 bits.
fn number(digits: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(digits).ok().filter(|text| !text.starts_with('+'))?;
    u32::from_str_radix(text, 16).ok().map(u64::from)
}

/// `vCont` with its actions: continue and step, with a signal or without, of the one thread or all.
fn resumed(actions: &[u8]) -> Sorted {
    let Some(actions) = actions.strip_prefix(b";") else { return Sorted::Refused };
    let is_offered = |action: &[u8]| {
        let colon = action.iter().position(|byte| *byte == b':');
        let (verb, thread) = action.split_at(colon.unwrap_or(action.len()));
        let verb = match verb {
            b"c" | b"s" => true,
            [b'C' | b'S', signal @ ..] => signal.len() == 2 && number(signal).is_some(),
            _ => false,
        };
        verb && (thread.is_empty() || is_thread(&thread[1..]))
    };
    let mut each = actions.split(|byte| *byte == b';');
    if !each.clone().all(is_offered) {
        return Sorted::Refused;
    }
    let steps_all = each.any(|action| {
        let thread = action.iter().position(|byte| *byte == b':').map(|colon| &action[colon..]);
        matches!(action[0], b's' | b'S') && thread.is_none_or(|thread| thread.ends_with(b"-1"))
    });
    if steps_all { Sorted::Instead(STEP.to_vec()) } else { Sorted::AsItIs }
}

/// A thread's number, or one of a process's: `1`, `-1`, `p1.1`, `p1`.
fn is_thread(text: &[u8]) -> bool {
    let is_number = |text: &[u8]| text == b"-1" || text.len() <= 4 && number(text).is_some();
    match text.strip_prefix(b"p") {
        Some(both) => both.splitn(2, |byte| *byte == b'.').all(is_number),
        None => is_number(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_read_ends_with_the_address_space_and_the_answer() {
        let instead = |text: &str| Sorted::Instead(text.into());
        for (packet, sorted) in [
            ("m20000000,4", Sorted::AsItIs),
            ("m20000000,0", Sorted::AsItIs),
            ("mffffffff,1", Sorted::AsItIs),
            ("mffffffff,2", instead("mffffffff,1")),
            ("mfffffff0,ffffffff", instead("mfffffff0,10")),
            ("m20000000,ffffffff", instead("m20000000,7f8")),
            ("mS,4", Sorted::Refused),
            ("m100000000,4", Sorted::Refused),
            ("m20000000", Sorted::Refused),
            ("m+1,4", Sorted::Refused),
            ("m", Sorted::Refused),
        ] {
            assert_eq!(sort(packet.as_bytes()), sorted, "{packet}");
        }
    }

    #[test]
    fn a_write_has_what_it_announces() {
        for packet in
            [&b"M0,2:0102"[..], b"M0,0:", b"X0,0:", b"X0,2:ab", b"X0,2:}\x03b", b"Xfffffffe,2:ab"]
        {
            assert_eq!(sort(packet), Sorted::AsItIs, "{}", packet.escape_ascii());
        }
        for packet in [
            &b"M0,4:0102"[..],
            b"M0,1:0102",
            b"M0,1:01z2",
            b"M0,1:012",
            b"M0,1",
            b"Mffffffff,2:0102",
            b"X0,8:ab",
            b"X0,2:a}",
            b"X0,1:ab",
        ] {
            assert_eq!(sort(packet), Sorted::Refused, "{}", packet.escape_ascii());
        }
    }

    #[test]
    fn only_what_was_offered_goes_on() {
        for packet in
            ["vCont?", "vCont;c", "vCont;s:1;c", "vCont;C05:-1", "vCont;s:p1.1", "vCont;c:p1.-1"]
        {
            assert_eq!(sort(packet.as_bytes()), Sorted::AsItIs, "{packet}");
        }
        for packet in [
            "vCont",
            "vCont;",
            "vCont;t",
            "vCont;x",
            "vCont;r0,100000:1",
            "vCont;s:1;c:2;t:3",
            "vCont;s:8c93ac1158041970",
            "vCont;C",
            "vCont;s:",
        ] {
            assert_eq!(sort(packet.as_bytes()), Sorted::Refused, "{packet}");
        }
        for packet in ["s", "s8000", "vCont;s", "vCont;S05:-1", "vCont;s:p1.-1;c"] {
            let step = Sorted::Instead(STEP.to_vec());
            assert_eq!(sort(packet.as_bytes()), step, "{packet}");
        }
        assert_eq!(sort(b"g"), Sorted::AsItIs);
    }

    #[test]
    fn the_refusal_has_its_sum() {
        let sum = REFUSED[1..4].iter().fold(0_u8, |sum, byte| sum.wrapping_add(*byte));
        assert_eq!(&REFUSED[4..], format!("#{sum:02x}").as_bytes());
    }
}
