-- What the owner may do with tables, which is everything: there are no other users.
CREATE PROCEDURE sys.sp_table_privileges
  @table_name nvarchar(384), @table_owner nvarchar(384) = NULL, @table_qualifier sysname = NULL, @fUsePattern bit = 1
AS
SELECT CAST(DB_NAME() AS sysname) AS TABLE_QUALIFIER, CAST(s.name AS sysname) AS TABLE_OWNER, CAST(o.name AS sysname) AS TABLE_NAME,
  CAST('dbo' AS sysname) AS GRANTOR, CAST('dbo' AS sysname) AS GRANTEE, CAST(p.name AS varchar(32)) AS PRIVILEGE, CAST('YES' AS varchar(3)) AS IS_GRANTABLE
FROM sys.objects AS o JOIN sys.schemas AS s ON s.schema_id = o.schema_id
  CROSS JOIN (VALUES ('DELETE'), ('INSERT'), ('REFERENCES'), ('SELECT'), ('UPDATE')) AS p (name)
WHERE o.type IN ('U', 'V') AND o.name LIKE @table_name AND (@table_owner IS NULL OR s.name LIKE @table_owner)
ORDER BY 1, 2, 3, 6
