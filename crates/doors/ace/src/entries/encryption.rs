//! Encryption of tables and records.

use crate::border::*;
use crate::calls::others;

entries! {
    "encryption";
    AdsDecryptRecord(table: Handle) = others::decrypt;
    AdsDecryptTable(table: Handle) = others::decrypt;
    AdsDisableEncryption(table: Handle) = others::not_encrypted;
    AdsEnableEncryption(table: Handle, password: Text);
    AdsEncryptRecord(table: Handle);
    AdsEncryptTable(table: Handle);
    AdsIsEncryptionEnabled(table: Handle, enabled: Out<u16>) = others::is_encrypted;
    AdsIsRecordEncrypted(table: Handle, encrypted: Out<u16>) = others::is_encrypted;
    AdsIsTableEncrypted(table: Handle, encrypted: Out<u16>) = others::is_encrypted;
    AdsVerifyPassword(table: Handle, enabled: Out<u16>) = others::is_encrypted;
}
