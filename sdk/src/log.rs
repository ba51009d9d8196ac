//! Lines for the person who looks at a run. Always there; past the host's limit they are dropped and
//! counted. Not here: what the model should hear, which belongs into the answer.

/// What one needs only to find a fault.
pub fn debug(message: impl AsRef<str>) {
    write("debug", message.as_ref());
}

/// What is worth knowing.
pub fn info(message: impl AsRef<str>) {
    write("info", message.as_ref());
}

/// What may be wrong.
pub fn warn(message: impl AsRef<str>) {
    write("warn", message.as_ref());
}

/// What is wrong.
pub fn error(message: impl AsRef<str>) {
    write("error", message.as_ref());
}

fn write(level: &'static str, message: &str) {
    #[cfg(target_arch = "wasm32")]
    crate::bindings::forge::tool::log::log(level, message);
    #[cfg(not(target_arch = "wasm32"))]
    crate::testing::record(|| crate::testing::Record::Log {
        level,
        message: message.to_owned(),
    });
}
