/* Management calls, answered for this process or by a server. */
#include "check.h"

/* Who has locked a record is said with his name, by a server also of others. */
static void owner( UNSIGNED8 * folder, ADSHANDLE server, int far )
{
   ADSHANDLE theirs = 0, table = 0;
   ADS_MGMT_USER_INFO user;
   UNSIGNED16 size = sizeof( user ), kind = 0, elements;
   ADS_MGMT_RECORD_INFO records[ 4 ];

   OK( AdsConnect60( folder, ADS_LOCAL_SERVER, T( "ada" ), NULL, ADS_DEFAULT, &theirs ) );
   OK( AdsOpenTable( theirs, T( "t03_cdx_tags" ), NULL, ADS_CDX, ADS_ANSI, ADS_COMPATIBLE_LOCKING, ADS_CHECKRIGHTS, ADS_SHARED, &table ) );
   OK( AdsMgGetLockOwner( server, T( "t03_cdx_tags.dbf" ), 3, &user, &size, &kind ) );
   SAME( ADS_MGMT_NO_LOCK, kind );
   TEXT( "", user.aucUserName );
   OK( AdsLockRecord( table, 3 ) );
   OK( AdsMgGetLockOwner( server, T( "t03_cdx_tags.dbf" ), 3, &user, &size, &kind ) );
   SAME( ADS_MGMT_RECORD_LOCK, kind );
   if( far )
   {
      TEXT( "ada", user.aucUserName );
      TEXT( "127.0.0.1", user.aucAddress );
      TRUE_THAT( user.usConnNumber > 0 );
   }
   elements = 4;
   size = sizeof( records[ 0 ] );
   OK( AdsMgGetLocks( server, T( "t03_cdx_tags" ), far ? T( "ADA" ) : NULL, far ? user.usConnNumber : 0, records, &elements, &size ) );
   SAME( 1, elements );
   SAME( 3, records[ 0 ].ulRecordNumber );
   OK( AdsUnlockRecord( table, 3 ) );
   OK( AdsLockTable( table ) );
   size = sizeof( user );
   OK( AdsMgGetLockOwner( server, NULL, 7, &user, &size, &kind ) );
   SAME( ADS_MGMT_FILE_LOCK, kind );
   OK( AdsDisconnect( theirs ) );
   OK( AdsMgGetLockOwner( server, NULL, 7, &user, &size, &kind ) );
   SAME( ADS_MGMT_NO_LOCK, kind );
}

