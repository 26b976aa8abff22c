/* What the dictionary says of fields, tables and relations holds for statements as it does for records. */
#include "sql.h"

static void set_table( const char * table, UNSIGNED16 property, const char * text )
{
   OK( AdsDDSetTableProperty( connection, T( table ), property, ( void * ) text, ( UNSIGNED16 ) ( strlen( text ) + 1 ),
                              ADS_NO_VALIDATE, NULL ) );
}

static void relation( UNSIGNED16 on_update, UNSIGNED16 on_delete )
{
   static int is_there = 0;
   if( is_there )
      OK( AdsDDRemoveRefIntegrity( connection, T( "sales" ) ) );
   is_there = 1;
   OK( AdsDDCreateRefIntegrity62( connection, T( "sales" ), NULL, T( "Buyers" ), T( "ID" ), T( "Sales" ), T( "BUYER" ),
                                  on_update, on_delete, T( "no such buyer" ), T( "sales stay" ) ) );
}

static void made( const char * path )
{
   OK( AdsDDCreate( T( path ), 0, NULL, &connection ) );
   OK( AdsCreateSQLStatement( connection, &statement ) );
   OK( AdsStmtSetTableType( statement, ADS_VFP ) );
   SAME( 0, changed( "CREATE TABLE Buyers (id Integer, name Char(10) NOT NULL, town Char(10) DEFAULT 'Oslo', "
                     "owes Numeric(8,2) DEFAULT '1.5' CONSTRAINT MINIMUM '0' CONSTRAINT MAXIMUM '100' "
                     "CONSTRAINT ERROR MESSAGE 'owes too much', note Memo)" ) );
   SAME( 0, changed( "CREATE TABLE Sales (no Integer, buyer Integer DEFAULT '9', what Char(10))" ) );
   SAME( 0, changed( "CREATE TABLE Log (what Char(10), no Integer, buyer Integer)" ) );
   SAME( 0, changed( "CREATE UNIQUE INDEX ID ON Buyers (id)" ) );
   SAME( 0, changed( "CREATE INDEX BUYER ON Sales (buyer)" ) );
   set_table( "Buyers", ADS_DD_TABLE_PRIMARY_KEY, "ID" );
}

static void fields_and_tables_have_rules( void )
{
   SAME( 1, changed( "INSERT INTO Buyers (id, name) VALUES (1, 'Ann')" ) );
   SAME( 1, value( "SELECT COUNT(*) FROM Buyers WHERE town = 'Oslo' AND owes = 1.5" ) );
   SAME( 2, changed( "INSERT INTO Buyers (id, name, town, owes) VALUES (2, 'Bob', DEFAULT, 7), (3, 'Cid', 'Rome', DEFAULT)" ) );
   SAME( 1, value( "SELECT COUNT(*) FROM Buyers WHERE id = 2 AND town = 'Oslo' AND owes = 7" ) );
   SAME( 1, value( "SELECT COUNT(*) FROM Buyers WHERE id = 3 AND town = 'Rome' AND owes = 1.5" ) );
   SAME( 2, changed( "INSERT INTO Buyers (name, id) SELECT name + 'x', id + 10 FROM Buyers WHERE id < 3" ) );
   SAME( 2, value( "SELECT COUNT(*) FROM Buyers WHERE id > 10 AND owes = 1.5 AND town = 'Oslo'" ) );
   SAME( 2, changed( "DELETE FROM Buyers WHERE id > 10" ) );

   fails( "INSERT INTO Buyers (id, name, owes) VALUES (4, 'Dan', 101)", "owes too much" );
   fails( "INSERT INTO Buyers (id, name, owes) VALUES (4, 'Dan', 1), (5, 'Eve', -1)", "owes too much" );
   fails( "INSERT INTO Buyers (id) VALUES (4)", "NativeError = 5" );
   fails( "INSERT INTO Buyers DEFAULT VALUES", "NativeError = 5" );
   fails( "UPDATE Buyers SET owes = owes + 95", "owes too much" );
   fails( "UPDATE Buyers SET name = NULL WHERE id = 1", "NativeError = 5" );
   SAME( 3, value( "SELECT COUNT(*) FROM Buyers" ) );
   SAME( 10, value( "SELECT SUM(owes) FROM Buyers" ) );

   set_table( "Buyers", ADS_DD_TABLE_VALIDATION_EXPR, "TOWN <> 'Paris' .OR. OWES = 0" );
   set_table( "Buyers", ADS_DD_TABLE_VALIDATION_MSG, "nobody in Paris owes" );
   fails( "UPDATE Buyers SET town = 'Paris' WHERE id = 2", "nobody in Paris owes" );
   SAME( 1, changed( "UPDATE Buyers SET town = 'Paris', owes = 0, note = 'moved' WHERE id = 2" ) );
   fails( "MERGE Buyers USING (SELECT 2 AS id FROM system.iota) n ON (Buyers.id = n.id) "
          "WHEN MATCHED THEN UPDATE SET owes = 3", "nobody in Paris owes" );
   SAME( 1, changed( "DELETE FROM Buyers WHERE id = 2" ) );
   OK( AdsBeginTransaction( connection ) );
   SAME( 1, changed( "UPDATE Buyers SET owes = 50 WHERE id = 1" ) );
   fails( "UPDATE Buyers SET owes = 101 WHERE id = 3", "owes too much" );
   OK( AdsCommitTransaction( connection ) );
   SAME( 50, value( "SELECT owes FROM Buyers WHERE id = 1" ) );
   SAME( 1.5, value( "SELECT owes FROM Buyers WHERE id = 3" ) );
}

