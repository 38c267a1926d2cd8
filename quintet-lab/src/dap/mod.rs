//! A debug adapter: editors that speak the Debug Adapter Protocol debug firmware in the simulator,
//! with nothing in between.
//!
//! ```text
//!  editor ──requests──> client ──> session ──> debugger ──> machine
//!         <──events────            │  run, back       the same one that GDB's server drives
//!                                  │  points          breakpoints, by lines and more
//!                                  │  stack, tasks    threads, and tasks without a stack
//!                                  │  variables       by DWARF, with names and expression
//!                                  └  memory
//! ```
//! A thread of its own reads the requests, so that a program that runs can be paused. All else is
//! on one thread. The program runs until a request waits. A halt leaves no trace in the run: a
//! program that is stepped prints and counts as one that isn't.

mod arguments;
mod back;
mod client;
mod core;
mod expression;
mod launch;
mod memory;
mod names;
mod points;
mod printer;
mod run;
mod session;
mod shown;
mod stack;
mod tasks;
mod variables;
mod wire;

use std::io::{BufRead, BufReader, ErrorKind, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener};

use anyhow::{Context, Result, bail};
use quintet_sim::cores::Family;
use quintet_sim::machine::Machine;
use quintet_sim::riscv::machine::Machine as RiscV;
use serde_json::{Map, Value, json};

use crate::output;
use crate::simulated::family;
use client::{Client, Request};
use core::Debugged;
use launch::Launch;
use points::{FAULTS, PANICS, Points};
use session::{Editor, Over, Session};

/// A port that waits for editors.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
}

impl Server {
    /// Opens a port on this computer; 0 takes any free one.
    /// # Errors
    /// The port is in use.
    pub fn open(port: u16) -> Result<Self> {
        match TcpListener::bind((Ipv4Addr::LOCALHOST, port)) {
            Ok(listener) => Ok(Self { listener }),
            Err(error) if error.kind() == ErrorKind::AddrInUse => bail!(
                "port {port} is in use, perhaps by another adapter; --port N takes another, \
                 --port 0 any free one"
            ),
            Err(error) => Err(error).with_context(|| format!("can't listen on port {port}")),
        }
    }

    /// The port.
    /// # Errors
    /// The system doesn't tell.
    pub fn port(&self) -> Result<u16> {
        Ok(self.listener.local_addr()?.port())
    }

    /// Serves one editor after the other, for ever.
    /// # Errors
    /// No connection can be taken.
    pub fn serve(&self) -> Result<()> {
        loop {
            let (stream, _) = self.listener.accept().context("waiting for an editor")?;
            let _ = stream.set_nodelay(true);
            let reader = BufReader::new(stream.try_clone().context("a connection")?);
            let closing = stream.try_clone().context("a connection")?;
            if let Err(error) = serve(reader, stream) {
                output::complain(&format!("a connection was closed: {error:#}"));
            }
            // The thread that reads still holds the connection.
            let _ = closing.shutdown(Shutdown::Both);
        }
    }
}

/// Serves one editor until it leaves.
/// # Errors
/// The editor doesn't speak the protocol.
pub fn serve(input: impl BufRead + Send + 'static, output: impl Write + 'static) -> Result<()> {
    let mut client = Client::new(input, output);
    let mut editor = Editor::default();
    while let Some(request) = client.next() {
        match begin(&mut client, &mut editor, &request) {
            Begun::Not => {}
            Begun::Left => return Ok(()),
            Begun::Launched(arguments) => {
                debug(&mut client, &editor, &request, arguments);
                if !client.has_left {
                    return Ok(());
                }
            }
        }
    }
    match client.problem.take() {
        Some(problem) => bail!("{problem}"),
        None => Ok(()),
    }
}

/// What a request before the program has led to.
enum Begun {
    Not,
    Left,
    Launched(Map<String, Value>),
}

