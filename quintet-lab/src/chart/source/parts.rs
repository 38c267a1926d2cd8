//! Machines inside of machines: fields of a machine's struct that hold another one.

use crate::chart::State;
use quintet_charts::lines;
use std::collections::BTreeSet;
use syn::visit::{self, Visit};
use syn::{Fields, GenericArgument, PathArguments, PathSegment};

/// The name of the type of a machine that runs.
const MACHINE: &str = "Machine";

/// Returns the fields that hold a machine of one of these names, as entries of a drawing.
pub fn of(fields: &Fields, names: &BTreeSet<String>) -> Vec<State> {
    let fields = fields.iter().enumerate().flat_map(|(place, field)| {
        let name = field.ident.as_ref().map_or_else(|| place.to_string(), ToString::to_string);
        let mut held = Held { names, found: Vec::new() };
        held.visit_type(&field.ty);
        held.found.into_iter().map(move |machine| (name.clone(), machine))
    });
    fields
        .map(|(name, machine)| State { name, machine: Some(machine), ..State::default() })
        .collect()
}

/// The machines that a type holds: `Machine<Name>`, alone or in an array or a tuple.
struct Held<'a> {
    names: &'a BTreeSet<String>,
    found: Vec<String>,
}

impl Visit<'_> for Held<'_> {
    fn visit_path_segment(&mut self, segment: &PathSegment) {
        if segment.ident == MACHINE
            && let PathArguments::AngleBracketed(arguments) = &segment.arguments
            && let Some(GenericArgument::Type(of)) = arguments.args.first()
        {
            let name = lines::name(of);
            if self.names.contains(&name) {
                self.found.push(name);
            }
        }
        visit::visit_path_segment(self, segment);
    }
}
