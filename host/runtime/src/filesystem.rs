//! The effects seam: WASI's file system with every opening, change and refusal noted.
//!
//! Each function hands on to wasmtime's own, which confines paths to the opened folder; what is added
//! is the note, the grant's path patterns, and reading in place. A change is noted whether it
//! succeeded or not, and one that could not be noted is not tried.

mod descriptor;
mod entry;
mod replace;
mod directory;
mod streams;
pub(crate) mod scope;

use wasmtime::component::{HasData, Linker, Resource, ResourceTable};
use wasmtime_wasi::filesystem::{Descriptor, WasiFilesystemCtx, WasiFilesystemCtxView};
use wasmtime_wasi::p2::bindings::filesystem::preopens;
use wasmtime_wasi::p2::bindings::filesystem::types::{self, ErrorCode};
use wasmtime_wasi::p2::{FsError, FsResult};

use forge_contract::effect::FileAction;

use crate::filesystem::scope::Scope;
use crate::recorder::Recorder;
use crate::state::State;

/// Puts the recorded file system in the place of the plain one.
pub(crate) fn add_to_linker(linker: &mut Linker<State>) -> wasmtime::Result<()> {
    preopens::add_to_linker::<_, Recorded>(linker, of)?;
    types::add_to_linker::<_, Recorded>(linker, of)
}

/// Marks the recorded form of the interface.
pub(crate) struct Recorded;

impl HasData for Recorded {
    type Data<'a> = Filesystem<'a>;
}

/// The recorded file system of one call.
pub(crate) struct Filesystem<'a> {
    context: &'a mut WasiFilesystemCtx,
    table: &'a mut ResourceTable,
    recorder: &'a mut Recorder,
    scope: &'a Scope,
}

pub(crate) fn of(state: &mut State) -> Filesystem<'_> {
    Filesystem {
        context: state.wasi.filesystem(),
        table: &mut state.table,
        recorder: &mut state.recorder,
        scope: &state.scope,
    }
}

impl Filesystem<'_> {
    /// The plain file system beneath.
    fn plain(&mut self) -> WasiFilesystemCtxView<'_> {
        WasiFilesystemCtxView {
            ctx: self.context,
            table: self.table,
        }
    }

    /// The guest's name for `path` in the folder `fd`.
    fn guest_path(&self, fd: &Resource<Descriptor>, path: &str) -> String {
        let folder = self.recorder.path_of(fd.rep());
        let path = path.trim_start_matches("./");
        if path.is_empty() || path == "." {
            return folder.to_owned();
        }
        // Once the size that is needed: this is done for each opening.
        let mut name = String::with_capacity(folder.len() + 1 + path.len());
        name.push_str(folder);
        name.push('/');
        name.push_str(path);
        name
    }

    /// Notes a change that was tried on `path` and hands its result on.
    fn note<T>(
        &mut self,
        action: FileAction,
        path: &str,
        to: Option<String>,
        result: FsResult<T>,
    ) -> FsResult<T> {
        self.recorder
            .changed(action, path.to_owned(), to, error_name(&result));
        result
    }
}

/// The name of the error in `result`, as WASI has it.
fn error_name<T>(result: &FsResult<T>) -> Option<String> {
    let error = result.as_ref().err()?;
    Some(
        error
            .downcast_ref()
            .map_or_else(|| "trap".to_owned(), code_name),
    )
}

/// `no-entry` and the like.
pub(crate) fn code_name(code: &ErrorCode) -> String {
    code.name().to_owned()
}

impl preopens::Host for Filesystem<'_> {
    fn get_directories(&mut self) -> wasmtime::Result<Vec<(Resource<Descriptor>, String)>> {
        let folders = preopens::Host::get_directories(&mut self.plain())?;
        for (fd, name) in &folders {
            self.recorder.opened_unnoted(fd.rep(), name.clone());
        }
        Ok(folders)
    }
}

impl types::Host for Filesystem<'_> {
    fn convert_error_code(&mut self, error: FsError) -> wasmtime::Result<ErrorCode> {
        types::Host::convert_error_code(&mut self.plain(), error)
    }

    fn filesystem_error_code(
        &mut self,
        error: Resource<wasmtime::Error>,
    ) -> wasmtime::Result<Option<ErrorCode>> {
        types::Host::filesystem_error_code(&mut self.plain(), error)
    }
}
