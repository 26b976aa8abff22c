-- Statements and names that lead elsewhere (fault sql-07): the Service Broker's (40515 when they run, so that a procedure with one
-- is created), methods of assemblies (40515), linked servers (7202).
CREATE PROCEDURE dbo.send_it AS BEGIN DECLARE @h uniqueidentifier; BEGIN DIALOG CONVERSATION @h FROM SERVICE a TO SERVICE 'b' ON CONTRACT c; SEND ON CONVERSATION @h MESSAGE TYPE m ('x'); END CONVERSATION @h; END
GO
EXEC dbo.send_it
GO
CREATE PROCEDURE dbo.sends @x INT AS
BEGIN
  IF @x = 1 BEGIN SELECT 'before' AS b END
  DECLARE @h uniqueidentifier
  IF @x = 2 BEGIN
    SEND ON CONVERSATION @h MESSAGE TYPE m ('x')
    END CONVERSATION @h WITH CLEANUP
  END
  SELECT 'after' AS a
END
GO
EXEC dbo.sends 1
EXEC dbo.sends 2
GO
DECLARE @h uniqueidentifier, @m xml; WAITFOR (RECEIVE TOP(1) @h = conversation_handle, @m = message_body FROM dbo.q), TIMEOUT 1000;
GO
RECEIVE * FROM dbo.q
GO
DECLARE @g uniqueidentifier; GET CONVERSATION GROUP @g FROM dbo.q; MOVE CONVERSATION @g TO @g
GO
CREATE FUNCTION dbo.cf(@a int) RETURNS int AS EXTERNAL NAME asm.cls.m;
GO
CREATE PROCEDURE dbo.cp @a int AS EXTERNAL NAME asm.cls.m;
GO
SELECT * FROM OPENQUERY(REMOTE1, 'SELECT 1 AS a');
GO
SELECT COUNT(*) FROM REMOTE1.db.dbo.t;
GO
CREATE TABLE here (a INT)
SELECT COUNT(*) AS n FROM MAINSTAY.test.dbo.here
