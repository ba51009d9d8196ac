//! Recognises texts by a GBNF grammar, as far as Forge writes it: what llama.cpp would let a model write.
//!
//! Test-only. Refuses a grammar that llama.cpp would refuse: an unknown rule, a bad name, left recursion.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

/// A grammar that was read.
pub(crate) struct Recogniser {
    rules: BTreeMap<String, Expression>,
}

enum Expression {
    Literal(Vec<char>),
    Class {
        negated: bool,
        ranges: Vec<(char, char)>,
    },
    Rule(String),
    Sequence(Vec<Expression>),
    Alternatives(Vec<Expression>),
    Repeated {
        item: Box<Expression>,
        min: usize,
        max: Option<usize>,
    },
}

type Ends = BTreeSet<usize>;

struct Matching<'a> {
    rules: &'a BTreeMap<String, Expression>,
    text: Vec<char>,
    known: RefCell<BTreeMap<(String, usize), Option<Ends>>>,
}

impl Recogniser {
    /// Reads `grammar`, one rule a line.
    pub(crate) fn new(grammar: &str) -> Self {
        let mut rules = BTreeMap::new();
        for line in grammar.lines() {
            let (name, body) = line
                .split_once(" ::= ")
                .unwrap_or_else(|| panic!("no rule: {line}"));
            let is_name =
                !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
            assert!(is_name, "llama.cpp knows no such name: {name}");
            let mut reader = Reader {
                rest: body.chars().collect(),
                at: 0,
            };
            let expression = reader.alternatives();
            assert_eq!(
                reader.at,
                reader.rest.len(),
                "the rest can't be read: {line}"
            );
            assert!(
                rules.insert(name.to_owned(), expression).is_none(),
                "two rules {name}"
            );
        }
        let recogniser = Self { rules };
        recogniser
            .rules
            .values()
            .for_each(|rule| recogniser.check_names(rule));
        assert!(recogniser.rules.contains_key("root"));
        recogniser
    }

    /// Whether `text` as a whole is in the language.
    pub(crate) fn accepts(&self, text: &str) -> bool {
        let matching = Matching {
            rules: &self.rules,
            text: text.chars().collect(),
            known: RefCell::default(),
        };
        matching.rule("root", 0).contains(&matching.text.len())
    }

    fn check_names(&self, expression: &Expression) {
        match expression {
            Expression::Rule(name) => assert!(self.rules.contains_key(name), "no rule {name}"),
            Expression::Sequence(items) | Expression::Alternatives(items) => {
                items.iter().for_each(|item| self.check_names(item));
            }
            Expression::Repeated { item, .. } => self.check_names(item),
            Expression::Literal(_) | Expression::Class { .. } => {}
        }
    }
}

impl Matching<'_> {
    fn rule(&self, name: &str, at: usize) -> Ends {
        let key = (name.to_owned(), at);
        if let Some(known) = self.known.borrow().get(&key) {
            return known
                .clone()
                .unwrap_or_else(|| panic!("left recursion in {name}"));
        }
        self.known.borrow_mut().insert(key.clone(), None);
        let ends = self.ends(&self.rules[name], at);
        self.known.borrow_mut().insert(key, Some(ends.clone()));
        ends
    }

    fn ends(&self, expression: &Expression, at: usize) -> Ends {
        match expression {
            Expression::Literal(literal) => {
                let is_there = self.text[at..].starts_with(literal);
                is_there.then_some(at + literal.len()).into_iter().collect()
            }
            Expression::Class { negated, ranges } => {
                let is_in =
                    |c: &char| ranges.iter().any(|(from, to)| (from..=to).contains(&c)) != *negated;
                let fits = self.text.get(at).is_some_and(is_in);
                fits.then_some(at + 1).into_iter().collect()
            }
            Expression::Rule(name) => self.rule(name, at),
            Expression::Sequence(items) => items.iter().fold(Ends::from([at]), |ends, item| {
                ends.into_iter()
                    .flat_map(|end| self.ends(item, end))
                    .collect()
            }),
            Expression::Alternatives(items) => {
                items.iter().flat_map(|item| self.ends(item, at)).collect()
            }
            Expression::Repeated { item, min, max } => {
                let mut all = Ends::new();
                let mut ends = Ends::from([at]);
                let mut times = 0;
                loop {
                    let before = all.len();
                    if times >= *min {
                        all.extend(&ends);
                    }
                    let brings_nothing = times > *min && all.len() == before;
                    if ends.is_empty() || brings_nothing || max.is_some_and(|max| times >= max) {
                        return all;
                    }
                    ends = ends
                        .into_iter()
                        .flat_map(|end| self.ends(item, end))
                        .collect();
                    times += 1;
                }
            }
        }
    }
}

