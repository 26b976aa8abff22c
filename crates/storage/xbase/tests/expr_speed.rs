//! Duration of 100,000 evaluations. Run with `--release -- --ignored --nocapture` for the figures.

mod expr_files;

use expr_files::Table;
use mainstay_xbase::expr::{Context, ExprValue, Expression, Scratch};
use std::time::Instant;

#[test]
#[ignore = "prints figures"]
fn figures() {
    let table = Table::open("t03_cdx_tags.dbf");
    for text in [
        "NAME",
        "ID",
        "BORN",
        "UPPER(NAME)",
        "CITY+DTOS(BORN)",
        "STR(BAL,12,2)+NAME",
        "PADR(ALLTRIM(CITY),20)+STRZERO(ID,8)",
        "ACTIVE .AND. BAL > 0",
        "MONTH(BORN)*100+DAY(BORN)",
    ] {
        let compiled = Expression::parse(text).unwrap().compile(&Context::new(&table.fields)).unwrap();
        let (mut scratch, mut seen) = (Scratch::new(), 0usize);
        let begun = Instant::now();
        for turn in 0..100_000u32 {
            let recno = turn % 1000 + 1;
            seen += match compiled.evaluate(&mut scratch, table.record(recno), recno).unwrap() {
                ExprValue::Character(text) => text.len(),
                _ => 1,
            };
        }
        println!("{text:40} {:7.2} ms ({seen})", begun.elapsed().as_secs_f64() * 1000.0);
    }
}
