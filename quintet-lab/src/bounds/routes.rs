//! Each block as a list of steps, and the ways out of the block.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use quintet_sim::image::Image;

use super::atlas::{Atlas, Step, StepNumber};
use super::class::{Class, is_near};
use super::cost::Timing;
use super::graph::{Block, Exit, Program};
use super::states::{Place, RETURN};
use super::values::Values;

/// A block.
#[derive(Clone, Debug, Default)]
pub struct Route {
    /// The instructions before the last one.
    pub body: Vec<StepNumber>,
    /// The addresses behind these instructions.
    pub behind: Vec<u32>,
    /// The last instruction, with execution going on behind it. `None` if no values of registers
    /// are known, as no code leads to the block.
    pub on: Option<StepNumber>,
    /// The block that follows then.
    pub next: Option<usize>,
    /// The last instruction, with execution going elsewhere.
    pub away: Vec<Departure>,
}

/// A way out of a block.
#[derive(Clone, Debug)]
pub struct Departure {
    /// The last instruction.
    pub step: StepNumber,
    /// The target to which the cost belongs.
    pub counted: u32,
    /// The blocks to which the way leads.
    pub to: Rc<[usize]>,
    /// The pool and the home of these blocks, if many ways lead to the same ones.
    pub pool: Option<(Pool, u32)>,
}

/// Places to which many ways lead.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Pool {
    /// Calls of functions that are not known.
    Anyone,
    /// Returns to behind such calls.
    Open,
}

/// Places with the same home.
type Kinds = BTreeMap<u32, Rc<[usize]>>;

/// Makes routes.
struct Maker<'a, 'b> {
    image: &'a Image,
    timing: &'a Timing,
    atlas: &'a mut Atlas<'b>,
    numbers: HashMap<Place, usize>,
    places: Vec<Place>,
    /// The blocks behind calls of each function.
    sites: HashMap<u32, Kinds>,
    /// The blocks behind calls of functions that are not known.
    open: Kinds,
    /// The first blocks of all functions.
    anyone: Kinds,
}

/// Returns the routes of all blocks.
pub fn routes<'b>(
    image: &Image,
    program: &Program,
    values: &BTreeMap<Place, Values>,
    timing: &Timing,
    atlas: &mut Atlas<'b>,
) -> Vec<(Place, Route)> {
    let functions = program.functions.values();
    let places: Vec<Place> = functions
        .flat_map(|function| function.blocks.keys().map(|start| (function.entry, *start)))
        .collect();
    let numbers = places.iter().enumerate().map(|(number, place)| (*place, number)).collect();
    let mut maker = Maker {
        image,
        timing,
        atlas,
        numbers,
        places,
        sites: HashMap::new(),
        open: Kinds::new(),
        anyone: Kinds::new(),
    };
    let (sites, open) = sites(program);
    maker.sites = sites.into_iter().map(|(entry, all)| (entry, maker.kinds(&all))).collect();
    maker.open = maker.kinds(&open);
    maker.anyone = maker.kinds(&program.functions.keys().map(|&entry| (entry, entry)).collect());
    let places = maker.places.clone();
    let all = places.into_iter().map(|place| {
        let block = &program.functions[&place.0].blocks[&place.1];
        let values = values.get(&place).cloned();
        (place, values.map(|values| maker.route(place, block, values)).unwrap_or_default())
    });
    all.collect()
}

/// Returns the blocks behind calls of each function, and the blocks behind calls of functions that
/// are not known.
fn sites(program: &Program) -> (HashMap<u32, BTreeSet<Place>>, BTreeSet<Place>) {
    let mut sites: HashMap<u32, BTreeSet<Place>> = HashMap::new();
    let mut open = BTreeSet::new();
    let mut ends: BTreeSet<(u32, u32)> = BTreeSet::new();
    for function in program.functions.values() {
        for block in function.blocks.values() {
            match &block.exit {
                Exit::Calls { callees, then, .. } => {
                    let site = (function.entry, *then);
                    for callee in callees {
                        sites.entry(*callee).or_default().insert(site);
                    }
                    if callees.is_empty() {
                        open.insert(site);
                    }
                }
                Exit::Leaves { callees, .. } => {
                    ends.extend(callees.iter().map(|callee| (function.entry, *callee)));
                }
                Exit::FallsInto(callee) => {
                    ends.insert((function.entry, *callee));
                }
                _ => {}
            }
        }
    }
    // The return of a function that another one ends in is that one's return.
    let mut grown = true;
    while grown {
        grown = false;
        for (function, callee) in &ends {
            let more = sites.get(function).cloned().unwrap_or_default();
            let known = sites.entry(*callee).or_default();
            let before = known.len();
            known.extend(more);
            grown |= known.len() > before;
        }
    }
    (sites, open)
}

