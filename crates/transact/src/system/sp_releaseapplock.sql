-- Gives back a lock that sp_getapplock took.
CREATE PROCEDURE sys.sp_releaseapplock
  @Resource nvarchar(255), @LockOwner varchar(32) = 'Transaction', @DbPrincipal sysname = 'public'
AS
DECLARE @result int = -999
EXEC sys.sp_mainstay_give_lock_back @Resource, @LockOwner, @result OUTPUT
IF @result < 0
BEGIN
  RAISERROR ('Cannot release the application lock (Database Principal: ''%s'', Resource: ''%s'') because it is not currently held.',
    16, 1, @DbPrincipal, @Resource)
  RETURN -999
END
RETURN 0
