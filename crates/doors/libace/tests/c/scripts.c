/* Scripts, tables made by SQL, and transactions that the tables of a connection and its statements share. */
#include "sql.h"
#include <dirent.h>

static void tables_are_made_and_filled( void )
{
   ADSHANDLE table = 0, index = 0;
   UNSIGNED16 found = 0, type = 0;
   SAME( 0, changed( "CREATE TABLE stock (item Char(12), qty Integer, price Numeric(9,2), added Date, note Memo)" ) );
   SAME( 0, changed( "CREATE INDEX item ON stock (item)" ) );
   SAME( 3, changed( "INSERT INTO stock VALUES ('bolt', 10, 1.5, '2026-01-02', 'shiny'), ('nut', 5, 0.25, NULL, NULL), "
                     "('gear', 1, 99.95, '2026-02-01', 'heavy')" ) );
   OK( AdsOpenTable( connection, T( "stock" ), NULL, ADS_CDX, ADS_ANSI, ADS_COMPATIBLE_LOCKING, ADS_CHECKRIGHTS,
                     ADS_SHARED, &table ) );
   SAME( 3, count_of( table ) );
   OK( AdsGetFieldType( table, T( "note" ), &type ) );
   SAME( ADS_MEMO, type );
   OK( AdsGetIndexHandle( table, T( "item" ), &index ) );
   OK( AdsSeek( index, T( "gear" ), 4, ADS_STRINGKEY, ADS_HARDSEEK, &found ) );
   SAME( 1, found );
   SAME( 99.95, number_of( table, "price" ) );
   OK( AdsCloseTable( table ) );
   SAME( 2, value( "SELECT COUNT(*) FROM system.columns WHERE parent = 'stock' AND name IN ('ITEM', 'QTY')" ) );
   SAME( 0, changed( "CREATE TABLE #mine (x Integer)" ) );
   SAME( 1, changed( "INSERT INTO #mine VALUES (7)" ) );
   SAME( 7, value( "SELECT x FROM #mine" ) );
}

static void scripts_run( void )
{
   ADSHANDLE cursor = 0;
   UNSIGNED16 parameters = 0;
   SAME( 16.5, value( "DECLARE c CURSOR AS SELECT * FROM stock ORDER BY item;\n"
                      "DECLARE total Double, n Integer;\n"
                      "total = 0; n = 0;\n"
                      "OPEN c;\n"
                      "WHILE FETCH c DO IF c.qty > 1 THEN total = total + c.qty * c.price; n = n + 1; END IF; END WHILE;\n"
                      "CLOSE c;\n"
                      "SELECT total - 0.25 + n * 0.25 FROM system.iota;" ) );
   OK( AdsPrepareSQL( statement, T( "DECLARE i Integer; i = :start; WHILE i < 100 DO i = i * 2; END; "
                                    "SELECT i FROM system.iota" ) ) );
   OK( AdsGetNumParams( statement, &parameters ) );
   SAME( 1, parameters );
   OK( AdsSetLong( statement, T( "start" ), 3 ) );
   OK( AdsExecuteSQL( statement, &cursor ) );
   SAME( 192, number_of( cursor, "i" ) );
   OK( AdsCloseTable( cursor ) );
   fails( "DECLARE i Integer; i = 'x';", "NativeError = 2225" );
   fails( "TRY RAISE Mine(7, 'seven'); FINALLY DELETE FROM stock WHERE qty = 0; END TRY;", "Mine (7): seven" );
   SAME( 0, changed( "CREATE PROCEDURE Restock(item Char(12), more Integer, now Integer OUTPUT) BEGIN\n"
                     "  UPDATE stock SET qty = qty + _more WHERE item = _item;\n"
                     "  INSERT INTO __output SELECT qty FROM stock WHERE item = _item;\n"
                     "END;" ) );
   SAME( 15, value( "EXECUTE PROCEDURE Restock('bolt', 5)" ) );
   SAME( 0, changed( "CREATE FUNCTION Gross(net Double) RETURNS Double BEGIN RETURN net * 1.25; END;" ) );
   SAME( 1.875, value( "SELECT Gross(price) FROM stock WHERE item = 'bolt'" ) );
}

