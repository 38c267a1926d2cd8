//! The owners of every instruction: a function, and the units whose code is inlined there.

use super::units::{Application, is_closure};
use crate::firmware::Firmware;
use crate::firmware::code::executable;
use crate::firmware::symbols::demangle;
use std::collections::BTreeMap;

/// Code and its functions. Each region has its first address. Each halfword has the number of a
/// list of functions, the outermost first, and the number of the function that isn't inlined.
pub type Places = (Vec<(u32, Vec<(usize, u16)>)>, Vec<Vec<String>>);

/// Looks up every instruction of an image.
pub fn places(firmware: &Firmware) -> Places {
    let mut lists: BTreeMap<Vec<String>, usize> = BTreeMap::new();
    let mut bodies: BTreeMap<u32, u16> = BTreeMap::new();
    let mut regions = Vec::new();
    for (start, halfwords) in executable(&firmware.image) {
        let mut region = Vec::with_capacity(halfwords);
        for halfword in 0..halfwords {
            let address = start + 2 * halfword as u32;
            let symbol = firmware.image.function_at(address);
            let places = firmware.locate(address).into_iter().rev();
            let mut functions: Vec<String> = places.filter_map(|place| place.function).collect();
            if functions.is_empty() {
                functions.extend(symbol.map(|symbol| demangle(&symbol.name)));
            }
            let count = lists.len();
            let list = *lists.entry(functions).or_insert(count);
            let next = u16::try_from(bodies.len() + 1).unwrap_or(u16::MAX);
            let body = symbol.map_or(0, |symbol| *bodies.entry(symbol.address).or_insert(next));
            region.push((list, body));
        }
        regions.push((start, region));
    }
    let mut ordered: Vec<(Vec<String>, usize)> = lists.into_iter().collect();
    ordered.sort_by_key(|(_, number)| *number);
    (regions, ordered.into_iter().map(|(functions, _)| functions).collect())
}

/// The owners of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Cell {
    /// The number of a list of units, see [`Map::units`]; 0 for none.
    pub list: u16,
    /// The function around the instruction, not an inlined one; 0 if no function is known.
    pub body: u16,
}

/// The owners of every instruction.
#[derive(Clone, Default, Debug)]
pub struct Map {
    regions: Vec<(u32, Vec<Cell>)>,
    lists: Vec<Vec<u16>>,
}

impl Map {
    /// Makes the map of an image.
    pub fn of(firmware: &Firmware, application: &Application) -> Self {
        let (regions, functions) = places(firmware);
        let mut numbers: BTreeMap<Vec<u16>, u16> = BTreeMap::from([(Vec::new(), 0)]);
        let mut lists = vec![Vec::new()];
        let mut known: BTreeMap<(&str, Option<&str>), Option<u16>> = BTreeMap::new();
        let mut of_list = Vec::new();
        for list in &functions {
            let mut units: Vec<u16> = Vec::new();
            let mut outer = None;
            for function in list {
                let unit = || application.unit_of(function, outer);
                let unit = *known.entry((function, outer)).or_insert_with(unit);
                units.extend(unit.filter(|unit| !units.contains(unit)));
                // What a closure calls is called by the function around it.
                outer = if is_closure(function) { outer } else { Some(function.as_str()) };
            }
            let next = u16::try_from(lists.len()).unwrap_or(0);
            of_list.push(*numbers.entry(units.clone()).or_insert_with(|| {
                lists.push(units);
                next
            }));
        }
        let cells = |cells: Vec<(usize, u16)>| {
            cells.into_iter().map(|(list, body)| Cell { list: of_list[list], body }).collect()
        };
        let regions = regions.into_iter().map(|(start, all)| (start, cells(all))).collect();
        Self { regions, lists }
    }

    /// Made by hand.
    #[cfg(test)]
    pub fn at(start: u32, cells: &[(u16, u16)], lists: &[&[u16]]) -> Self {
        let cells = cells.iter().map(|(list, body)| Cell { list: *list, body: *body }).collect();
        let lists = lists.iter().map(|list| list.to_vec()).collect();
        Self { regions: vec![(start, cells)], lists }
    }

    /// Returns the owners of the instruction at `address`.
    #[inline]
    pub fn cell(&self, address: u32) -> Cell {
        let found = self
            .regions
            .iter()
            .find_map(|(start, cells)| cells.get((address.wrapping_sub(*start) / 2) as usize));
        found.copied().unwrap_or_default()
    }

    /// Returns `true` if a function begins there.
    pub fn is_start(&self, address: u32) -> bool {
        let body = self.cell(address).body;
        body != 0 && self.cell(address.wrapping_sub(2)).body != body
    }

    /// Returns the units of a list, the outermost first.
    pub fn units(&self, list: u16) -> &[u16] {
        self.lists.get(usize::from(list)).map_or(&[], Vec::as_slice)
    }

    /// Returns `true` if any instruction belongs to the unit.
    pub fn has(&self, unit: u16) -> bool {
        self.lists.iter().any(|list| list.contains(&unit))
    }
}
