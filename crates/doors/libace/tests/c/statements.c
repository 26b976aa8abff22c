/* Statements end to end: rows as a table, parameters, changes that the table sees, errors in the engine's words. */
#include "sql.h"

#include <strings.h>
#include <time.h>

static void a_static_cursor_is_a_table( void )
{
   ADSHANDLE cursor = rows( "SELECT id, TRIM(name) AS who, city, born, bal, active FROM t03_cdx_tags "
                            "WHERE city = 'Lima' AND bal > 0 ORDER BY id" );
   UNSIGNED16 at_end = 9, kind = 0, decimals = 0, fields = 0;
   UNSIGNED32 all = count_of( cursor ), fewer = 0, record = 0, number = 0;
   double before = 0;
   UNSIGNED8 bookmark[ 32 ];

   TRUE_THAT( all > 10 );
   OK( AdsGetNumFields( cursor, &fields ) );
   SAME( 6, fields );
   OK( AdsGetFieldType( cursor, T( "BAL" ), &kind ) );
   SAME( ADS_NUMERIC, kind );
   OK( AdsGetFieldDecimals( cursor, T( "bal" ), &decimals ) );
   SAME( 2, decimals );
   OK( AdsGetFieldType( cursor, T( "who" ), &kind ) );
   SAME( ADS_STRING, kind );
   OK( AdsGetFieldType( cursor, T( "born" ), &kind ) );
   SAME( ADS_DATE, kind );
   OK( AdsGetFieldType( cursor, T( "active" ), &kind ) );
   SAME( ADS_LOGICAL, kind );

   OK( AdsGotoTop( cursor ) );
   for( ;; )
   {
      OK( AdsAtEOF( cursor, &at_end ) );
      if( at_end )
         break;
      TRUE_THAT( number_of( cursor, "id" ) >= before );
      TEXT( "Lima", text_of( cursor, "CITY" ) );
      before = number_of( cursor, "id" );
      ++number;
      OK( AdsSkip( cursor, 1 ) );
   }
   SAME( all, number );
   OK( AdsGotoBottom( cursor ) );
   SAME( before, number_of( cursor, "id" ) );
   OK( AdsGetRecordNum( cursor, ADS_IGNOREFILTERS, &record ) );
   SAME( all, record );
   OK( AdsGotoRecord( cursor, 3 ) );
   OK( AdsGetBookmark( cursor, ( ADSHANDLE * ) bookmark ) );
   OK( AdsSetFilter( cursor, T( "active .AND. bal > 5000" ) ) );
   fewer = count_of( cursor );
   TRUE_THAT( fewer < all && fewer > 0 );
   OK( AdsGotoTop( cursor ) );
   TRUE_THAT( number_of( cursor, "bal" ) > 5000 );
   OK( AdsClearFilter( cursor ) );
   SAME( all, count_of( cursor ) );
   OK( AdsSetAOF( cursor, T( "bal <= 5000" ), ADS_RESOLVE_IMMEDIATE ) );
   TRUE_THAT( count_of( cursor ) > 0 && count_of( cursor ) < all );
   OK( AdsClearAOF( cursor ) );
   OK( AdsCloseTable( cursor ) );
}

