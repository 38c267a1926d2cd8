//! `quintet chart`: machines from source files and images, in all formats, and what is refused.

#[path = "chart/damaged.rs"]
mod damaged;
mod support;

use std::path::PathBuf;
use support::{Finished, quintet};

const DOOR: &str = r#"
use quintet::chart::prelude::*;

pub struct Door { tries: u8 }

pub enum Event { Button, End, Blocked(u8), Overcurrent, Reset, Tick, Test }

#[quintet::state_machine(initial = State::operational(), state(derive(Debug)), deferred = 2)]
impl Door {
    #[superstate(initial = State::closed(), initial_action = greet, entry_action = power_on)]
    fn operational(&mut self, event: &Event) -> Outcome<State> {
        if let Event::Overcurrent = event {
            return Transition(State::fault(0));
        }
        Super
    }

    #[state(superstate = operational)]
    fn closed(&mut self, event: &Event, context: &mut Motor) -> Outcome<State> {
        match event {
            Event::Button | Event::Tick if self.tries < 3 => {
                self.tries += 1;
                Transition(State::opening(), |this, context| { context.run(this.tries); })
            }
            Event::Button => Handled,
            _ => Super,
        }
    }

    #[state(
        superstate = operational, exit_action = stop, defer = [Event::Test], on_completion = next
    )]
    async fn opening(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::Tick => {
                self.left -= 1;
                Handled
            }
            Event::Blocked(force) => {
                if *force > 5 {
                    Transition(State::fault(*force))
                } else {
                    Local(State::operational())
                }
            }
            Event::End => Deferred,
            _ => Super,
        }
    }

    #[state]
    fn fault(force: &mut u8, event: &Event) -> Outcome<State> {
        match event {
            Event::Reset => DeepHistory(State::operational()),
            Event::Button => History(State::operational()),
            Event::Test => Transition(State::fault(1)),
            _ => Super,
        }
    }

    fn next(&mut self) -> Outcome<State> {
        if self.tries > 9 {
            return Transition(State::closed());
        }
        self.tries += 1;
        Transition(State::fault(0))
    }

    #[action]
    fn power_on(context: &mut Motor) {}

    #[action]
    fn greet(&mut self) {}

    #[action]
    fn stop(&mut self) {}
}
"#;

const LIGHT: &str = "
#[quintet::state_machine(initial = State::off())]
impl Light {
    #[state]
    fn off(event: &Event) -> Outcome<State> { Transition(State::on()) }
    #[state]
    fn on(event: &Event) -> Outcome<State> { Transition(State::off()) }
}
";

/// A file of this test with these bytes.
fn file(name: &str, bytes: &[u8]) -> String {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, bytes).unwrap();
    path.display().to_string()
}

fn chart(name: &str, source: &str, arguments: &[&str]) -> Finished {
    let file = file(name, source.as_bytes());
    quintet(&[&["chart", &file], arguments].concat())
}

/// An ELF file with nothing but a section of this name and content.
fn elf(section: &str, content: &str) -> Vec<u8> {
    let names = format!("\0.shstrtab\0{section}\0");
    let (names_at, content_at) = (52, 52 + names.len());
    let headers_at = content_at + content.len();
    let halves = |halves: &[u16]| halves.iter().flat_map(|half| half.to_le_bytes()).collect();
    let words = |words: &[usize]| -> Vec<u8> {
        words.iter().flat_map(|&word| u32::try_from(word).unwrap().to_le_bytes()).collect()
    };
    let header = |name, kind, at, size| words(&[name, kind, 0, 0, at, size, 0, 0, 1, 0]);
    let parts: [Vec<u8>; 9] = [
        b"\x7fELF\x01\x01\x01\0\0\0\0\0\0\0\0\0".to_vec(),
        halves(&[2, 40]),
        words(&[1, 0, 0, headers_at, 0x0500_0200]),
        halves(&[52, 32, 0, 40, 3, 1]),
        names.clone().into_bytes(),
        content.as_bytes().to_vec(),
        header(0, 0, 0, 0),
        header(1, 3, names_at, names.len()),
        header(11, 1, content_at, content.len()),
    ];
    parts.concat()
}

