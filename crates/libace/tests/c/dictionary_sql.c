/* SQL on a data dictionary: its tables by its names, its views and scripts, and the rights of its users. */
#include "sql.h"

static double value( const char * sql )
{
   ADSHANDLE cursor = rows( sql );
   double found = 0;
   OK( AdsGetDouble( cursor, ADSFIELD( 1 ), &found ) );
   OK( AdsCloseTable( cursor ) );
   return found;
}

static void the_administrators( const char * path )
{
   UNSIGNED8 text[ 600 ];
   UNSIGNED16 length = sizeof( text );
   OK( AdsDDCreate( T( path ), 0, NULL, &connection ) );
   OK( AdsCreateSQLStatement( connection, &statement ) );
   OK( AdsStmtSetTableType( statement, ADS_CDX ) );
   OK( AdsDDAddTable( connection, T( "Customers" ), T( "t03_cdx_tags.dbf" ), ADS_CDX, ADS_ANSI, NULL, NULL ) );
   TRUE_THAT( value( "SELECT COUNT(*) FROM Customers WHERE city = 'Lima'" ) > 10 );
   OK( AdsDDAddView( connection, T( "Lima" ), NULL, T( "SELECT id, bal FROM Customers WHERE city = 'Lima'" ) ) );
   TRUE_THAT( value( "SELECT COUNT(*) FROM lima" ) > 10 );
   OK( AdsDDCreateFunction( connection, T( "Twice" ), T( "INTEGER" ), 1, T( "x INTEGER" ), T( "RETURN x * 2;" ), NULL ) );
   SAME( 42, value( "SELECT Twice(21) FROM system.iota" ) );
   OK( AdsDDAddProcedure( connection, T( "Owing" ), T( "INSERT INTO __output SELECT COUNT(*) FROM Customers WHERE bal < _most;" ),
                          NULL, ADS_SCRIPT_PROC, T( "most,Double;" ), T( "n,Integer;" ), NULL ) );
   TRUE_THAT( value( "EXECUTE PROCEDURE Owing(0)" ) > 10 );
   SAME( 0, changed( "CREATE TABLE changes (id Integer, was Double)" ) );
   OK( AdsDDCreateTrigger( connection, T( "noted" ), T( "Customers" ), ADS_TRIGTYPE_AFTER, ADS_TRIGEVENT_UPDATE, ADS_TRIG_SCRIPT,
                           T( "INSERT INTO changes SELECT id, bal FROM __old;" ), NULL, 1, NULL, 0 ) );
   SAME( 1, changed( "UPDATE c SET bal = 1 FROM Customers c WHERE c.id = 7919" ) );
   SAME( 7919, value( "SELECT id FROM changes" ) );
   SAME( -8952.71, value( "SELECT was FROM changes" ) );
   OK( AdsDDDisableTriggers( connection, T( "Customers" ), NULL, 0 ) );
   SAME( 1, changed( "UPDATE Customers SET bal = 2 WHERE id = 7919" ) );
   SAME( 1, value( "SELECT COUNT(*) FROM changes" ) );

   /* What SQL makes is in the dictionary, too. */
   SAME( 0, changed( "CREATE PROCEDURE Hello(who Char(10), text Memo OUTPUT) BEGIN INSERT INTO __output VALUES ('hello ' + _who); END" ) );
   OK( AdsDDGetProcedureProperty( connection, T( "hello" ), ADS_DD_PROC_INPUT, text, &length ) );
   TEXT( "who,char,10;", text );
   {
      ADSHANDLE cursor = rows( "EXECUTE PROCEDURE Hello('Ann')" );
      TEXT( "hello Ann", text_of( cursor, "text" ) );
      OK( AdsCloseTable( cursor ) );
   }
   fails( "CREATE PROCEDURE Hello() BEGIN RETURN; END", "exists" );
   SAME( 0, changed( "DROP PROCEDURE Hello" ) );
   fails( "EXECUTE PROCEDURE Hello('Ann')", "not found" );
}

static void a_users( const char * path )
{
   UNSIGNED16 on = 1;
   OK( AdsDDCreateUser( connection, NULL, T( "ann" ), T( "secret" ), NULL ) );
   OK( AdsDDSetDatabaseProperty( connection, ADS_DD_VERIFY_ACCESS_RIGHTS, &on, 2 ) );
   OK( AdsDDGrantPermission( connection, ADS_DD_TABLE_OBJECT, T( "Customers" ), NULL, T( "ann" ), ADS_PERMISSION_READ ) );
   disconnect();
   OK( AdsConnect60( T( path ), ADS_LOCAL_SERVER, T( "ann" ), T( "secret" ), ADS_DEFAULT, &connection ) );
   OK( AdsCreateSQLStatement( connection, &statement ) );
   TRUE_THAT( value( "SELECT COUNT(*) FROM Customers" ) > 10 );
   fails( "EXECUTE PROCEDURE Owing(0)", "NativeError = 5054" );
   fails( "SELECT Twice(1) FROM system.iota", "NativeError = 5054" );
   fails( "UPDATE Customers SET bal = 0", "NativeError = 5054" );
   fails( "UPDATE c SET bal = 0 FROM Customers c", "NativeError = 5054" );
   fails( "DELETE FROM Customers", "NativeError = 5054" );
   fails( "INSERT INTO Customers (id) VALUES (1)", "NativeError = 5054" );
   fails( "DROP TABLE Customers", "NativeError = 5054" );
   fails( "CREATE VIEW mine AS SELECT 1 AS x FROM system.iota", "NativeError = 5054" );
}

int main( int count, char ** arguments )
{
   char path[ 600 ];
   if( count < 2 )
      return 2;
   snprintf( path, sizeof( path ), "%s/shop.add", arguments[ 1 ] );
   the_administrators( path );
   a_users( path );
   disconnect();
   END();
}
