//! Entries of the cache, whole and damaged, and the folder they lie in.

use super::*;

#[test]
fn an_entry_is_read_as_it_was_written() {
    let bytes = Entry {
        description: "{\"a\":\n1}",
        code: b"\x7fELF\n code",
    }
    .to_bytes();
    let entry = Entry::parse(&bytes).unwrap();
    assert_eq!(
        (entry.description, entry.code),
        ("{\"a\":\n1}", b"\x7fELF\n code".as_slice())
    );
}

#[test]
fn a_damaged_entry_is_no_entry() {
    let bytes = Entry {
        description: "{}",
        code: b"code",
    }
    .to_bytes();
    for index in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[index] ^= 1;
        assert!(Entry::parse(&damaged).is_none(), "byte {index} was changed");
        assert!(Entry::parse(&bytes[..index]).is_none(), "cut at {index}");
    }
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
