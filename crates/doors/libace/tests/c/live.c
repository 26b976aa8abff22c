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

/* What is empty is so through all doors: the table, a live cursor, and a static one. */
static void empty_values_are_the_same( void )
{
   ADSHANDLE table = 0, live, still;
   ADSHANDLE handle[ 3 ];
   const char * field[] = { "word", "number", "day", "truth", "note" };
   UNSIGNED16 truth = 9, is_empty = 9;
   UNSIGNED8 text[ 3 ][ 64 ];
   UNSIGNED32 length[ 3 ];
   UNSIGNED16 option;
   int which, place;

   SAME( 0, changed( "CREATE TABLE empties (id Integer, word Char(6), number Numeric(6,1), day Date, truth Logical, note Memo)" ) );
   SAME( 1, changed( "INSERT INTO empties (id) VALUES (1)" ) );
   OK( AdsOpenTable( connection, T( "empties" ), NULL, ADS_CDX, ADS_ANSI, ADS_COMPATIBLE_LOCKING, ADS_CHECKRIGHTS, ADS_SHARED,
                     &table ) );
   live = rows( "SELECT * FROM empties" );
   SAME( 1, is_live( live ) );
   OK( AdsCreateSQLStatement( connection, &handle[ 2 ] ) );
   OK( AdsExecuteSQLDirect( handle[ 2 ], T( "SELECT {static} * FROM empties" ), &still ) );
   handle[ 0 ] = table;
   handle[ 1 ] = live;
   ADSHANDLE other = handle[ 2 ];
   handle[ 2 ] = still;
   for( place = 0; place < 5; ++place )
   {
      /* The number of a result has room for every number of its type. */
      option = place == 1 ? ADS_TRIM : ADS_NONE;
      for( which = 0; which < 3; ++which )
      {
         OK( AdsGotoTop( handle[ which ] ) );
         length[ which ] = 63;
         OK( AdsGetString( handle[ which ], T( field[ place ] ), text[ which ], &length[ which ], option ) );
         text[ which ][ length[ which ] ] = 0;
         OK( AdsIsEmpty( handle[ which ], T( field[ place ] ), &is_empty ) );
         SAME( 1, is_empty );
      }
      for( which = 1; which < 3; ++which )
      {
         /* A statement takes a blank number for 0. */
         const char * wanted = place == 1 && which == 2 ? "0.0" : ( char * ) text[ 0 ];
         TEXT( wanted, ( char * ) text[ which ] );
         SAME( strlen( wanted ), length[ which ] );
      }
   }
   for( which = 0; which < 3; ++which )
   {
      OK( AdsGetLogical( handle[ which ], T( "truth" ), &truth ) );
      SAME( 0, truth );
   }
   /* A filter, an AOF and a statement agree about a blank truth. */
   OK( AdsSetAOF( table, T( ".NOT. truth" ), ADS_RESOLVE_IMMEDIATE ) );
   SAME( 1, count_of( table ) );
   OK( AdsSetFilter( still, T( ".NOT. truth" ) ) );
   SAME( 1, count_of( still ) );
   OK( AdsCloseTable( still ) );
   OK( AdsCloseTable( live ) );
   SAME( 1, asked( "SELECT COUNT(*) FROM empties WHERE NOT truth" ) );
   SAME( 0, asked( "SELECT COUNT(*) FROM empties WHERE truth IS NULL" ) );
   live = rows( "SELECT * FROM empties WHERE NOT truth" );
   SAME( 1, is_live( live ) );
   SAME( 1, count_of( live ) );
   OK( AdsCloseTable( live ) );
   OK( AdsCloseSQLStatement( other ) );
   OK( AdsCloseTable( table ) );
}

/* What AdsCreateTable makes of a type, CREATE TABLE makes, too. */
static void types_are_those_of_the_tables( void )
{
   const char * field[] = { "a", "s", "l", "d", "t", "m", "v", "c" };
   ADSHANDLE one = 0, other = 0;
   UNSIGNED16 kind = 0, same = 0;
   UNSIGNED32 length = 0, other_length = 0, ver = 0, later = 0;
   SIGNED32 number = 0;
   int place;

   SAME( 0, changed( "CREATE TABLE made (a Integer, s Short, l LongInt, d Double, t Time, m ModTime, v RowVersion, c Char(5))" ) );
   OK( AdsCreateTable( connection, T( "like" ), NULL, ADS_CDX, ADS_ANSI, ADS_COMPATIBLE_LOCKING, ADS_CHECKRIGHTS, 0,
                       T( "A,Integer;S,ShortInt;L,LongInt;D,Double;T,Time;M,ModTime;V,RowVersion;C,Char,5" ), &other ) );
   OK( AdsOpenTable( connection, T( "made" ), NULL, ADS_CDX, ADS_ANSI, ADS_COMPATIBLE_LOCKING, ADS_CHECKRIGHTS, ADS_SHARED,
                     &one ) );
   for( place = 0; place < 8; ++place )
   {
      OK( AdsGetFieldType( one, T( field[ place ] ), &kind ) );
      OK( AdsGetFieldType( other, T( field[ place ] ), &same ) );
      SAME( same, kind );
      OK( AdsGetFieldLength( one, T( field[ place ] ), &length ) );
      OK( AdsGetFieldLength( other, T( field[ place ] ), &other_length ) );
      SAME( other_length, length );
   }
   OK( AdsCloseTable( other ) );
   SAME( 1, changed( "INSERT INTO made (a, c) VALUES (7, 'x')" ) );
   SAME( 3, asked( "SELECT a / 2 FROM made" ) );
   OK( AdsGotoTop( one ) );
   OK( AdsGetLong( one, T( "a" ), &number ) );
   SAME( 7, number );
   OK( AdsGetLong( one, T( "v" ), &number ) );
   ver = ( UNSIGNED32 ) number;
   TRUE_THAT( ver > 0 );
   SAME( 1, changed( "UPDATE made SET c = 'y'" ) );
   OK( AdsRefreshRecord( one ) );
   OK( AdsGetLong( one, T( "v" ), &number ) );
   later = ( UNSIGNED32 ) number;
   TRUE_THAT( later > ver );
   OK( AdsCloseTable( one ) );
}

/* Who is there, and what they have open. */
static void what_goes_on( void )
{
   ADSHANDLE cursor, table = 0;
   OK( AdsOpenTable( connection, T( "stock" ), NULL, ADS_CDX, ADS_ANSI, ADS_COMPATIBLE_LOCKING, ADS_CHECKRIGHTS, ADS_SHARED,
                     &table ) );
   OK( AdsLockRecord( table, 2 ) );
   cursor = rows( "EXECUTE PROCEDURE sp_mgGetConnectedUsers()" );
   SAME( 1, count_of( cursor ) );
   OK( AdsCloseTable( cursor ) );
   cursor = rows( "EXECUTE PROCEDURE sp_mgGetAllTables()" );
   TRUE_THAT( count_of( cursor ) >= 1 );
   TRUE_THAT( strstr( text_of( cursor, "TableName" ), "stock.dbf" ) != NULL );
   OK( AdsCloseTable( cursor ) );
   SAME( 2, value( "EXECUTE PROCEDURE sp_mgGetAllLocks('stock')" ) );
   cursor = rows( "EXECUTE PROCEDURE sp_mgGetLockOwner('stock', 2)" );
   TEXT( "Record Lock", text_of( cursor, "LockType" ) );
   OK( AdsCloseTable( cursor ) );
   OK( AdsCloseTable( table ) );
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
   empty_values_are_the_same();
   types_are_those_of_the_tables();
   what_goes_on();
   disconnect();
   END();
}
