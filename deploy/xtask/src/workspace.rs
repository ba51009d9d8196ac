//! The workspace as cargo describes it: folders, packages, and which of them are components.

use std::path::PathBuf;

use anyhow::{Context as _, Result};
use cargo_metadata::{MetadataCommand, Package, TargetKind};

/// Where things are.
pub(crate) struct Workspace {
    /// The folder of the workspace's `Cargo.toml`.
    pub(crate) root: PathBuf,
    /// Cargo's target folder, wherever the person put it.
    pub(crate) target: PathBuf,
    /// The tools that ship, from `plugins/`.
    pub(crate) plugins: Vec<Component>,
    /// The components that misbehave, from `tests/guests/`.
    pub(crate) guests: Vec<Component>,
}

/// A package that is built for the sandbox.
#[derive(Debug, PartialEq)]
pub(crate) struct Component {
    /// Cargo's name: `forge-web-fetch`.
    pub(crate) package: String,
    /// The file that cargo makes: `forge_web_fetch.wasm`.
    pub(crate) artifact: String,
    /// The file that Forge looks for: `web_fetch.wasm`.
    pub(crate) file: String,
}

impl Workspace {
    /// Asks cargo.
    pub(crate) fn load() -> Result<Self> {
        let metadata = MetadataCommand::new()
            .no_deps()
            .exec()
            .context("`cargo metadata` did not describe the workspace")?;
        let root = metadata.workspace_root.into_std_path_buf();
        let components = |folder: &str, prefix: &str| {
            let folder = root.join(folder);
            let inside = |package: &&Package| package.manifest_path.starts_with(&folder);
            let packages = metadata.packages.iter().filter(inside);
            packages
                .filter_map(|package| component(package, prefix))
                .collect()
        };
        Ok(Self {
            plugins: components("plugins", "forge-"),
            guests: components("tests/guests", "guest-"),
            target: metadata.target_directory.into_std_path_buf(),
            root,
        })
    }

    /// Where the app's build script finds the tools, whatever cargo's target folder is.
    pub(crate) fn plugins_folder(&self) -> PathBuf {
        self.root.join("target/plugins")
    }

    /// Where the tests find the misbehaving components.
    pub(crate) fn guests_folder(&self) -> PathBuf {
        self.root.join("target/guests")
    }
}

/// The component that `package` is, if it makes one.
fn component(package: &Package, prefix: &str) -> Option<Component> {
    let library = package
        .targets
        .iter()
        .find(|target| target.kind.contains(&TargetKind::CDyLib))?;
    Some(Component {
        package: package.name.to_string(),
        artifact: format!("{}.wasm", library.name.replace('-', "_")),
        file: file_name(&package.name, prefix),
    })
}

fn file_name(package: &str, prefix: &str) -> String {
    let name = package.strip_prefix(prefix).unwrap_or(package);
    format!("{}.wasm", name.replace('-', "_"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_is_named_after_the_capability() {
        let cases = [
            ("forge-files", "forge-", "files.wasm"),
            ("forge-web-fetch", "forge-", "web_fetch.wasm"),
            ("guest-memory-bomb", "guest-", "memory_bomb.wasm"),
            ("guest-memory_bomb", "guest-", "memory_bomb.wasm"),
        ];
        for (package, prefix, file) in cases {
            assert_eq!(file_name(package, prefix), file);
        }
    }

    #[test]
    fn components_of_this_workspace_are_found() {
        let workspace = Workspace::load().unwrap();
        let files = |components: &[Component]| {
            components
                .iter()
                .map(|component| component.file.clone())
                .collect::<Vec<_>>()
        };
        assert!(files(&workspace.plugins).contains(&"files.wasm".to_owned()));
        assert!(files(&workspace.guests).contains(&"spin.wasm".to_owned()));
    }
}
