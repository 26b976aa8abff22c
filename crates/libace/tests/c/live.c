/* Live cursors: the rows of a SELECT are the records of its table, and are changed in it. */
#include "sql.h"

static int is_live( ADSHANDLE cursor )
{
   UNSIGNED8 live = 9;
   OK( AdsSqlPeekStatement( cursor, &live ) );
   return live;
}

/* Asked through a statement of its own: a statement has one cursor. */
static double asked( const char * sql )
{
   ADSHANDLE cursor = 0, asking = 0;
   double found = 0;
   OK( AdsCreateSQLStatement( connection, &asking ) );
   OK( AdsExecuteSQLDirect( asking, T( sql ), &cursor ) );
   OK( AdsGetDouble( cursor, ADSFIELD( 1 ), &found ) );
   OK( AdsCloseTable( cursor ) );
   OK( AdsCloseSQLStatement( asking ) );
   return found;
}

static void which_are_live( void )
{
   static const char * const all[] = {
      "SELECT {static} * FROM stock", "SELECT ALL * FROM stock", "SELECT item, qty FROM stock", "SELECT * FROM stock ORDER BY qty",
      "SELECT DISTINCT * FROM stock", "SELECT TOP 1 * FROM stock", "SELECT a.* FROM stock a, stock b", "SELECT COUNT(*) FROM stock",
      "SELECT * FROM stock UNION SELECT * FROM stock", "SELECT * FROM system.tables", "SELECT * FROM view_of_stock",
      "DECLARE x Integer; SELECT * FROM stock" };
   static const char * const live[] = { "SELECT * FROM stock", "SELECT {live} * FROM stock s WHERE s.qty > 1",
                                        "SELECT * FROM stock WHERE item LIKE 'n%' OR LENGTH(TRIM(item)) = 4" };
   unsigned at;
   SAME( 0, changed( "CREATE VIEW view_of_stock AS SELECT * FROM stock" ) );
   for( at = 0; at < sizeof( all ) / sizeof( all[ 0 ] ); ++at )
   {
      ADSHANDLE cursor = rows( all[ at ] );
      UNSIGNED32 before = count_of( cursor );
      TRUE_THAT( before > 0 );
      SAME( 0, is_live( cursor ) );
      ANSWERS( AE_TABLE_READONLY, AdsDeleteRecord( cursor ) );
      OK( AdsCloseTable( cursor ) );
   }
   for( at = 0; at < sizeof( live ) / sizeof( live[ 0 ] ); ++at )
   {
      ADSHANDLE cursor = rows( live[ at ] );
      UNSIGNED16 kind = 0;
      SAME( 1, is_live( cursor ) );
      OK( AdsGetHandleType( cursor, &kind ) );
      SAME( ADS_CURSOR, kind );
      OK( AdsGetTableType( cursor, &kind ) );
      SAME( ADS_CDX, kind );
      OK( AdsCloseTable( cursor ) );
   }
   OK( AdsStmtSetTableReadOnly( statement, 1 ) );
   {
      ADSHANDLE cursor = rows( "SELECT * FROM stock" );
      SAME( 0, is_live( cursor ) );
      OK( AdsCloseTable( cursor ) );
   }
   OK( AdsStmtSetTableReadOnly( statement, 0 ) );
}

