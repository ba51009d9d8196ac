//! Settings as whoever starts the program meets them: files, variables, flags, and what is told of them.

use std::path::Path;
use std::process::Command;

use forge_app::config::table::SETTINGS;
use forge_tests::place::Place;
use serde_json::Value;

/// A machine with a home and a project, in which `forge` is started.
struct Machine {
    folder: tempfile::TempDir,
}

impl Machine {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("home/.config/forge")).unwrap();
        std::fs::create_dir(folder.path().join("project")).unwrap();
        Self { folder }
    }

    fn with(self, path: &str, text: &str) -> Self {
        std::fs::write(self.path().join(path), text).unwrap();
        self
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Standard output, standard error and the exit code.
    fn run(&self, variables: &[(&str, &str)], arguments: &[&str]) -> (String, String, i32) {
        let output = Command::new(Place::Binary.path())
            .args(arguments)
            .current_dir(self.path().join("project"))
            .env_clear()
            .env("HOME", self.path().join("home"))
            .envs(variables.iter().copied())
            .output()
            .unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (
            text(output.stdout),
            text(output.stderr),
            output.status.code().unwrap(),
        )
    }

    /// What holds for `key`, and where it comes from.
    fn holds(&self, variables: &[(&str, &str)], flags: &[&str], key: &str) -> (String, String) {
        let arguments = [&["config", "--json"], flags].concat();
        let (stdout, stderr, code) = self.run(variables, &arguments);
        assert_eq!(code, 0, "{stderr}");
        let listed: Value = serde_json::from_str(&stdout).unwrap();
        let settings = listed["settings"].as_array().unwrap();
        let row = settings.iter().find(|row| row["key"] == key).unwrap();
        let text = |name: &str| row[name].as_str().unwrap_or_default().to_owned();
        (text("value"), text("source"))
    }
}

const USER: &str = "home/.config/forge/forge.toml";

#[test]
fn each_layer_goes_over_the_one_below() {
    let timeout = |machine: &Machine, variables: &[(&str, &str)], flags: &[&str]| {
        machine.holds(variables, flags, "llama_cpp.timeout")
    };
    let check = |found: (String, String), value: &str, source: &str| {
        assert_eq!(found.0, value);
        assert!(found.1.ends_with(source), "{}", found.1);
    };
    let machine = Machine::new();
    check(timeout(&machine, &[], &[]), "120", "default");
    let machine = machine.with(USER, "[llama_cpp]\ntimeout = 90\n");
    check(timeout(&machine, &[], &[]), "90", USER);
    let machine = machine.with("project/forge.toml", "[llama_cpp]\ntimeout = 80\n");
    check(timeout(&machine, &[], &[]), "80", "project/forge.toml");
    let machine = machine.with("project/.env", "LLAMA_CPP_TIMEOUT=70\n");
    check(timeout(&machine, &[], &[]), "70", "project/.env");
    let machine = machine.with("mine.env", "LLAMA_CPP_TIMEOUT=300\n");
    let file = ["--env-file", "../mine.env"];
    check(timeout(&machine, &[], &file), "300", "mine.env");
    let variable = [("LLAMA_CPP_TIMEOUT", "400")];
    check(
        timeout(&machine, &variable, &file),
        "400",
        "LLAMA_CPP_TIMEOUT",
    );
    let set = [&file[..], &["--set", "llama_cpp.timeout=500"]].concat();
    check(timeout(&machine, &variable, &set), "500", "--set");
}

#[test]
fn a_bad_setting_stops_every_command_and_names_the_way_out() {
    let check = |file: &str, text: &str, variables: &[(&str, &str)], told: &[&str]| {
        let machine = Machine::new().with(file, text);
        for arguments in [&["chat", "hello"][..], &["capabilities"], &["config"]] {
            let (_, stderr, code) = machine.run(variables, arguments);
            assert_eq!(code, 2, "{arguments:?}: {stderr}");
            for told in told {
                assert!(stderr.contains(told), "{stderr}\nlacks\n{told}");
            }
        }
    };
    let project = "project/forge.toml";
    check(
        project,
        "provider = \"scripted\"",
        &[],
        &[
            "project/forge.toml` sets `provider`",
            "forge.toml` if you want it",
        ],
    );
    check(
        project,
        "[trace]\nenabled = false",
        &[],
        &["sets `trace.enabled` to `false` where `true` holds"],
    );
    check(
        project,
        "workspace = \"/\"",
        &[],
        &["sets `workspace` to `/`"],
    );
    check(USER, "max_stesp = 1", &[], &["did you mean `max_steps`?"]);
    check(USER, "a = = 1", &[], &["line 1, column"]);
    check(
        USER,
        "",
        &[("FORGE_LISTN", "x")],
        &["`FORGE_LISTN`", "did you mean `FORGE_LISTEN`?"],
    );
    check(
        USER,
        "",
        &[("FORGE_CONFIG_FILE", "nowhere.toml")],
        &["nowhere.toml` can't be read"],
    );
}

#[test]
fn no_secret_is_shown() {
    let machine = Machine::new().with(USER, "[server]\napi_token = \"hunter2\"\n");
    for arguments in [
        &["config"][..],
        &["config", "--json"],
        &["config", "--changed"],
    ] {
        let (stdout, stderr, code) = machine.run(&[("OPENROUTER_API_KEY", "hunter2")], arguments);
        assert_eq!(code, 0, "{stderr}");
        assert!(stdout.contains("***"), "{stdout}");
        assert!(
            stderr.contains("`OPENROUTER_API_KEY` has no effect"),
            "{stderr}"
        );
        assert!(
            !format!("{stdout}{stderr}").contains("hunter2"),
            "{stdout}{stderr}"
        );
    }
}

#[test]
fn what_init_writes_is_accepted_and_never_written_over() {
    let machine = Machine::new();
    let (stdout, stderr, code) = machine.run(&[], &["init", "--yes"]);
    assert_eq!(code, 0, "{stderr}");
    assert!(stdout.contains("forge.toml"), "{stdout}");
    let written = std::fs::read_to_string(machine.path().join(USER)).unwrap();
    for setting in SETTINGS {
        assert!(
            written.contains(setting.doc),
            "{} is not in the file",
            setting.key
        );
    }
    let (tools, source) = machine.holds(&[], &[], "enabled_tools");
    assert_eq!(tools, "chat,code,files");
    assert!(source.ends_with(USER), "{source}");
    let (_, stderr, code) = machine.run(&[], &["init", "--yes"]);
    assert_eq!(code, 2);
    assert!(stderr.contains("--force"), "{stderr}");
    let machine = machine.with(USER, "max_steps = 7\n");
    assert_eq!(machine.run(&[], &["init", "--yes", "--force"]).2, 0);
    let kept = std::fs::read_to_string(machine.path().join(format!("{USER}.bak"))).unwrap();
    assert_eq!(kept, "max_steps = 7\n");
}

#[test]
fn the_readme_names_no_variable_that_is_not_there() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../README.md");
    let readme = std::fs::read_to_string(path).unwrap();
    let table = readme.split("| variable | default |").nth(1).unwrap();
    let rows = table
        .lines()
        .skip(2)
        .take_while(|line| line.starts_with('|'));
    let mut count = 0;
    for row in rows {
        let names = row.split('|').nth(1).unwrap().split(',');
        for name in names.map(|name| name.trim().trim_matches('`')) {
            let is_there = SETTINGS.iter().any(|setting| setting.variable == name);
            assert!(is_there || name == "NO_COLOR", "{name}");
            count += 1;
        }
    }
    assert!(count > 15, "{count}");
}
