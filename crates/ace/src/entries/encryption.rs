//! Encryption of tables and records.

use crate::border::*;

entries! {
    "encryption";
    AdsDecryptRecord(table: Handle);
    AdsDecryptTable(table: Handle);
    AdsDisableEncryption(table: Handle);
    AdsEnableEncryption(table: Handle, password: Text);
    AdsEncryptRecord(table: Handle);
    AdsEncryptTable(table: Handle);
    AdsIsEncryptionEnabled(table: Handle, enabled: Out<u16>);
    AdsIsRecordEncrypted(table: Handle, encrypted: Out<u16>);
    AdsIsTableEncrypted(table: Handle, encrypted: Out<u16>);
    AdsVerifyPassword(table: Handle, enabled: Out<u16>);
}
