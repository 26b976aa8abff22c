//! Calls of row functions and their results.

use super::harness::{call, check, context};
use crate::context::{Context, Random};
use crate::settings::{Settings, Switches};
use mainstay_types::Value;

#[test]
fn texts() {
    check(&[
        ("ASCII('A')", "65 :: int"),
        ("ASCII('')", "NULL"),
        ("ASCII('€')", "128"),
        ("UNICODE(N'漢')", "28450"),
        ("CHAR(65)", "A :: char(1)"),
        ("CHAR(256)", "NULL"),
        ("NCHAR(28450)", "漢 :: nchar(1)"),
        ("LEN('abc  ')", "3 :: int"),
        ("LEN(12345)", "5"),
        ("LEN('0x4142202020':varbinary(8))", "2"),
        ("LEN('0x010203':binary(10))", "10"),
        ("LEN(NULL)", "NULL"),
        ("LEN()", "174: The len function requires 1 argument(s)."),
        ("LEN('x':text)", "8116: Argument data type text is invalid for argument 1 of len function."),
        ("DATALENGTH('abc  ')", "5"),
        ("DATALENGTH(N'abc')", "6"),
        ("DATALENGTH(1)", "4"),
        ("DATALENGTH('x':varchar(max))", "1 :: bigint"),
        ("DATALENGTH(1.5)", "5"),
        ("DATALENGTH('12345678901234567890':decimal(38,0))", "9"),
        ("DATALENGTH($1)", "8"),
        ("LEFT('abcdef', 2)", "ab :: varchar(2)"),
        ("LEFT('abc', 10)", "abc :: varchar(3)"),
        ("LEFT(12345, 2)", "12"),
        ("LEFT('abc', -1)", "537: Invalid length parameter passed to the LEFT or SUBSTRING function."),
        ("RIGHT('abcdef', 2)", "ef"),
        ("RIGHT('abc', -1)", "536: Invalid length parameter passed to the right function."),
        ("SUBSTRING('abcdef', 2, 3)", "bcd :: varchar(3)"),
        ("SUBSTRING('abcdef', 0, 3)", "ab"),
        ("SUBSTRING('abcdef', -5, 3)", ""),
        ("SUBSTRING('abcdef', 5, 30)", "ef :: varchar(6)"),
        ("SUBSTRING('abcdef', 2, -1)", "537"),
        ("SUBSTRING('0x010203':varbinary(3), 2, 1)", "0x02 :: varbinary(1)"),
        ("SUBSTRING(123, 1, 1)", "8116: Argument data type int is invalid for argument 1 of substring function."),
        ("SUBSTRING('x':text, 1, 1)", "x"),
        ("CHARINDEX('C', 'abcabc')", "3 :: int"),
        ("CHARINDEX('c', 'abcabc', 4)", "6"),
        ("CHARINDEX('x', 'abc')", "0"),
        ("CHARINDEX('2', 12345)", "2"),
        ("CHARINDEX(2, '12345')", "8116: Argument data type int is invalid for argument 1 of charindex function."),
        ("PATINDEX('%2%', 12345)", "8116"),
        ("PATINDEX('%2%', NULL)", "8116: Argument data type NULL is invalid for argument 2 of patindex function."),
        ("CHARINDEX('', 'abc')", "0"),
        ("PATINDEX('%ter%', 'interesting')", "3"),
        ("PATINDEX('%[0-9]%', 'abc5')", "4"),
        ("PATINDEX('abc', 'xabc')", "0"),
        ("LTRIM('  x ')", "x  :: varchar(4)"),
        ("RTRIM('  x ')", "  x"),
        ("TRIM('  x ')", "x"),
        ("TRIM('..x.', '.')", "x"),
        ("SOUNDEX('Smith')", "S530"),
        ("SOUNDEX('Smythe')", "S530"),
        ("SOUNDEX('Ashcraft')", "A261"),
        ("SOUNDEX('Robert')", "R163"),
        ("SOUNDEX('')", "0000"),
        ("DIFFERENCE('Green', 'Greene')", "4"),
        ("PARSENAME('server.db.dbo.[my table]', 1)", "my table"),
        ("PARSENAME('db.dbo.t', 3)", "db"),
        ("PARSENAME('dbo.t', 3)", "NULL"),
        ("PARSENAME('a.b.c.d.e', 1)", "NULL"),
    ]);
}

