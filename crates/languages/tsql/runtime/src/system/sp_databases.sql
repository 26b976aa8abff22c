-- The databases, with their sizes in kilobytes where they are known.
CREATE PROCEDURE sys.sp_databases AS
SELECT CAST(name AS sysname) AS DATABASE_NAME, CAST(8192 AS int) AS DATABASE_SIZE, CAST(NULL AS varchar(254)) AS REMARKS
FROM sys.databases ORDER BY 1
