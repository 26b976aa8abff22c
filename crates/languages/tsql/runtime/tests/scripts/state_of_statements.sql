-- All assignments of one SELECT see @@ERROR and @@ROWCOUNT of the statement before it.
CREATE TABLE p (id INT CONSTRAINT pk_p PRIMARY KEY, v INT)
INSERT p VALUES (1, 10), (2, 20)
GO
DECLARE @error INT, @rows INT
UPDATE p SET v = v + 1
SELECT @error = @@ERROR, @rows = @@ROWCOUNT
SELECT @error AS error, @rows AS rows
GO
DECLARE @error INT, @rows INT
INSERT p VALUES (1, 0)
SELECT @rows = @@ROWCOUNT, @error = @@ERROR
SELECT @error AS error, @rows AS rows
GO
DECLARE @error INT, @id INT, @n INT = 5
INSERT p VALUES (1, 0)
SELECT @id = SCOPE_IDENTITY(), @n += 1, @error = @@ERROR
SELECT @error AS error, @id AS id, @n AS n, @@ROWCOUNT AS rows
GO
-- The statement itself counts one row, and succeeds.
DECLARE @a INT, @b INT, @rows INT, @error INT
UPDATE p SET v = 0 WHERE id > 5
SELECT @a = 1, @b = @a + 1
SELECT @rows = @@ROWCOUNT, @error = @@ERROR
SELECT @a AS a, @b AS b, @rows AS rows, @error AS error
GO
CREATE PROCEDURE change_both @id INT AS
BEGIN TRANSACTION
DECLARE @error INT, @rows INT
UPDATE p SET v = v * 2 WHERE id = @id
SELECT @error = @@ERROR, @rows = @@ROWCOUNT
IF @error <> 0 OR @rows <> 1
BEGIN
    ROLLBACK TRANSACTION
    RETURN 1
END
INSERT p VALUES (@id, 0)
SELECT @error = @@ERROR, @rows = @@ROWCOUNT
IF @error <> 0 OR @rows <> 1
BEGIN
    ROLLBACK TRANSACTION
    RETURN 2
END
COMMIT TRANSACTION
RETURN 0
GO
DECLARE @status INT
EXEC @status = change_both 9
SELECT @status AS status, @@TRANCOUNT AS trancount
EXEC @status = change_both 2
SELECT @status AS status, @@TRANCOUNT AS trancount
SELECT * FROM p ORDER BY id
GO
