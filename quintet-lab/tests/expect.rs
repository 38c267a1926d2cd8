//! `quintet test`: tests that are files, their verdicts, and what is said of files with mistakes.

mod support;

use std::path::{Path, PathBuf};

use support::{Finished, logging, program, quintet};

/// A folder of its own with these files.
fn folder(name: &str, files: &[(&str, &str)]) -> String {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("expect").join(name);
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).expect("the temporary directory is writable");
    for (file, text) in files {
        std::fs::write(path.join(file), text).expect("the temporary directory is writable");
    }
    path.display().to_string()
}

fn firmware() -> String {
    logging("rtt", "expects")
}

/// Runs one test, with options.
fn test_with(name: &str, text: &str, options: &[&str]) -> Finished {
    let folder = folder(name, &[("it.toml", text)]);
    let firmware = firmware();
    quintet(&[&["test", &firmware, &folder], options].concat())
}

/// The problems of a test that fails.
fn problems(name: &str, text: &str) -> Vec<String> {
    let run = test_with(name, text, &["--json"]);
    assert_eq!(run.code, 1, "{}\n{}", run.stdout, run.stderr);
    let report = run.json();
    let test = &report["tests"][0];
    assert_eq!(test["verdict"], "failed");
    let of_expectations = test["expectations"].as_array().unwrap().iter();
    let failed = of_expectations.filter_map(|one| one["problem"].as_str());
    let others = test["problems"].as_array().unwrap().iter().filter_map(|one| one.as_str());
    failed.chain(others).map(str::to_owned).collect()
}

const PRESS: &str = "[[at]]\nname = 'press'\nms = 3\npin = 'PA2'\npress_ms = 20\n";

/// What the firmware does when its button is pressed twice, and a value changes in between.
const ALL: &str = r#"
        limit = "100 ms"

        [[at]]
        name = "press"
        ms = 3
        pin = "PA2"
        press_ms = 20

        [[at]]
        ms = 40
        poke = "STEP"
        value = 7

        [[at]]
        name = "flip"
        place = "GPIOA"
        nth = 2
        flip = "BALANCE"
        bit = 31

        [[at]]
        name = "second"
        ms = 50
        pin = "PA2"
        press_ms = 5

        [[expect]]
        contains = "ready"
        channel = "defmt"
        within = "3 ms"

        [[expect]]
        name = "first"
        line = "pressed, 1 so far"
        channel = "uart0"
        after = "press"
        within = "2 ms"

        [[expect]]
        line = "pressed, 8 so far"
        after = "first"
        from = "40 ms"
        within = "60 ms"

        [[expect]]
        pin = "PB0"
        edge = "rising"
        after = "press"
        within = "50 us"

        [[expect]]
        pin = "PB0"
        level = 0
        at = "2 ms"

        [[expect]]
        pin = "PB0"
        level = 1
        at = "3 ms"
        after = "press"

        [[expect]]
        variable = "app::PRESSES"
        is = 1
        at = "20 ms"

        [[expect]]
        variable = "BALANCE"
        is = -4
        from = "20 ms"
        within = "21 ms"

        [[expect]]
        variable = "BALANCE"
        at_least = 0x7fff_fff0
        after = "flip"
        within = "1 us"

        [[expect]]
        task = "button"
        does = "start"
        after = "press"
        within = "20 cycles"

        [[expect]]
        task = "report"
        does = "end"
        after = "press"
        within = "200 us"

        [[expect]]
        task = "report"
        response = "1 ms"
        within = "90 ms"

        [[expect]]
        contains = "panic"
        never = true
    "#;

