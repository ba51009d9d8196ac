//! Settings that can be used, and those that can't. What files may set is in `tests/files.rs`.

mod files;

use std::fs;
use std::path::Path;

use forge_runtime::Proxy;

use super::*;

/// A machine with a workspace, a home folder and nothing set.
struct Machine {
    folder: tempfile::TempDir,
}

impl Machine {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("work")).unwrap();
        fs::create_dir(folder.path().join("home")).unwrap();
        Self { folder }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap()
    }

    /// Reads the configuration with `variables` set, started in `work`. `ROOT` in a value or a message
    /// stands for the machine's folder.
    fn read(&self, variables: &[(&str, &str)]) -> Result<Config, String> {
        let root = self.path();
        let shown = root.display().to_string();
        let environment = Environment {
            variables: variables
                .iter()
                .map(|(name, value)| ((*name).into(), value.replace("ROOT", &shown).into()))
                .collect(),
            current_dir: root.join("work"),
            home_dir: Some(root.join("home")),
            user_config_dir: Some(root.join("home/.config")),
            user_data_dir: Some(root.join("home/.local/share")),
            user_cache_dir: Some(root.join("home/.cache")),
        };
        Config::read(&environment, &Overrides::default())
            .map_err(|error| error.to_string().replace(&shown, "ROOT"))
    }
}

fn read(variables: &[(&str, &str)]) -> Result<Config, String> {
    Machine::new().read(variables)
}

fn llama_of(config: &Config) -> &llama::Settings {
    match &config.provider {
        ProviderConfig::LlamaCpp(settings) => settings,
        ProviderConfig::Scripted { .. } => panic!("scripted"),
    }
}

#[test]
fn nothing_set_is_a_local_llama_in_the_current_folder() {
    let machine = Machine::new();
    let config = machine.read(&[]).unwrap();
    let root = machine.path();
    assert_eq!(
        llama_of(&config),
        &llama::Settings {
            url: "http://127.0.0.1:8080".to_owned(),
            timeout: Duration::from_secs(120),
            idle_timeout: Duration::from_secs(30),
            n_predict: 512,
            use_grammar: true,
            id_slot: 0,
            cache_prompt: true,
        }
    );
    let names: Vec<&str> = config
        .enabled_tools
        .names
        .iter()
        .map(Name::as_str)
        .collect();
    assert_eq!(names, ["chat", "code", "files"]);
    assert_eq!(config.max_steps, None);
    assert_eq!(config.workspace, root.join("work"));
    assert_eq!(config.cache_dir, root.join("home/.cache/forge"));
    assert_eq!(
        config.trace_file.as_deref(),
        Some(root.join("home/.local/share/forge/traces.jsonl").as_path())
    );
    assert!(config.allow.network && config.allow.llm && !config.log.debug);
    assert_eq!(config.web, Web::default());
}

#[test]
fn what_is_set_holds() {
    let config = read(&[
        ("LLAMA_CPP_URL", " http://box:9000/base/ "),
        ("LLAMA_CPP_TIMEOUT", "7"),
        ("LLAMA_CPP_N_PREDICT", "64"),
        ("LLAMA_CPP_USE_GRAMMAR", "No"),
        ("LLAMA_CPP_ID_SLOT", "-1"),
        ("LLAMA_CPP_CACHE_PROMPT", "0"),
        ("MAX_STEPS", "5"),
        ("ENABLED_TOOLS", " files, chat ,,files"),
        ("TRACE_ENABLED", "off"),
        ("POLICY_ALLOW_NETWORK", "false"),
        ("SHOW_DEBUG", "YES"),
        (
            "FORGE_PRIVATE_ORIGINS",
            "http://nas.lan:8080, http://nas.lan:8080",
        ),
        ("FORGE_PROXY", "http://proxy.lan:3128"),
        ("WEB_FETCH_ALLOWED_DOMAINS", "Docs.rs,x.com"),
        ("SEARXNG_URL", "https://search.lan/"),
    ])
    .unwrap();
    let llama = llama_of(&config);
    assert_eq!(llama.url, "http://box:9000/base");
    assert_eq!(
        (llama.timeout.as_secs(), llama.n_predict, llama.id_slot),
        (7, 64, -1)
    );
    assert!(!llama.use_grammar && !llama.cache_prompt);
    assert_eq!(config.max_steps, Some(5));
    let names: Vec<&str> = config
        .enabled_tools
        .names
        .iter()
        .map(Name::as_str)
        .collect();
    assert_eq!(names, ["files", "chat"]);
    assert!(config.enabled_tools.is_chosen && config.log.debug);
    assert_eq!(config.trace_file, None);
    assert!(!config.allow.network && config.allow.subprocess);
    let origins = config.web.private_origins.iter().map(ToString::to_string);
    assert!(origins.eq(["http://nas.lan:8080"]));
    assert_eq!(
        config.web.proxy,
        Proxy::At("http://proxy.lan:3128".to_owned())
    );
    assert_eq!(config.web.fetch.allowed_domains, ["docs.rs", "x.com"]);
    assert_eq!(config.web.search.url, "https://search.lan");
}

