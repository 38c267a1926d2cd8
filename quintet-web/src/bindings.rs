//! What JavaScript sees. Structured values go as JSON, which both sides have.

use quintet_sim::board::Board;
use serde_json::json;
use wasm_bindgen::prelude::*;

use crate::files::File;
use crate::session::{Options, Session};

/// The built-in boards as JSON: a list of objects with `name` and `description`.
#[wasm_bindgen]
pub fn boards() -> String {
    let boards = Board::names().filter_map(|name| Board::named(name).ok());
    let boards =
        boards.map(|board| json!({ "name": board.name, "description": board.description }));
    serde_json::Value::from_iter(boards).to_string()
}

/// The files of a run, while they are collected.
#[wasm_bindgen]
#[derive(Default)]
pub struct Files(Vec<File>);

#[wasm_bindgen]
impl Files {
    /// None yet.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        Self::default()
    }

    /// One more.
    pub fn add(&mut self, name: String, bytes: Vec<u8>) {
        self.0.push(File { name, bytes });
    }
}

/// A run: see [`Session`].
#[wasm_bindgen]
pub struct Run {
    session: Session,
}

#[wasm_bindgen]
impl Run {
    /// Opens the files. `options` is JSON: see [`Options`].
    ///
    /// # Errors
    /// What is wrong with the files, for people.
    #[wasm_bindgen(constructor)]
    pub fn new(files: &Files, options: &str) -> Result<Self, JsError> {
        let options: Options = serde_json::from_str(options)?;
        let session = Session::new(&files.0, &options).map_err(|error| in_words(&error))?;
        Ok(Self { session })
    }

    /// Goes on for a slice; the [report](crate::session::Report) as JSON.
    ///
    /// # Errors
    /// None that a browser can have.
    pub fn slice(&mut self) -> Result<String, JsError> {
        let report = self.session.slice().map_err(|error| in_words(&error))?;
        Ok(serde_json::to_string(&report)?)
    }

    /// Ends the run; the last report as JSON.
    ///
    /// # Errors
    /// None.
    pub fn stop(&mut self) -> Result<String, JsError> {
        Ok(serde_json::to_string(&self.session.stop())?)
    }

    /// The timeline as a page, if it was recorded.
    pub fn timeline(&mut self) -> Option<String> {
        self.session.timeline()
    }

    /// The profile as JSON with `table` (as `quintet profile --json` has it) and `flame`, an SVG
    /// picture; if there is one.
    ///
    /// # Errors
    /// None that a browser can have.
    pub fn profile(&self) -> Result<Option<String>, JsError> {
        let Some(profile) = self.session.profile() else { return Ok(None) };
        // Of a run without a cycle there is nothing to draw.
        let flame = self.session.flame_graph(&profile).ok();
        Ok(Some(json!({ "table": profile, "flame": flame }).to_string()))
    }
}

fn in_words(error: &anyhow::Error) -> JsError {
    JsError::new(&quintet_lab::output::in_words(error))
}
