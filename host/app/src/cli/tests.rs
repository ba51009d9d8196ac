//! The arguments and the help.

use super::*;

#[test]
fn the_arguments_are_sound() {
    CommandLine::command().debug_assert();
}

#[test]
fn help_names_the_commands_and_the_exit_codes() {
    let help = command_line().term_width(100).render_help().to_string();
    let expected = "\
An agent runtime for your own machine: a local model proposes, Forge decides, and every tool runs in
a sandbox that holds only what it declared

Usage: forge [COMMAND]

Commands:
  chat          Take one turn: the answer goes to standard output, everything else to standard error
  serve         Serve the HTTP API and the web page
  capabilities  List what every tool can do, what it needs, and whether policy lets it
  approvals     List what waits for your yes
  approve       Answer what waits for your yes
  policy        Show the rules, try them, or see what policy says to a call
  grant         Show what each tool is granted, or grant it less
  secret        Store the secrets that tools ask for, list or forget them
  explain       Show what happened in a run, and why it was let
  config        Show what every setting holds, and where it comes from
  init          Look for a model, choose tools, and write a file of settings
  help          Print this message or the help of the given subcommand(s)

Options:
  -h, --help     Print help (see more with '--help')
  -V, --version  Print version

Exit codes:
    0  answered
    1  the turn failed: a tool failed or was denied, or the model went in circles
    2  the command line or a setting can't be used
    3  no model: unreachable, too slow, or no usable answer
    4  Forge itself failed
    5  a call needs your yes: `forge approve`
  130  interrupted
";
    assert_eq!(help, expected);
}

#[test]
fn the_long_help_names_every_setting() {
    let help = command_line().render_long_help().to_string();
    for setting in crate::config::table::SETTINGS {
        assert!(help.contains(setting.variable), "{}", setting.variable);
    }
}
