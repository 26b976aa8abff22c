-- Orders come as a document, and go into tables.
CREATE TABLE Customers (CustomerID nvarchar(10) PRIMARY KEY, ContactName nvarchar(40))
CREATE TABLE Lines (OrderID int, CustomerID varchar(10), ProdID int, Qty int)
GO
CREATE PROCEDURE LoadOrders @doc nvarchar(max) AS
DECLARE @h int, @status int
EXEC @status = sp_xml_preparedocument @h OUTPUT, @doc
IF @status <> 0 RETURN @status
INSERT INTO Customers SELECT * FROM OPENXML(@h, '/ROOT/Customer', 1) WITH Customers
INSERT INTO Lines
SELECT * FROM OPENXML(@h, '/ROOT/Customer/Order/OrderDetail', 2)
  WITH (OrderID int '../@OrderID', CustomerID varchar(10) '../../@CustomerID', ProdID int '@ProductID', Qty int '@Quantity')
EXEC sp_xml_removedocument @h
GO
DECLARE @doc varchar(2000) = '<?xml version="1.0"?>
<ROOT>
<Customer CustomerID="VINET" ContactName="Paul Henriot">
  <Order OrderID="10248" CustomerID="VINET" EmployeeID="5" OrderDate="1996-07-04T00:00:00">
    <OrderDetail ProductID="11" Quantity="12"/>
    <OrderDetail ProductID="42" Quantity="10"/>
  </Order>
</Customer>
<Customer CustomerID="LILAS" ContactName="Carlos Gonzlez">
  <Order OrderID="10283" CustomerID="LILAS" EmployeeID="3" OrderDate="1996-08-16T00:00:00">
    <OrderDetail ProductID="72" Quantity="3"/>
  </Order>
</Customer>
</ROOT>'
DECLARE @status int
EXEC @status = LoadOrders @doc
SELECT @status AS status
SELECT * FROM Customers ORDER BY CustomerID
SELECT * FROM Lines ORDER BY OrderID, ProdID
GO
-- The status of a document that is none.
DECLARE @status int
EXEC @status = LoadOrders '<ROOT><Customer></ROOT>'
SELECT @status AS status, @@ERROR AS error
GO
-- Attributes, elements, both.
DECLARE @h int
EXEC sp_xml_preparedocument @h OUTPUT, N'<r><c id="1" name="attribute"><name>element</name><id>7</id><town>Oslo</town></c><c id="2"><name>second</name></c></r>'
SELECT 'none' AS flags, * FROM OPENXML(@h, '/r/c') WITH (id int, name varchar(20), town varchar(20))
SELECT '1' AS flags, * FROM OPENXML(@h, '/r/c', 1) WITH (id int, name varchar(20), town varchar(20))
SELECT '2' AS flags, * FROM OPENXML(@h, '/r/c', 2) WITH (id int, name varchar(20), town varchar(20))
SELECT '3' AS flags, * FROM OPENXML(@h, '/r/c', 3) WITH (id int, name varchar(20), town varchar(20))
SELECT * FROM OPENXML(@h, '/r/c', 3) WITH (ID int, Town varchar(20))
-- Steps, conditions, places.
SELECT * FROM OPENXML(@h, '//c[@id = "2"]/name') WITH (name varchar(20) '.', id int '../@id')
SELECT * FROM OPENXML(@h, '/r/c[town]/*') WITH (tag varchar(20) '@mp:localname', value varchar(20) 'text()', first int '../id')
SELECT * FROM OPENXML(@h, '/r/c[position() = 2]') WITH (id int '@id', before int 'parent::r/c[1]/@id')
SELECT * FROM OPENXML(@h, '/r/c/@id') WITH (id int '.', owner varchar(20) '../name')
DECLARE @pattern nvarchar(50) = N'/r/c', @flags tinyint = 2
SELECT t.name, COUNT(*) AS n FROM OPENXML(@h, @pattern, @flags) WITH (name varchar(20)) AS t GROUP BY t.name ORDER BY t.name
EXEC sp_xml_removedocument @h
GO
-- What the columns have not taken.
DECLARE @h int
EXEC sp_xml_preparedocument @h OUTPUT, N'<all>
  <row id="1"><lname>Duffy</lname><Address><Street>111 Maple</Street><City>Seattle</City></Address></row>
  <row id="2"><lname>Wang</lname></row></all>'
SELECT * FROM OPENXML(@h, '/all/row', 10)
  WITH (id int '@id', lname varchar(30), xmlname xml 'lname', OverFlow xml '@mp:xmltext')
