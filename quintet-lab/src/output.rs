//! Writing to the standard streams, and to files.
//!
//! A reader that goes away ends the command quietly instead of a panic. Results of a run that
//! Ctrl-C has cut say so.

use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::Path;
use std::sync::Once;

use anyhow::Context;
use serde_json::Value;

use crate::ctrl_c;

/// Writes text of the tool to standard output. The first of a run that was cut begins with that.
pub fn print(text: &str) -> anyhow::Result<()> {
    static TOLD: Once = Once::new();
    let mut begin = String::new();
    if let Some(note) = ctrl_c::note() {
        TOLD.call_once(|| begin = format!("{note}\n"));
    }
    print_bytes(format!("{begin}{text}").as_bytes())
}

/// Writes bytes to standard output and pushes them out.
pub fn print_bytes(bytes: &[u8]) -> anyhow::Result<()> {
    let mut stdout = std::io::stdout().lock();
    stdout.write_all(bytes)?;
    stdout.flush()?;
    Ok(())
}

/// Writes a file: beside its place first, and then there by its name. So nobody reads a part of it,
/// and an earlier file stays until the new one is whole.
pub fn write(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    replace(path, bytes).with_context(|| format!("cannot write {}", path.display()))
}

/// Refuses files that [`write()`] could not write, so that a command says so before minutes of
/// work.
pub fn check<'a>(paths: impl IntoIterator<Item = &'a Path>) -> anyhow::Result<()> {
    for path in paths {
        check_one(path).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

fn check_one(path: &Path) -> io::Result<()> {
    let path = &fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    match fs::metadata(path) {
        Ok(there) if there.is_dir() => Err(ErrorKind::IsADirectory.into()),
        Ok(there) if there.is_file() => OpenOptions::new().write(true).open(path).map(drop),
        // Opening a pipe would wait for its reader.
        Ok(_) => Ok(()),
        Err(_) => {
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
            let folder = folder.unwrap_or(Path::new("."));
            if !folder.is_dir() {
                let problem = format!("there is no folder {}; make it first", folder.display());
                return Err(io::Error::new(ErrorKind::NotFound, problem));
            }
            let beside = folder.join(format!(".quintet-{}.check", std::process::id()));
            fs::write(&beside, []).and_then(|()| fs::remove_file(&beside))
        }
    }
}

fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    // A link stays one.
    let path = &fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let before = fs::metadata(path).ok();
    if !before.as_ref().is_none_or(fs::Metadata::is_file) {
        // A pipe or a device has nothing beside it, and no parts.
        return fs::write(path, bytes);
    }
    if before.is_some() {
        // A new name would replace a file that may not be written, too.
        OpenOptions::new().write(true).open(path)?;
    }
    let beside = path.with_file_name(format!(".quintet-{}.part", std::process::id()));
    let written = fs::write(&beside, bytes).and_then(|()| {
        if let Some(before) = before {
            fs::set_permissions(&beside, before.permissions())?;
        }
        fs::rename(&beside, path)
    });
    if written.is_err() {
        // The error is the one before.
        let _ = fs::remove_file(&beside);
    }
    written
}

/// Writes a value as JSON to standard output, on lines of its own. An object of a run that was cut
/// has the reason as its field `partial`.
pub fn print_json(value: &impl serde::Serialize) -> anyhow::Result<()> {
    let text = match ctrl_c::note() {
        None => serde_json::to_string_pretty(value)?,
        Some(note) => {
            let mut value = serde_json::to_value(value)?;
            if let Value::Object(fields) = &mut value {
                fields.insert("partial".to_owned(), note.into());
            }
            serde_json::to_string_pretty(&value)?
        }
    };
    print_bytes(format!("{text}\n").as_bytes())
}

/// Returns how many characters a line of standard output has: those of the terminal, or 100 if the
/// output isn't a terminal.
pub fn line_length() -> usize {
    terminal_width().unwrap_or(100)
}

/// Returns how many characters a line of the terminal has, if standard output is one.
pub fn terminal_width() -> Option<usize> {
    #[cfg(not(target_family = "wasm"))]
    if let Some((width, _)) = terminal_size::terminal_size_of(std::io::stdout()) {
        return Some(usize::from(width.0));
    }
    None
}

/// Writes bytes to standard error. A failure there is ignored.
pub fn print_error_bytes(bytes: &[u8]) {
    let _ = std::io::stderr().write_all(bytes);
}

/// Prints a message of the tool itself on standard error. Its prefix tells it apart from the
/// firmware's output.
pub fn complain(message: &str) {
    print_error_bytes(format!("quintet: {message}\n").as_bytes());
}

/// Returns the message that the firmware's output was cut after this number of bytes.
pub fn cut(limit: u64) -> String {
    format!(
        "what the firmware printed was cut behind {limit} bytes; --max-output N keeps more, 0 all"
    )
}

/// Returns an error and its causes in one line. A cause that the message before it already contains
/// is left out.
pub fn in_words(error: &anyhow::Error) -> String {
    let mut words = String::new();
    for cause in error.chain() {
        let cause = cause.to_string();
        if words.is_empty() {
            words = cause;
        } else if !words.contains(&cause) {
            words.push_str(&format!(": {cause}"));
        }
    }
    words
}

/// Returns `true` if the error is that nobody reads the output any more.
pub fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        let io = cause.downcast_ref::<std::io::Error>();
        io.is_some_and(|io| io.kind() == ErrorKind::BrokenPipe)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::anyhow;

    #[test]
    fn causes_are_told_once() {
        let error = anyhow!("it is not there").context("cannot read x: it is not there");
        assert_eq!(in_words(&error), "cannot read x: it is not there");
        let error = anyhow!("it is not there").context("cannot read x");
        assert_eq!(in_words(&error), "cannot read x: it is not there");
    }

    #[test]
    fn a_closed_pipe_is_recognised_below_other_causes() {
        let pipe = std::io::Error::from(ErrorKind::BrokenPipe);
        assert!(is_closed_pipe(&anyhow::Error::new(pipe).context("printing")));
        assert!(!is_closed_pipe(&anyhow!("something else")));
    }

    /// An empty directory.
    fn directory(name: &str) -> std::path::PathBuf {
        let directory = std::env::temp_dir().join(format!("quintet-{}-{name}", std::process::id()));
        fs::create_dir_all(&directory).unwrap();
        directory
    }

    #[test]
    fn a_file_is_replaced_as_a_whole() {
        let directory = directory("replaced");
        let (file, earlier) = (directory.join("page.html"), directory.join("earlier.html"));
        write(&file, b"first").unwrap();
        // The second name of the file shows that nothing wrote into it.
        fs::hard_link(&file, &earlier).unwrap();
        write(&file, b"second").unwrap();
        assert_eq!(
            (fs::read(&file).unwrap(), fs::read(&earlier).unwrap()),
            (b"second".to_vec(), b"first".to_vec())
        );
        assert_eq!(fs::read_dir(&directory).unwrap().count(), 2, "nothing is left beside them");
        let error = write(&directory, b"a directory").unwrap_err();
        assert!(in_words(&error).starts_with("cannot write "), "{error:#}");
        fs::remove_dir_all(directory).unwrap();
    }

    #[test]
    fn what_cannot_be_written_is_refused_before_the_work() {
        let directory = directory("refused");
        let file = directory.join("page.html");
        check([file.as_path()]).unwrap();
        assert_eq!(fs::read_dir(&directory).unwrap().count(), 0, "nothing is left");
        write(&file, b"first").unwrap();
        check([file.as_path(), Path::new("page.html"), Path::new("/dev/null")]).unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"first");
        let refused = |path: &Path| in_words(&check([path]).unwrap_err());
        let missing = directory.join("missing");
        let said = refused(&missing.join("page.html"));
        let there_is_none = format!("there is no folder {}; make it first", missing.display());
        assert!(said.starts_with("cannot write ") && said.contains(&there_is_none), "{said}");
        assert!(refused(&directory).starts_with("cannot write "));
        fs::remove_dir_all(directory).unwrap();
    }

    #[test]
    fn what_cannot_be_written_leaves_the_earlier_file() {
        let directory = directory("kept");
        let file = directory.join("page.html");
        write(&file, b"first").unwrap();
        // Something else has the name of the file beside it.
        let beside = directory.join(format!(".quintet-{}.part", std::process::id()));
        fs::create_dir(&beside).unwrap();
        assert!(write(&file, b"second").is_err());
        assert_eq!(fs::read(&file).unwrap(), b"first");
        fs::remove_dir_all(directory).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn links_devices_and_permissions_stay() {
        use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};
        let directory = directory("links");
        let (file, link) = (directory.join("page.html"), directory.join("link.html"));
        write(&file, b"first").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
        symlink(&file, &link).unwrap();
        write(&link, b"second").unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"second");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
        write(Path::new("/dev/null"), b"nothing").unwrap();
        assert!(fs::metadata("/dev/null").unwrap().file_type().is_char_device());
        fs::remove_dir_all(directory).unwrap();
    }
}
