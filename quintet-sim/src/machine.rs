//! A whole microcontroller: processor, memory and devices of a board, under a tool's control.