static void relations_are_kept( void )
{
   relation( ADS_DD_RI_CASCADE, ADS_DD_RI_CASCADE );
   SAME( 3, changed( "INSERT INTO Sales VALUES (1, 1, 'a'), (2, 1, 'b'), (3, 3, 'c')" ) );
   SAME( 1, changed( "INSERT INTO Sales VALUES (4, NULL, 'nobody')" ) );
   fails( "INSERT INTO Sales VALUES (5, 1, 'd'), (6, 77, 'e')", "no such buyer" );
   fails( "INSERT INTO Sales (no, what) VALUES (5, 'd')", "no such buyer" );
   fails( "UPDATE Sales SET buyer = 77 WHERE no = 1", "no such buyer" );
   SAME( 4, value( "SELECT COUNT(*) FROM Sales" ) );
   SAME( 0, changed( "CREATE TRIGGER sold ON Sales AFTER UPDATE BEGIN "
                     "INSERT INTO Log SELECT 'update', no, buyer FROM __new; END" ) );
   SAME( 0, changed( "CREATE TRIGGER gone ON Sales AFTER DELETE BEGIN "
                     "INSERT INTO Log SELECT 'delete', no, buyer FROM __old; END" ) );

   /* Children follow, with their triggers. */
   SAME( 1, changed( "UPDATE Buyers SET id = 100 WHERE id = 1" ) );
   SAME( 2, value( "SELECT COUNT(*) FROM Sales WHERE buyer = 100" ) );
   SAME( 2, value( "SELECT COUNT(*) FROM Log WHERE what = 'update' AND buyer = 100" ) );
   SAME( 1, changed( "DELETE FROM Buyers WHERE id = 3" ) );
   SAME( 3, value( "SELECT COUNT(*) FROM Sales" ) );
   SAME( 1, value( "SELECT COUNT(*) FROM Log WHERE what = 'delete' AND no = 3" ) );

   /* In a transaction, and undone with it. */
   OK( AdsBeginTransaction( connection ) );
   SAME( 1, changed( "UPDATE Sales SET what = 'x' WHERE no = 1" ) );
   SAME( 1, changed( "UPDATE Buyers SET id = 200 WHERE id = 100" ) );
   SAME( 2, value( "SELECT COUNT(*) FROM Sales WHERE buyer = 200" ) );
   SAME( 1, changed( "DELETE FROM Buyers WHERE id = 200" ) );
   SAME( 1, value( "SELECT COUNT(*) FROM Sales" ) );
   OK( AdsRollbackTransaction( connection ) );
   SAME( 2, value( "SELECT COUNT(*) FROM Sales WHERE buyer = 100" ) );

   /* Two parents swap their keys, and each keeps its children. */
   SAME( 2, changed( "INSERT INTO Buyers (id, name) VALUES (51, 'Kim'), (52, 'Lea')" ) );
   SAME( 3, changed( "INSERT INTO Sales VALUES (51, 51, 'k'), (52, 52, 'l'), (53, 52, 'l')" ) );
   SAME( 2, changed( "UPDATE Buyers SET id = CASE WHEN id = 51 THEN 52 ELSE 51 END WHERE id > 50 AND id < 53" ) );
   SAME( 51, value( "SELECT id FROM Buyers WHERE name = 'Lea'" ) );
   SAME( 2, value( "SELECT COUNT(*) FROM Sales WHERE what = 'l' AND buyer = 51" ) );
   SAME( 1, value( "SELECT COUNT(*) FROM Sales WHERE what = 'k' AND buyer = 52" ) );
   SAME( 2, changed( "DELETE FROM Buyers WHERE id = 51 OR id = 52" ) );
   SAME( 0, value( "SELECT COUNT(*) FROM Sales WHERE no > 50" ) );

   relation( ADS_DD_RI_RESTRICT, ADS_DD_RI_RESTRICT );
   fails( "UPDATE Buyers SET id = 1", "sales" );
   fails( "DELETE FROM Buyers", "sales" );
   SAME( 1, changed( "UPDATE Buyers SET town = 'Bonn'" ) );
   SAME( 100, value( "SELECT id FROM Buyers" ) );

   relation( ADS_DD_RI_SETNULL, ADS_DD_RI_SETDEFAULT );
   SAME( 1, changed( "UPDATE Sales SET buyer = NULL WHERE no = 2" ) );
   SAME( 1, changed( "INSERT INTO Buyers (id, name) VALUES (9, 'Ida')" ) );
   SAME( 1, changed( "DELETE FROM Buyers WHERE id = 100" ) );
   SAME( 9, value( "SELECT buyer FROM Sales WHERE no = 1" ) );
   SAME( 1, changed( "UPDATE Buyers SET id = 10" ) );
   SAME( 3, value( "SELECT COUNT(*) FROM Sales WHERE buyer IS NULL" ) );

   OK( AdsDisableRI( connection ) );
   SAME( 1, changed( "UPDATE Sales SET buyer = 77 WHERE no = 1" ) );
   OK( AdsEnableRI( connection ) );
   SAME( 1, changed( "UPDATE Sales SET buyer = 10 WHERE no = 1" ) );
}

