-- The old way to make a type: `sp_addtype id, 'varchar(11)', 'NOT NULL'`.
CREATE PROCEDURE sys.sp_addtype @typename sysname, @phystype sysname, @nulltype varchar(8) = NULL, @owner sysname = NULL
AS
DECLARE @text nvarchar(1000) = N'CREATE TYPE ' + QUOTENAME(ISNULL(@owner, N'dbo')) + N'.' + QUOTENAME(@typename) + N' FROM '
  + @phystype + N' ' + CASE UPPER(@nulltype) WHEN 'NULL' THEN N'NULL' WHEN 'NOT NULL' THEN N'NOT NULL' WHEN 'NONULL' THEN N'NOT NULL' ELSE N'' END
EXEC (@text)
RETURN 0
