//! Full text search.

use crate::border::*;
use crate::calls::text_search;

entries! {
    "text_search";
    AdsCreateFTSIndex(
        table: Handle, file_name: Text, tag: Text, field: Text, page_size: u32, min_word_len: u32, max_word_len: u32,
        use_default_delim: u16, delimiters: Text, use_default_noise: u16, noise_words: Text, use_default_drop: u16,
        drop_chars: Text, use_default_conditionals: u16, conditional_chars: Text, reserved1: Text, reserved2: Text,
        options: u32
    ) = text_search::create;
    AdsGetFTSIndexInfo(
        index: Handle, output: Buffer, buffer_len: Out<u32>, field: Out<Pointer>, min_word_len: Out<u32>,
        max_word_len: Out<u32>, delimiters: Out<Pointer>, noise_words: Out<Pointer>, drop_chars: Out<Pointer>,
        conditional_chars: Out<Pointer>, reserved1: Out<Pointer>, reserved2: Out<Pointer>, options: Out<u32>
    ) = text_search::info;
    AdsGetFTSIndexes(table: Handle, indexes: Out<Handle>, array_len: Out<u16>) = text_search::all;
    AdsGetFTSScore(
        index: Handle, record: u32, key: Text, key_len: u16, data_type: u16, seek_type: u16, score: Out<u32>
    );
    AdsGetNumFTSIndexes(table: Handle, count: Out<u16>) = text_search::count;
    AdsIsIndexFTS(index: Handle, fts: Out<u16>) = text_search::is_one;
    AdsReindexFTS(object: Handle, page_size: u32) = text_search::rebuild;
}
