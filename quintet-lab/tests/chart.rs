//! `quintet chart`: machines from source files and images, in all formats, and what is refused.

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
            return Transition(State::fault());
        }
        Super
    }

    #[state(superstate = operational)]
    fn closed(&mut self, event: &Event, context: &mut Motor) -> Outcome<State> {
        match event {
            Event::Button | Event::Tick if self.tries < 3 => {
                self.tries += 1;
                Transition(State::opening(9), |this, context| { context.run(this.tries); })
            }
            Event::Button => Handled,
            _ => Super,
        }
    }

    #[state(
        superstate = operational, exit_action = stop, defer = [Event::Test], on_completion = next
    )]
    async fn opening(left: &mut u8, event: &Event) -> Outcome<State> {
        match event {
            Event::Tick => {
                *left -= 1;
                Handled
            }
            Event::Blocked(force) => {
                if *force > 5 { Transition(State::fault()) } else { Local(State::operational()) }
            }
            Event::End => Deferred,
            _ => Super,
        }
    }

    #[state]
    fn fault(event: Event) -> Outcome<State> {
        match event {
            Event::Reset => DeepHistory(State::operational()),
            Event::Button => History(State::operational()),
            Event::Test => Transition(State::fault()),
            _ => Super,
        }
    }

    fn next(&mut self) -> Outcome<State> {
        if self.tries > 9 {
            return Transition(State::closed());
        }
        self.tries += 1;
        Transition(State::fault())
    }

    #[action]
    fn power_on(context: &mut Motor) {}
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
    opening (left: u8)
        exit / stop
        Tick / *left -= 1
        defer / Test, End
        Blocked(force) [*force > 5] -> fault
        Blocked(force) [else] -> operational (local)
        on completion [self.tries > 9] -> closed
        on completion [else] -> fault / self.tries += 1
  fault
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
    assert_eq!(states[2]["storage"][0], "left: u8");
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
        "        state \"opening (left#58; u8)\" as s2",
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
fn the_format_follows_from_the_name_of_the_output() {
    let out = file("out.svg", b"");
    let run = chart("named.rs", DOOR, &["-o", &out]);
    assert_eq!((run.code, run.stdout.as_str()), (0, ""), "{}", run.stderr);
    assert!(std::fs::read_to_string(&out).unwrap().starts_with("<svg "));
    let out = file("out.mmd", b"");
    assert_eq!(chart("named.rs", DOOR, &["-o", &out]).code, 0);
    assert!(std::fs::read_to_string(&out).unwrap().starts_with("---\ntitle: \"Door\""));
    chart("named.rs", DOOR, &["-o", "out.png"])
        .fails(120, &["the name out.png says no format: end it with .svg, .mmd, .txt or .json"]);
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
    let unknown = LIGHT.replace("Transition(State::on())", "Transition(State::onn())");
    chart("unknown.rs", &unknown, &[])
        .fails(120, &["unknown.rs:5:58: no state of this machine is called onn; did you mean on?"]);
    let lost = DOOR.replace("on_completion = next", "on_completion = nxt");
    chart("lost.rs", &lost, &[]).fails(120, &["there is no function nxt in this block"]);
    let circle = LIGHT.replace("#[state]", "#[state(superstate = on)]");
    chart("circle.rs", &circle, &[]).fails(120, &["go round in a circle"]);
    let bytes = file("bytes.rs", &[0xff, 0xfe, 0]);
    quintet(&["chart", &bytes]).fails(120, &["is neither an ELF file nor a Rust source file"]);
    quintet(&["chart", "not-there.rs"]).fails(120, &["cannot read not-there.rs"]);
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
