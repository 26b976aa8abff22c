/* SQL on a data dictionary: its tables by its names, its views and scripts, and the rights of its users. */
#include "sql.h"
#include <sys/stat.h>
#include <unistd.h>

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
   /* The table's file is that table by whatever name. */
   SAME( 1, changed( "UPDATE t03_cdx_tags SET bal = 3 WHERE id = 7919" ) );
   SAME( 1, changed( "UPDATE \".\\t03_cdx_tags.dbf\" SET bal = 4 WHERE id = 7919" ) );
   SAME( 3, value( "SELECT COUNT(*) FROM changes" ) );
   SAME( 2, changed( "DELETE FROM changes WHERE was < 4 AND was > 0" ) );
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

/* Tables that SQL makes are the dictionary's, with the rules of their fields, unless they are to be free. */
static void tables_are_made( const char * folder )
{
   ADSHANDLE table = 0;
   UNSIGNED8 text[ 600 ];
   UNSIGNED16 length = sizeof( text );
   SAME( 0, changed( "CREATE TABLE Parts (item Char(12) NOT NULL, qty Integer DEFAULT '5' CONSTRAINT MAXIMUM '100')" ) );
   OK( AdsDDGetTableProperty( connection, T( "parts" ), ADS_DD_TABLE_PATH, text, &length ) );
   TRUE_THAT( strstr( ( char * ) text, "/parts.dbf" ) != NULL );
   OK( AdsOpenTable( connection, T( "Parts" ), NULL, ADS_CDX, ADS_ANSI, ADS_COMPATIBLE_LOCKING, ADS_CHECKRIGHTS,
                     ADS_SHARED, &table ) );
   OK( AdsAppendRecord( table ) );
   SAME( 5, number_of( table, "qty" ) );
   OK( AdsSetString( table, T( "item" ), T( "bolt" ), 4 ) );
   OK( AdsSetDouble( table, T( "qty" ), 101 ) );
   ANSWERS( AE_MAX_CONSTRAINT_VIOLATION, AdsWriteRecord( table ) );
   OK( AdsSetDouble( table, T( "qty" ), 7 ) );
   OK( AdsWriteRecord( table ) );
   OK( AdsCloseTable( table ) );
   SAME( 7, value( "SELECT qty FROM parts" ) );
   SAME( 0, changed( "DROP TABLE Parts FROM DATABASE NO_DELETE" ) );
   length = sizeof( text );
   ANSWERS( AE_INVALID_OBJECT_NAME, AdsDDGetTableProperty( connection, T( "parts" ), ADS_DD_TABLE_PATH, text, &length ) );
   SAME( 7, value( "SELECT qty FROM parts" ) );
   SAME( 0, changed( "DROP TABLE Parts" ) );
   fails( "SELECT qty FROM parts", "not found" );
   SAME( 0, changed( "CREATE TABLE Loose (x Integer) AS FREE TABLE" ) );
   length = sizeof( text );
   ANSWERS( AE_INVALID_OBJECT_NAME, AdsDDGetTableProperty( connection, T( "Loose" ), ADS_DD_TABLE_PATH, text, &length ) );
   SAME( 1, changed( "SELECT 1 AS one INTO Kept FROM system.iota" ) );
   length = sizeof( text );
   OK( AdsDDGetTableProperty( connection, T( "Kept" ), ADS_DD_TABLE_PATH, text, &length ) );
   SAME( 0, changed( "DROP TABLE Kept" ) );
   /* A table that could not be made whole is not there. */
   fails( "CREATE TABLE Half (x Integer, PRIMARY KEY (y))", "" );
   snprintf( ( char * ) text, sizeof( text ), "%s/half.dbf", folder );
   TRUE_THAT( access( ( char * ) text, F_OK ) != 0 );
   fails( "SELECT Twice(21) AS x, * FROM nowhere INTO Half", "" );
}

