//! Compiling and running C programs against the library under its shipped name.
//!
//! Where the compiler has AddressSanitizer they are compiled with it: every byte that the library writes into their
//! buffers and reads of their texts is checked, because both go through the C library's functions.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use mainstay_vfs::{Disk, FileSystem};
use tempfile::TempDir;

fn crates() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Compiles a C program of `tests/c`, links it with the library and runs it with these arguments. It must answer 0.
#[allow(dead_code, reason = "the command's tests name programs of other folders")]
pub fn run(source: &str, arguments: &[&Path]) -> String {
    run_file(&crates().join("doors/libace/tests/c").join(source), arguments)
}

/// The same for a C program of any folder below that of the crates.
#[allow(dead_code, reason = "the command's tests do")]
pub fn run_of(source: &str, arguments: &[&Path]) -> String {
    run_file(&crates().join(source), arguments)
}

/// The folder of the sample.
#[allow(dead_code, reason = "the command's tests name programs of other folders")]
pub fn sample() -> PathBuf {
    crates().join("../sample")
}

/// The same for the first whole program of a page of the documentation.
#[allow(dead_code, reason = "the command's tests name programs of other folders")]
pub fn run_page(page: &str, arguments: &[&Path]) -> String {
    let text = String::from_utf8(Disk.read(&crates().join("../docs").join(page)).unwrap()).unwrap();
    let blocks = text.split("```c\n").skip(1).filter_map(|rest| rest.split("```").next());
    let program = blocks.into_iter().find(|block| block.contains("int main(")).expect("a program");
    let folder = TempDir::new().unwrap();
    let source = folder.path().join("program.c");
    Disk.replace(&source, program.as_bytes()).unwrap();
    run_file(&source, arguments)
}

/// Builds the first whole program of a page by the make file of the page, as they stand there, and runs it.
#[allow(dead_code, reason = "the command's tests name programs of other folders")]
pub fn make_page(page: &str) -> String {
    let text = String::from_utf8(Disk.read(&crates().join("../docs").join(page)).unwrap()).unwrap();
    let block = |fence: &str, part: &str| {
        let blocks = text.split(fence).skip(1).filter_map(|rest| rest.split("```").next());
        blocks.into_iter().find(|block| block.contains(part)).expect("a block of the page").to_owned()
    };
    let folder = TempDir::new().unwrap();
    let write = |name: &str, content: String| Disk.replace(&folder.path().join(name), content.as_bytes()).unwrap();
    write("program.c", block("```c\n", "int main("));
    write("Makefile", block("```make\n", "-lace"));
    let here = std::env::current_exe().unwrap();
    std::os::unix::fs::symlink(here.parent().unwrap().join("libace.so"), folder.path().join("libace.so")).unwrap();
    let output = Command::new("make")
        .args(["--no-print-directory", "run"])
        .arg(format!("MAINSTAY={}", crates().join("..").display()))
        .arg(format!("LIBRARY={}", folder.path().display()))
        .current_dir(folder.path())
        .env_remove("LD_LIBRARY_PATH")
        .output()
        .unwrap();
    let (text, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{}\n{text}\n{errors}", output.status);
    text.into_owned()
}

fn run_file(source: &Path, arguments: &[&Path]) -> String {
    let folder = TempDir::new().unwrap();
    let here = std::env::current_exe().unwrap();
    let built = here.parent().unwrap().join("libace.so");
    // The name that programs are linked with.
    std::os::unix::fs::symlink(&built, folder.path().join("libace.so")).unwrap();
    let program = folder.path().join("program");
    let output = Command::new("cc")
        .args(["-std=gnu99", "-g", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function"])
        .args(sanitizer())
        .arg("-I")
        .arg(crates().join("doors/ace/include"))
        .arg("-I")
        .arg(crates().join("doors/ace/tests/c"))
        .arg("-I")
        .arg(crates().join("doors/libace/tests/c"))
        .arg(source)
        .arg("-o")
        .arg(&program)
        .arg("-L")
        .arg(folder.path())
        .arg(format!("-Wl,-rpath,{}", folder.path().display()))
        .args(["-lace", "-lm", "-pthread"])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    // Programs leak handles, on purpose or by ending.
    let mut command = Command::new(&program);
    command.args(arguments).env_remove("LD_LIBRARY_PATH").env("ASAN_OPTIONS", "detect_leaks=0");
    let output = command.output().unwrap();
    let (text, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{}\n{text}\n{errors}", output.status);
    text.into_owned()
}

/// Compiler flags for AddressSanitizer, if programs compiled with them run here.
fn sanitizer() -> &'static [&'static str] {
    static FLAGS: OnceLock<&[&str]> = OnceLock::new();
    FLAGS.get_or_init(|| {
        let flags: &[&str] = &["-fsanitize=address", "-fno-omit-frame-pointer"];
        let folder = TempDir::new().unwrap();
        let (source, program) = (folder.path().join("empty.c"), folder.path().join("empty"));
        Disk.replace(&source, b"int main( void ) { return 0; }").unwrap();
        let compiled = Command::new("cc").args(flags).arg(&source).arg("-o").arg(&program).output();
        let runs = compiled.is_ok_and(|output| output.status.success())
            && Command::new(&program).output().is_ok_and(|output| output.status.success());
        if runs { flags } else { &[] }
    })
}

/// A copy of tables that Harbour has made, for a program to change.
pub fn folder_of_tables() -> TempDir {
    let folder = TempDir::new().unwrap();
    for entry in Disk.list(&crates().join("../tests/fixtures")).unwrap() {
        let name = entry.path.file_name().unwrap().to_string_lossy().into_owned();
        if !entry.is_folder && (["t01", "t03", "t05"].iter().any(|start| name.starts_with(start))) {
            Disk.replace(&folder.path().join(name), &Disk.read(&entry.path).unwrap()).unwrap();
        }
    }
    folder
}
