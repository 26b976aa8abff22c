-- Gives back a lock that sp_getapplock took.
CREATE PROCEDURE sys.sp_releaseapplock
  @Resource nvarchar(255), @LockOwner varchar(32) = 'Transaction', @DbPrincipal sysname = 'public'
AS
DECLARE @result int = -999
EXEC sys.sp_mainstay_give_lock_back @Resource, @LockOwner, @DbPrincipal, @result OUTPUT
RETURN @result
