//! The store of secrets: for what each was stored, and who may read the file. Not here: the keyring of a desktop.

use std::os::unix::fs::PermissionsExt;

use forge_runtime::Secrets as _;

use super::*;

const VALUE: &str = "s3cret-value";

fn name(text: &str) -> Name {
    Name::parse(text).unwrap()
}

fn wanted(tool: &str, origin: &str) -> Use {
    let secret = serde_json::json!({"name": "key", "origin": origin, "header": "X-Key"});
    Use {
        tool: name(tool),
        secret: serde_json::from_value(secret).unwrap(),
    }
}

async fn stored() -> (tempfile::TempDir, Secrets) {
    let folder = tempfile::tempdir().unwrap();
    let secrets = Secrets::new(&folder.path().join("data"));
    let uses = [wanted("weather", "https://a.com")].into();
    let kept = secrets
        .set(&name("key"), &VALUE.into(), uses, Keeper::File)
        .await;
    assert_eq!(kept.unwrap(), Keeper::File);
    (folder, secrets)
}

#[tokio::test]
async fn a_secret_is_for_the_tool_and_the_place_that_it_was_stored_for() {
    let (_folder, secrets) = stored().await;
    let check = async |wanted: Use, expected: Result<&str, &str>| {
        let found = secrets.value(&wanted.tool, &wanted.secret).await;
        match (found, expected) {
            (Ok(value), Ok(expected)) => assert_eq!(value.expose_secret(), expected),
            (Err(problem), Err(expected)) => assert!(problem.contains(expected), "{problem}"),
            (found, expected) => panic!("{found:?} is not {expected:?}"),
        }
    };
    check(wanted("weather", "https://a.com"), Ok(VALUE)).await;
    check(
        wanted("evil", "https://a.com"),
        Err("`key` was not stored for `evil` to send to https://a.com: `forge secret set key --tool evil`"),
    )
    .await;
    check(
        wanted("weather", "https://evil.com"),
        Err("to send to https://evil.com"),
    )
    .await;
    let mut other_header = wanted("weather", "https://a.com");
    other_header.secret.header = "X-Shown".to_owned();
    check(other_header, Err("was not stored for `weather`")).await;
    assert!(secrets.remove(&name("key")).await.unwrap());
    assert!(!secrets.remove(&name("key")).await.unwrap());
    check(
        wanted("weather", "https://a.com"),
        Err("there is no secret `key`: store it with `forge secret set key`"),
    )
    .await;
}

#[tokio::test]
async fn the_file_is_for_its_owner_alone() {
    let (_folder, secrets) = stored().await;
    let mode = |mode| fs::set_permissions(&secrets.file, fs::Permissions::from_mode(mode)).unwrap();
    let found = fs::metadata(&secrets.file).unwrap().permissions().mode();
    assert_eq!(found & 0o777, 0o600);
    mode(0o640);
    let refused = secrets.list().unwrap_err();
    assert!(crate::causes::with_causes(&refused).contains("others may read or change it"));
    mode(0o600);
    fs::write(&secrets.file, format!("{{\"{VALUE}")).unwrap();
    let refused = crate::causes::with_causes(&secrets.list().unwrap_err());
    assert!(
        refused.contains("it is not what Forge wrote") && !refused.contains(VALUE),
        "{refused}"
    );
}

#[tokio::test]
async fn a_value_is_what_a_header_can_carry() {
    let (_folder, secrets) = stored().await;
    let check = async |value: &str, problem: &str| {
        let set = secrets
            .set(&name("key"), &value.into(), BTreeSet::new(), Keeper::File)
            .await;
        let told = set.unwrap_err().to_string();
        assert!(
            told.contains(problem) && (value.is_empty() || !told.contains(value)),
            "{told}"
        );
    };
    check("", "less than 8").await;
    check("1234567", "less than 8").await;
    check(&"x".repeat(4097), "more than 4096").await;
    check("pass\nword\r\n", "visible characters").await;
    check("pässword", "visible characters").await;
    check(" password", "begins or ends with a space").await;
    let kept = secrets.list().unwrap();
    assert_eq!(
        kept[&name("key")].1.len(),
        1,
        "the one before is still there"
    );
}
