//! Prints a chart as source in the language of `quintet::state_machine`.
//!
//! Besides Quintet, the printed code uses `support.rs`: events, the log, and the driver of a
//! machine.

use std::fmt::{self, Write};

use super::chart::{
    Action, Arm, Branch, Chart, Condition, Effect, Guard, Initial, Kind, NAMES, Outcome, PLAIN,
    Pattern, State, Style, Target,
};

/// The forms that a machine's code can have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// As the framework's optimisation says.
    Default,
    /// A straight line for each leaf.
    Fast,
    /// Loops that look ways up.
    Compact,
}

impl Form {
    /// The form in a word.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Fast => "fast",
            Self::Compact => "compact",
        }
    }
}

/// Both forms, which must do the same.
pub const FORMS: [Form; 2] = [Form::Fast, Form::Compact];

/// The source of a module with the chart.
pub fn module(chart: &Chart, title: &str, form: Form) -> String {
    let mut text = String::new();
    // Writing to a string doesn't fail.
    let _ = Printer { chart, form, text: &mut text }.module(title);
    text
}

struct Printer<'a> {
    chart: &'a Chart,
    form: Form,
    text: &'a mut String,
}

impl Printer<'_> {
    fn module(&mut self, title: &str) -> fmt::Result {
        writeln!(self.text, "//! {title}\n")?;
        writeln!(self.text, "use quintet::chart::prelude::*;\n")?;
        let also = if self.chart.waits { ", pause, wait_for" } else { "" };
        writeln!(self.text, "use super::support::{{Context, Driven, Event, Recorder{also}}};\n")?;
        writeln!(self.text, "/// The machine.\npub struct Chart(Recorder);\n")?;
        self.attribute()?;
        writeln!(self.text, "impl Chart {{")?;
        for index in 0..self.chart.states.len() {
            self.state(index)?;
        }
        writeln!(self.text, "}}\n")?;
        if let Some(number) = self.chart.unhandled {
            writeln!(self.text, "impl Chart {{")?;
            writeln!(self.text, "    fn unhandled(&mut self, _event: &Event) {{")?;
            writeln!(self.text, "        self.0.act({number});\n    }}\n}}\n")?;
        }
        self.driver()
    }

    fn attribute(&mut self) -> fmt::Result {
        let initial = self.target(self.chart.start);
        writeln!(self.text, "#[quintet::state_machine(")?;
        writeln!(self.text, "    initial = {initial},")?;
        match self.form {
            Form::Default => {}
            Form::Fast => writeln!(self.text, "    compact = false,")?,
            Form::Compact => writeln!(self.text, "    compact = true,")?,
        }
        if self.chart.deferred > 0 {
            writeln!(self.text, "    deferred = {},", self.chart.deferred)?;
        }
        if self.chart.unhandled.is_some() {
            writeln!(self.text, "    unhandled = Self::unhandled,")?;
        }
        writeln!(self.text, ")]")
    }

    fn state(&mut self, index: usize) -> fmt::Result {
        let chart = self.chart;
        let state = &chart.states[index];
        let attributes = self.attributes(index);
        let word = if chart.is_composite(index) { "superstate" } else { "state" };
        if attributes.is_empty() {
            writeln!(self.text, "    #[{word}]")?;
        } else {
            writeln!(self.text, "    #[{word}(")?;
            attributes.iter().try_for_each(|one| writeln!(self.text, "        {one},"))?;
            writeln!(self.text, "    )]")?;
        }
        let branches = || state.arms.iter().flat_map(|arm| &arm.branches);
        let mut parameters = Vec::new();
        if branches().any(|branch| uses_self(chart, branch)) {
            parameters.push("&mut self");
        }
        if state.storage && (!chart.is_composite(index) || branches().any(uses_own)) {
            parameters.push("own: &mut u8");
        }
        if !state.arms.is_empty() {
            parameters.push(if chart.by_value { "event: Event" } else { "event: &Event" });
        }
        if branches().any(|branch| uses_context(branch.action)) {
            parameters.push("context: &mut Context");
        }
        let parameters = parameters.join(", ");
        let (word, wait) = self.words();
        writeln!(self.text, "    {word}fn s{index}({parameters}) -> Outcome<State> {{{wait}")?;
        if state.arms.is_empty() {
            writeln!(self.text, "        Super")?;
        } else {
            writeln!(self.text, "        match event {{")?;
            state.arms.iter().try_for_each(|arm| self.arm(arm))?;
            writeln!(self.text, "            _ => Super,\n        }}")?;
        }
        writeln!(self.text, "    }}\n")?;
        self.actions(index, state)
    }

    /// Returns the words before `fn`, and behind the brace.
    const fn words(&self) -> (&'static str, &'static str) {
        if self.chart.waits { ("async ", "\n        pause().await;") } else { ("", "") }
    }

    fn attributes(&self, index: usize) -> Vec<String> {
        let state = &self.chart.states[index];
        let mut all = Vec::new();
        let word = if state.completes { "completes" } else { "superstate" };
        all.extend(state.parent.map(|parent| format!("{word} = s{parent}")));
        if let Some(Initial { target, action }) = &state.initial {
            all.push(format!("initial = {}", self.target(*target)));
            all.extend(action.map(|_| format!("initial_action = s{index}_initial")));
        }
        all.extend(state.entry.map(|_| format!("entry_action = s{index}_entry")));
        all.extend(state.exit.map(|_| format!("exit_action = s{index}_exit")));
        all.extend(state.timer.map(|number| format!("after = (self.0.timer({number}), {index})")));
        if !state.defer.is_empty() {
            let patterns: Vec<_> = state.defer.iter().map(Pattern::to_string).collect();
            all.push(format!("defer = [{}]", patterns.join(", ")));
        }
        if !state.completion.is_empty() {
            all.push(format!("on_completion = s{index}_next"));
        }
        all
    }

    /// The actions of a state, and its completion.
    fn actions(&mut self, index: usize, state: &State) -> fmt::Result {
        let initial = state.initial.as_ref().and_then(|initial| initial.action);
        let all = [("entry", state.entry), ("exit", state.exit), ("initial", initial)];
        for (name, action) in all {
            let Some(action) = action else { continue };
            let own = matches!(action.effect, Effect::Own { .. }).then_some("own: &mut u8");
            let context = uses_context(Some(action)).then_some("context: &mut Context");
            let parameters: Vec<_> =
                [Some("&mut self"), own, context].into_iter().flatten().collect();
            let parameters = parameters.join(", ");
            let (word, wait) = self.words();
            writeln!(
                self.text,
                "    #[action]\n    {word}fn s{index}_{name}({parameters}) {{{wait}"
            )?;
            let statement = self.statement(action, "self");
            writeln!(self.text, "        {statement};\n    }}\n")?;
        }
        if state.completion.is_empty() {
            return Ok(());
        }
        let uses = state.completion.iter().any(|branch| uses_context(branch.action));
        let context = if uses { ", context: &mut Context" } else { "" };
        let (word, wait) = self.words();
        let head = format!("{word}fn s{index}_next(&mut self{context})");
        writeln!(self.text, "    {head} -> Outcome<State> {{{wait}")?;
        self.ifs(&state.completion, 8)?;
        writeln!(self.text, "    }}\n")
    }

    fn arm(&mut self, arm: &Arm) -> fmt::Result {
        match arm.style {
            Style::Guards => arm.branches.iter().try_for_each(|branch| {
                let pattern = pattern(arm.pattern, std::slice::from_ref(branch));
                let guard = branch.guard.map(|guard| self.guard(guard));
                let guard = guard.map_or_else(String::new, |guard| format!(" if {guard}"));
                writeln!(self.text, "            {pattern}{guard} => {{")?;
                self.branch(branch, 16, "")?;
                writeln!(self.text, "            }}")
            }),
            Style::Ifs => {
                writeln!(self.text, "            {} => {{", pattern(arm.pattern, &arm.branches))?;
                self.ifs(&arm.branches, 16)?;
                writeln!(self.text, "            }}")
            }
            Style::Returns => {
                writeln!(self.text, "            {} => {{", pattern(arm.pattern, &arm.branches))?;
                for branch in &arm.branches {
                    let Some(guard) = branch.guard else {
                        self.branch(branch, 16, "")?;
                        continue;
                    };
                    writeln!(self.text, "                if {} {{", self.guard(guard))?;
                    self.branch(branch, 20, "return ")?;
                    writeln!(self.text, "                }}")?;
                }
                writeln!(self.text, "            }}")
            }
        }
    }

    /// Branches as `if`, `else if`, `else`.
    fn ifs(&mut self, branches: &[Branch], indent: usize) -> fmt::Result {
        let [first, ..] = branches else { return Ok(()) };
        if first.guard.is_none() {
            return self.branch(first, indent, "");
        }
        let mut word = String::new();
        for branch in branches {
            let condition = branch.guard.map(|guard| format!("if {} ", self.guard(guard)));
            let condition = condition.unwrap_or_default();
            if word.is_empty() {
                writeln!(self.text, "{:indent$}{condition}{{", "")?;
            } else {
                writeln!(self.text, "{:indent$}}} else {condition}{{", "")?;
            }
            self.branch(branch, indent + 4, "")?;
            "else".clone_into(&mut word);
        }
        writeln!(self.text, "{:indent$}}}", "")
    }

    /// Prints a branch's action and its outcome.
    fn branch(&mut self, branch: &Branch, indent: usize, word: &str) -> fmt::Result {
        if let Some(action) = branch.action {
            writeln!(self.text, "{:indent$}{};", "", self.statement(action, "self"))?;
        }
        let semicolon = if word.is_empty() { "" } else { ";" };
        let outcome = self.outcome(&branch.outcome);
        writeln!(self.text, "{:indent$}{word}{outcome}{semicolon}", "")
    }

    fn outcome(&self, outcome: &Outcome) -> String {
        let Outcome::Transition { kind, target, action } = outcome else {
            return format!("{outcome:?}");
        };
        let word = match kind {
            Kind::External => "Transition",
            Kind::Local => "Local",
            Kind::History => "History",
            Kind::DeepHistory => "DeepHistory",
        };
        let target = match kind {
            Kind::External | Kind::Local => self.target(*target),
            Kind::History | Kind::DeepHistory => format!("State::s{}()", target.state),
        };
        let Some(action) = *action else { return format!("{word}({target})") };
        let statement = self.statement(action, "this");
        let context = if self.chart.context { ", context" } else { "" };
        format!("{word}({target}, |this{context}| {statement})")
    }

    fn target(&self, target: Target) -> String {
        let is_composite = self.chart.is_composite(target.state);
        if self.chart.states[target.state].storage && !is_composite {
            match target.variable {
                Some(variable) => format!("State::s{}(self.0.v[{variable}])", target.state),
                None => format!("State::s{}({})", target.state, target.argument),
            }
        } else {
            format!("State::s{}()", target.state)
        }
    }

    fn statement(&self, Action { number, effect }: Action, this: &str) -> String {
        match effect {
            Effect::None => format!("{this}.0.act({number})"),
            Effect::Add { variable, by } => format!("{this}.0.add({number}, {variable}, {by})"),
            Effect::Payload { variable } => {
                format!("{this}.0.set({number}, {variable}, {})", self.payload())
            }
            Effect::Own { by } => format!("{this}.0.grow({number}, own, {by})"),
            Effect::Context { by } => {
                format!("{this}.0.grow({number}, &mut context.sum, {by})")
            }
        }
    }

    fn guard(&self, Guard { number, condition }: Guard) -> String {
        let condition = match condition {
            Condition::Variable { variable, least } => format!("self.0.v[{variable}] >= {least}"),
            Condition::Own => "*own % 2 == 1".to_owned(),
            Condition::Payload { least } => format!("{} >= {least}", self.payload()),
        };
        format!("self.0.guard({number}, {condition})")
    }

    const fn payload(&self) -> &'static str {
        if self.chart.by_value { "n" } else { "*n" }
    }
}

