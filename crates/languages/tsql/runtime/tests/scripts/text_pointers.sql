-- A document of many pieces, as applications of the years before VARCHAR(MAX) wrote them.
CREATE TABLE Notes (id int PRIMARY KEY, body text, wide ntext, picture image, title varchar(20))
INSERT Notes VALUES (1, 'The quick brown fox', N'Grüße an alle', 0x0102030405, 'first'), (2, NULL, NULL, NULL, 'empty')
CREATE TABLE Log (what varchar(50))
GO
CREATE TRIGGER NotesChanged ON Notes AFTER UPDATE AS INSERT Log VALUES ('changed')
GO
SELECT id, DATALENGTH(TEXTPTR(body)) AS length, CASE WHEN TEXTPTR(n.wide) IS NULL THEN 'none' ELSE 'there' END AS wide,
  TEXTVALID('Notes.body', TEXTPTR(body)) AS valid, TEXTVALID('Notes.body', TEXTPTR(wide)) AS other
FROM Notes AS n ORDER BY id
GO
DECLARE @p varbinary(16), @w varbinary(16), @i varbinary(16), @n int
SELECT @p = TEXTPTR(body), @w = TEXTPTR(wide), @i = TEXTPTR(picture) FROM Notes WHERE id = 1
READTEXT Notes.body @p 4 5
READTEXT dbo.Notes.wide @w 2 3 HOLDLOCK
READTEXT Notes.picture @i 1 2
READTEXT Notes.body @p 0 0
SET TEXTSIZE 6
READTEXT Notes.body @p 4 11
READTEXT Notes.wide @w 0 6
SET TEXTSIZE 0
IF TEXTVALID('dbo.Notes.body', @p) = 1 PRINT 'valid'
IF TEXTVALID('Notes.body', @w) = 0 PRINT 'of another column'
IF TEXTVALID('Notes.body', NULL) = 0 PRINT 'of none'
-- Where and how much may be variables.
SET @n = 3
READTEXT Notes.body @p @n @n
GO
-- Put in, replaced, taken away, appended.
DECLARE @p varbinary(16), @i binary(16), @end int, @add varchar(20) = ' jumps'
SELECT @p = TEXTPTR(body), @i = TEXTPTR(picture), @end = DATALENGTH(body) FROM Notes WHERE id = 1
UPDATETEXT Notes.body @p 4 5 'slow'
SELECT body FROM Notes WHERE id = 1
UPDATETEXT Notes.body @p NULL 0 @add
SELECT body FROM Notes WHERE id = 1
UPDATETEXT Notes.body @p 0 4
SELECT body FROM Notes WHERE id = 1
UPDATETEXT Notes.body @p 10 NULL WITH LOG '.'
SELECT body FROM Notes WHERE id = 1
UPDATETEXT BULK Notes.picture @i 0 1 0xFFFE
SELECT picture FROM Notes WHERE id = 1
WRITETEXT Notes.body @p WITH LOG 'Anew'
UPDATETEXT Notes.body @p NULL NULL Notes.body @p
SELECT body, DATALENGTH(body) AS length FROM Notes WHERE id = 1
SELECT COUNT(*) AS triggers FROM Log
GO
-- A value that was NULL gets one first; then it grows piece by piece.
CREATE PROCEDURE AppendNote @id int, @piece varchar(8000) AS
DECLARE @p varbinary(16)
SELECT @p = TEXTPTR(body) FROM Notes WHERE id = @id
IF @p IS NULL
BEGIN
  UPDATE Notes SET body = '' WHERE id = @id
  SELECT @p = TEXTPTR(body) FROM Notes WHERE id = @id
END
UPDATETEXT Notes.body @p NULL 0 @piece
GO
DECLARE @piece varchar(8000) = REPLICATE('x', 8000), @i int = 0
WHILE @i < 3
BEGIN
  EXEC AppendNote 2, @piece
  SET @i = @i + 1
END
SELECT DATALENGTH(body) AS length, RIGHT(CAST(body AS varchar(max)), 2) AS last FROM Notes WHERE id = 2
GO
-- Undone with the transaction; the row's version is another one.
CREATE TABLE #t (id int, c ntext, v rowversion)
INSERT #t (id, c) VALUES (1, N'before')
GO
DECLARE @p varbinary(16), @v binary(8) = (SELECT v FROM #t)
BEGIN TRAN
SELECT @p = TEXTPTR(c) FROM #t
WRITETEXT #t.c @p N'after'
SELECT c, CASE WHEN v > @v THEN 'newer' ELSE 'same' END AS version FROM #t
ROLLBACK
SELECT c FROM #t
DELETE #t
READTEXT #t.c @p 0 1
GO
-- What is wrong.
DECLARE @p varbinary(16), @w varbinary(16), @none varbinary(16), @short varbinary(8) = 0x0102
SELECT @p = TEXTPTR(body), @w = TEXTPTR(wide) FROM Notes WHERE id = 1
READTEXT Notes.body @p 6 5
READTEXT Notes.body @none 0 1
WRITETEXT Notes.body @none 'x'
UPDATETEXT Notes.body @none 0 0 'x'
UPDATETEXT Notes.body @p 9 0 'x'
UPDATETEXT Notes.body @p 6 4 'x'
READTEXT Notes.body @short 0 1
READTEXT Notes.body 0x00000000000000000000000000000000 0 1
READTEXT Notes.title @p 0 1
SELECT body FROM Notes WHERE id = 1
GO
SELECT TEXTPTR(title) FROM Notes
GO
SELECT TEXTPTR(b) FROM (SELECT body AS b FROM Notes) AS d
GO
CREATE VIEW NotesSeen AS SELECT id, body FROM Notes
GO
DECLARE @p varbinary(16)
SELECT @p = TEXTPTR(body) FROM Notes WHERE id = 1
READTEXT NotesSeen.body @p 0 1
READTEXT NoSuch.body @p 0 1
GO
CREATE FUNCTION dbo.Reads() RETURNS int AS
BEGIN
  WRITETEXT Notes.body 0x00 'x'
  RETURN 1
END
GO