/* What the procedures of the system do to the dictionary is what its calls do. */
static void the_procedures_of_the_system( void )
{
   UNSIGNED8 text[ 300 ] = "";
   UNSIGNED16 length = sizeof( text ), flag = 9;
   SAME( 0, changed( "CREATE TABLE towns (town Char(12), people Integer) AS FREE TABLE" ) );
   SAME( 0, changed( "CREATE TABLE streets (street Char(12), town Char(12)) AS FREE TABLE" ) );
   SAME( 0, changed( "EXECUTE PROCEDURE sp_AddTableToDatabase('Towns', 'towns.dbf', 2, 1, NULL, 'where people live')" ) );
   SAME( 0, changed( "EXECUTE PROCEDURE sp_AddTableToDatabase('Streets', 'streets.dbf', 2, 1, '', '')" ) );
   OK( AdsDDGetTableProperty( connection, T( "Towns" ), ADS_DD_COMMENT, text, &length ) );
   TEXT( "where people live", ( char * ) text );
   fails( "EXECUTE PROCEDURE sp_AddTableToDatabase('Towns')", "NativeError = 2159" );
   fails( "EXECUTE PROCEDURE sp_AddTableToDatabase('Towns', 'towns.dbf', 'cdx', 1, '', '')", "NativeError = 2159" );
   fails( "EXECUTE PROCEDURE sp_AddTableToDatabase('Nowhere', 'nowhere.dbf', 2, 1, '', '')", "NativeError = 5" );

   SAME( 0, changed( "EXECUTE PROCEDURE sp_CreateIndex90('Towns', NULL, 'TOWN', 'TOWN', NULL, 2051, 512, NULL)" ) );
   SAME( 0, changed( "EXECUTE PROCEDURE sp_CreateIndex90('Streets', NULL, 'TOWN', 'TOWN', NULL, 2, 512, NULL)" ) );
   SAME( 0, changed( "EXECUTE PROCEDURE sp_ModifyTableProperty('Towns', 'TABLE_PRIMARY_KEY', 'TOWN', 'APPEND_FAIL', NULL)" ) );
   SAME( 0, changed( "EXECUTE PROCEDURE sp_ModifyFieldProperty('Towns', 'PEOPLE', 'FIELD_MIN_VALUE', '1', 'APPEND_FAIL', NULL)" ) );
   SAME( 0, changed( "EXECUTE PROCEDURE sp_ModifyFieldProperty('Towns', 'PEOPLE', 'FIELD_VALIDATION_MSG', 'nobody there', 'NO_VALIDATE', NULL)" ) );
   fails( "INSERT INTO Towns VALUES ('Empty', 0)", "nobody there" );
   SAME( 1, changed( "INSERT INTO Towns VALUES ('Gdynia', 5)" ) );
   fails( "EXECUTE PROCEDURE sp_ModifyFieldProperty('Towns', 'PEOPLE', 'FIELD_SIZE', '1', 'APPEND_FAIL', NULL)", "NativeError = 5" );
   fails( "EXECUTE PROCEDURE sp_ModifyFieldProperty('Towns', 'PEOPLE', 'FIELD_MIN_VALUE', '1', 'SOMEHOW', NULL)",
          "NativeError = 2159" );

   SAME( 0, changed( "EXECUTE PROCEDURE sp_CreateReferentialIntegrity('InTown', 'Towns', 'Streets', 'TOWN', 2, 2, NULL, 'no such town', "
                     "'it has streets')" ) );
   fails( "INSERT INTO Streets VALUES ('Long', 'Nowhere')", "no such town" );
   SAME( 1, changed( "INSERT INTO Streets VALUES ('Long', 'Gdynia')" ) );
   fails( "DELETE FROM Towns", "NativeError = 5141" );
   SAME( 0, changed( "EXECUTE PROCEDURE sp_DropReferentialIntegrity('InTown')" ) );
   SAME( 1, changed( "INSERT INTO Streets VALUES ('Long', 'Nowhere')" ) );
   fails( "EXECUTE PROCEDURE sp_DropReferentialIntegrity('InTown')", "NativeError = 5" );

   SAME( 0, changed( "EXECUTE PROCEDURE sp_CreateUser('bea', 'secret', 'of the shop')" ) );
   SAME( 0, changed( "EXECUTE PROCEDURE sp_CreateGroup('clerks', NULL)" ) );
   SAME( 0, changed( "EXECUTE PROCEDURE sp_AddUserToGroup('bea', 'clerks')" ) );
   SAME( 1, value( "SELECT COUNT(*) FROM system.usergroupmembers WHERE group_name = 'clerks' AND user_name = 'bea'" ) );
   SAME( 0, changed( "EXECUTE PROCEDURE sp_ModifyUserProperty('bea', 'COMMENT', 'of the store')" ) );
   length = sizeof( text );
   OK( AdsDDGetUserProperty( connection, T( "bea" ), ADS_DD_COMMENT, text, &length ) );
   TEXT( "of the store", ( char * ) text );
   SAME( 0, changed( "EXECUTE PROCEDURE sp_RemoveUserFromGroup('bea', 'clerks')" ) );
   SAME( 0, changed( "EXECUTE PROCEDURE sp_DropUser('bea')" ) );
   SAME( 0, changed( "EXECUTE PROCEDURE sp_DropGroup('clerks')" ) );
   fails( "EXECUTE PROCEDURE sp_DropUser('bea')", "NativeError = 5" );

   SAME( 0, changed( "EXECUTE PROCEDURE sp_ModifyDatabase('LOG_IN_REQUIRED', 'TRUE')" ) );
   length = sizeof( flag );
   OK( AdsDDGetDatabaseProperty( connection, ADS_DD_LOG_IN_REQUIRED, &flag, &length ) );
   SAME( 1, flag );
   fails( "EXECUTE PROCEDURE sp_ModifyDatabase('LOG_IN_REQUIRED', 'perhaps')", "NativeError = 2159" );
   SAME( 0, changed( "EXECUTE PROCEDURE sp_ModifyDatabase('LOG_IN_REQUIRED', 'FALSE')" ) );
   SAME( 0, changed( "EXECUTE PROCEDURE sp_DisableTriggers('Customers', NULL, TRUE, 0)" ) );
   SAME( 0, changed( "EXECUTE PROCEDURE sp_EnableTriggers('Customers', NULL, TRUE, 0)" ) );
   SAME( 0, changed( "EXECUTE PROCEDURE sp_DisableTriggers('Customers', NULL, TRUE, 0)" ) );
   SAME( 0, changed( "EXECUTE PROCEDURE sp_RenameDDObject('Towns', 'Cities', 1, 0)" ) );
   SAME( 1, value( "SELECT COUNT(*) FROM Cities" ) );
   SAME( 0, changed( "DROP TABLE Cities" ) );
   SAME( 0, changed( "DROP TABLE Streets" ) );
}

