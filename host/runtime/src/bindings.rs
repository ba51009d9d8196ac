//! What `wit/` says, as Rust. Generated; not here: any behaviour.
wasmtime::component::bindgen!({
    path: "../../wit",
    world: "plugin-full",
    imports: { default: async | trappable },
    exports: { default: async },
});
