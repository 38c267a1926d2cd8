//! `quintet run --gdb`: the firmware runs under GDB instead of by itself.

use crate::commands::options::MachineOptions;
use crate::exit::Outcome;
use crate::firmware::Firmware;
use crate::gdb::{self, End, Server};
use crate::log::{Log, Prefixer};
use crate::output;
use crate::simulated::Simulated;
use quintet_sim::riscv::machine::Machine as RiscV;

/// Waits for GDB on a port and serves it until it kills the firmware or that ends.
pub fn serve(
    firmware: &Firmware,
    options: &MachineOptions,
    command_line: &str,
    port: u16,
) -> anyhow::Result<Outcome> {
    let mut machine = options.machine(firmware)?;
    machine.set_command_line(command_line);
    converse(firmware, options, port, |server, output| server.serve(firmware, machine, output))
}

/// The same on a RISC-V core.
pub fn serve_riscv(
    firmware: &Firmware,
    options: &MachineOptions,
    command_line: &str,
    port: u16,
) -> anyhow::Result<Outcome> {
    let mut machine = RiscV::started(options, firmware)?;
    machine.set_command_line(command_line);
    converse(firmware, options, port, |server, output| {
        server.serve_target(&mut gdb::riscv::Target::new(machine, output))
    })
}

fn converse<M: Simulated>(
    firmware: &Firmware,
    options: &MachineOptions,
    port: u16,
    serve: impl FnOnce(Server, &mut dyn FnMut(&mut M)) -> anyhow::Result<End>,
) -> anyhow::Result<Outcome> {
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
    let mut print_output = |machine: &mut M| {
        for output in machine.take_log(&mut log) {
            let bytes = prefixer.print(&output, || machine.channel_name(&output.channel));
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
    let end = serve(server, &mut print_output)?;
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