#[test]
fn built_texts() {
    check(&[
        ("CONCAT('a', 1, NULL, 'b')", "a1b :: varchar(14)"),
        ("CONCAT(N'a', 'b')", "ab :: nvarchar(2)"),
        ("CONCAT('a')", "189: The concat function requires 2 to 254 arguments."),
        ("CONCAT_WS(',', 'a', NULL, 'b')", "a,b"),
        ("CONCAT_WS(NULL, 'a', 'b')", "ab"),
        ("LOWER('ABC')", "abc"),
        ("UPPER(N'straße')", "STRAßE"),
        ("UPPER('abc':char(5))", "ABC   :: varchar(5)"),
        ("REVERSE('abc')", "cba"),
        ("QUOTENAME('a]b')", "[a]]b] :: nvarchar(258)"),
        ("QUOTENAME('a''b', '''')", "'a''b'"),
        ("QUOTENAME('abc', '(')", "(abc)"),
        ("QUOTENAME('abc', 'x')", "NULL"),
        ("REPLACE('abcABC', 'B', 'x')", "axcAxC :: varchar(8000)"),
        ("REPLACE('abc', '', 'x')", "abc"),
        ("REPLACE('abc', 'b', NULL)", "NULL"),
        ("REPLACE('abc', N'b', '')", "ac :: nvarchar(4000)"),
        ("REPLICATE('ab', 3)", "ababab :: varchar(6)"),
        ("REPLICATE('ab', -1)", "NULL"),
        ("LEN(REPLICATE('ab', 9000))", "8000"),
        ("LEN(REPLICATE('ab':varchar(max), 9000))", "18000"),
        ("SPACE(3)", "    :: varchar(3)"),
        ("STR(123.45, 6, 1)", " 123.5 :: varchar(6)"),
        ("STR(123.45)", "       123 :: varchar(10)"),
        ("STR(123.45, 2, 2)", "**"),
        ("STR(FLOOR(123.45), 8, 3)", " 123.000"),
        ("STR(123.456, 5, 2)", "123.5"),
        ("STR(-1.5, 6, 2)", " -1.50"),
        ("STUFF('abcdef', 2, 3, 'ijklmn')", "aijklmnef"),
        ("STUFF('abc', 5, 1, 'x')", "NULL"),
        ("STUFF('0123456789', 8, 5, 'XY')", "0123456XY :: varchar(9)"),
        ("STUFF('abc', 2, 1, NULL)", "ac"),
        ("STUFF('abc', 0, 1, 'x')", "NULL"),
        ("TRANSLATE('2*[3+4]/{7-2}', '[]{}', '()()')", "2*(3+4)/(7-2)"),
        ("TRANSLATE('abc', 'ab', 'x')", "9828"),
        ("STRING_ESCAPE('\\ / \"', 'json')", "\\\\ \\/ \\\""),
        ("FORMATMESSAGE('%s is %d', 'x', 5)", "x is 5"),
    ]);
}