static void parameters_by_name_and_by_number( void )
{
   ADSHANDLE cursor = 0;
   UNSIGNED16 parameters = 0;
   OK( AdsPrepareSQL( statement, T( "SELECT COUNT(*) AS n, MIN(name) AS first FROM t03_cdx_tags "
                                    "WHERE city = :place AND bal > :least" ) ) );
   OK( AdsGetNumParams( statement, &parameters ) );
   SAME( 2, parameters );
   OK( AdsSetString( statement, T( "place" ), T( "Roma" ), 4 ) );
   OK( AdsSetDouble( statement, T( "least" ), 0.0 ) );
   OK( AdsExecuteSQL( statement, &cursor ) );
   TRUE_THAT( number_of( cursor, "n" ) > 1 );
   OK( AdsCloseTable( cursor ) );
   OK( AdsSetString( statement, T( "place" ), T( "Nowhere" ), 7 ) );
   OK( AdsExecuteSQL( statement, &cursor ) );
   SAME( 0, number_of( cursor, "n" ) );
   OK( AdsCloseTable( cursor ) );

   OK( AdsPrepareSQL( statement, T( "SELECT id FROM t03_cdx_tags WHERE id = ? AND born < ?" ) ) );
   OK( AdsGetNumParams( statement, &parameters ) );
   SAME( 2, parameters );
   OK( AdsSetLong( statement, ADSFIELD( 1 ), 7919 ) );
   OK( AdsSetString( statement, ADSFIELD( 2 ), T( "1990-01-01" ), 10 ) );
   OK( AdsExecuteSQL( statement, &cursor ) );
   SAME( 7919, number_of( cursor, "id" ) );
   OK( AdsCloseTable( cursor ) );
   OK( AdsClearSQLParams( statement ) );
   OK( AdsExecuteSQL( statement, &cursor ) );
   SAME( 0, count_of( cursor ) );
   OK( AdsCloseTable( cursor ) );
}

static void changes_are_seen_by_tables( void )
{
   ADSHANDLE table = 0, cursor = 0, index = 0;
   UNSIGNED16 found = 0;
   UNSIGNED32 before;
   OK( AdsOpenTable( connection, T( "t03_cdx_tags.dbf" ), NULL, ADS_CDX, ADS_ANSI, ADS_COMPATIBLE_LOCKING,
                     ADS_CHECKRIGHTS, ADS_SHARED, &table ) );
   before = count_of( table );
   SAME( 2, changed( "INSERT INTO t03_cdx_tags (id, name, city, born, bal) VALUES "
                     "(900001, 'Zoe', 'Oslo', {d '2001-02-03'}, 12.5), (900002, 'Zed', 'Oslo', NULL, -1)" ) );
   SAME( before + 2, count_of( table ) );
   OK( AdsGetIndexHandle( table, T( "NAME" ), &index ) );
   OK( AdsSeek( index, T( "Zoe" ), 3, ADS_STRINGKEY, ADS_SOFTSEEK, &found ) );
   SAME( 900001, number_of( table, "id" ) );
   SAME( 1, changed( "UPDATE t03_cdx_tags SET bal = bal * 2 + 1, name = name + 'x' WHERE id = 900001" ) );
   cursor = rows( "SELECT bal, name, born FROM t03_cdx_tags WHERE id = 900001" );
   SAME( 26, number_of( cursor, "bal" ) );
   OK( AdsCloseTable( cursor ) );
   SAME( 2, changed( "DELETE FROM t03_cdx_tags WHERE id > 900000" ) );
   cursor = rows( "SELECT id FROM t03_cdx_tags WHERE id > 900000" );
   SAME( 0, count_of( cursor ) );
   OK( AdsCloseTable( cursor ) );
   OK( AdsCloseTable( table ) );
}

