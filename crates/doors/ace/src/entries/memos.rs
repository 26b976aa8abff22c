//! Memos, images and other long values.

use crate::border::*;
use crate::calls::{fields, memos, sets};

entries! {
    "memos";
    AdsBinaryToFile(table: Handle, field: Field, file_name: Text) = memos::to_file;
    AdsBinaryToFileW(table: Handle, field: Field, file_name: Wide) = memos::to_file_wide;
    AdsFileToBinary(table: Handle, field: Field, binary_type: u16, file_name: Text) = sets::from_file;
    AdsFileToBinaryW(table: Handle, field: Field, binary_type: u16, file_name: Wide) = sets::from_file_wide;
    AdsGetBinary(table: Handle, field: Field, offset: u32, buffer: Buffer, length: Out<u32>) = memos::get_binary;
    AdsGetBinaryLength(table: Handle, field: Field, length: Out<u32>) = memos::length;
    AdsGetMemoBlockSize(table: Handle, block_size: Out<u16>) = memos::block_size;
    AdsGetMemoDataType(table: Handle, field: Field, kind: Out<u16>) = memos::data_type;
    AdsGetMemoLength(table: Handle, field: Field, length: Out<u32>) = memos::length;
    AdsImageToClipboard(table: Handle, field: Text);
    AdsIsFieldBinary(table: Handle, field: Field, binary: Out<u16>) = fields::is_binary;
    AdsSetBinary(
        table: Handle, field: Field, binary_type: u16, total_length: u32, offset: u32, buffer: Buffer, length: u32
    ) = sets::binary;
}
