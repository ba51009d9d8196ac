//! llama-server, llama.cpp's own: found on this machine or taken from Debian's packages.
//!
//! The packages are of a suite newer than most machines. They are unpacked together with the C
//! library that they need and run through that library's own loader.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail, ensure};

use crate::cache::{self, Cache, Locked};
use crate::command;
use crate::debian::{self, Apt};
use crate::environment;
use crate::progress::say;

/// A server to try by hand.
pub(crate) struct Server {
    pub(crate) program: PathBuf,
    pub(crate) model: PathBuf,
    pub(crate) port: u16,
}

impl Server {
    /// Becomes the server.
    pub(crate) fn run(&self) -> Result<()> {
        command::become_program(&mut self.command())
    }

    /// What to type to start it.
    pub(crate) fn command_line(&self) -> String {
        let command = self.command();
        let words = command.get_args().map(command::quoted);
        let program = command::quoted(&self.program);
        std::iter::once(program)
            .chain(words)
            .collect::<Vec<_>>()
            .join(" ")
    }

    /// Two slots of 2048 tokens. `--cache-ram 0`: the prompt cache takes up to 8 GiB otherwise.
    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command
            .env(WAIT_POLICY, PASSIVE)
            .arg("--model")
            .arg(&self.model);
        command.args(["--host", "127.0.0.1", "--port", &self.port.to_string()]);
        command.args(["--ctx-size", "4096", "--parallel", "2", "--threads", "2"]);
        command.args(["--no-ui", "--offline", "--cache-ram", "0"]);
        command
    }
}

/// Threads that wait must sleep, not spin: spinning makes a busy machine up to a hundred times
/// slower.
pub(crate) const WAIT_POLICY: &str = "OMP_WAIT_POLICY";
/// The value of [`WAIT_POLICY`].
pub(crate) const PASSIVE: &str = "passive";

/// `LLAMA_SERVER`, else the one on `PATH`, else Debian's in the cache.
pub(crate) fn find_or_fetch(cache: &Cache) -> Result<PathBuf> {
    if let Some(program) = environment::llama_server() {
        let absolute = program.canonicalize();
        return absolute.with_context(|| format!("`LLAMA_SERVER` names `{}`", program.display()));
    }
    if let Some(program) = environment::on_path("llama-server") {
        return Ok(program);
    }
    fetch(cache).context(
        "no llama-server: put one on `PATH` or name it in `LLAMA_SERVER`; \
         on 64-bit PCs with Debian it is fetched",
    )
}

/// What was tested: package, version, SHA-256 of the file for amd64.
const TESTED: [(&str, &str, &str); 10] = [
    (
        "libc6",
        "2.43-7",
        "5c71715c51103beb4fbba9fe9f8dff604af6610dfa71c70bff342f54a7860803",
    ),
    (
        "libgcc-s1",
        "16.2.0-3",
        "e716dc8baad27e884c45ff83a76955047a7a9e33a80e94f9459ee996ebb800b0",
    ),
    (
        "libstdc++6",
        "16.2.0-3",
        "7c9e1a89e6c0b9202699957b469c06d0b86f5c97e86c1ff912b6502ddd8793b6",
    ),
    (
        "libgomp1",
        "16.2.0-3",
        "a94884d440c641499fccc658eb6845cdc7381fe3f419ab71dff8a621614122c7",
    ),
    (
        "libssl3t64",
        "3.6.5-1",
        "0a0ec84fe860c5c93c74d53cbb071aea0793327a3761b483080e9d7b73c21b37",
    ),
    (
        "zlib1g",
        "1:1.3.dfsg+really1.3.2-3",
        "52c585b07bea72ef36df9ddd5d1937f4739d3caec057d827954baec256292651",
    ),
    (
        "libzstd1",
        "1.5.7+dfsg-4",
        "93e7930e4c25b918f1dd980cc1c6d4487654a248f5fa71eacb976ed7bbe954bd",
    ),
    (
        "libggml0",
        "0.27.0-1",
        "f621153d6615a8dd1ac4b14e110cbafca34cc66f551367c5f6326f71fb141b0d",
    ),
    (
        "libllama0",
        "1:0.7.0+dfsg-2",
        "7d49cde5582ccdc8c454b379ba627eea8c95813b6a9c70628653101f629204d6",
    ),
    (
        SERVER,
        "1:0.7.0+dfsg-2",
        "3007c170f116891974bd37d5ba802f094c7d020412f2100cc71582fc8530895c",
    ),
];
const SERVER: &str = "llama.cpp-tools";
const SUITE: &str = "forky";