/* The rows of a static cursor are put in order by indexes that go away with it; nothing is written where the tables are. */
static void rows_are_indexed( void )
{
   static const char * const queries[] = { "SELECT {static} id, name, city FROM t03_cdx_tags",
                                           "SELECT a.id, a.name, a.city FROM t03_cdx_tags a, t03_cdx_tags b WHERE b.id IN (SELECT MIN(id) FROM t03_cdx_tags)",
                                           /* So many are kept at a server. */
                                           "SELECT a.id, a.name, a.city FROM t03_cdx_tags a, t03_cdx_tags b WHERE b.id IN (SELECT TOP 3 id FROM t03_cdx_tags)" };
   UNSIGNED16 found = 0, indexes = 0;
   UNSIGNED32 keys = 0, record = 0;
   unsigned at;
   for( at = 0; at < 3; ++at )
   {
      ADSHANDLE cursor = rows( queries[ at ] ), name = 0, city = 0;
      const char * first, * last;
      OK( AdsCreateIndex61( cursor, T( "byname" ), T( "NAME" ), T( "UPPER(name)" ), NULL, NULL, ADS_COMPOUND, 512, &name ) );
      OK( AdsCreateIndex61( cursor, T( "bycity" ), NULL, T( "city" ), T( "id > 5" ), NULL, ADS_DESCENDING, 512, &city ) );
      OK( AdsGetNumIndexes( cursor, &indexes ) );
      SAME( 2, indexes );
      OK( AdsGetKeyCount( name, ADS_RESPECTFILTERS, &keys ) );
      SAME( count_of( cursor ), keys );
      TRUE_THAT( keys > 900 );
      OK( AdsGotoBottom( name ) );
      last = text_of( cursor, "name" );
      OK( AdsGotoTop( name ) );
      first = text_of( cursor, "name" );
      TRUE_THAT( strcasecmp( first, last ) < 0 );
      OK( AdsSkip( name, 5 ) );
      TRUE_THAT( strcasecmp( first, text_of( cursor, "name" ) ) <= 0 );
      OK( AdsGetRecordNum( cursor, ADS_IGNOREFILTERS, &record ) );
      OK( AdsSeek( name, T( last ), 3, ADS_STRINGKEY, ADS_HARDSEEK, &found ) );
      OK( AdsGotoTop( city ) );
      OK( AdsGetIndexHandle( cursor, T( "BYCITY" ), &city ) );
      /* Fields are not to be changed. */
      ANSWERS( AE_TABLE_READONLY, AdsSetString( cursor, T( "name" ), T( "x" ), 1 ) );
      OK( AdsCloseTable( cursor ) );
   }
}

/* What a program of calls has appended and written is no longer locked by it. */
static void statements_change_what_calls_have_appended( void )
{
   ADSHANDLE table = 0, index = 0;
   int record;
   OK( AdsCreateTable( connection, T( "calls" ), NULL, ADS_CDX, ADS_ANSI, ADS_COMPATIBLE_LOCKING, ADS_CHECKRIGHTS, 0,
                       T( "ID,Numeric,8;NAME,Character,10" ), &table ) );
   OK( AdsCreateIndex61( table, NULL, T( "ID" ), T( "ID" ), NULL, NULL, ADS_COMPOUND, 512, &index ) );
   OK( AdsCloseTable( table ) );
   OK( AdsOpenTable( connection, T( "calls" ), NULL, ADS_CDX, ADS_ANSI, ADS_COMPATIBLE_LOCKING, ADS_CHECKRIGHTS, ADS_SHARED, &table ) );
   for( record = 1; record <= 3; ++record )
   {
      OK( AdsAppendRecord( table ) );
      OK( AdsSetLong( table, T( "ID" ), record ) );
   }
   OK( AdsWriteRecord( table ) );
   SAME( 3, changed( "UPDATE calls SET name = 'changed'" ) );
   OK( AdsGotoTop( table ) );
   TEXT( "changed", text_of( table, "NAME" ) );
   OK( AdsCloseTable( table ) );
}

