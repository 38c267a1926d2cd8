//! The specification of the objects with messages: the channel, the mailbox and the signal.

use super::tokens::then;
use super::wait::{MAIL, PLACE, QUEUED, ROOM, SIGNAL};
use super::{Behind, Stage, State};

impl State {
    /// Puts a message behind the others. A waiter for a message is served a step later.
    pub(super) fn append(&mut self, message: u8) -> Stage {
        self.messages.push_back(message);
        self.count(QUEUED, 0)
    }

    /// Removes the first message. A waiter for room is served a step later.
    pub(super) fn remove(&mut self) -> Stage {
        let message = self.messages.pop_front().map_or(0, u16::from);
        self.count(ROOM, message)
    }

    pub(super) fn try_send(&mut self, message: u8) -> Stage {
        if self.take_one(ROOM) { self.append(message) } else { Stage::Result(1) }
    }

    pub(super) fn try_receive(&mut self) -> Stage {
        if self.take_one(QUEUED) { self.remove() } else { Stage::Result(0) }
    }

    /// Posts a message by the context that has the place. A message that has come there meanwhile
    /// is before it: the context starts again at `anew`.
    pub(super) fn fill(&mut self, message: u8, anew: Stage) -> Stage {
        if std::mem::take(&mut self.mail_is_ahead) {
            return anew;
        }
        self.mail = Some(message);
        self.count(MAIL, 0)
    }

    /// Takes the message by the context that has it. The place of a message that is ahead belongs
    /// to a context.
    pub(super) fn empty(&mut self) -> Stage {
        let message = self.mail.take().map_or(0, u16::from);
        if std::mem::take(&mut self.mail_is_ahead) {
            return Stage::Result(message);
        }
        self.count(PLACE, message)
    }

    pub(super) fn try_post(&mut self, message: u8) -> Stage {
        if self.take_one(PLACE) { self.fill(message, Stage::Before) } else { Stage::Result(1) }
    }

    pub(super) fn try_take_mail(&mut self) -> Stage {
        if self.take_one(MAIL) { self.empty() } else { Stage::Result(0) }
    }

    /// Puts a message in the place of the present one. Without one, posts it. The message is then
    /// ahead of the context that has the place, if one has.
    pub(super) fn replace(&mut self, message: u8) -> Stage {
        let Some(before) = self.mail.replace(message) else {
            self.mail_is_ahead = !self.take_one(PLACE);
            return self.count(MAIL, 0);
        };
        Stage::Result(before.into())
    }

    /// Puts a value in the place of one that no context has taken, or hands it to the first waiter.
    pub(super) fn signal(&mut self, value: u8) -> Stage {
        let replaced = self.signalled.replace(value).is_some();
        let woken = if replaced { None } else { self.give(SIGNAL) };
        then(woken, Behind::Over(0))
    }

    pub(super) fn take_signal(&mut self) -> Stage {
        Stage::Result(self.signalled.take().map_or(0, u16::from))
    }

    pub(super) fn try_signal(&mut self) -> Stage {
        if self.take_one(SIGNAL) { self.take_signal() } else { Stage::Result(0) }
    }
}
