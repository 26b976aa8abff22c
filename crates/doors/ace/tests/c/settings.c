/* Settings, errors, callbacks and handles. */
#include "check.h"

static UNSIGNED32 told( UNSIGNED16 percent, UNSIGNED32 id )
{
   ( void ) percent;
   ( void ) id;
   return 0;
}

static UNSIGNED32 told_101( UNSIGNED16 percent, SIGNED64 id )
{
   ( void ) percent;
   ( void ) id;
   return 0;
}

static UNSIGNED32 told_plainly( UNSIGNED16 percent )
{
   ( void ) percent;
   return 0;
}

static void formats( void )
{
   UNSIGNED8 text[ 32 ];
   UNSIGNED16 length = sizeof( text );

   OK( AdsGetDateFormat( text, &length ) );
   TEXT( "MM/DD/CCYY", text );
   SAME( 10, length );
   OK( AdsSetDateFormat( T( "dd.mm.yyyy" ) ) );
   length = sizeof( text );
   OK( AdsGetDateFormat( text, &length ) );
   TEXT( "dd.mm.yyyy", text );
   ANSWERS( AE_INVALID_DATEFORMAT, AdsSetDateFormat( T( "yyyy" ) ) );
   ANSWERS( AE_INVALID_POINTER, AdsSetDateFormat( NULL ) );
   length = 4;
   ANSWERS( AE_INSUFFICIENT_BUFFER, AdsGetDateFormat( text, &length ) );
   SAME( 11, length );
   ANSWERS( AE_INVALID_POINTER, AdsGetDateFormat( NULL, &length ) );
   ANSWERS( AE_INVALID_POINTER, AdsGetDateFormat( text, NULL ) );
   OK( AdsSetDateFormat( T( "MM/DD/CCYY" ) ) );
}

static void numbers( void )
{
   UNSIGNED16 value = 0;

   OK( AdsSetEpoch( 1980 ) );
   OK( AdsGetEpoch( &value ) );
   SAME( 1980, value );
   ANSWERS( AE_INVALID_CENTURY, AdsSetEpoch( 7 ) );
   ANSWERS( AE_INVALID_POINTER, AdsGetEpoch( NULL ) );
   OK( AdsSetDecimals( 4 ) );
   OK( AdsGetDecimals( &value ) );
   SAME( 4, value );
   ANSWERS( AE_INVALID_DECIMALS, AdsSetDecimals( 99 ) );
   OK( AdsSetExact( 1 ) );
   OK( AdsGetExact( &value ) );
   SAME( 1, value );
   OK( AdsSetExact( 0 ) );
   OK( AdsGetDeleted( &value ) );
   SAME( 1, value );
   OK( AdsShowDeleted( 0 ) );
   OK( AdsGetDeleted( &value ) );
   SAME( 0, value );
   OK( AdsShowDeleted( 1 ) );
   OK( AdsSetServerType( ADS_LOCAL_SERVER | ADS_REMOTE_SERVER ) );
   ANSWERS( AE_INVALID_OPTION, AdsSetServerType( 0 ) );
   ANSWERS( AE_INVALID_OPTION, AdsSetServerType( 64 ) );
   OK( AdsNullTerminateStrings( 1 ) );
   OK( AdsSetRightsChecking( ADS_IGNORE_RIGHTS_CHECKING ) );
   ANSWERS( AE_INVALID_RIGHTSOPTION, AdsSetRightsChecking( 9 ) );
   OK( AdsCacheOpenTables( 25 ) );
   OK( AdsCacheOpenCursors( 25 ) );
   ANSWERS( AE_NOT_IMPLEMENTED, AdsDisableLocalConnections() );
}

static void paths( void )
{
   UNSIGNED8 text[ 64 ];
   UNSIGNED16 length = sizeof( text );

   OK( AdsSetDefault( T( "/data" ) ) );
   OK( AdsGetDefault( text, &length ) );
   TEXT( "/data", text );
   OK( AdsClearDefault() );
   length = sizeof( text );
   OK( AdsGetDefault( text, &length ) );
   TEXT( "", text );
   OK( AdsSetSearchPath( T( "/a;/b" ) ) );
   length = sizeof( text );
   OK( AdsGetSearchPath( text, &length ) );
   TEXT( "/a;/b", text );
   OK( AdsSetSearchPath( T( "" ) ) );
}