/* Of a table that is not the user's to read, columns are that were granted by themselves; it has no others to him. */
static void some_columns( void )
{
   ADSHANDLE cursor = rows( "SELECT ALL * FROM Halves" );
   UNSIGNED16 fields = 9;
   OK( AdsGetNumFields( cursor, &fields ) );
   SAME( 2, fields );
   TRUE_THAT( strlen( text_of( cursor, "code" ) ) > 0 );
   OK( AdsCloseTable( cursor ) );
   TRUE_THAT( value( "SELECT COUNT(*) FROM Halves h WHERE h.num > 0 AND code <> ''" ) > 0 );
   TRUE_THAT( value( "SELECT COUNT(*) FROM Halves a INNER JOIN Customers c ON a.num = c.id" ) >= 0 );
   fails( "SELECT dt FROM Halves", "" );
   fails( "SELECT code FROM Halves WHERE dt IS NOT NULL", "" );
   fails( "SELECT code FROM Halves ORDER BY dt", "" );
   fails( "SELECT h.code FROM \"./t05_ntx.dbf\" h GROUP BY h.code, h.dt", "" );
   fails( "UPDATE Halves SET num = 1", "NativeError = 5054" );
   fails( "INSERT INTO Halves (code) VALUES ('x')", "NativeError = 5054" );
   fails( "DELETE FROM Halves WHERE num = 1", "NativeError = 5054" );
}

