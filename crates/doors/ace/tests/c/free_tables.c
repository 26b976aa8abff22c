/* Tables that take no part in the transactions of their connection. */
#include "check.h"

static ADSHANDLE connection;

static void add( ADSHANDLE table, double id )
{
   OK( AdsAppendRecord( table ) );
   OK( AdsSetDouble( table, T( "ID" ), id ) );
   OK( AdsWriteRecord( table ) );
}

static UNSIGNED32 records( ADSHANDLE table )
{
   UNSIGNED32 found = 0;
   OK( AdsGetRecordCount( table, ADS_IGNOREFILTERS, &found ) );
   return found;
}

int main( int count, char ** arguments )
{
   ADSHANDLE log, orders, server = 0;
   UNSIGNED16 is_free = 9;
   if( count < 2 )
      return 2;
   OK( AdsConnect60( T( arguments[ 1 ] ), ADS_LOCAL_SERVER | ADS_REMOTE_SERVER, T( "eva" ), NULL, ADS_DEFAULT, &connection ) );
   log = new_table( connection, "log", ADS_CDX, "ID,Numeric,4,0" );
   orders = new_table( connection, "orders", ADS_CDX, "ID,Numeric,4,0" );
   OK( AdsSetTableTransactionFree( log, 1 ) );
   OK( AdsIsTableTransactionFree( log, &is_free ) );
   SAME( 1, is_free );
   OK( AdsBeginTransaction( connection ) );
   add( log, 1 );
   add( orders, 1 );
   ANSWERS( AE_ILLEGAL_COMMAND_DURING_TRANS, AdsSetTableTransactionFree( orders, 1 ) );
   OK( AdsRollbackTransaction( connection ) );
   /* The records of appends that were undone stay, deleted. */
   OK( AdsGotoTop( log ) );
   SAME( 1, records( log ) );
   OK( AdsShowDeleted( 0 ) );
   OK( AdsGetRecordCount( orders, ADS_RESPECTFILTERS, ( UNSIGNED32 * ) &server ) );
   SAME( 0, ( UNSIGNED32 ) server );
   OK( AdsGetRecordCount( log, ADS_RESPECTFILTERS, ( UNSIGNED32 * ) &server ) );
   SAME( 1, ( UNSIGNED32 ) server );
   OK( AdsSetTableTransactionFree( log, 0 ) );
   OK( AdsBeginTransaction( connection ) );
   add( log, 2 );
   OK( AdsRollbackTransaction( connection ) );
   OK( AdsGetRecordCount( log, ADS_RESPECTFILTERS, ( UNSIGNED32 * ) &server ) );
   SAME( 1, ( UNSIGNED32 ) server );
   OK( AdsCloseAllTables() );

   /* A user whose connection is ended has no transaction any more, and no locks. */
   server = 0;
   OK( AdsMgConnect( T( arguments[ 1 ] ), T( "adam" ), NULL, &server ) );
   ANSWERS( AE_INVALID_VALUE, AdsMgKillUser( server, NULL, 0 ) );
   if( IS_FAR )
   {
      ADSHANDLE theirs = 0, table = 0;
      ADS_MGMT_USER_INFO user;
      UNSIGNED16 size = sizeof( user ), kind = 0;
      OK( AdsConnect60( T( arguments[ 1 ] ), ADS_REMOTE_SERVER, T( "zoe" ), NULL, ADS_DEFAULT, &theirs ) );
      OK( AdsOpenTable( theirs, T( "orders" ), NULL, ADS_CDX, ADS_ANSI, ADS_COMPATIBLE_LOCKING, ADS_CHECKRIGHTS, ADS_SHARED, &table ) );
      OK( AdsLockTable( table ) );
      OK( AdsMgGetLockOwner( server, T( "orders" ), 1, &user, &size, &kind ) );
      SAME( ADS_MGMT_FILE_LOCK, kind );
      ANSWERS( AE_FILE_NOT_FOUND, AdsMgKillUser( server, T( "nobody" ), 0 ) );
      OK( AdsMgKillUser( server, T( "ZOE" ), 0 ) );
      UNTIL( arguments[ 1 ], ( AdsMgGetLockOwner( server, T( "orders" ), 1, &user, &size, &kind ), kind == ADS_MGMT_NO_LOCK ) );
      SAME( ADS_MGMT_NO_LOCK, kind );
      TRUE_THAT( AdsSetDouble( table, T( "ID" ), 5 ) != AE_SUCCESS );
      AdsDisconnect( theirs );
   }
   else
      OK( AdsMgKillUser( server, T( "nobody" ), 0 ) );
   OK( AdsMgDisconnect( server ) );
   OK( AdsDisconnect( connection ) );
   END();
}
