//! The parts of a run's record, and texts cut to size.

use std::time::Duration;

use crate::provider::Usage;
use crate::trace::{LlmRecord, PREVIEW_CHARS, StepRecord};

/// The cost of one completion.
pub(super) fn cost(usage: &Usage, took: Duration) -> LlmRecord {
    LlmRecord {
        llm_calls: 1,
        llm_ms: whole_ms(took),
        prompt_tokens: usage.prompt_tokens,
        cached_tokens: usage.cached_tokens,
        completion_tokens: usage.completion_tokens,
    }
}

/// The cost of all steps together.
pub(super) fn total(steps: &[StepRecord]) -> LlmRecord {
    let sum = |of: fn(&LlmRecord) -> Option<u64>| {
        let told = steps.iter().filter_map(|step| of(&step.llm));
        told.fold(None, |sum: Option<u64>, tokens| {
            Some(sum.unwrap_or(0) + tokens)
        })
    };
    LlmRecord {
        llm_calls: steps.iter().map(|step| step.llm.llm_calls).sum(),
        llm_ms: steps.iter().map(|step| step.llm.llm_ms).sum(),
        prompt_tokens: sum(|llm| llm.prompt_tokens),
        cached_tokens: sum(|llm| llm.cached_tokens),
        completion_tokens: sum(|llm| llm.completion_tokens),
    }
}

/// The beginning of `text`, as records hold it.
pub(super) fn preview(text: &str) -> String {
    text.chars().take(PREVIEW_CHARS).collect()
}

/// `text` whole when it has at most `max` characters, else its head and its tail.
pub(super) fn head_and_tail(text: &str, max: usize) -> String {
    let length = text.chars().count();
    if length <= max {
        return text.to_owned();
    }
    let tail_chars = max / 3;
    let head: String = text.chars().take(max - tail_chars).collect();
    let tail: String = text.chars().skip(length - tail_chars).collect();
    format!("{head}\n[… {} characters left out …]\n{tail}", length - max)
}

/// From `began` to `now`, in whole milliseconds.
pub(super) fn ms_between(began: Duration, now: Duration) -> u64 {
    whole_ms(now.saturating_sub(began))
}

fn whole_ms(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
