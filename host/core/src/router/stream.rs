//! Follows a decision while it is written: which tool is being chosen, and the answer as it decodes.
//!
//! Only what is certain is told. Text that does not begin as a decision is followed in silence, and so
//! is an answer that begins with a brace: it may be an envelope, which nobody should see. Not here: the
//! meaning of the finished text ([`super::parser`]).

use super::placeholder::ends_in_loop;
use super::{CHAT, Offer, find};

mod decoder;
mod head;

use decoder::StringDecoder;
use head::{Head, read_head};

/// A decision while it is written.
#[derive(Debug)]
pub struct DecisionStream<'a> {
    offers: &'a [Offer],
    state: State,
    /// The beginning, until it is understood.
    head: String,
    tool: Option<String>,
    decoder: StringDecoder,
    text: String,
    told_bytes: usize,
    checked_bytes: usize,
    loops: bool,
}

/// News from a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Heard<'t> {
    /// This capability is being chosen.
    Chosen(&'t str),
    /// The next piece of its text.
    Text(&'t str),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Before the content.
    Head,
    /// Inside the string of a text capability.
    Content,
    /// Nothing more to tell.
    Over,
}

impl<'a> DecisionStream<'a> {
    /// Nothing was written yet.
    #[must_use]
    pub fn new(offers: &'a [Offer]) -> Self {
        Self {
            offers,
            state: State::Head,
            head: String::new(),
            tool: None,
            decoder: StringDecoder::default(),
            text: String::new(),
            told_bytes: 0,
            checked_bytes: 0,
            loops: false,
        }
    }

    /// Takes the next piece of what the model writes and tells `hear` what it shows.
    pub fn push(&mut self, piece: &str, hear: &mut dyn FnMut(Heard<'_>)) {
        match self.state {
            State::Head => self.push_head(piece, hear),
            State::Content => self.push_content(piece, hear),
            State::Over => {}
        }
    }

    /// The capability that is being chosen, once that is known.
    #[must_use]
    pub fn tool(&self) -> Option<&str> {
        self.tool.as_deref()
    }

    /// The decoded text so far, for a capability that takes text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether any piece of the text was told.
    #[must_use]
    pub fn has_told(&self) -> bool {
        self.told_bytes > 0
    }

    /// Whether the answer has run into a loop, so that the model should be stopped.
    #[must_use]
    pub fn loops(&self) -> bool {
        self.loops
    }

    fn push_head(&mut self, piece: &str, hear: &mut dyn FnMut(Heard<'_>)) {
        // A beginning longer than this is none of a decision; nothing is lost by silence.
        const MAX_HEAD_BYTES: usize = 1024;
        self.head.push_str(piece);
        match read_head(&self.head) {
            Head::Open { tool } => self.choose(tool, hear),
            Head::Text { tool, content_at } => {
                self.choose(tool, hear);
                let takes_text = self.tool().and_then(|tool| find(self.offers, tool));
                if takes_text.is_none_or(Offer::takes_text) {
                    self.state = State::Content;
                    let content = self.head.split_off(content_at);
                    self.push_content(&content, hear);
                } else {
                    self.state = State::Over;
                }
            }
            Head::Other { tool } => {
                if let Some(tool) = tool {
                    self.choose(Some(tool), hear);
                }
                self.state = State::Over;
            }
        }
        if self.state == State::Head && self.head.len() > MAX_HEAD_BYTES {
            self.state = State::Over;
        }
    }

    fn choose(&mut self, named: Option<String>, hear: &mut dyn FnMut(Heard<'_>)) {
        let (None, Some(named)) = (&self.tool, named) else {
            return;
        };
        let is_offered = find(self.offers, &named).is_some();
        let tool = if is_offered { named } else { CHAT.to_owned() };
        hear(Heard::Chosen(&tool));
        self.tool = Some(tool);
    }

    fn push_content(&mut self, piece: &str, hear: &mut dyn FnMut(Heard<'_>)) {
        if self.decoder.push(piece, &mut self.text) {
            self.state = State::Over;
        }
        if self.is_fit_to_tell() && self.told_bytes < self.text.len() {
            hear(Heard::Text(&self.text[self.told_bytes..]));
            self.told_bytes = self.text.len();
        }
        self.look_for_loop();
    }

    fn is_fit_to_tell(&self) -> bool {
        let begins = self.text.trim_start().chars().next();
        let is_answer = self.tool() == Some(CHAT);
        begins.is_some_and(|first| !is_answer || first != '{')
    }

    /// Only answers in words are looked at: a table of zeros is good source text.
    fn look_for_loop(&mut self) {
        const EVERY_BYTES: usize = 64;
        let is_due = self.text.len() >= self.checked_bytes + EVERY_BYTES;
        if is_due && self.tool() == Some(CHAT) {
            self.checked_bytes = self.text.len();
            self.loops = self.loops || ends_in_loop(&self.text);
        }
    }
}

#[cfg(test)]
mod tests;
