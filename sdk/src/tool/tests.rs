//! Tests of a tool as the macro makes it.

use serde_json::{Value, json};

use crate::{Access, Code, Error, Hints, NoInput, Requires, Result, Secret, View};

#[expect(unreachable_pub, reason = "the macro is meant for the root of a crate")]
mod sample {
    use super::*;

    crate::tool! {
        name: "sample",
        summary: "A sample.",
        operations: {
            say(String) => say {
                summary: "Says it.",
                requires: Requires::none(),
                examples: ["say hello" => "hello"],
            },
            fail(NoInput) => fail {
                summary: "Fails.",
                requires: everything(),
                hints: Hints::none().destructive(),
            },
        },
    }

    fn say(text: String) -> String {
        text
    }

    fn fail(_input: NoInput) -> Result<Value> {
        Err(Error::unavailable("not now"))
    }
}

fn everything() -> Requires {
    Requires::none()
        .network(["https://api.example.com"])
        .llm()
        .workspace(Access::Write)
        .programs(["git"])
        .memory(Access::Read)
        .calls(["web_search"])
        .observes([View::Cpu, View::Journal])
        .secret(Secret::bearer("token", "https://api.example.com"))
}

#[test]
fn the_manifest_says_what_was_declared() {
    let manifest: Value = serde_json::from_str(&sample::tool::describe()).unwrap();
    assert_eq!(
        manifest,
        json!({
            "manifest_version": 1,
            "name": "sample",
            "version": env!("CARGO_PKG_VERSION"),
            "summary": "A sample.",
            "operations": [
                {
                    "name": "say",
                    "summary": "Says it.",
                    "input": {"type": "string"},
                    "examples": [{"user": "say hello", "input": "hello"}],
                    "hints": {"destructive": false, "idempotent": false},
                    "requires": {},
                },
                {
                    "name": "fail",
                    "summary": "Fails.",
                    "input": {
                        "type": "object",
                        "additionalProperties": false,
                        "description": "The input of an operation that takes nothing: `{}`.",
                    },
                    "examples": [],
                    "hints": {"destructive": true, "idempotent": false},
                    "requires": {
                        "network": ["https://api.example.com"],
                        "llm": true,
                        "workspace": "write",
                        "programs": ["git"],
                        "memory": "read",
                        "calls": ["web_search"],
                        "observes": ["cpu", "journal"],
                        "secrets": [{
                            "name": "token",
                            "origin": "https://api.example.com",
                            "header": "Authorization",
                            "prefix": "Bearer ",
                        }],
                    },
                },
            ],
        })
    );
}

#[test]
fn a_call_reaches_its_operation_or_is_refused() {
    let check = |operation: &str, input: &str, expected: Result<&str, (Code, &str)>| {
        let answer = sample::tool::run(operation, input).map(|output| output.as_text());
        match (&answer, expected) {
            (Err(error), Err((code, part))) => {
                assert_eq!(error.code(), code);
                assert!(error.message().contains(part), "{error}");
            }
            (answer, expected) => assert_eq!(answer.as_deref().ok(), expected.ok()),
        }
    };
    check("say", r#""hello""#, Ok("hello"));
    check(
        "say",
        "hello",
        Err((Code::InvalidInput, "the input can't be read")),
    );
    check("say", "{}", Err((Code::InvalidInput, "expected a string")));
    check("fail", "{}", Err((Code::Unavailable, "not now")));
    check(
        "fail",
        r#"{"a": 1}"#,
        Err((Code::InvalidInput, "unknown field `a`")),
    );
    check(
        "run",
        "{}",
        Err((
            Code::InvalidInput,
            "`sample` has no operation `run`: use `say`, `fail`",
        )),
    );
}
