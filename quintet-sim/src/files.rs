//! Files that people write: boards, inputs, scenarios. Such files are small; a larger file is
//! refused.

use std::fs::File;
use std::io::{Error, ErrorKind, Read};
use std::path::Path;

/// The longest of them, in bytes.
pub const TEXT_BYTES_MAX: u64 = 4 << 20;

/// Returns the text of a file. The function reads no more than [`TEXT_BYTES_MAX`].
pub fn read_text(path: &Path) -> Result<String, Error> {
    let bytes = read(path, TEXT_BYTES_MAX)?;
    let no_text = |_| Error::new(ErrorKind::InvalidData, "it is no text in UTF-8");
    String::from_utf8(bytes).map_err(no_text)
}

/// The bytes of a file, if there are no more than `most`: of a device without an end too.
pub fn read(path: &Path, most: u64) -> Result<Vec<u8>, Error> {
    read_from(File::open(path)?, most)
}

/// Returns the bytes of a source up to its end, if there are no more than `most`.
pub fn read_from(source: impl Read, most: u64) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    source.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        let problem = format!("it has more than {most} bytes, and no more are read");
        return Err(Error::new(ErrorKind::InvalidData, problem));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_long_is_refused_without_reading_it_all() {
        assert_eq!(read_from(&b"1234"[..], 4).unwrap(), b"1234");
        let error = read_from(std::io::repeat(b'x'), 4).unwrap_err();
        assert_eq!(error.to_string(), "it has more than 4 bytes, and no more are read");
    }
}
