-- There are no statistics to be made anew: it is accepted.
CREATE PROCEDURE sys.sp_updatestats @resample varchar(8) = 'NO'
AS
RETURN 0
