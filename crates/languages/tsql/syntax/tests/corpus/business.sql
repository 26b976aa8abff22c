-- What line-of-business systems are made of: order entry, stock, invoicing, audit, reports.
CREATE PROCEDURE dbo.AddOrder
    @customer int,
    @lines dbo.OrderLines READONLY,
    @note nvarchar(200) = NULL,
    @order int OUTPUT
AS
SET NOCOUNT, XACT_ABORT ON
DECLARE @limit money, @open money, @now datetime = GETDATE()

IF NOT EXISTS (SELECT 1 FROM @lines)
BEGIN
    RAISERROR ('An order needs at least one line.', 16, 1)
    RETURN 1
END

SELECT @limit = credit_limit, @open = ISNULL((SELECT SUM(total - paid) FROM invoices i WHERE i.customer = c.id AND i.state <> 'C'), 0)
FROM customers c WITH (UPDLOCK)
WHERE c.id = @customer

IF @@ROWCOUNT = 0 GOTO no_customer
IF @open + (SELECT SUM(l.quantity * p.price * (1 - ISNULL(l.discount, 0) / 100.0)) FROM @lines l JOIN prices p ON p.item = l.item AND @now BETWEEN p.valid_from AND p.valid_to) > @limit
BEGIN
    EXEC dbo.Notify @to = 'credit', @text = N'limit', @customer = @customer
    RETURN 2
END

BEGIN TRY
    BEGIN TRAN
    INSERT INTO orders (customer, ordered, note, state) VALUES (@customer, @now, NULLIF(LTRIM(RTRIM(@note)), ''), 'N')
    SET @order = SCOPE_IDENTITY()
    INSERT INTO order_lines (order_id, line, item, quantity, price)
    SELECT @order, ROW_NUMBER() OVER (ORDER BY l.item), l.item, l.quantity, p.price
    FROM @lines AS l INNER JOIN prices AS p ON p.item = l.item AND p.valid_to IS NULL
    UPDATE s SET s.reserved = s.reserved + l.quantity, s.changed = @now
    FROM stock s JOIN (SELECT item, SUM(quantity) AS quantity FROM @lines GROUP BY item) l ON l.item = s.item
    COMMIT
END TRY
BEGIN CATCH
    IF @@TRANCOUNT > 0 ROLLBACK TRAN;
    THROW
END CATCH
RETURN 0

