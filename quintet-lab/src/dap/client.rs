//! The editor at the other end: its requests, our answers and events.

use std::collections::VecDeque;
use std::io::{BufRead, Write};
use std::sync::mpsc::{Receiver, TryRecvError, sync_channel};

use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::wire::{self, Incoming};

/// So many messages wait for us at most; then the editor waits.
const WAITING_MAX: usize = 64;

/// A request.
#[derive(Clone, Debug)]
pub struct Request {
    seq: u64,
    /// What is asked for.
    pub command: String,
    arguments: Value,
}

impl Request {
    /// The arguments.
    /// # Errors
    /// They are not what the protocol says, in words.
    pub fn arguments<T: DeserializeOwned>(&self) -> Result<T, String> {
        let arguments = if self.arguments.is_null() { json!({}) } else { self.arguments.clone() };
        let refused =
            |error| format!("the arguments of \"{}\" make no sense: {error}", self.command);
        serde_json::from_value(arguments).map_err(refused)
    }
}

/// A connection to an editor.
pub struct Client {
    incoming: Receiver<Incoming>,
    waiting: VecDeque<Request>,
    output: Box<dyn Write>,
    seq: u64,
    /// `true` once the editor has gone, or can't be understood any more.
    pub has_left: bool,
    /// Why, if that was no ordinary end.
    pub problem: Option<String>,
}

impl Client {
    /// A connection. A thread of its own reads, so that a running program can be interrupted.
    pub fn new(mut input: impl BufRead + Send + 'static, output: impl Write + 'static) -> Self {
        let (sender, incoming) = sync_channel(WAITING_MAX);
        std::thread::spawn(move || {
            loop {
                let message = wire::read(&mut input);
                let is_end = matches!(message, Incoming::End(_));
                if sender.send(message).is_err() || is_end {
                    break;
                }
            }
        });
        Self {
            incoming,
            waiting: VecDeque::new(),
            output: Box::new(output),
            seq: 0,
            has_left: false,
            problem: None,
        }
    }

    /// Returns `true` if a request waits, or the editor has left.
    pub fn is_waiting(&mut self) -> bool {
        while self.waiting.is_empty() && !self.has_left {
            match self.incoming.try_recv() {
                Ok(message) => self.take(message),
                Err(TryRecvError::Empty) => return false,
                Err(TryRecvError::Disconnected) => self.has_left = true,
            }
        }
        true
    }

    /// Waits for the next request. `None` once the editor has left.
    pub fn next(&mut self) -> Option<Request> {
        while self.waiting.is_empty() && !self.has_left {
            match self.incoming.recv() {
                Ok(message) => self.take(message),
                Err(_) => self.has_left = true,
            }
        }
        self.waiting.pop_front()
    }

    fn take(&mut self, message: Incoming) {
        match message {
            Incoming::End(problem) => {
                self.has_left = true;
                self.problem = problem;
            }
            Incoming::Broken(problem) => self.tell(&format!("a message is no JSON: {problem}\n")),
            Incoming::Message(message) => match request(&message) {
                Some(request) => self.waiting.push_back(request),
                // Answers to requests that nobody sent, and what is no message.
                None => self.tell("a message is no request, and was skipped\n"),
            },
        }
    }

    /// Answers a request.
    pub fn answer(&mut self, request: &Request, answer: Result<Value, String>) {
        let mut message = json!({
            "type": "response",
            "request_seq": request.seq,
            "command": request.command,
            "success": answer.is_ok(),
        });
        match answer {
            Ok(Value::Null) => {}
            Ok(body) => message["body"] = body,
            Err(problem) => {
                message["message"] = json!(problem);
                message["body"] = json!({
                    "error": { "id": 1, "format": problem.replace('{', "("), "showUser": true }
                });
            }
        }
        self.send(message);
    }

    /// Sends an event.
    pub fn event(&mut self, event: &str, body: Value) {
        let mut message = json!({ "type": "event", "event": event });
        if !body.is_null() {
            message["body"] = body;
        }
        self.send(message);
    }

    /// Shows a message of the tool in the editor's console.
    pub fn tell(&mut self, text: &str) {
        self.event("output", json!({ "category": "console", "output": text }));
    }

    fn send(&mut self, mut message: Value) {
        self.seq += 1;
        message["seq"] = json!(self.seq);
        if wire::write(&mut *self.output, &message).is_err() {
            self.has_left = true;
        }
    }
}

fn request(message: &Value) -> Option<Request> {
    let is_request = message.get("type").and_then(Value::as_str) == Some("request");
    Some(Request {
        seq: message.get("seq").and_then(Value::as_u64).filter(|_| is_request)?,
        command: message.get("command")?.as_str()?.to_owned(),
        arguments: message.get("arguments").cloned().unwrap_or(Value::Null),
    })
}