static void errors( void )
{
   UNSIGNED8 text[ ADS_MAX_ERROR_LEN + 1 ];
   UNSIGNED16 length = sizeof( text );
   UNSIGNED32 code = 0;

   ANSWERS( AE_INVALID_TABLE_HANDLE, AdsCloseTable( 4711 ) );
   OK( AdsGetLastError( &code, text, &length ) );
   SAME( AE_INVALID_TABLE_HANDLE, code );
   TRUE_THAT( strstr( ( char * ) text, "5023" ) != NULL );
   TRUE_THAT( length == strlen( ( char * ) text ) );
   /* Asking leaves it as it is; the next call takes it away. */
   OK( AdsGetLastError( &code, NULL, NULL ) );
   SAME( AE_INVALID_TABLE_HANDLE, code );
   OK( AdsClearLastError() );
   OK( AdsGetLastError( &code, NULL, NULL ) );
   SAME( AE_SUCCESS, code );
   /* A short buffer gets the beginning: who asks about an error wants no other. */
   ANSWERS( AE_INVALID_TABLE_HANDLE, AdsCloseTable( 4711 ) );
   length = 8;
   OK( AdsGetLastError( &code, text, &length ) );
   TEXT( "Error 5", text );
   OK( AdsSetLastError( AE_LOCK_FAILED, T( "by hand" ) ) );
   length = sizeof( text );
   OK( AdsGetLastError( &code, text, &length ) );
   SAME( AE_LOCK_FAILED, code );
   length = sizeof( text );
   OK( AdsGetErrorString( AE_NO_CURRENT_RECORD, text, &length ) );
   TRUE_THAT( strstr( ( char * ) text, "no current record" ) != NULL );
   length = 3;
   ANSWERS( AE_INSUFFICIENT_BUFFER, AdsGetErrorString( AE_NO_CURRENT_RECORD, text, &length ) );
   OK( AdsShowError( T( "a test" ) ) );
}

static void callbacks( void )
{
   OK( AdsRegisterCallbackFunction( told, 7 ) );
   OK( AdsClearCallbackFunction() );
   OK( AdsRegisterCallbackFunction101( told_101, 7 ) );
   OK( AdsRegisterProgressCallback( told_plainly ) );
   OK( AdsClearProgressCallback() );
   ANSWERS( AE_INVALID_CALLBACK, AdsRegisterCallbackFunction( NULL, 7 ) );
   ANSWERS( AE_INVALID_CALLBACK, AdsRegisterProgressCallback( NULL ) );
   ANSWERS( AE_INVALID_CALLBACK, AdsRegisterCallbackFunction101( NULL, 7 ) );
}

static void handles( UNSIGNED8 * folder )
{
   ADSHANDLE connection = 0;
   UNSIGNED16 kind = 0, exact = 9;
   UNSIGNED32 small = 0;
   UNSIGNED64 large = 0;
   UNSIGNED8 text[ 32 ];
   UNSIGNED16 length = sizeof( text );

   OK( AdsConnect60( folder, ADS_LOCAL_SERVER, NULL, NULL, ADS_DEFAULT, &connection ) );
   OK( AdsGetHandleType( connection, &kind ) );
   SAME( ADS_CONNECTION, kind );
   ANSWERS( AE_INVALID_HANDLE, AdsGetHandleType( connection + 1, &kind ) );
   ANSWERS( AE_INVALID_HANDLE, AdsGetHandleType( 0, &kind ) );
   OK( AdsSetHandleLong( connection, 4711 ) );
   OK( AdsGetHandleLong( connection, &small ) );
   SAME( 4711, small );
   OK( AdsSetHandleINT64( connection, 1ull << 40 ) );
   OK( AdsGetHandleINT64( connection, &large ) );
   TRUE_THAT( large == 1ull << 40 );
   ANSWERS( AE_INVALID_HANDLE, AdsGetHandleLong( 4711, &small ) );
   OK( AdsSetExact22( connection, 0 ) );
   OK( AdsGetExact22( connection, &exact ) );
   SAME( 0, exact );
   /* Without a connection it is that of all. */
   OK( AdsSetDateFormat60( 0, T( "DD/MM/CCYY" ) ) );
   length = sizeof( text );
   OK( AdsGetDateFormat60( 0, text, &length ) );
   TEXT( "DD/MM/CCYY", text );
   length = sizeof( text );
   OK( AdsGetDateFormat( text, &length ) );
   TEXT( "DD/MM/CCYY", text );
   length = sizeof( text );
   OK( AdsSetDateFormat( T( "MM/DD/CCYY" ) ) );
   OK( AdsSetDateFormat60( connection, T( "CCYY-MM-DD" ) ) );
   OK( AdsGetDateFormat60( connection, text, &length ) );
   TEXT( "CCYY-MM-DD", text );
   OK( AdsDisconnect( connection ) );
   ANSWERS( AE_INVALID_CONNECTION_HANDLE, AdsDisconnect( connection ) );
   OK( AdsValidateThread() );
   OK( AdsThreadExit() );
}

int main( int count, char ** arguments )
{
   UNSIGNED32 major = 0, minor = 0;
   UNSIGNED8 letter = 0, text[ 64 ];
   UNSIGNED16 length = sizeof( text );

   if( count < 2 )
      return 2;
   OK( AdsGetVersion( &major, &minor, &letter, text, &length ) );
   SAME( 12, major );
   TRUE_THAT( strncmp( ( char * ) text, "Mainstay", 8 ) == 0 );
   formats();
   numbers();
   paths();
   errors();
   callbacks();
   handles( T( arguments[ 1 ] ) );
   OK( AdsApplicationExit() );
   END();
}
