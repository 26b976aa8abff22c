CREATE TABLE dbo.Customers (Id INT IDENTITY(1,1) PRIMARY KEY, Name NVARCHAR(50) NOT NULL, Balance DECIMAL(10,2) DEFAULT 0, Born DATE NULL, Active BIT DEFAULT 1)
GO
INSERT INTO Customers (Name, Balance) VALUES ('Anna', 10.50), ('Bert', 20)
INSERT INTO Customers (Name) VALUES (N'Cäcilie')
SELECT SCOPE_IDENTITY() AS last, @@ROWCOUNT AS rows
SELECT * FROM Customers
SELECT Id, Name FROM Customers WHERE Name = 'ANNA'
SELECT COUNT(*) AS n, SUM(Balance) AS total, AVG(Balance) AS average, MIN(Name) AS first, MAX(Id) FROM Customers
GO
UPDATE Customers SET Balance = Balance + 1 WHERE Id <= 2
DELETE FROM Customers WHERE Id = 2
SELECT TOP 1 Name, Balance FROM Customers ORDER BY Balance DESC
GO
INSERT INTO Customers (Id, Name) VALUES (1, 'x')
GO
SELECT * FROM NoSuchTable
GO
SELECT NoSuchColumn FROM Customers
GO
CREATE TABLE #t (a INT, b VARCHAR(10))
DECLARE @i INT = 1
WHILE @i <= 3
BEGIN
    INSERT INTO #t VALUES (@i, 'row ' + CAST(@i AS VARCHAR(10)))
    SET @i = @i + 1
END
SELECT * FROM #t ORDER BY a DESC
DROP TABLE #t
GO
DECLARE @v TABLE (k INT PRIMARY KEY, v NVARCHAR(20))
INSERT INTO @v VALUES (1, 'one'), (2, 'two')
SELECT v FROM @v WHERE k = 2
GO
BEGIN TRAN
INSERT INTO Customers (Name) VALUES ('Temp')
SELECT @@TRANCOUNT
ROLLBACK
SELECT COUNT(*) FROM Customers WHERE Name = 'Temp'
GO
DECLARE @name NVARCHAR(50), @b DECIMAL(10,2)
SELECT @name = Name, @b = Balance FROM Customers WHERE Id = 1
SELECT @name, @b
GO
UPDATE Customers SET Balance = 5 OUTPUT deleted.Balance AS old, inserted.Balance AS new WHERE Id = 1
INSERT INTO Customers (Name) OUTPUT inserted.Id, inserted.Name VALUES ('Dora')
DELETE FROM Customers OUTPUT deleted.Name WHERE Name = 'Dora'
GO
DECLARE @list NVARCHAR(MAX) = ''
SELECT @list = @list + Name + ';' FROM Customers ORDER BY Id
SELECT @list
GO
DECLARE c CURSOR FOR SELECT Id, Name FROM Customers ORDER BY Id
DECLARE @id INT, @n NVARCHAR(50)
OPEN c
FETCH NEXT FROM c INTO @id, @n
WHILE @@FETCH_STATUS = 0
BEGIN
    PRINT CAST(@id AS VARCHAR(10)) + ' ' + @n
    FETCH NEXT FROM c INTO @id, @n
END
CLOSE c
DEALLOCATE c
GO
