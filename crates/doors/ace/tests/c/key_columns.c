/* Which columns tell records apart, and the collations that may be set. */
#include "check.h"

static ADSHANDLE connection;

static void columns( ADSHANDLE table, const char * expected )
{
   UNSIGNED8 text[ 100 ];
   UNSIGNED16 length = sizeof( text );
   OK( AdsGetKeyColumn( table, text, &length ) );
   TEXT( expected, text );
   SAME( strlen( expected ), length );
}

static void keys( void )
{
   ADSHANDLE table = new_table( connection, "plain", ADS_VFP, "NAME,Character,10;CITY,Character,8;ID,Numeric,4,0" ), index = 0;
   UNSIGNED8 text[ 4 ];
   UNSIGNED16 length = sizeof( text );
   columns( table, "" );
   OK( AdsCreateIndex61( table, NULL, T( "CITY" ), T( "CITY" ), NULL, NULL, ADS_COMPOUND, 0, &index ) );
   columns( table, "" );
   OK( AdsCreateIndex61( table, NULL, T( "BOTH" ), T( "UPPER(NAME)+STR(ID,4)" ), NULL, NULL, ADS_COMPOUND | ADS_CANDIDATE, 0, &index ) );
   columns( table, "NAME;ID" );
   ANSWERS( AE_INSUFFICIENT_BUFFER, AdsGetKeyColumn( table, text, &length ) );
   SAME( 8, length );
   OK( AdsCloseTable( table ) );
   table = new_table( connection, "counting", ADS_VFP, "NAME,Character,10;NUMBER,AutoInc" );
   columns( table, "NUMBER" );
   OK( AdsCloseTable( table ) );
   table = new_table( connection, "versions", ADS_CDX, "NAME,Character,10;CHANGED,RowVersion" );
   columns( table, "CHANGED" );
   OK( AdsCloseTable( table ) );
   ANSWERS( AE_INVALID_TABLE_HANDLE, AdsGetKeyColumn( connection, text, &length ) );
}

static void collations( void )
{
   UNSIGNED8 text[ 64 ];
   UNSIGNED16 length = sizeof( text );
   OK( AdsGetCollation( connection, text, &length ) );
   TEXT( "", text );
   ANSWERS( AE_COLLATION_NOT_RECOGNIZED, AdsSetCollation( connection, T( "GERMAN_VFP_CI_AS_1252" ) ) );
   ANSWERS( AE_COLLATION_NOT_RECOGNIZED, AdsSetCollation( connection, T( "MACHINE_VFP_BIN_1" ) ) );
   OK( AdsSetCollation( connection, T( "machine_vfp_bin_1252" ) ) );
   length = sizeof( text );
   OK( AdsGetCollation( connection, text, &length ) );
   TEXT( "MACHINE_VFP_BIN_1252", text );
   OK( AdsSetCollation( connection, NULL ) );
   length = sizeof( text );
   OK( AdsGetCollation( connection, text, &length ) );
   TEXT( "", text );
   ANSWERS( AE_INVALID_CONNECTION_HANDLE, AdsSetCollation( 0, NULL ) );
   ANSWERS( AE_INVALID_CONNECTION_HANDLE, AdsGetCollation( 0, text, &length ) );
   ANSWERS( AE_INVALID_SQLSTATEMENT_HANDLE, AdsStmtSetTableCollation( connection, NULL ) );
}

int main( int count, char ** arguments )
{
   if( count < 2 )
      return 2;
   OK( AdsConnect60( T( arguments[ 1 ] ), ADS_LOCAL_SERVER | ADS_REMOTE_SERVER, NULL, NULL, ADS_DEFAULT, &connection ) );
   keys();
   collations();
   OK( AdsDisconnect( connection ) );
   END();
}
