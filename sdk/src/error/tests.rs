//! Tests of the module beside this file.

use std::io;

use serde_json::json;

use super::*;

fn converted(error: impl StdError + 'static) -> (Code, String) {
    let error = Error::from(error);
    (error.code(), error.message().to_owned())
}

#[test]
fn an_io_error_keeps_its_meaning() {
    let check = |kind: io::ErrorKind, code| {
        assert_eq!(converted(io::Error::from(kind)).0, code, "{kind}");
    };
    check(io::ErrorKind::NotFound, Code::NotFound);
    check(io::ErrorKind::PermissionDenied, Code::Denied);
    check(io::ErrorKind::TimedOut, Code::Timeout);
    check(io::ErrorKind::IsADirectory, Code::Failed);
}

#[test]
fn the_chain_is_told_and_searched() {
    #[derive(Debug)]
    struct Outer(io::Error);
    impl fmt::Display for Outer {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("the list can't be read")
        }
    }
    impl StdError for Outer {
        fn source(&self) -> Option<&(dyn StdError + 'static)> {
            Some(&self.0)
        }
    }
    let inner = io::Error::new(io::ErrorKind::NotFound, "no such file");
    assert_eq!(
        converted(Outer(inner)),
        (
            Code::NotFound,
            "the list can't be read: no such file".to_owned()
        )
    );
}

#[test]
fn a_failure_survives_the_way_to_the_host_and_back() {
    let check = |error: Error| assert_eq!(Error::from_host(error.clone().into_host()), error);
    check(Error::invalid_input("a"));
    check(Error::not_found("a"));
    check(Error::denied("a"));
    check(Error::unavailable("a").with_details(json!({"retry_after_s": 3})));
    check(Error::timeout("a"));
    check(Error::failed("a"));
}

#[test]
fn an_unknown_code_is_failed() {
    let error = types::Error {
        code: "on-fire".to_owned(),
        message: "hot".to_owned(),
        details: Some("no json".to_owned()),
    };
    assert_eq!(Error::from_host(error), Error::failed("hot"));
}
