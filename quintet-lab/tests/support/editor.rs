//! An editor that speaks to `quintet dap`, by a script.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};

/// No answer takes longer, on any computer.
const PATIENCE: Duration = Duration::from_secs(120);

/// An editor with its adapter.
pub struct Editor {
    process: Child,
    input: Option<ChildStdin>,
    messages: Receiver<Value>,
    events: VecDeque<Value>,
    seq: u64,
    /// All that the firmware and the adapter have printed, by category.
    pub printed: Vec<(String, String)>,
}

impl Drop for Editor {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Editor {
    /// Starts an adapter.
    pub fn start() -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_quintet"))
            .arg("dap")
            .env_remove("QUINTET_BOARD")
            .env_remove("QUINTET_MAX_CYCLES")
            .env("CARGO_TARGET_DIR", super::target_directory())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("quintet starts");
        let mut stream = BufReader::new(process.stdout.take().expect("it has an output"));
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            while let Some(message) = message(&mut stream) {
                if sender.send(message).is_err() {
                    break;
                }
            }
        });
        let input = process.stdin.take();
        Self { process, input, messages, events: VecDeque::new(), seq: 0, printed: Vec::new() }
    }

    /// The same, initialized.
    pub fn initialized() -> Self {
        let mut editor = Self::start();
        let can = editor.ask("initialize", json!({ "adapterID": "quintet" }));
        assert_eq!(can["supportsStepBack"], true, "{can}");
        editor
    }

    /// Starts a program that stands before its first instruction. Returns after `initialized`.
    pub fn launched(arguments: Value) -> Self {
        let mut editor = Self::initialized();
        editor.ask("launch", arguments);
        editor.wait("initialized");
        editor
    }

    /// Sends bytes as they are.
    pub fn send_raw(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().expect("it is open");
        let _ = input.write_all(bytes);
        let _ = input.flush();
    }

    /// Sends a request. Returns its number.
    pub fn send(&mut self, command: &str, arguments: Value) -> u64 {
        self.seq += 1;
        let (seq, kind) = (self.seq, "request");
        let mut message = json!({ "seq": seq, "type": kind, "command": command });
        message["arguments"] = arguments;
        let body = message.to_string();
        self.send_raw(format!("Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes());
        seq
    }

    fn next(&mut self) -> Value {
        let message = self.messages.recv_timeout(PATIENCE);
        message.unwrap_or_else(|error| panic!("no message: {error}; {:?}", self.printed))
    }

    fn answer(&mut self, seq: u64) -> Value {
        loop {
            let message = self.next();
            if message["type"] == "event" {
                self.take(message);
            } else if message["request_seq"] == seq {
                return message;
            }
        }
    }

    fn take(&mut self, event: Value) {
        if event["event"] == "output" {
            let text = |name: &str| event["body"][name].as_str().unwrap_or_default().to_owned();
            self.printed.push((text("category"), text("output")));
        } else {
            self.events.push_back(event);
        }
    }

    /// Sends a request that is granted. Returns the body of the answer.
    #[track_caller]
    pub fn ask(&mut self, command: &str, arguments: Value) -> Value {
        let seq = self.send(command, arguments);
        let answer = self.answer(seq);
        assert_eq!(answer["success"], true, "{answer}");
        answer["body"].clone()
    }

    /// Sends a request that is refused. Returns the message.
    #[track_caller]
    pub fn refused(&mut self, command: &str, arguments: Value) -> String {
        let seq = self.send(command, arguments);
        let answer = self.answer(seq);
        assert_eq!(answer["success"], false, "{answer}");
        answer["message"].as_str().expect("it has a message").to_owned()
    }

    /// Waits for an event. Returns its body. Events before it are dropped.
    pub fn wait(&mut self, event: &str) -> Value {
        loop {
            while let Some(one) = self.events.pop_front() {
                if one["event"] == event {
                    return one["body"].clone();
                }
            }
            let message = self.next();
            if message["type"] == "event" {
                self.take(message);
            }
        }
    }

    /// Lets the program go on by a request, and waits until it stands.
    #[track_caller]
    pub fn go(&mut self, command: &str) -> Value {
        self.ask(command, json!({ "threadId": 0 }));
        self.wait("stopped")
    }

    /// The functions on a thread's stack, with their lines.
    #[track_caller]
    pub fn stack(&mut self, thread: u64) -> Vec<(String, u64)> {
        let frames = self.ask("stackTrace", json!({ "threadId": thread }));
        let frame = |frame: &Value| {
            let name = frame["name"].as_str().expect("it has a name").to_owned();
            (name, frame["line"].as_u64().expect("it has a line"))
        };
        frames["stackFrames"].as_array().expect("there are frames").iter().map(frame).collect()
    }

    /// The number of the innermost frame.
    #[track_caller]
    pub fn frame(&mut self) -> u64 {
        let frames = self.ask("stackTrace", json!({ "threadId": 0, "levels": 1 }));
        frames["stackFrames"][0]["id"].as_u64().expect("there is a frame")
    }

    /// The number of a scope of the innermost frame.
    #[track_caller]
    pub fn scope(&mut self, name: &str) -> u64 {
        let frame = self.frame();
        let scopes = self.ask("scopes", json!({ "frameId": frame }));
        let scopes = scopes["scopes"].as_array().expect("there are scopes").clone();
        let scope = scopes.iter().find(|scope| scope["name"] == name);
        scope.and_then(|scope| scope["variablesReference"].as_u64()).expect("it has the scope")
    }

    /// The variables of a scope or of a value.
    #[track_caller]
    pub fn variables(&mut self, reference: u64) -> Vec<Value> {
        let all = self.ask("variables", json!({ "variablesReference": reference }));
        all["variables"].as_array().expect("there are variables").clone()
    }

    /// The value of a local variable.
    #[track_caller]
    pub fn local(&mut self, name: &str) -> String {
        let locals = self.scope("Locals");
        let all = self.variables(locals);
        let found = all.iter().find(|one| one["name"] == name);
        let found = found.unwrap_or_else(|| panic!("no {name} in {all:?}"));
        found["value"].as_str().expect("it has a value").to_owned()
    }

    /// The value of an expression.
    #[track_caller]
    pub fn value(&mut self, expression: &str) -> String {
        let frame = self.frame();
        let value = self.ask("evaluate", json!({ "expression": expression, "frameId": frame }));
        value["result"].as_str().expect("it has a value").to_owned()
    }

    /// What was printed in a category.
    pub fn output(&self, category: &str) -> String {
        let of = self.printed.iter().filter(|(of, _)| of == category);
        of.map(|(_, text)| text.as_str()).collect()
    }

    /// Ends the input, and waits for the adapter's end. Returns its code and its errors.
    pub fn close(mut self) -> (i32, String) {
        drop(self.input.take());
        let status = self.process.wait().expect("it ends");
        let mut text = String::new();
        let errors = self.process.stderr.take();
        let _ = errors.map(|mut errors| errors.read_to_string(&mut text));
        (status.code().expect("no signal ends it"), text)
    }
}

fn message(stream: &mut impl BufRead) -> Option<Value> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).ok()? == 0 {
            return None;
        }
        match line.trim().split_once(':') {
            Some((_, number)) => length = number.trim().parse().ok()?,
            None => break,
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).ok()?;
    serde_json::from_slice(&body).ok()
}