#[test]
fn numbers() {
    check(&[
        ("ABS(-5)", "5 :: int"),
        ("ABS(-1.50)", "1.50 :: decimal(3,2)"),
        ("ABS(-2147483648)", "2147483648 :: decimal(10,0)"),
        ("ABS('-2147483648':int)", "8115: Arithmetic overflow error converting expression to data type int."),
        ("ABS('-5')", "5 :: float"),
        ("SIGN(-5)", "-1 :: int"),
        ("SIGN(-1.5)", "-1.0"),
        ("CEILING(123.45)", "124 :: decimal(5,0)"),
        ("CEILING(-123.45)", "-123"),
        ("CEILING($123.45)", "124.0000 :: money"),
        ("FLOOR(-123.45)", "-124"),
        ("FLOOR(1.5e0)", "1 :: float"),
        ("ROUND(123.4545, 2)", "123.4500 :: decimal(7,4)"),
        ("ROUND(123.45, -2)", "100.00"),
        ("ROUND(150.75, 0, 1)", "150.00"),
        ("ROUND(-1.5, 0)", "-2.0"),
        ("ROUND(1.5, '1')", "8116"),
        ("ROUND(748, -3)", "1000"),
        ("ROUND('748.58':decimal(5,2), -3)", "8115"),
        ("ROUND(2.675e0, 2)", "2.6800000000000002"),
        ("POWER(2, 10)", "1024 :: int"),
        ("POWER(2, 31)", "232: Arithmetic overflow error for type int, value = 2147483648.000000."),
        ("POWER(2.5, 2)", "6.3 :: decimal(38,1)"),
        ("POWER(2.0, -1)", "0.5"),
        ("POWER(2, -1)", "0"),
        ("POWER(2e0, 0.5)", "1.4142135623730951"),
        ("SQRT(16)", "4 :: float"),
        ("SQRT(-1)", "3623: An invalid floating point operation occurred."),
        ("SQUARE(3)", "9"),
        ("LOG(8, 2)", "3"),
        ("LOG(0)", "3623"),
        ("LOG10(1000)", "3"),
        ("EXP(0)", "1"),
        ("EXP(1000)", "8115"),
        ("PI()", "3.1415926535897931"),
        ("DEGREES(PI())", "180"),
        ("RADIANS(90)", "1 :: int"),
        ("RADIANS(45.0)", "0.785398163397448279 :: decimal(38,18)"),
        ("SIN(0)", "0"),
        ("ATN2(1, 1)", "0.78539816339744828"),
        ("ACOS(2)", "3623"),
        ("RAND(1)", "0.71359199321292355"),
        ("BIT_COUNT(7)", "3 :: bigint"),
        ("BIT_COUNT('-1':smallint)", "16"),
        ("GET_BIT(5, 2)", "1 :: bit"),
        ("GET_BIT(5, 32)", "9838: Parameter 2 in function 'get_bit' is out of range 0 to 31."),
        ("SET_BIT(5, 1, 2)", "9839: Parameter 3 in function 'set_bit' must be 0 or 1."),
        ("ATN2(0, 0)", "3623"),
        ("DEGREES(2147483647)", "8115"),
        ("SET_BIT(0, 2)", "4"),
        ("SET_BIT(7, 0, 0)", "6"),
        ("LEFT_SHIFT(1, 4)", "16"),
        ("RIGHT_SHIFT(16, 4)", "1"),
        ("SIN('2024-01-01':date)", "8116: Argument data type date is invalid for argument 1 of sin function."),
        ("SIN('abc')", "8114: Error converting data type varchar to float."),
    ]);
}

