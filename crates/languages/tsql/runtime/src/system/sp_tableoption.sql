-- Rows are kept in one way only: it is accepted.
CREATE PROCEDURE sys.sp_tableoption @TableNamePattern nvarchar(776), @OptionName varchar(35), @OptionValue varchar(12) = NULL
AS
RETURN 0