static void a_users( const char * path, const char * folder )
{
   UNSIGNED16 on = 1;
   char text[ 700 ];
   OK( AdsDDAddTable( connection, T( "Secrets" ), T( "t01_alltypes_cdx.dbf" ), ADS_CDX, ADS_ANSI, NULL, NULL ) );
   OK( AdsDDCreateUser( connection, NULL, T( "ann" ), T( "secret" ), NULL ) );
   OK( AdsDDSetDatabaseProperty( connection, ADS_DD_VERIFY_ACCESS_RIGHTS, &on, 2 ) );
   OK( AdsDDGrantPermission( connection, ADS_DD_TABLE_OBJECT, T( "Customers" ), NULL, T( "ann" ), ADS_PERMISSION_READ ) );
   OK( AdsDDAddTable( connection, T( "Halves" ), T( "t05_ntx.dbf" ), ADS_NTX, ADS_ANSI, NULL, NULL ) );
   OK( AdsDDGrantPermission( connection, ADS_DD_COLUMN_OBJECT, T( "CODE" ), T( "Halves" ), T( "ann" ), ADS_PERMISSION_READ ) );
   OK( AdsDDGrantPermission( connection, ADS_DD_COLUMN_OBJECT, T( "NUM" ), T( "Halves" ), T( "ann" ), ADS_PERMISSION_READ ) );
   disconnect();
   OK( AdsConnect60( T( path ), ADS_LOCAL_SERVER, T( "ann" ), T( "secret" ), ADS_DEFAULT, &connection ) );
   OK( AdsCreateSQLStatement( connection, &statement ) );
   TRUE_THAT( value( "SELECT COUNT(*) FROM Customers" ) > 10 );
   some_columns();
   fails( "EXECUTE PROCEDURE Owing(0)", "NativeError = 5054" );
   fails( "SELECT Twice(1) FROM system.iota", "NativeError = 5054" );
   fails( "UPDATE Customers SET bal = 0", "NativeError = 5054" );
   fails( "UPDATE c SET bal = 0 FROM Customers c", "NativeError = 5054" );
   fails( "DELETE FROM Customers", "NativeError = 5054" );
   fails( "INSERT INTO Customers (id) VALUES (1)", "NativeError = 5054" );
   fails( "DROP TABLE Customers", "NativeError = 5054" );
   fails( "DROP TABLE Customers FROM DATABASE NO_DELETE", "NativeError = 5054" );
   fails( "ALTER TABLE Customers ADD COLUMN more Integer", "NativeError = 5054" );
   fails( "CREATE INDEX more ON Customers (bal)", "NativeError = 5054" );
   fails( "DROP INDEX Customers.name", "NativeError = 5054" );
   fails( "EXECUTE PROCEDURE sp_PackTable('Customers')", "NativeError = 5054" );
   fails( "EXECUTE PROCEDURE sp_ZapTable('Customers')", "NativeError = 5054" );
   fails( "EXECUTE PROCEDURE sp_ZapTable('t03_cdx_tags.dbf')", "NativeError = 5054" );
   fails( "EXECUTE PROCEDURE sp_Reindex('Customers')", "NativeError = 5054" );
   fails( "EXECUTE PROCEDURE sp_CreateIndex('Customers', NULL, 'X', 'ID', NULL, 2, 512)", "NativeError = 5054" );
   fails( "EXECUTE PROCEDURE sp_CreateUser('eve', '', '')", "NativeError = 5" );
   fails( "EXECUTE PROCEDURE sp_ModifyDatabase('VERIFY_ACCESS_RIGHTS', 'FALSE')", "NativeError = 5" );
   fails( "EXECUTE PROCEDURE sp_ModifyTableProperty('Customers', 'TABLE_PERMISSION_LEVEL', '1', 'NO_VALIDATE', NULL)", "NativeError = 5" );
   fails( "CREATE TABLE Mine (x Integer)", "NativeError = 5054" );
   fails( "SELECT 1 AS one INTO Mine FROM system.iota", "NativeError = 5054" );
   SAME( 0, changed( "CREATE TABLE #mine (x Integer)" ) );
   SAME( 1, changed( "INSERT INTO #mine VALUES (1)" ) );

   /* A table's file is that table, whatever path leads to it. */
   fails( "SELECT * FROM Secrets", "NativeError = 5054" );
   fails( "SELECT * FROM t01_alltypes_cdx", "NativeError = 5054" );
   fails( "SELECT * FROM [T01_ALLTYPES_CDX.DBF]", "NativeError = 5054" );
   fails( "SELECT * FROM \"./t01_alltypes_cdx.dbf\"", "NativeError = 5054" );
   snprintf( text, sizeof( text ), "SELECT * FROM \"%.*s/t01_alltypes_cdx\"", ( int ) strlen( folder ), folder );
   fails( text, "NativeError = 5054" );
   snprintf( text, sizeof( text ), "%.*s/other", ( int ) strlen( folder ), folder );
   TRUE_THAT( mkdir( text, 0700 ) == 0 );
   snprintf( text, sizeof( text ), "%.*s/other/linked.dbf", ( int ) strlen( folder ), folder );
   TRUE_THAT( symlink( "../t01_alltypes_cdx.dbf", text ) == 0 );
   fails( "SELECT * FROM \"other/linked.dbf\"", "NativeError = 5054" );
   fails( "UPDATE t03_cdx_tags SET bal = 0", "NativeError = 5054" );
   fails( "DELETE FROM \"other/../t03_cdx_tags.dbf\"", "NativeError = 5054" );
   TRUE_THAT( value( "SELECT COUNT(*) FROM t03_cdx_tags" ) > 10 );
   fails( "CREATE VIEW mine AS SELECT 1 AS x FROM system.iota", "NativeError = 5054" );
}

int main( int count, char ** arguments )
{
   char path[ 600 ];
   if( count < 2 )
      return 2;
   OK( AdsShowDeleted( 0 ) );
   snprintf( path, sizeof( path ), "%s/shop.add", arguments[ 1 ] );
   the_administrators( path );
   tables_are_made( HERE );
   the_procedures_of_the_system();
   a_users( path, HERE );
   disconnect();
   END();
}
