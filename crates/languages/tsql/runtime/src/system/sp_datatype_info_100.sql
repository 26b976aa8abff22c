-- The types, as SQLGetTypeInfo of ODBC wants them, all of them.
CREATE PROCEDURE sys.sp_datatype_info_100 @data_type int = 0, @ODBCVer tinyint = 2
AS
EXEC sys.sp_mainstay_datatype_info @data_type, @ODBCVer, 1
