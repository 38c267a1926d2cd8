//! The open calls of each context, followed step by step, because firmware has no frame pointers.
//!
//! A call stays in its context's stack until the stack pointer is above its value at the call, or
//! the processor is at the call's return address. So returns from several functions at once, as
//! after a tail call, are followed too.

use std::collections::HashMap;

/// A context, with calls of its own.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Context {
    /// Thread mode, where no threads are known: `main`, or the threads of another kernel.
    Main,
    /// A thread of Quintet or FreeRTOS, by its control block.
    Thread(u32),
    /// The handler of an exception.
    Exception(u16),
}

/// A call that has not returned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Frame {
    /// The call instruction.
    pub call: u32,
    returns_to: u32,
    stack: u32,
    /// What the reader has noted of the path of calls that ends here.
    pub node: Option<usize>,
}

/// A step of the processor.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// The context after the step.
    pub context: Context,
    /// The instruction.
    pub from: u32,
    /// The address after the step.
    pub to: u32,
    /// The stack pointer after the step.
    pub stack: u32,
    /// If the instruction was a call: where that returns to.
    pub returns_to: Option<u32>,
}

/// The calls of all contexts.
#[derive(Clone, Debug)]
pub struct Shadow {
    context: Context,
    frames: Vec<Frame>,
    /// Those of the contexts that were left.
    others: HashMap<Context, Vec<Frame>>,
    /// The exceptions that are active, the innermost last.
    active: Vec<u16>,
}

impl Default for Shadow {
    fn default() -> Self {
        Self {
            context: Context::Main,
            frames: Vec::new(),
            others: HashMap::new(),
            active: Vec::new(),
        }
    }
}

impl Shadow {
    /// Returns the present context.
    pub fn context(&self) -> Context {
        self.context
    }

    /// The calls of the present context, the outermost first.
    pub fn frames_mut(&mut self) -> &mut [Frame] {
        &mut self.frames
    }

    /// Follows a step. Returns whether the path of calls has changed.
    pub fn follow(&mut self, step: &Step) -> bool {
        if step.context != self.context {
            self.change(step.context);
            // The kernel may have switched from a thread in the middle of a call. The thread may
            // come back behind the call.
            self.leave(step);
            return true;
        }
        if let Some(returns_to) = step.returns_to {
            let stack = step.stack;
            self.frames.push(Frame { call: step.from, returns_to, stack, node: None });
            return true;
        }
        self.leave(step)
    }

    /// Removes the calls that have returned. Returns `true` if there were any.
    fn leave(&mut self, step: &Step) -> bool {
        let depth = self.frames.len();
        let is_left = |frame: &Frame| {
            frame.stack < step.stack || frame.returns_to == step.to && frame.stack <= step.stack
        };
        while self.frames.last().is_some_and(is_left) {
            self.frames.pop();
        }
        self.frames.len() != depth
    }

