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
    /// A setting that does not exist: whoever set it believes it works.
    #[error("there is no setting {place}: {way_out}")]
    Unknown {
        /// Its name and where it was set.
        place: String,
        /// The nearest name.
        way_out: String,
    },
    /// `--set` without its form.
    #[error("`--set {text}` has no value: write `--set KEY=VALUE`, as in `--set max_steps=3`")]
    NoAssignment {
        /// What was written.
        text: String,
    },
    /// A file that can't be used.
    #[error("`{file}` can't be used ({problem}): {way_out}")]
    File {
        /// The file.
        file: String,
        /// Why not, with line and column where they are known, and without its text: it may hold secrets.
        problem: String,
        /// What to do.
        way_out: String,
    },
    /// The file of a project wants more than the operator gave.
    #[error(
        "`{key}` in `{file}` is `{wanted}`: `{holds}` holds, a project's file may only narrow that {rule}; put it into `{user_file}` if you want it"
    )]
    Widens {
        /// The project's file.
        file: String,
        /// The key.
        key: String,
        /// What it wants.
        wanted: String,
        /// What the defaults and the operator's file say.
        holds: String,
        /// How far the file of a project may go with this key.
        rule: &'static str,
        /// The operator's file.
        user_file: String,
    },
    /// The scripted provider without its script.
    #[error("`FORGE_PROVIDER` is `scripted`, so `FORGE_SCRIPT` must name a file of JSON lines")]
    NoScript,
    /// An address that other machines reach, without a token.
    #[error(
        "`FORGE_LISTEN` is `{listen}`, which other machines reach: set `API_TOKEN`, or `API_ALLOW_UNAUTHENTICATED=true` if all of them may use Forge"
    )]
    Unauthenticated {
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
