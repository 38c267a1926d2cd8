//! State machines described in lines. `quintet-charts` writes the lines, from a source. In
//! firmware, the macro leaves them in the ELF file beside the lines of the map.
//!
//! ```text
//! chart  machine   NAME
//! chart  initial   TARGET  ACTION
//! chart  state     NAME    SUPERSTATE  ENTRY  EXIT
//! chart  start     STATE   TARGET  ACTION
//! chart  storage   STATE   NAME: TYPE
//! chart  after     STATE   TIME        TIMER
//! chart  final     STATE
//! chart  defer     STATE   EVENT
//! chart  internal  STATE   EVENT   GUARD   ACTION
//! chart  edge      KIND    SOURCE  TARGET  EVENT  GUARD  ACTION
//! ```
//!
//! Tabs separate the words. An empty word means that there is none. In a word, `\t`, `\n` and `\\`
//! stand for a tab, a new line and a backslash. The lines of a machine follow each other. A state's
//! line comes before the lines that name the state.

use super::{Drawing, Edge, Initial, Kind, Reaction, State};
use anyhow::{Context, bail};

/// The machines of these lines.
pub fn read(lines: &str) -> anyhow::Result<Vec<Drawing>> {
    let mut machines: Vec<Drawing> = Vec::new();
    let mut parents: Vec<Vec<String>> = Vec::new();
    for line in lines.lines() {
        let words: Vec<String> = line.split('\t').skip(1).map(unescaped).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        if let ["machine", name] = words[..] {
            machines.push(Drawing { name: name.to_owned(), ..Drawing::default() });
            parents.push(Vec::new());
            continue;
        }
        let (Some(machine), Some(parents)) = (machines.last_mut(), parents.last_mut()) else {
            bail!("\"{line}\" stands before any machine");
        };
        if let ["state", name, parent, entry, exit] = words[..] {
            let (entry, exit) = (some(entry), some(exit));
            machine.states.push(State { name: name.to_owned(), entry, exit, ..State::default() });
            parents.push(parent.to_owned());
        } else {
            fact(machine, &words).with_context(|| format!("the line \"{line}\""))?;
        }
    }
    for (machine, parents) in machines.iter_mut().zip(parents) {
        for (state, parent) in parents.iter().enumerate().filter(|(_, parent)| !parent.is_empty()) {
            machine.states[state].parent = Some(find(machine, parent)?);
        }
    }
    machines.into_iter().map(Drawing::check).collect()
}

fn fact(machine: &mut Drawing, words: &[&str]) -> anyhow::Result<()> {
    match *words {
        ["initial", target, action] => {
            machine.initial =
                Some(Initial { target: find(machine, target)?, action: some(action) });
        }
        ["start", state, target, action] => {
            let initial = Initial { target: find(machine, target)?, action: some(action) };
            let state = find(machine, state)?;
            machine.states[state].initial = Some(initial);
        }
        ["storage", state, what] => {
            let state = find(machine, state)?;
            machine.states[state].storage.push(what.to_owned());
        }
        ["after", state, time, timer] => {
            let state = find(machine, state)?;
            machine.states[state].after = Some([time.to_owned(), timer.to_owned()]);
        }
        ["final", state] => {
            let state = find(machine, state)?;
            machine.states[state].is_final = true;
        }
        ["defer", state, event] => {
            let state = find(machine, state)?;
            machine.states[state].defer.push(event.to_owned());
        }
        ["internal", state, event, guard, action] => {
            let state = find(machine, state)?;
            machine.states[state].internal.push(reaction(event, guard, action));
        }
        ["edge", kind, from, to, event, guard, action] => {
            let kind = match kind {
                "external" => Kind::External,
                "local" => Kind::Local,
                "history" => Kind::History,
                "deep" => Kind::DeepHistory,
                _ => bail!("{kind} is no kind of transition that this `quintet` knows"),
            };
            let (from, to) = (find(machine, from)?, find(machine, to)?);
            machine.edges.push(Edge { from, to, kind, reaction: reaction(event, guard, action) });
        }
        _ => bail!("it isn't known: this `quintet` is older than the firmware"),
    }
    Ok(())
}

fn find(machine: &Drawing, name: &str) -> anyhow::Result<usize> {
    let found = machine.states.iter().position(|state| state.name == name);
    found.with_context(|| format!("the machine {} has no state {name}", machine.name))
}

fn some(word: &str) -> Option<String> {
    (!word.is_empty()).then(|| word.to_owned())
}

fn reaction(event: &str, guard: &str, action: &str) -> Reaction {
    Reaction { event: some(event), guard: some(guard), action: some(action) }
}

fn unescaped(word: &str) -> String {
    let mut text = String::new();
    let mut letters = word.chars();
    while let Some(letter) = letters.next() {
        text.push(match letter {
            '\\' => match letters.next() {
                Some('t') => '\t',
                Some('n') => '\n',
                Some(other) => other,
                None => '\\',
            },
            letter => letter,
        });
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::outline;

    const LINES: &str = "chart\tmachine\tDoor\n\
        chart\tstate\tclosed\tworks\tlock\t\n\
        chart\tstate\tworks\t\t\t\n\
        chart\tstate\tfault\t\t\tsay(\"a\\tb\\\\\")\n\
        chart\tinitial\tworks\tbegin\n\
        chart\tstart\tworks\tclosed\t\n\
        chart\tstorage\tfault\tcode: u8\n\
        chart\tafter\tclosed\tms(5)\tTIMEOUT\n\
        chart\tfinal\tclosed\n\
        chart\tdefer\tfault\tKnock\n\
        chart\tinternal\tclosed\tKnock\tn > 0\tring\n\
        chart\tedge\texternal\tworks\tfault\tBreak\t\t\n\
        chart\tedge\tdeep\tfault\tworks\t\t\t\n";

    #[test]
    fn all_lines_are_read() {
        let machines = read(LINES).unwrap();
        let [door] = &machines[..] else { panic!("one machine") };
        let expected = "\
Door
  initial -> works / begin
  works
      Break -> fault
      initial -> closed
    closed
        entry / lock
        after ms(5) / TIMEOUT
        completes works
        Knock [n > 0] / ring
  fault (code: u8)
      exit / say(\"a\tb\\\")
      defer / Knock
      on completion -> deep history of works
";
        assert_eq!(outline::text(door), expected);
    }

    #[test]
    fn damage_is_said() {
        for (lines, expected) in [
            ("chart\tstate\ta\t\t\t", "stands before any machine"),
            ("chart\tmachine\tM\nchart\tinitial\tnone\t", "the machine M has no state none"),
            ("chart\tmachine\tM\nchart\tregion\tx", "older than the firmware"),
            (
                "chart\tmachine\tM\nchart\tstate\ta\t\t\t\nchart\tedge\tsoft\ta\ta\t\t\t",
                "soft is no kind of transition",
            ),
            ("chart\tmachine\tM\nchart\tstate\ta\ta\t\t", "go round in a circle"),
        ] {
            let error = format!("{:#}", read(lines).unwrap_err());
            assert!(error.contains(expected), "{error}");
        }
    }
}
