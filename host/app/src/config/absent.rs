//! Variables of Forge's first version that have no effect in this one, and why.
//!
//! Whoever brings their old environment is told, where they changed something that does not work here.

use super::kind;

/// A variable without effect.
#[derive(Debug, Clone, Copy)]
pub struct Absent {
    /// Its name.
    pub variable: &'static str,
    /// What it was while nobody set it: this needs no report.
    pub default: &'static str,
    /// Why it has no effect, and what to use instead.
    pub reason: &'static str,
}

const MODEL: &str = "llama-server answers with the model that it was started with";
const OLLAMA: &str = "this version speaks to llama-server only: set `LLAMA_CPP_URL`";
const STORE: &str = "everything is kept in the data folder: set `FORGE_DATA_DIR`";
const SHELL: &str = "this version has no `shell` tool";
const TEST: &str = "this version has no `test` tool";
const COMPACTION: &str =
    "this version does not compact conversations: `MEMORY_MAX_HISTORY` bounds what a prompt sees";
const JOBS: &str = "this version has no jobs";
const RATE: &str = "this version has no rate limit: put a proxy before it if it serves others";
const RECALL: &str = "this version has no `recall` tool and no embeddings";
const SYSADMIN: &str = "this version has no `sysadmin` tool";
const PAIRING: &str = "this version pairs no phones: set `API_TOKEN` and give it to the client";

