//! A server of static files for this computer. A page sends results to one of its addresses.
//! Another address answers only after that: a client that loads it waits for the page.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use anyhow::{Context, Result, bail};

/// The address to which a page sends its results.
const RESULT: &str = "/result";
/// The address that answers once a page has sent a result.
const WAIT: &str = "/wait";
/// The interval of the checks for a result, and their total time.
const LOOK: Duration = Duration::from_millis(20);
const LOOKS_MAX: u32 = 5000;
/// The longest line of a request, and the longest result, in bytes.
const LINE_MAX: u64 = 8192;
const RESULT_MAX: u64 = 16 << 20;

/// A server at work, in threads of its own, until the process ends.
pub struct Server {
    /// The address on which the server listens.
    pub address: SocketAddr,
    results: Receiver<String>,
    listens: JoinHandle<()>,
}

impl Server {
    /// Serves the files of the folders, the first first.
    ///
    /// # Errors
    /// The port is taken.
    pub fn start(folders: Vec<PathBuf>, port: u16) -> Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))
            .with_context(|| format!("cannot serve at port {port}: name another, or 0 for any"))?;
        let address = listener.local_addr()?;
        let (sender, results) = mpsc::channel();
        let site = Arc::new(Site { folders, results: sender, has_result: AtomicBool::new(false) });
        let listens = thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let site = Arc::clone(&site);
                // A browser that goes away in the middle is no matter.
                thread::spawn(move || site.answer(stream).ok());
            }
        });
        Ok(Self { address, results, listens })
    }

    /// Waits for the next result of a page.
    ///
    /// # Errors
    /// None came in time.
    pub fn result(&self, patience: Duration) -> Result<String> {
        self.results.recv_timeout(patience).with_context(|| {
            format!("the page has sent no result within {} seconds", patience.as_secs())
        })
    }

    /// Serves on.
    pub fn wait(self) -> Result<()> {
        self.listens.join().ok().context("the server has ended")
    }
}

/// The served files and results.
struct Site {
    folders: Vec<PathBuf>,
    results: Sender<String>,
    has_result: AtomicBool,
}

impl Site {
    fn answer(&self, stream: TcpStream) -> Result<()> {
        let mut reader = BufReader::new(stream.try_clone()?);
        let (method, path, length) = request(&mut reader)?;
        match (method.as_str(), path.as_str()) {
            ("POST", RESULT) => {
                let mut body = String::new();
                reader.take(length.min(RESULT_MAX)).read_to_string(&mut body)?;
                // If a client only waits, no one takes the result.
                let _ = self.results.send(body);
                self.has_result.store(true, Ordering::Release);
                reply(stream, "204 No Content", "text/plain", b"")
            }
            (_, WAIT) => {
                let has_none = |_: &u32| !self.has_result.load(Ordering::Acquire);
                (0..LOOKS_MAX).take_while(has_none).for_each(|_| thread::sleep(LOOK));
                reply(stream, "204 No Content", "text/plain", b"")
            }
            _ => match self.folders.iter().find_map(|folder| fs::read(file(folder, &path)?).ok()) {
                Some(bytes) => reply(stream, "200 OK", kind(&path), &bytes),
                None => reply(stream, "404 Not Found", "text/plain", b"there is no such file\n"),
            },
        }
    }
}

/// The method, the path without its query, and the length of the body.
fn request(reader: &mut impl BufRead) -> Result<(String, String, u64)> {
    let mut line = || -> Result<String> {
        let mut line = String::new();
        reader.by_ref().take(LINE_MAX).read_line(&mut line)?;
        Ok(line.trim_end().to_owned())
    };
    let first = line()?;
    let mut words = first.split(' ');
    let (Some(method), Some(path)) = (words.next(), words.next()) else { bail!("no request") };
    let path = path.split('?').next().unwrap_or(path).to_owned();
    let mut length = 0;
    loop {
        let header = line()?;
        if header.is_empty() {
            return Ok((method.to_owned(), path, length));
        }
        if let Some(value) = header.to_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse()?;
        }
    }
}

/// Returns the file of a path; `None` if the path leaves the folder.
fn file(folder: &Path, path: &str) -> Option<PathBuf> {
    let path = path.strip_prefix('/')?;
    let path = if path.is_empty() || path.ends_with('/') {
        format!("{path}index.html")
    } else {
        path.to_owned()
    };
    let is_plain =
        |part: &str| !part.is_empty() && !part.starts_with('.') && !part.contains(['\\', ':', '%']);
    path.split('/').all(is_plain).then(|| folder.join(path))
}

fn kind(path: &str) -> &'static str {
    match path.rsplit('.').next().unwrap_or_default() {
        "css" => "text/css",
        "js" => "text/javascript",
        "json" => "application/json",
        "wasm" => "application/wasm",
        "elf" | "tbf" => "application/octet-stream",
        "toml" => "text/plain",
        _ => "text/html",
    }
}

fn reply(mut stream: TcpStream, status: &str, kind: &str, bytes: &[u8]) -> Result<()> {
    let length = bytes.len();
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n\
         Cache-Control: no-store\r\nConnection: close\r\n\r\n"
    )?;
    stream.write_all(bytes)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_stay_in_the_folder() {
        let of = |path: &str| file(Path::new("web"), path);
        assert_eq!(of("/"), Some(PathBuf::from("web/index.html")));
        assert_eq!(of("/examples/a.elf"), Some(PathBuf::from("web/examples/a.elf")));
        for path in ["/../secret", "/a/../../b", "//etc/passwd", "/.git/config", "/%2e%2e/b", "x"] {
            assert_eq!(of(path), None, "{path}");
        }
    }

    #[test]
    fn a_request_is_read_as_browsers_write_it() {
        let text = "POST /result?x=1 HTTP/1.1\r\nHost: a\r\nContent-Length: 12\r\n\r\nbody";
        let read = request(&mut text.as_bytes()).unwrap();
        assert_eq!(read, ("POST".to_owned(), "/result".to_owned(), 12));
        assert!(request(&mut "\r\n".as_bytes()).is_err());
    }
}
