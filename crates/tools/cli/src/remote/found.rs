//! Discovery of the server that has a folder open, through the socket that the server creates in the folder.

use crate::who;
use mainstay_tds_client::{Address, Encrypt, Trust};
use mainstay_types::Value;
use std::path::Path;

/// The address for SQL Server's clients of the server that has a folder open, on this machine; `None` if none answers.
pub(crate) fn server_of(folder: &Path) -> Option<Address> {
    let address = who::tds_address(folder)?;
    let host = match address.ip() {
        // A server that listens everywhere is reached on this machine.
        ip if ip.is_unspecified() && ip.is_ipv6() => "::1".to_owned(),
        ip if ip.is_unspecified() => "127.0.0.1".to_owned(),
        ip => ip.to_string(),
    };
    let user = std::env::var("MAINSTAY_USER").ok();
    let (port, encrypt) = (address.port(), Encrypt::On);
    // The certificate of a server of this machine's own address is not looked at: the socket in the folder has named it.
    Some(Address { user, password: None, host, port, database: String::new(), encrypt, trust: Trust::Any })
}

/// The tables of a server with their columns, for completion.
pub(crate) fn names(remote: &mut super::Remote) -> Vec<(String, Vec<String>)> {
    const MOST: usize = 100_000;
    let sql = format!(
        "SELECT TOP {MOST} TABLE_SCHEMA, TABLE_NAME, COLUMN_NAME FROM INFORMATION_SCHEMA.COLUMNS \
         ORDER BY TABLE_SCHEMA, TABLE_NAME, ORDINAL_POSITION"
    );
    let mut names: Vec<(String, Vec<String>)> = Vec::new();
    // Without names completion has keywords only.
    for row in remote.look_up(&sql, &[]).unwrap_or_default() {
        let [Value::Text(schema), Value::Text(table), Value::Text(column)] = &row[..] else { continue };
        let table = if schema.eq_ignore_ascii_case("dbo") { table.clone() } else { format!("{schema}.{table}") };
        match names.last_mut().filter(|(known, _)| *known == table) {
            Some((_, columns)) => columns.push(column.clone()),
            None => names.push((table, vec![column.clone()])),
        }
    }
    names
}