/// Handles a request while there is no program.
fn begin(client: &mut Client, editor: &mut Editor, request: &Request) -> Begun {
    let answer = match request.command.as_str() {
        "initialize" if editor.initialize.is_some() => {
            Err("this session is initialized already".into())
        }
        "initialize" => request.arguments().and_then(|arguments: arguments::Initialize| {
            if arguments.path_format != "path" {
                return Err("paths are expected as paths, not as addresses (URIs)".into());
            }
            editor.initialize = Some(arguments);
            Ok(capabilities())
        }),
        "disconnect" | "terminate" => {
            client.answer(request, Ok(Value::Null));
            return Begun::Left;
        }
        other if editor.initialize.is_none() => {
            Err(format!("\"{other}\" came before \"initialize\", which begins a session"))
        }
        "launch" => match request.arguments() {
            Ok(arguments) => return Begun::Launched(arguments),
            Err(problem) => Err(problem),
        },
        "attach" => Err("there is nothing to attach to: write \"request\": \"launch\" into the \
                         configuration, and the program"
            .into()),
        other => Err(format!("\"{other}\" needs a program: \"launch\" comes first")),
    };
    client.answer(request, answer);
    Begun::Not
}

/// Debugs a program, and begins it anew as often as the editor wants.
fn debug(client: &mut Client, editor: &Editor, request: &Request, arguments: Map<String, Value>) {
    let mut points = Points::new();
    let mut arguments = arguments;
    let mut first = Some(request);
    loop {
        let over = Launch::read(&arguments).and_then(|launch| {
            let family = family(&launch.options, &launch.program);
            match family.map_err(|error| output::in_words(&error))? {
                Family::CortexM => run::<Machine>(client, editor, &mut points, &launch, first),
                Family::RiscV => run::<RiscV>(client, editor, &mut points, &launch, first),
            }
        });
        match (over, first.take()) {
            (Ok(Over::Left), _) => {
                client.has_left = client.problem.is_some();
                return;
            }
            (Ok(Over::Restart(anew)), _) => {
                points.forget_hits();
                arguments = anew.unwrap_or(arguments);
            }
            (Err(problem), Some(request)) => {
                client.answer(request, Err(problem));
                client.has_left = false;
                return wait_for_end(client);
            }
            (Err(problem), None) => {
                client.tell(&format!("{problem}\n"));
                client.event("terminated", Value::Null);
                return wait_for_end(client);
            }
        }
    }
}

/// A program that can't begin leaves an editor that ends the session.
fn wait_for_end(client: &mut Client) {
    while let Some(request) = client.next() {
        let is_end = ["disconnect", "terminate"].contains(&request.command.as_str());
        let none = || "there is no program: its launch was refused".to_owned();
        client.answer(&request, if is_end { Ok(Value::Null) } else { Err(none()) });
        if is_end {
            return;
        }
    }
}

/// Debugs a program on one core. `launch` is the request that wants it, the first time.
fn run<M: Debugged>(
    client: &mut Client,
    editor: &Editor,
    points: &mut Points,
    launch: &Launch,
    first: Option<&Request>,
) -> Result<Over, String> {
    let in_words = |error: anyhow::Error| output::in_words(&error);
    let firmware = session::open::<M>(launch).map_err(in_words)?;
    launch.remarks.iter().for_each(|remark| client.tell(remark));
    let session = Session::<M>::new(client, (editor, points), &firmware, launch);
    let session = session.map_err(in_words)?;
    let mut session = session;
    session.set_command_line();
    if let Some(request) = first {
        session.launched(request);
    }
    Ok(session.serve(first.is_none()))
}

/// What this adapter can do.
fn capabilities() -> Value {
    json!({
        "supportsConfigurationDoneRequest": true,
        "supportsFunctionBreakpoints": true,
        "supportsConditionalBreakpoints": true,
        "supportsHitConditionalBreakpoints": true,
        "supportsLogPoints": true,
        "supportsEvaluateForHovers": true,
        "supportsStepBack": true,
        "supportsSetVariable": true,
        "supportsSetExpression": true,
        "supportsRestartRequest": true,
        "supportsTerminateRequest": true,
        "supportsDataBreakpoints": true,
        "supportsReadMemoryRequest": true,
        "supportsWriteMemoryRequest": true,
        "supportsDisassembleRequest": true,
        "supportsInstructionBreakpoints": true,
        "supportsSteppingGranularity": true,
        "supportsBreakpointLocationsRequest": true,
        "exceptionBreakpointFilters": [
            filter(FAULTS, "Faults", "halt where the handler of a fault is entered"),
            filter(PANICS, "Panics", "halt where a panic of Rust begins"),
        ],
    })
}

/// A kind of exceptions that an editor can switch off.
fn filter(name: &str, label: &str, about: &str) -> Value {
    json!({
        "filter": name,
        "label": label,
        "description": about,
        "default": true,
    })
}
