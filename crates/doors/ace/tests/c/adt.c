/* Tables of Advantage's own format: those of other programs read, new ones written. */
#include "check.h"

static ADSHANDLE connection;

/* A field as text, in the buffer that the next call uses again. */
static const char * text_of( ADSHANDLE table, const char * field )
{
   static UNSIGNED8 text[ 200 ];
   UNSIGNED32 length = sizeof( text );

   OK( AdsGetField( table, T( field ), text, &length, ADS_TRIM ) );
   return ( const char * ) text;
}

static unsigned type_of( ADSHANDLE table, const char * field )
{
   UNSIGNED16 kind = 0;
   OK( AdsGetFieldType( table, T( field ), &kind ) );
   return kind;
}

static unsigned is_null( ADSHANDLE table, const char * field )
{
   UNSIGNED16 null = 9;
   OK( AdsIsNull( table, T( field ), &null ) );
   return null;
}

static UNSIGNED32 records( ADSHANDLE table )
{
   UNSIGNED32 number = 0;
   OK( AdsGetRecordCount( table, ADS_RESPECTFILTERS, &number ) );
   return number;
}

static void of_others( void )
{
   ADSHANDLE table = 0;
   UNSIGNED16 kind = 0;
   SIGNED32 number = 0;
   UNSIGNED32 length = 0;

   /* Written by Advantage; node_adt's own test has the same values. */
   OK( AdsOpenTable( connection, T( "adt/abrgru" ), NULL, ADS_ADT, ADS_ANSI, ADS_PROPRIETARY_LOCKING, ADS_CHECKRIGHTS, ADS_SHARED, &table ) );
   OK( AdsGetTableType( table, &kind ) );
   SAME( ADS_ADT, kind );
   SAME( 9, records( table ) );
   OK( AdsGotoTop( table ) );
   SAME( ADS_INTEGER, type_of( table, "AbrGruId" ) );
   SAME( ADS_STRING, type_of( table, "Such" ) );
   SAME( ADS_LOGICAL, type_of( table, "OpKennz" ) );
   SAME( ADS_DOUBLE, type_of( table, "MwstAusgl" ) );
   TEXT( "WGK", text_of( table, "Such" ) );
   OK( AdsGetLong( table, T( "AbrGruId" ), &number ) );
   SAME( 1, number );
   SAME( 1, is_null( table, "ErstHonLst" ) );
   SAME( 0, is_null( table, "Such" ) );
   OK( AdsCloseTable( table ) );

   /* By its file alone. Memos are of OpenADS. */
   OK( AdsOpenTable( connection, T( "adt/openads-landlords.adt" ), NULL, ADS_DEFAULT, ADS_ANSI, ADS_PROPRIETARY_LOCKING, ADS_CHECKRIGHTS,
                     ADS_SHARED | ADS_READONLY, &table ) );
   OK( AdsGetTableType( table, &kind ) );
   SAME( ADS_ADT, kind );
   SAME( ADS_MEMO, type_of( table, "Notes" ) );
   OK( AdsGotoRecord( table, 4 ) );
   TEXT( "SEC 8 preferred", text_of( table, "Notes" ) );
   OK( AdsGetMemoLength( table, T( "Notes" ), &length ) );
   SAME( 15, length );
   OK( AdsGotoRecord( table, 1 ) );
   SAME( 1, is_null( table, "Notes" ) );
   OK( AdsCloseTable( table ) );
}