static void a_merge_is_watched( void )
{
   double logged = value( "SELECT COUNT(*) FROM Log" );
   SAME( 2, changed( "MERGE Sales USING (SELECT 1 AS no, 10 AS buyer FROM system.iota UNION "
                     "SELECT 30 AS no, 10 AS buyer FROM system.iota) n ON (Sales.no = n.no) "
                     "WHEN MATCHED THEN UPDATE SET what = 'merged' "
                     "WHEN NOT MATCHED THEN INSERT (no, buyer, what) VALUES (n.no, n.buyer, 'new')" ) );
   SAME( 1, value( "SELECT COUNT(*) FROM Sales WHERE no = 1 AND what = 'merged'" ) );
   SAME( 1, value( "SELECT COUNT(*) FROM Sales WHERE no = 30 AND what = 'new'" ) );
   SAME( logged + 1, value( "SELECT COUNT(*) FROM Log" ) );
   fails( "MERGE Sales USING (SELECT 1 AS no, 10 AS buyer FROM system.iota UNION "
          "SELECT 31 AS no, 88 AS buyer FROM system.iota) n ON (Sales.no = n.no) "
          "WHEN MATCHED THEN UPDATE SET what = 'half' "
          "WHEN NOT MATCHED THEN INSERT (no, buyer) VALUES (n.no, n.buyer)", "no such buyer" );
   SAME( 0, value( "SELECT COUNT(*) FROM Sales WHERE what = 'half'" ) );
   SAME( 1, changed( "MERGE Sales ON (no = 40) WHEN MATCHED THEN UPDATE SET what = 'y' "
                     "WHEN NOT MATCHED THEN INSERT (no, buyer) VALUES (40, 10)" ) );
   SAME( 1, changed( "MERGE Sales ON (no = 40) WHEN MATCHED THEN UPDATE SET what = 'y' "
                     "WHEN NOT MATCHED THEN INSERT (no, buyer) VALUES (40, 10)" ) );
   SAME( 1, value( "SELECT COUNT(*) FROM Sales WHERE no = 40 AND what = 'y'" ) );
}