#[test]
fn dates() {
    check(&[
        ("GETDATE()", "2024-03-05 15:04:09.123 :: datetime"),
        ("SYSDATETIME()", "2024-03-05 15:04:09.1234567 :: datetime2(7)"),
        ("SYSUTCDATETIME()", "2024-03-05 14:04:09.1234567"),
        ("SYSDATETIMEOFFSET()", "2024-03-05 15:04:09.1234567 +01:00"),
        ("CURRENT_TIMESTAMP", "2024-03-05 15:04:09.123"),
        ("DATEADD(month, 1, '2024-01-31')", "2024-02-29 00:00:00.000 :: datetime"),
        ("DATEADD(dd, 1, '2024-01-31':date)", "2024-02-01 :: date"),
        (
            "DATEADD(hour, 1, '2024-01-31':date)",
            "9810: The datepart hour is not supported by date function dateadd for data type date.",
        ),
        ("DATEADD(hour, 25, '10:00':time(0))", "11:00:00 :: time(0)"),
        ("DATEADD(year, 1, '10:00':time(0))", "9810"),
        ("DATEADD(ms, 3, '2024-01-01':datetime)", "2024-01-01 00:00:00.003"),
        ("DATEADD(ms, 1, '2024-01-01':datetime)", "2024-01-01 00:00:00.000"),
        ("DATEADD(ns, 100, '2024-01-01':datetime2(7))", "2024-01-01 00:00:00.0000001"),
        ("DATEADD(ns, 100, '2024-01-01':datetime)", "9810"),
        (
            "DATEADD(year, 8000, '2024-01-01':datetime)",
            "517: Adding a value to a 'datetime' column caused an overflow.",
        ),
        ("DATEADD(day, 1, 0)", "1900-01-02 00:00:00.000"),
        ("DATEADD(day, 1.9, '2024-01-01':date)", "2024-01-02"),
        ("DATEADD(fortnight, 1, 0)", "155: 'fortnight' is not a recognized dateadd option."),
        ("DATEADD('day', 1, 0)", "1023: Invalid parameter 1 specified for dateadd."),
        ("DATEADD(day, 1, '2024-01-31 10:00 +02:00':datetimeoffset(0))", "2024-02-01 10:00:00 +02:00"),
        ("DATEADD(day, 1, 'hello')", "241"),
        ("DATEADD(day, '1', 0)", "8116: Argument data type varchar is invalid for argument 2 of dateadd function."),
        (
            "DATEADD(second, 2147483648, '2024-01-01':datetime)",
            "8115: Arithmetic overflow error converting expression to data type int.",
        ),
        ("DATEDIFF(iso_week, 0, 1)", "9806"),
        ("DATEADD(day, 1)", "174: The dateadd function requires 3 argument(s)."),
        ("DATEDIFF(year, '2005-12-31', '2006-01-01')", "1 :: int"),
        ("DATEDIFF(day, '2024-01-01':datetime, '2024-03-01':date)", "60"),
        ("DATEDIFF(second, '2024-01-01', '2024-01-02')", "86400"),
        (
            "DATEDIFF(ms, '1900-01-01', '2024-01-02')",
            "535: The datediff function resulted in an overflow. The number of dateparts separating two date/time instances is too large. Try to use datediff with a less precise datepart.",
        ),
        ("DATEDIFF_BIG(ms, '1900-01-01', '1900-01-02')", "86400000 :: bigint"),
        ("DATEDIFF(day, NULL, '2024-01-02')", "NULL"),
        ("DATEDIFF(hour, '2024-01-01 10:00 +02:00':datetimeoffset, '2024-01-01 10:00 +00:00':datetimeoffset)", "2"),
        ("DATEPART(year, '2024-03-05')", "2024"),
        ("DATEPART(weekday, '2024-03-05')", "3"),
        ("DATEPART(iso_week, '2024-12-30')", "1"),
        ("DATEPART(tz, '2007-10-30 12:15:32.1234567 +05:10')", "310"),
        ("DATEPART(mcs, '2007-10-30 12:15:32.1234567 +05:10')", "123456"),
        ("DATEPART(hour, '2024-03-05':date)", "9810"),
        ("DATEPART(ns, '2024-01-01 00:00:00.003':datetime)", "3333300"),
        ("DATEDIFF(ms, '2024-01-01':datetime, '2024-01-01 00:00:00.003':datetime)", "3"),
        ("DATEDIFF(day, 0, '2024-01-01')", "45290"),
        ("DATEADD(month, DATEDIFF(month, 0, '2024-03-05'), 0)", "2024-03-01 00:00:00.000"),
        ("EOMONTH(0)", "8116: Argument data type int is invalid for argument 1 of eomonth function."),
        ("DATEPART(year, 0)", "1900"),
        ("DATENAME(month, '2024-03-05')", "March :: nvarchar(30)"),
        ("DATENAME(dw, '2024-03-05')", "Tuesday"),
        ("DATENAME(day, '2024-03-05')", "5"),
        ("DATENAME(tz, '2007-10-30 12:15:32 +05:10')", "+05:10"),
        ("DATETRUNC(month, '2021-12-08':date)", "2021-12-01 :: date"),
        ("DATETRUNC(hour, '2021-12-08 11:30:15.1234567':datetime2(7))", "2021-12-08 11:00:00.0000000"),
        ("DATE_BUCKET(week, 1, '2020-04-15':date)", "2020-04-13"),
        ("DATE_BUCKET(day, 0, '2020-04-15':date)", "9836"),
        ("DAY('2024-03-05')", "5"),
        ("MONTH('2024-03-05':datetime)", "3"),
        ("YEAR(0)", "1900"),
        ("YEAR('10:00':time(0))", "9810"),
        ("EOMONTH('2024-02-05')", "2024-02-29 :: date"),
        ("EOMONTH('2024-01-31', 1)", "2024-02-29"),
        ("EOMONTH('2024-01-31', -2)", "2023-11-30"),
        ("ISDATE('2024-02-30')", "0"),
        ("ISDATE('2024-02-29')", "1"),
        ("ISDATE('hello')", "0"),
        ("ISDATE(20260512)", "1"),
        ("ISDATE(1)", "0"),
        ("ISDATE(NULL)", "0"),
        ("SWITCHOFFSET('2024-01-01 10:00 +02:00':datetimeoffset(0), '-05:00')", "2024-01-01 03:00:00 -05:00"),
        ("SWITCHOFFSET('2024-01-01 10:00 +02:00':datetimeoffset(0), 60)", "2024-01-01 09:00:00 +01:00"),
        (
            "SWITCHOFFSET('2024-01-01 10:00 +02:00':datetimeoffset(0), 'x')",
            "9812: The timezone provided to builtin function switchoffset is invalid.",
        ),
        ("TODATETIMEOFFSET('2024-01-01 10:00':datetime2(0), '+02:00')", "2024-01-01 10:00:00 +02:00"),
    ]);
}

