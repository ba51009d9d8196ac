//! Entries of the cache, whole and damaged, and the folder they lie in.

use super::*;

const DESCRIPTION: &str = "{\"a\":\n1}";

fn entry(folder: &Path) -> Entry {
    Entry {
        head: folder.join("x.tool"),
        code: folder.join("x.code"),
    }
}

#[test]
fn an_entry_is_read_as_it_was_written() {
    let folder = tempfile::tempdir().unwrap();
    let entry = entry(folder.path());
    assert_eq!(entry.verified(), Ok(None));
    entry.write(DESCRIPTION, b"\x7fELF\n code").unwrap();
    assert_eq!(entry.verified(), Ok(Some(DESCRIPTION.to_owned())));
    assert_eq!(fs::read(&entry.code).unwrap(), b"\x7fELF\n code");
}

#[test]
fn a_damaged_entry_is_no_entry() {
    let folder = tempfile::tempdir().unwrap();
    let entry = entry(folder.path());
    entry.write(DESCRIPTION, b"code").unwrap();
    for path in [&entry.head, &entry.code] {
        let whole = fs::read(path).unwrap();
        for index in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[index] ^= 1;
            for bytes in [&damaged, &whole[..index]] {
                fs::write(path, bytes).unwrap();
                assert_eq!(
                    entry.verified(),
                    Err(Damaged),
                    "byte {index} of {}",
                    path.display()
                );
            }
        }
        fs::write(path, whole).unwrap();
    }
    assert_eq!(entry.verified(), Ok(Some(DESCRIPTION.to_owned())));
    fs::remove_file(&entry.code).unwrap();
    assert_eq!(entry.verified(), Err(Damaged));
}

#[test]
fn only_a_folder_of_ones_own_is_used() {
    let base = tempfile::tempdir().unwrap();
    let check = |mode: u32| {
        let folder = base.path().join(format!("{mode:o}"));
        fs::create_dir(&folder).unwrap();
        fs::set_permissions(&folder, Permissions::from_mode(mode)).unwrap();
        owned_folder(&folder).map(|()| fs::metadata(&folder).unwrap().mode() & 0o777)
    };
    assert_eq!(check(0o700), Ok(0o700));
    assert_eq!(check(0o755), Ok(0o700));
    assert!(check(0o770).is_err());
    assert!(check(0o707).is_err());
    let link = base.path().join("link");
    std::os::unix::fs::symlink(base.path().join("700"), &link).unwrap();
    assert!(owned_folder(&link).is_err(), "a link could lead anywhere");
}
