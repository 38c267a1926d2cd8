//! The errors of an application: collected, so that one run reports all of them.
//!
//! A message names the user's own words, the cause and the way out. A message points at the word
//! that the user would change.

use std::fmt::Display;

use proc_macro2::Span;
use quote::ToTokens;
use syn::Error;

/// The errors found so far.
#[derive(Default)]
pub struct Errors {
    combined: Option<Error>,
    count: usize,
}

impl Errors {
    /// Adds an error.
    pub fn push(&mut self, error: Error) {
        self.count += 1;
        match &mut self.combined {
            Some(combined) => combined.combine(error),
            None => self.combined = Some(error),
        }
    }

    /// Adds an error at one word.
    pub fn at(&mut self, span: Span, message: impl Display) {
        self.push(Error::new(span, message));
    }

    /// Adds an error that covers `tokens`, which must not be empty.
    pub fn on(&mut self, tokens: impl ToTokens, message: impl Display) {
        self.push(Error::new_spanned(tokens, message));
    }

    /// Returns the value of a result, or adds its error.
    pub fn ok<T>(&mut self, result: syn::Result<T>) -> Option<T> {
        result.map_err(|error| self.push(error)).ok()
    }

    /// Returns the number of errors so far. If the number grows during a read, a part could not be
    /// read.
    pub const fn count(&self) -> usize {
        self.count
    }

    /// Returns `value` if there was no error.
    pub fn finish<T>(self, value: T) -> syn::Result<T> {
        self.combined.map_or(Ok(value), Err)
    }
}
