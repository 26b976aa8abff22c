-- The columns that know a row best ('R'), or that change by themselves whenever the row does ('V').
CREATE PROCEDURE sys.sp_special_columns_100
  @table_name sysname, @table_owner sysname = NULL, @table_qualifier sysname = NULL, @col_type char(1) = 'R',
  @scope char(1) = 'T', @nullable char(1) = 'U', @ODBCVer int = 2
AS
EXEC sys.sp_mainstay_special_columns @table_name, @table_owner, @col_type, @scope, @nullable, @ODBCVer, 1
