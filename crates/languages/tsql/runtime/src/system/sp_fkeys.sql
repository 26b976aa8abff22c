-- References from a table, to a table, or between two.
CREATE PROCEDURE sys.sp_fkeys
  @pktable_name sysname = NULL, @pktable_owner sysname = NULL, @pktable_qualifier sysname = NULL,
  @fktable_name sysname = NULL, @fktable_owner sysname = NULL, @fktable_qualifier sysname = NULL
AS
IF @pktable_name IS NULL AND @fktable_name IS NULL
BEGIN
  RAISERROR (15252, 16, 1)
  RETURN
END
IF @pktable_qualifier <> '' AND @pktable_qualifier <> DB_NAME() OR @fktable_qualifier <> '' AND @fktable_qualifier <> DB_NAME()
BEGIN
  RAISERROR (15250, 16, 1)
  RETURN
END
SELECT CAST(DB_NAME() AS sysname) AS PKTABLE_QUALIFIER, CAST(ps.name AS sysname) AS PKTABLE_OWNER, CAST(p.name AS sysname) AS PKTABLE_NAME,
  CAST(pc.name AS sysname) AS PKCOLUMN_NAME, CAST(DB_NAME() AS sysname) AS FKTABLE_QUALIFIER, CAST(fs.name AS sysname) AS FKTABLE_OWNER,
  CAST(f.name AS sysname) AS FKTABLE_NAME, CAST(fc.name AS sysname) AS FKCOLUMN_NAME,
  CAST(kc.constraint_column_id AS smallint) AS KEY_SEQ,
  CAST(CASE k.update_referential_action WHEN 0 THEN 1 WHEN 1 THEN 0 ELSE k.update_referential_action END AS smallint) AS UPDATE_RULE,
  CAST(CASE k.delete_referential_action WHEN 0 THEN 1 WHEN 1 THEN 0 ELSE k.delete_referential_action END AS smallint) AS DELETE_RULE,
  CAST(k.name AS sysname) AS FK_NAME, CAST(i.name AS sysname) AS PK_NAME, CAST(7 AS smallint) AS DEFERRABILITY
FROM sys.foreign_keys AS k
  JOIN sys.foreign_key_columns AS kc ON kc.constraint_object_id = k.object_id
  JOIN sys.tables AS p ON p.object_id = k.referenced_object_id
  JOIN sys.schemas AS ps ON ps.schema_id = p.schema_id
  JOIN sys.columns AS pc ON pc.object_id = kc.referenced_object_id AND pc.column_id = kc.referenced_column_id
  JOIN sys.tables AS f ON f.object_id = k.parent_object_id
  JOIN sys.schemas AS fs ON fs.schema_id = f.schema_id
  JOIN sys.columns AS fc ON fc.object_id = kc.parent_object_id AND fc.column_id = kc.parent_column_id
  LEFT JOIN sys.indexes AS i ON i.object_id = k.referenced_object_id AND i.index_id = k.key_index_id
WHERE (@pktable_name IS NULL OR p.name = @pktable_name) AND (@pktable_owner IS NULL OR @pktable_owner = '' OR ps.name = @pktable_owner)
  AND (@fktable_name IS NULL OR f.name = @fktable_name) AND (@fktable_owner IS NULL OR @fktable_owner = '' OR fs.name = @fktable_owner)
ORDER BY CASE WHEN @pktable_name IS NULL THEN ps.name ELSE fs.name END, CASE WHEN @pktable_name IS NULL THEN p.name ELSE f.name END,
  k.name, kc.constraint_column_id
