-- A table's number of rows, and its indexes, as SQLStatistics of newer drivers wants them.
CREATE PROCEDURE sys.sp_statistics_100
  @table_name sysname, @table_owner sysname = NULL, @table_qualifier sysname = NULL, @index_name sysname = '%',
  @is_unique char(1) = 'N', @accuracy char(1) = 'Q'
AS
EXEC sys.sp_statistics @table_name, @table_owner, @table_qualifier, @index_name, @is_unique, @accuracy
