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
