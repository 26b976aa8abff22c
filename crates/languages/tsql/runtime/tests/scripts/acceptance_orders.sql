-- Order entry as a shop wrote it around 2005: identities, stock, invoices, credit, with return codes and GOTO handlers.
SET ANSI_NULLS ON
SET QUOTED_IDENTIFIER ON
GO
CREATE TABLE dbo.Customers (
    CustomerID   int IDENTITY(1000, 1) NOT NULL CONSTRAINT PK_Customers PRIMARY KEY CLUSTERED,
    CompanyName  nvarchar(40) NOT NULL,
    CreditLimit  money NOT NULL CONSTRAINT DF_Customers_CreditLimit DEFAULT (0),
    Balance      money NOT NULL CONSTRAINT DF_Customers_Balance DEFAULT (0),
    Discontinued bit NOT NULL DEFAULT (0)
)
CREATE TABLE dbo.Products (
    ProductID   int NOT NULL PRIMARY KEY,
    ProductName varchar(30) NOT NULL,
    UnitPrice   money NOT NULL CHECK (UnitPrice >= 0),
    OnHand      int NOT NULL CONSTRAINT CK_Products_OnHand CHECK (OnHand >= 0),
    Reorder     smallint NULL
)
CREATE TABLE dbo.Orders (
    OrderID    int IDENTITY(1, 1) NOT NULL PRIMARY KEY,
    CustomerID int NOT NULL CONSTRAINT FK_Orders_Customers REFERENCES dbo.Customers (CustomerID),
    OrderDate  datetime NOT NULL,
    Status     char(1) NOT NULL DEFAULT ('N'),
    Freight    smallmoney NULL
)
CREATE TABLE dbo.OrderLines (
    OrderID   int NOT NULL REFERENCES dbo.Orders (OrderID) ON DELETE CASCADE,
    LineNumber smallint NOT NULL,
    ProductID int NOT NULL REFERENCES dbo.Products (ProductID),
    Quantity  int NOT NULL CHECK (Quantity > 0),
    Price     money NOT NULL,
    Discount  decimal(5, 4) NOT NULL DEFAULT 0,
    Extended  AS CAST(ROUND(Quantity * Price * (1 - Discount), 2) AS money) PERSISTED,
    CONSTRAINT PK_OrderLines PRIMARY KEY (OrderID, LineNumber)
)
CREATE TABLE dbo.Counters (CounterName varchar(20) NOT NULL PRIMARY KEY, NextValue int NOT NULL)
CREATE TABLE dbo.Invoices (InvoiceNo char(11) NOT NULL PRIMARY KEY, OrderID int NOT NULL UNIQUE, Total money NOT NULL)
GO
INSERT dbo.Customers (CompanyName, CreditLimit) VALUES (N'Alfreds', 5000)
INSERT dbo.Customers (CompanyName, CreditLimit) VALUES (N'Berglunds snabbköp', 250.50)
INSERT dbo.Customers (CompanyName, Discontinued) SELECT N'Chop-suey', 1
INSERT dbo.Products SELECT 1, 'Chai', 18.00, 39, 10 UNION ALL SELECT 2, 'Chang', 19.00, 17, 25
    UNION ALL SELECT 3, 'Aniseed Syrup', 10.00, 13, NULL UNION ALL SELECT 4, 'Gumbo Mix', 21.35, 0, 0
INSERT dbo.Counters VALUES ('INVOICE', 41)
GO
-- 1. A new order: checks, an output parameter, RETURN codes.
CREATE PROCEDURE dbo.usp_CreateOrder
    @CustomerID int,
    @OrderDate  datetime = NULL,
    @OrderID    int OUTPUT
AS
SET NOCOUNT ON
DECLARE @err int
IF NOT EXISTS (SELECT * FROM dbo.Customers WHERE CustomerID = @CustomerID)
    RETURN 1
