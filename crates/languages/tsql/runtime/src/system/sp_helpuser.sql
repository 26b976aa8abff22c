-- The users of the database with their roles, or one of them, or the members of a role.
CREATE PROCEDURE sys.sp_helpuser @name_in_db sysname = NULL
AS
IF @name_in_db IS NOT NULL AND NOT EXISTS (SELECT 1 FROM sys.database_principals WHERE name = @name_in_db)
BEGIN
  RAISERROR (15198, 16, 1, @name_in_db)
  RETURN 1
END
IF EXISTS (SELECT 1 FROM sys.database_principals WHERE type = 'R' AND name = @name_in_db)
  SELECT CAST(r.name AS sysname) AS Role_name, CAST(r.principal_id AS smallint) AS Role_id,
    CAST(m.name AS sysname) AS Users_in_role, CAST(m.principal_id AS smallint) AS UserID
  FROM sys.database_principals AS r JOIN sys.database_role_members AS rm ON rm.role_principal_id = r.principal_id
    JOIN sys.database_principals AS m ON m.principal_id = rm.member_principal_id
  WHERE r.name = @name_in_db ORDER BY m.name
ELSE
  SELECT CAST(u.name AS sysname) AS UserName, CAST(ISNULL(r.name, 'public') AS sysname) AS RoleName,
    CAST(CASE u.principal_id WHEN 1 THEN 'sa' END AS sysname) AS LoginName,
    CAST(CASE u.principal_id WHEN 1 THEN 'master' END AS sysname) AS DefDBName,
    CAST(u.default_schema_name AS sysname) AS DefSchemaName, CAST(u.principal_id AS smallint) AS UserID,
    CAST(CASE u.principal_id WHEN 1 THEN 0x01 END AS varbinary(85)) AS SID
  FROM sys.database_principals AS u LEFT JOIN sys.database_role_members AS rm ON rm.member_principal_id = u.principal_id
    LEFT JOIN sys.database_principals AS r ON r.principal_id = rm.role_principal_id
  WHERE u.type <> 'R' AND (@name_in_db IS NULL OR u.name = @name_in_db) ORDER BY u.name
RETURN 0
