-- The types, as SQLGetTypeInfo of ODBC wants them: in form 1 all of them, in form 0 for drivers that know no type newer than
-- SQL Server 2000's. A row without a form is of both.
-- Drivers take the first row of a type for it: of the moments it is datetime2, or datetime for those that do not know that.
CREATE PROCEDURE sys.sp_mainstay_datatype_info @data_type int, @ODBCVer tinyint, @form tinyint
AS
SELECT CAST(t.name AS sysname) AS TYPE_NAME, CAST(d.shown AS smallint) AS DATA_TYPE,
  CASE WHEN @ODBCVer >= 3 OR t.radix <> 2 OR t.radix IS NULL THEN t.size WHEN t.name = 'real' THEN 7 ELSE 15 END AS "PRECISION",
  CAST(t.prefix AS varchar(32)) AS LITERAL_PREFIX, CAST(t.suffix AS varchar(32)) AS LITERAL_SUFFIX,
  CAST(t.parameters AS varchar(32)) AS CREATE_PARAMS, CAST(t.nullable AS smallint) AS NULLABLE,
  CAST(t.cases AS smallint) AS CASE_SENSITIVE, CAST(t.searchable AS smallint) AS SEARCHABLE,
  CAST(t.is_unsigned AS smallint) AS UNSIGNED_ATTRIBUTE, CAST(t.is_money AS smallint) AS MONEY,
  CAST(t.is_automatic AS smallint) AS AUTO_INCREMENT, CAST(t.name AS sysname) AS LOCAL_TYPE_NAME,
  CAST(t.lowest AS smallint) AS MINIMUM_SCALE, CAST(t.highest AS smallint) AS MAXIMUM_SCALE,
  CAST(t.verbose AS smallint) AS SQL_DATA_TYPE, CAST(t.sub AS smallint) AS SQL_DATETIME_SUB,
  CASE WHEN @ODBCVer >= 3 OR t.radix <> 2 THEN t.radix WHEN t.radix = 2 THEN 10 END AS NUM_PREC_RADIX,
  CAST(NULL AS smallint) AS INTERVAL_PRECISION, CAST(t.user_number AS smallint) AS USERTYPE
