//! The standard library for components, made available to the active toolchain.
//!
//! It is there already, or rustup gets it. Where rustup's server is out of reach, a machine with
//! Debian builds it from that distribution's sources of the very same Rust release and puts it
//! where rustup would.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};

use crate::cache::Cache;
use crate::command;
use crate::debian::{self, Apt};
use crate::environment;
use crate::progress::say;

/// What components are compiled for.
pub(crate) const TARGET: &str = "wasm32-wasip2";

const RUSTUP_LIMIT: Duration = Duration::from_secs(120);
/// Suites that may have the sources of a recent Rust release.
const SUITES: [&str; 4] = ["trixie", "trixie-backports", "forky", "sid"];

/// A Rust toolchain on this machine.
pub(crate) struct Toolchain {
    sysroot: PathBuf,
    /// For instance `1.95.0`.
    release: String,
}

impl Toolchain {
    /// The one that `rustc` stands for here.
    pub(crate) fn active() -> Result<Self> {
        let sysroot = command::read(Command::new("rustc").args(["--print", "sysroot"]))?;
        let version = command::read(Command::new("rustc").arg("-vV"))?;
        let release = version
            .lines()
            .find_map(|line| line.strip_prefix("release: "));
        Ok(Self {
            sysroot: sysroot.trim().into(),
            release: release.context("`rustc -vV` names no release")?.to_owned(),
        })
    }

    fn libraries(&self) -> PathBuf {
        self.sysroot.join("lib/rustlib").join(TARGET).join("lib")
    }

    fn has_target(&self) -> bool {
        files(&self.libraries()).is_ok_and(|files| files.iter().any(|file| is_std(file)))
    }
}

/// Makes sure of [`TARGET`], by the first way that works.
pub(crate) fn ensure(toolchain: &Toolchain, cache: &Cache) -> Result<()> {
    if toolchain.has_target() {
        return Ok(());
    }
    let mut rustup = Command::new("rustup");
    rustup.args(["target", "add", TARGET]);
    if environment::on_path("rustup").is_some()
        && command::succeeds_within(&mut rustup, RUSTUP_LIMIT)?
        && toolchain.has_target()
    {
        return Ok(());
    }
    say(format_args!(
        "rustup does not get {TARGET}; building it from Debian's sources"
    ));
    build_from_debian(toolchain, cache).with_context(|| {
        format!("no standard library for {TARGET}: run `rustup target add {TARGET}` with a network")
    })
}

fn build_from_debian(toolchain: &Toolchain, cache: &Cache) -> Result<()> {
    let locked = cache.lock("wasm-target")?;
    if toolchain.has_target() {
        return Ok(());
    }
    let unpacked = locked.fresh("unpacked")?;
    fetch_sources(toolchain, &locked.fresh("apt")?, &unpacked)?;

    let libraries = toolchain.libraries();
    let startup = libraries.join("self-contained");
    fs::create_dir_all(&startup).with_context(|| format!("`{}`", startup.display()))?;
    for file in files(&unpacked.join("usr/lib").join(TARGET))? {
        if has_extension(&file, &["o", "a"]) {
            copy_into(&file, &startup)?;
        }
    }
    let _sources = Sources::lend(toolchain, &unpacked)?;
    let built = compile(toolchain, &locked.fresh("build")?)?;
    // The library named `std` comes last: it is what tells that all is there.
    let (std, others): (Vec<_>, Vec<_>) = built.into_iter().partition(|file| is_std(file));
    for library in others.iter().chain(&std) {
        copy_into(library, &libraries)?;
    }
    ensure!(toolchain.has_target(), "the build made no `libstd`");
    for folder in ["apt", "unpacked", "build"] {
        fs::remove_dir_all(locked.folder.join(folder))?;
    }
    Ok(())
}

