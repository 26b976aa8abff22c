-- CREATE DEFAULT is not there, and so no default that could be bound.
CREATE PROCEDURE sys.sp_bindefault @defname nvarchar(776), @objname nvarchar(776), @futureonly varchar(15) = NULL
AS
RAISERROR (15016, 16, 1, @defname)
RETURN 1