no_customer:
RAISERROR (N'Customer %d does not exist.', 16, 1, @customer)
RETURN -1
GO
CREATE PROCEDURE dbo.Search (@name nvarchar(50) = NULL, @city nvarchar(50) = NULL, @order sysname = 'name', @page int = 1, @rows int = 50) AS
BEGIN
    DECLARE @sql nvarchar(max), @parameters nvarchar(500)
    SET @sql = N'SELECT id, name, city FROM dbo.customers WHERE 1 = 1'
    IF @name IS NOT NULL SET @sql = @sql + N' AND name LIKE @name + N''%'''
    IF @city IS NOT NULL SET @sql += N' AND city = @city'
    SET @sql = @sql + N' ORDER BY ' + QUOTENAME(CASE @order WHEN 'city' THEN 'city' ELSE 'name' END)
        + N' OFFSET ' + CAST((@page - 1) * @rows AS nvarchar(10)) + N' ROWS FETCH NEXT ' + CAST(@rows AS nvarchar(10)) + N' ROWS ONLY'
    SET @parameters = N'@name nvarchar(50), @city nvarchar(50)'
    EXEC sp_executesql @sql, @parameters, @name, @city
    EXECUTE (N'PRINT ''' + @order + N'''')
END
GO
CREATE TRIGGER trg_stock_audit ON dbo.stock FOR INSERT, UPDATE, DELETE AS
BEGIN
    SET NOCOUNT ON;
    IF NOT EXISTS (SELECT * FROM inserted) AND NOT EXISTS (SELECT * FROM deleted) RETURN;
    INSERT dbo.stock_audit (item, old_quantity, new_quantity, who, at, program)
    SELECT COALESCE(i.item, d.item), d.quantity, i.quantity, SUSER_SNAME(), CURRENT_TIMESTAMP, APP_NAME()
    FROM inserted i FULL OUTER JOIN deleted d ON i.item = d.item
    WHERE ISNULL(i.quantity, -1) <> ISNULL(d.quantity, -1);
    IF UPDATE(quantity) AND EXISTS (SELECT 1 FROM inserted WHERE quantity < 0)
    BEGIN
        ROLLBACK TRANSACTION;
        RAISERROR ('Stock below zero.', 16, 1);
    END
END
GO
CREATE PROC dbo.CloseMonth @year smallint, @month tinyint AS
DECLARE @from date = DATEFROMPARTS(@year, @month, 1), @customer int, @total money, @count int = 0
DECLARE @to date = DATEADD(month, 1, @from)
DECLARE customers_of_month CURSOR LOCAL FAST_FORWARD FOR
    SELECT o.customer, SUM(l.quantity * l.price) FROM orders o, order_lines l
    WHERE l.order_id = o.id AND o.ordered >= @from AND o.ordered < @to AND o.state IN ('S', 'D')
    GROUP BY o.customer HAVING SUM(l.quantity * l.price) > $0
OPEN customers_of_month
FETCH NEXT FROM customers_of_month INTO @customer, @total
WHILE @@FETCH_STATUS = 0
BEGIN
    INSERT INTO invoices (number, customer, issued, total)
    VALUES (NEXT VALUE FOR dbo.invoice_numbers, @customer, @to, ROUND(@total * 1.19, 2))
    IF @@ERROR <> 0 BREAK
    SELECT @count = @count + 1
    FETCH NEXT FROM customers_of_month INTO @customer, @total
END
CLOSE customers_of_month
DEALLOCATE customers_of_month
PRINT CONVERT(varchar(10), @count) + ' invoices'
RETURN @count
GO
-- A report by month, and its totals.
WITH months AS (
    SELECT CAST('20260101' AS date) AS first_day
    UNION ALL
    SELECT DATEADD(month, 1, first_day) FROM months WHERE first_day < '20261201'
), sums (first_day, region, amount) AS (
    SELECT m.first_day, c.region, SUM(i.total)
    FROM months m
    LEFT JOIN invoices i ON i.issued >= m.first_day AND i.issued < DATEADD(month, 1, m.first_day)
    LEFT JOIN customers c ON c.id = i.customer
    GROUP BY m.first_day, c.region
)
SELECT CASE WHEN GROUPING(s.region) = 1 THEN 'all' ELSE ISNULL(s.region, '?') END AS region,
       YEAR(s.first_day) AS [year], DATENAME(month, s.first_day) [month],
       SUM(s.amount) 'Amount', 100.0 * SUM(s.amount) / NULLIF(SUM(SUM(s.amount)) OVER (), 0) AS share,
       SUM(SUM(s.amount)) OVER (PARTITION BY s.region ORDER BY s.first_day ROWS UNBOUNDED PRECEDING) AS running
FROM sums s
GROUP BY s.first_day, s.region WITH ROLLUP
HAVING SUM(s.amount) IS NOT NULL
ORDER BY GROUPING(s.region), s.region, s.first_day
OPTION (MAXRECURSION 12)

SELECT region, [1] AS jan, [2] AS feb, [3] AS mar
FROM (SELECT c.region, MONTH(i.issued) AS m, i.total FROM invoices AS i JOIN customers AS c ON c.id = i.customer) AS x
PIVOT (SUM(total) FOR m IN ([1], [2], [3])) AS p

SELECT TOP (10) WITH TIES i.item, i.description, SUM(l.quantity) AS sold, RANK() OVER (ORDER BY SUM(l.quantity) DESC) AS place
FROM items i INNER JOIN order_lines l ON l.item = i.item
WHERE NOT EXISTS (SELECT NULL FROM discontinued d WHERE d.item = i.item) AND i.class LIKE '[A-C]%'
GROUP BY i.item, i.description ORDER BY sold DESC

SELECT o.id, o.ordered, (SELECT l.item '@item', l.quantity AS 'quantity' FROM order_lines l WHERE l.order_id = o.id FOR XML PATH ('line'), TYPE) AS lines
FROM orders AS o WHERE o.ordered BETWEEN '2026-01-01' AND '2026-01-31T23:59:59.997' FOR XML PATH ('order'), ROOT ('orders')

DELETE FROM sessions WHERE DATEDIFF(minute, last_seen, GETDATE()) > 30
UPDATE items SET price = CASE WHEN class = 'A' THEN price * 1.05 WHEN class IN ('B', 'C') THEN price * 1.03 ELSE price END, changed = GETDATE() WHERE supplier = 42
IF OBJECT_ID('tempdb..#open') IS NOT NULL DROP TABLE #open
SELECT id, customer, total - paid AS rest INTO #open FROM invoices WHERE state = 'O' AND due < GETDATE()
CREATE CLUSTERED INDEX ix_open ON #open (customer)
INSERT INTO reminders (invoice, level) OUTPUT inserted.id INTO #sent (id) SELECT id, 1 FROM #open WHERE rest > 5
EXEC msdb.dbo.sp_send_dbmail @profile_name = 'office', @recipients = 'a@example.org', @subject = N'Reminders', @body = N'sent'
DROP TABLE #open
GO
CREATE FUNCTION dbo.WorkingDays (@from date, @to date) RETURNS int AS
BEGIN
    RETURN (DATEDIFF(day, @from, @to) + 1) - (DATEDIFF(week, @from, @to) * 2)
        - CASE WHEN DATENAME(weekday, @from) = 'Sunday' THEN 1 ELSE 0 END
        - CASE WHEN DATENAME(weekday, @to) = 'Saturday' THEN 1 ELSE 0 END
        - (SELECT COUNT(*) FROM holidays WHERE day BETWEEN @from AND @to)
END
GO
CREATE VIEW dbo.StockValue WITH SCHEMABINDING AS
SELECT s.warehouse, s.item, SUM(ISNULL(s.quantity, 0)) AS quantity, SUM(ISNULL(s.quantity * i.cost, 0)) AS value, COUNT_BIG(*) AS rows_
FROM dbo.stock AS s INNER JOIN dbo.items AS i ON i.item = s.item
GROUP BY s.warehouse, s.item
GO
CREATE PROCEDURE dbo.Import @file nvarchar(260), @json nvarchar(max) AS
BEGIN
    SET NOCOUNT ON
    DECLARE @sql nvarchar(1000) = N'BULK INSERT #lines FROM ''' + REPLACE(@file, '''', '''''') + N''' WITH (FIELDTERMINATOR = '';'')'
    CREATE TABLE #lines (item varchar(20), quantity decimal(9, 3), price money)
    BEGIN TRY
        EXEC (@sql)
    END TRY
    BEGIN CATCH
        SELECT ERROR_NUMBER() AS number, ERROR_LINE() AS line, ERROR_MESSAGE() AS message, ERROR_PROCEDURE()
        RETURN 1
    END CATCH
    MERGE prices AS p USING (SELECT item, MAX(price) AS price FROM #lines GROUP BY item) AS l ON p.item = l.item
    WHEN MATCHED AND p.price <> l.price THEN UPDATE SET price = l.price, changed = GETDATE()
    WHEN NOT MATCHED THEN INSERT (item, price) VALUES (l.item, l.price)
    OUTPUT $action, inserted.item;
    INSERT INTO orders_web (id, customer, total)
    SELECT j.id, j.customer, j.total FROM OPENJSON(@json, '$.orders') WITH (id int '$.id', customer nvarchar(50) '$.customer.name', total money) j
    WHERE NOT EXISTS (SELECT 1 FROM orders_web w WHERE w.id = j.id)
END
GO