/* What a handle of the connection has locked, or has not written yet, is changed by its statements, and by nobody else. */
static void statements_change_what_handles_have_locked( char * folder )
{
   ADSHANDLE table = 0, index = 0, other = 0, theirs = 0;
   UNSIGNED16 found = 0, locked = 0;
   SIGNED32 number = 0;
   int record;
   OK( AdsCreateTable( connection, T( "held" ), NULL, ADS_CDX, ADS_ANSI, ADS_COMPATIBLE_LOCKING, ADS_CHECKRIGHTS, 0,
                       T( "ID,Numeric,8;NAME,Character,10;NOTES,Memo" ), &table ) );
   OK( AdsCreateIndex61( table, NULL, T( "ID" ), T( "ID" ), NULL, NULL, ADS_COMPOUND, 512, &index ) );
   OK( AdsCloseTable( table ) );
   SAME( 3, changed( "INSERT INTO held (id, name) VALUES (1, 'a'), (2, 'b'), (3, 'c')" ) );
   OK( AdsOpenTable( connection, T( "held" ), NULL, ADS_CDX, ADS_ANSI, ADS_COMPATIBLE_LOCKING, ADS_CHECKRIGHTS, ADS_SHARED, &table ) );
   OK( AdsConnect60( T( folder ), ADS_LOCAL_SERVER | ADS_REMOTE_SERVER, NULL, NULL, ADS_DEFAULT, &other ) );
   OK( AdsOpenTable( other, T( "held" ), NULL, ADS_CDX, ADS_ANSI, ADS_COMPATIBLE_LOCKING, ADS_CHECKRIGHTS, ADS_SHARED, &theirs ) );

   OK( AdsLockRecord( table, 1 ) );
   SAME( 3, changed( "UPDATE held SET name = 'x'" ) );
   TEXT( "x", text_of( table, "NAME" ) );
   ANSWERS( AE_LOCK_FAILED, AdsLockRecord( theirs, 1 ) );
   OK( AdsUnlockRecord( table, 1 ) );
   OK( AdsLockRecord( theirs, 1 ) );
   OK( AdsUnlockRecord( theirs, 1 ) );

   /* A field that is changed and not written stays so; the others are the statement's. */
   OK( AdsGotoRecord( table, 2 ) );
   OK( AdsSetString( table, T( "NAME" ), T( "mine" ), 4 ) );
   OK( AdsSetString( table, T( "NOTES" ), T( "long" ), 4 ) );
   SAME( 3, changed( "UPDATE held SET id = id + 10, name = 'theirs'" ) );
   TEXT( "mine", text_of( table, "NAME" ) );
   OK( AdsWriteRecord( table ) );
   SAME( 1, value( "SELECT COUNT(*) FROM held WHERE id = 12 AND name = 'mine' AND notes = 'long'" ) );
   OK( AdsAppendRecord( table ) );
   OK( AdsSetLong( table, T( "ID" ), 99 ) );
   SAME( 4, changed( "UPDATE held SET name = 'all'" ) );
   OK( AdsWriteRecord( table ) );
   SAME( 1, value( "SELECT COUNT(*) FROM held WHERE id = 99 AND name = 'all'" ) );
   /* The program goes on with what a statement has put into another field of the record. */
   OK( AdsGotoRecord( table, 1 ) );
   OK( AdsSetString( table, T( "NAME" ), T( "sums" ), 4 ) );
   SAME( 1, changed( "UPDATE held SET id = id + 100, name = 'no', notes = 'more' WHERE id = 11" ) );
   OK( AdsGetLong( table, T( "ID" ), &number ) );
   SAME( 111, number );
   TEXT( "sums", text_of( table, "NAME" ) );
   TEXT( "more", text_of( table, "NOTES" ) );
   OK( AdsSetLong( table, T( "ID" ), number + 1 ) );
   OK( AdsWriteRecord( table ) );
   SAME( 1, value( "SELECT COUNT(*) FROM held WHERE id = 112 AND name = 'sums' AND notes = 'more'" ) );
   SAME( 1, changed( "UPDATE held SET id = 11 WHERE id = 112" ) );
   OK( AdsGetIndexHandle( table, T( "ID" ), &index ) );
   for( record = 11; record <= 13; ++record )
   {
      OK( AdsSeekLast( index, T( record == 11 ? "      11" : record == 12 ? "      12" : "      13" ), 8, ADS_STRINGKEY, &found ) );
      SAME( 1, found );
   }
   OK( AdsGotoTop( index ) );
   for( record = 0; record < 4; ++record )
      OK( AdsSkip( index, 1 ) );
   OK( AdsAtEOF( table, &found ) );
   SAME( 1, found );

   /* What a transaction's statement has changed stays locked to its end, whoever gives his part back. */
   OK( AdsBeginTransaction( connection ) );
   OK( AdsLockRecord( table, 3 ) );
   SAME( 1, changed( "UPDATE held SET name = 'late' WHERE id = 13" ) );
   OK( AdsUnlockRecord( table, 3 ) );
   ANSWERS( AE_LOCK_FAILED, AdsLockRecord( theirs, 3 ) );
   OK( AdsGotoRecord( table, 3 ) );
   OK( AdsSetLong( table, T( "ID" ), 33 ) );
   OK( AdsWriteRecord( table ) );
   SAME( 1, changed( "UPDATE held SET id = id + 1 WHERE id = 33" ) );
   OK( AdsCommitTransaction( connection ) );
   OK( AdsLockRecord( theirs, 3 ) );
   OK( AdsUnlockRecord( theirs, 3 ) );
   SAME( 1, value( "SELECT COUNT(*) FROM held WHERE id = 34 AND name = 'late'" ) );

   OK( AdsLockTable( table ) );
   SAME( 4, changed( "UPDATE held SET name = 'table'" ) );
   SAME( 1, changed( "INSERT INTO held (id) VALUES (5)" ) );
   ANSWERS( AE_LOCK_FAILED, AdsLockRecord( theirs, 1 ) );
   OK( AdsIsTableLocked( table, &locked ) );
   SAME( 1, locked );
   OK( AdsUnlockTable( table ) );
   OK( AdsLockTable( theirs ) );
   fails( "UPDATE held SET name = 'no' WHERE id = 34", "" );
   OK( AdsUnlockTable( theirs ) );
   OK( AdsCloseTable( theirs ) );
   OK( AdsDisconnect( other ) );
   OK( AdsCloseTable( table ) );
}

