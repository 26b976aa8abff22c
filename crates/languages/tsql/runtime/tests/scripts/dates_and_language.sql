-- SET LANGUAGE of the language that is spoken leaves SET DATEFIRST and SET DATEFORMAT as they are (fault tsql-12): drivers send all
-- three when they connect, the language last, and rely on it.
SET DATEFIRST 3
SET DATEFORMAT dmy
SET LANGUAGE us_english
GO
SELECT @@DATEFIRST AS datefirst, @@LANGUAGE AS language, CAST('02/01/2014' AS DATE) AS d
GO
-- Another language has its own.
SET LANGUAGE German
SELECT @@DATEFIRST AS datefirst, CAST('02/01/2014' AS DATE) AS d
SET LANGUAGE us_english
SELECT @@DATEFIRST AS datefirst, CAST('02/01/2014' AS DATE) AS d
