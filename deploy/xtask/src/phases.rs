//! How long each step took, by the clock and by the processor.
//!
//! The processor's time is this program's and that of every child it has waited for, read from
//! the kernel; where there is no `/proc`, the column stays empty.

use std::fmt::Write as _;
use std::fs;
use std::time::{Duration, Instant};

use anyhow::Result;

use crate::progress::say;

/// The steps taken so far.
#[derive(Default)]
pub(crate) struct Phases {
    rows: Vec<Row>,
}

struct Row {
    name: &'static str,
    wall: Duration,
    processor: Option<Duration>,
    passed: bool,
}

impl Phases {
    /// Takes one step and remembers its time, whether it fails or not.
    pub(crate) fn run<T>(
        &mut self,
        name: &'static str,
        step: impl FnOnce() -> Result<T>,
    ) -> Result<T> {
        say(format_args!("== {name}"));
        let (started, processor_before) = (Instant::now(), processor_time());
        let outcome = step();
        self.rows.push(Row {
            name,
            wall: started.elapsed(),
            processor: processor_time()
                .zip(processor_before)
                .map(|(now, then)| now - then),
            passed: outcome.is_ok(),
        });
        outcome
    }

    /// Prints the table, if any step was taken.
    pub(crate) fn report(&self) {
        if !self.rows.is_empty() {
            say(self.table());
        }
    }

    fn table(&self) -> String {
        let mut table = format!("\n{:<24} {:>9} {:>9}", "phase", "wall min", "cpu min");
        for row in &self.rows {
            let processor = row.processor.map_or_else(|| "-".to_owned(), minutes);
            let note = if row.passed { "" } else { "  failed" };
            let _ = write!(
                table,
                "\n{:<24} {:>9} {processor:>9}{note}",
                row.name,
                minutes(row.wall)
            );
        }
        table
    }
}

fn minutes(time: Duration) -> String {
    format!("{:.2}", time.as_secs_f64() / 60.0)
}

/// User and system time of this process and of the children it has waited for.
fn processor_time() -> Option<Duration> {
    parse_processor_time(&fs::read_to_string("/proc/self/stat").ok()?)
}

/// The program's name stands in brackets and may hold blanks: fields are counted behind it.
fn parse_processor_time(stat: &str) -> Option<Duration> {
    const FIRST_OF_FOUR: usize = 11;
    // What the kernel shows to programs, whatever its own clock.
    const TICKS_PER_SECOND: u64 = 100;

    let (_, fields) = stat.rsplit_once(')')?;
    let ticks = fields.split_ascii_whitespace().skip(FIRST_OF_FOUR).take(4);
    let sum = ticks
        .map(|field| field.parse::<u64>().ok())
        .sum::<Option<u64>>()?;
    Some(Duration::from_millis(sum * 1000 / TICKS_PER_SECOND))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_behind_the_name() {
        let stat = "7 (a) b) S 1 7 7 0 -1 4194560 9 9 0 0 100 50 300 50 20 0 1 0";
        assert_eq!(parse_processor_time(stat), Some(Duration::from_secs(5)));
        assert_eq!(parse_processor_time("nothing"), None);
    }

    #[test]
    fn failed_step_is_in_the_table() {
        let mut phases = Phases::default();
        let outcome: Result<()> = phases.run("lints", || anyhow::bail!("no"));
        assert!(outcome.is_err());
        let table = phases.table();
        assert!(
            table.contains("lints") && table.ends_with("failed"),
            "{table}"
        );
    }
}