#[test]
fn dates_from_parts() {
    check(&[
        ("DATEFROMPARTS(2024, 2, 29)", "2024-02-29 :: date"),
        (
            "DATEFROMPARTS(2024, 2, 30)",
            "289: Cannot construct data type date, some of the arguments have values which are not valid.",
        ),
        ("DATEFROMPARTS(2024, NULL, 1)", "NULL"),
        ("DATETIMEFROMPARTS(2024, 1, 2, 3, 4, 5, 6)", "2024-01-02 03:04:05.007 :: datetime"),
        ("DATETIME2FROMPARTS(2024, 1, 2, 3, 4, 5, 50, 2)", "2024-01-02 03:04:05.50 :: datetime2(2)"),
        ("DATETIME2FROMPARTS(2024, 1, 2, 3, 4, 5, 500, 2)", "289"),
        ("DATETIME2FROMPARTS(2024, 1, 2, 3, 4, 5, 5, 9)", "1002"),
        ("SMALLDATETIMEFROMPARTS(2024, 1, 2, 3, 4)", "2024-01-02 03:04:00.000 :: smalldatetime"),
        ("TIMEFROMPARTS(23, 59, 59, 0, 0)", "23:59:59 :: time(0)"),
        (
            "DATETIMEOFFSETFROMPARTS(2024, 1, 2, 14, 23, 23, 5, 12, 30, 1)",
            "2024-01-02 14:23:23.5 +12:30 :: datetimeoffset(1)",
        ),
    ]);
}

#[test]
fn choices() {
    check(&[
        ("ISNULL(NULL, 5)", "5 :: int"),
        ("ISNULL('abc', 'abcdef')", "abc :: varchar(3)"),
        ("ISNULL(NULLIF('abc', 'abc'), 'abcdef')", "abc :: varchar(3)"),
        ("ISNULL(1, 'x')", "245: Conversion failed when converting the varchar value 'x' to data type int."),
        ("COALESCE(NULL, 'abc', 'abcdef')", "abc :: varchar(6)"),
        ("COALESCE(NULL, 1, 1.5)", "1.0 :: decimal(2,1)"),
        ("COALESCE(NULL, NULL)", "4127"),
        ("NULLIF(1, 1)", "NULL :: tinyint"),
        ("NULLIF(300, 4)", "300 :: smallint"),
        ("NULLIF(1, 2)", "1"),
        ("NULLIF('a', 'A ')", "NULL"),
        ("NULLIF(NULL, 1)", "4151"),
        ("IIF('1':bit, 'yes', 'no')", "yes :: varchar(3)"),
        ("CHOOSE(2, 'a', 'bc')", "bc :: varchar(2)"),
        ("CHOOSE(3, 'a', 'bc')", "NULL"),
        ("GREATEST(1, 2.5, '3')", "3.0 :: decimal(2,1)"),
        ("GREATEST(NULL, 2, 1)", "2"),
        ("LEAST('b', 'A')", "A"),
        ("ISNUMERIC('12')", "1 :: int"),
        ("ISNUMERIC('$1,000')", "1"),
        ("ISNUMERIC('1e5')", "1"),
        ("ISNUMERIC('abc')", "0"),
        ("ISNUMERIC('')", "0"),
        ("ISNUMERIC('-')", "1"),
        ("ISNUMERIC('\\')", "1"),
        ("ISNUMERIC('\t')", "1"),
        ("ISNUMERIC('  ')", "0"),
        ("ISNUMERIC(NULL)", "0"),
        ("ISNUMERIC(5)", "1"),
        ("ISNUMERIC('1':bit)", "0"),
        ("CHECKSUM(5)", "5"),
        ("CHECKSUM(NULL)", "2147483647"),
        ("BINARY_CHECKSUM('ABC')", "17763"),
        ("NULLIF(CHECKSUM('abc'), CHECKSUM('ABC  '))", "NULL"),
        ("HOST_NAME()", "desk :: nvarchar(128)"),
        ("NOSUCH(1)", "195: 'NOSUCH' is not a recognized built-in function name."),
    ]);
}