IF (SELECT Discontinued FROM dbo.Customers WHERE CustomerID = @CustomerID) = 1
    RETURN 2
INSERT INTO dbo.Orders (CustomerID, OrderDate)
VALUES (@CustomerID, ISNULL(@OrderDate, '20050301 10:30'))
SELECT @err = @@ERROR, @OrderID = SCOPE_IDENTITY()
IF @err <> 0 RETURN @err
RETURN 0
GO
-- 2. A line: the price of the product, the next number, the stock, all or nothing with @@ERROR and GOTO.
CREATE PROCEDURE dbo.usp_AddLine
    @OrderID int, @ProductID int, @Quantity int, @Discount decimal(5, 4) = 0
AS
BEGIN
    SET NOCOUNT ON
    DECLARE @price money, @line smallint, @rc int, @error int
    BEGIN TRANSACTION
    SELECT @price = UnitPrice FROM dbo.Products WITH (UPDLOCK, ROWLOCK) WHERE ProductID = @ProductID
    IF @@ROWCOUNT = 0
    BEGIN
        RAISERROR ('Product %d does not exist.', 16, 1, @ProductID)
        GOTO Failed
    END
    SELECT @line = ISNULL(MAX(LineNumber), 0) + 1 FROM dbo.OrderLines (HOLDLOCK) WHERE OrderID = @OrderID
    INSERT dbo.OrderLines (OrderID, LineNumber, ProductID, Quantity, Price, Discount)
    VALUES (@OrderID, @line, @ProductID, @Quantity, @price, @Discount)
    SELECT @error = @@ERROR, @rc = @@ROWCOUNT
    IF @error <> 0 OR @rc <> 1 GOTO Failed
    UPDATE dbo.Products SET OnHand = OnHand - @Quantity WHERE ProductID = @ProductID
    IF @@ERROR <> 0 GOTO Failed
    COMMIT TRANSACTION
    RETURN 0
Failed:
    ROLLBACK TRANSACTION
    RETURN -1
END
GO
DECLARE @id int, @rc int
EXEC @rc = dbo.usp_CreateOrder 1000, '2005-03-01T09:15:00', @id OUTPUT
SELECT @rc AS rc, @id AS id
EXEC @rc = dbo.usp_AddLine @id, 1, 10
SELECT @rc AS rc
EXEC @rc = dbo.usp_AddLine @id, 2, 5, 0.15
SELECT @rc AS rc
EXEC @rc = dbo.usp_AddLine @id, 4, 1
SELECT @rc AS rc, @@TRANCOUNT AS tc
EXEC @rc = dbo.usp_AddLine @id, 99, 1
SELECT @rc AS rc, @@TRANCOUNT AS tc
EXEC @rc = dbo.usp_AddLine @OrderID = @id, @Quantity = 3, @ProductID = 3, @Discount = .333
SELECT @rc AS rc
EXEC @rc = dbo.usp_CreateOrder @CustomerID = 1002, @OrderID = @id OUTPUT
SELECT @rc AS rc, @id AS id
EXEC @rc = dbo.usp_CreateOrder 7, DEFAULT, @id OUTPUT
SELECT @rc AS rc
EXEC @rc = dbo.usp_CreateOrder 1001, DEFAULT, @id OUTPUT
SELECT @rc AS rc, @id AS id
SELECT * FROM dbo.Orders
SELECT * FROM dbo.OrderLines
SELECT ProductID, OnHand FROM dbo.Products
GO
-- 3. Numbers without gaps: UPDATE @v = column = expression.
CREATE PROCEDURE dbo.usp_NextNumber @Counter varchar(20), @Number int OUTPUT
AS
SET NOCOUNT ON
UPDATE dbo.Counters SET @Number = NextValue = NextValue + 1 WHERE CounterName = @Counter
IF @@ROWCOUNT = 0
BEGIN
    INSERT dbo.Counters (CounterName, NextValue) VALUES (@Counter, 1)
    SET @Number = 1
