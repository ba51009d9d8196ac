//! A guest that keeps things for its conversation: `set` keeps what its input says, also what is too long, and
//! `get` answers what was kept.

use forge_sdk::{Requires, Result, Value, conversation, json};

/// A key.
#[forge_sdk::input]
struct Key {
    /// Any text.
    key: String,
}

/// A key with a value of some length.
#[forge_sdk::input]
struct Entry {
    /// Any text.
    key: String,
    /// How many bytes the value has; without it the key is forgotten.
    length: Option<usize>,
}

forge_sdk::tool! {
    name: "keeper",
    summary: "Keeps things for its conversation.",
    operations: {
        get(Key) => get {
            summary: "Answers the length of what was kept, or null.",
            requires: Requires::none(),
        },
        set(Entry) => set {
            summary: "Keeps a value, or forgets it.",
            requires: Requires::none(),
        },
    },
}

fn get(input: Key) -> Value {
    json!(conversation::get(&input.key).map(|value| value.len()))
}

fn set(input: Entry) -> Result<&'static str> {
    let value = input.length.map(|length| "v".repeat(length));
    conversation::set(&input.key, value.as_deref())?;
    Ok("ok")
}
