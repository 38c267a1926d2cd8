//! Processes: applications in the Tock binary format, made from ELF files and put behind a kernel.

pub mod build;
pub mod credential;
pub mod flash;
pub mod held;
pub mod independent;
pub mod names;
pub mod pack;
pub mod place;
pub mod relocate;
pub mod tab;
pub mod tbf;

pub use tbf::Header;
