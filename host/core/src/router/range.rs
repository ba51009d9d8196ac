//! Integers between two bounds, as a grammar. Not here: what else a schema may want of a number; the
//! validator looks at that.

use serde_json::Value;

/// The most digits of an integer without a bound.
const MAX_DIGITS: u32 = 16;

/// The expression for an integer of `schema`; `None` when no integer is within its bounds.
pub(super) fn integer(schema: &Value) -> Option<String> {
    let bound = |key: &str| schema.get(key).and_then(Value::as_f64);
    let largest = 10_i64.pow(MAX_DIGITS) - 1;
    let above = bound("exclusiveMinimum").map(|bound| bound.floor() + 1.0);
    let below = bound("exclusiveMaximum").map(|bound| bound.ceil() - 1.0);
    let min = [bound("minimum").map(f64::ceil), above]
        .into_iter()
        .flatten()
        .fold(f64::NEG_INFINITY, f64::max);
    let max = [bound("maximum").map(f64::floor), below]
        .into_iter()
        .flatten()
        .fold(f64::INFINITY, f64::min);
    if min > max {
        return None;
    }
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a cast saturates, and the clamp is narrower"
    )]
    let clamped = |bound: f64| (bound as i64).clamp(-largest, largest);
    let (min, max) = (clamped(min), clamped(max));
    let mut ways = Vec::new();
    if min < 0 {
        let nearest = if max < 0 { -max } else { 1 };
        ways.push(format!(
            "\"-\" ({})",
            naturals(nearest.unsigned_abs(), min.unsigned_abs())
        ));
    }
    if max >= 0 {
        ways.push(naturals(min.max(0).unsigned_abs(), max.unsigned_abs()));
    }
    Some(format!("({})", ways.join(" | ")))
}

/// The numbers from `min` to `max`, length by length.
fn naturals(min: u64, max: u64) -> String {
    let digits = |number: u64| number.to_string().len();
    let ways = (digits(min)..=digits(max)).map(|length| {
        let shortest = if length == 1 {
            0
        } else {
            10_u64.pow(exponent(length - 1))
        };
        let longest = 10_u64.pow(exponent(length)) - 1;
        let (low, high) = (min.max(shortest).to_string(), max.min(longest).to_string());
        same_length(low.as_bytes(), high.as_bytes())
    });
    ways.collect::<Vec<_>>().join(" | ")
}

fn exponent(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(MAX_DIGITS)
}

/// The digits from `low` to `high`, which are of one length.
fn same_length(low: &[u8], high: &[u8]) -> String {
    let ([first_low, low @ ..], [first_high, high @ ..]) = (low, high) else {
        return String::new();
    };
    let (from_start, to_end) = (
        low.iter().all(|digit| *digit == b'0'),
        high.iter().all(|digit| *digit == b'9'),
    );
    if first_low == first_high {
        return format!(
            "{} {}",
            class(*first_low, *first_high),
            group(&same_length(low, high))
        );
    }
    let mut ways = Vec::new();
    // The first digit alone decides between these two; beside them the other digits matter.
    let middle = (
        first_low + u8::from(!from_start),
        first_high - u8::from(!to_end),
    );
    if !from_start {
        let nines = vec![b'9'; low.len()];
        ways.push(format!(
            "{} {}",
            class(*first_low, *first_low),
            group(&same_length(low, &nines))
        ));
    }
    if middle.0 <= middle.1 {
        let rest = if low.is_empty() {
            String::new()
        } else {
            format!("[0-9]{{{}}}", low.len())
        };
        ways.push(format!("{} {rest}", class(middle.0, middle.1)));
    }
    if !to_end {
        let zeros = vec![b'0'; high.len()];
        ways.push(format!(
            "{} {}",
            class(*first_high, *first_high),
            group(&same_length(&zeros, high))
        ));
    }
    ways.join(" | ")
}

fn class(from: u8, to: u8) -> String {
    format!("[{}-{}]", char::from(from), char::from(to))
}

fn group(ways: &str) -> String {
    if ways.is_empty() {
        String::new()
    } else {
        format!("({ways})")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::constraint::gbnf_recogniser::Recogniser;
    use super::*;

    /// The grammar of `schema` holds exactly the integers from `min` to `max` among those near them.
    fn check(schema: &Value, min: i64, max: i64) {
        let recogniser = Recogniser::new(&format!("root ::= {}\n", integer(schema).unwrap()));
        for number in (min - 130..min + 130)
            .chain(max - 130..max + 130)
            .chain(-12..12)
        {
            let is_within = (min..=max).contains(&number);
            assert_eq!(
                recogniser.accepts(&number.to_string()),
                is_within,
                "{number} under {schema}"
            );
        }
        for odd in ["", "-", "00", "01", "-0", "1.0", "+1"] {
            assert!(!recogniser.accepts(odd), "{odd:?} under {schema}");
        }
    }

    #[test]
    fn exactly_the_integers_within_the_bounds() {
        check(&json!({"minimum": 0, "maximum": 9}), 0, 9);
        check(&json!({"minimum": 1, "maximum": 100}), 1, 100);
        check(&json!({"minimum": 7, "maximum": 7}), 7, 7);
        check(&json!({"minimum": 37, "maximum": 4205}), 37, 4205);
        check(&json!({"minimum": 199, "maximum": 201}), 199, 201);
        check(&json!({"minimum": -20, "maximum": 315}), -20, 315);
        check(&json!({"minimum": -315, "maximum": -20}), -315, -20);
        check(
            &json!({"exclusiveMinimum": 0, "exclusiveMaximum": 65536}),
            1,
            65535,
        );
        check(&json!({"minimum": 0.5, "maximum": 9.5}), 1, 9);
        let largest = 9_999_999_999_999_999;
        check(&json!({"minimum": 1}), 1, largest);
        check(&json!({"maximum": 3}), -largest, 3);
        check(&json!({}), -largest, largest);
        assert_eq!(integer(&json!({"minimum": 2, "maximum": 1})), None);
    }
}