SELECT * FROM OPENXML(@h, '/all/row', 2) WITH (id int '@id', whole ntext '@mp:xmltext')
SELECT * FROM OPENXML(@h, '/all/row', 1) WITH (id int, lname xml)
EXEC sp_xml_removedocument @h
GO
-- Properties of nodes.
DECLARE @h int
EXEC sp_xml_preparedocument @h OUTPUT, N'<r xmlns:x="urn:x"><x:a k="v">one<b/></x:a><c>two</c></r>'
SELECT * FROM OPENXML(@h, '/r/*') WITH (id int '@mp:id', parent int '@mp:parentid', name varchar(10) '@mp:localname',
  prefix varchar(10) '@mp:prefix', uri varchar(10) '@mp:namespaceuri', prev int '@mp:prev', up varchar(10) '@mp:parentlocalname',
  above int '../@mp:id')
-- The edge table.
SELECT * FROM OPENXML(@h, '/r') ORDER BY id
SELECT nodetype, localname, CAST(text AS varchar(10)) AS text FROM OPENXML(@h, '/r/c')
EXEC sp_xml_removedocument @h
GO
-- Prefixes in patterns stand for the namespaces of the third argument.
DECLARE @h int
EXEC sp_xml_preparedocument @h OUTPUT, N'<all xmlns:a="urn:1"><a:Elem abar="asdf">T<a>a</a>U</a:Elem></all>', '<ns xmlns:b="urn:1" />'
SELECT * FROM OPENXML(@h, '/all/b:Elem') WITH (Col1 varchar(20) 'text()', Col2 varchar(20) '.', abar varchar(10))
SELECT COUNT(*) AS n FROM OPENXML(@h, '/all/Elem')
SELECT * FROM OPENXML(@h, '/all/a:Elem') WITH (abar varchar(10))
EXEC sp_xml_removedocument @h
GO
-- Nothing is a document without rows; XML is taken as text is.
DECLARE @h int, @x xml = '<a><b>1</b></a>'
EXEC sp_xml_preparedocument @h OUTPUT
SELECT COUNT(*) AS n FROM OPENXML(@h, '/a')
EXEC sp_xml_removedocument @h
EXEC sp_xml_preparedocument @h OUTPUT, @x
SELECT b * 2 AS b FROM OPENXML(@h, '/a', 2) WITH (b int)
EXEC sp_xml_removedocument @hdoc = @h
GO
-- A document stays from batch to batch, and its handle is that of no other.
CREATE TABLE #h (h int)
DECLARE @h int, @second int
EXEC sp_xml_preparedocument @hdoc = @h OUTPUT, @xmltext = '<a n="1"/>'
EXEC sp_xml_preparedocument @second OUTPUT, '<a n="2"/>'
INSERT #h VALUES (@h), (@second)
GO
DECLARE @h int = (SELECT MIN(h) FROM #h), @second int = (SELECT MAX(h) FROM #h)
SELECT a.n, b.n AS m FROM OPENXML(@h, '/a') WITH (n int) a CROSS JOIN OPENXML(@second, '/a') WITH (n int) b
UPDATE #h SET h = -x.n FROM OPENXML(@h, '/a') WITH (n int) AS x WHERE #h.h = @h
SELECT COUNT(*) AS changed FROM #h WHERE h = -1
EXEC sp_xml_removedocument @h
EXEC sp_xml_removedocument @second
GO
-- In a function, which reads the document of who calls it.
CREATE FUNCTION dbo.FirstName(@h int) RETURNS varchar(20) AS
BEGIN
  DECLARE @name varchar(20)
  SELECT TOP 1 @name = name FROM OPENXML(@h, '/r/c', 2) WITH (name varchar(20))
  RETURN @name
END
GO
DECLARE @h int
EXEC sp_xml_preparedocument @h OUTPUT, '<r><c><name>Anna</name></c></r>'
SELECT dbo.FirstName(@h) AS name
SELECT dbo.FirstName(h) AS name FROM (SELECT @h AS h) AS d
EXEC sp_xml_removedocument @h
GO
-- What is wrong with documents, handles, patterns and values.
DECLARE @h int
EXEC sp_xml_preparedocument @h OUTPUT, '<a><b></a>'
SELECT @h AS h, @@ERROR AS error
EXEC sp_xml_preparedocument @h OUTPUT, '<a/><b/>'
EXEC sp_xml_preparedocument @h OUTPUT, '<a><b>'
EXEC sp_xml_removedocument 77
EXEC sp_xml_removedocument NULL
SELECT * FROM OPENXML(78, '/a')
BEGIN TRY
  SELECT * FROM OPENXML(@h, '/a') WITH (n int)
END TRY
BEGIN CATCH
  SELECT ERROR_NUMBER() AS number, ERROR_MESSAGE() AS message
END CATCH
EXEC sp_xml_preparedocument @h OUTPUT, '<a n="x"/>'
SELECT * FROM OPENXML(@h, 'count(/a)') WITH (n int)
SELECT * FROM OPENXML(@h, '/a[') WITH (n int)
SELECT * FROM OPENXML(@h, '/a') WITH (n int)
GO
DECLARE @h int
EXEC sp_xml_preparedocument @h OUTPUT, '<a n="x"/>'
SELECT * FROM OPENXML(@h, '/a') WITH (NoSuchTable)
GO
