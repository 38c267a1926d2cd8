//! The variables of a function at an address: its arguments and locals, and those of the functions
//! that are inlined there.

use super::evaluate::{Content, State, content};
use super::types::Key;
use super::types::read::{kind, name};
use super::{DebugInfo, Reader};
use gimli::{AttributeValue, DebuggingInformationEntry, Expression, UnitRef};

/// A function at one place has at most so many variables.
const VARIABLES_MAX: usize = 4096;

/// A variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variable {
    /// The variable's name.
    pub name: String,
    /// `true` for an argument of the function.
    pub is_argument: bool,
    /// The variable's type.
    pub kind: Option<Key>,
    /// Where it is; `None` if it is optimised out here.
    pub content: Option<Content>,
}

/// What the walk is in.
struct Inside {
    depth: isize,
    variables: Vec<Variable>,
}

impl DebugInfo {
    /// Returns the variables at the address of `state`: those of the innermost inlined function
    /// first, those of the function that has all this code last.
    pub fn variables(&self, state: &State<'_>) -> Vec<Vec<Variable>> {
        let here = self.variables_here(state);
        if here.is_some() {
            return here.unwrap_or_default();
        }
        let others = self.also.iter().find_map(|also| {
            let address = also.linked(state.address)?;
            also.debug.variables_here(&State { address, ..*state })
        });
        others.unwrap_or_default()
    }

    fn variables_here(&self, state: &State<'_>) -> Option<Vec<Vec<Variable>>> {
        let dwarf = self.dwarf()?;
        let address = u64::from(state.address);
        let holds = |unit: &UnitRef<'_, Reader>| {
            let Ok(mut ranges) = unit.unit_ranges() else { return false };
            while let Ok(Some(range)) = ranges.next() {
                if (range.begin..range.end).contains(&address) {
                    return true;
                }
            }
            false
        };
        let mut units = self.units().iter().map(|unit| unit.unit_ref(dwarf));
        let unit = units.find(holds)?;
        let mut functions = Vec::new();
        // Damaged information ends the list.
        let _ = self.read_unit(&unit, state, &mut functions);
        (!functions.is_empty()).then(|| {
            functions.reverse();
            functions
        })
    }

    fn read_unit(
        &self,
        unit: &UnitRef<'_, Reader>,
        state: &State<'_>,
        functions: &mut Vec<Vec<Variable>>,
    ) -> gimli::Result<()> {
        let mut open: Vec<Inside> = Vec::new();
        let mut base = None;
        let mut skipped: Option<isize> = None;
        let mut entries = unit.entries();
        let mut count = 0;
        while let Some(entry) = entries.next_dfs()? {
            let depth = entry.depth();
            if skipped.is_some_and(|above| depth > above) {
                continue;
            }
            skipped = None;
            if open.first().is_some_and(|first| depth <= first.depth) {
                // The function is over.
                break;
            }
            let is_code = match entry.tag() {
                gimli::DW_TAG_subprogram
                | gimli::DW_TAG_inlined_subroutine
                | gimli::DW_TAG_lexical_block => true,
                gimli::DW_TAG_formal_parameter | gimli::DW_TAG_variable => {
                    if let Some(inside) = open.iter_mut().rev().find(|inside| inside.depth < depth)
                        && count < VARIABLES_MAX
                    {
                        count += 1;
                        let variable = self.variable(unit, entry, (state, base.as_ref()));
                        inside.variables.extend(variable);
                    }
                    false
                }
                // Types have parts that look like variables.
                gimli::DW_TAG_structure_type | gimli::DW_TAG_enumeration_type => {
                    skipped = Some(depth);
                    false
                }
                _ => false,
            };
            if !is_code {
                continue;
            }
            if !contains(unit, entry, state.address) {
                skipped = Some(depth);
            } else if entry.tag() != gimli::DW_TAG_lexical_block {
                if entry.tag() == gimli::DW_TAG_subprogram {
                    base = expression(unit, entry, gimli::DW_AT_frame_base, state.address);
                }
                open.push(Inside { depth, variables: Vec::new() });
            }
        }
        functions.extend(open.into_iter().map(|inside| inside.variables));
        Ok(())
    }

    fn variable(
        &self,
        unit: &UnitRef<'_, Reader>,
        entry: &DebuggingInformationEntry<Reader>,
        (state, base): (&State<'_>, Option<&Expression<Reader>>),
    ) -> Option<Variable> {
        let (name, kind) = self.described(unit, entry, 0)?;
        let size = kind.map_or(4, |kind| {
            let types = self.types();
            types.size(types.resolved(kind))
        });
        let located = expression(unit, entry, gimli::DW_AT_location, state.address);
        let content = match located {
            Some(location) => content(location, unit.encoding(), (state, base), size),
            // What has no bytes is nowhere, and yet known.
            None if size == 0 => Some(Content::Bytes(Vec::new())),
            None => constant(entry, size),
        };
        let is_argument = entry.tag() == gimli::DW_TAG_formal_parameter;
        Some(Variable { name, is_argument, kind, content })
    }

    /// The name and the type of a variable, which may stand where it was declared.
    fn described(
        &self,
        unit: &UnitRef<'_, Reader>,
        entry: &DebuggingInformationEntry<Reader>,
        depth: u32,
    ) -> Option<(String, Option<Key>)> {
        let own = name(unit, entry);
        if !own.is_empty() {
            return Some((own, kind(unit, entry)));
        }
        let origin = entry.attr_value(gimli::DW_AT_abstract_origin).filter(|_| depth < 4)?;
        match origin {
            AttributeValue::UnitRef(offset) => {
                self.described(unit, &unit.entry(offset).ok()?, depth + 1)
            }
            AttributeValue::DebugInfoRef(offset) => {
                let dwarf = self.dwarf()?;
                self.units().iter().find_map(|unit| {
                    let offset = offset.to_unit_offset(&unit.header)?;
                    let unit = unit.unit_ref(dwarf);
                    self.described(&unit, &unit.entry(offset).ok()?, depth + 1)
                })
            }
            _ => None,
        }
    }
}

