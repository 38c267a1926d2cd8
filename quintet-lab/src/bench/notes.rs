//! The notes below a table: how it was measured, with which versions, and the notes of its rows.

use std::collections::BTreeSet;

use super::{Group, KernelFacts, PeerFacts, Row};

/// The notes of a group, a line each.
pub fn notes(group: &Group) -> Vec<String> {
    let mut notes = Vec::new();
    if group.rows.iter().any(|row| row.undisturbed.is_some()) {
        notes.push("measured: by a debugger that halts at each mark, as the document did".into());
        notes.push("undisturbed: running freely".into());
    }
    for peer in group.peers.iter().filter(|peer| peer.kernel.is_none()) {
        if !peer.versions.is_empty() {
            notes.push(format!("{}: {}", peer.name, versions(peer)));
        }
        let missing = peer.missing.iter();
        notes.extend(missing.map(|reason| format!("{} is not measured: {reason}", peer.name)));
    }
    let is_measured = group.measured_peers().next().is_some();
    if is_measured {
        notes.push(format!("all built by {}", group.build));
    }
    if group.kernels().next().is_some() {
        notes.push(
            "best peer: of those that have the same as the row, the least of all their builds, row \
             by row; ours is one build, with its checks on"
                .into(),
        );
        let beside = |(form, kernels): (&String, &Vec<String>)| {
            format!("{form}, x its peer: by the best build of {}", kernels.join(", "))
        };
        notes.extend(group.beside.iter().map(beside));
        notes.extend(group.kernels().map(|(peer, kernel)| builds(group, peer, kernel)));
    }
    notes.extend(behind(group));
    let mut said = Vec::new();
    for row in &group.rows {
        notes.extend(row.note.iter().map(|note| format!("{}: {note}", row.name)));
        notes.extend(places(group, row).map(|place| format!("{}, {place}", row.name)));
        for (column, reason) in &row.without {
            // Rows in a series have the same reason.
            if group.measured_peers().any(|peer| peer == column) && !said.contains(&reason) {
                notes.push(format!("{}, {column}: {reason}", row.name));
                said.push(reason);
            }
        }
    }
    notes
}

fn versions(peer: &PeerFacts) -> String {
    let versions = peer.versions.iter().map(|(name, version)| format!("{name} {version}"));
    versions.collect::<Vec<_>>().join(", ")
}

/// Returns the builds in which a kernel has a figure in the group: those with checks apart from
/// those without.
fn builds(group: &Group, peer: &PeerFacts, kernel: &KernelFacts) -> String {
    let columns = group.rows.iter().filter_map(|row| row.peers.get(&peer.name)?.builds.as_ref());
    let has_figures: BTreeSet<&String> = columns.flat_map(|builds| builds.cycles.keys()).collect();
    let named = |checks: bool| {
        let builds = kernel.builds.iter().filter(|build| build.checks == checks);
        let builds = builds.filter(|build| has_figures.contains(&build.name));
        let names = builds.map(|build| match build.name == kernel.shipped {
            true => format!("{} (as shipped)", build.name),
            false => build.name.clone(),
        });
        names.collect::<Vec<_>>().join(", ")
    };
    let (without, with) = (named(false), named(true));
    let mut said = format!("{}: {}, {}", peer.name, versions(peer), kernel.about);
    for (checks, names) in [("no checks", without), ("checks", with)] {
        if !names.is_empty() {
            said += &format!("; {checks}: {names}");
        }
    }
    said
}

/// In how many rows a peer is ahead.
fn behind(group: &Group) -> Option<String> {
    let compared: Vec<&Row> = group.rows.iter().filter(|row| row.behind.is_some()).collect();
    let behind: Vec<&&Row> = compared.iter().filter(|row| row.behind == Some(true)).collect();
    if behind.is_empty() {
        return None;
    }
    let mut records: Vec<&str> = behind.iter().filter_map(|row| row.behind_by.as_deref()).collect();
    records.sort_unstable();
    records.dedup();
    let why = match records.is_empty() {
        true => String::new(),
        false => format!("; why is in docs/decisions, {}", records.join(", ")),
    };
    let (count, all) = (behind.len(), compared.len());
    Some(format!("behind: a peer is ahead, in {count} of {all} rows that have one{why}"))
}

