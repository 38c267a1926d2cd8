//! Argument lists: `name = value, name, ..`, in any order, each at most once.
//!
//! An unreadable argument is reported and left out. The rest is read on, so that one run finds all
//! errors.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::FromStr;

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream, Parser};
use syn::{Error, Ident, LitBool, LitInt, Token};

use crate::errors::Errors;

/// The most instances of a function: the number of bits in a word of ready bits.
const INSTANCES_MAX: u8 = 32;

/// An argument.
pub struct Argument {
    /// The argument's name.
    pub name: Ident,
    /// The tokens behind `=`. `None` without a `=`.
    value: Option<TokenStream>,
}

/// Reads a list, and refuses repeated arguments.
pub fn read(tokens: TokenStream, errors: &mut Errors) -> Vec<Argument> {
    let mut arguments = Vec::<Argument>::new();
    for piece in pieces(tokens) {
        let Some(argument) = errors.ok(argument.parse2(piece)) else { continue };
        let name = &argument.name;
        if arguments.iter().any(|earlier| earlier.name == *name) {
            errors.at(name.span(), format!("`{name}` is given twice; keep one of the two"));
        } else {
            arguments.push(argument);
        }
    }
    arguments
}

/// The tokens between commas. Two commas in a row give an error later, because an empty piece has
/// no place for an error.
fn pieces(tokens: TokenStream) -> Vec<TokenStream> {
    let mut pieces = Vec::new();
    let mut piece = TokenStream::new();
    for token in tokens {
        let is_comma = matches!(&token, TokenTree::Punct(punct) if punct.as_char() == ',');
        if is_comma && !piece.is_empty() {
            pieces.push(std::mem::take(&mut piece));
        } else {
            piece.extend([token]);
        }
    }
    if !piece.is_empty() {
        pieces.push(piece);
    }
    pieces
}

/// Reads one argument.
fn argument(input: ParseStream<'_>) -> syn::Result<Argument> {
    if !input.peek(Ident::peek_any) {
        return Err(input.error("arguments are written `name = value`, with commas between them"));
    }
    let name = input.call(Ident::parse_any)?;
    if input.is_empty() {
        return Ok(Argument { name, value: None });
    }
    if !input.peek(Token![=]) {
        let message = format!("`{name}` is followed by `=` and its value, or by a comma");
        return Err(input.error(message));
    }
    input.parse::<Token![=]>()?;
    Ok(Argument { name, value: Some(input.parse()?) })
}

/// Advice for `name`, which is none of the arguments `known`: first the known argument that looks
/// like `name`, then `all` of them in words.
pub fn advice(name: &Ident, known: &[&str], all: &str) -> String {
    nearest(&name.to_string(), known).map_or_else(
        || format!("it takes {all}"),
        |word| format!("is `{word}` meant? It takes {all}"),
    )
}

/// Returns the known word that looks like `name`: a few letters differ, or more letters follow.
/// Otherwise, returns a word that is a part of `name`, or has a part of `name`.
fn nearest<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    let has = |one: &str, part: &str| one.split('_').any(|other| other == part);
    let rank = |word: &str| {
        let is_begun = name.len() > 2 && word.starts_with(name);
        if is_begun || distance(name, word) <= word.len().div_ceil(3) {
            Some(0)
        } else if has(name, word) {
            Some(1)
        } else {
            name.split('_').any(|part| part.len() > 2 && has(word, part)).then_some(2)
        }
    };
    let ranked = known.iter().filter_map(|word| Some((rank(word)?, distance(name, word), *word)));
    ranked.min().map(|(_, _, word)| word)
}

/// Returns how many letters you must insert, leave out, or replace to get from `a` to `b`.
pub fn distance(a: &str, b: &str) -> usize {
    let mut row = (0..=b.len()).collect::<Vec<_>>();
    for (above, letter) in a.bytes().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], above + 1);
        for (column, other) in b.bytes().enumerate() {
            let replaced = diagonal + usize::from(letter != other);
            diagonal = row[column + 1];
            row[column + 1] = replaced.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[b.len()]
}