END
GO
-- 4. Invoicing with nested transactions and TRY/CATCH: the outermost level rolls back, inner ones only re-raise.
CREATE PROCEDURE dbo.usp_Invoice @OrderID int, @InvoiceNo char(11) = NULL OUTPUT
AS
BEGIN
    SET NOCOUNT ON
    DECLARE @started bit, @n int, @total money, @customer int, @msg nvarchar(2048), @sev int, @state int
    SET @started = CASE WHEN @@TRANCOUNT = 0 THEN 1 ELSE 0 END
    BEGIN TRY
        IF @started = 1 BEGIN TRAN ELSE SAVE TRAN Invoicing
        SELECT @total = SUM(l.Extended), @customer = MIN(o.CustomerID)
        FROM dbo.Orders o INNER JOIN dbo.OrderLines l ON l.OrderID = o.OrderID
        WHERE o.OrderID = @OrderID
        IF @total IS NULL
            RAISERROR (N'Order %i has no lines.', 16, 2, @OrderID)
        EXEC dbo.usp_NextNumber 'INVOICE', @n OUT
        SET @InvoiceNo = 'INV-' + RIGHT('000000' + CAST(@n AS varchar(6)), 6)
        INSERT dbo.Invoices VALUES (@InvoiceNo, @OrderID, @total)
        UPDATE dbo.Orders SET Status = 'I' WHERE OrderID = @OrderID
        UPDATE dbo.Customers SET Balance = Balance + @total WHERE CustomerID = @customer
        IF EXISTS (SELECT 1 FROM dbo.Customers WHERE CustomerID = @customer AND Balance > CreditLimit)
            RAISERROR (N'Customer %d is over the limit.', 15, 3, @customer)
        IF @started = 1 COMMIT TRAN
        RETURN 0
    END TRY
    BEGIN CATCH
        SELECT @msg = ERROR_MESSAGE(), @sev = ERROR_SEVERITY(), @state = ERROR_STATE()
        IF XACT_STATE() = -1 OR @started = 1
            ROLLBACK TRAN
        ELSE IF XACT_STATE() = 1
            ROLLBACK TRAN Invoicing
        RAISERROR (@msg, @sev, @state)
        RETURN 55555
    END CATCH
END
GO
DECLARE @no char(11), @rc int, @id int
EXEC @rc = usp_Invoice 1, @no OUTPUT
SELECT @rc AS rc, @no AS no, DATALENGTH(@no) AS bytes
EXEC @rc = usp_Invoice 1, @no OUTPUT
SELECT @rc AS rc, @no AS no, @@TRANCOUNT AS tc
EXEC @rc = usp_Invoice 2
SELECT @rc AS rc
EXEC dbo.usp_AddLine 2, 1, 14
BEGIN TRAN
EXEC @rc = usp_Invoice 2, @no OUTPUT
SELECT @rc AS rc, @@TRANCOUNT AS tc, XACT_STATE() AS xs
COMMIT
SELECT * FROM Invoices
SELECT CustomerID, Balance FROM Customers
SELECT * FROM Counters
SELECT OrderID, Status FROM Orders
GO
-- 5. Stock is given to the lines of open orders by a cursor, the oldest order first.
CREATE TABLE Allocations (OrderID int, LineNumber smallint, Allocated int, BackOrdered int)
CREATE TABLE Demand (OrderID int, LineNumber smallint, ProductID int, Wanted int, OrderDate smalldatetime)
INSERT Demand VALUES (10, 1, 3, 4, '2005-03-03 08:00')
INSERT Demand VALUES (11, 1, 3, 5, '2005-03-01 17:45:40')
INSERT Demand VALUES (11, 2, 2, 20, '2005-03-01 17:45:20')
INSERT Demand VALUES (12, 1, 3, 6, '2005-03-04')
GO
CREATE PROC AllocateStock AS
SET NOCOUNT ON
DECLARE @order int, @line smallint, @product int, @wanted int, @have int, @give int
DECLARE lines CURSOR LOCAL FAST_FORWARD FOR
    SELECT OrderID, LineNumber, ProductID, Wanted FROM Demand ORDER BY OrderDate, OrderID, LineNumber
