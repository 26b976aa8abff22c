-- What a session shows of its options: @@OPTIONS, SESSIONPROPERTY, DBCC USEROPTIONS, sys.dm_exec_sessions.
SELECT @@OPTIONS AS options
SELECT SESSIONPROPERTY('ANSI_NULLS') AS nulls, SESSIONPROPERTY('ANSI_PADDING') AS padding,
       SESSIONPROPERTY('ANSI_WARNINGS') AS warnings, SESSIONPROPERTY('ARITHABORT') AS arithabort,
       SESSIONPROPERTY('CONCAT_NULL_YIELDS_NULL') AS concat_null, SESSIONPROPERTY('NUMERIC_ROUNDABORT') AS roundabort,
       SESSIONPROPERTY('QUOTED_IDENTIFIER') AS quoted, SESSIONPROPERTY('NOCOUNT') AS unknown
DBCC USEROPTIONS
GO
SET ANSI_DEFAULTS OFF
SET ARITHABORT, NUMERIC_ROUNDABORT ON
SET NOCOUNT, XACT_ABORT ON
SET CONCAT_NULL_YIELDS_NULL OFF
SET TEXTSIZE 4096
SET LOCK_TIMEOUT 500
SET DATEFORMAT dmy
SET DATEFIRST 1
SELECT @@OPTIONS AS options
SELECT SESSIONPROPERTY('ANSI_NULLS') AS nulls, SESSIONPROPERTY('ANSI_PADDING') AS padding,
       SESSIONPROPERTY('ANSI_WARNINGS') AS warnings, SESSIONPROPERTY('ARITHABORT') AS arithabort,
       SESSIONPROPERTY('CONCAT_NULL_YIELDS_NULL') AS concat_null, SESSIONPROPERTY('NUMERIC_ROUNDABORT') AS roundabort,
       SESSIONPROPERTY('QUOTED_IDENTIFIER') AS quoted
DBCC USEROPTIONS WITH NO_INFOMSGS
SELECT text_size, language, date_format, date_first, quoted_identifier, arithabort, ansi_null_dflt_on, ansi_defaults,
       ansi_warnings, ansi_padding, ansi_nulls, concat_null_yields_null, lock_timeout
FROM sys.dm_exec_sessions WHERE session_id = @@SPID
GO
--@b another session sees them, and has its own
SELECT COUNT(*) AS dmy FROM sys.dm_exec_sessions WHERE date_format = 'dmy' AND ansi_nulls = 0 AND session_id <> @@SPID
SELECT @@OPTIONS AS options
GO
SET ANSI_DEFAULTS ON
SET NOCOUNT OFF
SELECT @@OPTIONS & 2 AS implicit, @@OPTIONS & 4 AS closes_cursors, @@OPTIONS & 32 AS nulls
SELECT ansi_defaults FROM sys.dm_exec_sessions WHERE session_id = @@SPID
COMMIT
SET IMPLICIT_TRANSACTIONS OFF
SET ANSI_NULL_DFLT_OFF ON
SELECT @@OPTIONS & 1024 AS dflt_on, @@OPTIONS & 2048 AS dflt_off
SET ANSI_NULL_DFLT_ON ON
SELECT @@OPTIONS & 1024 AS dflt_on, @@OPTIONS & 2048 AS dflt_off
GO
-- The end of a procedure brings back what was before.
CREATE PROCEDURE Sets AS
SET ANSI_WARNINGS OFF
SET CONCAT_NULL_YIELDS_NULL OFF
SET LANGUAGE German
SELECT @@OPTIONS & 8 AS warnings, @@LANGUAGE AS lang
GO
EXEC Sets
SELECT @@OPTIONS & 8 AS warnings, @@LANGUAGE AS lang
GO
