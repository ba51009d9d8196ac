//! Decodes a JSON string that comes in pieces, however they are cut.

/// A JSON string that is still coming.
#[derive(Debug, Default)]
pub(super) struct StringDecoder {
    state: State,
    /// The first half of a surrogate pair, until its second half is there.
    leading: Option<u32>,
}

#[derive(Debug, Default, Clone, Copy)]
enum State {
    #[default]
    Plain,
    Escape,
    Hex {
        value: u32,
        digits: u8,
    },
    Closed,
}

impl StringDecoder {
    /// Decodes `piece` onto `text`. Returns true when the closing quote has come; what follows it is
    /// left alone. A half of a surrogate pair without the other becomes U+FFFD.
    pub(super) fn push(&mut self, piece: &str, text: &mut String) -> bool {
        for c in piece.chars() {
            match self.state {
                State::Closed => break,
                State::Plain => self.plain(c, text),
                State::Escape => self.escape(c, text),
                State::Hex { value, digits } => self.hex(c, value, digits, text),
            }
        }
        matches!(self.state, State::Closed)
    }

    fn plain(&mut self, c: char, text: &mut String) {
        match c {
            '\\' => self.state = State::Escape,
            '"' => {
                self.give_up_leading(text);
                self.state = State::Closed;
            }
            c => {
                self.give_up_leading(text);
                text.push(c);
            }
        }
    }

    fn escape(&mut self, c: char, text: &mut String) {
        if c == 'u' {
            self.state = State::Hex {
                value: 0,
                digits: 0,
            };
            return;
        }
        self.give_up_leading(text);
        self.state = State::Plain;
        text.push(match c {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'b' => '\u{8}',
            'f' => '\u{c}',
            other => other,
        });
    }

    fn hex(&mut self, c: char, value: u32, digits: u8, text: &mut String) {
        let Some(digit) = c.to_digit(16) else {
            // No escape at all: the finished text is for the parser to judge.
            self.give_up_leading(text);
            text.push(char::REPLACEMENT_CHARACTER);
            self.state = State::Plain;
            self.plain(c, text);
            return;
        };
        let value = value * 16 + digit;
        if digits < 3 {
            self.state = State::Hex {
                value,
                digits: digits + 1,
            };
            return;
        }
        self.state = State::Plain;
        self.unit(value, text);
    }

    /// Takes one UTF-16 unit.
    fn unit(&mut self, unit: u32, text: &mut String) {
        let is_trailing = (0xDC00..0xE000).contains(&unit);
        match self.leading.take() {
            Some(leading) if is_trailing => {
                let code = 0x10000 + ((leading - 0xD800) << 10) + (unit - 0xDC00);
                text.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
                return;
            }
            Some(_) => text.push(char::REPLACEMENT_CHARACTER),
            None => {}
        }
        if (0xD800..0xDC00).contains(&unit) {
            self.leading = Some(unit);
        } else {
            text.push(char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER));
        }
    }

    fn give_up_leading(&mut self, text: &mut String) {
        if self.leading.take().is_some() {
            text.push(char::REPLACEMENT_CHARACTER);
        }
    }
}
