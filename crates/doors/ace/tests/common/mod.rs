//! Compiling and running C programs against the header and the library of this build.

use std::io::Write;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use mainstay_navigator::server::Service;
use mainstay_server::{Config, NavigatorDoor, Server};
use mainstay_vfs::{Disk, FileSystem};
use tempfile::TempDir;

/// A server with a door for remote ACE clients over a folder, at any free port: `door.address` names it.
#[allow(dead_code, reason = "not every test gives the service something")]
pub struct Door {
    pub server: Server,
    pub service: Arc<Service>,
    pub address: SocketAddr,
}

#[allow(dead_code, reason = "not every test has a server")]
impl Door {
    pub fn open(config: Config, folder: &Path, log: Box<dyn Write + Send>) -> Door {
        let service = Arc::new(Service::new(Arc::new(Disk), folder));
        let server = Server::new(config, &Disk, log).unwrap();
        let address = SocketAddr::from(([127, 0, 0, 1], 0));
        let address = server.open(address, NavigatorDoor::new(Arc::clone(&service))).unwrap();
        Door { server, service, address }
    }

    /// Stops the server; true if every connection has ended.
    pub fn stop(&self) -> bool {
        self.server.stop().complete
    }
}

/// The folder of the crate.
pub fn crate_folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The folder that the library was built in: the one that this test's own program is in.
fn library_folder() -> PathBuf {
    let program = std::env::current_exe().unwrap();
    program.parent().unwrap().to_path_buf()
}

/// A compiled program, with the folder that it goes away with.
#[allow(dead_code, reason = "not every test runs a program")]
pub struct Program {
    folder: TempDir,
}

/// Compiles a C file of the crate into a program that finds the library.
#[allow(dead_code, reason = "not every test has its program in a file")]
pub fn compile(source: &str, flags: &[&str]) -> Program {
    compile_file(&crate_folder().join(source), flags)
}

/// The same for a text.
#[allow(dead_code, reason = "not every test makes its program's text")]
pub fn compile_text(text: &str, flags: &[&str]) -> Program {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("made.c");
    Disk.replace(&path, text.as_bytes()).unwrap();
    compile_file(&path, flags)
}

fn compile_file(source: &Path, flags: &[&str]) -> Program {
    let folder = TempDir::new().unwrap();
    let libraries = library_folder();
    let output = Command::new("cc")
        .args((!flags.contains(&"c++")).then_some("-std=gnu99"))
        .args(["-g", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function", "-pthread"])
        .args(flags)
        .arg("-I")
        .arg(crate_folder().join("include"))
        .arg("-I")
        .arg(crate_folder().join("tests/c"))
        .arg(source)
        .arg("-o")
        .arg(folder.path().join("program"))
        .arg("-L")
        .arg(&libraries)
        .arg(format!("-Wl,-rpath,{}", libraries.display()))
        .args(["-lmainstay_ace", "-lm"])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Program { folder }
}

/// Runs a program, which must answer 0.
#[allow(dead_code, reason = "not every test runs a program")]
pub fn run(program: &Program, arguments: &[&Path]) -> String {
    run_in(program, arguments, &[]).unwrap_or_else(|errors| panic!("{errors}"))
}

/// Runs a program with these variables in its environment. What it has written; or what about errors, if it does not
/// answer 0.
#[allow(dead_code, reason = "not every test runs a program")]
pub fn run_in(program: &Program, arguments: &[&Path], variables: &[(&str, &Path)]) -> Result<String, String> {
    // The path that the build sets leads to a library that an earlier `cargo build` may have left.
    let mut command = Command::new(program.folder.path().join("program"));
    command.args(arguments).envs(variables.iter().copied());
    let output = command.env_remove("LD_LIBRARY_PATH").env("ASAN_OPTIONS", "detect_leaks=0").output().unwrap();
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err(format!("{}\n{}", output.status, String::from_utf8_lossy(&output.stderr))),
    }
}

/// A copy of the tables that Harbour has made, for a program to change.
#[allow(dead_code, reason = "not every test has tables")]
pub fn folder_of_tables() -> TempDir {
    let folder = TempDir::new().unwrap();
    let tables = crate_folder().join("../../../tests/fixtures");
    for entry in Disk.list(&tables).unwrap() {
        let name = entry.path.file_name().unwrap().to_string_lossy().into_owned();
        if !entry.is_folder && (name.starts_with("t01") || name.starts_with("t03") || name.starts_with("t05")) {
            Disk.replace(&folder.path().join(name), &Disk.read(&entry.path).unwrap()).unwrap();
        }
    }
    Disk.create_folder(&folder.path().join("adt")).unwrap();
    for entry in Disk.list(&tables.join("adt")).unwrap() {
        let name = entry.path.file_name().unwrap();
        Disk.replace(&folder.path().join("adt").join(name), &Disk.read(&entry.path).unwrap()).unwrap();
    }
    folder
}

/// Returns true if the compiler has AddressSanitizer, and programs compiled with it run here.
#[allow(dead_code, reason = "one test asks")]
pub fn has_sanitizer() -> bool {
    let folder = TempDir::new().unwrap();
    let (source, program) = (folder.path().join("empty.c"), folder.path().join("empty"));
    Disk.replace(&source, b"int main( void ) { return 0; }").unwrap();
    let compiled = Command::new("cc").arg("-fsanitize=address").arg(&source).arg("-o").arg(&program).output();
    compiled.is_ok_and(|output| output.status.success())
        && Command::new(&program).output().is_ok_and(|output| output.status.success())
}
