//! The operator's file of rules, read and tried. Not here: what rules do.

use std::path::{Path, PathBuf};

use forge_core::policy::{Rule, RuleText, check_together};
use serde::Deserialize;

use super::layers::Layers;
use super::{ConfigError, Environment, files};

/// The name of the file in Forge's folder of settings.
const FILE: &str = "rules.toml";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Rules {
    #[serde(default)]
    rule: Vec<RuleText>,
}

/// The file of rules: the one that is named, else the one in the folder of settings.
pub(super) fn file(settled: &Layers, environment: &Environment) -> Option<PathBuf> {
    let named = settled.path("policy.rules_file");
    named.or_else(|| Some(environment.settings_dir()?.join(FILE)))
}

/// The rules that hold.
pub(super) fn read(settled: &Layers, environment: &Environment) -> Result<Vec<Rule>, ConfigError> {
    let Some(path) = file(settled, environment) else {
        return Ok(Vec::new());
    };
    match files::text(&path)? {
        Some(text) => rules(&path, &text),
        None if settled.is_set("policy.rules_file") => Err(ConfigError::Unreadable {
            file: path.display().to_string(),
            problem: "it does not exist".to_owned(),
        }),
        None => Ok(Vec::new()),
    }
}

fn rules(path: &Path, text: &str) -> Result<Vec<Rule>, ConfigError> {
    let bad = |problem: String| ConfigError::Rules {
        file: path.display().to_string(),
        problem,
    };
    let Rules { rule: texts } = toml::from_str(text)
        .map_err(|error| bad(error.to_string().trim().replace('\n', "\n  ")))?;
    let rules = texts.into_iter().map(Rule::new);
    let rules: Vec<Rule> = rules
        .collect::<Result<_, _>>()
        .map_err(|error| bad(error.to_string()))?;
    check_together(&rules).map_err(|error| bad(error.to_string()))?;
    Ok(rules)
}
