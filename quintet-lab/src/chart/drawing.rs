//! A state machine as data, in the words of its source.

use anyhow::bail;

/// A state machine.
#[derive(Clone, Debug, Default)]
pub struct Drawing {
    /// The machine's type.
    pub name: String,
    /// `true` if the macro refuses the machine, so that only its known part is drawn.
    pub is_draft: bool,
    /// The transition that starts the machine.
    pub initial: Option<Initial>,
    /// States and superstates, in the order of the text.
    pub states: Vec<State>,
    /// The transitions.
    pub edges: Vec<Edge>,
}

/// The transition that is taken when a composite, or the machine, is entered.
#[derive(Clone, Debug)]
pub struct Initial {
    /// The target state, by its place in [`Drawing::states`].
    pub target: usize,
    /// The action on the way.
    pub action: Option<String>,
}

/// A state or superstate.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// The state's name.
    pub name: String,
    /// The superstate, by its place in [`Drawing::states`].
    pub parent: Option<usize>,
    /// The action that runs at the entry.
    pub entry: Option<String>,
    /// The action that runs at the exit.
    pub exit: Option<String>,
    /// The initial transition, if the state has states inside.
    pub initial: Option<Initial>,
    /// The state's own data: names with types.
    pub storage: Vec<String>,
    /// The time after which the state's timer expires, and the timer.
    pub after: Option<[String; 2]>,
    /// `true` if the state completes its superstate.
    pub is_final: bool,
    /// The events that the active state defers.
    pub defer: Vec<String>,
    /// The events that the state handles without leaving.
    pub internal: Vec<Reaction>,
    /// For a field that holds a machine: the field's machine. Such an entry is no state. It is
    /// beside the states, and has a state of its own.
    pub machine: Option<String>,
}

/// A cause, and the action that follows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reaction {
    /// The event; `None` for a transition on completion.
    pub event: Option<String>,
    /// The condition.
    pub guard: Option<String>,
    /// The action.
    pub action: Option<String>,
}

/// A transition.
#[derive(Clone, Debug)]
pub struct Edge {
    /// The state whose handler takes the transition.
    pub from: usize,
    /// The state that the transition enters.
    pub to: usize,
    /// The kind of the transition.
    pub kind: Kind,
    /// The cause of the transition, and its action.
    pub reaction: Reaction,
}

/// The kinds of transitions.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Kind {
    /// Leaves and enters also a composite that contains the other end.
    External,
    /// Stays inside a composite that contains the other end.
    Local,
    /// To the state inside of the target that was active last.
    History,
    /// The same, through all levels below.
    DeepHistory,
}

impl Kind {
    /// The word for JSON.
    pub fn word(self) -> &'static str {
        match self {
            Self::External => "external",
            Self::Local => "local",
            Self::History => "history",
            Self::DeepHistory => "deep history",
        }
    }
}

impl Reaction {
    /// As UML writes it: `event [guard] / action`.
    pub fn text(&self) -> String {
        let [head, action] = self.parts();
        if head.is_empty() { action } else { format!("{head} {action}").trim_end().to_owned() }
    }

    /// The same in two parts: `event [guard]` and `/ action`.
    pub fn parts(&self) -> [String; 2] {
        let mut head = self.event.clone().unwrap_or_default();
        if let Some(guard) = &self.guard {
            let space = if head.is_empty() { "" } else { " " };
            head.push_str(&format!("{space}[{guard}]"));
        }
        let action = self.action.as_ref().map_or_else(String::new, |action| format!("/ {action}"));
        [head, action]
    }
}

impl Drawing {
    /// The states directly inside of `parent`, or of the machine, in the order of the text.
    pub fn children(&self, parent: Option<usize>) -> impl Iterator<Item = usize> {
        let inside = move |(_, state): &(usize, &State)| state.parent == parent;
        self.states.iter().enumerate().filter(inside).map(|(state, _)| state)
    }

    /// Returns `true` if there are states inside of `state`.
    pub fn is_composite(&self, state: usize) -> bool {
        self.children(Some(state)).next().is_some()
    }

    /// Returns the superstates of `state`, from the outermost on, with `state` itself as the last.
    pub fn path(&self, state: usize) -> Vec<usize> {
        let above = |&state: &usize| self.states.get(state).and_then(|state| state.parent);
        let mut path: Vec<_> =
            std::iter::successors(Some(state), above).take(self.states.len() + 1).collect();
        path.reverse();
        path
    }

    /// The machine's name, with a mark if it is a draft.
    pub fn heading(&self) -> String {
        let mark = if self.is_draft { " (draft)" } else { "" };
        format!("{}{mark}", self.name)
    }

    /// The name and the storage of a state.
    pub fn title(&self, state: usize) -> String {
        let State { name, storage, machine, .. } = &self.states[state];
        if let Some(machine) = machine {
            return format!("{name}: {machine}");
        }
        if storage.is_empty() { name.clone() } else { format!("{name} ({})", storage.join(", ")) }
    }

    /// Refuses superstates in a circle, and ends that don't exist. Other functions here rely on
    /// this check.
    pub fn check(self) -> anyhow::Result<Self> {
        let count = self.states.len();
        let initials = self.states.iter().filter_map(|state| state.initial.as_ref());
        let targets = initials.chain(&self.initial).map(|initial| initial.target);
        let parents = self.states.iter().filter_map(|state| state.parent);
        let ends = self.edges.iter().flat_map(|edge| [edge.from, edge.to]);
        if let Some(end) = targets.chain(parents).chain(ends).find(|&end| end >= count) {
            bail!("the machine {} has {count} states, and one is named by {end}", self.name);
        }
        let circle = (0..count).find(|&state| self.path(state).len() > count);
        if let Some(state) = circle {
            bail!(
                "the superstates of {} in the machine {} go round in a circle",
                self.states[state].name,
                self.name
            );
        }
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reaction_is_written_as_in_uml() {
        let reaction = |event: &str, guard: &str, action: &str| {
            let part = |text: &str| (!text.is_empty()).then(|| text.to_owned());
            Reaction { event: part(event), guard: part(guard), action: part(action) }.text()
        };
        assert_eq!(reaction("Eat(n)", "n > 0", "start"), "Eat(n) [n > 0] / start");
        assert_eq!(reaction("Done", "", ""), "Done");
        assert_eq!(reaction("", "full", ""), "[full]");
        assert_eq!(reaction("", "", "next"), "/ next");
    }

    #[test]
    fn what_is_no_tree_is_refused() {
        let state = |parent| State { name: "a".into(), parent, ..State::default() };
        let circle = Drawing {
            name: "M".into(),
            states: vec![state(Some(1)), state(Some(0))],
            ..Drawing::default()
        };
        let error = circle.check().unwrap_err().to_string();
        assert_eq!(error, "the superstates of a in the machine M go round in a circle");
        let nowhere =
            Drawing { name: "M".into(), states: vec![state(Some(7))], ..Drawing::default() };
        let error = nowhere.check().unwrap_err().to_string();
        assert_eq!(error, "the machine M has 1 states, and one is named by 7");
    }
}
