/* Triggers of a dictionary's tables, fired by what is written through handles of the tables. */
#include "sql.h"

static ADSHANDLE opened( const char * name )
{
   ADSHANDLE table = 0;
   OK( AdsOpenTable( connection, T( name ), NULL, ADS_CDX, ADS_ANSI, ADS_COMPATIBLE_LOCKING, ADS_CHECKRIGHTS, ADS_SHARED,
                     &table ) );
   return table;
}

static void order( ADSHANDLE table, double id, double qty )
{
   OK( AdsAppendRecord( table ) );
   OK( AdsSetDouble( table, T( "id" ), id ) );
   OK( AdsSetDouble( table, T( "qty" ), qty ) );
   OK( AdsSetString( table, T( "note" ), T( "it's new" ), 8 ) );
}

static void says( const char * words )
{
   UNSIGNED8 text[ 601 ] = "";
   UNSIGNED16 length = 600;
   UNSIGNED32 code = 0;
   OK( AdsGetLastError( &code, text, &length ) );
   if( ! strstr( ( char * ) text, words ) )
   {
      ++failures;
      fprintf( stderr, "\"%s\" is without \"%s\"\n", text, words );
   }
}

static void made( const char * path )
{
   OK( AdsDDCreate( T( path ), 0, NULL, &connection ) );
   OK( AdsCreateSQLStatement( connection, &statement ) );
   OK( AdsStmtSetTableType( statement, ADS_CDX ) );
   SAME( 0, changed( "CREATE TABLE Orders (id Integer, qty Integer, note Char(20), story Memo)" ) );
   SAME( 0, changed( "CREATE TABLE History (what Char(8), id Integer, was Integer, becomes Integer, note Char(30))" ) );
   SAME( 0, changed( "CREATE TABLE Stamped (id Integer, stamp Char(10))" ) );
   SAME( 0, changed( "CREATE TRIGGER added ON Orders AFTER INSERT BEGIN INSERT INTO History "
                     "SELECT 'insert', id, NULL, qty, note + '.' FROM __new; END" ) );
   SAME( 0, changed( "CREATE TRIGGER altered ON Orders AFTER UPDATE BEGIN INSERT INTO History "
                     "SELECT 'update', n.id, o.qty, n.qty, n.story FROM __new n, __old o; "
                     "IF (SELECT qty FROM __new) > 900 THEN RAISE TooMuch(7, 'too much'); END IF; END" ) );
   SAME( 0, changed( "CREATE TRIGGER gone ON Orders AFTER DELETE BEGIN INSERT INTO History "
                     "SELECT 'delete', id, qty, NULL, NULL FROM __old; END" ) );
   SAME( 0, changed( "CREATE TRIGGER checked ON Orders BEFORE UPDATE BEGIN "
                     "INSERT INTO History (what) VALUES ('before'); "
                     "IF (SELECT qty FROM __new) < 0 THEN INSERT INTO __error VALUES (4711, 'less than nothing'); END IF; END" ) );
   SAME( 0, changed( "CREATE TRIGGER stamped ON Stamped INSTEAD OF UPDATE BEGIN "
                     "UPDATE Stamped SET stamp = 'trigger' WHERE id = (SELECT id FROM __old); END" ) );
   SAME( 0, changed( "CREATE TRIGGER refused ON Stamped INSTEAD OF DELETE BEGIN INSERT INTO History (what) VALUES ('kept'); END" ) );
   SAME( 0, changed( "CREATE TRIGGER twice ON Stamped INSTEAD OF INSERT BEGIN INSERT INTO History (what) VALUES ('not'); END" ) );
}

static void each_event_fires( void )
{
   ADSHANDLE table = opened( "Orders" );
   order( table, 1, 10 );
   OK( AdsWriteRecord( table ) );
   SAME( 1, value( "SELECT COUNT(*) FROM History" ) );
   SAME( 1, value( "SELECT COUNT(*) FROM History WHERE what = 'insert' AND id = 1 AND becomes = 10 AND was IS NULL" ) );
   SAME( 1, value( "SELECT COUNT(*) FROM History WHERE note = 'it''s new.'" ) );
   OK( AdsWriteRecord( table ) );
   SAME( 1, value( "SELECT COUNT(*) FROM History" ) );
   OK( AdsSetDouble( table, T( "qty" ), 12 ) );
   OK( AdsSetString( table, T( "story" ), T( "long ago" ), 8 ) );
   /* Leaving the record writes it. */
   OK( AdsGotoTop( table ) );
   SAME( 1, value( "SELECT COUNT(*) FROM History WHERE what = 'update' AND was = 10 AND becomes = 12 AND note = 'long ago'" ) );
   SAME( 1, value( "SELECT COUNT(*) FROM History WHERE what = 'before'" ) );
   OK( AdsDeleteRecord( table ) );
   SAME( 1, value( "SELECT COUNT(*) FROM History WHERE what = 'delete' AND was = 12" ) );
   OK( AdsRecallRecord( table ) );
   SAME( 4, value( "SELECT COUNT(*) FROM History" ) );
   OK( AdsCloseTable( table ) );
}

