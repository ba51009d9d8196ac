//! What files may set: the user's everything, a project's only what narrows.

use super::super::table::{Narrowing, SETTINGS, Setting};
use super::super::{ABSENT, template};
use super::*;

impl Machine {
    /// Writes a file of the machine.
    fn with(self, path: &str, text: &str) -> Self {
        let path = self.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self
    }
}

const USER: &str = "home/.config/forge/forge.toml";
const PROJECT: &str = "work/forge.toml";

/// A value that differs from the default in the way that gives more.
fn wider(setting: &Setting) -> &'static str {
    match setting.key {
        "provider" => "\"scripted\"",
        "workspace" => "\"..\"",
        "enabled_tools" => "[\"chat\", \"shell\"]",
        "max_steps" => "2",
        "inline_output_bytes" => "65537",
        "data_dir" | "cache_dir" | "plugins_dir" | "scripted.script" | "trace.file"
        | "policy.rules_file" => "\"/tmp/x\"",
        "llama_cpp.url" => "\"http://elsewhere\"",
        "llama_cpp.timeout" => "121",
        "llama_cpp.idle_timeout" => "31",
        "llama_cpp.n_predict" => "513",
        "llama_cpp.use_grammar" | "llama_cpp.cache_prompt" | "trace.enabled" => "false",
        "llama_cpp.id_slot" => "1",
        "network.private_origins" => "[\"http://127.0.0.1:9\"]",
        "network.proxy" => "\"http://elsewhere:3128\"",
        "web_fetch.timeout" => "16",
        "web_fetch.max_bytes" => "2097153",
        "web_fetch.allowed_domains" => "[\"x.com\"]",
        "web_search.url" => "\"http://elsewhere\"",
        "web_search.timeout" => "11",
        "web_search.max_results" => "6",
        "memory.max_history" => "101",
        "memory.slack" => "21",
        "server.listen" => "\"0.0.0.0:1\"",
        "server.api_token" => "\"hunter2\"",
        "server.allow_unauthenticated" | "log.debug" | "log.json" => "true",
        "server.max_body_bytes" => "1048577",
        // The default gives the most, so the user's file gives less first.
        "mode" => "\"full\"",
        _ => "true",
    }
}

/// What the user's file must say so that `wider` is more.
fn stricter(setting: &Setting) -> Option<&'static str> {
    match (setting.key, setting.narrowing) {
        ("mode", _) => Some("\"read-only\""),
        ("server.allow_unauthenticated", _) => None,
        (_, Narrowing::OnlyFalse) => Some("false"),
        _ => None,
    }
}

/// The line that sets `setting`, under its table.
fn line(setting: &Setting, value: &str) -> String {
    match setting.key.split_once('.') {
        Some((table, name)) => format!("[{table}]\n{name} = {value}\n"),
        None => format!("{} = {value}\n", setting.key),
    }
}

#[test]
fn no_setting_can_be_widened_by_a_project() {
    for setting in SETTINGS {
        let machine = Machine::new().with(PROJECT, &line(setting, wider(setting)));
        let machine = match stricter(setting) {
            Some(value) => machine.with(USER, &line(setting, value)),
            None => machine,
        };
        let error = machine.read(&[]).unwrap_err();
        let named = format!(
            "the project's file `ROOT/{PROJECT}` sets `{}` to ",
            setting.key
        );
        assert!(error.starts_with(&named), "{}: {error}", setting.key);
        assert!(
            error.contains("home/.config/forge/forge.toml` if you want it"),
            "{error}"
        );
        assert!(!error.contains("hunter2"), "{error}");
    }
}