/// Rust's own sources of this very release, and the C library for the target.
fn fetch_sources(toolchain: &Toolchain, folder: &Path, unpacked: &Path) -> Result<()> {
    let apt = Apt::open(folder, &SUITES)?;
    let release = format!("{}+", toolchain.release);
    let rust = apt
        .versions("rust-src")?
        .into_iter()
        .find(|it| it.starts_with(&release));
    let rust =
        rust.with_context(|| format!("Debian has no `rust-src` of Rust {}", toolchain.release))?;
    let wasi = apt.versions("wasi-libc")?.into_iter().next();
    let wasi = wasi.context("Debian has no `wasi-libc`")?;
    for (package, version) in [("rust-src", rust), ("wasi-libc", wasi)] {
        let file = apt.download(package, &version, folder)?;
        let file = file.with_context(|| format!("Debian has no `{package}` {version}"))?;
        debian::unpack(&file, unpacked)?;
    }
    Ok(())
}

/// Rust's sources at the place where cargo looks for them, until dropped.
struct Sources {
    link: Option<PathBuf>,
}

impl Sources {
    fn lend(toolchain: &Toolchain, unpacked: &Path) -> Result<Self> {
        let place = toolchain.sysroot.join("lib/rustlib/src/rust");
        if place.exists() {
            return Ok(Self { link: None });
        }
        if let Some(parent) = place.parent() {
            fs::create_dir_all(parent)?;
        }
        let sources = unpacked
            .join("usr/src")
            .join(format!("rustc-{}", toolchain.release));
        ensure!(
            sources.is_dir(),
            "`rust-src` has no `{}`",
            sources.display()
        );
        symlink(sources, &place).with_context(|| format!("`{}`", place.display()))?;
        Ok(Self { link: Some(place) })
    }
}

impl Drop for Sources {
    fn drop(&mut self) {
        if let Some(link) = &self.link {
            let _ = fs::remove_file(link);
        }
    }
}

/// Compiles the standard library by way of an empty crate; returns the library's files.
fn compile(toolchain: &Toolchain, folder: &Path) -> Result<Vec<PathBuf>> {
    const SEED: &str = "[package]\nname = \"seed\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\
                        [workspace]\n[profile.release]\npanic = \"abort\"\n";
    fs::create_dir_all(folder.join("src"))?;
    fs::write(folder.join("Cargo.toml"), SEED)?;
    fs::write(folder.join("src/lib.rs"), "")?;
    let mut cargo = command::cargo();
    cargo
        .current_dir(folder)
        .args(["build", "--release", "--target", TARGET]);
    cargo.arg("-Zbuild-std=std,panic_abort");
    // A released compiler builds its own library only when it is told that it may.
    cargo.env("RUSTC_BOOTSTRAP", "1");
    // Plugins are linked with `lto`, which needs the library's bitcode.
    cargo.env("RUSTFLAGS", "-Cembed-bitcode=yes");
    cargo.env("RUSTC", toolchain.sysroot.join("bin/rustc"));
    cargo.env("CARGO_TARGET_DIR", folder.join("target"));
    command::run(&mut cargo)?;
    let made = files(&folder.join("target").join(TARGET).join("release/deps"))?;
    let is_library =
        |file: &PathBuf| has_extension(file, &["rlib"]) && !name_starts(file, "libseed-");
    Ok(made.into_iter().filter(is_library).collect())
}

fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).with_context(|| format!("`{}`", folder.display()))?;
    entries.map(|entry| Ok(entry?.path())).collect()
}

fn copy_into(file: &Path, folder: &Path) -> Result<()> {
    let to = folder.join(file.file_name().unwrap_or_default());
    fs::copy(file, &to).with_context(|| format!("`{}`", to.display()))?;
    Ok(())
}

fn is_std(file: &Path) -> bool {
    name_starts(file, "libstd-") && has_extension(file, &["rlib"])
}

fn name_starts(file: &Path, start: &str) -> bool {
    file.file_name()
        .is_some_and(|name| name.to_string_lossy().starts_with(start))
}

fn has_extension(file: &Path, extensions: &[&str]) -> bool {
    file.extension()
        .is_some_and(|it| extensions.iter().any(|extension| it == *extension))
}
