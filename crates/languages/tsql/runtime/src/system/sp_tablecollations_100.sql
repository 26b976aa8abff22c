-- The collations of a table's columns, as SqlBulkCopy of .NET asks for them before a bulk load.
CREATE PROCEDURE sys.sp_tablecollations_100 @object nvarchar(4000)
AS
SELECT c.column_id AS colid, CAST(c.name AS sysname) AS name,
  CAST(CASE WHEN c.collation_name = 'SQL_Latin1_General_CP1_CI_AS' THEN 0x0904D00034 END AS binary(5)) AS tds_collation,
  CAST(c.collation_name AS sysname) AS "collation"
FROM sys.columns AS c
WHERE c.object_id = OBJECT_ID(@object)
ORDER BY c.column_id
