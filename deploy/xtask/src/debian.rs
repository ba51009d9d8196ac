//! Packages of Debian's newer suites, fetched and unpacked without touching the machine's own.
//!
//! apt runs with lists, cache and sources in a folder of ours and checks every package against
//! the suite's signed index. Nothing is installed and no root is needed. The mirror is the one that
//! the machine itself uses.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail};

use crate::command;

const KEYRING: &str = "/usr/share/keyrings/debian-archive-keyring.gpg";
const CONFIGURATION: &str = "apt.conf";

/// An apt of our own, for some suites.
pub(crate) struct Apt {
    folder: PathBuf,
}

impl Apt {
    /// Sets one up in the empty `folder` and reads the suites' indexes, which takes some seconds
    /// for each.
    pub(crate) fn open(folder: &Path, suites: &[&str]) -> Result<Self> {
        for inside in ["lists/partial", "cache/archives/partial"] {
            fs::create_dir_all(folder.join(inside))?;
        }
        fs::write(folder.join(CONFIGURATION), configuration(folder))?;
        // No package counts as installed, so that dependencies are always resolved in full.
        fs::write(folder.join("status"), "")?;
        let mirror = mirror(folder)?;
        let signed_by = if Path::new(KEYRING).is_file() {
            format!("[signed-by={KEYRING}] ")
        } else {
            String::new()
        };
        let source = |suite: &&str| format!("deb {signed_by}{mirror} {suite} main\n");
        fs::write(
            folder.join("sources.list"),
            suites.iter().map(source).collect::<String>(),
        )?;
        let apt = Self {
            folder: folder.to_owned(),
        };
        command::run(apt.program("apt-get").arg("update"))?;
        Ok(apt)
    }

    /// The versions of a package that the suites offer, the newest first.
    pub(crate) fn versions(&self, package: &str) -> Result<Vec<String>> {
        let table = command::read(self.program("apt-cache").args(["madison", package]))?;
        Ok(parse_versions(&table))
    }

    /// Fetches one package at exactly this version into `folder`; `None` if no suite has it.
    pub(crate) fn download(
        &self,
        package: &str,
        version: &str,
        folder: &Path,
    ) -> Result<Option<PathBuf>> {
        if !self
            .versions(package)?
            .iter()
            .any(|offered| offered == version)
        {
            return Ok(None);
        }
        let exact = format!("{package}={version}");
        let mut apt = self.program("apt-get");
        command::run(apt.current_dir(folder).args(["download", &exact]))?;
        let found = packages(folder)?
            .into_iter()
            .find(|file| is_package(file, package));
        found
            .map(Some)
            .with_context(|| format!("apt did not write `{exact}`"))
    }

    /// Fetches the newest version of a package and all that it depends on.
    pub(crate) fn download_with_dependencies(&self, package: &str) -> Result<Vec<PathBuf>> {
        let mut apt = self.program("apt-get");
        apt.args(["--yes", "--no-install-recommends", "--download-only"]);
        command::run(apt.args(["install", package]))?;
        packages(&self.folder.join("cache/archives"))
    }

    fn program(&self, name: &str) -> Command {
        let mut command = Command::new(name);
        command
            .arg("-c")
            .arg(self.folder.join(CONFIGURATION))
            .arg("-qq");
        command
    }
}

/// Everything that apt would otherwise read or write elsewhere on the machine. It does not change
/// its user: the folder may be readable for its owner only.
fn configuration(folder: &Path) -> String {
    let at = |inside: &str| folder.join(inside).display().to_string();
    let settings = [
        ("Dir::Etc::sourcelist", at("sources.list")),
        ("Dir::Etc::sourceparts", "/dev/null".to_owned()),
        ("Dir::Etc::preferences", "/dev/null".to_owned()),
        ("Dir::Etc::preferencesparts", "/dev/null".to_owned()),
        ("Dir::State", at("")),
        ("Dir::State::lists", at("lists")),
        ("Dir::State::status", at("status")),
        ("Dir::Cache", at("cache")),
        ("APT::Sandbox::User", "root".to_owned()),
        ("Acquire::Languages", "none".to_owned()),
        ("Acquire::Retries", "3".to_owned()),
    ];
    settings
        .map(|(key, value)| format!("{key} \"{value}\";\n"))
        .concat()
}

