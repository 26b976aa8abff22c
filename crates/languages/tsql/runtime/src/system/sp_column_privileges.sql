-- What the owner may do with columns, which is everything: there are no other users.
CREATE PROCEDURE sys.sp_column_privileges
  @table_name sysname, @table_owner sysname = NULL, @table_qualifier sysname = NULL, @column_name nvarchar(384) = NULL
AS
SELECT CAST(DB_NAME() AS sysname) AS TABLE_QUALIFIER, CAST(s.name AS sysname) AS TABLE_OWNER, CAST(o.name AS sysname) AS TABLE_NAME,
  CAST(c.name AS sysname) AS COLUMN_NAME, CAST('dbo' AS sysname) AS GRANTOR, CAST('dbo' AS sysname) AS GRANTEE,
  CAST(p.name AS varchar(32)) AS PRIVILEGE, CAST('YES' AS varchar(3)) AS IS_GRANTABLE
FROM sys.objects AS o JOIN sys.schemas AS s ON s.schema_id = o.schema_id JOIN sys.columns AS c ON c.object_id = o.object_id
  CROSS JOIN (VALUES ('INSERT'), ('REFERENCES'), ('SELECT'), ('UPDATE')) AS p (name)
WHERE o.type IN ('U', 'V') AND o.name = @table_name AND (@table_owner IS NULL OR s.name = @table_owner)
  AND (@column_name IS NULL OR c.name LIKE @column_name)
ORDER BY 4, 7
