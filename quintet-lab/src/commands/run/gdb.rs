//! `quintet run --gdb`: the firmware runs under GDB instead of by itself.

use crate::commands::options::MachineOptions;
use crate::exit::Outcome;
use crate::firmware::Firmware;
use crate::gdb::{End, Server};
use crate::log::{Log, Prefixer};
use crate::output;
use crate::simulation::channel_name;
use quintet_sim::machine::Machine;

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
    for guest in &firmware.guests {
        output::complain(&format!("and for the process: {}", guest.gdb_command()));
    }
    let mut has_told_cut = false;
    let mut log = Log::new(firmware, options.output_limit(), false);
    let mut prefixer = Prefixer::default();
    let mut print_output = |machine: &mut Machine| {
        for output in log.take(machine) {
            let name = || channel_name(machine, &output.channel);
            let bytes = prefixer.print(&output, name);
            match output.channel.as_str() {
                "stderr" => output::print_error_bytes(&bytes),
                // A reader that goes away does not end the session.
                _ => drop(output::print_bytes(&bytes)),
            }
        }
        log.remarks.drain(..).for_each(|remark| output::complain(&remark));
        if let Some(limit) = log.cut().filter(|_| !has_told_cut) {
            has_told_cut = true;
            output::complain(&output::cut(limit));
        }
    };
    let end = server.serve(firmware, machine, &mut print_output)?;
    // RTT has no such rest.
    for rest in log.finish() {
        drop(output::print_bytes(&rest.bytes));
    }
    log.remarks.drain(..).for_each(|remark| output::complain(&remark));
    match end {
        End::Exit(code) => Ok(Outcome::Firmware(code.into())),
        End::Killed => Ok(Outcome::Done),
    }
}
