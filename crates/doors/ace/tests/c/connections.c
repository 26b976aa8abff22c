/* Connections, and the files that are found through them. */
#include "check.h"

int main( int count, char ** arguments )
{
   UNSIGNED8 * folder;
   ADSHANDLE connection = 0, second = 0, found = 0, search = 0, table = 0;
   UNSIGNED8 text[ 512 ];
   UNSIGNED8 connection_string[ 600 ];
   UNSIGNED16 length = sizeof( text ), kind = 0, on_disk = 9, alive = 0, time_length;
   UNSIGNED32 long_length = sizeof( text );
   SIGNED32 milliseconds = -1;
   UNSIGNED8 time[ 32 ];
   int names = 0;

   if( count < 2 )
      return 2;
   folder = T( arguments[ 1 ] );

   OK( AdsSetServerType( ADS_LOCAL_SERVER ) );
   OK( AdsConnect( folder, &connection ) );
   OK( AdsConnect26( folder, ADS_LOCAL_SERVER, &second ) );
   OK( AdsDisconnect( second ) );
   ANSWERS( AE_NO_CONNECTION, AdsConnect( T( "/no/such/folder" ), &second ) );
   ANSWERS( AE_NO_CONNECTION, AdsConnect( T( "tcp://localhost:1/x" ), &second ) );
   ANSWERS( AE_NO_CONNECTION, AdsConnect( T( "tls://localhost:1/x" ), &second ) );
   ANSWERS( AE_NO_CONNECTION, AdsConnect( T( "\\\\localhost:1\\x" ), &second ) );
   ANSWERS( AE_INVALID_POINTER, AdsConnect( NULL, &second ) );
   ANSWERS( AE_INVALID_POINTER, AdsConnect( folder, NULL ) );
   snprintf( ( char * ) connection_string, sizeof( connection_string ), "Data Source=%s;User ID=me", arguments[ 1 ] );
   OK( AdsConnect101( connection_string, NULL, &second ) );
   OK( AdsGetConnectionProperty( second, ADS_CONNECTIONPROP_USERNAME, text, &long_length ) );
   TEXT( "me", text );
   ANSWERS( AE_INVALID_PROPERTY_ID, AdsGetConnectionProperty( second, 99, text, &long_length ) );
   OK( AdsDisconnect( second ) );
   ANSWERS( AE_INVALID_VALUE, AdsConnect101( T( "nothing" ), NULL, &second ) );
   /* Values in quotes, blanks about them, names in any case, the last of a name. */
   snprintf( ( char * ) connection_string, sizeof( connection_string ),
             " user id = 'you' ;DATA SOURCE = \"%s\"; User ID='o;\"n e' ; DateFormat='YYYY-MM-DD';", arguments[ 1 ] );
   OK( AdsConnect101( connection_string, NULL, &second ) );
   long_length = sizeof( text );
   OK( AdsGetConnectionProperty( second, ADS_CONNECTIONPROP_USERNAME, text, &long_length ) );
   TEXT( "o;\"n e", text );
   length = sizeof( text );
   OK( AdsGetDateFormat60( second, text, &length ) );
   TEXT( "YYYY-MM-DD", text );
   length = sizeof( text );
   OK( AdsDisconnect( second ) );
   ANSWERS( AE_INVALID_VALUE, AdsConnect101( T( "Data Source='/tmp" ), NULL, &second ) );
   ANSWERS( AE_INVALID_VALUE, AdsConnect101( T( "Data Source='/tmp'x" ), NULL, &second ) );
   snprintf( ( char * ) connection_string, sizeof( connection_string ), "Data Source=%s;DateFormat=YYYY", arguments[ 1 ] );
   ANSWERS( AE_INVALID_DATEFORMAT, AdsConnect101( connection_string, NULL, &second ) );

   OK( AdsGetConnectionType( connection, &kind ) );
   SAME( IS_FAR ? ADS_REMOTE_SERVER : ADS_LOCAL_SERVER, kind );
   OK( AdsGetConnectionPath( connection, text, &length ) );
   TEXT( arguments[ 1 ], text );
   length = sizeof( text );
   OK( AdsGetServerName( connection, text, &length ) );
   length = sizeof( text );
   time_length = sizeof( time );
   OK( AdsGetServerTime( connection, text, &length, &milliseconds, time, &time_length ) );
   SAME( 10, length );
   SAME( 11, time_length );
   TRUE_THAT( milliseconds >= 0 && milliseconds < 86400000 );
   OK( AdsIsConnectionAlive( connection, &alive ) );
   SAME( 1, alive );
   OK( AdsResetConnection( connection ) );
   OK( AdsFindConnection( folder, &found ) );
   TRUE_THAT( found == connection );
   OK( AdsFindConnection25( folder, &found ) );
   ANSWERS( AE_NO_CONNECTION, AdsFindConnection( T( "/elsewhere" ), &found ) );
   OK( AdsIsServerLoaded( folder, &kind ) );
   SAME( IS_FAR ? ADS_REMOTE_SERVER : ADS_LOCAL_SERVER, kind );
   OK( AdsIsServerLoaded( T( "tcp://localhost:1/" ), &kind ) );
   SAME( 0, kind );
   OK( AdsIsServerLoaded( T( "/no/such/folder" ), &kind ) );
   SAME( 0, kind );

   OK( AdsCheckExistence( connection, T( "T03_CDX_TAGS" ), &on_disk ) );
   SAME( 1, on_disk );
   OK( AdsCheckExistence( connection, T( "nothing.dbf" ), &on_disk ) );
   SAME( 0, on_disk );

   length = sizeof( text );
   OK( AdsFindFirstTable( connection, T( "*.dbf" ), text, &length, &search ) );
   do
   {
      ++names;
      length = sizeof( text );
   }
   while( AdsFindNextTable( connection, search, text, &length ) == AE_SUCCESS && names < 99 );
   SAME( 3, names );
   ANSWERS( AE_NO_FILE_FOUND, AdsFindNextTable( connection, search, text, &length ) );
   OK( AdsFindClose( connection, search ) );
   ANSWERS( AE_INVALID_FIND_HANDLE, AdsFindClose( connection, search ) );
   ANSWERS( AE_INVALID_FIND_HANDLE, AdsFindNextTable( connection, search, text, &length ) );

   OK( AdsOpenTable( connection, T( "t05_ntx" ), NULL, ADS_NTX, ADS_ANSI, ADS_COMPATIBLE_LOCKING, ADS_CHECKRIGHTS,
                     ADS_SHARED | ADS_READONLY, &table ) );
   ANSWERS( AE_FILE_IN_USE, AdsDeleteFile( connection, T( "t05_ntx.dbf" ) ) );
   OK( AdsCloseTable( table ) );
   OK( AdsDeleteFile( connection, T( "t05_ntx.dbf" ) ) );
   ANSWERS( AE_FILE_NOT_FOUND, AdsDeleteFile( connection, T( "t05_ntx.dbf" ) ) );

   /* What was opened through a connection is closed with it. */
   OK( AdsOpenTable( connection, T( "t03_cdx_tags" ), NULL, ADS_CDX, ADS_ANSI, ADS_COMPATIBLE_LOCKING, ADS_CHECKRIGHTS,
                     ADS_SHARED | ADS_READONLY, &table ) );
   OK( AdsDisconnect( connection ) );
   ANSWERS( AE_INVALID_TABLE_HANDLE, AdsCloseTable( table ) );
   ANSWERS( AE_INVALID_CONNECTION_HANDLE, AdsGetConnectionType( connection, &kind ) );
   OK( AdsDisconnect( 0 ) );
   OK( AdsFailedTransactionRecovery( folder ) );
   END();
}