#[test]
fn a_source_file_is_drawn_as_text() {
    let run = chart("door.rs", DOOR, &[]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let expected = "\
Door
  initial -> operational
  operational
      entry / power_on
      Overcurrent -> fault
      initial -> closed / greet
    closed
        Button
        Button | Tick [self.tries < 3] -> opening / self.tries += 1; context.run(this.tries)
    opening
        exit / stop
        Tick / self.left -= 1
        defer / Test, End
        Blocked(force) [*force > 5] -> fault
        Blocked(force) [else] -> operational (local)
        on completion [self.tries > 9] -> closed
        on completion [else] -> fault / self.tries += 1
  fault (force: u8)
      Reset -> deep history of operational
      Button -> history of operational
      Test -> fault
";
    assert_eq!(run.stdout, expected);
}

#[test]
fn all_formats_have_the_same_machine() {
    let json = chart("formats.rs", DOOR, &["--json"]).json();
    let machine = &json["machines"][0];
    assert_eq!(machine["name"], "Door");
    assert_eq!(machine["initial"]["target"], "operational");
    let states = machine["states"].as_array().unwrap();
    assert_eq!(states[0]["initial"]["action"], "greet");
    assert_eq!(states[1]["superstate"], "operational");
    assert_eq!(states[3]["storage"][0], "force: u8");
    assert_eq!(
        (&machine["draft"], machine["refusals"].as_array().map(Vec::len)),
        (&false.into(), Some(0))
    );
    let transitions = machine["transitions"].as_array().unwrap();
    assert_eq!(transitions.len(), 9);
    assert_eq!(transitions[6]["kind"], "deep history");
    assert_eq!(transitions[4]["event"], serde_json::Value::Null);
    assert_eq!(chart("formats.rs", DOOR, &["--format", "json"]).json(), json);

    let mermaid = chart("formats.rs", DOOR, &["--format", "mermaid"]).stdout;
    for line in [
        "stateDiagram-v2",
        "    state s0 {",
        "        [*] --> s1 : / greet",
        "        state \"opening\" as s2",
        "    s1 --> s2 : Button | Tick [self.tries #60; 3] / self.tries += 1#59; \
         context.run(this.tries)",
        "    s3 --> d0 : Reset",
        "    note right of s2",
        "        exit / stop",
    ] {
        assert!(mermaid.lines().any(|one| one == line), "no \"{line}\" in\n{mermaid}");
    }

    let svg = chart("formats.rs", DOOR, &["--format", "svg"]).stdout;
    for part in [
        "<title id=\"title\">State machine Door</title>",
        "prefers-color-scheme:dark",
        ">H*</text>",
    ] {
        assert!(svg.contains(part), "no {part} in\n{svg}");
    }
    assert!(svg.contains(">Blocked(force) [*force &gt; 5]<"), "{svg}");
}

#[test]
fn formats_of_other_tools_have_the_same_machine() {
    let plantuml = chart("formats.rs", DOOR, &["--format", "plantuml"]).stdout;
    for line in [
        "@startuml",
        "state \"operational\" as s0 {",
        "  [*] --> s1 : / greet",
        "  state \"opening\" as s2",
        "s1 --> s2 : Button <U+007C> Tick [self.tries <U+003C> 3] / self.tries += 1; \
         context.run(this.tries)",
        "s3 --> s0[H*] : Reset",
        "s2 : exit / stop",
        "@enduml",
    ] {
        assert!(plantuml.lines().any(|one| one == line), "no \"{line}\" in\n{plantuml}");
    }

    let scxml = chart("formats.rs", DOOR, &["--format", "scxml"]).stdout;
    for line in [
        "  <state id=\"operational\">",
        "    <initial><transition target=\"closed\"><script>greet</script></transition></initial>",
        "    <state id=\"opening\">",
        "      <transition event=\"Button Tick\" cond=\"self.tries &lt; 3\" target=\"opening\">\
         <script>self.tries += 1; context.run(this.tries)</script></transition>",
        "      <onexit><script>stop</script></onexit>",
        "</scxml>",
    ] {
        assert!(scxml.lines().any(|one| one == line), "no \"{line}\" in\n{scxml}");
    }
    assert!(scxml.contains("target=\"operational.deep_history\""), "{scxml}");
    assert!(scxml.contains("<history id=\"operational.deep_history\" type=\"deep\">"), "{scxml}");
}

#[test]
fn the_format_follows_from_the_name_of_the_output() {
    let out = file("out.svg", b"");
    let run = chart("named.rs", DOOR, &["-o", &out]);
    assert_eq!((run.code, run.stdout.as_str()), (0, ""), "{}", run.stderr);
    assert!(std::fs::read_to_string(&out).unwrap().starts_with("<svg "));
    let out = file("out.mmd", b"");
    assert_eq!(chart("named.rs", DOOR, &["-o", &out]).code, 0);
    assert!(std::fs::read_to_string(&out).unwrap().starts_with("---\ntitle: \"Door\""));
    chart("named.rs", DOOR, &["-o", "out.png"]).fails(
        120,
        &["the name out.png says no format: end it with .svg, .mmd, .puml, .scxml, .txt or .json"],
    );
    chart("named.rs", DOOR, &["--output="]).fails(2, &["a value is required for '--output"]);
}

#[test]
fn one_of_several_machines_is_chosen() {
    let source = format!("{DOOR}mod inner {{ {LIGHT} }}");
    let run = chart("two.rs", &source, &["--machine", "Light"]);
    let expected =
        "Light\n  initial -> off\n  off\n      any event -> on\n  on\n      any event -> off\n";
    assert_eq!(run.stdout, expected, "{}", run.stderr);
    assert!(chart("two.rs", &source, &[]).stdout.contains("\n\nLight\n"), "text shows all");
    chart("two.rs", &source, &["--format", "svg"]).fails(
        120,
        &["two.rs has 2 state machines, and a picture shows one", "--machine among Door, Light"],
    );
    chart("two.rs", &source, &["--machine", "Ligt"])
        .fails(120, &["two.rs has no state machine Ligt, only Door, Light; did you mean Light?"]);
}

#[test]
fn what_cannot_be_drawn_is_refused() {
    chart("none.rs", "pub struct Door;", &[]).fails(
        120,
        &["none.rs has no state machine: no impl block in it stands under `#[quintet::state_ma"],
    );
    chart("broken.rs", "fn main() {\n    let = 3;\n}", &[]).fails(120, &["broken.rs:2:9: "]);
    let deep = format!("fn f() {{\n{}1 }}", "!".repeat(2_000_000));
    chart("deep.rs", &deep, &[])
        .fails(120, &["deep.rs:2:", "what stands here is nested too deeply to be read"]);
    let nearly = format!("fn f() {{ {}1{}; }}", "(".repeat(3900), ")".repeat(3900));
    chart("nearly.rs", &nearly, &[]).fails(120, &["nearly.rs has no state machine"]);
    let nearly = format!("fn f() {{ {}1; }}", "!".repeat(3900));
    chart("nearly.rs", &nearly, &[]).fails(120, &["nearly.rs has no state machine"]);
    chart("large.rs", &" ".repeat(5 << 20), &[])
        .fails(120, &["large.rs has more than 4194304 bytes, too many for a Rust source file"]);
    chart("half.rs", "impl A { /*", &[]).fails(120, &["half.rs:1:"]);
    let bytes = file("bytes.rs", &[0xff, 0xfe, 0]);
    quintet(&["chart", &bytes]).fails(120, &["is neither an ELF file nor a Rust source file"]);
    quintet(&["chart", "not-there.rs"]).fails(120, &["cannot read not-there.rs"]);
}

/// A machine that is refused is drawn without what is wrong, and the macro's words are said.
#[test]
fn a_machine_that_is_refused_is_a_draft() {
    let unknown = LIGHT.replace("Transition(State::on())", "Transition(State::onn())");
    let run = chart("unknown.rs", &unknown, &[]);
    run.fails(120, &["unknown.rs:5:65: there is no state `onn` (did you mean `on`?): a state is"]);
    assert_eq!(
        run.stdout,
        "Light (draft)\n  initial -> off\n  off\n  on\n      any event -> off\n"
    );
    let run = chart("unknown.rs", &unknown, &["--json"]);
    let machine = &run.json()["machines"][0];
    assert_eq!((run.code, &machine["draft"]), (120, &true.into()));
    let refusal = &machine["refusals"][0];
    assert_eq!((&refusal["line"], &refusal["column"]), (&5.into(), &65.into()));
    let run = chart("unknown.rs", &unknown, &["--format", "svg"]);
    assert!(run.code == 120 && run.stdout.contains(">Light (draft)<"), "{}", run.stderr);
    let run = chart("unknown.rs", &unknown, &["--format", "mermaid"]);
    assert!(run.stdout.starts_with("---\ntitle: \"Light (draft)\""), "{}", run.stdout);

    let two = unknown.replace("Transition(State::off())", "Transition(State::of())");
    let run = chart("wrong_twice.rs", &two, &[]);
    run.fails(120, &["wrong_twice.rs:5:65: there", "\n", "wrong_twice.rs:7:64: there"]);
    let lost = DOOR.replace("on_completion = next", "on_completion = nxt");
    chart("lost.rs", &lost, &[])
        .fails(120, &["there is no function `nxt` in this block (did you mean `next`?)"]);
    let circle = LIGHT.replace("#[state]", "#[superstate(superstate = on)]");
    let run = chart("circle.rs", &circle, &[]);
    run.fails(120, &["circle.rs:6:31: `on` is inside of itself: one of the superstates"]);
    assert!(run.stdout.contains("\n  off\n"), "{}", run.stdout);
    let endless = LIGHT.replace("initial = State::off()", "");
    let run = chart("endless.rs", &endless, &[]);
    run.fails(120, &["endless.rs:2:1: the machine's first state is missing: write `#[state_mach"]);
    assert!(!run.stdout.contains("initial"), "{}", run.stdout);
    let run = chart("empty.rs", "#[state_machine()] impl Light {}", &[]);
    run.fails(120, &["empty.rs:1:25: no handler has a parameter `event`"]);
    assert_eq!(run.stdout, "");
    // What is wrong with one that nobody asks for stays unsaid.
    let both = format!("{DOOR}{unknown}");
    assert_eq!(chart("both.rs", &both, &["--machine", "Door"]).code, 0);
    assert_eq!(chart("both.rs", &both, &["--machine", "Light"]).code, 120);
}

#[test]
fn machines_are_found_wherever_they_stand() {
    let conditional = LIGHT.replace(
        "#[quintet::state_machine(initial = State::off())]",
        "#[cfg_attr(feature = \"light\", inline, quintet::state_machine(initial = State::off()))]",
    );
    let source = format!(
        "mod a {{ pub mod b {{ {LIGHT} }} }}\nfn f() {{ if true {{ {conditional} }} }}\n{DOOR}"
    );
    let run = chart("places.rs", &source, &[]);
    assert_eq!((run.code, run.stdout.matches("\nLight\n").count()), (0, 1), "{}", run.stderr);
    assert!(run.stdout.starts_with("Light\n") && run.stdout.contains("\nDoor\n"));

    let above = LIGHT.replace("#[quintet::", "#[cfg(feature = \"light\")]\n#[quintet::");
    assert_eq!(chart("above.rs", &above, &[]).code, 0);
    let below = LIGHT.replace("impl Light", "#[cfg(feature = \"light\")]\nimpl Light");
    chart("below.rs", &below, &[])
        .fails(120, &["below.rs:3:1: the condition of a whole machine stands above `#[state_mach"]);

    let other =
        LIGHT.replace("any", "").replace("fn off", "fn out").replace("State::off", "State::out");
    let source = format!("{LIGHT}mod inner {{ {other} }}");
    let run = chart("same.rs", &source, &["--machine", "Light#2"]);
    assert!(run.stdout.contains("\n  out\n"), "{}{}", run.stdout, run.stderr);
    assert!(chart("same.rs", &source, &["--machine", "Light#1"]).stdout.contains("\n  off\n"));
    let expected = "same.rs has 2 state machines Light: choose by --machine among Light#1 \
                    (line 2), Light#2 (line 10)";
    chart("same.rs", &source, &["--machine", "Light"]).fails(120, &[expected]);
    chart("same.rs", &source, &["--format", "svg"]).fails(120, &["among Light#1, Light#2"]);
    chart("same.rs", &source, &["--machine", "Light#3"])
        .fails(120, &["has no state machine Light#3, only Light#1, Light#2; did you mean Light#"]);
}

#[test]
fn a_second_machine_of_a_module_whose_states_have_one_name_is_a_draft() {
    let second = LIGHT.replace("Light", "Lamp");
    let run = chart("siblings.rs", &format!("{LIGHT}{second}"), &[]);
    run.fails(120, &["siblings.rs:10:1: the states of another machine in this module are called"]);
    assert!(run.stdout.starts_with("Light\n"), "{}", run.stdout);
    assert!(run.stdout.contains("\nLamp (draft)\n"), "{}", run.stdout);
    let named = second.replace("State::off())]", "State::off(), state(name = \"Other\"))]");
    let accepted = [
        named.replace("Outcome<State>", "Outcome<Other>").replace("State::o", "Other::o"),
        second.replace("#[quintet::", "#[cfg(feature = \"lamp\")]\n#[quintet::"),
        format!("mod inner {{ {second} }}"),
        format!("fn f() {{ {second} }}"),
    ];
    for other in accepted {
        let run = chart("apart.rs", &format!("{LIGHT}{other}"), &[]);
        assert_eq!(run.code, 0, "{other}: {}", run.stderr);
    }
}

#[test]
fn what_macros_write_is_not_drawn_and_said() {
    let by_rules =
        format!("macro_rules! lights {{ ($name:ident) => {{ {LIGHT} }} }}\nlights!(off);\n");
    let run = chart("by_rules.rs", &format!("{by_rules}{DOOR}"), &[]);
    let says = "by_rules.rs:2:1: what the macro `lights` makes of `#[state_machine]` here isn't \
                drawn, as only the compiler knows it: draw it from the ELF file";
    assert!(run.code == 0 && run.stderr.contains(says), "{}{}", run.code, run.stderr);
    assert!(run.stdout.starts_with("Door\n") && !run.stdout.contains("Light"), "{}", run.stdout);
    let hidden = &chart("by_rules.rs", &format!("{by_rules}{DOOR}"), &["--json"]).json()["hidden"];
    assert_eq!((&hidden[0]["line"], &hidden[0]["macro"]), (&2.into(), &"lights".into()));
    let alone = by_rules.replace("#[quintet::state_machine(", "#[$crate::state_machine(");
    chart("alone.rs", &alone, &[])
        .fails(120, &["alone.rs has no state machine", "alone.rs:2:1: what the macro `lights`"]);
    let conditional = LIGHT
        .replace("#[quintet::", "#[cfg_attr(a, b, quintet::")
        .replace("State::off())]", "State::off()))]");
    for given in [
        format!("with::time! {{ {LIGHT} }}"),
        format!("fn f() {{ let x = time!({{ {LIGHT} }}); }}"),
        format!("time! {{ {conditional} }}"),
    ] {
        let run = chart("given.rs", &format!("{DOOR}{given}"), &[]);
        assert!(run.stderr.contains("what the macro `time` makes"), "{given}: {}", run.stderr);
    }
    let others = "time! { #[state] #[doc = \"state_machine\"] #[state_machine::other] fn f() {} }";
    assert_eq!(chart("others.rs", &format!("{DOOR}{others}"), &[]).stderr, "");
}

#[test]
fn a_machine_in_a_field_is_a_box_of_its_own() {
    let source = format!(
        "pub struct Door {{ lamp: Machine<Light>, ends: [quintet::chart::Machine<m::Light>; 2], \
         other: Machine<Fan>, n: u8 }}\nmod m {{ {LIGHT} }}{}",
        DOOR.replace("pub struct Door { tries: u8 }", "")
    );
    let run = chart("parts.rs", &source, &["--machine", "Door"]);
    let expected = "\
  lamp: Light
      a machine of its own
  ends: Light
      a machine of its own
";
    assert!(run.stdout.ends_with(expected), "{}{}", run.stdout, run.stderr);
    let json = chart("parts.rs", &source, &["--json"]).json();
    assert_eq!(json["machines"][1]["parts"][1]["field"], "ends");
    assert_eq!(json["machines"][1]["states"].as_array().unwrap().len(), 4);
    let svg = chart("parts.rs", &source, &["--machine", "Door", "--format", "svg"]).stdout;
    assert!(svg.contains("<rect class=\"part\"") && svg.contains(">lamp: Light<"), "{svg}");
}

#[test]
fn an_image_is_drawn_from_what_the_macro_left() {
    let lines = "line\t0\tpreemptive\t3\n\0\0\0chart\tmachine\tLight\nchart\tstate\toff\t\t\t\n\
        chart\tstate\ton\t\tlamp_on\t\nchart\tinitial\toff\t\n\
        chart\tedge\texternal\toff\ton\tButton\tself.ok\t\n";
    let image = file("light.elf", &elf(".quintet.map", lines));
    let run = quintet(&["chart", &image]);
    let expected = "Light\n  initial -> off\n  off\n      Button [self.ok] -> on\n  on\n      \
        entry / lamp_on\n";
    assert_eq!(run.stdout, expected, "{}", run.stderr);
    let bare = file("bare.elf", &elf(".quintet.map", "line\t0\tpreemptive\t3\n"));
    quintet(&["chart", &bare]).fails(120, &["bare.elf has no state machine", ".quintet.map"]);
    let without = file("without.elf", &elf(".text", ""));
    quintet(&["chart", &without]).fails(120, &["without.elf has no state machine"]);
    let damaged = file("damaged.elf", &elf(".quintet.map", "chart\tmachine\tM\nchart\tmood\tx\n"));
    quintet(&["chart", &damaged]).fails(
        120,
        &["the state machines of", "damaged.elf are damaged", "older than the firmware"],
    );
}

#[test]
fn the_books_pictures_are_those_of_their_sources() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..");
    for (name, source) in [
        ("toaster", "quintet-lab/tests/charts/toaster.rs"),
        ("pelican", "examples/src/bin/pelican.rs"),
    ] {
        let path = root.join(source);
        let run = quintet(&["chart", &path.display().to_string(), "--format", "svg"]);
        let shown = std::fs::read_to_string(root.join(format!("docs/book/{name}.svg"))).unwrap();
        assert_eq!(run.code, 0, "{}", run.stderr);
        assert!(
            run.stdout == shown,
            "draw it anew: quintet chart {source} -o docs/book/{name}.svg"
        );
    }
}
