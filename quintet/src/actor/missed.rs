//! [`Missed`]: subscribers that had no room for what was published.

use ::core::fmt;

/// The error of `try_publish`: some of the subscribed actors had no room, and missed the topic.
/// The others got it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Missed {
    actors: usize,
}

impl Missed {
    /// Returns an error if actors missed a topic.
    #[doc(hidden)]
    pub const fn check(actors: usize) -> Result<(), Self> {
        if actors == 0 { Ok(()) } else { Err(Self { actors }) }
    }

    /// Returns how many actors missed the topic, at least 1. Each instance of an actor counts.
    #[must_use]
    pub const fn actors(self) -> usize {
        self.actors
    }
}

impl fmt::Display for Missed {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} subscribers had no room for the topic", self.actors)
    }
}

impl ::core::error::Error for Missed {}