static void changes_are_those_of_the_table( void )
{
   ADSHANDLE cursor = rows( "SELECT * FROM stock WHERE qty BETWEEN 5 AND 50" );
   UNSIGNED16 in = 9, deleted = 9, at_end = 9;
   UNSIGNED32 record = 0;
   ADSHANDLE statement2 = 0, nothing = 0;
   SAME( 2, count_of( cursor ) );
   TEXT( "bolt", text_of( cursor, "item" ) );
   /* A lock is the record's. */
   OK( AdsLockRecord( cursor, 1 ) );
   OK( AdsIsRecordLocked( cursor, 1, &in ) );
   SAME( 1, in );
   OK( AdsOpenTable( connection, T( "stock" ), NULL, ADS_CDX, ADS_ANSI, ADS_COMPATIBLE_LOCKING, ADS_CHECKRIGHTS, ADS_SHARED, &nothing ) );
   ANSWERS( AE_LOCK_FAILED, AdsLockRecord( nothing, 1 ) );
   OK( AdsUnlockRecord( cursor, 1 ) );
   OK( AdsLockRecord( nothing, 1 ) );
   OK( AdsCloseTable( nothing ) );
   OK( AdsSetDouble( cursor, T( "price" ), 2 ) );
   OK( AdsWriteRecord( cursor ) );
   SAME( 2, count_of( cursor ) );
   SAME( 2, asked( "SELECT price FROM stock WHERE item = 'bolt'" ) );
   /* What the condition is not true for any more is gone, and what it is true for is there. */
   OK( AdsGetRecordNum( cursor, ADS_IGNOREFILTERS, &record ) );
   OK( AdsSetDouble( cursor, T( "qty" ), 99 ) );
   OK( AdsWriteRecord( cursor ) );
   SAME( 1, count_of( cursor ) );
   OK( AdsIsRecordInAOF( cursor, record, &in ) );
   SAME( 0, in );
   OK( AdsGotoTop( cursor ) );
   TEXT( "nut", text_of( cursor, "item" ) );
   OK( AdsAppendRecord( cursor ) );
   OK( AdsSetString( cursor, T( "item" ), T( "cog" ), 3 ) );
   OK( AdsSetDouble( cursor, T( "qty" ), 7 ) );
   OK( AdsWriteRecord( cursor ) );
   SAME( 2, count_of( cursor ) );
   SAME( 4, asked( "SELECT COUNT(*) FROM stock" ) );
   OK( AdsDeleteRecord( cursor ) );
   OK( AdsIsRecordDeleted( cursor, &deleted ) );
   SAME( 1, deleted );
   SAME( 1, count_of( cursor ) );
   SAME( 3, asked( "SELECT COUNT(*) FROM stock" ) );
   /* Statements of the connection are seen, too. */
   OK( AdsCreateSQLStatement( connection, &statement2 ) );
   OK( AdsExecuteSQLDirect( statement2, T( "UPDATE stock SET qty = 6 WHERE item = 'gear'" ), &nothing ) );
   SAME( 2, count_of( cursor ) );
   OK( AdsCloseSQLStatement( statement2 ) );
   /* Filters of the program stand beside the condition. */
   OK( AdsSetAOF( cursor, T( "item = 'gear'" ), ADS_RESOLVE_IMMEDIATE ) );
   SAME( 1, count_of( cursor ) );
   OK( AdsClearAOF( cursor ) );
   SAME( 2, count_of( cursor ) );
   OK( AdsGotoBottom( cursor ) );
   OK( AdsSkip( cursor, 1 ) );
   OK( AdsAtEOF( cursor, &at_end ) );
   SAME( 1, at_end );
   /* A transaction of the connection is the cursor's. */
   OK( AdsBeginTransaction( connection ) );
   OK( AdsGotoTop( cursor ) );
   OK( AdsSetDouble( cursor, T( "qty" ), 1000 ) );
   OK( AdsWriteRecord( cursor ) );
   SAME( 1, count_of( cursor ) );
   OK( AdsRollbackTransaction( connection ) );
   OK( AdsRefreshAOF( cursor ) );
   SAME( 2, count_of( cursor ) );
   OK( AdsCloseTable( cursor ) );
   OK( AdsPrepareSQL( statement, T( "SELECT * FROM stock WHERE item = :item" ) ) );
   OK( AdsSetString( statement, T( "item" ), T( "gear" ), 4 ) );
   OK( AdsExecuteSQL( statement, &cursor ) );
   SAME( 1, is_live( cursor ) );
   SAME( 1, count_of( cursor ) );
   OK( AdsSetDouble( cursor, T( "qty" ), 8 ) );
   OK( AdsCloseTable( cursor ) );
   SAME( 8, asked( "SELECT qty FROM stock WHERE item = 'gear'" ) );
}

/* What a query has found becomes a table of the folder. */
static void rows_are_saved( void )
{
   ADSHANDLE cursor = rows( "SELECT {static} item, qty, CAST( '13:21:01' AS SQL_TIME ) AS at FROM stock WHERE qty > 1 ORDER BY qty" );
   UNSIGNED32 all = count_of( cursor );
   ADSHANDLE saved = 0;

   TRUE_THAT( all > 0 );
   TEXT( "13:21:01", text_of( cursor, "at" ) );
   OK( AdsCopyTable( cursor, ADS_RESPECTFILTERS, T( "saved" ) ) );
   OK( AdsOpenTable( connection, T( "saved" ), NULL, ADS_VFP, ADS_ANSI, ADS_COMPATIBLE_LOCKING, ADS_CHECKRIGHTS, ADS_SHARED,
                     &saved ) );
   SAME( all, count_of( saved ) );
   OK( AdsGotoTop( saved ) );
   OK( AdsGotoTop( cursor ) );
   SAME( number_of( cursor, "qty" ), number_of( saved, "qty" ) );
   OK( AdsCloseTable( saved ) );
   OK( AdsCloseTable( cursor ) );
}

int main( int count, char ** arguments )
{
   if( count < 2 )
      return 2;
   connect_to( arguments[ 1 ] );
   SAME( 0, changed( "CREATE TABLE stock (item Char(12), qty Integer, price Numeric(9,2))" ) );
   SAME( 3, changed( "INSERT INTO stock VALUES ('bolt', 10, 1.5), ('nut', 5, 0.25), ('gear', 1, 99.95)" ) );
   which_are_live();
   changes_are_those_of_the_table();
   rows_are_saved();
   disconnect();
   END();
}
