-- What a module names is looked up whenever it is used: it is accepted.
CREATE PROCEDURE sys.sp_refreshsqlmodule @name nvarchar(776), @namespace nvarchar(20) = NULL
AS
RETURN 0
