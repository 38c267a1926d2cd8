//! Values that a function keeps on its stack, where they matter: those of masks.

use super::values::Value;

/// Places below the stack pointer at the entry, with what they hold. Each is a word, or a byte.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Slots(Vec<(i32, u32, Value)>);

impl Slots {
    /// What a place holds that was written with that many bytes.
    pub fn at(&self, place: i32, bytes: u32) -> Option<Value> {
        let is_there = |slot: &&(i32, u32, Value)| (slot.0, slot.1) == (place, bytes);
        self.0.iter().find(is_there).map(|slot| slot.2)
    }

    /// A place is written.
    pub fn write(&mut self, place: i32, bytes: u32, value: Value) {
        let (from, to) = (i64::from(place), i64::from(place) + i64::from(bytes));
        let is_apart = |slot: &(i32, u32, Value)| {
            let begin = i64::from(slot.0);
            begin + i64::from(slot.1) <= from || begin >= to
        };
        self.0.retain(is_apart);
        if matches!(value, Value::Saved(_)) {
            let at = self.0.partition_point(|slot| slot.0 < place);
            self.0.insert(at, (place, bytes, value));
        }
    }

    /// Keeps what holds on both of two paths.
    pub fn join(&mut self, other: &Self) {
        self.0.retain(|slot| other.0.contains(slot));
    }

    /// Changes all values, or forgets them.
    pub fn change(&mut self, change: impl Fn(Value) -> Value) {
        self.0.iter_mut().for_each(|slot| slot.2 = change(slot.2));
        self.0.retain(|slot| matches!(slot.2, Value::Saved(_)));
    }
}
