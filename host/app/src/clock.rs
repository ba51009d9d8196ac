//! The machine's clock.

use std::time::{Duration, Instant};

use forge_core::clock::Clock;
use forge_core::store::Moment;
use jiff::{Timestamp, ZonedDateTime};

/// The machine's clock, in the machine's time zone.
#[derive(Debug)]
pub struct SystemClock {
    start: Instant,
}

impl SystemClock {
    /// A clock whose [`Clock::elapsed`] counts from now.
    #[must_use]
    pub fn start() -> Self {
        Self {
            start: Instant::now(),
        }
    }

    /// The moment, as the store's ports want it. It goes back when the machine's clock does.
    #[must_use]
    pub fn now(&self) -> Moment {
        Moment::from_ms(u64::try_from(Timestamp::now().as_millisecond()).unwrap_or(0))
    }
}

impl Clock for SystemClock {
    fn timestamp(&self) -> String {
        rfc3339(&ZonedDateTime::now())
    }

    fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }
}

fn rfc3339(time: &ZonedDateTime) -> String {
    time.strftime("%Y-%m-%dT%H:%M:%S%:z").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timestamp_has_seconds_and_an_offset() {
        let check = |time: &str, expected: &str| {
            let time: ZonedDateTime = time.parse().unwrap();
            assert_eq!(rfc3339(&time), expected);
        };
        check(
            "2026-11-30T20:58:08.4+01:00[+01:00]",
            "2026-11-30T20:58:08+01:00",
        );
        check(
            "2026-11-30T20:58:08-03:30[-03:30]",
            "2026-11-30T20:58:08-03:30",
        );
        check(
            "2026-11-30T20:58:08+00:00[UTC]",
            "2026-11-30T20:58:08+00:00",
        );
    }
}
