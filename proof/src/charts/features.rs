//! The committed charts have each feature that the generator's charts have.

use std::collections::BTreeSet;

use super::chart::{Chart, Condition, Outcome};
use super::committed;

/// The features of a chart, by name.
fn features(chart: &Chart) -> BTreeSet<String> {
    let mut features = BTreeSet::new();
    let of_chart = [
        ("by value", chart.by_value),
        ("by reference", !chart.by_value),
        ("context", chart.context),
        ("async", chart.waits),
        ("unhandled", chart.unhandled.is_some()),
        ("deferring", chart.deferred > 0),
    ];
    features.extend(of_chart.iter().filter(|(_, has)| *has).map(|(name, _)| (*name).to_owned()));
    for (index, state) in chart.states.iter().enumerate() {
        let kind = if chart.is_composite(index) { "composite" } else { "leaf" };
        let of_state = [
            ("entry", state.entry.is_some()),
            ("exit", state.exit.is_some()),
            ("initial action", state.initial.as_ref().is_some_and(|i| i.action.is_some())),
            ("storage", state.storage),
            ("defer", !state.defer.is_empty()),
            ("completion", !state.completion.is_empty()),
            ("completes", state.completes),
            ("timer", state.timer.is_some()),
        ];
        let has = of_state.iter().filter(|(_, has)| *has);
        features.extend(has.map(|(name, _)| format!("{kind}: {name}")));
        features.extend(state.arms.iter().map(|arm| format!("{:?}", arm.style)));
        for branch in chart.branches(index) {
            features.extend(match branch.outcome {
                Outcome::Transition { kind, .. } => Some(format!("{kind:?}")),
                Outcome::Deferred => Some("deferred by a handler".to_owned()),
                Outcome::Handled | Outcome::Super => None,
            });
            features.extend(branch.guard.map(|guard| match guard.condition {
                Condition::Variable { .. } => "a guard of a variable".to_owned(),
                Condition::Own => "a guard of the state".to_owned(),
                Condition::Payload { .. } => "a guard of the event".to_owned(),
            }));
        }
    }
    features
}

#[test]
fn the_committed_charts_have_each_feature() {
    let known: BTreeSet<_> =
        (0..200).flat_map(|index| features(&committed::chart(index))).collect();
    let there: BTreeSet<_> = committed::CHARTS
        .into_iter()
        .flat_map(|index| features(&committed::chart(index)))
        .collect();
    let missing: Vec<_> = known.difference(&there).collect();
    assert!(missing.is_empty(), "{missing:?}");
    assert!(known.len() > 25, "{known:?}");
}
