-- UPDATE that sets variables, of a row by its key (fault tsql-17). UPDATE (Transact-SQL): `SET @variable = column = expression`
-- gives the variable the value after the update, `SET @variable = column` the one before; without a row the variable stays.
CREATE TABLE r (id INT PRIMARY KEY, g INT, a MONEY, v VARCHAR(5))
CREATE TABLE s (id INT PRIMARY KEY, b INT)
INSERT r VALUES (1, 10, 1, 'one'), (2, 20, 2, 'two'), (3, 30, 3, NULL)
INSERT s VALUES (1, 100), (2, 200)
GO
DECLARE @q INT = 5, @x MONEY, @y MONEY, @z MONEY
UPDATE r SET a = a + @q, @x = a WHERE id = 1
PRINT CONCAT(@x, ' ', @@ROWCOUNT)
UPDATE r SET @x = a = a * 2 WHERE id = 1
PRINT @x
UPDATE r SET @y = a, @z = a = r.a + 1 WHERE id = 1
PRINT CONCAT(@y, ' ', @z)
UPDATE r SET @x = CASE @q WHEN 5 THEN a END WHERE id = 2
PRINT @x
UPDATE r SET @x = 0 WHERE id = 99
PRINT CONCAT(@x, ' ', @@ROWCOUNT)
SELECT id, g, a FROM r ORDER BY id
GO
-- What goes on from row to row goes on from the variable's value before the statement, in the order in which it is written.
DECLARE @t MONEY = 100, @n INT = 7, @s VARCHAR(3) = 'ab', @m INT = 1
UPDATE r SET g = NULL, @t = @t + a WHERE id = 2
PRINT @t
UPDATE r SET @t += a WHERE id = 2
PRINT @t
UPDATE r SET @n = @n + 1, g = @n WHERE id = 2
PRINT @n
UPDATE r SET @n = @n + 1, @m = @n * 10, g = @m + @n WHERE id = 3
PRINT CONCAT(@n, ' ', @m)
-- The variable has three characters.
UPDATE r SET @s = @s + 'cd', v = @s WHERE id = 3
PRINT @s
UPDATE r SET @n = g = @n + g, v = @n WHERE id = 3
PRINT @n
SELECT id, g, v FROM r ORDER BY id
GO
-- Tables beside the target, and several rows.
DECLARE @b INT, @n INT = 0
UPDATE r SET g = s.b, @b = s.b + r.id FROM r JOIN s ON s.id = r.id WHERE r.id = 2
PRINT @b
UPDATE r SET @n = @n + 1, g = @n WHERE id <= 3
PRINT @n
UPDATE r SET @b = (SELECT SUM(b) FROM s) + id WHERE id = 3
PRINT @b
SELECT id, g FROM r ORDER BY id
GO
-- A table with a trigger shows both rows.
CREATE TABLE log (was INT, is_now INT)
GO
CREATE TRIGGER r_changed ON r AFTER UPDATE AS INSERT log SELECT d.g, i.g FROM deleted d JOIN inserted i ON i.id = d.id
GO
DECLARE @was INT
UPDATE r SET @was = g, g = g + 5 WHERE id = 1
PRINT @was
SELECT * FROM log
GO
-- The same statement in a loop.
DECLARE @i INT = 0, @sum INT = 0, @old INT
WHILE @i < 3
BEGIN
    SET @i += 1
    UPDATE s SET b = b + @i, @old = b WHERE id = 1
    SET @sum += @old
    IF EXISTS (SELECT 1 FROM s WHERE id = 1 AND b > 101) SET @sum += (SELECT b FROM s WHERE id = 2)
END
PRINT @sum
