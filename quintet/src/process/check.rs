//! The checks of the list of drivers, with their messages: at compile time where possible, and
//! otherwise at the start.

use ::core::str;

use super::driver::Entry;

/// The size of a message, in bytes. What is longer ends there.
const TEXT_MAX: usize = 256;

/// A message that is put together at compile time.
struct Text {
    bytes: [u8; TEXT_MAX],
    size: usize,
}

impl Text {
    const fn new() -> Self {
        Self { bytes: [0; TEXT_MAX], size: 0 }
    }

    const fn with(mut self, text: &str) -> Self {
        let (bytes, mut index) = (text.as_bytes(), 0);
        while index < bytes.len() && self.size < TEXT_MAX {
            // A character that was cut in two would make the whole unreadable.
            self.bytes[self.size] = if bytes[index].is_ascii() { bytes[index] } else { b'?' };
            self.size += 1;
            index += 1;
        }
        self
    }

    /// Adds the last digits of a number, as many as `digits`.
    const fn with_number(mut self, number: usize, base: usize, digits: usize) -> Self {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let mut left = digits;
        while left > 0 && self.size < TEXT_MAX {
            left -= 1;
            let digit = number / base.pow(left as u32) % base;
            self.bytes[self.size] = DIGITS[digit];
            self.size += 1;
        }
        self
    }

    const fn with_count(self, number: usize) -> Self {
        let digits = if number == 0 { 1 } else { number.ilog10() as usize + 1 };
        self.with_number(number, 10, digits)
    }

    const fn panic(&self) -> ! {
        match str::from_utf8(self.bytes.split_at(self.size).0) {
            Ok(text) => panic!("{}", text),
            Err(_) => panic!("one of `drivers` can't be used"),
        }
    }
}

/// Refuses two drivers with the same number: no call would ever reach the later one.
pub const fn refuse_twins(table: &[Entry]) {
    let mut later = 1;
    while later < table.len() {
        let mut earlier = 0;
        while earlier < later {
            if table[earlier].number == table[later].number {
                let text = Text::new().with("two of `drivers` have the number 0x");
                let text = text.with_number(table[later].number as usize, 16, 8);
                text.with(
                    ", so no call would reach the later one: leave one of them out, or give it \
                     another `NUMBER`",
                )
                .panic();
            }
            earlier += 1;
        }
        later += 1;
    }
}

/// Refuses drivers that say that they have places for fewer than `count` processes: a call of
/// another process would find no place.
pub const fn refuse_few_places(table: &[Entry], count: usize) {
    let mut index = 0;
    while index < table.len() {
        let Entry { places, name, .. } = table[index];
        if places < count {
            let text = Text::new().with("the driver `").with(name).with("` has places for ");
            let text = text.with_count(places).with(" of the ").with_count(count);
            text.with(
                " processes that `count` allows: give it as many places, as in `Alarm<4>` with \
                 `count = 4`",
            )
            .panic();
        }
        index += 1;
    }
}

/// Refuses the same drivers at the start, by the slots that they return: drivers that keep the
/// default of `PLACES`.
pub fn refuse_few_slots(table: &'static [Entry], count: usize) {
    for entry in table {
        let (name, places) = (entry.name, entry.slots(0).places);
        assert!(
            places >= count,
            "the driver `{name}` has places for {places} of the {count} processes that `count` \
             allows: give its `Clients` as many places, as in `Clients<4, ..>` with `count = 4`"
        );
    }
}
