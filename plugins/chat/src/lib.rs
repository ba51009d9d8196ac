//! The chat tool: the model's own words are the answer. Not here: history and placeholders, which are
//! the host's.

use forge_sdk::Requires;

fn say(text: String) -> String {
    text
}

forge_sdk::tool! {
    name: "chat",
    summary: "Answers in words: greetings, questions, explanations, opinions, translations.",
    operations: {
        run(String) => say {
            summary: "Gives the answer, in Markdown if it helps.",
            requires: Requires::none(),
            examples: ["hello, who are you?" => "Hello! I am Forge. What can I do for you?"],
        },
    },
}

#[cfg(test)]
mod tests {
    use super::tool;

    #[test]
    fn the_text_comes_back_unchanged() {
        let check = |input: &str, expected: &str| {
            let answer = tool::run("run", input).map(|output| output.as_text());
            assert_eq!(answer, Ok(expected.to_owned()));
        };
        check(r#""Hello!""#, "Hello!");
        check(r#"" a\n\n```x```\t""#, " a\n\n```x```\t");
        check(r#""""#, "");
    }
}
