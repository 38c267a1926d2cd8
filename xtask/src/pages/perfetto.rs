//! Perfetto's files, decoded by Perfetto's own schema.
//!
//! A published crate carries the schema as text. The crate is not a dependency: its build would run
//! a compiler of schemas and take minutes. Cargo only downloads it, for a package without code.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use protobuf::MessageDyn;
use protobuf::reflect::{MessageRef, ReflectFieldRef, ReflectValueRef};
use serde_json::Value;

use super::schema;

/// The crate with the schema. Its build dependency on prebuilt compilers is replaced by nothing.
const CARRIER: &str = "perfetto_protos";
const MANIFEST: &str = "\
[workspace]\n
[package]\nname = \"schema\"\nversion = \"0.0.0\"\nedition = \"2024\"\n
[lib]\npath = \"lib.rs\"\n
[dependencies]\nperfetto_protos = \"=0.51.1\"\n
[patch.crates-io]\nprotoc-bin-vendored = { path = \"nothing\" }\n";
const NOTHING: &str = "\
[workspace]\n
[package]\nname = \"protoc-bin-vendored\"\nversion = \"3.2.0\"\nedition = \"2024\"\n
[lib]\npath = \"lib.rs\"\n";

/// The file of the schema, and its message.
const FILE: &str = "protos/perfetto/trace/trace.proto";
const TRACE: &str = "perfetto.protos.Trace";

/// Kinds of events, as the schema numbers them.
const BEGIN: i32 = 1;
const END: i32 = 2;

/// What was decoded.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Decoded {
    /// Descriptions of tracks.
    pub tracks: usize,
    /// Events on them.
    pub events: usize,
}

/// Decodes a file, and checks that it makes sense: each event is on a track that is described,
/// slices end in the order in which they began, and each flow ends behind its beginning.
pub fn check(file: &Path, directory: &Path) -> Result<Decoded> {
    let message = schema::message(&carrier(directory)?, FILE, TRACE)?;
    let bytes = fs::read(file).with_context(|| file.display().to_string())?;
    let trace = schema::decode(&message, &bytes).with_context(|| file.display().to_string())?;
    judge(&*trace).with_context(|| file.display().to_string())
}

/// Where cargo has put the crate with the schema.
fn carrier(directory: &Path) -> Result<PathBuf> {
    let package = directory.join("schema");
    for (place, manifest) in [(package.clone(), MANIFEST), (package.join("nothing"), NOTHING)] {
        fs::create_dir_all(&place)?;
        fs::write(place.join("Cargo.toml"), manifest)?;
        fs::write(place.join("lib.rs"), "")?;
    }
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["metadata", "--format-version", "1", "--quiet"]).current_dir(&package);
    let run = cargo.output().context("cargo could not be started")?;
    if !run.status.success() {
        bail!("cargo can't get Perfetto's schema: {}", String::from_utf8_lossy(&run.stderr).trim());
    }
    let metadata: Value = serde_json::from_slice(&run.stdout)?;
    let packages = metadata["packages"].as_array().into_iter().flatten();
    let found = packages
        .filter(|one| one["name"] == CARRIER)
        .find_map(|one| Path::new(one["manifest_path"].as_str()?).parent().map(Path::to_path_buf));
    found.with_context(|| format!("cargo doesn't say where {CARRIER} is"))
}

/// An event, or the description of a track.
struct Packet<'a>(MessageRef<'a>);

