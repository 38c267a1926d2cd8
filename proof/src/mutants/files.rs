//! The files of a crate, from its root on, with those that the tests on the host build.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use syn::{Attribute, Item};

use super::conditions::{Place, place};

/// A file of a crate.
pub struct Source {
    /// Where it is, from the tree's root.
    pub path: PathBuf,
    /// Where it is built.
    pub place: Place,
}

/// Returns the files of the crate whose root is `path`, from the tree's root `tree` on.
pub fn of_crate(tree: &Path, path: &Path) -> Result<Vec<Source>> {
    let mut found = Vec::new();
    let directory = path.parent().unwrap_or(Path::new("")).to_owned();
    add(tree, path, &directory, Place::Both, &mut found)?;
    Ok(found)
}

/// Adds a file, and the files of its modules, which lie in `directory`.
fn add(
    tree: &Path,
    path: &Path,
    directory: &Path,
    place: Place,
    found: &mut Vec<Source>,
) -> Result<()> {
    let text = std::fs::read_to_string(tree.join(path)).with_context(|| path.display().to_string());
    let file = syn::parse_file(&text?).with_context(|| path.display().to_string())?;
    found.push(Source { path: path.to_owned(), place });
    add_modules(tree, &file.items, directory, place, found)
}

fn add_modules(
    tree: &Path,
    items: &[Item],
    directory: &Path,
    outer: Place,
    found: &mut Vec<Source>,
) -> Result<()> {
    for item in items {
        let Item::Mod(module) = item else { continue };
        let place = if outer == Place::Both { place(&module.attrs) } else { outer };
        let inner = directory.join(module.ident.to_string());
        if let Some((_, items)) = &module.content {
            add_modules(tree, items, &inner, place, found)?;
            continue;
        }
        let beside = directory.join(format!("{}.rs", module.ident));
        let path = match path_attribute(&module.attrs) {
            Some(path) => directory.join(path),
            None if tree.join(&beside).exists() => beside,
            None => inner.join("mod.rs"),
        };
        // The targets of `arch` choose among files by a condition.
        if place != Place::Target || tree.join(&path).exists() {
            add(tree, &path, &inner, place, found)?;
        }
    }
    Ok(())
}

/// Returns the path in an attribute of a module.
fn path_attribute(attributes: &[Attribute]) -> Option<String> {
    let value = attributes.iter().find_map(|attribute| match &attribute.meta {
        syn::Meta::NameValue(pair) if pair.path.is_ident("path") => Some(&pair.value),
        _ => None,
    })?;
    let syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) = value else { return None };
    Some(text.value())
}
