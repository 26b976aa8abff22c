-- Types without an order, paths to several nodes, options that exclude each other, and whose text an error is in.
CREATE TABLE Docs (Id INT, Doc XML, Note TEXT, Pic IMAGE)
INSERT Docs VALUES (1, '<a><b>1</b><b>2</b></a>', 'x', 0x01)
SELECT Id FROM Docs ORDER BY Doc
SELECT COUNT(*) FROM Docs GROUP BY Note
SELECT DISTINCT Doc FROM Docs
SELECT DISTINCT * FROM Docs
SELECT DISTINCT Note FROM Docs d
SELECT d.Id FROM Docs d ORDER BY d.Note
SELECT DISTINCT CAST(Id AS XML) FROM Docs
SELECT Doc.value('/a/b', 'int') FROM Docs
SELECT Doc.value('(/a/b)[2]', 'int') AS v FROM Docs
SELECT Id FROM Docs FOR JSON PATH, ROOT('x'), WITHOUT_ARRAY_WRAPPER
GO
CREATE FUNCTION dbo.Bad() RETURNS INT AS BEGIN
  PRINT 'x'
  RETURN 1
END
GO
CREATE PROCEDURE Broken AS
SELECT @nothing
GO
SELECT Id FROM Docs ORDER BY Id
SELECT Id, Note FROM Docs WHERE Note LIKE 'x%' ORDER BY CAST(Note AS VARCHAR(10))
GO
-- In what is calculated of them, in derived tables and variables.
SELECT Id FROM Docs ORDER BY ISNULL(Note, 'none')
SELECT DISTINCT CASE WHEN Id = 1 THEN Note ELSE 'x' END AS n FROM Docs
SELECT DISTINCT COALESCE(Pic, Pic) AS p FROM Docs
SELECT COUNT(*) FROM (SELECT Doc AS d, Id FROM Docs) q GROUP BY q.d
SELECT DISTINCT d FROM (SELECT * FROM (SELECT Doc FROM Docs) x (d)) q
SELECT DISTINCT * FROM (SELECT Note FROM Docs) q
DECLARE @x XML = '<a/>'
SELECT DISTINCT @x AS x FROM Docs
SELECT DISTINCT ISNULL(CAST(Note AS VARCHAR(10)), 'none') AS n, q.Id FROM (SELECT Id, Note FROM Docs) q ORDER BY q.Id