#[test]
fn json() {
    check(&[
        ("ISJSON('{\"a\":1}')", "1 :: int"),
        ("ISJSON('1')", "0"),
        ("ISJSON('1', 'VALUE')", "1"),
        ("ISJSON('oops')", "0"),
        ("ISJSON(NULL)", "NULL"),
        ("JSON_VALUE('{\"a\":{\"b\":\"x\"}}', '$.a.b')", "x :: nvarchar(4000)"),
        ("JSON_VALUE('{\"a\":{\"b\":\"x\"}}', '$.a')", "NULL"),
        (
            "JSON_VALUE('{\"a\":{\"b\":\"x\"}}', 'strict $.a')",
            "13623: Scalar value cannot be found in the specified JSON path.",
        ),
        ("JSON_VALUE('{}', 'strict $.a')", "13608: Property cannot be found on the specified JSON path."),
        (
            "JSON_VALUE('{}', 'a')",
            "13607: JSON path is not properly formatted. Unexpected character 'a' is found at position 0.",
        ),
        (
            "JSON_VALUE('{x', '$.a')",
            "13609: JSON text is not properly formatted. Unexpected character 'x' is found at position 1.",
        ),
        ("JSON_VALUE('[true, null]', '$[0]')", "true"),
        ("JSON_VALUE('[true, null]', '$[1]')", "NULL"),
        ("JSON_QUERY('{\"a\":[1, 2]}', '$.a')", "[1, 2] :: nvarchar(max)"),
        ("JSON_QUERY('{\"a\":1}', '$.a')", "NULL"),
        ("JSON_QUERY('{\"a\":1}', 'strict $.a')", "13624"),
        ("JSON_PATH_EXISTS('{\"a\":1}', '$.a')", "1"),
        ("JSON_MODIFY('{\"a\":1}', '$.a', 2)", "{\"a\":2}"),
        ("JSON_MODIFY('{\"a\":1}', '$.b', 'x')", "{\"a\":1,\"b\":\"x\"}"),
        ("JSON_MODIFY('{}', '$.b', '1':bit)", "{\"b\":true}"),
        ("JSON_MODIFY('{\"a\":1,\"b\":2,\"c\":3}', '$.b', NULL)", "{\"a\":1,\"c\":3}"),
        ("JSON_MODIFY('{\"a\":1,\"b\":2}', '$.b', NULL)", "{\"a\":1}"),
        ("JSON_MODIFY('{\"a\":1}', '$.a', NULL)", "{}"),
        ("JSON_MODIFY('{\"a\":1}', 'strict $.a', NULL)", "{\"a\":null}"),
        ("JSON_MODIFY('{\"a\":[1]}', 'append $.a', 2)", "{\"a\":[1,2]}"),
        ("JSON_MODIFY('{\"a\":1}', '$.b', '[1]')", "{\"a\":1,\"b\":\"[1]\"}"),
        ("JSON_MODIFY('{\"a\":1}', '$.b', JSON_QUERY('[1]'))", "{\"a\":1,\"b\":[1]}"),
        ("JSON_MODIFY('{}', 'strict $.b', 1)", "13608"),
        ("JSON_OBJECT('a', 1, 'b', 'x')", "{\"a\":1,\"b\":\"x\"}"),
        ("JSON_ARRAY(1, NULL, 'x', JSON_ARRAY(2))", "[1,\"x\",[2]]"),
        ("JSON_ARRAY NULL ON NULL(1, NULL)", "[1,null]"),
        ("JSON_OBJECT('b', '0x4142':varbinary(2))", "{\"b\":\"QUI=\"}"),
        ("JSON_OBJECT('f', '1234567890':float)", "{\"f\":1.234567890000000e+009}"),
        ("JSON_OBJECT('d', '2025-01-15 12:34:56':datetime)", "{\"d\":\"2025-01-15T12:34:56\"}"),
        ("JSON_OBJECT('a', NULL)", "{\"a\":null}"),
        ("JSON_OBJECT ABSENT ON NULL('a', NULL, 'b', 1)", "{\"b\":1}"),
    ]);
}

