//! The end-to-end suite, one binary: what Forge does as seen from outside, and how its source is
//! kept.

#![allow(clippy::unwrap_used, reason = "a test that can't go on fails")]

// What Forge does.
mod network;
mod secrets;
mod approvals;
mod hostile_model;
mod orchestrator;
mod turns;
mod conversations;
mod http;
mod cli;
mod store;
mod settings;
mod real_model;
mod guests;
mod files_tool;
mod path_confinement;
// House rules: the source is the data.
mod tidy;
mod layers;
mod licences;
mod contract;
mod docs;
mod workspace;
