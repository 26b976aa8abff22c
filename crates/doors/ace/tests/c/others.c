/* Calls that are rarely made. */
#include "check.h"

int main( int count, char ** arguments )
{
   ADSHANDLE connection = 0, table = 0, second = 0, search = 0, none[ 1 ];
   UNSIGNED16 flag = 9, number = 9, length, other_length;
   UNSIGNED32 records = 0, sum = 0, same = 0;
   UNSIGNED8 bytes[ 128 ], text[ 64 ], other[ 64 ];
   int found = 0;

   if( count < 2 )
      return 2;
   OK( AdsConnect60( T( arguments[ 1 ] ), ADS_LOCAL_SERVER, NULL, NULL, ADS_DEFAULT, &connection ) );
   OK( AdsOpenTable( connection, T( "t03_cdx_tags" ), NULL, ADS_CDX, ADS_ANSI, ADS_COMPATIBLE_LOCKING, ADS_CHECKRIGHTS,
                     ADS_SHARED | ADS_READONLY, &table ) );
   OK( AdsSetFlushFlag( connection, 1 ) );
   OK( AdsSetPacketSize( connection, 512 ) );
   OK( AdsInternalCloseCachedTables( connection, 0 ) );
   OK( AdsEcho( connection, T( "hello" ), 5 ) );
   OK( AdsIsEncryptionEnabled( table, &flag ) );
   SAME( 0, flag );
   OK( AdsIsTableEncrypted( table, &flag ) );
   SAME( 0, flag );
   OK( AdsIsRecordEncrypted( table, &flag ) );
   SAME( 0, flag );
   OK( AdsVerifyPassword( table, &flag ) );
   SAME( 0, flag );
   OK( AdsDisableEncryption( table ) );
   ANSWERS( AE_TABLE_NOT_ENCRYPTED, AdsDecryptTable( table ) );
   ANSWERS( AE_TABLE_NOT_ENCRYPTED, AdsDecryptRecord( table ) );
   OK( AdsGetNumFTSIndexes( table, &number ) );
   SAME( 0, number );
   number = 1;
   OK( AdsGetFTSIndexes( table, none, &number ) );
   SAME( 0, number );
   OK( AdsGetNumActiveLinks( connection, &number ) );
   SAME( 0, number );
   OK( AdsGotoRecord( table, 7 ) );
   OK( AdsCloneTable( table, &second ) );
   OK( AdsGetRecordNum( second, ADS_IGNOREFILTERS, &records ) );
   SAME( 7, records );
   OK( AdsGetRecordCRC( table, &sum, 0 ) );
   OK( AdsGetRecordCRC( second, &same, 0 ) );
   SAME( sum, same );
   OK( AdsSkip( second, 1 ) );
   OK( AdsGetRecordCRC( second, &same, 0 ) );
   TRUE_THAT( sum != same );
   OK( AdsCloseTable( second ) );
   OK( AdsGetNullRecord( table, bytes, sizeof( bytes ) ) );
   SAME( ' ', bytes[ 0 ] );
   ANSWERS( AE_INSUFFICIENT_BUFFER, AdsClearRecordBuffer( table, bytes, 3 ) );
   OK( AdsClearRecordBuffer( table, bytes, sizeof( bytes ) ) );
   length = sizeof( text );
   OK( AdsGetBaseFieldName( table, 2, text, &length ) );
   TEXT( "NAME", text );
   OK( AdsGetBaseFieldNum( table, T( "NAME" ), &number ) );
   SAME( 2, number );
   strcpy( ( char * ) text, "LOUD" );
   OK( AdsMemLwr( connection, text, 4, ADS_ANSI ) );
   TEXT( "loud", text );
   OK( AdsMemLwr90( connection, text, 4, ADS_ANSI, 0 ) );

   {
      UNSIGNED32 numbers[ 5 ], room = 5;
      ADSHANDLE index = 0;
      OK( AdsGetIndexHandle( table, T( "ID" ), &index ) );
      OK( AdsReadRecordNumbers( index, 647, 1, numbers, &room, &flag ) );
      SAME( 5, room );
      SAME( 0, flag );
      SAME( 647, numbers[ 0 ] );
      SAME( 254, numbers[ 1 ] );
      OK( AdsReadRecordNumbers( index, 254, 2, numbers, &room, &flag ) );
      SAME( 2, room );
      SAME( 1, flag );
      ANSWERS( AE_INVALID_OPTION, AdsReadRecordNumbers( index, 254, 9, numbers, &room, &flag ) );
      OK( AdsGetRecordNum( table, ADS_IGNOREFILTERS, &records ) );
      SAME( 7, records );
      OK( AdsCreateTable( connection, T( "topmost" ), NULL, ADS_CDX, ADS_ANSI, ADS_COMPATIBLE_LOCKING, ADS_CHECKRIGHTS, 0,
                          T( "ID,Numeric,8,0;CITY,Character,12" ), &second ) );
      OK( AdsCopyTableTop( index, second, 3 ) );
      OK( AdsGetRecordCount( second, ADS_IGNOREFILTERS, &records ) );
      SAME( 3, records );
      OK( AdsCloseTable( second ) );
   }

   /* A table in memory is a table. */
   OK( AdsCreateMemTable( connection, T( "remembered" ), ADS_VFP, ADS_ANSI, T( "ID,Integer;NOTE,Memo" ), 0, &second ) );
   OK( AdsAppendRecord( second ) );
   OK( AdsSetLong( second, T( "ID" ), 42 ) );
   OK( AdsSetString( second, T( "NOTE" ), T( "kept" ), 4 ) );
   OK( AdsWriteRecord( second ) );
   OK( AdsGetRecordCount( second, ADS_IGNOREFILTERS, &records ) );
   SAME( 1, records );
   OK( AdsCheckExistence( connection, T( "remembered.dbf" ), &flag ) );
   SAME( 0, flag );
   OK( AdsCloseTable( second ) );
   OK( AdsCreateMemTable90( connection, T( "again" ), ADS_DEFAULT, ADS_ANSI, T( "ID,Integer" ), 0, NULL, &second ) );
   ANSWERS( AE_TABLE_NOT_SHARED, AdsCloneTable( second, &search ) );
   OK( AdsDeleteTable( second ) );
   ANSWERS( AE_TABLE_READONLY, AdsDeleteTable( table ) );

   length = sizeof( text );
   other_length = sizeof( other );
   OK( AdsFindFirstTable62( connection, T( "t0*.dbf" ), other, &other_length, text, &length, &search ) );
   do
   {
      ++found;
      length = sizeof( text );
      other_length = sizeof( other );
   }
   while( AdsFindNextTable62( connection, search, other, &other_length, text, &length ) == AE_SUCCESS && found < 99 );
   SAME( 3, found );
   OK( AdsFindClose( connection, search ) );
   OK( AdsDisconnect( connection ) );
   END();
}
