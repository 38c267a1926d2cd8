//! `quintet run --gdb`: the firmware runs under GDB instead of by itself.

use crate::commands::options::MachineOptions;
use crate::exit::Outcome;
use crate::firmware::Firmware;
use crate::gdb::{End, Server};
use crate::output;
use quintet_sim::machine::{Machine, Output};

/// Waits for GDB on a port and serves it until it kills the firmware or that ends.
pub fn serve(
    firmware: &Firmware,
    options: &MachineOptions,
    command_line: &str,
    port: u16,
) -> anyhow::Result<Outcome> {
    let mut machine = options.machine(firmware)?;
    machine.set_command_line(command_line);
    let server = Server::open(port)?;
    let port = server.port()?;
    output::complain(&format!(
        "halted before the first instruction; in GDB: target remote 127.0.0.1:{port}"
    ));
    let mut has_told_cut = false;
    let mut output = |machine: &mut Machine| {
        print_output(machine);
        if let Some(limit) = machine.output_cut().filter(|_| !has_told_cut) {
            has_told_cut = true;
            output::complain(&output::cut(limit));
        }
    };
    match server.serve(machine, &mut output)? {
        End::Exit(code) => Ok(Outcome::Firmware(code.into())),
        End::Killed => Ok(Outcome::Done),
    }
}

/// A reader that goes away does not end the session.
fn print_output(machine: &mut Machine) {
    for Output { channel, bytes } in machine.take_output() {
        match channel.as_str() {
            "stderr" => output::print_error_bytes(&bytes),
            _ => drop(output::print_bytes(&bytes)),
        }
    }
}
