//! What turns share as long as neither the tools nor policy change: the offers, the prompt's fixed part
//! and the form of a decision. Not here: anything of one turn.

use crate::policy::Policy;
use crate::provider::Constraint;
use crate::registry::Registry;
use crate::router::Offer;
use crate::router::constraint::constraint;
use crate::router::prompt::{self, Steps};

use super::offers::offers;

/// What the model may choose, and how it is asked. It must be made anew when a tool comes or goes, or
/// policy changes.
#[derive(Debug, Clone)]
pub struct Prepared {
    pub(super) offers: Vec<Offer>,
    one: Question,
    many: Question,
}

/// How the model is asked.
#[derive(Debug, Clone)]
pub(super) struct Question {
    /// The prompt's fixed part.
    pub(super) fixed: String,
    /// The form of a decision.
    pub(super) constraint: Constraint,
}

impl Prepared {
    /// What `policy` lets be chosen of what is in `registry`.
    #[must_use]
    pub fn new(registry: &Registry, policy: &Policy) -> Self {
        let offers = offers(registry, policy);
        let question = |steps| Question {
            fixed: prompt::fixed(&offers, steps),
            constraint: constraint(&offers, steps),
        };
        Self {
            one: question(Steps::One),
            many: question(Steps::Many),
            offers,
        }
    }

    /// The question of a run that takes at most `max_steps`.
    pub(super) fn question(&self, max_steps: u32) -> &Question {
        if max_steps > 1 { &self.many } else { &self.one }
    }
}
