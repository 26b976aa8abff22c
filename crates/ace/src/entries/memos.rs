//! Memos, images and other long values.

use crate::border::*;

entries! {
    "memos";
    AdsBinaryToFile(table: Handle, field: Field, file_name: Text);
    AdsBinaryToFileW(table: Handle, field: Field, file_name: Wide);
    AdsFileToBinary(table: Handle, field: Field, binary_type: u16, file_name: Text);
    AdsFileToBinaryW(table: Handle, field: Field, binary_type: u16, file_name: Wide);
    AdsGetBinary(table: Handle, field: Field, offset: u32, buffer: Buffer, length: Out<u32>);
    AdsGetBinaryLength(table: Handle, field: Field, length: Out<u32>);
    AdsGetMemoBlockSize(table: Handle, block_size: Out<u16>);
    AdsGetMemoDataType(table: Handle, field: Field, kind: Out<u16>);
    AdsGetMemoLength(table: Handle, field: Field, length: Out<u32>);
    AdsImageToClipboard(table: Handle, field: Text);
    AdsIsFieldBinary(table: Handle, field: Field, binary: Out<u16>);
    AdsSetBinary(
        table: Handle, field: Field, binary_type: u16, total_length: u32, offset: u32, buffer: Buffer, length: u32
    );
}
