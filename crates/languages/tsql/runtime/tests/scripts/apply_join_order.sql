-- Joins of a large table are reordered; a side of an APPLY stays beside the row that it refers to.
CREATE TABLE Orders (Id INT, Cust INT)
CREATE TABLE Customers (Id INT, Region INT)
CREATE TABLE Regions (Id INT, Name VARCHAR(10))
CREATE TABLE Lines (Ord INT, Qty INT)
INSERT INTO Orders SELECT value, value % 1000 FROM GENERATE_SERIES(1, 60000)
INSERT INTO Customers SELECT value, value % 10 FROM GENERATE_SERIES(0, 999)
INSERT INTO Regions SELECT value, CONCAT('r', value) FROM GENERATE_SERIES(0, 9)
INSERT INTO Lines VALUES (1, 2), (1, 3), (12, 1), (59991, 4), (60000, 7)
GO
SELECT o.Id, c.Region, x.Q FROM Orders o JOIN Customers c ON c.Id = o.Cust CROSS APPLY (SELECT SUM(l.Qty) AS Q FROM Lines l WHERE l.Ord = o.Id) x WHERE x.Q > 0 ORDER BY o.Id
SELECT o.Id, r.Name, x.Q FROM Orders o JOIN Customers c ON c.Id = o.Cust JOIN Regions r ON r.Id = c.Region CROSS APPLY (SELECT SUM(l.Qty) AS Q FROM Lines l WHERE l.Ord = o.Id) x WHERE r.Name = 'r1' AND x.Q > 0 ORDER BY o.Id
SELECT o.Id, r.Name, x.Q FROM Orders o CROSS APPLY (SELECT l.Qty AS Q FROM Lines l WHERE l.Ord = o.Id) x JOIN Customers c ON c.Id = o.Cust JOIN Regions r ON r.Id = c.Region WHERE r.Name = 'r1' ORDER BY o.Id, x.Q
SELECT o.Id, r.Name, x.Q FROM Orders o, Customers c, Regions r CROSS APPLY (SELECT TOP 1 l.Qty AS Q FROM Lines l WHERE l.Ord = r.Id ORDER BY l.Qty) x WHERE c.Id = o.Cust AND r.Id = c.Region AND o.Id <= 21 ORDER BY o.Id
