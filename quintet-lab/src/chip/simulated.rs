//! The simulator in place of a chip: behind its own server for GDB, in a thread of this process.

use super::Chip;
use super::counter::Counter;
use crate::firmware::Firmware;
use crate::gdb::Server;
use crate::gdb::client::Remote;
use quintet_sim::board::Board;
use quintet_sim::machine::Machine;
use quintet_sim::script::Script;
use std::time::Duration;

/// The simulator may take longer to a place than a chip.
const TIME: Duration = Duration::from_secs(120);

/// Does something with a simulated board that stands at its reset, and then ends the board.
pub fn with<R>(
    board: &Board,
    firmware: &Firmware,
    inputs: Option<&Script>,
    body: impl FnOnce(&mut Chip) -> anyhow::Result<R>,
) -> anyhow::Result<R> {
    // What can't be loaded is told here: the thread has nobody to tell.
    Machine::new(board).load(&firmware.image)?;
    let server = Server::open(0)?;
    let port = server.port()?;
    let (board, firmware, inputs) = (board.clone(), firmware.copy(), inputs.cloned());
    // An error here is one of the client as well, which waits for an answer.
    let served = std::thread::spawn(move || -> anyhow::Result<()> {
        let mut machine = Machine::new(&board);
        machine.load(&firmware.image)?;
        if let Some(script) = inputs {
            machine.set_script(script);
        }
        machine.reset();
        // What the firmware prints is for the chip to say.
        server.serve(&firmware, machine, &mut |machine| drop(machine.take_output()))?;
        Ok(())
    });
    let remote = Remote::connect(&format!("127.0.0.1:{port}"))?;
    let mut chip = Chip::new(remote, Counter::Cyccnt, TIME);
    let result = body(&mut chip);
    if !chip.remote.has_ended {
        chip.remote.kill()?;
    }
    match served.join() {
        Ok(served) => served.and(result),
        Err(_) => result,
    }
}