/// The loader and the libraries lie beside the script; the caller's choice of policy wins.
const LAUNCHER: &str = r#"#!/bin/sh
here=$(dirname "$(readlink -f "$0")")
lib=$here/unpacked/usr/lib/x86_64-linux-gnu
export OMP_WAIT_POLICY="${OMP_WAIT_POLICY:-passive}"
exec "$lib/ld-linux-x86-64.so.2" --inhibit-cache --library-path "$lib:$lib/llama" \
    "$here/unpacked/usr/bin/llama-server" "$@"
"#;

fn fetch(cache: &Cache) -> Result<PathBuf> {
    ensure!(
        debian::architecture()? == "amd64",
        "the packages were tested on 64-bit PCs only"
    );
    let locked = cache.lock("llama")?;
    let program = locked.folder.join("llama-server");
    if starts(&program) {
        return Ok(program);
    }
    say("fetching llama-server from Debian's packages (12 MB)");
    let unpacked = locked.fresh("unpacked")?;
    for package in tested_packages(&locked)? {
        debian::unpack(&package, &unpacked)?;
    }
    if locked.folder.join("apt").exists() {
        fs::remove_dir_all(locked.folder.join("apt"))?;
    }
    link_back_ends(&unpacked.join("usr/lib/x86_64-linux-gnu"))?;
    fs::write(&program, LAUNCHER)?;
    fs::set_permissions(&program, Permissions::from_mode(0o755))?;
    if !starts(&program) {
        bail!(
            "`{}` does not start: {}",
            program.display(),
            why_not(&program)
        );
    }
    Ok(program)
}

/// The tested packages; when the suite has moved on from one of them, what it has now, all of a
/// piece: libraries of two states of a suite need not fit together.
fn tested_packages(locked: &Locked) -> Result<Vec<PathBuf>> {
    let kept = locked.folder.join("packages");
    fs::create_dir_all(&kept)?;
    if let Some(packages) = kept_packages(&kept)? {
        return Ok(packages);
    }
    let apt = Apt::open(&locked.fresh("apt")?, &[SUITE])?;
    let kept = locked.fresh("packages")?;
    for (name, version, sha256) in TESTED {
        let Some(file) = apt.download(name, version, &kept)? else {
            say(format_args!(
                "warning: Debian {SUITE} has moved on from `{name}` {version}, which was tested; \
                 taking what it has now"
            ));
            return apt.download_with_dependencies(SERVER);
        };
        cache::must_be_genuine(&file, sha256)?;
    }
    kept_packages(&kept)?.context("a package that was just fetched is gone")
}

/// The tested packages, if all of them are in `folder`.
fn kept_packages(folder: &Path) -> Result<Option<Vec<PathBuf>>> {
    let present = debian::packages(folder)?;
    let mut packages = Vec::new();
    for (name, _, sha256) in TESTED {
        let Some(file) = present.iter().find(|file| debian::is_package(file, name)) else {
            return Ok(None);
        };
        if !cache::is_genuine(file, sha256)? {
            return Ok(None);
        }
        packages.push(file.clone());
    }
    Ok(Some(packages))
}

/// ggml looks for its back ends beside the running program, which is the loader here.
fn link_back_ends(libraries: &Path) -> Result<()> {
    for entry in fs::read_dir(libraries.join("ggml"))? {
        let folder = entry?.path();
        let is_back_ends = folder.is_dir()
            && folder
                .file_name()
                .is_some_and(|it| it.to_string_lossy().starts_with("backends"));
        if !is_back_ends {
            continue;
        }
        for library in fs::read_dir(&folder)? {
            let library = library?.path();
            let name = library.file_name().context("a folder's entry has a name")?;
            if name.to_string_lossy().starts_with("libggml-") {
                symlink(&library, libraries.join(name))?;
            }
        }
    }
    Ok(())
}

fn starts(program: &Path) -> bool {
    program.is_file() && command::answers(Command::new(program).arg("--version"))
}

fn why_not(program: &Path) -> String {
    match command::read(Command::new(program).arg("--version")) {
        Ok(said) => said,
        Err(error) => format!("{error:#}"),
    }
}
