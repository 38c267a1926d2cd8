//! Checks of the tree itself.

pub mod book;
pub mod browser;
pub mod chips;
pub mod command;
pub mod dependencies;
pub mod figures;
pub mod hals;
pub mod markdown;
pub mod new;
pub mod package;
pub mod pages;
pub mod rtl;
pub mod tidy;
pub mod web;
