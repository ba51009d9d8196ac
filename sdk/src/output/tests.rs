//! Tests of the module beside this file.

use serde_json::json;

use super::*;

fn check(answer: impl IntoOutput, expected: Vec<Content>) {
    let output = answer.into_output().expect("an answer");
    assert_eq!(output, Output::from(expected));
}

#[test]
fn usual_values_become_answers() {
    check("a", vec![Content::Text("a".to_owned())]);
    check("a".to_owned(), vec![Content::Text("a".to_owned())]);
    check(json!({"a": 1}), vec![Content::Json(json!({"a": 1}))]);
    check(Json([1, 2]), vec![Content::Json(json!([1, 2]))]);
    check(Ok("a"), vec![Content::Text("a".to_owned())]);
    check(Vec::new(), vec![]);
}

#[test]
fn a_value_that_is_no_json_is_a_failure() {
    let keyed_by_pairs = std::collections::BTreeMap::from([((1, 2), 3)]);
    let error = Json(keyed_by_pairs).into_output().expect_err("no JSON");
    assert_eq!(error.message(), "key must be a string");
}

#[test]
fn every_piece_survives_the_way_to_the_host_and_back() {
    let output = Output::from(vec![
        Content::Text("a".to_owned()),
        Content::Json(json!({"z": 1, "a": 2})),
        Content::Image(Blob {
            mime: "image/png".to_owned(),
            data: vec![1, 2],
        }),
        Content::Artifact(Document {
            name: "report.csv".to_owned(),
            mime: "text/csv".to_owned(),
            data: vec![3],
        }),
        Content::Other(json!({"type": "resource_link"})),
    ])
    .with_structured(json!(null));
    let back = Output::from_host(output.clone().into_host());
    assert_eq!(back, Ok(output));
}

#[test]
fn the_texts_of_an_answer_are_joined() {
    let output = Output::from(vec![
        Content::Text("a".to_owned()),
        Content::Json(json!(1)),
        Content::Text("b".to_owned()),
    ]);
    assert_eq!(output.as_text(), "ab");
}
