//! `cargo xtask web`: the simulator as a page for browsers, in a folder of static files.
//!
//! ```text
//!  quintet-web ── cargo, wasm-bindgen ──> quintet_web.js, quintet_web_bg.wasm ─┐
//!  quintet-web/page ── copied ──> index.html, style.css, page.js, worker.js ───┼──> target/web
//!  examples ── cargo ──> examples/*, examples/examples.json ───────────────────┘
//! ```
//! `server` serves the folder on this computer, `check` uses the page in a browser, and `speed`
//! compares it with the simulator as a program.

mod check;
mod examples;
mod server;
mod speed;
mod wasm;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use proof::firmware::{output, root};
use server::Server;

/// Make the page that runs the simulator in a browser, in target/web
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// Serve it on this computer, at PORT (8080 when none is named, 0: any free one)
    #[arg(
        long, value_name = "PORT", num_args = 0..=1, require_equals = true,
        default_missing_value = "8080"
    )]
    serve: Option<u16>,
    /// Use it in Chromium: every example must print what is written beside it, a wrong file must be
    /// refused in words, and nothing may be said on the console. Keeps pictures in target/web-check
    #[arg(long)]
    check: bool,
    /// Compare its speed in Chromium with the simulator's as a program
    #[arg(long)]
    speed: bool,
}

impl Arguments {
    /// Makes the page.
    pub fn run(&self) -> Result<()> {
        let folder = target().join("web");
        let bytes = make(&folder)?;
        println!("{}: {bytes} bytes, to be served from any folder", folder.display());
        if self.check {
            check::run(&folder)?;
        }
        if self.speed {
            speed::run(&folder)?;
        }
        match self.serve {
            Some(port) => serve(folder, port),
            None => {
                if !self.check && !self.speed {
                    println!("cargo xtask web --serve serves it here");
                }
                Ok(())
            }
        }
    }
}

/// Returns cargo's directory, as a path to be read if the directory exists.
fn target() -> PathBuf {
    let target = output().parent().map_or_else(|| root().join("target"), Path::to_path_buf);
    target.canonicalize().unwrap_or(target)
}

/// Makes the folder again. Returns its size in bytes.
fn make(folder: &Path) -> Result<u64> {
    if folder.exists() {
        fs::remove_dir_all(folder).with_context(|| folder.display().to_string())?;
    }
    fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    wasm::build(folder)?;
    let page = root().join("quintet-web/page");
    for entry in fs::read_dir(&page).with_context(|| page.display().to_string())? {
        let path = entry?.path();
        let to = folder.join(path.file_name().unwrap_or_default());
        fs::copy(&path, to).with_context(|| path.display().to_string())?;
    }
    examples::make(&folder.join("examples"))?;
    size(folder)
}

fn size(folder: &Path) -> Result<u64> {
    let mut bytes = 0;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let about = entry.metadata()?;
        bytes += if about.is_dir() { size(&entry.path())? } else { about.len() };
    }
    Ok(bytes)
}

/// Serves until the process is ended.
fn serve(folder: PathBuf, port: u16) -> Result<()> {
    let server = Server::start(vec![folder], port)?;
    println!("open http://{}/ in a browser; Ctrl-C ends it", server.address);
    server.wait()
}
