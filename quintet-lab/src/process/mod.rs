//! Processes: applications in the Tock binary format, made from ELF files and put behind a kernel.

pub mod pack;
pub mod place;
mod tbf;

pub use tbf::Header;