OPEN lines
FETCH NEXT FROM lines INTO @order, @line, @product, @wanted
WHILE (@@FETCH_STATUS <> -1)
BEGIN
    IF (@@FETCH_STATUS <> -2)
    BEGIN
        BEGIN TRAN
        SELECT @have = OnHand FROM Products WITH (UPDLOCK) WHERE ProductID = @product
        SET @give = CASE WHEN @have >= @wanted THEN @wanted ELSE @have END
        UPDATE Products SET OnHand -= @give WHERE ProductID = @product
        INSERT Allocations SELECT @order, @line, @give, @wanted - @give
        COMMIT TRAN
    END
    FETCH NEXT FROM lines INTO @order, @line, @product, @wanted
END
CLOSE lines
DEALLOCATE lines
SELECT a.*, d.OrderDate FROM Allocations a JOIN Demand d ON d.OrderID = a.OrderID AND d.LineNumber = a.LineNumber
ORDER BY d.OrderDate, a.LineNumber
GO
EXEC AllocateStock
SELECT ProductID, OnHand FROM Products WHERE ProductID IN (2, 3)
GO
-- 6. The price list goes up: MONEY and its rounding, a cursor that updates where it stands.
DECLARE @id int, @price money, @new money
DECLARE prices CURSOR FOR SELECT ProductID, UnitPrice FROM Products FOR UPDATE OF UnitPrice
OPEN prices
FETCH prices INTO @id, @price
WHILE @@FETCH_STATUS = 0
BEGIN
    SELECT @new = @price * 1.075
    IF @new > 20 SET @new = CEILING(@new * 20) / 20
    UPDATE Products SET UnitPrice = @new WHERE CURRENT OF prices
    FETCH prices INTO @id, @price
END
CLOSE prices DEALLOCATE prices
SELECT ProductID, UnitPrice, UnitPrice / 3 AS third, CAST(UnitPrice / 3 AS decimal(9, 2)) AS cents, UnitPrice * 3 / 7 AS x FROM Products
SELECT CAST(10.125 AS money) / 3.00 AS m, $1 / 3 * 3 AS lost, 1.0 / 3 * $3 AS d, CONVERT(varchar(20), $1234567.895, 1) AS commas, CONVERT(varchar(20), $1234.5678, 2) AS four, CAST($0.005 AS varchar(10)) AS half
GO
-- 7. Deleting an order gives its stock back, in a set; and nothing happens without lines.
CREATE PROCEDURE dbo.usp_CancelOrder @OrderID int
AS
SET XACT_ABORT, NOCOUNT ON
BEGIN TRAN
UPDATE p SET p.OnHand = p.OnHand + l.Quantity
FROM dbo.Products AS p
JOIN (SELECT ProductID, SUM(Quantity) AS Quantity FROM dbo.OrderLines WHERE OrderID = @OrderID GROUP BY ProductID) AS l
    ON l.ProductID = p.ProductID
IF @@ROWCOUNT = 0
BEGIN
    ROLLBACK
    PRINT 'Order ' + LTRIM(STR(@OrderID)) + ' has nothing to give back'
    RETURN (4)
END
DELETE FROM dbo.Invoices WHERE OrderID = @OrderID
DELETE dbo.Orders WHERE OrderID = @OrderID
COMMIT
GO
DECLARE @rc int
EXEC @rc = usp_CancelOrder 5
SELECT @rc rc
EXEC @rc = usp_CancelOrder 1
SELECT @rc rc, @@TRANCOUNT tc
SELECT COUNT(*) AS lines FROM OrderLines
SELECT ProductID, OnHand FROM Products
GO
