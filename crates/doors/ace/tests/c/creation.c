/* Making tables. */
#include "check.h"

static ADSHANDLE connection;

static void of_type( const char * name, UNSIGNED16 type, const char * fields, unsigned expected )
{
   ADSHANDLE table = 0;
   UNSIGNED16 count = 0, kind = 0;
   UNSIGNED32 records = 9;

   OK( AdsCreateTable( connection, T( name ), NULL, type, ADS_ANSI, ADS_COMPATIBLE_LOCKING, ADS_CHECKRIGHTS, 0, T( fields ), &table ) );
   OK( AdsGetNumFields( table, &count ) );
   SAME( expected, count );
   OK( AdsGetTableType( table, &kind ) );
   SAME( type, kind );
   OK( AdsGetRecordCount( table, ADS_IGNOREFILTERS, &records ) );
   SAME( 0, records );
   OK( AdsAtEOF( table, &count ) );
   SAME( 1, count );
   OK( AdsAtBOF( table, &count ) );
   SAME( 1, count );
   OK( AdsCloseTable( table ) );
   /* Again, over the one that is there. */
   OK( AdsCreateTable71( connection, T( name ), NULL, type, ADS_ANSI, ADS_COMPATIBLE_LOCKING, ADS_CHECKRIGHTS, 0, T( fields ), 0,
                         &table ) );
   ANSWERS( AE_FILE_IN_USE, AdsCreateTable90( connection, T( name ), NULL, type, ADS_ANSI, ADS_COMPATIBLE_LOCKING, ADS_CHECKRIGHTS,
                                              0, T( fields ), 0, NULL, &table ) );
   OK( AdsCloseTable( table ) );
}

static UNSIGNED32 refused( UNSIGNED16 type, const char * fields )
{
   ADSHANDLE table = 0;
   return AdsCreateTable( connection, T( "refused" ), NULL, type, ADS_ANSI, ADS_COMPATIBLE_LOCKING, ADS_CHECKRIGHTS, 0, T( fields ),
                          &table );
}

int main( int count, char ** arguments )
{
   ADSHANDLE table = 0;

   if( count < 2 )
      return 2;
   OK( AdsConnect60( T( arguments[ 1 ] ), ADS_LOCAL_SERVER, NULL, NULL, ADS_DEFAULT, &connection ) );
   of_type( "made_ntx", ADS_NTX, "ID,Numeric,8,0;NAME,Character,20;BORN,Date;OK,Logical;NOTES,Memo", 5 );
   of_type( "made_cdx", ADS_CDX, "ID,N,8,0;NAME,C,20;NOTES,M;AMOUNT,Double;WHEN,TimeStamp;COUNTER,Autoinc", 6 );
   of_type( "made_vfp", ADS_VFP, "ID,Integer;NAME,VarCharFox,30;PRICE,Money;DATA,VarBinaryFox,10;MAYBE,C,5,NULL", 5 );
   ANSWERS( AE_INVALID_FIELDDEF, refused( ADS_CDX, "" ) );
   ANSWERS( AE_INVALID_FIELDDEF, refused( ADS_CDX, "A,Nonsense,5" ) );
   ANSWERS( AE_INVALID_FIELDDEF, refused( ADS_CDX, "A,Character,5;A,Character,5" ) );
   ANSWERS( AE_NAME_TOO_LONG, refused( ADS_CDX, "ELEVENCHARS,Character,5" ) );
   of_type( "made_adt", ADS_ADT, "A name of more than ten letters,CICharacter,20;ID,AutoInc;PRICE,Money;NOTES,Memo", 4 );
   ANSWERS( AE_INVALID_FIELDDEF, refused( ADS_ADT, "A,Nonsense,5" ) );
   ANSWERS( AE_INVALID_FIELDDEF, refused( ADS_ADT, "A,Character" ) );
   ANSWERS( AE_INVALID_TABLETYPE, refused( 9, "A,Character,5" ) );
   ANSWERS( AE_INVALID_POINTER, AdsCreateTable( connection, NULL, NULL, ADS_CDX, ADS_ANSI, ADS_COMPATIBLE_LOCKING, ADS_CHECKRIGHTS, 0,
                                                T( "A,C,5" ), &table ) );
   ANSWERS( AE_INVALID_POINTER, AdsCreateTable( connection, T( "refused" ), NULL, ADS_CDX, ADS_ANSI, ADS_COMPATIBLE_LOCKING,
                                                ADS_CHECKRIGHTS, 0, T( "A,C,5" ), NULL ) );
   OK( AdsDisconnect( connection ) );
   END();
}
