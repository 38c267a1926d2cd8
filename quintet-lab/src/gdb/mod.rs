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
//! [`connection`] takes packets and refuses other input. [`registers`] is the target description.
//! [`target`] has the requests to the board, and [`monitor`] the commands behind `monitor`. Time
//! passes only while the program runs, so a session in front of a coffee costs no cycles.

pub mod client;
pub mod connection;
mod memory_map;
pub mod monitor;
mod packets;
pub mod registers;
pub mod target;
mod threads;

use std::cell::RefCell;
use std::io::ErrorKind;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::rc::Rc;

use anyhow::{Context, Result, bail};
use gdbstub::common::Signal;
use gdbstub::conn::ConnectionExt;
use gdbstub::stub::run_blocking::{BlockingEventLoop, Event, WaitForStopReasonError};
use gdbstub::stub::{DisconnectReason, GdbStubBuilder, MultiThreadStopReason};
use quintet_sim::machine::Machine;

use crate::firmware::Firmware;
use crate::output;
use connection::{Connection, Door, PACKET_MAX, shown};
use target::Target;

/// The port that other servers for GDB use too.
pub const DEFAULT_PORT: u16 = 3333;

/// The end of a session.
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

    /// Waits for GDB and serves it until the firmware ends or is killed. If GDB detaches or goes
    /// away, or a peer doesn't speak the protocol, the processor stays halted for the next peer.
    /// `output` gets the firmware's output.
    pub fn serve(
        self,
        firmware: &Firmware,
        machine: Machine,
        output: &mut dyn FnMut(&mut Machine),
    ) -> Result<End> {
        let mut target = Target::new(machine, firmware, output);
        let port = self.port()?;
        let door = Rc::new(RefCell::new(Door::new(self.listener)));
        loop {
            let stream = door.borrow_mut().wait().context("waiting for GDB")?;
            let left = match converse(stream, &door, &mut target)? {
                Left::Ended(end) => return Ok(end),
                Left::Gone => "GDB has left".to_owned(),
                Left::Dropped(problem) => format!("a connection was closed: {problem}"),
            };
            target.forget_debugger();
            output::complain(&format!(
                "{left}; the firmware is halted, waiting for the next: target remote \
                 127.0.0.1:{port} (Ctrl-C ends)"
            ));
        }
    }
}

/// The end of a conversation with a peer.
enum Left {
    Ended(End),
    Gone,
    Dropped(String),
}

/// Serves one peer.
fn converse(stream: TcpStream, door: &Rc<RefCell<Door>>, target: &mut Target<'_>) -> Result<Left> {
    let packet = Rc::new(RefCell::new(Vec::new()));
    let Ok(connection) = Connection::new(stream, door.clone(), packet.clone()) else {
        return Ok(Left::Gone);
    };
    let builder = GdbStubBuilder::new(connection).packet_buffer_size(PACKET_MAX);
    let stub = builder.build().context("the packet buffer")?;
    let error = match stub.run_blocking::<EventLoop<'_>>(target) {
        Ok(DisconnectReason::TargetExited(code)) => return Ok(Left::Ended(End::Exit(code))),
        Ok(DisconnectReason::TargetTerminated(_) | DisconnectReason::Kill) => {
            return Ok(Left::Ended(End::Killed));
        }
        Ok(DisconnectReason::Disconnect) => return Ok(Left::Gone),
        Err(error) => error,
    };
    let problem = error.to_string();
    Ok(match error.into_connection_error() {
        Some((error, _)) if error.kind() == ErrorKind::InvalidData => {
            Left::Dropped(error.to_string())
        }
        // GDB that is killed leaves a broken connection.
        Some(_) => Left::Gone,
        None => {
            let packet = shown(&packet.borrow());
            Left::Dropped(format!("its packet {packet} makes no sense ({problem})"))
        }
    })
}

/// Runs the machine between GDB's packets.
struct EventLoop<'a>(std::marker::PhantomData<&'a ()>);

impl<'a> BlockingEventLoop for EventLoop<'a> {
    type Target = Target<'a>;
    type Connection = Connection;
    type StopReason = MultiThreadStopReason<u32>;

    fn wait_for_stop_reason(
        target: &mut Target<'a>,
        connection: &mut Connection,
    ) -> Result<
        Event<Self::StopReason>,
        WaitForStopReasonError<<Target<'a> as gdbstub::target::Target>::Error, std::io::Error>,
    > {
        // The next read notices a failing connection.
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
        target: &mut Target<'a>,
    ) -> Result<Option<Self::StopReason>, <Target<'a> as gdbstub::target::Target>::Error> {
        Ok(Some(target.signal(Signal::SIGINT)))
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
