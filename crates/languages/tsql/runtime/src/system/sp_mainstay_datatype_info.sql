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
FROM sys.spt_datatype_info_view AS t
  CROSS APPLY (SELECT CASE WHEN @ODBCVer >= 3 THEN t.number WHEN t.number = 93 THEN 11 WHEN t.number = 91 THEN 9 ELSE t.number END AS shown) AS d
WHERE (t.form IS NULL OR t.form = @form) AND (@data_type = 0 OR d.shown = @data_type)
ORDER BY 2, 12, t.is_money, t.user_number, CASE WHEN t.form IS NULL THEN 0 ELSE 1 END
