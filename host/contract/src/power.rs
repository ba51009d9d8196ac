//! The host interfaces that can act, and the requirement that opens each.
//!
//! Not here: *ambient* interfaces (clocks, random, standard streams, environment, file and socket
//! types). Every guest may import those; without a grant they hold nothing.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A host interface that can act on the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Power {
    /// `forge:tool/llm`: asks the language model.
    Llm,
    /// `forge:tool/process`: runs a program.
    Process,
    /// `forge:tool/memory`: reads and writes long-term memory.
    Memory,
    /// `forge:tool/capabilities`: calls another capability.
    Capabilities,
    /// `forge:tool/observe`: reads a view of the host.
    Observe,
    /// `forge:tool/http`: sends a request and buffers the answer.
    Http,
    /// `wasi:http/outgoing-handler`: sends a request.
    WasiHttp,
    /// `forge:tool/files`: reads, writes and lists files of the workspace.
    Files,
}

impl Power {
    /// Every power.
    pub const ALL: [Self; 8] = [
        Self::Llm,
        Self::Process,
        Self::Memory,
        Self::Capabilities,
        Self::Observe,
        Self::Http,
        Self::WasiHttp,
        Self::Files,
    ];

    /// The interface, without its version.
    #[must_use]
    pub fn interface(self) -> &'static str {
        match self {
            Self::Llm => "forge:tool/llm",
            Self::Process => "forge:tool/process",
            Self::Memory => "forge:tool/memory",
            Self::Capabilities => "forge:tool/capabilities",
            Self::Observe => "forge:tool/observe",
            Self::Http => "forge:tool/http",
            Self::WasiHttp => "wasi:http/outgoing-handler",
            Self::Files => "forge:tool/files",
        }
    }

    /// The field under `requires` that opens it.
    #[must_use]
    pub fn requirement(self) -> &'static str {
        match self {
            Self::Llm => "llm",
            Self::Process => "programs",
            Self::Memory => "memory",
            Self::Capabilities => "calls",
            Self::Observe => "observes",
            Self::Http | Self::WasiHttp => "network",
            Self::Files => "workspace",
        }
    }

    /// The power that an import `namespace:package/interface@version` is, if it is one.
    #[must_use]
    pub fn of_import(import: &str) -> Option<Self> {
        let interface = import
            .split_once('@')
            .map_or(import, |(name, _version)| name);
        Self::ALL
            .into_iter()
            .find(|power| power.interface() == interface)
    }
}

impl fmt::Display for Power {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.interface())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_power_is_known_by_its_import_at_any_version() {
        assert_eq!(Power::of_import("forge:tool/llm@0.1.0"), Some(Power::Llm));
        assert_eq!(
            Power::of_import("wasi:http/outgoing-handler@0.2.10"),
            Some(Power::WasiHttp)
        );
        assert_eq!(Power::of_import("forge:tool/log@0.1.0"), None);
        assert_eq!(Power::of_import("wasi:http/types@0.2.10"), None);
    }
}
