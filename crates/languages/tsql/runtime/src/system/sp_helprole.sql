-- The roles of the database, or one of them.
CREATE PROCEDURE sys.sp_helprole @rolename sysname = NULL
AS
IF @rolename IS NOT NULL AND NOT EXISTS (SELECT 1 FROM sys.database_principals WHERE type = 'R' AND name = @rolename)
BEGIN
  RAISERROR (15409, 11, 1, @rolename)
  RETURN 1
END
SELECT CAST(name AS sysname) AS RoleName, CAST(principal_id AS smallint) AS RoleId, CAST(0 AS int) AS IsAppRole
FROM sys.database_principals WHERE type = 'R' AND (@rolename IS NULL OR name = @rolename) ORDER BY principal_id
RETURN 0