#[test]
fn a_project_may_narrow_and_the_operator_goes_over_it() {
    let machine = Machine::new().with(
        PROJECT,
        "enabled_tools = [\"chat\"]\nmax_steps = 1\nmode = \"read-only\"\nworkspace = \"sub\"\n\
         [policy]\nallow_network = false\n[llama_cpp]\ntimeout = 9\n[memory]\nenabled = false\n",
    );
    fs::create_dir(machine.path().join("work/sub")).unwrap();
    let config = machine.read(&[]).unwrap();
    assert_eq!(config.enabled_tools.names.len(), 1);
    assert_eq!((config.max_steps, config.mode), (Some(1), Mode::ReadOnly));
    assert!(!config.allow.network && !config.memory.enabled && config.allow.llm);
    assert_eq!(config.workspace, machine.path().join("work/sub"));
    assert_eq!(llama_of(&config).timeout.as_secs(), 9);
    let over = machine.read(&[("MAX_STEPS", "4"), ("FORGE_MODE", "full")]);
    let over = over.unwrap();
    assert_eq!((over.max_steps, over.mode), (Some(4), Mode::Full));
}

#[cfg(unix)]
#[test]
fn a_link_leads_no_project_out_of_its_folder() {
    let machine = Machine::new().with(PROJECT, "workspace = \"out\"\n");
    std::os::unix::fs::symlink(machine.path().join("home"), machine.path().join("work/out"))
        .unwrap();
    let error = machine.read(&[]).unwrap_err();
    assert!(error.contains("sets `workspace` to"), "{error}");
}

#[test]
fn a_file_that_cant_be_used_is_named_with_the_key_and_the_way_out() {
    let check = |text: &str, expected: &str| {
        let error = Machine::new().with(USER, text).read(&[]).unwrap_err();
        assert!(error.contains(expected), "{error}\nlacks\n{expected}");
        assert!(error.contains(&format!("ROOT/{USER}")), "{error}");
        assert!(!error.contains("hunter2"), "{error}");
    };
    check(
        "max_stesp = 1",
        "sets `max_stesp`, which does not exist: did you mean `max_steps`?",
    );
    check(
        "[llama_cpp]\nurll = \"x\"",
        "`llama_cpp.urll`, which does not exist: did you mean `llama_cpp.url`?",
    );
    check(
        "[llama]\nn_predict = 1",
        "did you mean `llama_cpp.n_predict`?",
    );
    check("MAX_STEPS = 1", "did you mean `max_steps`?");
    check(
        "max_steps = \"two\"",
        "is `two`: use a whole number from 1 to 100",
    );
    check(
        "max_steps = 101",
        "is `101`: use a whole number from 1 to 100",
    );
    check(
        "policy.allow_llm = \"no\"",
        "is `no`: use `true` or `false`",
    );
    check(
        "enabled_tools = \"chat\"",
        "use a list of names of capabilities",
    );
    check(
        "server.api_token = 5",
        "is `***`: use a text that is not empty",
    );
    check("[server]\napi_token = \"hunter2", "line 2, column");
}

#[test]
fn paths_in_a_file_start_from_its_folder_and_know_the_home() {
    let machine = Machine::new().with(USER, "data_dir = \"~/data\"\ncache_dir = \"kept\"\n");
    let config = machine.read(&[]).unwrap();
    assert_eq!(config.data_dir, machine.path().join("home/data"));
    assert_eq!(config.plugins_dir, machine.path().join("home/data/plugins"));
    assert_eq!(
        config.cache_dir,
        machine.path().join("home/.config/forge/kept")
    );
}

#[test]
fn a_file_of_variables_in_the_current_folder_only_narrows() {
    let machine = Machine::new()
        .with(
            "work/.env",
            "MAX_STEPS=9\nMEMORY_ENABLED=false\nOTHER=1\nAPI_TOKEN=hunter2\n",
        )
        .with(
            "work/.env.local",
            "POLICY_ALLOW_LLM=off\nPOLICY_ALLOW_LMM=off\n",
        );
    let config = machine.read(&[]).unwrap();
    assert_eq!((config.max_steps, config.server.api_token), (None, None));
    assert!(!config.memory.enabled && !config.allow.llm);
    let warnings = config.warnings.join("\n");
    for told in [
        "`MAX_STEPS`",
        "`API_TOKEN`",
        "--env-file .env",
        "did you mean `POLICY_ALLOW_LLM`?",
    ] {
        assert!(warnings.contains(told), "{warnings}");
    }
    assert!(
        !warnings.contains("OTHER") && !warnings.contains("hunter2"),
        "{warnings}"
    );
    let over = machine.read(&[("MEMORY_ENABLED", "true")]).unwrap();
    assert!(over.memory.enabled);
    let broken = Machine::new().with("work/.env", "A=1\nB=\"hunter2\n");
    let error = broken.read(&[]).unwrap_err();
    assert!(
        error.starts_with("`ROOT/work/.env` can't be read at line 2"),
        "{error}"
    );
    assert!(!error.contains("hunter2"), "{error}");
}

