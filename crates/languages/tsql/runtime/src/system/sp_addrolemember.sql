-- There are no permissions: a member of a role is accepted, as ALTER ROLE is.
CREATE PROCEDURE sys.sp_addrolemember @rolename sysname, @membername sysname
AS
RETURN 0
