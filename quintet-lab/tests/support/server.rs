//! Servers for GDB that tests start in place of a chip.

use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use super::{Finished, quintet};

/// A process that ends with the test.
pub struct Server {
    process: Child,
    pub address: String,
}

impl Server {
    /// A running `quintet run --gdb=0`.
    pub fn start(file: &str) -> Self {
        Self::start_on("lm3s6965", file)
    }

    /// The same on another board.
    pub fn start_on(board: &str, file: &str) -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_quintet"))
            .args(["run", "--gdb=0", "--board", board, file])
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(process.stderr.take().unwrap()).read_line(&mut line).unwrap();
        let port: u16 = line.trim_end().rsplit(':').next().unwrap().parse().unwrap();
        Self { process, address: format!("127.0.0.1:{port}") }
    }

    /// QEMU, halted at the reset; `None` where there is none.
    pub fn qemu(machine: &str, file: &str, options: &[&str]) -> Option<Self> {
        // A port that was just free.
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let process = Command::new("qemu-system-arm")
            .args(["-machine", machine, "-display", "none", "-S", "-kernel", file])
            .args(["-gdb", &format!("tcp:127.0.0.1:{port}"), "-semihosting"])
            .args(options)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        let Ok(process) = process else {
            eprintln!("skipped: qemu-system-arm is not installed");
            return None;
        };
        Some(Self { process, address: format!("127.0.0.1:{port}") })
    }

    /// Calls a command with the server's address, again until the server has opened its port.
    pub fn asked(&self, line: &[&str], options: &[&str]) -> Finished {
        let line = [line, &["--gdb-remote", &self.address], options].concat();
        let mut run = quintet(&line);
        for _ in 0..100 {
            if !run.stderr.contains("no server answers") {
                break;
            }
            std::thread::sleep(Duration::from_millis(100));
            run = quintet(&line);
        }
        run
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
