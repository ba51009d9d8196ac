//! How much of a conversation a prompt sees.

/// The last part of a conversation, whose beginning moves in jumps: between two of them the prompt only
/// grows, and a model server continues from what it has already read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// The most messages.
    pub max_messages: usize,
    /// How many messages are left out at once when it would be more; at least one exchange is.
    pub slack: usize,
}

impl Default for Window {
    fn default() -> Self {
        Self {
            max_messages: 100,
            slack: 20,
        }
    }
}

impl Window {
    /// The first of `exchanges` that is seen.
    pub(super) fn start(self, exchanges: usize) -> usize {
        let most = self.max_messages / 2;
        let jump = (self.slack / 2).clamp(1, most.max(1));
        let too_many = exchanges.saturating_sub(most);
        (too_many.div_ceil(jump) * jump).min(exchanges)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_start_moves_in_jumps() {
        let check = |max_messages, slack, exchanges, expected| {
            let window = Window {
                max_messages,
                slack,
            };
            assert_eq!(window.start(exchanges), expected, "{window:?} {exchanges}");
        };
        check(100, 20, 0, 0);
        check(100, 20, 50, 0);
        check(100, 20, 51, 10);
        check(100, 20, 60, 10);
        check(100, 20, 61, 20);
        check(100, 20, 1000, 950);
        check(100, 20, 1001, 960);
        // Odd numbers count whole exchanges.
        check(5, 3, 2, 0);
        check(5, 3, 3, 1);
        // No slack: it moves with each exchange. More slack than messages: all but the newest goes.
        check(4, 0, 3, 1);
        check(4, 0, 4, 2);
        check(4, 100, 3, 2);
        check(4, 100, 4, 2);
        check(4, 100, 5, 4);
        // No history at all.
        check(0, 20, 7, 7);
        check(1, 20, 7, 7);
    }

    #[test]
    fn it_never_shows_too_much_never_goes_back_and_mostly_stays() {
        let window = Window::default();
        let starts: Vec<usize> = (0..500).map(|exchanges| window.start(exchanges)).collect();
        for (exchanges, start) in starts.iter().enumerate() {
            assert!((exchanges - start) * 2 <= window.max_messages);
            assert!(exchanges == 0 || start < &exchanges);
        }
        assert!(starts.is_sorted());
        let moves = starts.windows(2).filter(|pair| pair[0] != pair[1]).count();
        assert_eq!(moves, 45);
    }
}
