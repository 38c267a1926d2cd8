//! Words of devices that only the processor can write: QEMU drops what a debugger writes there.
//!
//! Where the processor stands, two instructions take the place of the firmware's for a moment:
//!
//! ```text
//!  pc      STR R1, [R0]     R0 the address, R1 the value
//!  pc + 2  the halt
//! ```
//! Then code and registers are as before. A chip whose code can't be written so keeps its code.

use crate::gdb::client::Remote;
use anyhow::ensure;
use std::time::Duration;

/// `STR R1, [R0]`, and a BKPT that is never executed.
const CODE: [u8; 4] = [0x01, 0x60, 0x00, 0xbe];

/// The time for one instruction, and for an interrupt that comes first.
const TIME: Duration = Duration::from_secs(2);

const PC: u32 = 15;

/// Writes a word, by the debugger or else by the processor.
pub fn device(remote: &mut Remote, address: u32, value: u32) -> anyhow::Result<()> {
    // A server may refuse what it can't write.
    let written = remote.write_word(address, value);
    if written.is_ok() && remote.word(address)? == value {
        return Ok(());
    }
    by_processor(remote, address, value)
}

/// Lets the processor store a word. No breakpoint may be where it stands.
pub fn by_processor(remote: &mut Remote, address: u32, value: u32) -> anyhow::Result<()> {
    let (pc, registers) = (remote.pc()?, [remote.register(0)?, remote.register(1)?]);
    let code = remote.read(pc, CODE.len())?;
    let stored = (|| {
        remote.write(pc, &CODE)?;
        ensure!(
            remote.read(pc, CODE.len())? == CODE,
            "the word at {address:#010x} can't be written: neither by the debugger, nor by code \
             that it writes to {pc:#010x}"
        );
        remote.set_register(0, address)?;
        remote.set_register(1, value)?;
        let halt = remote.add_breakpoint(pc + 2, 2)?;
        let ran = remote.run(TIME);
        let at = remote.pc()?;
        remote.remove_breakpoint(&halt)?;
        ran?;
        ensure!(at == pc + 2, "a store to {address:#010x} by the processor ended at {at:#010x}");
        Ok(())
    })();
    // What was there comes back in any case.
    remote.write(pc, &code)?;
    for (number, value) in [(0, registers[0]), (1, registers[1]), (PC, pc)] {
        remote.set_register(number, value)?;
    }
    stored
}