#[test]
fn a_trusted_file_of_variables_counts_as_the_environment() {
    let trusted = Machine::new().with("home/.config/forge/.env", "MAX_STEPS=9\n");
    assert_eq!(trusted.read(&[]).unwrap().max_steps, Some(9));
    assert_eq!(
        trusted.read(&[("MAX_STEPS", "8")]).unwrap().max_steps,
        Some(8)
    );
}

#[test]
fn a_variable_without_effect_is_told_unless_it_is_at_its_default() {
    for absent in ABSENT {
        let warnings = |value: &str| read(&[(absent.variable, value)]).unwrap().warnings;
        assert_eq!(warnings(absent.default), Vec::<String>::new());
        let expected = format!("`{}` has no effect: {}", absent.variable, absent.reason);
        assert_eq!(warnings("changed"), [expected]);
    }
}

#[test]
fn a_server_that_others_reach_wants_a_token() {
    let open = ("FORGE_LISTEN", "0.0.0.0:80");
    let error = read(&[open, ("API_TOKEN", "")]).unwrap_err();
    assert!(
        error.contains("set `API_TOKEN`, or `API_ALLOW_UNAUTHENTICATED=true`"),
        "{error}"
    );
    assert!(read(&[open, ("API_ALLOW_UNAUTHENTICATED", "true")]).is_ok());
    let config = read(&[open, ("API_TOKEN", "hunter2")]).unwrap();
    assert_eq!(
        config.server.api_token.as_ref().map(Secret::expose),
        Some("hunter2")
    );
    assert!(!format!("{config:?}").contains("hunter2"));
}

#[test]
fn what_is_written_from_the_table_is_accepted() {
    let chosen = [("enabled_tools", template::list(["chat"].into_iter()))];
    let text = template::file(&chosen);
    let config = Machine::new().with(USER, &text).read(&[]).unwrap();
    assert_eq!(config.enabled_tools.names.len(), 1);
    // Commented in, every example but those of folders holds too.
    let all: String = text
        .lines()
        .map(|line| {
            line.strip_prefix("# ")
                .filter(|rest| rest.contains(" = "))
                .unwrap_or(line)
        })
        .filter(|line| !line.contains('…') && !line.starts_with("enabled_tools"))
        .map(|line| format!("{line}\n"))
        .collect();
    let config = Machine::new().with(USER, &all).read(&[]).unwrap();
    assert_eq!(llama_of(&config).n_predict, 512);
}

#[test]
fn the_example_of_variables_is_the_tables() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../.env.example");
    assert_eq!(fs::read_to_string(path).unwrap(), template::example());
}

#[test]
fn grants_are_the_operators() {
    let grants = "[plugins.files.grant]\nworkspace = \"read\"\npaths = [\"docs/**\"]\n";
    let config = Machine::new().with(USER, grants).read(&[]).unwrap();
    let granted = serde_json::to_string(config.grants.values().next().unwrap()).unwrap();
    assert_eq!(granted, r#"{"workspace":"read","paths":["docs/**"]}"#);
    let check = |name: &str, text: &str, expected: &str| {
        let error = Machine::new().with(name, text).read(&[]).unwrap_err();
        assert!(error.contains(expected), "{error}");
    };
    check(
        PROJECT,
        grants,
        "sets `plugins` to grants of its own, and only you may grant",
    );
    check(
        USER,
        "[plugins.files.grant]\nworkspce = \"read\"\n",
        "`[plugins.files.grant]` in",
    );
    check(
        USER,
        "[plugins.files]\ngrants = 3\n",
        "unknown field `grants`",
    );
    check(
        USER,
        "[plugins.\"a b\".grant]\n",
        "`[plugins.a b.grant]` in",
    );
    check(USER, "plugins = 3\n", "it is no table");
}
