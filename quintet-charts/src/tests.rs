//! Tests of the library without the macro.