#[test]
fn hashes() {
    check(&[
        ("HASHBYTES('MD5', 'abc')", "0x900150983CD24FB0D6963F7D28E17F72"),
        ("HASHBYTES('SHA1', 'abc')", "0xA9993E364706816ABA3E25717850C26C9CD0D89D"),
        ("HASHBYTES('sha2_256', 'abc')", "0xBA7816BF8F01CFEA414140DE5DAE2223B00361A396177A9CB410FF61F20015AD"),
        ("HASHBYTES('MD5', N'a')", "0x4144E195F46DE78A3623DA7364D04F11"),
        ("HASHBYTES('MD5', NULL)", "8116: Argument data type NULL is invalid for argument 2 of hashbytes function."),
        ("HASHBYTES('nosuch', 'abc')", "NULL :: varbinary(8000)"),
        ("HASHBYTES('MD5', 1)", "8116: Argument data type int is invalid for argument 2 of hashbytes function."),
        ("BASE64_ENCODE('0x010203FF':varbinary(4))", "AQID/w== :: varchar(8)"),
        ("BASE64_ENCODE('0x010203FF':varbinary(4), 1)", "AQID_w"),
        ("BASE64_DECODE('AQID/w==')", "0x010203FF"),
        ("BASE64_DECODE('A')", "9803"),
    ]);
}

#[test]
fn zones_and_types() {
    check(&[
        (
            "AT TIME ZONE('2024-07-01 10:00':datetime2(0), 'Central European Standard Time')",
            "2024-07-01 10:00:00 +02:00 :: datetimeoffset(0)",
        ),
        (
            "AT TIME ZONE('2024-07-01 10:00 +00:00':datetimeoffset(0), 'Pacific Standard Time')",
            "2024-07-01 03:00:00 -07:00",
        ),
        ("AT TIME ZONE('2024-07-01 10:00':datetime, 'UTC')", "2024-07-01 10:00:00.000 +00:00 :: datetimeoffset(3)"),
        (
            "AT TIME ZONE('2024-07-01 10:00':datetime, 'nowhere')",
            "9820: The time zone parameter 'nowhere' provided to AT TIME ZONE clause is invalid.",
        ),
        (
            "AT TIME ZONE('2024-07-01':date, 'UTC')",
            "8116: Argument data type date is invalid for argument 1 of AT TIME ZONE function.",
        ),
        ("AT TIME ZONE('2024-07-01 10:00':datetime, 'UTC ')", "9820"),
        (
            "AT TIME ZONE('9999-12-31 23:59 +00:00':datetimeoffset(3), 'Tokyo Standard Time')",
            "9999-12-31 23:59:59.999 +00:00",
        ),
        (
            "AT TIME ZONE('0001-01-01 00:00':datetime2(0), 'Tokyo Standard Time')",
            "9813: The timezone provided to builtin function AT TIME ZONE would cause the datetimeoffset to overflow the range of valid date range in either UTC or local time.",
        ),
        ("TYPE_ID('INT')", "56"),
        ("TYPE_ID('sysname')", "256"),
        ("TYPE_ID('nosuch')", "NULL"),
        ("TYPE_NAME(231)", "nvarchar"),
        ("TYPE_NAME(108)", "numeric"),
        ("SQL_VARIANT_PROPERTY(1.50, 'Precision')", "3"),
        ("SQL_VARIANT_PROPERTY('x', 'BaseType')", "varchar"),
        ("SESSIONPROPERTY('ANSI_NULLS')", "1"),
    ]);
}

#[test]
fn new_ids_differ() {
    let random = Random::seeded(5);
    let context = context(&random);
    assert_ne!(call(&context, "NEWID()").unwrap().1, call(&context, "NEWID()").unwrap().1);
}

#[test]
fn overflows_are_null_with_the_options_off() {
    let settings = Settings::NEW.with(Switches::ANSI_WARNINGS | Switches::ARITHABORT, false);
    let lenient = Context { settings, ..Context::default() };
    assert_eq!(call(&lenient, "POWER(2, 40)").unwrap().1, Value::Null);
}
