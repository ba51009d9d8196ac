//! The engines behind the core's store ports. There is one: SQLite, in one file.
//!
//! Not here: what is kept, which is its writers' matter, as conversations are that of
//! [`crate::conversations`].

pub use sqlite::SqliteStore;

mod sqlite;

#[cfg(test)]
mod tests;
