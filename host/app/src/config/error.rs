//! Settings that can't be used, each named with the way out. Values of secrets are in none of them.

/// A setting that can't be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// A value that is not one of those that are allowed.
    #[error("{place} is `{value}`: use {allowed}")]
    Value {
        /// Where it was set, as a person finds it.
        place: String,
        /// What it holds; three stars for a secret.
        value: String,
        /// What it may hold.
        allowed: String,
    },
    /// A variable that is there and holds nothing.
    #[error("{place} is empty: give it a value or unset it")]
    Empty {
        /// Where it was set.
        place: String,
    },
    /// A variable of Forge's that does not exist: whoever set it believes it works.
    #[error("there is no setting {place}: {way_out}")]
    UnknownVariable {
        /// The variable, and its file if it stands in one.
        place: String,
        /// The nearest name.
        way_out: String,
    },
    /// A key that does not exist.
    #[error("`{file}` sets `{key}`, which does not exist: {way_out}")]
    UnknownKey {
        /// The file, or the flag.
        file: String,
        /// The key with its table.
        key: String,
        /// The nearest key.
        way_out: String,
    },
    /// A file that is not written as it must be.
    #[error("`{file}` can't be read{position}: {problem}")]
    Syntax {
        /// The file.
        file: String,
        /// ` at line 3, column 7`, or nothing.
        position: String,
        /// What is wrong, without the text of the file: it may be a secret.
        problem: String,
    },
    /// A file of rules that can't be used. Nothing runs without the rules that its operator meant.
    #[error("the rules in `{file}` can't be used: {problem}")]
    Rules {
        /// The file.
        file: String,
        /// What is wrong, with the rule's name.
        problem: String,
    },
    /// A grant that can't be used.
    #[error("`[plugins.{name}.grant]` in `{file}` can't be used: {problem}")]
    Grant {
        /// The file.
        file: String,
        /// The tool.
        name: String,
        /// What is wrong.
        problem: String,
    },
    /// A file that can't be opened.
    #[error("`{file}` can't be read ({problem}): name a file that can, or take the name back")]
    Unreadable {
        /// The file.
        file: String,
        /// Why not.
        problem: String,
    },
    /// The file of a project wants more than the operator gave.
    #[error(
        "the project's file `{file}` sets `{key}` to {wants}: put it into `{user_file}` if you want it"
    )]
    Widens {
        /// The project's file.
        file: String,
        /// The key.
        key: &'static str,
        /// What it wants, what holds, and what the file of a project may do with this key.
        wants: String,
        /// The operator's file.
        user_file: String,
    },
    /// The scripted provider without its script.
    #[error("`FORGE_PROVIDER` is `scripted`, so `FORGE_SCRIPT` must name a file of JSON lines")]
    NoScript,
    /// An address that other machines reach, without a token.
    #[error(
        "`FORGE_LISTEN` is `{listen}`, which other machines reach: set `API_TOKEN`, or `API_ALLOW_UNAUTHENTICATED=true` if everyone there may use Forge"
    )]
    OpenListen {
        /// The address.
        listen: String,
    },
    /// A workspace that can't be used.
    #[error("the workspace `{path}` can't be used ({problem}): create it or set `WORKSPACE_DIR`")]
    Workspace {
        /// The folder.
        path: String,
        /// Why not.
        problem: String,
    },
    /// Something of Forge's own where tools could reach it.
    #[error(
        "{what} `{path}` lies inside the workspace `{workspace}`, where tools could change it: set `{variable}` to a place outside, or `WORKSPACE_DIR` (or `--workspace`) to a narrower folder"
    )]
    InsideWorkspace {
        /// What lies there.
        what: String,
        /// Where it lies.
        path: String,
        /// The workspace.
        workspace: String,
        /// The variable that moves it.
        variable: String,
    },
    /// No place for data.
    #[error("the home folder is unknown: set `FORGE_DATA_DIR` and `FORGE_CACHE_DIR`")]
    NoHome,
    /// No folder to start from.
    #[error("the current folder is gone: change into one that exists")]
    NoCurrentFolder,
}
