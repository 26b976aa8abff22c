/* Keys that a program puts together itself, and the parts of keys. */
#include "check.h"

/* In an ADI a number is a part of its own, of eight bytes. */
#ifdef OVER_ADT
#define PARTS "UPPER(NAME);CITY;ID"
#define LENGTH 26
#else
#define PARTS "UPPER(NAME)+CITY+STR(ID,4)"
#define LENGTH 22
#endif

static ADSHANDLE connection, table, parts, name;

static void segments( void )
{
   UNSIGNED16 number = 9, numbers[ 4 ] = { 0, 0, 0, 0 }, length;
   UNSIGNED8 text[ 20 ];
   OK( AdsGetNumSegments( parts, &number ) );
   SAME( 3, number );
   OK( AdsGetNumSegments( name, &number ) );
   SAME( 1, number );
   length = sizeof( text );
   OK( AdsGetSegmentFieldname( parts, 2, text, &length ) );
   TEXT( "CITY", text );
   length = 3;
   ANSWERS( AE_INSUFFICIENT_BUFFER, AdsGetSegmentFieldname( parts, 2, text, &length ) );
   SAME( 5, length );
   ANSWERS( AE_INVALID_VALUE, AdsGetSegmentFieldname( parts, 0, text, &length ) );
   ANSWERS( AE_INVALID_VALUE, AdsGetSegmentFieldname( parts, 4, text, &length ) );
   ANSWERS( AE_INVALID_POINTER, AdsGetSegmentFieldname( parts, 1, text, NULL ) );
   number = 4;
   OK( AdsGetSegmentFieldNumbers( parts, &number, numbers ) );
   SAME( 3, number );
   SAME( 2, numbers[ 0 ] );
   SAME( 3, numbers[ 1 ] );
   SAME( 1, numbers[ 2 ] );
   number = 2;
   ANSWERS( AE_INSUFFICIENT_BUFFER, AdsGetSegmentFieldNumbers( parts, &number, numbers ) );
   SAME( 3, number );
   ANSWERS( AE_INVALID_POINTER, AdsGetSegmentFieldNumbers( parts, NULL, numbers ) );
   OK( AdsGetSegmentOffset( parts, 1, &number ) );
   SAME( 0, number );
   OK( AdsGetSegmentOffset( parts, 2, &number ) );
   SAME( 10, number );
   OK( AdsGetSegmentOffset( parts, 3, &number ) );
   SAME( 18, number );
   ANSWERS( AE_INVALID_POINTER, AdsGetSegmentOffset( parts, 1, NULL ) );
   OK( AdsIsSegmentDescending( parts, 1, &number ) );
   SAME( 0, number );
   ANSWERS( AE_INVALID_VALUE, AdsIsSegmentDescending( parts, 9, &number ) );
   OK( AdsIsIndexNullable( parts, &number ) );
   SAME( 0, number );
   ANSWERS( AE_INVALID_INDEX_HANDLE, AdsGetNumSegments( table, &number ) );
}