struct Reader {
    rest: Vec<char>,
    at: usize,
}

impl Reader {
    fn alternatives(&mut self) -> Expression {
        let mut items = vec![self.sequence()];
        while self.skip_blanks() == Some('|') {
            self.at += 1;
            items.push(self.sequence());
        }
        Expression::Alternatives(items)
    }

    fn sequence(&mut self) -> Expression {
        let mut items = Vec::new();
        while let Some(c) = self.skip_blanks() {
            let item = match c {
                '|' | ')' => break,
                '"' => self.literal(),
                '[' => self.class(),
                '(' => {
                    self.at += 1;
                    let inner = self.alternatives();
                    assert_eq!(self.skip_blanks(), Some(')'), "an open group");
                    self.at += 1;
                    inner
                }
                c => {
                    assert!(c.is_ascii_alphanumeric(), "unexpected {c:?}");
                    self.name()
                }
            };
            items.push(self.repeated(item));
        }
        Expression::Sequence(items)
    }

    fn repeated(&mut self, item: Expression) -> Expression {
        let (min, max) = match self.rest.get(self.at) {
            Some('?') => (0, Some(1)),
            Some('*') => (0, None),
            Some('+') => (1, None),
            Some('{') => {
                let inside: String = self.rest[self.at + 1..]
                    .iter()
                    .take_while(|c| **c != '}')
                    .collect();
                self.at += inside.len() + 1;
                match inside.split_once(',') {
                    Some((min, "")) => (min.parse().unwrap(), None),
                    Some((min, max)) => (min.parse().unwrap(), Some(max.parse().unwrap())),
                    None => (inside.parse().unwrap(), Some(inside.parse().unwrap())),
                }
            }
            _ => return item,
        };
        assert!(
            max.is_none_or(|max: usize| min <= max),
            "a bound below the other"
        );
        self.at += 1;
        let item = Box::new(item);
        Expression::Repeated { item, min, max }
    }

    fn name(&mut self) -> Expression {
        let is_part = |c: &&char| c.is_ascii_alphanumeric() || **c == '-';
        let name: String = self.rest[self.at..].iter().take_while(is_part).collect();
        self.at += name.len();
        Expression::Rule(name)
    }

    fn literal(&mut self) -> Expression {
        self.at += 1;
        let mut literal = Vec::new();
        while self.rest[self.at] != '"' {
            literal.push(self.character());
        }
        self.at += 1;
        assert!(!literal.is_empty(), "an empty literal");
        Expression::Literal(literal)
    }

    fn class(&mut self) -> Expression {
        self.at += 1;
        let negated = self.rest[self.at] == '^';
        self.at += usize::from(negated);
        let mut ranges = Vec::new();
        while self.rest[self.at] != ']' {
            let from = self.character();
            let is_range = self.rest[self.at] == '-' && self.rest[self.at + 1] != ']';
            self.at += usize::from(is_range);
            let to = if is_range { self.character() } else { from };
            ranges.push((from, to));
        }
        self.at += 1;
        Expression::Class { negated, ranges }
    }

    fn character(&mut self) -> char {
        let c = self.rest[self.at];
        self.at += 1;
        if c != '\\' {
            return c;
        }
        let escape = self.rest[self.at];
        self.at += 1;
        let digits = match escape {
            'n' => return '\n',
            't' => return '\t',
            'r' => return '\r',
            '"' | '\\' | ']' | '[' => return escape,
            'x' => 2,
            'u' => 4,
            'U' => 8,
            other => panic!("no escape of llama.cpp's: {other}"),
        };
        let hex: String = self.rest[self.at..self.at + digits].iter().collect();
        self.at += digits;
        char::from_u32(u32::from_str_radix(&hex, 16).unwrap()).unwrap()
    }

    fn skip_blanks(&mut self) -> Option<char> {
        while self.rest.get(self.at) == Some(&' ') {
            self.at += 1;
        }
        self.rest.get(self.at).copied()
    }
}
