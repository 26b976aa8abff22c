-- SET LANGUAGE: the order of dates, the first day of the week, and the names of months and days.
CREATE TABLE Days (Id INT PRIMARY KEY, D DATETIME, T VARCHAR(20))
INSERT INTO Days VALUES (1, '20240301', '01/03/2024'), (2, '20241231', '31/12/2024')
GO
SELECT @@LANGUAGE AS lang, @@LANGID AS id, @@DATEFIRST AS first
SET LANGUAGE German
SELECT @@LANGUAGE AS lang, @@LANGID AS id, @@DATEFIRST AS first
DECLARE @d DATETIME = '01.03.2024'
SELECT @d AS d, DATENAME(month, @d) AS m, DATENAME(weekday, @d) AS w, DATEPART(weekday, @d) AS n
SELECT CONVERT(VARCHAR(20), @d, 106) AS c106, CONVERT(VARCHAR(30), @d, 0) AS c0, FORMAT(@d, 'd MMMM yyyy') AS f
SELECT CAST('1 März 2024' AS DATETIME) AS read_
SELECT Id, DATENAME(month, D) AS m, DATENAME(weekday, D) AS w, DATEPART(weekday, D) AS n, DATEPART(week, D) AS wk,
       DATENAME(week, D) AS wkname, DATETRUNC(week, D) AS monday, CAST(T AS DATETIME) AS t, CONVERT(VARCHAR(11), D, 106) AS c,
       FORMAT(D, 'dddd, d MMMM') AS f
FROM Days ORDER BY Id
GO
SET LANGUAGE Français
SELECT DATENAME(month, D) AS m, DATENAME(weekday, D) AS w FROM Days ORDER BY Id
GO
SET LANGUAGE us_english
SELECT @@LANGUAGE AS lang, @@DATEFIRST AS first
SELECT DATENAME(month, D) AS m, DATENAME(weekday, D) AS w, DATEPART(weekday, D) AS n, DATEPART(week, D) AS wk
FROM Days ORDER BY Id
SELECT CAST(T AS DATETIME) AS never FROM Days WHERE Id = 2
GO
-- DATEFIRST and DATEFORMAT of a language can be put otherwise afterwards.
SET LANGUAGE British
SET DATEFIRST 3
SET DATEFORMAT ymd
SELECT @@LANGUAGE AS lang, @@DATEFIRST AS first, CAST('24/03/01' AS DATETIME) AS d, DATEPART(weekday, '20240306') AS wednesday
DECLARE @lang NVARCHAR(20) = N'Italian'
SET LANGUAGE @lang
SELECT @@LANGUAGE AS lang, DATENAME(month, '20240301') AS m
GO
-- A procedure's language ends with it.
CREATE PROCEDURE InGerman AS
SET LANGUAGE Deutsch
SELECT DATENAME(month, D) AS m FROM Days WHERE Id = 1
GO
SET LANGUAGE us_english
EXEC InGerman
SELECT @@LANGUAGE AS lang, DATENAME(month, D) AS m FROM Days WHERE Id = 1
GO
SELECT langid, dateformat, datefirst, name, alias FROM sys.syslanguages WHERE langid < 3 ORDER BY langid
SET LANGUAGE Klingon
GO