int main( int count, char ** arguments )
{
   ADSHANDLE connection = 0, table = 0, server = 0, drive = 0;
   UNSIGNED16 kind = 0, size, elements;
   ADS_MGMT_ACTIVITY_INFO activity;
   ADS_MGMT_COMM_STATS wire;
   ADS_MGMT_INSTALL_INFO installation;
   ADS_MGMT_CONFIG_PARAMS parameters;
   ADS_MGMT_CONFIG_MEMORY memory;
   ADS_MGMT_TABLE_INFO tables[ 4 ];
   ADS_MGMT_INDEX_INFO indexes[ 4 ];
   ADS_MGMT_USER_INFO users[ 2 ];
   ADS_MGMT_THREAD_ACTIVITY threads[ 2 ];
   UNSIGNED16 second = sizeof( memory );

   if( count < 2 )
      return 2;
   SAME( 172, sizeof( activity ) );
   OK( AdsConnect60( T( arguments[ 1 ] ), ADS_LOCAL_SERVER, NULL, NULL, ADS_DEFAULT, &connection ) );
   OK( AdsOpenTable( connection, T( "t03_cdx_tags" ), NULL, ADS_CDX, ADS_ANSI, ADS_COMPATIBLE_LOCKING, ADS_CHECKRIGHTS,
                     ADS_SHARED | ADS_READONLY, &table ) );
   OK( AdsMgConnect( T( arguments[ 1 ] ), NULL, NULL, &server ) );
   /* A drive's letter, as programs for Windows have it: what is here. */
   OK( AdsMgConnect( T( "C:" ), NULL, NULL, &drive ) );
   OK( AdsMgGetServerType( drive, &kind ) );
   SAME( ADS_MGMT_LOCAL_SERVER, kind );
   OK( AdsMgDisconnect( drive ) );
   OK( AdsMgConnect( T( "x:\\" ), NULL, NULL, &drive ) );
   OK( AdsMgDisconnect( drive ) );
   ANSWERS( AE_NO_CONNECTION, AdsMgConnect( T( "/no/such/folder" ), NULL, NULL, &server ) );
   ANSWERS( AE_INVALID_HANDLE, AdsGetHandleType( server, &kind ) );
   OK( AdsMgGetServerType( server, &kind ) );
   SAME( IS_FAR ? ADS_MGMT_LINUX_SERVER_64_BIT : ADS_MGMT_LOCAL_SERVER, kind );
   size = sizeof( activity );
   OK( AdsMgGetActivityInfo( server, &activity, &size ) );
   SAME( sizeof( activity ), size );
   SAME( 1, activity.stTables.ulInUse );
   SAME( 19, activity.stIndexes.ulInUse );
   SAME( IS_FAR ? 2 : 1, activity.stConnections.ulInUse );
   /* An older program's structure is shorter, and nothing is written behind it. */
   memset( &activity, 0x7F, sizeof( activity ) );
   size = 8;
   OK( AdsMgGetActivityInfo( server, &activity, &size ) );
   SAME( 0x7F7F7F7F, activity.stTables.ulInUse );
   size = sizeof( activity );
   ANSWERS( AE_INVALID_POINTER, AdsMgGetActivityInfo( server, NULL, &size ) );
   ANSWERS( AE_INVALID_POINTER, AdsMgGetActivityInfo( server, &activity, NULL ) );
   size = sizeof( wire );
   OK( AdsMgGetCommStats( server, &wire, &size ) );
   TRUE_THAT( IS_FAR ? wire.ulTotalPackets > 0 : wire.ulTotalPackets == 0 );
   OK( AdsMgResetCommStats( server ) );
   size = sizeof( installation );
   OK( AdsMgGetInstallInfo( server, &installation, &size ) );
   TRUE_THAT( strncmp( ( char * ) installation.aucVersionStr, "Mainstay", 8 ) == 0 );
   size = sizeof( parameters );
   OK( AdsMgGetConfigInfo( server, &parameters, &size, &memory, &second ) );
   elements = 4;
   size = sizeof( tables[ 0 ] );
   OK( AdsMgGetOpenTables( server, NULL, 0, tables, &elements, &size ) );
   SAME( 1, elements );
   TRUE_THAT( strstr( ( char * ) tables[ 0 ].aucTableName, "t03_cdx_tags.dbf" ) != NULL );
   SAME( ADS_MGMT_CDX_LOCKING, tables[ 0 ].usLockType );
   elements = 0;
   ANSWERS( AE_INSUFFICIENT_BUFFER, AdsMgGetOpenTables( server, NULL, 0, tables, &elements, &size ) );
   SAME( 1, elements );
   elements = 4;
   size = sizeof( indexes[ 0 ] );
   OK( AdsMgGetOpenIndexes( server, T( "t03_cdx_tags.dbf" ), NULL, 0, indexes, &elements, &size ) );
   SAME( 1, elements );
   elements = 2;
   size = sizeof( users[ 0 ] );
   OK( AdsMgGetUserNames( server, NULL, users, &elements, &size ) );
   SAME( IS_FAR ? 2 : 1, elements );
   elements = 2;
   OK( AdsMgGetUserNames( server, T( "t03_cdx_tags" ), users, &elements, &size ) );
   SAME( 1, elements );
   owner( T( arguments[ 1 ] ), server, IS_FAR );
   elements = 2;
   size = sizeof( threads[ 0 ] );
   OK( AdsMgGetWorkerThreadActivity( server, threads, &elements, &size ) );
   SAME( 0, elements );
   OK( AdsMgDisconnect( server ) );
   ANSWERS( AE_INVALID_CONNECTION_HANDLE, AdsMgGetServerType( server, &kind ) );
   OK( AdsDisconnect( connection ) );
   END();
}
