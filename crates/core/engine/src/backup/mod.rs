//! Backup of a folder: the whole database in one file.
//!
//! **Problem.** A database consists of files that other programs write while the backup runs. Copies of single files
//! are of different states: an order without its lines, an index entry for a record that the table does not contain.
//!
//! **Idea.** Two passes. The first copies every file while all programs go on. The second locks every DBF table, in the
//! way of the programs that share it, copies the files that have changed since, and fixes the state of the native
//! tables; then it releases the locks and copies the native tables in that state. So programs wait only while changed
//! files are copied, and readers never wait.
//!
//! ```text
//!   pass 1    customers.dbf  customers.cdx  orders.dbf  prices.csv ...      nobody waits
//!   locks     customers, orders, ... in the order of their names            up to `wait`
//!   pass 2    orders.dbf again, for it has changed                          writers wait
//!   fixed     checkpoint of the native tables, locks given back
//!   end       the native tables; the directory of what is in the file
//! ```
//!
//! **Limits.** Programs that take no locks, and files that are not DBF tables (CSV, Parquet), are in the state of the
//! time of their copies. Hidden files and links to folders are not copied. A table that cannot be locked because its
//! header is damaged is copied as it is, with a note.
//!
//! [`format`] is the file, [`take`] writes one, [`restore`] verifies one and makes a folder of it.

mod contents;
mod format;
mod restore;
mod take;

pub use contents::{BackedUp, Backup, Contents, FileKind};
pub use restore::{restore, verify};
pub use take::take;

/// Takes the rights of everybody but the owner away from a file that holds the hashes of passwords. Files that are not on the
/// disk, and systems without such rights, are left as they are.
#[allow(clippy::disallowed_methods, reason = "the file system trait knows no rights")]
fn restrict_to_owner(file: &std::path::Path) {
    #[cfg(unix)]
    {
        let rights = std::os::unix::fs::PermissionsExt::from_mode(0o600);
        // A file in memory has no rights to change.
        let _ = std::fs::set_permissions(file, rights);
    }
}
