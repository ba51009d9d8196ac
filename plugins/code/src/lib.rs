//! The code tool: source code, shown in a fence. Not here: writing it to a file, and running it.

use forge_sdk::Requires;

forge_sdk::tool! {
    name: "code",
    summary: "Writes a piece of source code in any language.",
    operations: {
        run(String) => fenced {
            summary: "Gives the source code alone, without a fence and without an explanation.",
            requires: Requires::none(),
            examples: [
                "write a function that doubles a number in python" => "def double(n):\n    return 2 * n",
            ],
        },
    },
}

/// `source` in a bare fence. A fence that the model set itself is kept, so that there are never two.
fn fenced(source: String) -> String {
    let source = source.trim_matches(['\r', '\n']);
    if is_fenced(source.trim()) {
        return source.trim().to_owned();
    }
    let fence = "`".repeat(3.max(longest_run_of_backticks(source) + 1));
    format!("{fence}\n{source}\n{fence}")
}

/// Whether the whole text is one fenced block.
fn is_fenced(text: &str) -> bool {
    let fence_chars = text.bytes().take_while(|b| *b == b'`').count();
    let fence = &text[..fence_chars];
    let mut lines = text.lines();
    let opens = fence_chars >= 3
        && lines
            .next()
            .is_some_and(|line| !line[fence_chars..].contains('`'));
    // The first line that closes the block must be the last line of all.
    let closes = |line: &str| {
        let line = line.trim_end();
        line.len() >= fence_chars && line.starts_with(fence) && line.bytes().all(|b| b == b'`')
    };
    opens && lines.position(closes).is_some() && lines.next().is_none()
}

fn longest_run_of_backticks(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn source_is_fenced_once() {
        let check = |source: &str, expected: &str| assert_eq!(fenced(source.to_owned()), expected);
        check("print(1)", "```\nprint(1)\n```");
        check("\n  indented\n\n", "```\n  indented\n```");
        check("```python\nprint(1)\n```", "```python\nprint(1)\n```");
        check("\n```\nprint(1)\n```\n", "```\nprint(1)\n```");
        check("````\n```\n````", "````\n```\n````");
        check("a ``` b", "````\na ``` b\n````");
        check(
            "```\na\n```\nand\n```\nb\n```",
            "````\n```\na\n```\nand\n```\nb\n```\n````",
        );
        check("```a```", "````\n```a```\n````");
        check("```", "````\n```\n````");
        check("", "```\n\n```");
    }

    #[test]
    fn the_input_is_the_source_itself() {
        let answer = tool::run("run", r#""a\nb""#).map(|output| output.as_text());
        assert_eq!(answer, Ok("```\na\nb\n```".to_owned()));
    }
}
