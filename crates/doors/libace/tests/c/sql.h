/* What programs of SQL need: a connection, a statement, the rows and values of cursors. */
#ifndef SQL_H
#define SQL_H

#include "check.h"

static ADSHANDLE connection, statement;

static UNSIGNED32 count_of( ADSHANDLE cursor )
{
   UNSIGNED32 count = 0;
   OK( AdsGetRecordCount( cursor, ADS_RESPECTFILTERS, &count ) );
   return count;
}

static const char * text_of( ADSHANDLE cursor, const char * field )
{
   static UNSIGNED8 text[ 4 ][ 300 ];
   static int next = 0;
   UNSIGNED8 * into = text[ next++ % 4 ];
   UNSIGNED32 length = 299;
   OK( AdsGetString( cursor, T( field ), into, &length, ADS_TRIM ) );
   into[ length ] = 0;
   return ( const char * ) into;
}

static double number_of( ADSHANDLE cursor, const char * field )
{
   double value = 0;
   OK( AdsGetDouble( cursor, T( field ), &value ) );
   return value;
}

static ADSHANDLE rows( const char * sql )
{
   ADSHANDLE cursor = 0;
   OK( AdsExecuteSQLDirect( statement, T( sql ), &cursor ) );
   TRUE_THAT( cursor != 0 );
   return cursor;
}

/* The number in the first column of the first row. */
static double value( const char * sql )
{
   ADSHANDLE cursor = rows( sql );
   double found = 0;
   OK( AdsGetDouble( cursor, ADSFIELD( 1 ), &found ) );
   OK( AdsCloseTable( cursor ) );
   return found;
}

static UNSIGNED32 changed( const char * sql )
{
   UNSIGNED32 count = 99999;
   ADSHANDLE cursor = 0;
   OK( AdsExecuteSQLDirect( statement, T( sql ), &cursor ) );
   SAME( 0, cursor );
   OK( AdsGetRecordCount( statement, ADS_IGNOREFILTERS, &count ) );
   return count;
}

static void fails( const char * sql, const char * words )
{
   ADSHANDLE cursor = 0;
   UNSIGNED8 text[ 601 ] = "";
   UNSIGNED16 length = 600;
   UNSIGNED32 code = 0;
   ANSWERS( AE_SQL_ERROR, AdsExecuteSQLDirect( statement, T( sql ), &cursor ) );
   OK( AdsGetLastError( &code, text, &length ) );
   SAME( AE_SQL_ERROR, code );
   if( strncmp( ( char * ) text, "Error 7200:  AQE Error:  State = ", 33 ) != 0 || !strstr( ( char * ) text, words ) )
   {
      ++failures;
      fprintf( stderr, "%s: \"%s\" is without \"%s\"\n", sql, text, words );
   }
}

/* Deleted records are left out, but in deleted.c: the other programs are about rows that are there. */
static void connect_to( const char * folder )
{
   OK( AdsShowDeleted( 0 ) );
   OK( AdsConnect60( T( folder ), ADS_LOCAL_SERVER, NULL, NULL, ADS_DEFAULT, &connection ) );
   OK( AdsCreateSQLStatement( connection, &statement ) );
   OK( AdsStmtSetTableType( statement, ADS_CDX ) );
}

static void disconnect( void )
{
   OK( AdsCloseSQLStatement( statement ) );
   OK( AdsDisconnect( connection ) );
}

#endif
