//! A table as Markdown, with every cell of it. Not here: other elements.

use std::rc::Rc;

use htmd::Element;
use htmd::element_handler::{HandlerResult, Handlers};
use markup5ever_rcdom::Node;

use crate::tree::{attribute, tag, text_of};

/// The most columns, and rows, that one cell may span: what asks for more is a mistake.
const MOST_SPANNED: usize = 50;
/// What stands in a table that is there for the looks.
const BLOCKS: [&str; 10] = [
    "table",
    "pre",
    "ul",
    "ol",
    "dl",
    "blockquote",
    "h1",
    "h2",
    "h3",
    "h4",
];

/// Writes a table, or what stands in one that only lays a page out.
pub(crate) fn write(handlers: &dyn Handlers, element: Element<'_>) -> Option<HandlerResult> {
    let found = Found::of(element.node);
    let cell = |node: &Rc<Node>| handlers.walk_children(node).content;
    if found.rows.iter().all(Vec::is_empty) {
        return Some(handlers.walk_children(element.node));
    }
    if found.is_layout() {
        let cells = found.rows.iter().flatten();
        let blocks: Vec<String> = cells
            .map(|node| cell(node).trim_matches('\n').to_owned())
            .filter(|text| !text.trim().is_empty())
            .collect();
        return Some(format!("\n\n{}\n\n", blocks.join("\n\n")).into());
    }
    let mut rows = filled(&found.rows, |node| in_one_line(&cell(node)));
    rows.retain(|row| row.iter().any(|cell| !cell.is_empty()));
    let mut text = "\n\n".to_owned();
    if let Some(caption) = found.caption {
        let caption = in_one_line(&cell(&caption));
        text.push_str(&format!("{caption}\n\n"));
    }
    text.push_str(&written(&rows));
    text.push_str("\n\n");
    Some(text.into())
}

struct Found {
    rows: Vec<Vec<Rc<Node>>>,
    caption: Option<Rc<Node>>,
}

impl Found {
    /// The rows of a table, without those of a table in it.
    fn of(table: &Rc<Node>) -> Self {
        let mut found = Self {
            rows: Vec::new(),
            caption: None,
        };
        let mut waiting: Vec<Rc<Node>> = table.children.borrow().iter().rev().cloned().collect();
        while let Some(node) = waiting.pop() {
            match tag(&node) {
                Some("tr") => {
                    let cells = node.children.borrow();
                    let cells = cells
                        .iter()
                        .filter(|cell| matches!(tag(cell), Some("td" | "th")));
                    found.rows.push(cells.cloned().collect());
                }
                Some("caption") => found.caption = Some(node.clone()),
                Some("thead" | "tbody" | "tfoot") => {
                    waiting.extend(node.children.borrow().iter().rev().cloned());
                }
                _ => {}
            }
        }
        found
    }

    /// Whether it has one column, or holds what does not fit into a line.
    fn is_layout(&self) -> bool {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or_default();
        columns < 2 || self.rows.iter().flatten().any(holds_block)
    }
}

fn holds_block(cell: &Rc<Node>) -> bool {
    let mut waiting = vec![cell.clone()];
    while let Some(node) = waiting.pop() {
        if tag(&node).is_some_and(|tag| BLOCKS.contains(&tag)) && !text_of(&node).trim().is_empty()
        {
            return true;
        }
        waiting.extend(node.children.borrow().iter().cloned());
    }
    false
}

/// The texts of the cells, each in its column: where one spans several there are empty ones.
fn filled(rows: &[Vec<Rc<Node>>], text: impl Fn(&Rc<Node>) -> String) -> Vec<Vec<String>> {
    // For each column, in how many further rows a cell of an earlier one stands.
    let mut taken: Vec<usize> = Vec::new();
    let fill = |row: &Vec<Rc<Node>>| {
        let mut texts = Vec::new();
        let mut is_taken = |column: usize| {
            let rows = taken.get_mut(column).filter(|rows| **rows > 0);
            rows.map(|rows| *rows -= 1).is_some()
        };
        let mut spans = Vec::new();
        for cell in row {
            while is_taken(texts.len()) {
                texts.push(String::new());
            }
            spans.push((
                texts.len(),
                spanned(cell, "colspan"),
                spanned(cell, "rowspan"),
            ));
            texts.push(text(cell));
            texts.extend(vec![String::new(); spanned(cell, "colspan") - 1]);
        }
        while is_taken(texts.len()) {
            texts.push(String::new());
        }
        for (column, columns, rows) in spans {
            taken.resize(taken.len().max(column + columns), 0);
            taken[column..column + columns].fill(rows - 1);
        }
        texts
    };
    rows.iter().map(fill).collect()
}

fn spanned(cell: &Rc<Node>, direction: &str) -> usize {
    let count = attribute(cell, direction).and_then(|count| count.trim().parse().ok());
    count.unwrap_or(1_usize).clamp(1, MOST_SPANNED)
}

fn in_one_line(text: &str) -> String {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines
        .collect::<Vec<_>>()
        .join(" / ")
        .replace("&#124;", "|")
        .replace('|', "\\|")
}

/// The rows, the first of which is the head, as Markdown wants one.
fn written(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or_default();
    let mut lines = Vec::new();
    for (index, row) in rows.iter().enumerate() {
        let gap = std::iter::repeat_n(String::new(), columns - row.len());
        let cells: Vec<String> = row.iter().cloned().chain(gap).collect();
        lines.push(format!("| {} |", cells.join(" | ")));
        if index == 0 {
            lines.push(format!("|{}", " --- |".repeat(columns)));
        }
    }
    lines.join("\n")
}
