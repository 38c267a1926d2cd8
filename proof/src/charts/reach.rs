//! The states that a chart can reach, and charts without some of their states.

use super::chart::{Action, Arm, Branch, Chart, Effect, Kind, Outcome, Pattern, State, Target};

/// Returns, for each state, `true` if it can become active. Guards may hold or not.
pub fn reached(chart: &Chart) -> Vec<bool> {
    let mut reached = vec![false; chart.states.len()];
    let mut next = vec![chart.settled(chart.start.state)];
    while let Some(leaf) = next.pop() {
        if reached[leaf] {
            continue;
        }
        for state in chart.path(leaf) {
            reached[state] = true;
            next.extend(targets(chart, state).map(|(_, target)| chart.settled(target.state)));
        }
    }
    reached
}

/// Returns the targets of a state's transitions.
fn targets(chart: &Chart, state: usize) -> impl Iterator<Item = (Kind, Target)> {
    chart.branches(state).filter_map(|branch| match &branch.outcome {
        Outcome::Transition { kind, target, .. } => Some((*kind, *target)),
        _ => None,
    })
}

/// Returns the same chart without unreachable states.
pub fn without_unreachable(chart: &Chart) -> Chart {
    let mut chart = chart.clone();
    loop {
        forget_unused_initials(&mut chart);
        let keep = reached(&chart);
        if keep.iter().all(|keep| *keep) {
            chart.context &= uses_context(&chart);
            if !defers(&chart) {
                chart.deferred = 0;
            }
            return chart;
        }
        chart = only(&chart, &keep);
    }
}

/// Takes initial transitions away that are never taken.
fn forget_unused_initials(chart: &mut Chart) {
    let mut used = vec![false; chart.states.len()];
    let mut targets: Vec<_> = (0..chart.states.len()).flat_map(|s| targets(chart, s)).collect();
    targets.push((Kind::External, chart.start));
    for (kind, target) in targets {
        let all = 0..chart.states.len();
        let shallow = all.filter(|state| {
            kind == Kind::History && chart.states[*state].parent == Some(target.state)
        });
        for mut state in shallow.chain([target.state]) {
            used[state] = true;
            while let Some(initial) = &chart.states[state].initial {
                state = initial.target.state;
                used[state] = true;
            }
        }
    }
    for (state, used) in chart.states.iter_mut().zip(used) {
        state.initial = state.initial.take().filter(|_| used);
    }
}

/// Returns a chart of some of the states. Transitions to other states do nothing instead.
///
/// Composites without remaining states go too.
pub fn only(chart: &Chart, keep: &[bool]) -> Chart {
    let is_kept = |state: usize| {
        let leaves = chart.leaves(state);
        chart.path(state).iter().all(|around| keep[*around])
            && leaves.iter().any(|leaf| chart.path(*leaf).iter().all(|around| keep[*around]))
    };
    let kept: Vec<_> = (0..chart.states.len()).map(is_kept).collect();
    let mut places = Vec::new();
    let mut count = 0;
    for kept in &kept {
        places.push(kept.then_some(count));
        count += usize::from(*kept);
    }
    let place = |target: Target| Some(Target { state: places[target.state]?, ..target });
    let branch = |branch: &Branch| {
        let mut branch = branch.clone();
        if let Outcome::Transition { target, .. } = &mut branch.outcome {
            match place(*target) {
                Some(there) => *target = there,
                None => branch.outcome = Outcome::Handled,
            }
        }
        branch
    };
    let first_in = |state: usize| {
        let leaf = chart.leaves(state).into_iter().find(|leaf| kept[*leaf]).unwrap_or(state);
        Target { state: leaf, ..Target::default() }
    };
    let mut states = Vec::new();
    for (index, state) in chart.states.iter().enumerate().filter(|(index, _)| kept[*index]) {
        let mut new = State { arms: Vec::new(), completion: Vec::new(), ..state.clone() };
        new.parent = state.parent.and_then(|parent| places[parent]);
        if let Some(initial) = &mut new.initial {
            let target = place(initial.target).or_else(|| place(first_in(index)));
            initial.target = target.unwrap_or_default();
        }
        for arm in &state.arms {
            let Arm { pattern, style, .. } = *arm;
            let branches = arm.branches.iter().map(branch).collect();
            new.arms.push(Arm { pattern, branches, style });
        }
        new.completion.extend(state.completion.iter().map(branch));
        states.push(new);
    }
    let start = place(chart.start).or_else(|| {
        let first = kept.iter().position(|kept| *kept)?;
        place(first_in(first))
    });
    let mut chart = Chart { states, start: start.unwrap_or_default(), ..chart.clone() };
    forget_lost_completions(&mut chart);
    chart
}

/// Takes completions away that nothing leads to, and ends of superstates that nothing follows.
fn forget_lost_completions(chart: &mut Chart) {
    for state in 0..chart.states.len() {
        let parent = chart.states[state].parent;
        let follows = parent.is_some_and(|parent| !chart.states[parent].completion.is_empty());
        chart.states[state].completes &= follows && !chart.is_composite(state);
    }
    for state in 0..chart.states.len() {
        let mut inside = chart.states.iter().filter(|one| one.parent == Some(state));
        if chart.is_composite(state) && !inside.any(|one| one.completes) {
            chart.states[state].completion.clear();
        }
    }
}

/// Returns `true` if some action uses the context.
fn uses_context(chart: &Chart) -> bool {
    let uses = |action: Option<Action>| {
        matches!(action, Some(Action { effect: Effect::Context { .. }, .. }))
    };
    (0..chart.states.len()).any(|index| {
        let State { entry, exit, initial, .. } = &chart.states[index];
        let initial = initial.as_ref().and_then(|initial| initial.action);
        let of_branch = |branch: &Branch| {
            let of_transition = match branch.outcome {
                Outcome::Transition { action, .. } => uses(action),
                _ => false,
            };
            uses(branch.action) || of_transition
        };
        [*entry, *exit, initial].into_iter().any(uses) || chart.branches(index).any(of_branch)
    })
}

/// Returns `true` if some state defers events, by its list or in its handler.
pub fn defers(chart: &Chart) -> bool {
    let lists = chart.states.iter().map(|state| &state.defer);
    let says = |state| chart.branches(state).any(|branch| branch.outcome == Outcome::Deferred);
    lists.flatten().any(|_: &Pattern| true) || (0..chart.states.len()).any(says)
}
