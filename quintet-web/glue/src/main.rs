//! Writes the JavaScript around `quintet-web`: `quintet-web-glue WASM FOLDER`.
//!
//! It is the library of the command `wasm-bindgen`, so that no such command has to be installed, in
//! the version that this workspace's lock file has. `cargo xtask web` calls it.

use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use wasm_bindgen_cli_support::Bindgen;

fn main() -> Result<()> {
    let arguments: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let [wasm, folder] = arguments.as_slice() else { bail!("usage: quintet-web-glue WASM FOLDER") };
    let mut bindgen = Bindgen::new();
    bindgen.input_path(wasm).web(true)?.typescript(false).omit_default_module_path(false);
    // Names of functions are half of the size, and only for debuggers.
    bindgen.remove_name_section(true).remove_producers_section(true);
    bindgen.generate(folder).with_context(|| format!("wasm-bindgen on {}", wasm.display()))
}