static void a_trigger_that_fails_undoes_everything( void )
{
   ADSHANDLE table = opened( "Orders" );
   double before = value( "SELECT COUNT(*) FROM History" );
   OK( AdsSetDouble( table, T( "qty" ), -1 ) );
   ANSWERS( 4711, AdsWriteRecord( table ) );
   says( "less than nothing" );
   SAME( before, value( "SELECT COUNT(*) FROM History" ) );
   /* It stays pending, and may be corrected. */
   SAME( -1, number_of( table, "qty" ) );
   OK( AdsSetDouble( table, T( "qty" ), 13 ) );
   OK( AdsWriteRecord( table ) );
   SAME( before + 2, value( "SELECT COUNT(*) FROM History" ) );
   OK( AdsSetDouble( table, T( "qty" ), 901 ) );
   TRUE_THAT( AdsWriteRecord( table ) != AE_SUCCESS );
   says( "too much" );
   SAME( before + 2, value( "SELECT COUNT(*) FROM History" ) );
   SAME( 13, value( "SELECT qty FROM Orders" ) );
   SAME( 13, number_of( table, "qty" ) );
   OK( AdsCloseTable( table ) );
}

static void within_a_transaction( void )
{
   ADSHANDLE table = opened( "Orders" );
   double before = value( "SELECT COUNT(*) FROM History" );
   UNSIGNED16 open = 0;
   OK( AdsBeginTransaction( connection ) );
   OK( AdsSetDouble( table, T( "qty" ), 20 ) );
   OK( AdsWriteRecord( table ) );
   SAME( before + 2, value( "SELECT COUNT(*) FROM History" ) );
   OK( AdsSetDouble( table, T( "qty" ), -5 ) );
   ANSWERS( 4711, AdsWriteRecord( table ) );
   OK( AdsCancelUpdate( table ) );
   OK( AdsSetDouble( table, T( "qty" ), 902 ) );
   TRUE_THAT( AdsWriteRecord( table ) != AE_SUCCESS );
   /* What went wrong is undone, what was done before is there, and the transaction goes on. */
   SAME( 20, number_of( table, "qty" ) );
   SAME( before + 2, value( "SELECT COUNT(*) FROM History" ) );
   OK( AdsInTransaction( connection, &open ) );
   SAME( 1, open );
   OK( AdsRollbackTransaction( connection ) );
   SAME( before, value( "SELECT COUNT(*) FROM History" ) );
   SAME( 13, value( "SELECT qty FROM Orders" ) );
   OK( AdsBeginTransaction( connection ) );
   OK( AdsSetDouble( table, T( "qty" ), 21 ) );
   OK( AdsCommitTransaction( connection ) );
   SAME( before + 2, value( "SELECT COUNT(*) FROM History" ) );
   SAME( 21, value( "SELECT qty FROM Orders" ) );
   OK( AdsCloseTable( table ) );
}

static void instead_of_the_write( void )
{
   ADSHANDLE table;
   UNSIGNED16 deleted = 9;
   double before;
   OK( AdsDDDisableTriggers( connection, T( "Stamped" ), NULL, 0 ) );
   table = opened( "Stamped" );
   OK( AdsAppendRecord( table ) );
   OK( AdsSetDouble( table, T( "id" ), 1 ) );
   OK( AdsSetString( table, T( "stamp" ), T( "program" ), 7 ) );
   OK( AdsWriteRecord( table ) );
   OK( AdsDDEnableTriggers( connection, T( "Stamped" ), NULL, 0 ) );
   TEXT( "program", text_of( table, "stamp" ) );
   OK( AdsSetString( table, T( "stamp" ), T( "again" ), 5 ) );
   OK( AdsWriteRecord( table ) );
   TEXT( "trigger", text_of( table, "stamp" ) );
   before = value( "SELECT COUNT(*) FROM History" );
   OK( AdsDeleteRecord( table ) );
   OK( AdsIsRecordDeleted( table, &deleted ) );
   SAME( 0, deleted );
   OK( AdsAppendRecord( table ) );
   OK( AdsSetDouble( table, T( "id" ), 2 ) );
   OK( AdsWriteRecord( table ) );
   SAME( 1, value( "SELECT COUNT(*) FROM Stamped" ) );
   SAME( before + 2, value( "SELECT COUNT(*) FROM History" ) );
   OK( AdsCloseTable( table ) );
}

int main( int count, char ** arguments )
{
   char path[ 600 ];
   if( count < 2 )
      return 2;
   OK( AdsShowDeleted( 0 ) );
   snprintf( path, sizeof( path ), "%s/shop.add", arguments[ 1 ] );
   made( path );
   each_event_fires();
   a_trigger_that_fails_undoes_everything();
   within_a_transaction();
   instead_of_the_write();
   disconnect();
   END();
}
