//! FORMAT, by the examples in .NET's reference pages.

use super::harness::check;

#[test]
fn numbers() {
    check(&[
        ("FORMAT(1234.5, 'C')", "$1,234.50 :: nvarchar(4000)"),
        ("FORMAT(-1234.5, 'C', 'en-US')", "($1,234.50)"),
        ("FORMAT(1234.5, 'C', 'de-DE')", "1.234,50 €"),
        ("FORMAT(1234.5, 'C', 'en-GB')", "£1,234.50"),
        ("FORMAT(1234.5, 'C0', 'ja-JP')", "¥1,235"),
        ("FORMAT(5, 'D4')", "0005"),
        ("FORMAT(1.5, 'D4')", "NULL"),
        ("FORMAT(12345.678, 'N')", "12,345.68"),
        ("FORMAT(12345.678, 'N1', 'fr-FR')", "12\u{a0}345,7"),
        ("FORMAT(0.1234, 'P')", "12.34 %"),
        ("FORMAT(12345.678, 'E2')", "1.23E+004"),
        ("FORMAT(12345.678, 'F1')", "12345.7"),
        ("FORMAT(12345.678, 'G')", "12345.678"),
        ("FORMAT(12345.678, 'G3')", "1.23E+04"),
        ("FORMAT(1e20, 'G')", "1E+20"),
        ("FORMAT(0.1e0, 'R')", "0.1"),
        ("FORMAT(255, 'X4')", "00FF"),
        ("FORMAT(-1, 'x')", "ffffffff"),
        ("FORMAT(99.995, 'F2')", "100.00"),
    ]);
}

#[test]
fn patterns_of_numbers() {
    check(&[
        ("FORMAT(1234567.891, '#,##0.00')", "1,234,567.89"),
        ("FORMAT(0, '#,##0.00')", "0.00"),
        ("FORMAT(0, '#')", ""),
        ("FORMAT(0.5, '#.##')", ".5"),
        ("FORMAT(5, '#.##')", "5"),
        ("FORMAT(100, '#')", "100"),
        ("FORMAT(1000, '#,#')", "1,000"),
        ("FORMAT(7, '#,000')", "007"),
        ("FORMAT(7, '#,0000')", "0,007"),
        ("FORMAT(123456789, '###-##-####')", "123-45-6789"),
        ("FORMAT(42, '00000')", "00042"),
        ("FORMAT(42, '0')", "42"),
        ("FORMAT(-42, '0')", "-42"),
        ("FORMAT(-42, '0;(0);zero')", "(42)"),
        ("FORMAT(0, '0;(0);zero')", "zero"),
        ("FORMAT(-0.1, '0;(0)')", "(0)"),
        ("FORMAT(0.256, '0.0%')", "25.6%"),
        ("FORMAT(1234567, '0,,.0')", "1.2"),
        ("FORMAT(1234567, '0,')", "1235"),
        ("FORMAT(12345, '0.00E+00')", "1.23E+04"),
        ("FORMAT(0.00012, '0.0E-0')", "1.2E-4"),
        ("FORMAT(5, '\\#0')", "#5"),
        ("FORMAT(5, '\"No.\" 0')", "No. 5"),
        ("FORMAT(1.10, '0.0##')", "1.1"),
        ("FORMAT(1234.5, '#,##0.00', 'de-DE')", "1.234,50"),
    ]);
}

#[test]
fn what_cannot_be_shown() {
    check(&[
        (
            "FORMAT(5, '0', 'xx-XX')",
            "9818: The culture parameter 'xx-XX' provided in the function call is not supported.",
        ),
        ("FORMAT('5', '0')", "8116: Argument data type varchar is invalid for argument 1 of format function."),
        ("FORMAT(NULLIF(1, 1), '0')", "NULL"),
        ("FORMAT('2024-03-05':date, 'q')", "NULL"),
        ("FORMAT('07:35':time(0), 'hh:mm')", "NULL"),
    ]);
}

#[test]
fn moments() {
    check(&[
        ("FORMAT('2024-03-05 15:04:09':datetime, 'yyyy-MM-dd HH:mm:ss')", "2024-03-05 15:04:09"),
        ("FORMAT('2024-03-05 15:04:09':datetime, 'd', 'en-US')", "3/5/2024"),
        ("FORMAT('2024-03-05 15:04:09':datetime, 'd', 'de-DE')", "05.03.2024"),
        ("FORMAT('2024-03-05 15:04:09':datetime, 'D', 'en-US')", "Tuesday, March 5, 2024"),
        ("FORMAT('2024-03-05 15:04:09':datetime, 'D', 'de-DE')", "Dienstag, 5. März 2024"),
        ("FORMAT('2024-03-05 15:04:09':datetime, 'D', 'pt-BR')", "Terça-Feira, 5 de Março de 2024"),
        ("FORMAT('2024-03-05 15:04:09':datetime, 'd', 'sv-SE')", "2024-03-05"),
        ("FORMAT('2024-03-05 15:04:09':datetime, 'd/M/yy h:mm tt')", "5/3/24 3:04 PM"),
        ("FORMAT('2024-03-05 15:04:09':datetime, 'dddd, MMM dd')", "Tuesday, Mar 05"),
        ("FORMAT('2024-03-05 15:04:09':datetime, 'g')", "3/5/2024 3:04 PM"),
        ("FORMAT('2024-03-05 15:04:09':datetime, 'R')", "Tue, 05 Mar 2024 15:04:09 GMT"),
        ("FORMAT('2024-03-05 15:04:09':datetime, '%d')", "5"),
        ("FORMAT('2024-03-05 15:04:09.12':datetime2(7), 'ss.fff')", "09.120"),
        ("FORMAT('2024-03-05 15:04:09.12':datetime2(7), 'ss.FFF')", "09.12"),
        ("FORMAT('2024-03-05 15:04:09':datetime2(7), 'ss.FFF')", "09"),
        ("FORMAT('2024-03-05 15:04:09':datetime, 'o')", "2024-03-05T15:04:09.0000000"),
        ("FORMAT('2024-03-05 15:04:09 +02:00':datetimeoffset(0), 'yyyy zzz')", "2024 +02:00"),
        ("FORMAT('2024-03-05 15:04:09 +02:00':datetimeoffset(0), 'u')", "2024-03-05 13:04:09Z"),
        ("FORMAT('07:35':time(0), 'hh\\:mm')", "07:35"),
        ("FORMAT('07:35':time(0), 'c')", "07:35:00"),
    ]);
}
