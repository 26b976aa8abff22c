-- Takes a lock on a name that means something to its users only.
CREATE PROCEDURE sys.sp_getapplock
  @Resource nvarchar(255), @LockMode varchar(32), @LockOwner varchar(32) = 'Transaction', @LockTimeout int = NULL,
  @DbPrincipal sysname = 'public'
AS
DECLARE @result int = -999
SELECT @LockTimeout = ISNULL(@LockTimeout, @@LOCK_TIMEOUT)
EXEC sys.sp_mainstay_take_lock @Resource, @LockMode, @LockOwner, @LockTimeout, @result OUTPUT
RETURN @result
