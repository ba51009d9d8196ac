//! What crossed the sandbox's border during a call. Not here: who watches; that is the runtime.

use std::net::IpAddr;

use serde::{Deserialize, Serialize};

use crate::power::Power;

/// One thing that crossed the sandbox's border, or tried to. Paths are the guest's own
/// (`/workspace/…`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "effect", rename_all = "kebab-case")]
pub enum Effect {
    /// A file or folder was looked at or changed.
    File(FileEffect),
    /// A request was sent, or refused.
    Request(RequestEffect),
    /// A power was called that this call was not granted; it answered *denied*.
    Refused {
        /// The interface that was called.
        power: Power,
    },
    /// Another capability was called, or should have been.
    Call(CallEffect),
}

/// One use of a file or folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileEffect {
    /// What was done.
    pub action: FileAction,
    /// On what.
    pub path: String,
    /// The other path, where there are two: where it was moved or linked to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// Bytes read or written through this opening.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub bytes: u64,
    /// Why it failed, in the words of WASI (`no-entry`, `not-permitted`, …); absent when it succeeded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// One request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestEffect {
    /// Its method.
    pub method: String,
    /// Its whole URL, or the beginning of a long one.
    pub url: String,
    /// The address that was connected to; absent when none was, and when a proxy was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<IpAddr>,
    /// The status of the answer; absent when none came.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// Bytes of the answer's body that came over the network.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub bytes: u64,
    /// Why it was refused or failed; absent when it succeeded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// One call of another capability.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallEffect {
    /// The capability, as the tool named it, or the beginning of a long name.
    pub capability: String,
    /// The operation, likewise.
    pub operation: String,
    /// How it ended, in one word: `done`, `failed`, `stopped`, `denied` or `needs-approval`.
    pub outcome: String,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference")]
fn is_zero(bytes: &u64) -> bool {
    *bytes == 0
}

/// What can be done with a file or folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FileAction {
    /// A file or folder was opened to be read.
    Open,
    /// A folder's entries were listed.
    List,
    /// A file was opened to be written, and created if it was missing.
    Write,
    /// A file's length was set.
    Resize,
    /// A file's or folder's times were set.
    Touch,
    /// A folder was made.
    CreateDirectory,
    /// A folder was removed.
    RemoveDirectory,
    /// A file was removed.
    Remove,
    /// A file or folder was moved.
    Rename,
    /// A hard link was made.
    Link,
    /// A symbolic link was made.
    Symlink,
}

impl FileAction {
    /// Whether it changes something (or would have).
    #[must_use]
    pub fn changes(self) -> bool {
        !matches!(self, Self::Open | Self::List)
    }
}
