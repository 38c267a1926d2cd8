//! Decodes protocol buffers by a schema in text, and refuses what the schema lacks.

use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use protobuf::MessageDyn;
use protobuf::descriptor::FileDescriptorProto;
use protobuf::reflect::{FileDescriptor, MessageDescriptor, ReflectFieldRef, ReflectValueRef};
use protobuf_parse::Parser;

/// A message that a file of the schema defines; `root` is where imports begin.
pub fn message(root: &Path, file: &str, name: &str) -> Result<MessageDescriptor> {
    let mut parser = Parser::new();
    parser.pure().include(root).input(root.join(file));
    let parsed = parser.parse_and_typecheck().with_context(|| file.to_owned())?;
    let files = linked(parsed.file_descriptors)?;
    let found = files.iter().flat_map(FileDescriptor::messages).find(|one| one.full_name() == name);
    found.with_context(|| format!("{file} has no message {name}"))
}

/// Files, each behind those that it imports.
fn linked(mut files: Vec<FileDescriptorProto>) -> Result<Vec<FileDescriptor>> {
    let mut linked = vec![protobuf::descriptor::file_descriptor().clone()];
    while !files.is_empty() {
        let is_linked = |name: &String| linked.iter().any(|one| one.name() == name);
        let is_ready = |file: &mut FileDescriptorProto| file.dependency.iter().all(is_linked);
        let ready: Vec<FileDescriptorProto> = files.extract_if(.., is_ready).collect();
        ensure!(!ready.is_empty(), "a file of the schema imports one that is missing");
        for file in ready {
            let file = FileDescriptor::new_dynamic(file, &linked)?;
            linked.push(file);
        }
    }
    Ok(linked)
}

/// Decodes a message.
pub fn decode(descriptor: &MessageDescriptor, bytes: &[u8]) -> Result<Box<dyn MessageDyn>> {
    let message = descriptor.parse_from_bytes(bytes)?;
    check(&*message, descriptor.name())?;
    Ok(message)
}

/// Refuses what the schema lacks, in a message and in those within it.
fn check(message: &dyn MessageDyn, path: &str) -> Result<()> {
    if let Some((field, _)) = message.unknown_fields_dyn().iter().next() {
        bail!("{path}: the schema has no field {field}");
    }
    for field in message.descriptor_dyn().fields() {
        let path = format!("{path}.{}", field.name());
        let inside = |value: ReflectValueRef<'_>| match value {
            ReflectValueRef::Message(message) => check(&*message, &path),
            ReflectValueRef::Enum(descriptor, number) => {
                let known = descriptor.value_by_number(number);
                ensure!(known.is_some(), "{path}: the schema has no value {number}");
                Ok(())
            }
            _ => Ok(()),
        };
        match field.get_reflect(message) {
            ReflectFieldRef::Optional(value) => value.value().map_or(Ok(()), inside)?,
            ReflectFieldRef::Repeated(values) => values.into_iter().try_for_each(inside)?,
            ReflectFieldRef::Map(_) => {}
        }
    }
    Ok(())
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// Of Perfetto's messages and fields those that are in `bytes` below.
    const SCHEMA: &str = "syntax = \"proto2\";\npackage perfetto.protos;\n\
        message Trace { repeated TracePacket packet = 1; }\n\
        message TracePacket { optional uint64 timestamp = 8;\n\
        optional TrackEvent track_event = 11; }\n\
        message TrackEvent { enum Type { TYPE_SLICE_BEGIN = 1; } optional Type type = 9;\n\
        optional uint64 track_uuid = 11; }\n";

    /// The message `Trace` of a schema like Perfetto's.
    pub fn trace() -> MessageDescriptor {
        static FILES: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
        let number = FILES.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let name = format!("quintet-schema-{}-{number}", std::process::id());
        let directory = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&directory).unwrap();
        std::fs::write(directory.join("trace.proto"), SCHEMA).unwrap();
        let found = message(&directory, "trace.proto", "perfetto.protos.Trace").unwrap();
        std::fs::remove_dir_all(&directory).unwrap();
        found
    }

    fn refusal(bytes: &[u8]) -> Option<String> {
        decode(&trace(), bytes).err().map(|error| error.to_string())
    }

    #[test]
    fn only_what_the_schema_has_is_decoded() {
        // A packet at 5 with an event: type 1, track 7.
        assert_eq!(refusal(&[0x0a, 8, 0x40, 5, 0x5a, 4, 0x48, 1, 0x58, 7]), None);
        let field = refusal(&[0x0a, 4, 0x5a, 2, 0x50, 1]).unwrap();
        assert_eq!(field, "Trace.packet.track_event: the schema has no field 10");
        // A number where the schema has a message.
        let of_type = refusal(&[0x0a, 2, 0x58, 1]).unwrap();
        assert!(of_type.contains("wire type"), "{of_type}");
        let value = refusal(&[0x0a, 4, 0x5a, 2, 0x48, 9]).unwrap();
        assert!(value.contains("type: the schema has no value 9"), "{value}");
        assert!(refusal(&[0x0a, 9, 0]).is_some(), "it ends too early");
    }

    #[test]
    fn what_is_missing_is_named() {
        let directory = std::env::temp_dir();
        let missing = message(&directory, "quintet-no-such.proto", "x").unwrap_err();
        assert!(format!("{missing:#}").contains("quintet-no-such.proto"), "{missing:#}");
    }
}
