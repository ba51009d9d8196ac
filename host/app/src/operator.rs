//! The operator's token: who has it may answer what policy asks. Not here: what it is asked for over HTTP.

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use uuid::Uuid;

use crate::private;

/// The token in `data_dir`, made when it is first asked for, in a file that only its owner can read; and that file.
///
/// # Errors
/// When it can't be read or made.
pub fn token(data_dir: &Path) -> io::Result<(String, PathBuf)> {
    let file = data_dir.join("operator-token");
    private::create_folder(data_dir)?;
    // Two that start at the same time must end up with one.
    match private::file().write(true).create_new(true).open(&file) {
        Ok(mut made) => {
            let token = format!("{}{}", Uuid::new_v4().simple(), Uuid::new_v4().simple());
            made.write_all(token.as_bytes())?;
            Ok((token, file))
        }
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            let mut token = String::new();
            std::fs::File::open(&file)?
                .take(MOST_BYTES)
                .read_to_string(&mut token)?;
            let token = token.trim().to_owned();
            if token.len() < LEAST_BYTES {
                let problem = "it holds no token: remove it, and a new one is made";
                return Err(io::Error::new(io::ErrorKind::InvalidData, problem));
            }
            Ok((token, file))
        }
        Err(error) => Err(error),
    }
}

const LEAST_BYTES: usize = 32;
const MOST_BYTES: u64 = 1024;

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn it_is_made_once_and_for_its_owner() {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("data");
        let (first, file) = token(&data).unwrap();
        assert_eq!(first.len(), 64);
        assert_eq!(token(&data).unwrap().0, first);
        let mode = std::fs::metadata(&file).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        std::fs::write(&file, "short\n").unwrap();
        assert!(
            token(&data)
                .unwrap_err()
                .to_string()
                .contains("it holds no token")
        );
    }
}
