//! What tools ask of a hart and change in it, while it stands.

use super::bus::Bus;
use super::hart::Hart;
use super::history::Trap;
use crate::processor::instruction::Size;

impl<B: Bus> Hart<B> {
    /// The traps that are being handled, the innermost last.
    pub fn open_traps(&self) -> &[Trap] {
        self.history.open()
    }

    /// Notes that all handlers were left without MRET, as a kernel does that jumps into a thread
    /// which had called it. Only a tool that knows the kernel can tell.
    pub fn leave_traps(&mut self) {
        self.history.leave_all(self.cycle);
    }

    /// The trap that was entered last, left or not.
    pub fn last_trap(&self) -> Option<&Trap> {
        self.history.last()
    }

    /// Returns the number of the handler that runs, by [`super::trap::handler_number`]; 0 for none.
    #[inline]
    pub fn handler(&self) -> u16 {
        self.history.handler()
    }

    /// Returns `true` if the hart is about to execute the instruction at `pc`, and neither sleeps
    /// nor enters a handler first.
    pub fn is_instruction_next(&mut self) -> bool {
        if self.cycle >= self.next_event {
            self.look_at_bus();
        }
        !self.waiting && self.interrupt().is_none()
    }

    /// Returns `true` if the hart waits for an interrupt.
    pub fn is_asleep(&self) -> bool {
        self.waiting
    }

    /// Goes on at another address, as a debugger lets it: a sleeping hart wakes.
    pub fn jump(&mut self, to: u32) {
        self.pc = to & self.configuration.pc_mask();
        self.waiting = false;
        if let Some(pipeline) = &mut self.pipeline {
            pipeline.enter_handler(self.pc);
        }
    }

    /// Stores to registers of devices, without time: words where the address allows it.
    pub(super) fn store_as_debugger(&mut self, address: u32, data: &[u8]) -> Option<()> {
        let mut done = 0;
        while done < data.len() {
            let at = address.wrapping_add(done as u32);
            let (size, value, length) = match data[done..] {
                [a, b, c, d, ..] if at.is_multiple_of(4) => {
                    (Size::Word, u32::from_le_bytes([a, b, c, d]), 4)
                }
                [a, b, ..] if at.is_multiple_of(2) => {
                    (Size::Half, u16::from_le_bytes([a, b]).into(), 2)
                }
                _ => (Size::Byte, data[done].into(), 1),
            };
            self.bus.write(at, size, value, self.cycle).ok()?;
            done += length;
        }
        // The store may have raised an interrupt.
        self.next_event = 0;
        Some(())
    }
}
