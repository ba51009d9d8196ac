//! A guest that opens one small file and reads it piece by piece as it becomes ready, for benches: `run`
//! answers its length in bytes. So do the C libraries that wait for a stream before they read it.

use forge_sdk::{Access, Error, Requires, Result};

/// Which file.
#[forge_sdk::input]
pub struct Input {
    /// Relative to the workspace.
    path: String,
}

forge_sdk::tool! {
    name: "read_polled",
    summary: "Reads one file as it becomes ready.",
    operations: {
        run(Input) => read {
            summary: "Answers a file's length in bytes.",
            requires: Requires::none().workspace(Access::Read),
        },
    },
}

#[cfg(target_arch = "wasm32")]
fn read(input: Input) -> Result<String> {
    use wasip2::filesystem::preopens::get_directories;
    use wasip2::filesystem::types::{DescriptorFlags, OpenFlags, PathFlags};
    use wasip2::io::streams::StreamError;

    let failed = |what: &dyn std::fmt::Debug| Error::failed(format!("{what:?}"));
    let folders = get_directories();
    let (workspace, _) = folders.first().ok_or_else(|| failed(&"no folder"))?;
    let flags = (
        PathFlags::empty(),
        OpenFlags::empty(),
        DescriptorFlags::READ,
    );
    let file = workspace
        .open_at(flags.0, &input.path, flags.1, flags.2)
        .map_err(|code| failed(&code))?;
    let stream = file.read_via_stream(0).map_err(|code| failed(&code))?;
    let mut length = 0;
    loop {
        stream.subscribe().block();
        match stream.read(64 * 1024) {
            Ok(bytes) => length += bytes.len(),
            Err(StreamError::Closed) => return Ok(length.to_string()),
            Err(error) => return Err(failed(&error)),
        }
    }
}

#[cfg(not(target_arch = "wasm32"))]
fn read(input: Input) -> Result<String> {
    Err(Error::unavailable(format!(
        "there is no stream of `{}` here",
        input.path
    )))
}
