//! The lock files of the crates: what their dependencies were resolved to.
//!
//! Crates for the chips of one series depend on the same packages, so they share the file
//! `xtask/new/SERIES.lock`. A crate that needs other packages has a file of its own, `NAME.lock`.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use proof::firmware::root;

/// Stands in a lock file for the name of the crate.
const NAME: &str = "blinky-NAME";

/// The lock files of a crate.
pub struct Locks {
    /// The crate's name, without what all their names begin with.
    pub name: String,
    own: PathBuf,
    shared: Option<PathBuf>,
}

impl Locks {
    /// Returns those of a crate, whose series has another name or not.
    pub fn new(name: &str, series: Option<&str>) -> Self {
        let path = |name: &str| root().join("xtask/new").join(format!("{name}.lock"));
        let shared = series.filter(|series| *series != name).map(path);
        Self { name: name.to_owned(), own: path(name), shared }
    }

    /// Returns the file that the crate uses, if there is one.
    pub fn there(&self) -> Option<&Path> {
        let paths = std::iter::once(&self.own).chain(&self.shared);
        paths.map(PathBuf::as_path).find(|path| path.exists())
    }

    /// Gives the crate in a directory its lock file. Returns `false` if there is none.
    pub fn give(&self, directory: &Path) -> Result<bool> {
        let Some(path) = self.there() else { return Ok(false) };
        let text = read(path)?.replace(NAME, &self.in_the_crate());
        let to = directory.join("Cargo.lock");
        std::fs::write(&to, text).with_context(|| to.display().to_string())?;
        Ok(true)
    }

    /// Takes the lock file of the crate over: into the shared file if there is none, into none if
    /// the shared one is the same, and else into a file of the crate's own.
    pub fn take(&self, directory: &Path) -> Result<()> {
        let path = directory.join("Cargo.lock");
        if !path.exists() {
            return Ok(());
        }
        let text = read(&path)?.replace(&self.in_the_crate(), NAME);
        let to = match &self.shared {
            Some(shared) if shared.exists() && read(shared)? == text => {
                if self.own.exists() {
                    std::fs::remove_file(&self.own)?;
                }
                return Ok(());
            }
            Some(shared) if !shared.exists() => shared,
            _ => &self.own,
        };
        std::fs::write(to, text).with_context(|| to.display().to_string())
    }

    fn in_the_crate(&self) -> String {
        format!("blinky-{}", self.name)
    }
}

fn read(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).with_context(|| path.display().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_series_shares_a_file_as_long_as_its_crates_need_the_same() {
        let directory = std::env::temp_dir().join(format!("quintet-locks-{}", std::process::id()));
        std::fs::create_dir_all(&directory).unwrap();
        let path = |name: &str| directory.join(name);
        let locks = |name: &str| Locks {
            name: name.to_owned(),
            own: path(&format!("{name}.lock")),
            shared: Some(path("series.lock")),
        };
        let (one, other) = (locks("one"), locks("other"));
        let resolved = |text: &str| std::fs::write(path("Cargo.lock"), text).unwrap();
        let given = || std::fs::read_to_string(path("Cargo.lock")).unwrap();

        assert!(!one.give(&directory).unwrap());
        resolved("blinky-one and syn");
        one.take(&directory).unwrap();
        assert_eq!(read(&path("series.lock")).unwrap(), "blinky-NAME and syn");
        assert!(other.give(&directory).unwrap());
        assert_eq!(given(), "blinky-other and syn");

        // Something more, and then the same again.
        resolved("blinky-other and nb");
        other.take(&directory).unwrap();
        assert_eq!(read(&path("other.lock")).unwrap(), "blinky-NAME and nb");
        assert!(other.give(&directory).unwrap());
        assert_eq!(given(), "blinky-other and nb");
        resolved("blinky-other and syn");
        other.take(&directory).unwrap();
        assert!(!path("other.lock").exists());
        std::fs::remove_dir_all(&directory).unwrap();
    }
}
