//! A warm call through the runtime beside the floor: the same component on the same engine, bare.
//!
//! `cargo xtask bench` builds the guests that are measured and says where they are. Each of them
//! is called with a fresh instance per call in both columns. Bare means: pre-linked, asynchronous,
//! with a WASI context and an opened folder, and without limits, effects or JSON around it.

use std::path::{Path, PathBuf};

use criterion::{Criterion, criterion_group, criterion_main};
use forge_contract::grant::Grant;
use forge_contract::report::CallReport;
use forge_contract::requirements::{Access, Requirements};
use forge_runtime::{Call, Runtime, Settings, Workspace};
use wasmtime::Store;
use wasmtime::component::{Component, HasSelf, Linker, ResourceTable};
use wasmtime_wasi::filesystem::WasiFilesystemCtx;
use wasmtime_wasi::{FsPerms, WasiCtx, WasiCtxView, WasiView};

mod bindings {
    wasmtime::component::bindgen!({
        path: "../../wit",
        world: "plugin",
        imports: { default: async | trappable },
        exports: { default: async },
    });
}

/// A guest that is measured, its input, and whether it opens a file. `read_polled` waits for its stream
/// before each reading, as some C libraries do; `read_bench` reads at once, as Rust's does.
const GUESTS: [(&str, &str, Option<Access>); 3] = [
    ("noop", "{}", None),
    ("read_bench", SMALL, Some(Access::Read)),
    ("read_polled", SMALL, Some(Access::Read)),
];
const SMALL: &str = r#"{"path": "small.txt"}"#;

fn calls(criterion: &mut Criterion) {
    let tokio = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("threads");
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("small.txt"), "twelve bytes").expect("a temporary file");
    let runtime = Runtime::new(Settings::default()).expect("an engine");
    let workspace = Workspace::open(folder.path()).expect("the temporary folder");
    for (name, input, access) in GUESTS {
        let bytes = std::fs::read(guest(name)).expect("guests are built by `cargo xtask bench`");
        let bare = Bare::load(&runtime, &bytes, folder.path());
        let plugin = tokio
            .block_on(runtime.load(bytes))
            .expect("the guest loads");
        let grant = Grant::of(&Requirements {
            workspace: access,
            ..Requirements::default()
        });
        let call = || plugin.call(Call::new("run", input, &grant).in_workspace(&workspace));
        check(
            &tokio.block_on(call()),
            &tokio.block_on(bare.call(input)),
            access,
        );
        let mut group = criterion.benchmark_group(name);
        group.bench_function("bare wasmtime", |bencher| {
            bencher.to_async(&tokio).iter(|| bare.call(input));
        });
        group.bench_function("forge-runtime", |bencher| {
            bencher.to_async(&tokio).iter(call);
        });
        group.finish();
    }
}

/// Both columns must do the same work, or their ratio says nothing.
fn check(report: &CallReport, bare: &str, access: Option<Access>) {
    assert!(report.outcome.is_done(), "{}", report.outcome);
    assert_eq!(report.outcome.to_string(), bare);
    assert_eq!(
        report.effects.len(),
        usize::from(access.is_some()),
        "{:?}",
        report.effects
    );
}

fn guest(name: &str) -> PathBuf {
    let folder = option_env!("FORGE_TEST_GUESTS").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/guests"),
        PathBuf::from,
    );
    folder.join(format!("{name}.wasm"))
}

/// The component as an embedder would run it without this runtime.
struct Bare {
    pre: bindings::PluginPre<State>,
    folder: WasiFilesystemCtx,
}

struct State {
    wasi: WasiCtx,
    table: ResourceTable,
}

impl Bare {
    fn load(runtime: &Runtime, bytes: &[u8], folder: &Path) -> Self {
        let engine = runtime.engine();
        let component = Component::new(engine, bytes).expect("the guest compiles");
        let mut linker = Linker::new(engine);
        wasmtime_wasi::p2::add_to_linker_async(&mut linker).expect("WASI links");
        bindings::Plugin::add_to_linker::<_, HasSelf<State>>(&mut linker, |state| state)
            .expect("the contract links");
        let pre = linker
            .instantiate_pre(&component)
            .and_then(bindings::PluginPre::new)
            .expect("the guest links");
        let mut wasi = WasiCtx::builder();
        wasi.allow_blocking_current_thread(true);
        wasi.preopened_dir(folder, "/workspace", FsPerms::ReadOnly)
            .expect("the folder opens");
        Self {
            pre,
            folder: wasi.build().filesystem().clone(),
        }
    }

    async fn call(&self, input: &str) -> String {
        let mut wasi = WasiCtx::builder()
            .allow_blocking_current_thread(true)
            .build();
        *wasi.filesystem() = self.folder.clone();
        let mut store = Store::new(
            self.pre.engine(),
            State {
                wasi,
                table: ResourceTable::new(),
            },
        );
        store.set_epoch_deadline(u64::MAX / 2);
        let instance = self
            .pre
            .instantiate_async(&mut store)
            .await
            .expect("an instance");
        let answer = instance
            .forge_tool_tool()
            .call_run(&mut store, "run", input)
            .await
            .expect("an answer");
        match answer.expect("success").content.pop() {
            Some(bindings::forge::tool::types::Content::Text(text)) => text,
            other => panic!("the guest answers one text, not {other:?}"),
        }
    }
}

impl WasiView for State {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        WasiCtxView {
            ctx: &mut self.wasi,
            table: &mut self.table,
        }
    }
}

impl bindings::forge::tool::types::Host for State {}

impl bindings::forge::tool::log::Host for State {
    async fn log(&mut self, _level: String, _message: String) -> wasmtime::Result<()> {
        Ok(())
    }
}

impl bindings::forge::tool::progress::Host for State {
    async fn step(&mut self, _name: String) -> wasmtime::Result<()> {
        Ok(())
    }

    async fn delta(&mut self, _text: String) -> wasmtime::Result<()> {
        Ok(())
    }
}

impl bindings::forge::tool::conversation::Host for State {
    async fn get(&mut self, _key: String) -> wasmtime::Result<Option<String>> {
        Ok(None)
    }

    async fn set(
        &mut self,
        _key: String,
        _value: Option<String>,
    ) -> wasmtime::Result<Result<(), bindings::forge::tool::types::Error>> {
        Ok(Ok(()))
    }
}

impl bindings::forge::tool::settings::Host for State {
    async fn get(&mut self) -> wasmtime::Result<String> {
        Ok("{}".to_owned())
    }
}

criterion_group!(benches, calls);
criterion_main!(benches);