/// All of them.
pub const ABSENT: &[Absent] = &[
    absent("LLM_MODEL", "default", MODEL),
    absent("OLLAMA_URL", "http://127.0.0.1:11434/api/generate", OLLAMA),
    absent(
        "OPENROUTER_URL",
        "https://openrouter.ai/api/v1/chat/completions",
        OLLAMA,
    ),
    absent("OPENROUTER_API_KEY", "", OLLAMA),
    absent(
        "CAPABILITY_PROVIDER",
        "",
        "this version asks one model for everything",
    ),
    absent(
        "LLAMA_CPP_APPLY_TEMPLATE",
        "false",
        "prompts are sent as they are written",
    ),
    absent(
        "ALLOW_MUTATION_AFTER_EXTERNAL_DATA",
        "false",
        "this version has no switch for it",
    ),
    absent("SHELL_TIMEOUT", "30", SHELL),
    absent("SHELL_ALLOWED_COMMANDS", "ls,cat,head,tail,wc,grep", SHELL),
    absent("TEST_TIMEOUT", "60", TEST),
    absent("TEST_ALLOWED_COMMANDS", "pytest,ruff", TEST),
    absent("MEMORY_FILE", "data/memory.json", STORE),
    absent("RAG_DB_FILE", "data/forge_rag.db", STORE),
    absent("JOBS_FILE", "data/jobs.json", STORE),
    absent("COMPACTION_ENABLED", "true", COMPACTION),
    absent("COMPACTION_THRESHOLD", "80", COMPACTION),
    absent("COMPACTION_TOKEN_THRESHOLD", "6000", COMPACTION),
    absent("COMPACTION_TOKEN_TARGET", "3000", COMPACTION),
    absent("COMPACTION_KEEP_RECENT", "20", COMPACTION),
    absent("COMPACTION_STRATEGY", "rag_pointer", COMPACTION),
    absent("COMPACTION_AGGREGATE", "false", COMPACTION),
    absent("COMPACTION_AGGREGATE_MAX_DF", "0.2", COMPACTION),
    absent("COMPACTION_AGGREGATE_MIN_SOURCES", "2", COMPACTION),
    absent("JOB_TIMEOUT", "1800", JOBS),
    absent("DELEGATE_EXECUTOR", "handoff", JOBS),
    absent("DELEGATE_DRAFT", "false", JOBS),
    absent("DELEGATE_ECHO_SECONDS", "0", JOBS),
    absent(
        "API_DOCS_ENABLED",
        "false",
        "`forge serve` serves no pages on its interface",
    ),
    absent("RATE_LIMIT_ENABLED", "true", RATE),
    absent("RATE_LIMIT_REQUESTS", "30", RATE),
    absent("RATE_LIMIT_WINDOW_SECONDS", "60", RATE),
    absent("EMBEDDING_URL", "http://127.0.0.1:8082/embedding", RECALL),
    absent("EMBEDDING_DIM", "1024", RECALL),
    absent("EMBEDDING_TIMEOUT", "30", RECALL),
    absent("EMBEDDING_MAX_CHARS", "1500", RECALL),
    absent("EMBEDDING_MAX_CHUNKS", "16", RECALL),
    absent("EMBEDDING_QUERY_INSTRUCT", "", RECALL),
    absent("MEMORY_RECALL_MAX_CHARS", "500", RECALL),
    absent("RECALL_MAX_ANSWER_CHARS", "800", RECALL),
    absent("RECALL_MAX_DISTANCE", "", RECALL),
    absent("RECALL_EXPANSION", "off", RECALL),
    absent("RECALL_LEXICAL", "false", RECALL),
    absent("RECALL_LEXICAL_TOP_K", "3", RECALL),
    absent("RECALL_LEXICAL_MAX_DF", "0.2", RECALL),
    absent("RECALL_LEXICAL_EXCLUDE_ARCHIVED", "true", RECALL),
    absent("RECALL_HOT_FACTS", "false", RECALL),
    absent("RECALL_HOT_MAX_TOKENS", "1000", RECALL),
    absent(
        "RECALL_ENFORCE_LANGUAGE",
        "true",
        "it is the old name of `ENFORCE_ANSWER_LANGUAGE`, and this version enforces no language",
    ),
    absent(
        "ENFORCE_ANSWER_LANGUAGE",
        "true",
        "this version enforces no language",
    ),
    absent(
        "RESEARCH_FETCH_TOP_N",
        "3",
        "this version has no `research` tool",
    ),
    absent(
        "RESEARCH_FETCH_CHARS_PER_RESULT",
        "1500",
        "this version has no `research` tool",
    ),
    absent("SYSADMIN_DISCOVERY_TIMEOUT", "10", SYSADMIN),
    absent("SYSADMIN_COLLECT_TIMEOUT", "15", SYSADMIN),
    absent("SYSADMIN_MAX_LOG_LINES", "40", SYSADMIN),
    absent("SYSADMIN_LOG_CHARS_BUDGET", "2000", SYSADMIN),
    absent("SYSADMIN_JOURNAL_DIR", "", SYSADMIN),
    absent("SYSADMIN_DBUS_ADDRESS", "", SYSADMIN),
    absent("SYSADMIN_PODMAN_URL", "", SYSADMIN),
    absent("SYSADMIN_USE_HARNAIS", "true", SYSADMIN),
    absent("SYSADMIN_CONTEXT_BUDGET_TOKENS", "1400", SYSADMIN),
    absent("FORGE_PUBLIC_URL", "", PAIRING),
    absent("PAIRING_TTL_SECONDS", "300", PAIRING),
];

const fn absent(variable: &'static str, default: &'static str, reason: &'static str) -> Absent {
    Absent {
        variable,
        default,
        reason,
    }
}

/// Whether `variable` is one of them.
pub(super) fn is_known(variable: &str) -> bool {
    ABSENT.iter().any(|absent| absent.variable == variable)
}

/// What to tell whoever set `variable` to `value`; `None` where there is nothing to tell.
pub(super) fn report(variable: &str, value: &str, place: &str) -> Option<String> {
    let absent = ABSENT.iter().find(|absent| absent.variable == variable)?;
    let value = value.trim();
    let default = absent.default;
    let is_default = match default {
        "true" | "false" => kind::switch(value).is_some_and(|is_on| is_on == (default == "true")),
        _ => value == default,
    };
    let is_told = !value.is_empty() && !is_default;
    is_told.then(|| format!("{place} has no effect: {}", absent.reason))
}
