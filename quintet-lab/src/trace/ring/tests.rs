//! Rings as they come in dumps, whole and damaged.

use super::*;

fn ring(capacity: u32, written: u32, events: &[(u32, u32)]) -> Vec<u8> {
    let mut bytes = b"QREC\x01\x08\0\0".to_vec();
    bytes.extend(capacity.to_le_bytes());
    bytes.extend(written.to_le_bytes());
    for (time, what) in events {
        bytes.extend(time.to_le_bytes());
        bytes.extend(what.to_le_bytes());
    }
    bytes
}

#[test]
fn events_come_in_their_order_from_anywhere_in_a_dump() {
    let events = [(5, 0x0100_0002), (0xffff_fff0, 0x0300_0010), (0xffff_fff8, 0x0500_1234), (2, 0)];
    let mut dump = b"something QREC else".to_vec();
    dump.extend(ring(4, 7, &events));
    dump.extend(b"and more");
    let read = Dump::read(&dump).unwrap();
    let cycles: Vec<_> = read.events.iter().map(|event| event.cycle).collect();
    assert_eq!(cycles, [2, 5, 0xffff_fff0, 0xffff_fff8]);
    let kinds: Vec<_> = read.events.iter().map(|event| (event.kind, event.about)).collect();
    let expected = [
        (Kind::Other, 0),
        (Kind::JobBegins, 2),
        (Kind::HandlerBegins, 16),
        (Kind::Switched, 0x1234),
    ];
    assert_eq!(kinds, expected);
    let few = Dump::read(&ring(4, 1, &events)).unwrap();
    assert_eq!((few.written, few.events.len()), (1, 1));
}

#[test]
fn a_counter_that_begins_anew_goes_on() {
    let events = [(0xffff_fff0, 0), (0x10, 0), (0x20, 0), (0, 0)];
    let read = Dump::read(&ring(4, 3, &events)).unwrap();
    let cycles: Vec<_> = read.events.iter().map(|event| event.cycle).collect();
    assert_eq!(cycles, [0xffff_fff0, 0x1_0000_0010, 0x1_0000_0020]);
}

#[test]
fn what_is_no_ring_is_told() {
    let said = |bytes: &[u8]| Dump::read(bytes).unwrap_err().to_string();
    assert!(said(b"nothing").contains("is the feature `recorder` of quintet on"));
    assert!(said(b"QREC\x01").contains("ends within the head"));
    let mut newer = ring(4, 0, &[(0, 0); 4]);
    newer[4] = 2;
    assert!(said(&newer).contains("the version 2 with events of 8 bytes"), "{}", said(&newer));
    assert!(said(&ring(3, 0, &[(0, 0); 3])).contains("holds 3 events, which no ring does"));
    let cut = said(&ring(4, 0, &[(0, 0); 3]));
    assert!(cut.contains("it has 40 of its 48 bytes"), "{cut}");
}
