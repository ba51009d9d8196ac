//! Blobs in SQL.

use forge_core::store::BlobDigest;
use rusqlite::{Connection, OptionalExtension, params};
use sha2::{Digest, Sha256};

pub(super) fn digest(blob: &[u8]) -> BlobDigest {
    BlobDigest::from_bytes(&Sha256::digest(blob).into())
}

pub(super) fn put(
    connection: &Connection,
    digest: &BlobDigest,
    blob: &[u8],
) -> rusqlite::Result<()> {
    // One that was damaged is made whole.
    connection
        .prepare_cached(
            "INSERT INTO blob (digest, body) VALUES (?1, ?2)
             ON CONFLICT (digest) DO UPDATE SET body = ?2 WHERE body IS NOT ?2",
        )?
        .execute(params![digest.as_str(), blob])?;
    Ok(())
}

pub(super) fn get(
    connection: &Connection,
    digest: &BlobDigest,
) -> rusqlite::Result<Option<Vec<u8>>> {
    connection
        .prepare_cached("SELECT body FROM blob WHERE digest = ?1")?
        .query_row([digest.as_str()], |row| row.get(0))
        .optional()
}

pub(super) fn exists(connection: &Connection, digest: &BlobDigest) -> rusqlite::Result<bool> {
    connection
        .prepare_cached("SELECT 1 FROM blob WHERE digest = ?1")?
        .exists([digest.as_str()])
}
