//! The simulator and the lab in a browser: what the page in `quintet-web/page` calls.
//!
//! A *file* is what somebody drops on the page ([`files`]): firmware, a board, inputs, applications
//! of processes. A *session* is one run of them ([`session`]), which goes on slice by slice, so
//! that the page can show what is printed and stop it. `bindings` is all that JavaScript sees; they
//! are there for WebAssembly only.
//!
//! Nothing here simulates, draws or words anything: it is the same code as that of the command
//! `quintet`. `cargo xtask web` builds it for `wasm32-unknown-unknown` and makes the page.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::unreachable)]

#[cfg(target_family = "wasm")]
pub mod bindings;
pub mod files;
pub mod follower;
pub mod session;
mod texts;
