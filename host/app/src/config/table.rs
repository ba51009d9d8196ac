//! Every setting there is: its names, what it may hold, what holds without it, and how far the file of a
//! project may go. Parsing, `forge config`, the file of `forge init`, the help and `.env.example` come
//! from here.
//!
//! Not here: names of other versions that have no effect in this one (`absent`).

use super::kind::Kind;

/// One setting.
#[derive(Debug, Clone, Copy)]
pub struct Setting {
    /// Its key in a file, with its table: `llama_cpp.url`.
    pub key: &'static str,
    /// Its environment variable.
    pub variable: &'static str,
    /// What it may hold.
    pub kind: Kind,
    /// What holds while nobody sets it.
    pub fallback: Fallback,
    /// How the file of a project may change it.
    pub narrowing: Narrowing,
    /// What it does, in one line.
    pub doc: &'static str,
}

/// What holds while nobody sets a setting.
#[derive(Debug, Clone, Copy)]
pub enum Fallback {
    /// This value, as in a variable.
    Value(&'static str),
    /// What is told here: it depends on the machine, or on the kind of run.
    Told(&'static str),
}

/// How the file of a project, which may be a stranger's, may change a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Narrowing {
    /// Not at all.
    Never,
    /// To `false`.
    OnlyFalse,
    /// To a lower number. Where none is set, 1 counts as what holds.
    OnlyLower,
    /// To fewer of the names that hold.
    Subset,
    /// To a folder inside the one that holds.
    FolderInside,
    /// To this one choice.
    Only(&'static str),
}

use Fallback::{Told, Value};
use Narrowing::{FolderInside, Never, Only, OnlyFalse, OnlyLower, Subset};

/// All settings; those without a table come first, as TOML wants it.
pub const SETTINGS: &[Setting] = &[
    setting(
        "provider",
        "FORGE_PROVIDER",
        PROVIDER,
        Value("llama_cpp"),
        Never,
        "the model's kind: `llama_cpp`, or `scripted` for tests and demonstrations",
    ),
    setting(
        "workspace",
        "WORKSPACE_DIR",
        Kind::Path,
        Told("the current folder"),
        FolderInside,
        "the folder that tools work in",
    ),
    setting(
        "enabled_tools",
        "ENABLED_TOOLS",
        Kind::Names,
        Value("chat,code,files"),
        Subset,
        "the tools that are offered",
    ),
    setting(
        "max_steps",
        "MAX_STEPS",
        Kind::Number {
            least: 1,
            most: 100,
        },
        Told("1, with --agent 8"),
        OnlyLower,
        "the most steps of a turn",
    ),
    setting(
        "mode",
        "FORGE_MODE",
        MODE,
        Value("full"),
        Only("read-only"),
        "how far runs may go: `full`, or `read-only` to change nothing",
    ),
    setting(
        "inline_output_bytes",
        "FORGE_INLINE_OUTPUT_BYTES",
        Kind::Number {
            least: 1024,
            most: 1 << 20,
        },
        Value("65536"),
        OnlyLower,
        "the longest output of a tool that the model is given whole, in bytes",
    ),
    setting(
        "data_dir",
        "FORGE_DATA_DIR",
        Kind::Path,
        Told("`forge` in the user's data folder"),
        Never,
        "Forge's own data; never inside the workspace",
    ),
    setting(
        "cache_dir",
        "FORGE_CACHE_DIR",
        Kind::Path,
        Told("`forge` in the user's cache folder"),
        Never,
        "compiled tools; never inside the workspace",
    ),
    setting(
        "plugins_dir",
        "FORGE_PLUGINS_DIR",
        Kind::Path,
        Told("`plugins` in the data folder"),
        Never,
        "further tools; never inside the workspace",
    ),
    setting(
        "llama_cpp.url",
        "LLAMA_CPP_URL",
        Kind::Url,
        Value("http://127.0.0.1:8080"),
        Never,
        "where llama-server listens",
    ),
    setting(
        "llama_cpp.timeout",
        "LLAMA_CPP_TIMEOUT",
        SECONDS,
        Value("120"),
        OnlyLower,
        "the longest answer, in seconds",
    ),
    setting(
        "llama_cpp.idle_timeout",
        "LLAMA_CPP_IDLE_TIMEOUT",
        SECONDS,
        Value("30"),
        OnlyLower,
        "the longest silence within an answer, in seconds",
    ),
    setting(
        "llama_cpp.n_predict",
        "LLAMA_CPP_N_PREDICT",
        Kind::Number {
            least: 1,
            most: 1_000_000,
        },
        Value("512"),
        OnlyLower,
        "the most tokens of an answer",
    ),
    setting(
        "llama_cpp.use_grammar",
        "LLAMA_CPP_USE_GRAMMAR",
        Kind::Switch,
        Value("true"),
        Never,
        "hold the model to the form of a decision",
    ),
    setting(
        "llama_cpp.id_slot",
        "LLAMA_CPP_ID_SLOT",
        Kind::Number {
            least: -1,
            most: 1_000,
        },
        Value("0"),
        Never,
        "the server's slot, -1 for any",
    ),
    setting(
        "llama_cpp.cache_prompt",
        "LLAMA_CPP_CACHE_PROMPT",
        Kind::Switch,
        Value("true"),
        Never,
        "let the server reuse what it has read",
    ),
    setting(
        "scripted.script",
        "FORGE_SCRIPT",
        Kind::Path,
        Told("none"),
        Never,
        "the answers of the scripted model, one JSON value per line",
    ),
    setting(
        "policy.allow_network",
        "POLICY_ALLOW_NETWORK",
        Kind::Switch,
        Value("true"),
        OnlyFalse,
        "`false` denies every tool to send requests",
    ),
    setting(
        "policy.allow_workspace_writes",
        "POLICY_ALLOW_WORKSPACE_WRITES",
        Kind::Switch,
        Value("true"),
        OnlyFalse,
        "`false` denies every tool to change files",
    ),
    setting(
        "policy.allow_subprocess",
        "POLICY_ALLOW_SUBPROCESS",
        Kind::Switch,
        Value("true"),
        OnlyFalse,
        "`false` denies every tool to run programs",
    ),
    setting(
        "policy.allow_llm",
        "POLICY_ALLOW_LLM",
        Kind::Switch,
        Value("true"),
        OnlyFalse,
        "`false` denies every tool to ask the model",
    ),
    setting(
        "memory.enabled",
        "MEMORY_ENABLED",
        Kind::Switch,
        Value("true"),
        OnlyFalse,
        "remember conversations",
    ),
    setting(
        "memory.max_history",
        "MEMORY_MAX_HISTORY",
        Kind::Number {
            least: 2,
            most: 10_000,
        },
        Value("100"),
        OnlyLower,
        "the most messages of a conversation that a prompt sees",
    ),
    setting(
        "memory.slack",
        "MEMORY_HARD_CAP_SLACK",
        Kind::Number {
            least: 0,
            most: 10_000,
        },
        Value("20"),
        Never,
        "how many messages are left out at once when there are more",
    ),
    setting(
        "trace.enabled",
        "TRACE_ENABLED",
        Kind::Switch,
        Value("true"),
        Never,
        "keep a record of each run",
    ),
    setting(
        "trace.file",
        "TRACE_FILE",
        Kind::Path,
        Told("`traces.jsonl` in the data folder"),
        Never,
        "where the records are kept; never inside the workspace",
    ),
    setting(
        "server.listen",
        "FORGE_LISTEN",
        Kind::Address,
        Value("127.0.0.1:8765"),
        Never,
        "where `forge serve` listens",
    ),
    setting(
        "server.api_token",
        "API_TOKEN",
        Kind::Secret,
        Told("none"),
        Never,
        "the token that a request to `forge serve` must carry",
    ),
    setting(
        "server.allow_unauthenticated",
        "API_ALLOW_UNAUTHENTICATED",
        Kind::Switch,
        Value("false"),
        OnlyFalse,
        "let other machines in without a token",
    ),
    setting(
        "server.max_body_bytes",
        "FORGE_MAX_BODY_BYTES",
        Kind::Number {
            least: 1024,
            most: 64 << 20,
        },
        Value("1048576"),
        OnlyLower,
        "the longest request that `forge serve` reads, in bytes",
    ),
    setting(
        "log.debug",
        "SHOW_DEBUG",
        Kind::Switch,
        Value("false"),
        Never,
        "log details",
    ),
    setting(
        "log.json",
        "FORGE_LOG_JSON",
        Kind::Switch,
        Value("false"),
        Never,
        "log lines of JSON",
    ),
];

const PROVIDER: Kind = Kind::Choice {
    allowed: &["llama_cpp", "scripted"],
    absent: &["ollama", "openrouter"],
};

const MODE: Kind = Kind::Choice {
    allowed: &["full", "read-only"],
    absent: &[],
};

/// A day at the most.
const SECONDS: Kind = Kind::Number {
    least: 1,
    most: 86_400,
};

const fn setting(
    key: &'static str,
    variable: &'static str,
    kind: Kind,
    fallback: Fallback,
    narrowing: Narrowing,
    doc: &'static str,
) -> Setting {
    Setting {
        key,
        variable,
        kind,
        fallback,
        narrowing,
        doc,
    }
}

impl Setting {
    /// The setting with this key.
    #[must_use]
    pub fn of_key(key: &str) -> Option<&'static Self> {
        SETTINGS.iter().find(|setting| setting.key == key)
    }

    /// The setting with this variable.
    #[must_use]
    pub fn of_variable(variable: &str) -> Option<&'static Self> {
        SETTINGS.iter().find(|setting| setting.variable == variable)
    }

    /// What holds without it, for people.
    #[must_use]
    pub fn fallback_shown(&self) -> &'static str {
        match self.fallback {
            Value(text) | Told(text) => text,
        }
    }
}
