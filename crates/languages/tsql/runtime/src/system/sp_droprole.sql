-- There are no permissions: it is accepted, as DROP ROLE is.
CREATE PROCEDURE sys.sp_droprole @rolename sysname
AS
RETURN 0
