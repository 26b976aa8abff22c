/* SQL over ADT tables: AdsStmtSetTableType with ADS_ADT makes them, and cursors keep the types of their fields. */
#include "sql.h"

static UNSIGNED16 type_of( ADSHANDLE cursor, const char * field )
{
   UNSIGNED16 kind = 0;
   OK( AdsGetFieldType( cursor, T( field ), &kind ) );
   return kind;
}

static UNSIGNED16 table_type( ADSHANDLE cursor )
{
   UNSIGNED16 kind = 0;
   OK( AdsGetTableType( cursor, &kind ) );
   return kind;
}

static UNSIGNED32 length_of( ADSHANDLE cursor, const char * field )
{
   UNSIGNED32 length = 0;
   OK( AdsGetFieldLength( cursor, T( field ), &length ) );
   return length;
}

static void check_types( ADSHANDLE cursor, int is_table )
{
   SAME( ADS_CISTRING, type_of( cursor, "name" ) );
   SAME( 20, length_of( cursor, "name" ) );
   SAME( ADS_SHORTINT, type_of( cursor, "small" ) );
   SAME( ADS_MONEY, type_of( cursor, "amount" ) );
   SAME( ADS_CURDOUBLE, type_of( cursor, "price" ) );
   SAME( ADS_TIMESTAMP, type_of( cursor, "moment" ) );
   SAME( ADS_TIME, type_of( cursor, "clock" ) );
   SAME( ADS_RAW, type_of( cursor, "bytes" ) );
   SAME( ADS_MEMO, type_of( cursor, "note" ) );
   SAME( ADS_NUMERIC, type_of( cursor, "digits" ) );
   SAME( ADS_LOGICAL, type_of( cursor, "here" ) );
   if( is_table )
   {
      SAME( ADS_AUTOINC, type_of( cursor, "id" ) );
      SAME( ADS_ROWVERSION, type_of( cursor, "version" ) );
   }
}

static void tables_are_made( void )
{
   ADSHANDLE table = 0, cursor;
   SAME( 0, changed( "CREATE TABLE goods ( id AutoInc, name CICharacter(20), small Short, amount Money, price CurDouble, "
                     "moment TimeStamp, clock Time, bytes Raw(4), note Memo, digits Numeric(8,2), here Logical, version RowVersion )" ) );
   SAME( 1, changed( "INSERT INTO goods ( name, small, amount, price, moment, clock, note, digits, here ) VALUES ( 'Chair', 3, 12.3456, "
                     "1.5, '2024-05-06 07:08:09', '13:14:15', 'a long note', 12.5, TRUE )" ) );
   SAME( 2, changed( "INSERT INTO goods ( name, amount ) VALUES ( 'CHAIR', 1 ), ( 'table', 2 )" ) );
   OK( AdsOpenTable( connection, T( "goods" ), NULL, ADS_ADT, ADS_ANSI, ADS_PROPRIETARY_LOCKING, ADS_CHECKRIGHTS, ADS_SHARED, &table ) );
   SAME( ADS_ADT, table_type( table ) );
   check_types( table, 1 );
   SAME( 3, count_of( table ) );
   OK( AdsCloseTable( table ) );

   /* A static cursor: its own table, whose fields have the types of the columns. */
   cursor = rows( "SELECT id, name, small, amount, price, moment, clock, bytes, note, digits, here, version FROM goods WHERE name = 'chair' ORDER BY id" );
   SAME( ADS_ADT, table_type( cursor ) );
   check_types( cursor, 0 );
   SAME( 2, count_of( cursor ) );
   OK( AdsGotoTop( cursor ) );
   TEXT( "Chair", text_of( cursor, "name" ) );
   SAME( 1, number_of( cursor, "id" ) );
   SAME( 12.3456, number_of( cursor, "amount" ) );
   TEXT( "a long note", text_of( cursor, "note" ) );
   OK( AdsSkip( cursor, 1 ) );
   TEXT( "CHAIR", text_of( cursor, "name" ) );
   TEXT( "", text_of( cursor, "note" ) );
   {
      UNSIGNED16 is_null = 9;
      OK( AdsIsNull( cursor, T( "digits" ), &is_null ) );
      SAME( 1, is_null );
   }
   OK( AdsCloseTable( cursor ) );

   /* A live cursor: the table itself. */
   cursor = rows( "SELECT * FROM goods WHERE name = 'CHAIR'" );
   SAME( ADS_ADT, table_type( cursor ) );
   check_types( cursor, 1 );
   OK( AdsGotoTop( cursor ) );
   OK( AdsSetString( cursor, T( "name" ), T( "stool" ), 5 ) );
   OK( AdsWriteRecord( cursor ) );
   OK( AdsCloseTable( cursor ) );
   SAME( 1, value( "SELECT COUNT(*) FROM goods WHERE name = 'STOOL'" ) );
}

static void tables_of_one_session( void )
{
   SAME( 0, changed( "CREATE TABLE #few ( id AutoInc, name CICharacter(10), note Memo )" ) );
   SAME( 1, changed( "INSERT INTO #few ( name, note ) VALUES ( 'One', 'first' )" ) );
   SAME( 1, value( "SELECT COUNT(*) FROM #few WHERE name = 'ONE'" ) );
   SAME( 3, changed( "SELECT name, amount INTO chosen FROM goods" ) );
   SAME( 0, changed( "CREATE UNIQUE INDEX by_amount ON chosen ( amount )" ) );
   SAME( 1, changed( "UPDATE chosen SET amount = 99 WHERE name = 'TABLE'" ) );
   SAME( 99, value( "SELECT amount FROM chosen WHERE name = 'Table'" ) );
   SAME( 1, changed( "DELETE FROM chosen WHERE amount = 99" ) );
   SAME( 2, value( "SELECT COUNT(*) FROM chosen" ) );
   SAME( 0, changed( "DROP TABLE chosen" ) );
}

int main( int count, char ** arguments )
{
   if( count < 2 )
      return 2;
   connect_to( arguments[ 1 ] );
   OK( AdsStmtSetTableType( statement, ADS_ADT ) );
   tables_are_made();
   tables_of_one_session();
   disconnect();
   END();
}
