-- Values of a sequence that nobody else gets.
CREATE PROCEDURE sys.sp_sequence_get_range
  @sequence_name nvarchar(776), @range_size bigint, @range_first_value sql_variant OUTPUT, @range_last_value sql_variant = NULL OUTPUT,
  @range_cycle_count int = NULL OUTPUT, @sequence_increment sql_variant = NULL OUTPUT, @sequence_min_value sql_variant = NULL OUTPUT,
  @sequence_max_value sql_variant = NULL OUTPUT
AS
IF ISNULL(@range_size, 0) < 1
BEGIN
  RAISERROR (16902, 16, 1, 'sp_sequence_get_range', '@range_size')
  RETURN 1
END
DECLARE @first bigint, @last bigint, @cycles bigint, @increment bigint, @minimum bigint, @maximum bigint
EXEC sys.sp_mainstay_take_range @sequence_name, @range_size, @first OUTPUT, @last OUTPUT, @cycles OUTPUT
IF @first IS NULL RETURN 1
SELECT @increment = CAST(increment AS bigint), @minimum = CAST(minimum_value AS bigint), @maximum = CAST(maximum_value AS bigint)
FROM sys.sequences WHERE object_id = OBJECT_ID(@sequence_name)
SELECT @range_first_value = @first, @range_last_value = @last, @range_cycle_count = @cycles, @sequence_increment = @increment,
  @sequence_min_value = @minimum, @sequence_max_value = @maximum
RETURN 0