/// The places of a row's figures in the code, each behind its column's name.
fn places<'a>(group: &'a Group, row: &'a Row) -> impl Iterator<Item = String> + 'a {
    let ours = (&group.column, row.place.as_ref());
    let others =
        row.forms.iter().chain(&row.peers).map(|(name, column)| (name, column.place.as_ref()));
    let all = std::iter::once(ours).chain(others);
    all.filter_map(|(name, place)| Some(format!("{name}: {}", place?)))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::bench::figures::Figure;
    use crate::bench::kernels::Build;
    use crate::bench::{Builds, Column};

    fn group(rows: Vec<Row>, peers: Vec<PeerFacts>) -> Group {
        let column = "Quintet".to_owned();
        Group { column, build: "rustc 9".to_owned(), rows, peers, ..Group::default() }
    }

    fn rtic(missing: Option<&str>) -> PeerFacts {
        PeerFacts {
            name: "RTIC".to_owned(),
            versions: BTreeMap::from([("rtic".to_owned(), "2.4.0".to_owned())]),
            missing: missing.map(str::to_owned),
            kernel: None,
        }
    }

    fn row(name: &str) -> Row {
        Row { name: name.to_owned(), ..Row::default() }
    }

    #[test]
    fn measured_peers_are_named_with_versions_and_compiler() {
        let notes = notes(&group(vec![row("lock")], vec![rtic(None)]));
        assert_eq!(notes, ["RTIC: rtic 2.4.0", "all built by rustc 9"]);
    }

    #[test]
    fn a_peer_without_packages_has_no_versions() {
        let peer = PeerFacts { versions: BTreeMap::new(), ..rtic(None) };
        assert_eq!(notes(&group(vec![row("lock")], vec![peer])), ["all built by rustc 9"]);
    }

    #[test]
    fn a_peer_that_cannot_be_built_has_a_reason() {
        let notes = notes(&group(vec![row("lock")], vec![rtic(Some("no network"))]));
        assert_eq!(notes, ["RTIC: rtic 2.4.0", "RTIC is not measured: no network"]);
    }

    #[test]
    fn a_kernel_s_builds_with_figures_say_what_they_check() {
        let build = |name: &str, checks| Build { name: name.to_owned(), checks, options: None };
        let builds = ["-O2 lean", "-O3", "-O3 LTO"].map(|name| build(name, false));
        let builds = [&[build("-O2", true)], &builds[..]].concat();
        let kernel = KernelFacts { about: "port".into(), shipped: "-O2".into(), builds };
        let peer = PeerFacts { kernel: Some(kernel), ..rtic(None) };
        let cycles = ["-O2", "-O2 lean", "-O3"].map(|name| (name.to_owned(), Figure(9.0)));
        let builds =
            Builds { best: "-O3".into(), checks: false, shipped: None, cycles: cycles.into() };
        let column = Column { builds: Some(builds), ..Column::default() };
        let lock = Row { peers: BTreeMap::from([("RTIC".into(), column)]), ..row("lock") };
        let beside = BTreeMap::from([("hosted".into(), vec!["RTIC".into()])]);
        let notes = notes(&Group { beside, ..group(vec![lock], vec![peer]) });
        assert_eq!(notes.len(), 3);
        assert!(notes[0].contains("the least of all their builds"), "{}", notes[0]);
        assert_eq!(notes[1], "hosted, x its peer: by the best build of RTIC");
        // No row has a figure of the build with link-time optimisation.
        let said = "RTIC: rtic 2.4.0, port; no checks: -O2 lean, -O3; checks: -O2 (as shipped)";
        assert_eq!(notes[2], said);
    }

    #[test]
    fn rows_that_are_behind_are_counted() {
        let compared = |name: &str, behind, record: Option<&str>| Row {
            behind: Some(behind),
            behind_by: record.map(str::to_owned),
            ..row(name)
        };
        let rows = vec![compared("a", true, Some("0028")), compared("b", false, None), row("c")];
        assert_eq!(
            notes(&group(rows.clone(), Vec::new())),
            [concat!(
                "behind: a peer is ahead, in 1 of 2 rows that have one",
                "; why is in docs/decisions, 0028"
            )]
        );
        assert!(notes(&group(rows[1..].to_vec(), Vec::new())).is_empty());
    }

    #[test]
    fn the_reason_of_a_series_without_figures_is_given_once() {
        let without = BTreeMap::from([("RTIC".to_owned(), "has none".to_owned())]);
        let rows = ["lock", "unlock"].map(|name| Row { without: without.clone(), ..row(name) });
        let notes = notes(&group(rows.to_vec(), vec![rtic(None)]));
        assert_eq!(notes.last().unwrap(), "lock, RTIC: has none");
        assert_eq!(notes.len(), 3);
    }

    #[test]
    fn rows_have_notes_and_places() {
        let (note, place) = (Some("read this".to_owned()), Some("wake".to_owned()));
        let notes = notes(&group(vec![Row { note, place, ..row("lock") }], Vec::new()));
        assert_eq!(notes, ["lock: read this", "lock, Quintet: wake"]);
    }
}