#[test]
fn a_bad_value_is_named_with_what_is_allowed() {
    let check = |variable: &str, value: &str, message: &str| {
        assert_eq!(read(&[(variable, value)]).unwrap_err(), message);
    };
    let switch = "use `true` or `false` (or `1`/`0`, `yes`/`no`, `on`/`off`)";
    check(
        "POLICY_ALLOW_NETWORK",
        "flase",
        &format!("`POLICY_ALLOW_NETWORK` is `flase`: {switch}"),
    );
    check("SHOW_DEBUG", "2", &format!("`SHOW_DEBUG` is `2`: {switch}"));
    check(
        "SHOW_DEBUG",
        " ",
        "`SHOW_DEBUG` is empty: give it a value or unset it",
    );
    check(
        "POLICY_ALLOW_NETWROK",
        "false",
        "there is no setting `POLICY_ALLOW_NETWROK`: did you mean `POLICY_ALLOW_NETWORK`?",
    );
    check(
        "MAX_STEPS",
        "0",
        "`MAX_STEPS` is `0`: use a whole number from 1 to 100",
    );
    check(
        "MAX_STEPS",
        "two",
        "`MAX_STEPS` is `two`: use a whole number from 1 to 100",
    );
    check(
        "FORGE_PROVIDER",
        "ollama",
        "`FORGE_PROVIDER` is `ollama`: use `llama_cpp` or `scripted`; this version does not have `ollama`",
    );
    check(
        "FORGE_PROVIDER",
        "gpt",
        "`FORGE_PROVIDER` is `gpt`: use `llama_cpp` or `scripted`",
    );
    check(
        "FORGE_PROVIDER",
        "scripted",
        "`FORGE_PROVIDER` is `scripted`, so `FORGE_SCRIPT` must name a file of JSON lines",
    );
    for url in [
        "box:9000",
        "https://box",
        "http://",
        "http://u:p@box",
        "http://box/?a=b",
    ] {
        let error = read(&[("LLAMA_CPP_URL", url)]).unwrap_err();
        assert!(
            error.starts_with(&format!("`LLAMA_CPP_URL` is `{url}`: use the server's")),
            "{error}"
        );
    }
    check(
        "ENABLED_TOOLS",
        "chat,Files",
        "`ENABLED_TOOLS` is `chat,Files`: use names of capabilities with commas between, as in `chat,code,files`",
    );
    check(
        "WORKSPACE_DIR",
        "nowhere",
        "the workspace `ROOT/work/nowhere` can't be used (No such file or directory (os error 2)): create it or set \
         `WORKSPACE_DIR`",
    );
}

/// With `variables` set, the reading fails because `what` lies inside the workspace.
fn check_inside(machine: &Machine, variables: &[(&str, &str)], what: &str, path: &str) {
    let error = machine.read(variables).unwrap_err();
    let expected = format!("{what} `{path}` lies inside the workspace ");
    assert!(error.starts_with(&expected), "{error}");
}

#[test]
fn nothing_of_forges_own_lies_inside_the_workspace() {
    let machine = Machine::new();
    check_inside(
        &machine,
        &[("WORKSPACE_DIR", "ROOT/home")],
        "the data folder",
        "ROOT/home/.local/share/forge",
    );
    check_inside(
        &machine,
        &[("FORGE_DATA_DIR", ".")],
        "the data folder",
        "ROOT/work",
    );
    check_inside(
        &machine,
        &[("FORGE_DATA_DIR", "ROOT/home/new/../../work/data")],
        "the data folder",
        "ROOT/work/data",
    );
    check_inside(
        &machine,
        &[("FORGE_CACHE_DIR", "cache/deep")],
        "the cache folder",
        "ROOT/work/cache/deep",
    );
    check_inside(
        &machine,
        &[("TRACE_FILE", "traces.jsonl")],
        "the file of traces",
        "ROOT/work/traces.jsonl",
    );
    let untraced = [("TRACE_FILE", "traces.jsonl"), ("TRACE_ENABLED", "false")];
    assert_eq!(machine.read(&untraced).unwrap().trace_file, None);
}

#[cfg(unix)]
#[test]
fn a_link_does_not_hide_where_data_lies() {
    let machine = Machine::new();
    std::os::unix::fs::symlink(machine.path().join("work"), machine.path().join("link")).unwrap();
    check_inside(
        &machine,
        &[("FORGE_DATA_DIR", "ROOT/link/data")],
        "the data folder",
        "ROOT/work/data",
    );
    check_inside(
        &machine,
        &[
            ("WORKSPACE_DIR", "ROOT/link"),
            ("FORGE_DATA_DIR", "ROOT/work/data"),
        ],
        "the data folder",
        "ROOT/work/data",
    );
}

#[test]
fn a_workspace_may_lie_inside_the_data_folder_and_beside_it() {
    let machine = Machine::new();
    for data in ["ROOT", "ROOT/work2", "ROOT/workshop/data"] {
        let config = machine.read(&[("FORGE_DATA_DIR", data)]).unwrap();
        assert_eq!(config.workspace, machine.path().join("work"));
    }
}

#[test]
fn an_invocation_goes_over_the_environment() {
    let machine = Machine::new();
    let environment = Environment {
        variables: [("WORKSPACE_DIR".into(), "nowhere".into())].into(),
        current_dir: machine.path(),
        home_dir: None,
        user_config_dir: None,
        user_data_dir: Some(machine.path().join("home")),
        user_cache_dir: Some(machine.path().join("home")),
    };
    let overrides = Overrides {
        workspace: Some(Path::new("work").to_path_buf()),
        max_steps: Some(3),
        mode: Mode::ReadOnly,
        ..Overrides::default()
    };
    let config = Config::read(&environment, &overrides).unwrap();
    assert_eq!(config.workspace, machine.path().join("work"));
    assert_eq!(config.max_steps, Some(3));
    assert_eq!(config.mode, Mode::ReadOnly);
}
