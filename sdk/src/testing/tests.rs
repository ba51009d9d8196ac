//! Tests of the native stand-in for the host.

use serde_json::json;

use super::*;
use crate::{log, progress, settings};

#[test]
fn lines_are_recorded_in_order_and_only_when_asked() {
    log::info("nobody listens");
    let (result, records) = recorded(|| {
        progress::step("one");
        log::warn("odd");
        progress::delta("piece");
        7
    });
    assert_eq!(result, 7);
    assert_eq!(
        records,
        [
            Record::Step("one".to_owned()),
            Record::Log {
                level: "warn",
                message: "odd".to_owned()
            },
            Record::Delta("piece".to_owned()),
        ]
    );
}

#[test]
fn settings_are_a_table_of_the_authors_type() {
    #[crate::input]
    #[derive(Debug, Default, PartialEq)]
    #[serde(default)]
    struct Settings {
        limit: u32,
    }
    assert_eq!(settings::read::<Settings>(), Ok(Settings { limit: 0 }));
    with_settings(&json!({"limit": 3}), || {
        assert_eq!(settings::read::<Settings>(), Ok(Settings { limit: 3 }));
    });
    with_settings(&json!({"limits": 3}), || {
        let error = settings::read::<Settings>().expect_err("a wrong field");
        assert_eq!(error.code(), crate::Code::Unavailable);
        assert!(error.message().contains("`limits`"), "{error}");
    });
}

#[test]
fn powers_need_a_host() {
    let error = crate::llm::generate("hello").expect_err("no model");
    assert_eq!(error.code(), crate::Code::Unavailable);
    assert!(error.message().contains("`llm` needs a host"), "{error}");
}

#[test]
fn a_manifest_that_the_host_would_refuse_fails_the_authors_test() {
    fn operation() -> Operation {
        Operation {
            name: "run",
            summary: "Runs.",
            schema: crate::tool::parts::schema::<crate::NoInput>,
            examples: Vec::new,
            hints: crate::Hints::none(),
            requires: crate::Requires::none,
            check: crate::tool::parts::check::<crate::NoInput>,
            run: |_| Ok(crate::Output::default()),
        }
    }
    let check = |name: &'static str, operations: Vec<Operation>, expected: Result<(), &str>| {
        let tool = Tool {
            name,
            version: "1.0.0",
            summary: "A tool.",
            operations: operations.leak(),
        };
        match (sound(&tool), expected) {
            (Err(fault), Err(part)) => assert!(fault.contains(part), "{fault}"),
            (sound, expected) => assert_eq!(sound, expected.map_err(str::to_owned)),
        }
    };
    let with = |change: fn(&mut Operation)| {
        let mut operation = operation();
        change(&mut operation);
        vec![operation]
    };
    check("a_1", vec![operation()], Ok(()));
    check("a-1", vec![operation()], Err("`a-1` is no name"));
    check(
        "a",
        vec![operation(), operation()],
        Err("two operations `run`"),
    );
    check("a", with(|o| o.name = "Run"), Err("`Run` is no name"));
    check(
        "a",
        with(|o| o.summary = " "),
        Err("the summary of `run` is blank"),
    );
    check("a", with(|o| o.summary = "a\nb"), Err("holds a line break"));
    check(
        "a",
        with(|o| o.schema = crate::tool::parts::schema::<u32>),
        Err("must be a struct or a `String`"),
    );
    let wrong_example = || {
        let (user, input) = ("do it", json!({"what": 1}));
        vec![crate::tool::Example { user, input }]
    };
    let mut wrong = with(|_| ());
    wrong[0].examples = wrong_example;
    check(
        "a",
        wrong,
        Err(r#"the example "do it" of `run`: the input can't be read: unknown field `what`"#),
    );
}
