/* SQL without an engine: each call says that it is not supported, or that there is no such statement. */
#include "check.h"

int main( int count, char ** arguments )
{
   ADSHANDLE connection = 0, statement = 0, cursor = 0;
   UNSIGNED16 number = 0;
   UNSIGNED8 text[ 64 ];
   UNSIGNED16 length = sizeof( text );
   WCHAR wide[] = { 'x', 0 };

   if( count < 2 )
      return 2;
   OK( AdsConnect60( T( arguments[ 1 ] ), ADS_LOCAL_SERVER, NULL, NULL, ADS_DEFAULT, &connection ) );
   ANSWERS( AE_NOT_IMPLEMENTED, AdsCreateSQLStatement( connection, &statement ) );
   ANSWERS( AE_INVALID_CONNECTION_HANDLE, AdsCreateSQLStatement( 4711, &statement ) );
   ANSWERS( AE_INVALID_SQLSTATEMENT_HANDLE, AdsPrepareSQL( 4711, T( "SELECT 1" ) ) );
   ANSWERS( AE_INVALID_SQLSTATEMENT_HANDLE, AdsPrepareSQLW( 4711, wide ) );
   ANSWERS( AE_INVALID_SQLSTATEMENT_HANDLE, AdsVerifySQL( 4711, T( "SELECT 1" ) ) );
   ANSWERS( AE_INVALID_SQLSTATEMENT_HANDLE, AdsVerifySQLW( 4711, wide ) );
   ANSWERS( AE_INVALID_SQLSTATEMENT_HANDLE, AdsExecuteSQL( 4711, &cursor ) );
   ANSWERS( AE_INVALID_SQLSTATEMENT_HANDLE, AdsExecuteSQLDirect( 4711, T( "SELECT 1" ), &cursor ) );
   ANSWERS( AE_INVALID_SQLSTATEMENT_HANDLE, AdsExecuteSQLDirectW( 4711, wide, &cursor ) );
   ANSWERS( AE_INVALID_SQLSTATEMENT_HANDLE, AdsGetNumParams( 4711, &number ) );
   ANSWERS( AE_INVALID_SQLSTATEMENT_HANDLE, AdsClearSQLParams( 4711 ) );
   ANSWERS( AE_INVALID_SQLSTATEMENT_HANDLE, AdsGetSQLStatement( 4711, text, &length ) );
   ANSWERS( AE_INVALID_TABLE_HANDLE, AdsGetSQLStatementHandle( 4711, &statement ) );
   ANSWERS( AE_INVALID_SQLSTATEMENT_HANDLE, AdsStmtSetTableType( 4711, ADS_CDX ) );
   ANSWERS( AE_INVALID_SQLSTATEMENT_HANDLE, AdsStmtSetTableLockType( 4711, 0 ) );
   ANSWERS( AE_INVALID_SQLSTATEMENT_HANDLE, AdsStmtSetTableRights( 4711, 0 ) );
   ANSWERS( AE_INVALID_SQLSTATEMENT_HANDLE, AdsStmtSetTableReadOnly( 4711, 0 ) );
   ANSWERS( AE_INVALID_SQLSTATEMENT_HANDLE, AdsStmtSetTableCharType( 4711, 0 ) );
   ANSWERS( AE_INVALID_SQLSTATEMENT_HANDLE, AdsStmtConstrainUpdates( 4711, 0 ) );
   ANSWERS( AE_INVALID_SQLSTATEMENT_HANDLE, AdsStmtReadAllColumns( 4711, 0 ) );
   ANSWERS( AE_INVALID_SQLSTATEMENT_HANDLE, AdsCloseSQLStatement( 4711 ) );
   ANSWERS( AE_INVALID_SQLSTATEMENT_HANDLE, AdsStmtClearTablePasswords( 4711 ) );
   OK( AdsSetSQLTimeout( connection, 30 ) );
   OK( AdsSetSQLTimeout( connection, ADS_DEFAULT_SQL_TIMEOUT ) );
   ANSWERS( AE_INVALID_CONNECTION_HANDLE, AdsSetSQLTimeout( 4711, 30 ) );
   OK( AdsClearSQLAbortFunc() );
   OK( AdsCloseCachedTrigStatements( connection, 1 ) );
   ANSWERS( AE_INVALID_CONNECTION_HANDLE, AdsCloseCachedTrigStatements( 4711, 1 ) );
   ANSWERS( AE_INVALID_SQLSTATEMENT_HANDLE, AdsStmtDisableEncryption( 4711 ) );
   ANSWERS( AE_INVALID_TABLE_HANDLE, AdsSqlPeekStatement( 4711, text ) );
   strcpy( ( char * ) text, "SELECT '--' -- text\nFROM a/*b*/" );
   OK( AdsRemoveSQLComments( text ) );
   TEXT( "SELECT '--' \nFROM a ", text );
   ANSWERS( AE_INVALID_POINTER, AdsRemoveSQLComments( NULL ) );
   OK( AdsInTransaction( connection, &number ) );
   SAME( 0, number );
   {
      UNSIGNED32 transactions = 9;
      OK( AdsGetTransactionCount( connection, &transactions ) );
      SAME( 0, transactions );
   }
   OK( AdsDisconnect( connection ) );
   END();
}
