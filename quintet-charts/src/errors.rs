//! The errors of a machine: collected, so that one run reports all of them.

use std::fmt::Display;

use proc_macro2::Span;
use syn::Error;

/// The errors found so far.
#[derive(Default)]
pub struct Errors {
    combined: Option<Error>,
}

impl Errors {
    /// Adds an error.
    pub fn push(&mut self, error: Error) {
        match &mut self.combined {
            Some(combined) => combined.combine(error),
            None => self.combined = Some(error),
        }
    }

    /// Adds an error at one word.
    pub fn at(&mut self, span: Span, message: impl Display) {
        self.push(Error::new(span, message));
    }

    /// Returns the value of a result, or adds its error.
    pub fn ok<T>(&mut self, result: syn::Result<T>) -> Option<T> {
        result.map_err(|error| self.push(error)).ok()
    }

    /// Returns `true` if there are no errors.
    pub const fn is_empty(&self) -> bool {
        self.combined.is_none()
    }

    /// Returns `value` if there was no error.
    pub fn finish<T>(self, value: T) -> syn::Result<T> {
        self.combined.map_or(Ok(value), Err)
    }
}
