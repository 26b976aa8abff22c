//! Full text search.

use crate::border::*;
use crate::calls::{indexes, others};

entries! {
    "text_search";
    AdsCreateFTSIndex(
        table: Handle, file_name: Text, tag: Text, field: Text, page_size: u32, min_word_len: u32, max_word_len: u32,
        use_default_delim: u16, delimiters: Text, use_default_noise: u16, noise_words: Text, use_default_drop: u16,
        drop_chars: Text, use_default_conditionals: u16, conditional_chars: Text, reserved1: Text, reserved2: Text,
        options: u32
    );
    AdsGetFTSIndexes(table: Handle, indexes: Out<Handle>, array_len: Out<u16>) = others::no_indexes;
    AdsGetFTSScore(
        index: Handle, record: u32, key: Text, key_len: u16, data_type: u16, seek_type: u16, score: Out<u32>
    );
    AdsGetNumFTSIndexes(table: Handle, count: Out<u16>) = others::none_of_table;
    AdsIsIndexFTS(index: Handle, fts: Out<u16>) = indexes::is_never;
    AdsReindexFTS(object: Handle, page_size: u32);
}
