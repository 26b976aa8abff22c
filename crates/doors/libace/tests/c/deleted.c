/* Records that are marked as deleted, in statements: seen while AdsShowDeleted is on, as it is to begin with (ads-01).
   Source: the help page of AdsShowDeleted: the server leaves deleted records of DBF tables out only while it is off; those of
   ADT tables are never seen; the setting is the whole program's. */
#include "sql.h"

static UNSIGNED32 rows_of( const char * sql )
{
   ADSHANDLE cursor = rows( sql );
   UNSIGNED32 count = count_of( cursor );
   OK( AdsCloseTable( cursor ) );
   return count;
}

/* All kinds of queries see the same three records, or two. */
static void queries_see( double seen )
{
   SAME( seen, value( "SELECT COUNT(*) AS n FROM del1" ) );
   SAME( seen, value( "SELECT COUNT(*) FROM del1 WHERE id > 0" ) );
   SAME( seen, value( "SELECT COUNT(DISTINCT id) FROM del1" ) );
   SAME( seen, value( "SELECT COUNT(*) FROM (SELECT id FROM del1) d" ) );
   SAME( seen, value( "SELECT COUNT(*) FROM del1 a INNER JOIN del1 b ON a.id = b.id" ) );
   SAME( seen, value( "SELECT (SELECT COUNT(*) FROM del1) FROM system.iota" ) );
   SAME( seen == 3 ? 6 : 4, value( "SELECT SUM(id) FROM del1" ) );
   SAME( seen, rows_of( "SELECT id, name FROM del1" ) );
   SAME( seen, rows_of( "SELECT name, COUNT(*) FROM del1 GROUP BY name" ) );
   SAME( seen, rows_of( "SELECT id FROM del1 UNION SELECT id FROM del1" ) );
   SAME( seen, rows_of( "SELECT {static} * FROM del1" ) );
   SAME( seen, rows_of( "SELECT * FROM del1" ) );
   SAME( seen, rows_of( "SELECT * FROM del1 WHERE id > 0" ) );
   SAME( seen == 3, rows_of( "SELECT * FROM del1 WHERE id = 2" ) );
   SAME( seen, value( "DECLARE n Integer; n = (SELECT COUNT(*) FROM del1); SELECT n FROM system.iota" ) );
   SAME( seen, value( "DECLARE c CURSOR AS SELECT id FROM del1; DECLARE n Integer; n = 0; OPEN c; "
                      "WHILE FETCH c DO n = n + 1; END; CLOSE c; SELECT n FROM system.iota" ) );
   SAME( seen, value( "SELECT Live() FROM system.iota" ) );
   SAME( seen, value( "SELECT COUNT(*) FROM view_of_del1" ) );
   SAME( seen, changed( "SELECT * INTO #copy FROM del1" ) );
   SAME( 0, changed( "DROP TABLE #copy" ) );
   SAME( seen, changed( "INSERT INTO other SELECT id, name FROM del1" ) );
   SAME( seen, value( "SELECT COUNT(*) FROM other" ) );
   SAME( 0, changed( "DROP TABLE other" ) );
   SAME( 0, changed( "CREATE TABLE other ( id Integer, name Char(10) )" ) );
   /* Named, they are found in any case. */
   SAME( 1, value( "SELECT COUNT(*) FROM del1 WHERE DELETED()" ) );
}

static void deleted_records_of_adt_tables_are_never_seen( void )
{
   ADSHANDLE table = 0;
   UNSIGNED32 at;
   OK( AdsCreateTable( connection, T( "adt1" ), NULL, ADS_ADT, ADS_ANSI, 0, 0, 0, T( "id,Integer;name,Char,10" ), &table ) );
   for( at = 1; at <= 3; ++at )
   {
      OK( AdsAppendRecord( table ) );
      OK( AdsSetDouble( table, T( "id" ), at ) );
      OK( AdsWriteRecord( table ) );
   }
   OK( AdsGotoRecord( table, 2 ) );
   OK( AdsDeleteRecord( table ) );
   OK( AdsCloseTable( table ) );
   SAME( 2, value( "SELECT COUNT(*) FROM \"adt1.adt\"" ) );
   SAME( 2, value( "SELECT COUNT(RECNO()) FROM \"adt1.adt\"" ) );
}

int main( int count, char ** arguments )
{
   UNSIGNED16 shows = 9;
   if( count < 2 )
      return 2;
   OK( AdsGetDeleted( &shows ) );
   SAME( 1, shows );
   connect_to( arguments[ 1 ] );
   OK( AdsShowDeleted( 1 ) );
   SAME( 0, changed( "CREATE TABLE del1 ( id INTEGER, name CHAR(10) )" ) );
   SAME( 0, changed( "CREATE TABLE other ( id Integer, name Char(10) )" ) );
   SAME( 0, changed( "CREATE VIEW view_of_del1 AS SELECT * FROM del1" ) );
   SAME( 0, changed( "CREATE FUNCTION Live() RETURNS Integer BEGIN RETURN (SELECT COUNT(*) FROM del1); END" ) );
   SAME( 1, changed( "INSERT INTO del1 VALUES (1, 'a')" ) );
   SAME( 1, changed( "INSERT INTO del1 VALUES (2, 'b')" ) );
   SAME( 1, changed( "INSERT INTO del1 VALUES (3, 'c')" ) );
   SAME( 1, changed( "DELETE FROM del1 WHERE id = 2" ) );
   queries_see( 3 );
   deleted_records_of_adt_tables_are_never_seen();
   OK( AdsShowDeleted( 0 ) );
   queries_see( 2 );
   OK( AdsShowDeleted( 1 ) );
   queries_see( 3 );
   /* Changes are made to records that are not deleted, in any case. */
   SAME( 2, changed( "UPDATE del1 SET name = 'x'" ) );
   SAME( 0, changed( "DELETE FROM del1 WHERE id = 2" ) );
   disconnect();
   END();
}
