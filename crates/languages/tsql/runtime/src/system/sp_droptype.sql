-- The old way to drop a type.
CREATE PROCEDURE sys.sp_droptype @typename sysname
AS
DECLARE @text nvarchar(300) = N'DROP TYPE ' + QUOTENAME(@typename)
EXEC (@text)
RETURN 0