/// The `.deb` files of a folder.
pub(crate) fn packages(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).with_context(|| format!("`{}`", folder.display()))?;
    let files = entries
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<Vec<_>>>()?;
    Ok(files
        .into_iter()
        .filter(|file| file.extension() == Some(OsStr::new("deb")))
        .collect())
}

/// Unpacks a package's files into a folder.
pub(crate) fn unpack(package: &Path, into: &Path) -> Result<()> {
    command::read(Command::new("dpkg-deb").arg("-x").arg(package).arg(into)).map(drop)
}

/// Whether a `.deb` file is of this package: the name is followed by `_` and the version.
pub(crate) fn is_package(file: &Path, package: &str) -> bool {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    name.split_once('_')
        .is_some_and(|(before, _)| before == package)
}

/// The processor's name in Debian's words.
pub(crate) fn architecture() -> Result<String> {
    let name = command::read(Command::new("dpkg").arg("--print-architecture"))?;
    Ok(name.trim().to_owned())
}

/// The mirror from which this machine gets its own release. `scratch` keeps apt from looking at
/// lists that may be missing, as they are in most container images.
fn mirror(scratch: &Path) -> Result<String> {
    let release = fs::read_to_string("/etc/os-release").unwrap_or_default();
    let value = |key: &str| {
        release
            .lines()
            .find_map(|line| line.strip_prefix(key)?.strip_prefix('='))
    };
    let (Some("debian"), Some(suite)) = (value("ID"), value("VERSION_CODENAME")) else {
        bail!("this machine does not run Debian");
    };
    let lists = format!("Dir::State::lists={}", scratch.join("lists").display());
    let mut apt = Command::new("apt-get");
    let uris = command::read(apt.args(["-o", &lists, "update", "--print-uris"]))?;
    parse_mirror(&uris, suite)
        .with_context(|| format!("apt on this machine has no source for `{suite}`"))
}

/// From the lines of `apt-get update --print-uris`, each `'URI' file size`.
fn parse_mirror(uris: &str, suite: &str) -> Option<String> {
    let index = format!("/dists/{suite}/InRelease");
    let uris = uris
        .lines()
        .filter_map(|line| line.strip_prefix('\'')?.split('\'').next());
    uris.filter_map(|uri| uri.strip_suffix(&index))
        .map(str::to_owned)
        .next()
}

/// From the lines of `apt-cache madison`, each `package | version | source`.
fn parse_versions(table: &str) -> Vec<String> {
    let version = |line: &str| Some(line.split('|').nth(1)?.trim().to_owned());
    table.lines().filter_map(version).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mirror_is_the_release_and_not_its_security_archive() {
        let uris = "'http://mirror.test/debian-security/dists/bookworm-security/InRelease' a 0\n\
                    'http://mirror.test/debian/dists/bookworm/InRelease' b 0\n\
                    'http://mirror.test/debian/dists/bookworm/main/Packages.xz' c 0\n";
        assert_eq!(
            parse_mirror(uris, "bookworm").as_deref(),
            Some("http://mirror.test/debian")
        );
        assert_eq!(parse_mirror(uris, "trixie"), None);
    }

    #[test]
    fn versions_are_the_second_column() {
        let table = " libc6 |   2.43-7 | mirror forky/main\n libc6 | 2.41-1 | mirror trixie/main\n";
        assert_eq!(parse_versions(table), ["2.43-7", "2.41-1"]);
        assert!(parse_versions("").is_empty());
    }

    #[test]
    fn package_is_known_by_its_whole_name() {
        assert!(is_package(
            Path::new("debs/libc6_2.43-7_amd64.deb"),
            "libc6"
        ));
        assert!(!is_package(
            Path::new("debs/libc6-dev_2.43-7_amd64.deb"),
            "libc6"
        ));
    }
}