impl<'a> Packet<'a> {
    /// The value of a field that is set.
    fn value(message: &'a dyn MessageDyn, name: &str) -> Option<ReflectValueRef<'a>> {
        message.descriptor_dyn().field_by_name(name)?.get_singular(message)
    }

    fn message(message: &'a dyn MessageDyn, name: &str) -> Option<Self> {
        match Self::value(message, name)? {
            ReflectValueRef::Message(inside) => Some(Self(inside)),
            _ => None,
        }
    }

    fn number(&self, name: &str) -> Option<u64> {
        match Packet::value(&*self.0, name)? {
            ReflectValueRef::U64(number) => Some(number),
            ReflectValueRef::Enum(_, number) => u64::try_from(number).ok(),
            _ => None,
        }
    }

    fn numbers(&self, name: &str) -> Vec<u64> {
        let Some(field) = self.0.descriptor_dyn().field_by_name(name) else { return Vec::new() };
        match field.get_reflect(&*self.0) {
            ReflectFieldRef::Repeated(all) => all
                .into_iter()
                .filter_map(|one| match one {
                    ReflectValueRef::U64(number) => Some(number),
                    _ => None,
                })
                .collect(),
            _ => Vec::new(),
        }
    }
}

/// Whether the packets make sense together.
fn judge(trace: &dyn MessageDyn) -> Result<Decoded> {
    let mut decoded = Decoded::default();
    let mut depths: BTreeMap<u64, usize> = BTreeMap::new();
    let mut flows: BTreeMap<u64, bool> = BTreeMap::new();
    let mut last = 0;
    let packets = trace.descriptor_dyn().field_by_name("packet").context("no packets")?;
    for packet in &packets.get_repeated(trace) {
        let ReflectValueRef::Message(packet) = packet else { bail!("a packet is no message") };
        if let Some(track) = Packet::message(&*packet, "track_descriptor") {
            depths.insert(track.number("uuid").context("a track has no number")?, 0);
            decoded.tracks += 1;
        }
        let time = Packet::value(&*packet, "timestamp");
        let Some(event) = Packet::message(&*packet, "track_event") else { continue };
        let Some(ReflectValueRef::U64(time)) = time else { bail!("an event has no time") };
        ensure!(time >= last, "an event at {time} comes behind one at {last}");
        last = time;
        decoded.events += 1;
        note(&event, &mut depths, &mut flows).with_context(|| format!("at {time}"))?;
    }
    let open = depths.values().filter(|depth| **depth > 0).count();
    ensure!(open == 0, "slices on {open} tracks have no end");
    let loose = flows.values().filter(|has_ended| !**has_ended).count();
    ensure!(loose == 0, "{loose} flows have no end");
    ensure!(decoded.events > 0, "there is no event");
    Ok(decoded)
}

/// Notes an event.
fn note(
    event: &Packet<'_>,
    depths: &mut BTreeMap<u64, usize>,
    flows: &mut BTreeMap<u64, bool>,
) -> Result<()> {
    let track = event.number("track_uuid").context("an event is on no track")?;
    let depth = depths.get_mut(&track).context("an event is on a track that is not described")?;
    match event.number("type").and_then(|kind| i32::try_from(kind).ok()) {
        Some(BEGIN) => *depth += 1,
        Some(END) => *depth = depth.checked_sub(1).context("a slice ends that has not begun")?,
        Some(_) => {}
        None => bail!("an event has no type"),
    }
    for flow in event.numbers("flow_ids") {
        flows.insert(flow, false);
    }
    for flow in event.numbers("terminating_flow_ids") {
        let has_ended = flows.get_mut(&flow).context("a flow ends that has not begun")?;
        *has_ended = true;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pages::schema::tests::trace;

    fn judged(bytes: &[u8]) -> Result<Decoded> {
        judge(&*schema::decode(&trace(), bytes).unwrap())
    }

    #[test]
    fn an_event_needs_a_time_and_a_track() {
        let refusal = |bytes: &[u8]| format!("{:#}", judged(bytes).unwrap_err());
        assert_eq!(refusal(&[]), "there is no event");
        assert_eq!(refusal(&[0x0a, 4, 0x5a, 2, 0x48, 1]), "an event has no time");
        assert_eq!(refusal(&[0x0a, 6, 0x40, 5, 0x5a, 2, 0x48, 1]), "at 5: an event is on no track");
        assert_eq!(
            refusal(&[0x0a, 8, 0x40, 5, 0x5a, 4, 0x48, 1, 0x58, 7]),
            "at 5: an event is on a track that is not described"
        );
    }
}
