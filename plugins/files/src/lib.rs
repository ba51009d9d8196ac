//! The files tool: looks at the files of the workspace and changes them. Not here: the sandbox, which lets nothing
//! outside the workspace be opened whatever this code does.

use forge_sdk::{Access, Hints, Requires};

mod read;
mod list;
mod search;
mod write;
mod edit;
mod patch;
mod mkdir;
mod moving;
mod delete;
mod place;
mod standing;
mod seen;
mod below;
mod fence;
#[cfg(test)]
mod sample;

use delete::{Delete, delete};
use edit::{Edit, edit};
use list::{List, list};
use mkdir::{Mkdir, mkdir};
use moving::{Move, move_to};
use patch::{Patch, patch};
use read::{Read, read};
use search::{Search, search};
use write::{Write, write};

forge_sdk::tool! {
    name: "files",
    summary: "Reads, lists, searches and changes the files of the workspace.",
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
        write(Write) => write {
            summary: "Writes a whole file.",
            requires: Requires::none().workspace(Access::Write),
            hints: Hints::none().destructive().idempotent(),
            examples: ["create hello.py that prints hi" => {"path": "hello.py", "content": "print('hi')\n"}],
        },
        edit(Edit) => edit {
            summary: "Replaces a text in a file.",
            requires: Requires::none().workspace(Access::Write),
            hints: Hints::none().destructive(),
            examples: ["rename total to sum in calc.py" => {"path": "calc.py", "find": "total", "replace": "sum", "all": true}],
        },
        patch(Patch) => patch {
            summary: "Applies a unified diff to one or several files.",
            requires: Requires::none().workspace(Access::Write),
            hints: Hints::none().destructive(),
            examples: ["apply this diff to a.txt" => {"patch": "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-old\n+new\n"}],
        },
        mkdir(Mkdir) => mkdir {
            summary: "Makes a folder.",
            requires: Requires::none().workspace(Access::Write),
            hints: Hints::none().idempotent(),
            examples: ["make a folder docs" => {"path": "docs"}],
        },
        move(Move) => move_to {
            summary: "Moves or renames a file or folder.",
            requires: Requires::none().workspace(Access::Write),
            hints: Hints::none().destructive(),
            examples: ["rename a.txt to b.txt" => {"from": "a.txt", "to": "b.txt"}],
        },
        delete(Delete) => delete {
            summary: "Deletes a file or folder.",
            requires: Requires::none().workspace(Access::Write),
            hints: Hints::none().destructive(),
            examples: ["delete old.log" => {"path": "old.log"}],
        },
    },
}