static void errors_have_the_engines_words( void )
{
   UNSIGNED16 parameters = 0;
   fails( "SELECT * FORM t03_cdx_tags", "NativeError = 2117" );
   fails( "SELECT nothing FROM t03_cdx_tags", "Column not found: nothing" );
   fails( "SELECT * FROM no_such_table", "NativeError = 2122" );
   fails( "SELECT 1 / 0 FROM t03_cdx_tags", "NativeError = 2153" );
   fails( "SELECT name FROM t03_cdx_tags WHERE id = 'x'", "NativeError = 2124" );
   fails( "SELECT NOFUNCTION(1) FROM t03_cdx_tags", "NativeError = 2158" );
   fails( "SELECT * FROM t03_cdx_tags WHERE id = :forgotten", "NativeError = 2141" );
   ANSWERS( AE_SQL_ERROR, AdsVerifySQL( statement, T( "SELEC 1" ) ) );
   OK( AdsVerifySQL( statement, T( "SELECT 1 FROM t03_cdx_tags" ) ) );
   ANSWERS( AE_SQL_ERROR, AdsPrepareSQL( statement, T( "SELECT (1" ) ) );
   OK( AdsGetNumParams( statement, &parameters ) );
}

/* CREATE INDEX .. CONTENT makes an index of words, which searches of tables use. */
static void words_are_indexed( void )
{
   ADSHANDLE table = 0, indexes[ 4 ];
   UNSIGNED16 count = 4, level = 0, length = 0;
   UNSIGNED32 found;
   SAME( 0, changed( "CREATE TABLE papers (id Integer, story Memo)" ) );
   SAME( 3, changed( "INSERT INTO papers VALUES (1, 'a red fox runs'), (2, 'the fox-hole'), (3, 'no animal')" ) );
   SAME( 0, changed( "CREATE INDEX words ON papers (story) CONTENT MIN WORD 2 MAX WORD 20 DELIMITERS '-' NEW NOISE 'runs'" ) );
   fails( "CREATE INDEX words ON papers (story) CONTENT", "words" );
   fails( "CREATE INDEX more ON papers (id) CONTENT", "" );
   fails( "CREATE INDEX more ON papers (id, story) CONTENT", "one column" );
   fails( "CREATE INDEX more ON papers (story) CONTENT MIN WORD 30 MAX WORD 3", "Words of 30 to 3" );
   fails( "CREATE INDEX more ON nothing (story) CONTENT", "not found" );
   OK( AdsOpenTable( connection, T( "papers.dbf" ), NULL, ADS_CDX, ADS_ANSI, ADS_COMPATIBLE_LOCKING, ADS_CHECKRIGHTS,
                     ADS_SHARED, &table ) );
   OK( AdsGetFTSIndexes( table, indexes, &count ) );
   SAME( 1, count );
   OK( AdsSetAOF( table, T( "CONTAINS( story, 'fox' )" ), ADS_RESOLVE_IMMEDIATE ) );
   OK( AdsGetAOFOptLevel( table, &level, NULL, &length ) );
   SAME( ADS_OPTIMIZED_FULL, level );
   found = count_of( table );
   SAME( 2, found );
   OK( AdsCloseTable( table ) );
   SAME( 1, changed( "UPDATE papers SET story = 'a fox, too' WHERE id = 3" ) );
   SAME( 2, value( "SELECT COUNT(*) FROM papers WHERE CONTAINS( story, 'fox' )" ) );
   SAME( 0, changed( "DROP INDEX papers.words" ) );
   OK( AdsOpenTable( connection, T( "papers.dbf" ), NULL, ADS_CDX, ADS_ANSI, ADS_COMPATIBLE_LOCKING, ADS_CHECKRIGHTS,
                     ADS_SHARED, &table ) );
   OK( AdsGetNumFTSIndexes( table, &count ) );
   SAME( 0, count );
   OK( AdsCloseTable( table ) );
   fails( "DROP INDEX papers.words", "" );
}