impl Maker<'_, '_> {
    fn kinds(&self, places: &BTreeSet<Place>) -> Kinds {
        let mut kinds: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for place in places {
            if let Some(number) = self.numbers.get(place) {
                kinds.entry(self.timing.far(place.1)).or_default().push(*number);
            }
        }
        kinds.into_iter().map(|(home, places)| (home, places.into())).collect()
    }

    fn route(&mut self, place: Place, block: &Block, mut values: Values) -> Route {
        let mut route = Route::default();
        let Some((last, body)) = block.instructions.split_last() else { return route };
        for instruction in body {
            let class = self.timing.class(instruction, &values);
            values.step(self.image, instruction);
            route.body.push(self.on(class, instruction.behind()));
            route.behind.push(instruction.behind());
        }
        let class = self.timing.class(last, &values);
        route.on = Some(self.on(class.clone(), last.behind()));
        route.next = next(place, block).and_then(|next| self.numbers.get(&next).copied());
        route.away = self.departures(place, &block.exit, (last.address, &class));
        route
    }

    fn on(&mut self, class: Class, behind: u32) -> StepNumber {
        let to = (class.behind(), self.timing.home(behind));
        self.atlas.step(Step { class, away: false, to })
    }

    fn away(&mut self, (from, class): (u32, &Class), target: u32) -> StepNumber {
        let to = (self.timing.target(from, target), self.timing.home(target));
        self.atlas.step(Step { class: class.clone(), away: true, to })
    }

    fn departures(&mut self, place: Place, exit: &Exit, from: (u32, &Class)) -> Vec<Departure> {
        let mut all = Vec::new();
        match exit {
            Exit::Jumps { to, .. } => {
                for &target in to {
                    all.push(self.departure(from, target, (place.0, target)));
                }
            }
            Exit::Calls { callees, .. } | Exit::Leaves { callees, .. } if !callees.is_empty() => {
                for &callee in callees {
                    all.push(self.departure(from, callee, (callee, callee)));
                }
            }
            Exit::Calls { .. } | Exit::Leaves { .. } => {
                let anyone = self.anyone.clone();
                self.away_to_kinds(&mut all, from, &anyone, Some(Pool::Anyone));
            }
            Exit::Returns { .. } => {
                let sites = self.sites.get(&place.0).cloned().unwrap_or_default();
                let open = self.open.clone();
                self.away_to_kinds(&mut all, from, &sites, None);
                self.away_to_kinds(&mut all, from, &open, Some(Pool::Open));
                if all.is_empty() {
                    // No caller is known: the cost is that of a return to the function itself.
                    let step = self.away(from, place.0);
                    all.push(Departure { step, counted: RETURN, to: [].into(), pool: None });
                }
            }
            _ => {}
        }
        all
    }

    fn departure(&mut self, from: (u32, &Class), target: u32, place: Place) -> Departure {
        let to = self.numbers.get(&place).copied();
        let step = self.away(from, target);
        Departure { step, counted: target, to: to.into_iter().collect(), pool: None }
    }

    /// Adds ways to all places of all kinds. Places nearby have ways of their own.
    fn away_to_kinds(
        &mut self,
        all: &mut Vec<Departure>,
        from: (u32, &Class),
        kinds: &Kinds,
        pool: Option<Pool>,
    ) {
        for (home, places) in kinds {
            let target = |place: &usize| self.places[*place].1;
            let (near, far): (Vec<usize>, Vec<usize>) =
                places.iter().partition(|place| is_near(from.0, target(place)));
            if let Some(first) = far.first().map(target) {
                // Not all of them are reached by this way if some are near.
                let pool = pool.filter(|_| near.is_empty()).map(|pool| (pool, *home));
                let to = if near.is_empty() { places.clone() } else { far.into() };
                let step = self.away(from, first);
                all.push(Departure { step, counted: RETURN, to, pool });
            }
            for place in near {
                let step = self.away(from, self.places[place].1);
                all.push(Departure { step, counted: RETURN, to: [place].into(), pool: None });
            }
        }
    }
}

/// Returns the block behind this one, if execution can go on there.
fn next(place: Place, block: &Block) -> Option<Place> {
    match &block.exit {
        Exit::Falls(next) => Some((place.0, *next)),
        Exit::FallsInto(function) => Some((*function, *function)),
        Exit::Calls { then, falls, .. } => falls.then_some((place.0, *then)),
        Exit::Jumps { falls, .. } | Exit::Leaves { falls, .. } | Exit::Returns { falls } => {
            falls.map(|next| (place.0, next))
        }
        // Behind a handler, states are those of its return.
        Exit::Stops | Exit::Traps { .. } => None,
    }
}
