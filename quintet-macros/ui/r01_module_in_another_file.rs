//! R1: a macro sees one item, so the content of the module must stand in it.

#![no_std]
#![no_main]

#[quintet::app(device = lm3s6965)]
mod app;