static void keys( void )
{
   UNSIGNED8 built[ 100 ], extracted[ 100 ], record[ 200 ];
   UNSIGNED16 length = sizeof( built ), same = sizeof( extracted ), found = 9;
   UNSIGNED32 bytes = sizeof( record ), number = 0, before = 0;
   ANSWERS( AE_INVALID_VALUE, AdsBuildRawKey( parts, built, &length ) );
   ANSWERS( AE_INVALID_TABLE_HANDLE, AdsSetString( parts, T( "NAME" ), T( "bob" ), 3 ) );
   OK( AdsGotoTop( table ) );
   OK( AdsGetRecordNum( table, ADS_IGNOREFILTERS, &before ) );
   OK( AdsInitRawKey( parts ) );
   OK( AdsSetString( parts, T( "NAME" ), T( "bob" ), 3 ) );
   OK( AdsSetString( parts, ADSFIELD( 3 ), T( "Rome" ), 4 ) );
   OK( AdsSetDouble( parts, T( "ID" ), 20 ) );
   ANSWERS( AE_INVALID_FIELDNAME, AdsSetDouble( parts, T( "NONE" ), 20 ) );
   ANSWERS( AE_VALUE_OVERFLOW, AdsSetDouble( parts, T( "ID" ), 1e12 ) );
   length = sizeof( built );
   OK( AdsBuildRawKey( parts, built, &length ) );
   SAME( LENGTH, length );
   built[ length ] = 0;
   TRUE_THAT( memcmp( built, "BOB       Rome      ", 18 ) == 0 );
#ifndef OVER_ADT
   TEXT( "BOB       Rome      20", built );
#endif
   length = 5;
   ANSWERS( AE_INSUFFICIENT_BUFFER, AdsBuildRawKey( parts, extracted, &length ) );
   ANSWERS( AE_INVALID_POINTER, AdsBuildRawKey( parts, NULL, NULL ) );
   OK( AdsSeek( parts, built, LENGTH, ADS_RAWKEY, ADS_HARDSEEK, &found ) );
   SAME( 1, found );
   OK( AdsGetRecordNum( table, ADS_IGNOREFILTERS, &number ) );
   SAME( 2, number );
   /* Nothing of it was written, and the record is the table's own again. */
   SAME( 1, before );
   OK( AdsExtractKey( parts, extracted, &same ) );
   TRUE_THAT( same == LENGTH && memcmp( extracted, built, LENGTH ) == 0 );
   OK( AdsGetRecord( table, record, &bytes ) );
   length = sizeof( built );
   OK( AdsBuildKeyFromRecord( parts, ( UNSIGNED8 * ) record, bytes, built, &length ) );
   TRUE_THAT( length == same && memcmp( extracted, built, same ) == 0 );
   ANSWERS( AE_INVALID_RECORD_LENGTH, AdsBuildKeyFromRecord( parts, ( UNSIGNED8 * ) record, bytes - 1, built, &length ) );
   ANSWERS( AE_INVALID_POINTER, AdsBuildKeyFromRecord( parts, NULL, bytes, built, &length ) );
   OK( AdsInitRawKey( parts ) );
   length = sizeof( built );
   OK( AdsBuildRawKey( parts, built, &length ) );
#ifdef OVER_ADT
   /* A field without a value is NULL, not blank. */
   SAME( 0, built[ 0 ] );
#else
   built[ 10 ] = 0;
   TEXT( "          ", built );
#endif
}

int main( int count, char ** arguments )
{
   if( count < 2 )
      return 2;
   OK( AdsConnect60( T( arguments[ 1 ] ), ADS_LOCAL_SERVER, NULL, NULL, ADS_DEFAULT, &connection ) );
   table = new_table( connection, "people", ADS_CDX, "ID," WHOLE( 4 ) ";NAME,Character,10;CITY,Character,8" );
   OK( AdsCreateIndex61( table, NULL, T( "PARTS" ), T( PARTS ), NULL, NULL, ADS_COMPOUND, 0, &parts ) );
   OK( AdsCreateIndex61( table, NULL, T( "NAME" ), T( "NAME" ), NULL, NULL, ADS_COMPOUND, 0, &name ) );
   OK( AdsAppendRecord( table ) );
   OK( AdsSetDouble( table, T( "ID" ), 10 ) );
   OK( AdsSetString( table, T( "NAME" ), T( "Ann" ), 3 ) );
   OK( AdsAppendRecord( table ) );
   OK( AdsSetDouble( table, T( "ID" ), 20 ) );
   OK( AdsSetString( table, T( "NAME" ), T( "Bob" ), 3 ) );
   OK( AdsSetString( table, T( "CITY" ), T( "Rome" ), 4 ) );
   OK( AdsWriteRecord( table ) );
   segments();
   keys();
   OK( AdsCloseTable( table ) );
   OK( AdsDisconnect( connection ) );
   END();
}
