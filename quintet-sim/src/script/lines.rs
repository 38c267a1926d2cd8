//! The entries of a script that send bytes to UARTs and pend interrupts.

use std::sync::Arc;

use super::{Action, Bytes, Entry, Moment, Parts, Refusal};
use crate::board::Interrupts;
use crate::bus::is_serial;

impl Parts<'_> {
    /// Refuses an interrupt that the board doesn't have.
    pub(super) fn check_interrupt(&self, interrupt: u16) -> Result<(), Refusal> {
        if self.board.interrupts.has(interrupt) {
            return Ok(());
        }
        let problem = match self.board.interrupts {
            Interrupts::Below(most) => format!("{interrupt} is beyond the board's {most}"),
            Interrupts::These(numbers) => {
                let numbers: Vec<_> = numbers.iter().map(u16::to_string).collect();
                format!("{interrupt} is none of the interrupts {}", numbers.join(", "))
            }
        };
        Err(("pend", problem))
    }

    /// Adds the bytes that a UART gets.
    pub(super) fn resolve_uart(
        &mut self,
        entry: &Entry,
        name: &str,
        moment: Moment,
    ) -> Result<(), Refusal> {
        let devices = self.board.devices.iter().enumerate();
        let uarts = devices.filter(|(_, device)| is_serial(device.kind));
        let Some((device, _)) = uarts.clone().find(|(_, device)| device.name == name) else {
            let known: Vec<_> = uarts.map(|(_, device)| device.name.as_str()).collect();
            let known = match known.as_slice() {
                [] => format!("the board {} has none that receives", self.board.name),
                known => format!("there are {}", known.join(", ")),
            };
            return Err(("uart", format!("no UART \"{name}\"; {known}")));
        };
        entry.refuse_extras("uart")?;
        let bytes: Arc<[u8]> = match &entry.send {
            Some(Bytes::Text(text)) => text.as_bytes().into(),
            Some(Bytes::List(list)) => list.as_slice().into(),
            None => return Err(("send", "a uart needs a text or a list of bytes".to_owned())),
        };
        self.push(moment, Action::Send { device, bytes });
        Ok(())
    }
}
