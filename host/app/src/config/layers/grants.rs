//! What the operator's file grants each tool: `[plugins.NAME.grant]`. Not here: what a tool declares, beyond which no
//! grant goes.

use std::collections::BTreeMap;
use std::path::Path;

use config::Value;
use forge_contract::grant::Grant;
use forge_contract::name::Name;
use serde::Deserialize;

use crate::config::ConfigError;

/// The table that holds the tables of tools.
pub(in crate::config) const TABLE: &str = "plugins";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Plugin {
    grant: Option<Grant>,
}

/// The grants in the table `value` of the file `path`.
pub(super) fn read(path: &Path, value: Value) -> Result<BTreeMap<Name, Grant>, ConfigError> {
    let bad = |name: &str, problem: String| ConfigError::Grant {
        file: path.display().to_string(),
        name: name.to_owned(),
        problem,
    };
    let tables = value
        .into_table()
        .map_err(|_| bad("NAME", "it is no table".to_owned()))?;
    let mut grants = BTreeMap::new();
    for (text, table) in tables {
        let name = Name::parse(&text).map_err(|error| bad(&text, error.to_string()))?;
        let plugin: Plugin = table
            .try_deserialize()
            .map_err(|error| bad(&text, error.to_string()))?;
        grants.extend(plugin.grant.map(|grant| (name, grant)));
    }
    Ok(grants)
}
