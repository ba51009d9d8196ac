//! SQLite's failures in the store's words. The only place where they are told apart.

use std::error::Error;
use std::fmt;
use std::io;
use std::path::Path;
use std::sync::Arc;

use forge_core::store::StoreError;
use rusqlite::ErrorCode;

/// The file, as errors name it.
#[derive(Debug, Clone)]
pub(super) struct Place(Arc<str>);

impl Place {
    pub(super) fn of(path: &Path) -> Self {
        Self(path.display().to_string().into())
    }

    pub(super) fn failure(&self, error: rusqlite::Error) -> StoreError {
        use rusqlite::Error as Sql;
        let place = self.to_string();
        match &error {
            Sql::SqliteFailure(code, _) => match code.code {
                ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => StoreError::Busy { place },
                ErrorCode::DiskFull => StoreError::Full { place },
                ErrorCode::ReadOnly => StoreError::ReadOnly { place },
                ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => {
                    self.damaged(error.to_string())
                }
                _ => self.other(error),
            },
            // A value that is not of its column's kind.
            Sql::FromSqlConversionFailure(..)
            | Sql::IntegralValueOutOfRange(..)
            | Sql::InvalidColumnType(..)
            | Sql::Utf8Error(..) => self.damaged(error.to_string()),
            _ => self.other(error),
        }
    }

    pub(super) fn io(&self, error: io::Error) -> StoreError {
        let place = self.to_string();
        match error.kind() {
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                StoreError::ReadOnly { place }
            }
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => StoreError::Full { place },
            _ => self.other(error),
        }
    }

    pub(super) fn damaged(&self, detail: String) -> StoreError {
        StoreError::Damaged {
            place: self.to_string(),
            detail,
        }
    }

    pub(super) fn newer(&self, found: i64, known: i64) -> StoreError {
        StoreError::Newer {
            place: self.to_string(),
            found,
            known,
        }
    }

    pub(super) fn foreign(&self) -> StoreError {
        StoreError::Foreign {
            place: self.to_string(),
        }
    }

    pub(super) fn closed(&self) -> StoreError {
        StoreError::Closed {
            place: self.to_string(),
        }
    }

    pub(super) fn other(&self, error: impl Error + Send + Sync + 'static) -> StoreError {
        StoreError::Failed {
            place: self.to_string(),
            source: Arc::new(error),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
