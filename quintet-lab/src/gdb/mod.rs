//! A server for GDB: any stock `gdb-multiarch` or `arm-none-eabi-gdb` attaches to the simulated
//! board.
//!
//! ```text
//! (gdb) target extended-remote :3333       halted before the first instruction
//! (gdb) break main                         any number of breakpoints and watchpoints
//! (gdb) continue
//! (gdb) x 0xe0001004                       CYCCNT; it stands still while the processor is halted
//! (gdb) monitor help
//! ```
//!
//! [`registers`] are the target description, [`target`] what GDB can ask of the board, [`monitor`]
//! the commands behind `monitor`. Time passes only while the program runs, so a session in front of
//! a coffee costs no cycles.

pub mod monitor;
pub mod registers;
pub mod target;

use std::io::ErrorKind;
use std::net::{Ipv4Addr, TcpListener};

use anyhow::{Context, Result, bail};
use gdbstub::common::Signal;
use gdbstub::conn::ConnectionExt;
use gdbstub::stub::run_blocking::{BlockingEventLoop, Event, WaitForStopReasonError};
use gdbstub::stub::{DisconnectReason, GdbStub, SingleThreadStopReason};
use quintet_sim::machine::Machine;

use crate::output;
use target::Target;

/// The port that other servers for GDB use too.
pub const DEFAULT_PORT: u16 = 3333;

type Connection = Box<dyn ConnectionExt<Error = std::io::Error>>;

/// How a session ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// The firmware ended with this code.
    Exit(u8),
    /// GDB killed the target.
    Killed,
}

/// A port that waits for GDB.
pub struct Server {
    listener: TcpListener,
}

impl Server {
    /// Opens a port on this computer; 0 takes any free one.
    pub fn open(port: u16) -> Result<Self> {
        match TcpListener::bind((Ipv4Addr::LOCALHOST, port)) {
            Ok(listener) => Ok(Self { listener }),
            Err(error) if error.kind() == ErrorKind::AddrInUse => bail!(
                "port {port} is in use, perhaps by another debugger server; --gdb=PORT takes \
                 another, --gdb=0 any free one"
            ),
            Err(error) => Err(error).with_context(|| format!("can't listen on port {port}")),
        }
    }

    /// The port.
    pub fn port(&self) -> Result<u16> {
        Ok(self.listener.local_addr()?.port())
    }

    /// Waits for GDB and serves it until the firmware ends or is killed. A GDB that detaches or
    /// goes away leaves the processor halted for the next. `output` gets what the firmware prints.
    pub fn serve(self, machine: Machine, output: &mut dyn FnMut(&mut Machine)) -> Result<End> {
        let mut target = Target::new(machine, output);
        loop {
            let (stream, _) = self.listener.accept().context("waiting for GDB")?;
            let connection: Connection = Box::new(stream);
            match GdbStub::new(connection).run_blocking::<EventLoop<'_>>(&mut target) {
                Ok(DisconnectReason::TargetExited(code)) => return Ok(End::Exit(code)),
                Ok(DisconnectReason::TargetTerminated(_) | DisconnectReason::Kill) => {
                    return Ok(End::Killed);
                }
                Ok(DisconnectReason::Disconnect) => {}
                // GDB that is killed leaves a broken connection.
                Err(error) if error.is_connection_error() => {}
                Err(error) => bail!("the session with GDB failed: {error}"),
            }
            target.forget_debugger();
            output::complain(&format!(
                "GDB has left, the firmware is halted; waiting for the next: target remote \
                 127.0.0.1:{} (Ctrl-C ends)",
                self.port()?
            ));
        }
    }
}

/// Runs the machine between GDB's packets.
struct EventLoop<'a>(std::marker::PhantomData<&'a ()>);

impl<'a> BlockingEventLoop for EventLoop<'a> {
    type Target = Target<'a>;
    type Connection = Connection;
    type StopReason = SingleThreadStopReason<u32>;

    fn wait_for_stop_reason(
        target: &mut Target<'a>,
        connection: &mut Connection,
    ) -> Result<
        Event<Self::StopReason>,
        WaitForStopReasonError<<Target<'a> as gdbstub::target::Target>::Error, std::io::Error>,
    > {
        // A failing connection is found out by the read behind it.
        let mut interrupted = || connection.peek().map_or(true, |byte| byte.is_some());
        match target.run(&mut interrupted) {
            Some(reason) => Ok(Event::TargetStopped(reason)),
            None => {
                let byte = connection.read().map_err(WaitForStopReasonError::Connection)?;
                Ok(Event::IncomingData(byte))
            }
        }
    }

    fn on_interrupt(
        _target: &mut Target<'a>,
    ) -> Result<Option<Self::StopReason>, <Target<'a> as gdbstub::target::Target>::Error> {
        Ok(Some(SingleThreadStopReason::Signal(Signal::SIGINT)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_busy_port_is_refused_in_words() {
        let first = Server::open(0).unwrap();
        let error = Server::open(first.port().unwrap()).err().unwrap().to_string();
        assert!(error.contains("is in use") && error.contains("--gdb=PORT"), "{error}");
    }
}
