//! Events that were put off, in the order of their arrival, up to a fixed number.

use core::fmt;

/// The error if there is no room to keep another event: the event is lost.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Full;

impl fmt::Display for Full {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(
            "the state machine keeps as many events as it can: give `deferred = ..` more, or put \
             off fewer",
        )
    }
}

impl ::core::error::Error for Full {}

/// The store of a machine that keeps no events.
#[derive(Debug)]
pub struct NeverKeeps;

/// Events that were put off.
#[derive(Debug)]
pub struct Kept<E, const N: usize> {
    events: [Option<E>; N],
    count: usize,
}

impl<E, const N: usize> Kept<E, N> {
    /// Returns an empty store.
    #[must_use]
    pub const fn new() -> Self {
        Self { events: [const { None }; N], count: 0 }
    }

    /// Returns the number of events.
    #[must_use]
    pub const fn count(&self) -> usize {
        self.count
    }

    /// Returns the event at a place.
    #[must_use]
    pub fn get(&self, place: usize) -> Option<&E> {
        self.events.get(place)?.as_ref()
    }

    /// Adds an event at a place, before the events from there on.
    ///
    /// # Errors
    /// If there are N events already.
    pub fn insert(&mut self, place: usize, event: E) -> Result<(), Full> {
        if self.count >= N {
            return Err(Full);
        }
        self.events[place..=self.count].rotate_right(1);
        self.events[place] = Some(event);
        self.count += 1;
        Ok(())
    }

    /// Adds an event at the end.
    ///
    /// # Errors
    /// If there are N events already.
    pub fn push(&mut self, event: E) -> Result<(), Full> {
        self.insert(self.count, event)
    }

    /// Takes the event at a place.
    pub fn remove(&mut self, place: usize) -> Option<E> {
        let event = self.events.get_mut(place)?.take()?;
        self.events[place..self.count].rotate_left(1);
        self.count -= 1;
        Some(event)
    }
}

impl<E, const N: usize> Default for Kept<E, N> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::{Full, Kept};

    /// Any order of insertions and removals, against a vector.
    #[test]
    fn events_are_where_a_vector_has_them() {
        let (mut kept, mut model) = (Kept::<u32, 4>::new(), Vec::new());
        let mut random = 1_u32;
        for event in 0..if cfg!(miri) { 100 } else { 10_000 } {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let place = (random >> 8) as usize % 6;
            if random >> 31 == 0 {
                let place = place.min(model.len());
                let expected = if model.len() < 4 { Ok(()) } else { Err(Full) };
                assert_eq!(kept.insert(place, event), expected);
                expected.iter().for_each(|()| model.insert(place, event));
            } else {
                let expected = (place < model.len()).then(|| model.remove(place));
                assert_eq!(kept.remove(place), expected);
            }
            assert_eq!(kept.count(), model.len());
            for place in 0..6 {
                assert_eq!(kept.get(place), model.get(place));
            }
        }
    }
}
