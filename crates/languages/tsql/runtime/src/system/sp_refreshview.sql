-- What a view is made of is looked up whenever it is used: it is accepted.
CREATE PROCEDURE sys.sp_refreshview @viewname nvarchar(776)
AS
RETURN 0
