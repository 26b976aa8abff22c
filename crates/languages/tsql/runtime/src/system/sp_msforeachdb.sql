-- Runs up to three commands for every database, of which there is one.
CREATE PROCEDURE sys.sp_msforeachdb @command1 nvarchar(2000), @replacechar nchar(1) = N'?', @command2 nvarchar(2000) = NULL,
  @command3 nvarchar(2000) = NULL, @precommand nvarchar(2000) = NULL, @postcommand nvarchar(2000) = NULL
AS
DECLARE @name sysname = DB_NAME()
IF @precommand IS NOT NULL EXEC (@precommand)
EXEC sp_mainstay_foreach @name, @replacechar, @command1, @command2, @command3
IF @postcommand IS NOT NULL EXEC (@postcommand)
RETURN 0
