//! Values of static data in Rust: what stands in the sources of a crate, without compiling them.

use anyhow::{Context, Result, bail};
use syn::{Expr, Lit};

/// A value.
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    /// A number.
    Number(u64),
    /// A text.
    Text(String),
    /// A path, as `None` or `MemoryRegionKind::Flash`, by its last part.
    Name(String),
    /// The elements of an array.
    List(Vec<Self>),
    /// The fields of a structure.
    Fields(Vec<(String, Self)>),
    /// A variant with a value, as `Some(1)`.
    Variant(String, Box<Self>),
}

impl Value {
    /// Reads an expression.
    ///
    /// # Errors
    /// The expression is no plain data.
    pub fn of(expression: &Expr) -> Result<Self> {
        Ok(match expression {
            Expr::Lit(literal) => match &literal.lit {
                Lit::Str(text) => Self::Text(text.value()),
                Lit::Int(number) => Self::Number(number.base10_parse()?),
                _ => Self::Name("?".into()),
            },
            Expr::Reference(reference) => Self::of(&reference.expr)?,
            Expr::Array(array) => {
                Self::List(array.elems.iter().map(Self::of).collect::<Result<_>>()?)
            }
            Expr::Path(path) => {
                let last = path.path.segments.last().context("an empty path")?;
                Self::Name(last.ident.to_string())
            }
            Expr::Struct(structure) => {
                let field = |field: &syn::FieldValue| match &field.member {
                    syn::Member::Named(name) => Ok((name.to_string(), Self::of(&field.expr)?)),
                    syn::Member::Unnamed(_) => bail!("a field without a name"),
                };
                Self::Fields(structure.fields.iter().map(field).collect::<Result<_>>()?)
            }
            Expr::Call(call) => {
                let Self::Name(name) = Self::of(&call.func)? else { bail!("a call of no name") };
                let first = call.args.first().context("a variant without a value")?;
                Self::Variant(name, Box::new(Self::of(first)?))
            }
            _ => Self::Name("?".into()),
        })
    }

    /// The field of a structure; nothing in any other value.
    pub fn field(&self, name: &str) -> Option<&Self> {
        match self {
            Self::Fields(fields) => {
                fields.iter().find(|(found, _)| found == name).map(|(_, value)| value)
            }
            Self::Variant(_, inner) => inner.field(name),
            _ => None,
        }
    }

    /// The text of a field; empty if there is none.
    pub fn text(&self, name: &str) -> &str {
        match self.field(name) {
            Some(Self::Text(text) | Self::Name(text)) => text,
            Some(Self::Variant(_, inner)) => match &**inner {
                Self::Text(text) => text,
                _ => "",
            },
            _ => "",
        }
    }

    /// The number of a field; 0 if there is none.
    pub fn number(&self, name: &str) -> u64 {
        match self.field(name) {
            Some(Self::Number(number)) => *number,
            Some(Self::Variant(_, inner)) => match **inner {
                Self::Number(number) => number,
                _ => 0,
            },
            _ => 0,
        }
    }

    /// The elements of a field; none if there is no list.
    pub fn list(&self, name: &str) -> &[Self] {
        match self.field(name) {
            Some(Self::List(elements)) => elements,
            _ => &[],
        }
    }
}

/// Returns the value of each `static` of a source file, by name.
///
/// # Errors
/// The text is no Rust.
pub fn statics(text: &str) -> Result<Vec<(String, Value)>> {
    let file = syn::parse_file(text)?;
    let mut found = Vec::new();
    for item in &file.items {
        if let syn::Item::Static(item) = item {
            found.push((item.ident.to_string(), Value::of(&item.expr)?));
        }
    }
    Ok(found)
}