static void of_ours( void )
{
   ADSHANDLE table = 0;
   double price = 0;
   UNSIGNED16 deleted = 9;
   char memo[ 3000 ];

   memset( memo, 'm', sizeof( memo ) );
   OK( AdsCreateTable( connection, T( "written" ), NULL, ADS_ADT, ADS_ANSI, ADS_PROPRIETARY_LOCKING, ADS_CHECKRIGHTS, 0,
                       T( "Id,AutoInc;A long name of a field,CICharacter,20;Price,Money;Rate,CurDouble;Born,Date;Moment,TimeStamp;"
                          "Changed,ModTime;Version,RowVersion;Note,Memo;Picture,Image;Data,Raw,4;Small,ShortInteger;Ok,Logical" ),
                       &table ) );
   SAME( ADS_AUTOINC, type_of( table, "Id" ) );
   SAME( ADS_CISTRING, type_of( table, "A long name of a field" ) );
   SAME( ADS_MONEY, type_of( table, "Price" ) );
   SAME( ADS_CURDOUBLE, type_of( table, "Rate" ) );
   SAME( ADS_ROWVERSION, type_of( table, "Version" ) );
   SAME( ADS_IMAGE, type_of( table, "Picture" ) );
   SAME( ADS_RAW, type_of( table, "Data" ) );
   SAME( ADS_SHORTINT, type_of( table, "Small" ) );
   OK( AdsAppendRecord( table ) );
   SAME( 1, is_null( table, "Price" ) );
   OK( AdsSetString( table, T( "A long name of a field" ), T( "first" ), 5 ) );
   OK( AdsSetDouble( table, T( "Price" ), 12.3456 ) );
   OK( AdsSetString( table, T( "Note" ), T( memo ), sizeof( memo ) ) );
   OK( AdsSetBinary( table, T( "Picture" ), ADS_IMAGE, 3, 0, T( "\1\0\2" ), 3 ) );
   OK( AdsWriteRecord( table ) );
   OK( AdsAppendRecord( table ) );
   OK( AdsSetString( table, T( "A long name of a field" ), T( "second" ), 6 ) );
   OK( AdsWriteRecord( table ) );
   OK( AdsCloseTable( table ) );

   OK( AdsOpenTable( connection, T( "written" ), NULL, ADS_ADT, ADS_ANSI, ADS_PROPRIETARY_LOCKING, ADS_CHECKRIGHTS, ADS_SHARED, &table ) );
   OK( AdsGotoTop( table ) );
   TEXT( "1", text_of( table, "Id" ) );
   TEXT( "first", text_of( table, "A long name of a field" ) );
   OK( AdsGetDouble( table, T( "Price" ), &price ) );
   SAME( 12.3456, price );
   SAME( 0, is_null( table, "Price" ) );
   SAME( 1, is_null( table, "Rate" ) );
   SAME( 1, is_null( table, "Ok" ) );
   SAME( 0, is_null( table, "Changed" ) );
   OK( AdsSetEmpty( table, T( "Price" ) ) );
   OK( AdsWriteRecord( table ) );
   OK( AdsSkip( table, 1 ) );
   TEXT( "2", text_of( table, "Id" ) );
   SAME( 1, is_null( table, "Note" ) );
   OK( AdsDeleteRecord( table ) );
   OK( AdsIsRecordDeleted( table, &deleted ) );
   SAME( 1, deleted );
   OK( AdsCloseTable( table ) );

   OK( AdsOpenTable( connection, T( "written" ), NULL, ADS_ADT, ADS_ANSI, ADS_PROPRIETARY_LOCKING, ADS_CHECKRIGHTS, ADS_EXCLUSIVE, &table ) );
   OK( AdsPackTable( table ) );
   SAME( 1, records( table ) );
   OK( AdsGotoTop( table ) );
   TEXT( "first", text_of( table, "A long name of a field" ) );
   OK( AdsCopyTable( table, ADS_IGNOREFILTERS, T( "again" ) ) );
   OK( AdsConvertTable( table, ADS_IGNOREFILTERS, T( "as_adt" ), ADS_ADT ) );
   OK( AdsZapTable( table ) );
   SAME( 0, records( table ) );
   OK( AdsCloseTable( table ) );
   OK( AdsOpenTable( connection, T( "again" ), NULL, ADS_ADT, ADS_ANSI, ADS_PROPRIETARY_LOCKING, ADS_CHECKRIGHTS, ADS_SHARED, &table ) );
   OK( AdsGotoTop( table ) );
   TEXT( "first", text_of( table, "A long name of a field" ) );
   OK( AdsCloseTable( table ) );
}

int main( int count, char ** arguments )
{
   if( count < 2 )
      return 2;
   OK( AdsConnect60( T( arguments[ 1 ] ), ADS_LOCAL_SERVER, NULL, NULL, ADS_DEFAULT, &connection ) );
   of_others();
   of_ours();
   OK( AdsDisconnect( connection ) );
   END();
}