/// Returns a pattern. If branches use the event's number, the pattern binds it.
fn pattern(pattern: Pattern, branches: &[Branch]) -> String {
    let uses = branches.iter().any(|branch| {
        let condition = branch.guard.map(|guard| guard.condition);
        matches!(condition, Some(Condition::Payload { .. }))
            || matches!(branch.action, Some(Action { effect: Effect::Payload { .. }, .. }))
    });
    if uses && pattern.event >= PLAIN {
        format!("Event::{}(n)", NAMES[pattern.event])
    } else {
        pattern.to_string()
    }
}

fn uses_self(chart: &Chart, branch: &Branch) -> bool {
    let has_variable = match branch.outcome {
        Outcome::Transition { target, .. } => {
            target.variable.is_some() && chart.states[target.state].storage
        }
        _ => false,
    };
    branch.guard.is_some() || branch.action.is_some() || has_variable
}

fn uses_own(branch: &Branch) -> bool {
    matches!(branch.action, Some(Action { effect: Effect::Own { .. }, .. }))
        || matches!(branch.guard, Some(Guard { condition: Condition::Own, .. }))
}

const fn uses_context(action: Option<Action>) -> bool {
    matches!(action, Some(Action { effect: Effect::Context { .. }, .. }))
}

impl Printer<'_> {
    /// Prints the driver of the machine: the same for all charts, but for names.
    fn driver(&mut self) -> fmt::Result {
        let chart = self.chart;
        let context = if chart.context { "&mut self.context" } else { "" };
        let comma = if chart.context { ", " } else { "" };
        let event = if chart.by_value { "event" } else { "&event" };
        let (wait, done) = if chart.waits { ("wait_for(", ")") } else { ("", "") };
        // A machine that keeps events returns whether it had room.
        let had_room = if chart.deferred > 0 { ".is_ok()" } else { ";\n        true" };
        let (leaves, is_in) = self.arms_of_states()?;
        write!(
            self.text,
            "/// The machine and its context.
pub struct Driver {{
    machine: Machine<Chart>,
    context: Context,
}}

impl Driver {{
    /// Before its start.
    pub const NEW: Self =
        Self {{ machine: Chart(Recorder::NEW).machine(), context: Context {{ sum: 0 }} }};
}}

impl Driven for Driver {{
    fn start(&mut self) {{
        {wait}self.machine.start({context}){done};
    }}

    fn dispatch(&mut self, event: Event) -> bool {{
        {wait}self.machine.dispatch({event}{comma}{context}){done}{had_room}
    }}

    fn leaf(&self) -> (u16, u8) {{
        match self.machine.state() {{
{leaves}        }}
    }}

    fn is_in(&self, state: u16) -> bool {{
        let machine = &self.machine;
        match state {{
{is_in}            _ => false,
        }}
    }}

    fn states(&self) -> u16 {{
        {}
    }}

    fn sum(&self) -> u8 {{
        self.context.sum
    }}

    fn recorder(&mut self) -> &mut Recorder {{
        &mut self.machine.0
    }}
}}
",
            chart.states.len()
        )
    }

    /// The arms of the driver that tell leaves, and ask about states.
    fn arms_of_states(&self) -> Result<(String, String), fmt::Error> {
        let chart = self.chart;
        let (mut leaves, mut is_in) = (String::new(), String::new());
        for index in 0..chart.states.len() {
            writeln!(is_in, "            {index} => machine.is_in(Within::S{index}),")?;
            if chart.is_composite(index) {
                continue;
            }
            if chart.states[index].storage {
                writeln!(leaves, "            State::S{index} {{ own }} => ({index}, *own),")?;
            } else {
                writeln!(leaves, "            State::S{index} => ({index}, 0),")?;
            }
        }
        Ok((leaves, is_in))
    }
}
