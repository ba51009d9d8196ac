//! The files tool: looks at the files of the workspace. Not here: the sandbox, which lets nothing
//! outside the workspace be opened whatever this code does.

use forge_sdk::{Access, Hints, Requires};

mod read;
mod list;
mod search;
mod place;
#[cfg(test)]
mod sample;

use list::{List, list};
use read::{Read, read};
use search::{Search, search};

forge_sdk::tool! {
    name: "files",
    summary: "Reads, lists and searches the files of the workspace.",
    operations: {
        read(Read) => read {
            summary: "Reads a text file, whole or some of its lines.",
            requires: Requires::none().workspace(Access::Read),
            hints: Hints::none().idempotent(),
            examples: [
                "show me README.md" => {"path": "README.md"},
                "lines 40 to 80 of src/main.rs" => {"path": "src/main.rs", "from": 40, "to": 80},
            ],
        },
        list(List) => list {
            summary: "Lists a folder.",
            requires: Requires::none().workspace(Access::Read),
            hints: Hints::none().idempotent(),
            examples: [
                "list the files in the workspace" => {},
                "what is in the docs folder?" => {"path": "docs"},
            ],
        },
        search(Search) => search {
            summary: "Finds files by name, lines by their text, or both.",
            requires: Requires::none().workspace(Access::Read),
            hints: Hints::none().idempotent(),
            examples: [
                "where is parse_config used?" => {"text": "parse_config"},
                "find all python files" => {"name": "*.py"},
            ],
        },
    },
}