/* How many journals of transactions there are. */
static int journals( const char * folder )
{
   char path[ 700 ];
   struct dirent * entry;
   DIR * listing;
   int count = 0;
   snprintf( path, sizeof( path ), "%s/.mainstay-transactions", folder );
   listing = opendir( path );
   while( listing && ( entry = readdir( listing ) ) != NULL )
      count += strstr( entry->d_name, ".undo" ) != NULL;
   if( listing )
      closedir( listing );
   return count;
}

static void transactions_are_the_connections( const char * folder )
{
   ADSHANDLE table = 0;
   UNSIGNED16 open = 9;
   OK( AdsBeginTransaction( connection ) );
   SAME( 3, changed( "UPDATE stock SET qty = 0" ) );
   SAME( 0, value( "SELECT SUM(qty) FROM stock" ) );
   OK( AdsRollbackTransaction( connection ) );
   SAME( 21, value( "SELECT SUM(qty) FROM stock" ) );

   OK( AdsOpenTable( connection, T( "stock" ), NULL, ADS_CDX, ADS_ANSI, ADS_COMPATIBLE_LOCKING, ADS_CHECKRIGHTS,
                     ADS_SHARED, &table ) );
   SAME( 0, changed( "BEGIN TRANSACTION" ) );
   OK( AdsInTransaction( connection, &open ) );
   SAME( 1, open );
   OK( AdsGotoRecord( table, 1 ) );
   OK( AdsLockRecord( table, 1 ) );
   OK( AdsSetDouble( table, T( "qty" ), 1000 ) );
   OK( AdsWriteRecord( table ) );
   SAME( 1, changed( "UPDATE stock SET qty = 2000 WHERE item = 'nut'" ) );
   SAME( 3001, value( "SELECT SUM(qty) FROM stock" ) );
   SAME( 0, changed( "ROLLBACK WORK" ) );
   OK( AdsInTransaction( connection, &open ) );
   SAME( 0, open );
   SAME( 21, value( "SELECT SUM(qty) FROM stock" ) );
   SAME( 0, changed( "BEGIN TRANSACTION" ) );
   SAME( 1, changed( "UPDATE stock SET qty = 6 WHERE item = 'nut'" ) );
   OK( AdsCommitTransaction( connection ) );
   SAME( 22, value( "SELECT SUM(qty) FROM stock" ) );

   /* It is one transaction: one journal says how to undo both, and a savepoint is one of both. */
   OK( AdsBeginTransaction( connection ) );
   OK( AdsGotoRecord( table, 1 ) );
   OK( AdsSetDouble( table, T( "qty" ), 100 ) );
   OK( AdsWriteRecord( table ) );
   SAME( 1, changed( "UPDATE stock SET qty = 1000 WHERE item = 'nut'" ) );
   SAME( 1, journals( folder ) );
   OK( AdsCreateSavepoint( connection, T( "here" ), 0 ) );
   OK( AdsSetDouble( table, T( "qty" ), 200 ) );
   OK( AdsWriteRecord( table ) );
   SAME( 1, changed( "UPDATE stock SET qty = 2000 WHERE item = 'nut'" ) );
   SAME( 1, changed( "UPDATE stock SET qty = 3000 WHERE item = 'gear'" ) );
   SAME( 5200, value( "SELECT SUM(qty) FROM stock" ) );
   OK( AdsRollbackTransaction80( connection, T( "here" ), 0 ) );
   SAME( 1101, value( "SELECT SUM(qty) FROM stock" ) );
   OK( AdsRollbackTransaction( connection ) );
   SAME( 0, journals( folder ) );
   SAME( 22, value( "SELECT SUM(qty) FROM stock" ) );
   OK( AdsBeginTransaction( connection ) );
   OK( AdsSetDouble( table, T( "qty" ), 16 ) );
   SAME( 1, changed( "UPDATE stock SET qty = 7 WHERE item = 'nut'" ) );
   OK( AdsCommitTransaction( connection ) );
   SAME( 0, journals( folder ) );
   SAME( 24, value( "SELECT SUM(qty) FROM stock" ) );
   OK( AdsCloseTable( table ) );
   ANSWERS( AE_TRANS_OUT_OF_SEQUENCE, AdsExecuteSQLDirect( statement, T( "COMMIT WORK" ), &table ) );
}

int main( int count, char ** arguments )
{
   if( count < 2 )
      return 2;
   connect_to( arguments[ 1 ] );
   tables_are_made_and_filled();
   scripts_run();
   /* The journals are where the tables are, which is said behind the address of a server. */
   transactions_are_the_connections( HERE );
   disconnect();
   END();
}
