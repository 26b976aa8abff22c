-- There are no permissions: a role is accepted, as CREATE ROLE is.
CREATE PROCEDURE sys.sp_addrole @rolename sysname, @ownername sysname = NULL
AS
RETURN 0
