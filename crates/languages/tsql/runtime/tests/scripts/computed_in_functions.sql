-- Functions that read tables with computed columns.
CREATE TABLE lines (id INT IDENTITY PRIMARY KEY, ord INT NOT NULL, qty INT NOT NULL, price DECIMAL(9, 2) NOT NULL, total AS qty * price, stamped AS DATEADD(day, 0, GETDATE()))
INSERT lines (ord, qty, price) VALUES (1, 2, 10), (1, 3, 1.50), (2, 1, 7)
GO
CREATE FUNCTION dbo.OrderTotal (@ord INT) RETURNS DECIMAL(18, 2) AS
BEGIN
    DECLARE @t DECIMAL(18, 2)
    SELECT @t = SUM(total) FROM lines WHERE ord = @ord
    RETURN ISNULL(@t, 0)
END
GO
CREATE FUNCTION dbo.BigLines (@least DECIMAL(9, 2)) RETURNS @r TABLE (id INT, total DECIMAL(18, 2), half AS total / 2) AS
BEGIN
    INSERT @r (id, total) SELECT id, total FROM lines WHERE total >= @least
    RETURN
END
GO
CREATE FUNCTION dbo.LinesOf (@ord INT) RETURNS TABLE AS RETURN SELECT id, total, CASE WHEN stamped > '20200101' THEN 1 ELSE 0 END AS recent FROM lines WHERE ord = @ord
GO
CREATE FUNCTION dbo.HasStamp (@id INT) RETURNS INT AS BEGIN RETURN (SELECT COUNT(*) FROM lines WHERE id = @id AND stamped <= GETDATE()) END
GO
CREATE FUNCTION dbo.Sums () RETURNS INT AS
BEGIN
    DECLARE @v TABLE (a INT, b AS a * 2)
    INSERT @v (a) VALUES (1), (2)
    RETURN (SELECT SUM(b) FROM @v)
END
GO
SELECT dbo.OrderTotal(1) AS a, dbo.OrderTotal(2) AS b, dbo.OrderTotal(3) AS c
SELECT ord, dbo.OrderTotal(ord) AS t FROM lines GROUP BY ord ORDER BY ord
SELECT * FROM dbo.BigLines(5) ORDER BY id
SELECT * FROM dbo.LinesOf(1) ORDER BY id
SELECT dbo.HasStamp(1) AS s
SELECT dbo.Sums() AS s
DECLARE @x DECIMAL(18, 2)
SET @x = dbo.OrderTotal(1)
PRINT @x
GO
-- A column that is computed by a function which reads such a table.
CREATE TABLE orders (id INT PRIMARY KEY, total AS dbo.OrderTotal(id))
INSERT orders (id) VALUES (1), (2)
SELECT * FROM orders ORDER BY id
GO