    fn change(&mut self, to: Context) {
        let frames = std::mem::take(&mut self.frames);
        self.others.insert(self.context, frames);
        self.context = to;
        match to {
            Context::Exception(number) => {
                let place = self.active.iter().position(|active| *active == number);
                if let Some(place) = place {
                    // The calls above have returned.
                    self.active.truncate(place + 1);
                } else {
                    self.active.push(number);
                    self.others.remove(&to);
                }
            }
            Context::Main | Context::Thread(_) => self.active.clear(),
        }
        self.frames = self.others.remove(&to).unwrap_or_default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: [u32; 0] = [];
    const MAIN: Context = Context::Main;
    const IRQ: Context = Context::Exception(16);
    const URGENT: Context = Context::Exception(17);

    fn step(context: Context, from: u32, to: u32, stack: u32) -> Step {
        Step { context, from, to, stack, returns_to: None }
    }

    fn call(context: Context, from: u32, to: u32, stack: u32) -> Step {
        Step { returns_to: Some(from + 4), ..step(context, from, to, stack) }
    }

    fn calls(shadow: &Shadow) -> Vec<u32> {
        shadow.frames.iter().map(|frame| frame.call).collect()
    }

    #[test]
    fn calls_are_in_the_stack_until_they_return() {
        let mut shadow = Shadow::default();
        assert!(shadow.follow(&call(MAIN, 0x10, 0x100, 0x80)));
        assert!(!shadow.follow(&step(MAIN, 0x100, 0x102, 0x70)));
        assert!(shadow.follow(&call(MAIN, 0x102, 0x200, 0x70)));
        assert_eq!(calls(&shadow), [0x10, 0x102]);
        assert!(shadow.follow(&step(MAIN, 0x200, 0x106, 0x70)));
        assert_eq!(calls(&shadow), [0x10]);
        assert!(shadow.follow(&step(MAIN, 0x106, 0x14, 0x80)));
        assert_eq!(calls(&shadow), NONE);
    }

    #[test]
    fn a_tail_call_returns_for_its_caller() {
        let mut shadow = Shadow::default();
        shadow.follow(&call(MAIN, 0x10, 0x100, 0x80));
        // A branch, not a call. The code there calls, and returns to `main`.
        assert!(!shadow.follow(&step(MAIN, 0x100, 0x200, 0x80)));
        shadow.follow(&call(MAIN, 0x200, 0x300, 0x78));
        // It returns from both functions at once.
        assert!(shadow.follow(&step(MAIN, 0x300, 0x14, 0x80)));
        assert_eq!(calls(&shadow), NONE);
    }

    #[test]
    fn recursion_returns_one_call_at_a_time() {
        let mut shadow = Shadow::default();
        shadow.follow(&call(MAIN, 0x10, 0x10, 0x80));
        shadow.follow(&call(MAIN, 0x10, 0x10, 0x70));
        shadow.follow(&step(MAIN, 0x20, 0x14, 0x70));
        assert_eq!(calls(&shadow), [0x10]);
    }

    #[test]
    fn each_context_has_its_own() {
        let mut shadow = Shadow::default();
        shadow.follow(&call(MAIN, 0x10, 0x100, 0x80));
        shadow.follow(&step(IRQ, 0x100, 0x400, 0x60));
        assert_eq!(calls(&shadow), NONE);
        shadow.follow(&call(IRQ, 0x400, 0x500, 0x58));
        shadow.follow(&step(URGENT, 0x500, 0x600, 0x30));
        shadow.follow(&step(IRQ, 0x600, 0x500, 0x58));
        assert_eq!(calls(&shadow), [0x400]);
        // Left in the middle, as by a fault's handler: the next activation begins anew.
        shadow.follow(&step(MAIN, 0x500, 0x100, 0x78));
        assert_eq!(calls(&shadow), [0x10]);
        shadow.follow(&step(IRQ, 0x100, 0x400, 0x60));
        assert_eq!(calls(&shadow), NONE);
    }

    #[test]
    fn a_thread_is_found_where_it_was_left() {
        let (one, other) = (Context::Thread(1), Context::Thread(2));
        let mut shadow = Shadow::default();
        shadow.follow(&step(one, 0, 0x10, 0x80));
        shadow.follow(&call(one, 0x10, 0x100, 0x80));
        shadow.follow(&step(Context::Exception(14), 0x100, 0x700, 0x1000));
        shadow.follow(&step(other, 0x700, 0x20, 0x200));
        assert_eq!(calls(&shadow), NONE);
        shadow.follow(&step(Context::Exception(14), 0x20, 0x700, 0x1000));
        shadow.follow(&step(one, 0x700, 0x100, 0x80));
        assert_eq!(calls(&shadow), [0x10]);
        // The call is a switch, and comes back like a return.
        shadow.follow(&step(Context::Exception(14), 0x100, 0x700, 0x1000));
        shadow.follow(&step(one, 0x700, 0x14, 0x80));
        assert_eq!(calls(&shadow), NONE);
    }
}
