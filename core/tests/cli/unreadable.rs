//! Files that the user of the command cannot read.

use crate::client::{Folder, meta, wellhead};
use serde_json::{Value, json};
use std::fs::{self, Permissions};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};

/// The user `nobody`, since root may read everything.
const NOBODY: u32 = 65534;

/// The command, run by a user that permissions hold for. The directory is that of its executable.
fn by_a_user(beside: &Folder) -> Command {
    let ours = wellhead();
    let program = beside.path().join("wellhead");
    fs::copy(ours.get_program(), &program).unwrap();
    let mut command = Command::new(program);
    command.env_remove("WELLHEAD_KEY").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    if rustix::process::geteuid().is_root() {
        command.uid(NOBODY).gid(NOBODY);
    }
    command
}

fn spawn(command: &mut Command) -> Child {
    loop {
        match command.spawn() {
            // A child of another test that has not executed its program yet holds the copy open for writing.
            Err(e) if e.kind() == ErrorKind::ExecutableFileBusy => std::thread::yield_now(),
            child => return child.unwrap(),
        }
    }
}

// row: U-27
#[test]
fn an_ignore_file_that_may_not_be_read_hides_everything_in_its_directory() {
    let (folder, beside) = (Folder::new(&[("a/x.key", b"secret"), ("b", b"open")]), Folder::new(&[]));
    folder.put("a/.gitignore", b"*.key\n");
    for place in [&folder, &beside] {
        fs::set_permissions(place.path(), Permissions::from_mode(0o755)).unwrap();
    }
    let ignore_file = folder.path().join("a/.gitignore");
    fs::set_permissions(&ignore_file, Permissions::from_mode(0o000)).unwrap();

    let mut command = by_a_user(&beside);
    command.arg("serve").arg(folder.path());
    let mut child = spawn(&mut command);
    let mut input = child.stdin.take().unwrap();
    for (id, path) in [(1, "a/x.key"), (2, "b")] {
        let params = json!({"uri": folder.uri(path), "_meta": meta()});
        writeln!(
            input,
            "{}",
            json!({"jsonrpc": "2.0", "id": id, "method": "resources/read", "params": params})
        )
        .unwrap();
    }
    drop(input);
    let output = child.wait_with_output().unwrap();
    let (answers, log) =
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    let answers: Vec<Value> = answers.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let answer = |id| answers.iter().find(|answer| answer["id"] == id).unwrap();
    assert_eq!(answer(1)["error"]["message"], "Resource not found");
    assert_eq!(answer(2)["result"]["contents"][0]["text"], "open");
    let lines: Vec<_> = log.lines().filter(|line| line.contains(ignore_file.to_str().unwrap())).collect();
    assert_eq!(lines.len(), 1, "{log}");
    assert!(lines[0].contains("cannot be read (Permission denied"), "{log}");
}

#[test]
fn a_check_of_skills_names_files_that_may_not_be_read() {
    let (folder, beside) = (Folder::new(&[("pdf/a.bin", b"x"), ("shut/a", b"x")]), Folder::new(&[]));
    for name in ["doc", "pdf"] {
        let front = format!("---\nname: {name}\ndescription: d\n---\n");
        folder.put(&format!("{name}/SKILL.md"), front.as_bytes());
    }
    for place in [&folder, &beside] {
        fs::set_permissions(place.path(), Permissions::from_mode(0o755)).unwrap();
    }
    let shut = ["doc/SKILL.md", "pdf/a.bin", "shut"].map(|path| folder.path().join(path));
    for (path, mode) in shut.iter().zip([0o000, 0o000, 0o111]) {
        fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    }
    let output = spawn(by_a_user(&beside).arg("check-skills").arg(folder.path())).wait_with_output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<_> = said.lines().collect();
    assert_eq!(lines.len(), 3, "{said}");
    for (line, path) in lines.iter().zip(&shut) {
        let expected = format!("{}:1: cannot be read (Permission denied", path.display());
        assert!(line.starts_with(&expected), "{line}");
    }
    assert_eq!(output.status.code(), Some(1));
    fs::set_permissions(&shut[2], Permissions::from_mode(0o755)).unwrap();
}