/* A script or a query that takes longer than it may is ended, and the statement can be used again. */
static void statements_are_ended_by_the_clock( void )
{
   const char * query = "SELECT COUNT(*) AS n FROM t03_cdx_tags a, t03_cdx_tags b, t03_cdx_tags c, t03_cdx_tags d "
                        "WHERE a.bal + b.bal + c.bal + d.bal > 0.5";
   const char * endless = "DECLARE i Integer; i = 0; TRY WHILE TRUE DO i = i + 1; END WHILE; CATCH ALL i = 0; END TRY;";
   ADSHANDLE cursor = 0, own = 0;
   time_t began = time( NULL );
   OK( AdsCreateSQLStatement( connection, &own ) );
   OK( AdsSetSQLTimeout( own, 1 ) );
   ANSWERS( AE_OPERATION_ABORTED, AdsExecuteSQLDirect( own, T( endless ), &cursor ) );
   ANSWERS( AE_OPERATION_ABORTED, AdsExecuteSQLDirect( own, T( query ), &cursor ) );
   OK( AdsSetSQLTimeout( connection, 1 ) );
   ANSWERS( AE_OPERATION_ABORTED, AdsExecuteSQLDirect( statement, T( query ), &cursor ) );
   TRUE_THAT( time( NULL ) - began < 30 );
   OK( AdsSetSQLTimeout( own, ADS_DEFAULT_SQL_TIMEOUT ) );
   ANSWERS( AE_OPERATION_ABORTED, AdsExecuteSQLDirect( own, T( endless ), &cursor ) );
   OK( AdsSetSQLTimeout( connection, ADS_DEFAULT_SQL_TIMEOUT ) );
   TRUE_THAT( value( "SELECT COUNT(*) FROM t03_cdx_tags" ) > 10 );
   ANSWERS( AE_INVALID_CONNECTION_HANDLE, AdsSetSQLTimeout( 4711, 1 ) );
   OK( AdsCloseSQLStatement( own ) );
}

int main( int count, char ** arguments )
{
   if( count < 2 )
      return 2;
   connect_to( arguments[ 1 ] );
   a_static_cursor_is_a_table();
   parameters_by_name_and_by_number();
   changes_are_seen_by_tables();
   rows_are_indexed();
   statements_change_what_calls_have_appended();
   errors_have_the_engines_words();
   words_are_indexed();
   statements_change_what_handles_have_locked( arguments[ 1 ] );
   statements_are_ended_by_the_clock();
   disconnect();
   END();
}
