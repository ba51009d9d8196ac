//! Writes the list of tools that are embedded into the binary: every component in `target/plugins`
//! of the workspace, by name. A build without any works; the program then says so.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let manifest_dir = PathBuf::from(variable("CARGO_MANIFEST_DIR"));
    let folder = manifest_dir.join("../../target/plugins");
    // cargo watches a folder only if it is there.
    fs::create_dir_all(&folder)?;
    let folder = folder.canonicalize()?;
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut components: Vec<PathBuf> = fs::read_dir(&folder)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<io::Result<_>>()?;
    components.retain(|path| {
        path.extension()
            .is_some_and(|extension| extension == "wasm")
    });
    components.sort();
    let list = Path::new(&variable("OUT_DIR")).join("embedded.rs");
    fs::write(list, source(&components))
}

fn source(components: &[PathBuf]) -> String {
    let mut source = "&[\n".to_owned();
    for path in components {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let path = path.display().to_string();
        writeln!(source, "    ({name:?}, include_bytes!({path:?})),").expect("a string takes all");
    }
    source.push(']');
    source
}

#[expect(
    clippy::disallowed_methods,
    reason = "cargo speaks to build scripts in this way"
)]
fn variable(name: &str) -> String {
    env::var(name).unwrap_or_else(|error| panic!("cargo sets `{name}`: {error}"))
}
