//! The files of the repository.
//!
//! Only tracked files count: an untracked note in a working copy is ignored. Where git cannot list them (a source
//! archive, a copy owned by another user), the folders are walked, without those that builds and tools make.

#![expect(clippy::disallowed_methods, reason = "reads the sources of this repository, no stored data")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A file that is text.
#[derive(Clone, Debug)]
pub struct TextFile {
    /// From the root, with `/` between the parts.
    pub path: String,
    /// All of it.
    pub text: String,
}

impl TextFile {
    /// Returns true if the name ends like this (with the dot).
    pub fn ends_with(&self, ending: &str) -> bool {
        self.path.ends_with(ending)
    }
}

/// Every file, and the text of those that are text.
#[derive(Clone, Debug, Default)]
pub struct Repository {
    /// All paths, binary files too; sorted.
    pub paths: Vec<String>,
    /// The files that are UTF-8 without NUL bytes.
    pub texts: Vec<TextFile>,
}

impl Repository {
    /// The repository that this crate belongs to.
    pub fn this() -> Repository {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
        let mut paths = tracked(&root).unwrap_or_else(|| walked(&root));
        paths.sort();
        let texts = paths.iter().filter_map(|path| text_file(&root, path)).collect();
        Repository { paths, texts }
    }

    /// A repository of invented files: (path, text).
    pub fn invented(files: &[(&str, &str)]) -> Repository {
        let texts: Vec<TextFile> =
            files.iter().map(|(path, text)| TextFile { path: (*path).into(), text: (*text).into() }).collect();
        Repository { paths: texts.iter().map(|file| file.path.clone()).collect(), texts }
    }

    /// The text of a file.
    pub fn text(&self, path: &str) -> Option<&str> {
        self.texts.iter().find(|file| file.path == path).map(|file| file.text.as_str())
    }

    /// All Rust files.
    pub fn rust_files(&self) -> impl Iterator<Item = &TextFile> {
        self.texts.iter().filter(|file| file.ends_with(".rs"))
    }

    /// All pages in Markdown.
    pub fn pages(&self) -> impl Iterator<Item = &TextFile> {
        self.texts.iter().filter(|file| file.ends_with(".md"))
    }

    /// Returns true if a path is a file, or a folder with files in it.
    pub fn has(&self, path: &str) -> bool {
        let folder = format!("{}/", path.trim_end_matches('/'));
        path.is_empty() || self.paths.iter().any(|known| known == path || known.starts_with(&folder))
    }
}

fn text_file(root: &Path, path: &str) -> Option<TextFile> {
    let text = String::from_utf8(fs::read(root.join(path)).ok()?).ok()?;
    (!text.contains('\0')).then(|| TextFile { path: path.to_owned(), text })
}

/// The tracked files; empty if git fails, or knows no file here.
fn tracked(root: &Path) -> Option<Vec<String>> {
    let output = Command::new("git").arg("-C").arg(root).args(["ls-files", "-z"]).output().ok()?;
    let names = String::from_utf8(output.stdout).ok()?;
    // A file that was removed but is still in the index is not there any more.
    let present = |name: &&str| !name.is_empty() && root.join(name).is_file();
    let paths: Vec<String> = names.split('\0').filter(present).map(str::to_owned).collect();
    (output.status.success() && !paths.is_empty()).then_some(paths)
}

fn walked(root: &Path) -> Vec<String> {
    let mut paths = Vec::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(root.join(&folder)).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let path = folder.join(&name);
            if is_made_by_tools(&name) {
                continue;
            } else if entry.path().is_dir() {
                folders.push(path);
            } else {
                paths.push(path.to_string_lossy().replace('\\', "/"));
            }
        }
    }
    paths
}

fn is_made_by_tools(name: &str) -> bool {
    let kept = [".ci", ".gitignore", ".github"].contains(&name);
    ["target", "__pycache__"].contains(&name) || (name.starts_with('.') && !kept)
}