#[test]
fn all_that_is_expected_happens() {
    let run = test_with("all", ALL, &[]);
    assert_eq!(run.code, 0, "{}\n{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("13 of 13 met in "), "{}", run.stdout);
    assert!(run.stdout.ends_with("1 test: 1 passed, 0 failed\n"), "{}", run.stdout);
}

#[test]
fn what_was_seen_instead_is_told() {
    let said = |name: &str, expect: &str, parts: &[&str]| {
        let text = format!("limit = '30 ms'\n{PRESS}[[expect]]\n{expect}\n");
        let problems = problems(name, &text);
        let [problem] = problems.as_slice() else { panic!("one problem, not {problems:?}") };
        for part in parts {
            assert!(problem.contains(part), "no \"{part}\" in {problem}");
        }
    };
    let near = ["didn't happen", "the nearest line: \"pressed, 1 so far\" on uart0 at 3.0"];
    said("near", "line = 'pressed, 2 so far'\nwithin = '10 ms'", &near);
    let late = ["it came at 3.0", " ms too late"];
    said("late", "line = 'pressed, 1 so far'\nwithin = '2 ms'", &late);
    let early = ["seen before its time: \"pressed, 1 so far\" on uart0 at 3.0"];
    said("early", "line = 'pressed, 1 so far'\nfrom = '5 ms'\nwithin = '8 ms'", &early);
    let elsewhere = ["nothing was printed on uart1, but on defmt"];
    said("elsewhere", "line = 'ready'\nchannel = 'uart1'\nwithin = '1 ms'", &elsewhere);
    let other = ["1 other line was printed, the last \"INFO  ready"];
    said("other", "line = '#'\nwithin = '1 ms'", &other);
    let falls = ["nothing will wake it", "PB0 rose at 3.00"];
    said("falls", "pin = 'PB0'\nedge = 'falling'", &falls);
    said("stays", "pin = 'PB0'\nedge = 'any'\nwithin = '1 ms'", &["PB0 didn't change"]);
    let level = ["it was 1 then", "was 0 at ", "was 1 at 3.00"];
    said("level", "pin = 'PB0'\nlevel = 0\nat = '4 ms'", &level);
    let value = ["it was 1 then; seen: was 0 at ", "was 1 at 3.00"];
    said("value", "variable = 'PRESSES'\nis = 0\nat = '20 ms'", &value);
    let signed = ["was 4294967292 (signed: -4) at 3.00"];
    said("signed", "variable = 'BALANCE'\nis = 9\nwithin = '20 ms'", &signed);
    said("runs", "task = 'button'\ndoes = 'start'\nwithin = '1 ms'", &["button never ran"]);
    let slow = ["job 1 took ", " too long"];
    said("slow", "task = 'button'\nresponse = '5 cycles'", &slow);
    said("none", "task = 'button'\nresponse = '1 s'\nwithin = '1 ms'", &["no job ended"]);
    said("exit", "exit = 0", &["it runs on"]);
    said("never", "contains = 'ready'\nnever = true", &["it happened at "]);
}

#[test]
fn what_comes_after_something_waits_for_it() {
    let lines = "[[expect]]\nline = 'pressed, 1 so far'\n[[expect]]\ncontains = 'ready'\n";
    let any_order = test_with("any-order", &format!("{PRESS}{lines}"), &[]);
    assert_eq!(any_order.code, 0, "{}", any_order.stdout);
    let text = format!("limit = '9 ms'\nordered = true\n{PRESS}{lines}");
    let found = problems("ordered", &text);
    let [problem] = found.as_slice() else { panic!("one problem, not {found:?}") };
    assert!(problem.contains("seen before its time: \"INFO  ready"), "{problem}");
    let text = format!(
        "limit = '9 ms'\n{PRESS}[[expect]]\nname = 'x'\nline = 'x'\nwithin = '1 ms'\n[[expect]]\n\
         line = 'pressed, 1 so far'\nafter = 'x'\n"
    );
    let found = problems("chain", &text);
    assert!(found[1].starts_with("what it comes after, in line 7, failed"), "{found:?}");
}

#[test]
fn an_end_of_the_firmware_is_judged() {
    let exits = folder("exits", &[("it.toml", "[[expect]]\nexit = 0\n")]);
    let hello = quintet(&["test", &program("hello"), &exits]);
    assert_eq!(hello.code, 0, "{}", hello.stdout);
    let run = quintet(&["test", &program("exit_code"), &exits]);
    assert_eq!(run.code, 1);
    assert!(run.stdout.contains("the firmware ended with code "), "{}", run.stdout);
    let line = folder("died", &[("it.toml", "[[expect]]\nline = 'x'\n")]);
    let run = quintet(&["test", &program("hard_fault"), &line]);
    assert_eq!(run.code, 1);
    for part in ["the firmware died at ", "a fault"] {
        assert!(run.stdout.contains(part), "no \"{part}\" in {}", run.stdout);
    }
    let run = quintet(&["test", &program("endless"), &exits]);
    assert!(run.stdout.contains("the test ended at its limit, 1.000 s"), "{}", run.stdout);
    // A poke ends this firmware with another code, which one test expects and the other does not.
    let poke = format!("{PRESS}[[at]]\nms = 1\npoke = 'STEP'\nvalue = 100\n");
    let expected = test_with("expected", &format!("{poke}[[expect]]\nexit = 3\n"), &[]);
    assert_eq!(expected.code, 0, "{}", expected.stdout);
    let found = problems(
        "unexpected",
        &format!("{poke}[[expect]]\ncontains = 'ready'\n[[expect]]\nline = 'nowhere'\n"),
    );
    assert!(
        found.iter().any(|one| one.starts_with("the firmware ended with code 3 at ")),
        "{found:?}"
    );
}

#[test]
fn a_folder_has_a_verdict_each_and_a_report() {
    let good = format!("{PRESS}[[expect]]\nline = 'pressed, 1 so far'\n");
    let bad = format!("limit = '9 ms'\n{PRESS}[[expect]]\nline = '<2>'\n");
    let files = [("b.toml", bad.as_str()), ("a.toml", &good), ("c.toml", &good), ("d.txt", "no")];
    let folder = folder("many", &files);
    let junit = PathBuf::from(&folder).join("report.xml");
    let firmware = firmware();
    let line = |jobs: &str| {
        let junit = junit.display().to_string();
        let run = quintet(&["test", &firmware, &folder, "--jobs", jobs, "--junit", &junit]);
        assert_eq!(run.code, 1, "{}", run.stderr);
        (run.stdout, std::fs::read_to_string(&junit).unwrap())
    };
    let (text, xml) = line("1");
    let verdicts: Vec<_> = text.lines().filter(|line| !line.starts_with(' ')).collect();
    assert!(verdicts[0].starts_with("passed ") && verdicts[0].contains("a.toml"), "{text}");
    assert!(verdicts[1].starts_with("FAILED ") && verdicts[1].contains("b.toml"), "{text}");
    assert_eq!(verdicts[3], "3 tests: 2 passed, 1 failed");
    for part in [
        "tests=\"3\" failures=\"1\"",
        "b.toml\" time=\"0.009",
        "<failure message=\"line 7: line &quot;&lt;2&gt;&quot;",
        "<system-out>uart0:\npressed, 1 so far\n",
    ] {
        assert!(xml.contains(part), "no {part} in {xml}");
    }
    assert_eq!(line("3"), (text, xml), "whoever runs them");
}

#[test]
fn mistakes_are_told_with_file_line_and_field() {
    let refused = |name: &str, text: &str, parts: &[&str]| {
        test_with(name, text, &[])
            .fails(120, &[&["no test has run: ", "it.toml: "], parts].concat());
    };
    let expect = |fields: &str| format!("# A test.\n[[expect]]\n{fields}\n");
    for (fields, part) in [
        ("ms = 1", "unknown field `ms`"),
        ("line = 'a'\nexit = 0", "line: an expectation needs exactly one of line, contains, pin, "),
        ("never = true", "line: an expectation needs exactly one of"),
        ("line = ''", "line: one line, and not an empty one"),
        ("contains = \"a\\nb\"", "contains: one line, and not an empty one"),
        ("line = 'a'\nlevel = 1", "level: goes with pin"),
        ("exit = 0\nchannel = 'uart0'", "channel: goes with line and contains"),
        ("line = 'a'\nat = '1 ms'", "at: goes with level and variable"),
        ("line = 'a'\nwithin = 'soon'", "within: \"soon\" is no time: write 10ms"),
        ("line = 'a'\nfrom = '2 ms'\nwithin = '1 ms'", "within: ends before `from` begins"),
        ("line = 'a'\nafter = 'b'", "after: nothing before has the name \"b\"; give one to an"),
        ("pin = 'PX0'\nlevel = 1", "pin: no port \"X\"; there are A, B"),
        ("pin = 'PA0'", "pin: a pin needs either level or edge"),
        ("pin = 'PA0'\nlevel = 2", "level: is 2; a level is 0 or 1"),
        ("pin = 'PA0'\nedge = 'up'", "unknown variant `up`, expected one of `rising`"),
        ("pin = 'PA0'\nlevel = 1\nat = 5\nwithin = 6", "at: is one moment: leave from and within"),
        ("variable = 'PRESSES'", "is: a variable needs exactly one of is, at_least and at_most"),
        ("variable = 'PRESES'\nis = 1", "no symbol is named \"PRESES\"; the nearest: "),
        ("variable = 'TABLE'\nis = 1", "\"TABLE\" has 12 bytes, and a number is of 1 to 8"),
        ("variable = 'STEP'\nis = 65536", "is: 65536 doesn't fit into 2 bytes"),
        ("variable = 0x4000_0000\nis = 1", "variable: 0x40000000 is in no memory of lm3s6965"),
        ("task = 'butter'\ndoes = 'end'", "task: \"butter\" is no task, handler or function; the"),
        ("task = 'button'", "does: a task needs either does, \"start\" or \"end\", or response"),
        ("task = 'button'\nresponse = 5\nnever = true", "never: goes with what happens, not with"),
    ] {
        refused("mistakes", &expect(fields), &["line", part]);
    }
    refused("line", &expect("exit = 0\n[[expect]]\nline = 'a'\nlevel = 1"), &["line 4: level: "]);
    let twice = "line = 'a'\nname = 'b'\n[[expect]]\nline = 'a'\nname = 'b'";
    refused("twice", &expect(twice), &["line 5: name: an entry before has the name \"b\", too"]);
    let known = format!("{PRESS}[[expect]]\nline = 'a'\nafter = 'pres'");
    refused("known", &known, &["after: nothing before has the name \"pres\"; there are press"]);
    refused("nothing", PRESS, &["it expects nothing: write [[expect]], with `exit = 0`"]);
    refused("no-limit", "limit = 0\n[[expect]]\nexit = 0", &["`limit`: 0 leaves nothing to run"]);
    let input = "[[at]]\nms = 1\npin = 'PA0'\n[[expect]]\nexit = 0";
    refused("input", input, &["line 1: level: a pin needs either level or press_ms"]);
    let firmware = firmware();
    let two = folder("two", &[("a.toml", "x"), ("b.toml", PRESS)]);
    quintet(&["test", &firmware, &two]).fails(120, &["no test has run, 2 files have errors:\n"]);
    let empty = folder("empty", &[]);
    quintet(&["test", &firmware, &empty]).fails(120, &["has no test: a test is a file NAME.toml"]);
    quintet(&["test", &firmware, "nowhere"]).fails(120, &["there is no file or folder nowhere"]);
    quintet(&["test", &firmware, &two, "--inputs", "x"]).fails(120, &["--inputs is for other"]);
    let where_to = ["--junit", "/nowhere/report.xml"];
    test_with("junit", PRESS, &where_to).fails(120, &["cannot write /nowhere/report.xml"]);
}

#[test]
fn an_input_file_of_any_command_may_change_memory() {
    let path = folder(
        "inputs",
        &[("it.toml", &format!("{PRESS}[[at]]\nms = 1\npoke = 'STEP'\nvalue = 100\n"))],
    );
    let inputs = format!("{path}/it.toml");
    let run = quintet(&["run", &firmware(), "--inputs", &inputs]);
    assert_eq!(run.code, 3, "{}", run.stderr);
    assert!(run.stdout.contains("pressed, 100 so far"), "{}", run.stdout);
}
