-- The types, as SQLGetTypeInfo of ODBC wants them, for drivers that know no type newer than SQL Server 2000's.
CREATE PROCEDURE sys.sp_datatype_info @data_type int = 0, @ODBCVer tinyint = 2
AS
EXEC sys.sp_mainstay_datatype_info @data_type, @ODBCVer, 0
