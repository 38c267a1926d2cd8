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
pub mod riscv;
pub mod target;
pub mod threads;

use std::cell::RefCell;
use std::convert::Infallible;
use std::io::ErrorKind;
use std::marker::PhantomData;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::rc::Rc;

use anyhow::{Context, Result, bail};
use gdbstub::arch::Arch;
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
        self.serve_target(&mut Target::new(machine, firmware, output))
    }

    /// The same, of a board with any core.
    pub fn serve_target<T: Served>(self, target: &mut T) -> Result<End>
    where
        T::Arch: Arch<Usize = u32>,
    {
        let port = self.port()?;
        let door = Rc::new(RefCell::new(Door::new(self.listener)));
        loop {
            let stream = door.borrow_mut().wait().context("waiting for GDB")?;
            let left = match converse(stream, &door, target)? {
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

/// A board that GDB is attached to.
pub trait Served: gdbstub::target::Target<Error = Infallible> {
    /// Runs as GDB asked until the processor stops. Returns `None` if `interrupted` ended the run.
    fn run(&mut self, interrupted: &mut dyn FnMut() -> bool) -> Option<MultiThreadStopReason<u32>>;

    /// A stop of the running thread by a signal.
    fn signal(&mut self, signal: Signal) -> MultiThreadStopReason<u32>;

    /// Takes back the breakpoints and watchpoints of a GDB that has left.
    fn forget_debugger(&mut self);
}

/// The end of a conversation with a peer.
enum Left {
    Ended(End),
    Gone,
    Dropped(String),
}

/// Serves one peer.
fn converse<T: Served>(stream: TcpStream, door: &Rc<RefCell<Door>>, target: &mut T) -> Result<Left>
where
    T::Arch: Arch<Usize = u32>,
{
    let packet = Rc::new(RefCell::new(Vec::new()));
    let Ok(connection) = Connection::new(stream, door.clone(), packet.clone()) else {
        return Ok(Left::Gone);
    };
    let builder = GdbStubBuilder::new(connection).packet_buffer_size(PACKET_MAX);
    let stub = builder.build().context("the packet buffer")?;
    let error = match stub.run_blocking::<EventLoop<T>>(target) {
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
struct EventLoop<T>(PhantomData<T>);

impl<T: Served> BlockingEventLoop for EventLoop<T>
where
    T::Arch: Arch<Usize = u32>,
{
    type Target = T;
    type Connection = Connection;
    type StopReason = MultiThreadStopReason<u32>;

    fn wait_for_stop_reason(
        target: &mut T,
        connection: &mut Connection,
    ) -> Result<
        Event<Self::StopReason>,
        WaitForStopReasonError<<T as gdbstub::target::Target>::Error, std::io::Error>,
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
        target: &mut T,
    ) -> Result<Option<Self::StopReason>, <T as gdbstub::target::Target>::Error> {
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