static void system_tables_show_the_dictionary( void )
{
   ADSHANDLE cursor = rows( "SELECT * FROM system.relations" );
   TEXT( "sales", text_of( cursor, "Name" ) );
   TEXT( "Buyers", text_of( cursor, "RI_Primary_Table" ) );
   TEXT( "no such buyer", text_of( cursor, "RI_No_Pkey_Error" ) );
   SAME( ADS_DD_RI_SETNULL, number_of( cursor, "RI_UpdateRule" ) );
   OK( AdsCloseTable( cursor ) );
   cursor = rows( "SELECT * FROM system.tables WHERE Name = 'Buyers'" );
   TEXT( "ID", text_of( cursor, "Table_Primary_Key" ) );
   TEXT( "nobody in Paris owes", text_of( cursor, "Table_Validation_Msg" ) );
   OK( AdsCloseTable( cursor ) );
   cursor = rows( "SELECT * FROM system.columns WHERE Parent = 'Buyers' AND Name = 'OWES'" );
   TEXT( "100", text_of( cursor, "Field_Max_Value" ) );
   TEXT( "owes too much", text_of( cursor, "Field_Validation_Msg" ) );
   OK( AdsCloseTable( cursor ) );
   OK( AdsDDCreateUserGroup( connection, T( "clerks" ), T( "who sell" ) ) );
   OK( AdsDDCreateUser( connection, T( "clerks" ), T( "ann" ), T( "secret" ), NULL ) );
   OK( AdsDDGrantPermission( connection, ADS_DD_TABLE_OBJECT, T( "Sales" ), NULL, T( "clerks" ), ADS_PERMISSION_READ ) );
   SAME( 1, value( "SELECT COUNT(*) FROM system.users WHERE Name = 'ann'" ) );
   SAME( 1, value( "SELECT COUNT(*) FROM system.usergroups WHERE Name = 'clerks'" ) );
   SAME( 1, value( "SELECT COUNT(*) FROM system.usergroupmembers WHERE User_Name = 'ann' AND Group_Name = 'clerks'" ) );
   SAME( 1, value( "SELECT [Select] FROM system.permissions WHERE Name = 'Sales' AND Grantee = 'clerks'" ) );
   SAME( 0, value( "SELECT [Update] FROM system.permissions WHERE Name = 'Sales' AND Grantee = 'clerks'" ) );
   SAME( 1, value( "SELECT [Select] FROM system.effectivepermissions WHERE Name = 'Sales' AND Grantee = 'ann'" ) );
   SAME( 0, value( "SELECT COUNT(*) FROM system.effectivepermissions WHERE Name = 'Sales' AND [Execute] IS NOT NULL" ) );
   TRUE_THAT( value( "SELECT COUNT(*) FROM system.objects WHERE Name = 'Buyers' AND Object_Type = 1" ) == 1 );
   SAME( 1, value( "SELECT COUNT(*) FROM system.dictionary WHERE Log_In_Required = FALSE" ) );
   SAME( 0, value( "SELECT COUNT(*) FROM system.links" ) );
}

static void a_user_sees_his_own( const char * path )
{
   disconnect();
   OK( AdsConnect60( T( path ), ADS_LOCAL_SERVER, T( "ann" ), T( "secret" ), ADS_DEFAULT, &connection ) );
   OK( AdsCreateSQLStatement( connection, &statement ) );
   SAME( 0, value( "SELECT COUNT(*) FROM system.users" ) );
   SAME( 0, value( "SELECT COUNT(*) FROM system.relations" ) );
   SAME( 1, value( "SELECT COUNT(*) FROM system.permissions WHERE Name = 'Sales'" ) );
   SAME( 0, value( "SELECT COUNT(*) FROM system.effectivepermissions WHERE Grantee = 'ADSSYS'" ) );
}

int main( int count, char ** arguments )
{
   char path[ 600 ];
   if( count < 2 )
      return 2;
   OK( AdsShowDeleted( 0 ) );
   snprintf( path, sizeof( path ), "%s/rules.add", arguments[ 1 ] );
   made( path );
   fields_and_tables_have_rules();
   relations_are_kept();
   a_merge_is_watched();
   system_tables_show_the_dictionary();
   a_user_sees_his_own( path );
   disconnect();
   END();
}
