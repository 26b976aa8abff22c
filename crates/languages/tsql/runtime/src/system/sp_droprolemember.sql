-- There are no permissions: it is accepted, as ALTER ROLE is.
CREATE PROCEDURE sys.sp_droprolemember @rolename sysname, @membername sysname
AS
RETURN 0