FROM (VALUES
  ('sql_variant', -150, 8000, NULL, NULL, NULL, 1, 0, 2, NULL, 0, NULL, 0, 0, -150, NULL, 10, 0, NULL),
  ('xml', -152, 0, 'N''', '''', NULL, 1, 1, 0, NULL, 0, NULL, NULL, NULL, -152, NULL, NULL, 0, 1),
  ('datetimeoffset', -155, 34, '''', '''', 'scale', 1, 0, 3, NULL, 0, NULL, 0, 7, -155, 0, NULL, 0, 1),
  ('datetimeoffset', -9, 34, '''', '''', 'scale', 1, 0, 3, NULL, 0, NULL, NULL, NULL, -9, NULL, NULL, 0, 0),
  ('time', -154, 16, '''', '''', 'scale', 1, 0, 3, NULL, 0, NULL, 0, 7, -154, 0, NULL, 0, 1),
  ('time', -9, 16, '''', '''', 'scale', 1, 0, 3, NULL, 0, NULL, NULL, NULL, -9, NULL, NULL, 0, 0),
  ('uniqueidentifier', -11, 36, '''', '''', NULL, 1, 0, 2, NULL, 0, NULL, NULL, NULL, -11, NULL, NULL, 0, NULL),
  ('ntext', -10, 1073741823, 'N''', '''', NULL, 1, 0, 1, NULL, 0, NULL, NULL, NULL, -10, NULL, NULL, 0, NULL),
  ('nvarchar', -9, 4000, 'N''', '''', 'max length', 1, 0, 3, NULL, 0, NULL, NULL, NULL, -9, NULL, NULL, 0, NULL),
  ('sysname', -9, 128, 'N''', '''', NULL, 0, 0, 3, NULL, 0, NULL, NULL, NULL, -9, NULL, NULL, 18, NULL),
  ('nchar', -8, 4000, 'N''', '''', 'length', 1, 0, 3, NULL, 0, NULL, NULL, NULL, -8, NULL, NULL, 0, NULL),
  ('bit', -7, 1, NULL, NULL, NULL, 1, 0, 2, NULL, 0, NULL, 0, 0, -7, NULL, NULL, 16, NULL),
  ('tinyint', -6, 3, NULL, NULL, NULL, 1, 0, 2, 1, 0, 0, 0, 0, -6, NULL, 10, 5, NULL),
  ('tinyint identity', -6, 3, NULL, NULL, NULL, 0, 0, 2, 1, 0, 1, 0, 0, -6, NULL, 10, 5, NULL),
  ('bigint', -5, 19, NULL, NULL, NULL, 1, 0, 2, 0, 0, 0, 0, 0, -5, NULL, 10, 0, NULL),
  ('bigint identity', -5, 19, NULL, NULL, NULL, 0, 0, 2, 0, 0, 1, 0, 0, -5, NULL, 10, 0, NULL),
  ('image', -4, 2147483647, '0x', NULL, NULL, 1, 0, 0, NULL, 0, NULL, NULL, NULL, -4, NULL, NULL, 20, NULL),
  ('varbinary', -3, 8000, '0x', NULL, 'max length', 1, 0, 2, NULL, 0, NULL, NULL, NULL, -3, NULL, NULL, 4, NULL),
  ('binary', -2, 8000, '0x', NULL, 'length', 1, 0, 2, NULL, 0, NULL, NULL, NULL, -2, NULL, NULL, 3, NULL),
  ('timestamp', -2, 8, '0x', NULL, NULL, 0, 0, 2, NULL, 0, NULL, NULL, NULL, -2, NULL, NULL, 80, NULL),
  ('text', -1, 2147483647, '''', '''', NULL, 1, 0, 1, NULL, 0, NULL, NULL, NULL, -1, NULL, NULL, 19, NULL),
  ('char', 1, 8000, '''', '''', 'length', 1, 0, 3, NULL, 0, NULL, NULL, NULL, 1, NULL, NULL, 1, NULL),
  ('numeric', 2, 38, NULL, NULL, 'precision,scale', 1, 0, 2, 0, 0, 0, 0, 38, 2, NULL, 10, 10, NULL),
  ('numeric() identity', 2, 38, NULL, NULL, 'precision', 0, 0, 2, 0, 0, 1, 0, 0, 2, NULL, 10, 10, NULL),
  ('decimal', 3, 38, NULL, NULL, 'precision,scale', 1, 0, 2, 0, 0, 0, 0, 38, 3, NULL, 10, 24, NULL),
  ('money', 3, 19, '$', NULL, NULL, 1, 0, 2, 0, 1, 0, 4, 4, 3, NULL, 10, 11, NULL),
  ('smallmoney', 3, 10, '$', NULL, NULL, 1, 0, 2, 0, 1, 0, 4, 4, 3, NULL, 10, 21, NULL),
  ('decimal() identity', 3, 38, NULL, NULL, 'precision', 0, 0, 2, 0, 0, 1, 0, 0, 3, NULL, 10, 24, NULL),
  ('int', 4, 10, NULL, NULL, NULL, 1, 0, 2, 0, 0, 0, 0, 0, 4, NULL, 10, 7, NULL),
  ('int identity', 4, 10, NULL, NULL, NULL, 0, 0, 2, 0, 0, 1, 0, 0, 4, NULL, 10, 7, NULL),
  ('smallint', 5, 5, NULL, NULL, NULL, 1, 0, 2, 0, 0, 0, 0, 0, 5, NULL, 10, 6, NULL),
  ('smallint identity', 5, 5, NULL, NULL, NULL, 0, 0, 2, 0, 0, 1, 0, 0, 5, NULL, 10, 6, NULL),
  ('float', 6, 53, NULL, NULL, NULL, 1, 0, 2, 0, 0, 0, NULL, NULL, 6, NULL, 2, 8, NULL),
  ('real', 7, 24, NULL, NULL, NULL, 1, 0, 2, 0, 0, 0, NULL, NULL, 7, NULL, 2, 23, NULL),
  ('varchar', 12, 8000, '''', '''', 'max length', 1, 0, 3, NULL, 0, NULL, NULL, NULL, 12, NULL, NULL, 2, NULL),
  ('date', 91, 10, '''', '''', NULL, 1, 0, 3, NULL, 0, NULL, NULL, 0, 9, 1, NULL, 0, 1),
  ('date', -9, 10, '''', '''', NULL, 1, 0, 3, NULL, 0, NULL, NULL, NULL, -9, NULL, NULL, 0, 0),
  ('datetime2', 93, 27, '''', '''', 'scale', 1, 0, 3, NULL, 0, NULL, 0, 7, 9, 3, NULL, 0, 1),
  ('datetime2', -9, 27, '''', '''', 'scale', 1, 0, 3, NULL, 0, NULL, NULL, NULL, -9, NULL, NULL, 0, 0),
  ('datetime', 93, 23, '''', '''', NULL, 1, 0, 3, NULL, 0, NULL, 3, 3, 9, 3, NULL, 12, NULL),
  ('smalldatetime', 93, 16, '''', '''', NULL, 1, 0, 3, NULL, 0, NULL, 0, 0, 9, 3, NULL, 22, NULL)
) AS t (name, number, size, prefix, suffix, parameters, nullable, cases, searchable, is_unsigned, is_money, is_automatic, lowest,
    highest, verbose, sub, radix, user_number, form)
  CROSS APPLY (SELECT CASE WHEN @ODBCVer >= 3 THEN t.number WHEN t.number = 93 THEN 11 WHEN t.number = 91 THEN 9 ELSE t.number END AS shown) AS d
WHERE (t.form IS NULL OR t.form = @form) AND (@data_type = 0 OR d.shown = @data_type)
ORDER BY 2, 12, t.is_money, t.user_number, CASE WHEN t.form IS NULL THEN 0 ELSE 1 END