/// Returns `true` if the code of an entry is at the address too.
fn contains(
    unit: &UnitRef<'_, Reader>,
    entry: &DebuggingInformationEntry<Reader>,
    address: u32,
) -> bool {
    let Ok(mut ranges) = unit.die_ranges(entry) else { return false };
    while let Ok(Some(range)) = ranges.next() {
        if (range.begin..range.end).contains(&u64::from(address)) {
            return true;
        }
    }
    false
}

/// The expression of an attribute, which may be another one at each address.
fn expression(
    unit: &UnitRef<'_, Reader>,
    entry: &DebuggingInformationEntry<Reader>,
    attribute: gimli::DwAt,
    address: u32,
) -> Option<Expression<Reader>> {
    let value: AttributeValue<Reader> = entry.attr_value(attribute)?;
    if let Some(expression) = value.exprloc_value() {
        return Some(expression);
    }
    let mut list = unit.attr_locations(value).ok()??;
    while let Ok(Some(one)) = list.next() {
        if (one.range.begin..one.range.end).contains(&u64::from(address)) {
            return Some(one.data);
        }
    }
    None
}

/// The value of a variable that is the same everywhere.
fn constant(entry: &DebuggingInformationEntry<Reader>, size: u32) -> Option<Content> {
    let value: AttributeValue<Reader> = entry.attr_value(gimli::DW_AT_const_value)?;
    let size = usize::try_from(size).ok()?;
    if let AttributeValue::Block(block) = value {
        let bytes = gimli::Reader::to_slice(&block).ok()?;
        return Some(Content::Bytes(bytes.iter().copied().map(Some).take(size).collect()));
    }
    let number = value.sdata_value().map(i64::cast_unsigned).or_else(|| value.udata_value())?;
    Some(Content::Bytes(number.to_le_bytes().into_iter().map(Some).take(size).collect()))
}
