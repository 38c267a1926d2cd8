//! The arguments of requests, as far as they are used. Names are those of the protocol.

use serde::Deserialize;

/// Of `initialize`.
#[derive(Deserialize, Clone, Debug)]
#[serde(rename_all = "camelCase", default)]
pub struct Initialize {
    pub lines_start_at1: bool,
    pub columns_start_at1: bool,
    pub path_format: String,
}

impl Default for Initialize {
    fn default() -> Self {
        Self { lines_start_at1: true, columns_start_at1: true, path_format: "path".into() }
    }
}

/// A source file.
#[derive(Deserialize, Clone, Default, Debug)]
#[serde(rename_all = "camelCase", default)]
pub struct Source {
    pub path: Option<String>,
    pub name: Option<String>,
}

/// Of `setBreakpoints`.
#[derive(Deserialize, Clone, Default, Debug)]
#[serde(rename_all = "camelCase", default)]
pub struct SetBreakpoints {
    pub source: Source,
    pub breakpoints: Vec<Wanted>,
    pub lines: Vec<i64>,
}

/// A breakpoint: of a line, a function, an instruction, or data.
#[derive(Deserialize, Clone, PartialEq, Eq, Default, Debug)]
#[serde(rename_all = "camelCase", default)]
pub struct Wanted {
    pub line: i64,
    pub name: String,
    pub instruction_reference: String,
    pub offset: i64,
    pub data_id: String,
    pub access_type: Option<String>,
    pub condition: Option<String>,
    pub hit_condition: Option<String>,
    pub log_message: Option<String>,
}

/// Of `setFunctionBreakpoints`, `setInstructionBreakpoints` and `setDataBreakpoints`.
#[derive(Deserialize, Clone, Default, Debug)]
#[serde(rename_all = "camelCase", default)]
pub struct SetOthers {
    pub breakpoints: Vec<Wanted>,
}

/// Of `setExceptionBreakpoints`.
#[derive(Deserialize, Clone, Default, Debug)]
#[serde(rename_all = "camelCase", default)]
pub struct SetExceptions {
    pub filters: Vec<String>,
}

/// Of `breakpointLocations`.
#[derive(Deserialize, Clone, Default, Debug)]
#[serde(rename_all = "camelCase", default)]
pub struct Locations {
    pub source: Source,
    pub line: i64,
    pub end_line: Option<i64>,
}

/// Of `dataBreakpointInfo`.
#[derive(Deserialize, Clone, Default, Debug)]
#[serde(rename_all = "camelCase", default)]
pub struct DataInfo {
    pub variables_reference: Option<usize>,
    pub name: String,
    pub frame_id: Option<usize>,
}

/// Of requests about a thread.
#[derive(Deserialize, Clone, Default, Debug)]
#[serde(rename_all = "camelCase", default)]
pub struct OfThread {
    pub thread_id: usize,
    pub granularity: Option<String>,
    pub start_frame: usize,
    pub levels: usize,
}

/// Of `scopes`.
#[derive(Deserialize, Clone, Default, Debug)]
#[serde(rename_all = "camelCase", default)]
pub struct Scopes {
    pub frame_id: usize,
}

/// Of `variables`.
#[derive(Deserialize, Clone, Default, Debug)]
#[serde(rename_all = "camelCase", default)]
pub struct Variables {
    pub variables_reference: usize,
    pub filter: Option<String>,
    pub start: u32,
    pub count: u32,
}

/// Of `setVariable` and `setExpression`.
#[derive(Deserialize, Clone, Default, Debug)]
#[serde(rename_all = "camelCase", default)]
pub struct Set {
    pub variables_reference: usize,
    pub name: String,
    pub expression: String,
    pub frame_id: Option<usize>,
    pub value: String,
}

/// Of `evaluate`.
#[derive(Deserialize, Clone, Default, Debug)]
#[serde(rename_all = "camelCase", default)]
pub struct Evaluate {
    pub expression: String,
    pub frame_id: Option<usize>,
    pub context: Option<String>,
}

/// Of `readMemory`, `writeMemory` and `disassemble`.
#[derive(Deserialize, Clone, Default, Debug)]
#[serde(rename_all = "camelCase", default)]
pub struct Memory {
    pub memory_reference: String,
    pub offset: i64,
    pub count: i64,
    pub data: String,
    pub instruction_offset: i64,
    pub instruction_count: i64,
}