impl Argument {
    /// Returns the tokens of the value. `example` shows the correct argument.
    pub fn value(&self, example: &str) -> syn::Result<&TokenStream> {
        let name = &self.name;
        self.value.as_ref().filter(|value| !value.is_empty()).ok_or_else(|| {
            Error::new(name.span(), format!("`{name}` needs a value, as in `{example}`"))
        })
    }

    /// The value as a `T`, or `message` at the value.
    pub fn parse<T: Parse>(&self, example: &str, message: &str) -> syn::Result<T> {
        self.parse_with(T::parse, example, message)
    }

    /// The value as `parser` reads it, or `message` at the value.
    pub fn parse_with<P: Parser>(
        &self,
        parser: P,
        example: &str,
        message: &str,
    ) -> syn::Result<P::Output> {
        let value = self.value(example)?;
        parser.parse2(value.clone()).map_err(|_| Error::new_spanned(value, message))
    }

    /// The value as a boolean.
    pub fn boolean(&self) -> syn::Result<bool> {
        let name = &self.name;
        let message = format!("`{name}` is `true` or `false`");
        Ok(self.parse::<LitBool>(&format!("{name} = true"), &message)?.value)
    }

    /// Returns `true` if a flag is set. A flag stands alone or has a boolean.
    pub fn flag(&self) -> syn::Result<bool> {
        if self.value.is_none() { Ok(true) } else { self.boolean() }
    }

    /// The content of a value in brackets.
    pub fn list(&self, example: &str) -> syn::Result<TokenStream> {
        let message = format!("`{}` is a list in brackets, as in `{example}`", self.name);
        let group = self.parse::<Group>(example, &message)?;
        if group.delimiter() == Delimiter::Bracket {
            Ok(group.stream())
        } else {
            Err(Error::new_spanned(group, message))
        }
    }

    /// Reads the value as a number without a suffix, with its literal. `reason` says why the value
    /// must be a literal, and `range` gives the allowed numbers. If the type allows more, the
    /// caller judges.
    pub fn number<N>(
        &self,
        range: &RangeInclusive<N>,
        example: &str,
        reason: &str,
    ) -> syn::Result<(N, LitInt)>
    where
        N: FromStr<Err: Display> + Display,
    {
        let name = &self.name;
        let message = format!("`{name}` is a number, as in `{example}`: {reason}");
        let literal = self.parse::<LitInt>(example, &message)?;
        if !literal.suffix().is_empty() {
            let digits = literal.base10_digits();
            let message = format!("`{name}` has no suffix: write `{name} = {digits}`");
            return Err(Error::new_spanned(literal, message));
        }
        let value = literal.base10_parse().map_err(|_| {
            let (least, most) = (range.start(), range.end());
            Error::new_spanned(&literal, format!("`{name}` is a number from {least} to {most}"))
        })?;
        Ok((value, literal))
    }

    /// Reads a number of things, from 1 to `most`. `says` tells what the number means.
    pub fn count(&self, most: u8, example: &str, says: &str) -> syn::Result<u8> {
        let reason = "memory is laid out before constants have values";
        let (value, literal) = self.number(&(1..=u16::from(most)), example, reason)?;
        match u8::try_from(value) {
            Ok(value) if (1..=most).contains(&value) => Ok(value),
            _ => {
                let message = format!("`{}` is from 1 to {most}: {says}", self.name);
                Err(Error::new_spanned(literal, message))
            }
        }
    }

    /// `instances = n`, of a function that is a `what`.
    pub fn instances(&self, what: &str) -> syn::Result<u8> {
        let says = format!("so many of this {what} there are, numbered from 0");
        self.count(INSTANCES_MAX, "instances = 5", &says)
    }
}
