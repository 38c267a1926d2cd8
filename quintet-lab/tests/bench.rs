//! The benchmark tables: the firmware builds, runs, and costs what was accepted.
//!
//! Builds firmware with cargo, as `cargo lab bench` does.

use std::process::Command;

fn bench(arguments: &[&str]) -> std::process::Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_quintet"));
    command.arg("bench").args(arguments).output().unwrap()
}

#[test]
fn the_hardware_table_is_printed_in_the_agreed_form() {
    let output = bench(&["hardware", "--json"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let group = &json["groups"][0];
    assert_eq!(
        (group["name"].as_str(), group["board"].as_str()),
        (Some("hardware"), Some("stm32f100"))
    );
    let row = |name: &str| {
        let rows = group["rows"].as_array().unwrap();
        rows.iter()
            .find(|row| row["name"] == name)
            .unwrap_or_else(|| panic!("no row {name}"))
            .clone()
    };
    let call = row("call and return");
    assert_eq!((&call["instructions"], &call["document"]), (&2.into(), &4.into()));
    assert!(call["cycles"].is_u64() && call["floor"].is_null() && call["peers"].is_object());
    assert_eq!(row("BASEPRI section")["floor"], 3);
    let stack = row("stack per suspended task");
    assert_eq!((&stack["unit"], &stack["cycles"]), (&"bytes".into(), &32.into()));
}

#[test]
fn no_row_is_worse_than_what_was_accepted() {
    let output = bench(&["--check"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn an_unknown_group_is_refused_with_the_known_ones() {
    let output = bench(&["hardwear"]);
    assert!(!output.status.success());
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(message.contains("hardwear") && message.contains("hardware"), "{message}");
}
