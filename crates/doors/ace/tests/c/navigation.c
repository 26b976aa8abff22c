/* Opening tables, what they are, and moving through them. */
#include "check.h"

#include <sys/stat.h>
#include <unistd.h>

static ADSHANDLE connection;

static void moves( ADSHANDLE table )
{
   UNSIGNED16 flag = 9;
   UNSIGNED32 number = 9;
   ADSHANDLE bookmark = 0;
   UNSIGNED8 place[ 16 ], other[ 16 ];
   UNSIGNED32 length = sizeof( place );
   SIGNED32 order = 9;

   OK( AdsGotoTop( table ) );
   OK( AdsGetRecordNum( table, ADS_IGNOREFILTERS, &number ) );
   SAME( 1, number );
   OK( AdsAtBOF( table, &flag ) );
   SAME( 0, flag );
   OK( AdsSkip( table, 10 ) );
   OK( AdsGetRecordNum( table, ADS_IGNOREFILTERS, &number ) );
   SAME( 11, number );
   OK( AdsSkip( table, -3 ) );
   OK( AdsGetBookmark( table, &bookmark ) );
   OK( AdsGetBookmark60( table, place, &length ) );
   OK( AdsGetBookmarkLength( table, &number ) );
   SAME( length, number );
   OK( AdsGotoRecord( table, 500 ) );
   length = sizeof( other );
   OK( AdsGetBookmark60( table, other, &length ) );
   OK( AdsCompareBookmarks( place, other, &order ) );
   SAME( ADS_CMP_LESS, order );
   length = 3;
   ANSWERS( AE_INSUFFICIENT_BUFFER, AdsGetBookmark60( table, other, &length ) );
   OK( AdsGotoBookmark60( table, place ) );
   OK( AdsGetRecordNum( table, ADS_IGNOREFILTERS, &number ) );
   SAME( 8, number );
   OK( AdsGotoTop( table ) );
   OK( AdsGotoBookmark( table, bookmark ) );
   OK( AdsGetRecordNum( table, ADS_IGNOREFILTERS, &number ) );
   SAME( 8, number );
   memset( other, 'x', sizeof( other ) );
   ANSWERS( AE_INVALID_BOOKMARK, AdsGotoBookmark60( table, other ) );
   ANSWERS( AE_INVALID_BOOKMARK, AdsGotoBookmark( table, 0 ) );
   OK( AdsRefreshRecord( table ) );
   OK( AdsCacheRecords( table, 10 ) );
   OK( AdsIsRecordVisible( table, &flag ) );
   SAME( 1, flag );
   OK( AdsSetFilter( table, T( "RecNo() = 9" ) ) );
   OK( AdsIsRecordVisible( table, &flag ) );
   SAME( 0, flag );
   OK( AdsClearFilter( table ) );
}

static void ends( ADSHANDLE table )
{
   UNSIGNED16 flag = 9;
   UNSIGNED32 number = 9;
   UNSIGNED8 text[ 64 ];
   UNSIGNED32 length = sizeof( text );

   /* Before the first record, and back. */
   OK( AdsGotoTop( table ) );
   OK( AdsSkip( table, -1 ) );
   OK( AdsAtBOF( table, &flag ) );
   SAME( 1, flag );
   ANSWERS( AE_NO_CURRENT_RECORD, AdsGetString( table, T( "NAME" ), text, &length, ADS_NONE ) );
   OK( AdsGetRecordNum( table, ADS_IGNOREFILTERS, &number ) );
   SAME( 0, number );
   OK( AdsSkip( table, 2 ) );
   OK( AdsGetRecordNum( table, ADS_IGNOREFILTERS, &number ) );
   SAME( 2, number );
   OK( AdsGotoBOF( table ) );
   OK( AdsAtBOF( table, &flag ) );
   SAME( 1, flag );
   /* Behind the last one, and back. */
   OK( AdsGotoBottom( table ) );
   OK( AdsGetRecordNum( table, ADS_IGNOREFILTERS, &number ) );
   SAME( 1000, number );
   OK( AdsSkip( table, 1 ) );
   OK( AdsAtEOF( table, &flag ) );
   SAME( 1, flag );
   ANSWERS( AE_NO_CURRENT_RECORD, AdsGetString( table, T( "NAME" ), text, &length, ADS_NONE ) );
   OK( AdsGetRecordNum( table, ADS_IGNOREFILTERS, &number ) );
   SAME( 1001, number );
   OK( AdsSkip( table, -1 ) );
   OK( AdsGetRecordNum( table, ADS_IGNOREFILTERS, &number ) );
   SAME( 1000, number );
   OK( AdsGotoEOF( table ) );
   OK( AdsAtEOF( table, &flag ) );
   SAME( 1, flag );
   OK( AdsGotoRecord( table, 4000000000u ) );
   OK( AdsAtEOF( table, &flag ) );
   SAME( 1, flag );
   OK( AdsIsFound( table, &flag ) );
   SAME( 0, flag );
}

static void counts( ADSHANDLE table )
{
   UNSIGNED32 number = 9;

   OK( AdsGetRecordCount( table, ADS_IGNOREFILTERS, &number ) );
   SAME( 1000, number );
   OK( AdsGetRecordCount( table, ADS_IGNOREFILTERS | ADS_REFRESHCOUNT, &number ) );
   SAME( 1000, number );
   OK( AdsShowDeleted( 0 ) );
   OK( AdsGetRecordCount( table, ADS_RESPECTFILTERS, &number ) );
   SAME( 924, number );
   OK( AdsGetRecordCount( table, ADS_RESPECTSCOPES, &number ) );
   SAME( 1000, number );
   OK( AdsShowDeleted( 1 ) );
   ANSWERS( AE_INVALID_FILTER_OPTION, AdsGetRecordCount( table, 99, &number ) );
   ANSWERS( AE_INVALID_POINTER, AdsGetRecordCount( table, ADS_IGNOREFILTERS, NULL ) );
}

/* 0 is none of the options: the number that AdsGotoRecord takes, whatever is shown. */
static void numbers_of_records( ADSHANDLE table )
{
   UNSIGNED32 number = 0, place = 0;

   OK( AdsSetFilter( table, T( "RECNO() > 5" ) ) );
   OK( AdsGotoTop( table ) );
   OK( AdsGetRecordNum( table, 0, &number ) );
   SAME( 6, number );
   OK( AdsGetRecordNum( table, ADS_IGNOREFILTERS, &number ) );
   SAME( 6, number );
   OK( AdsGetRecordNum( table, ADS_RESPECTFILTERS, &place ) );
   SAME( 1, place );
   OK( AdsClearFilter( table ) );
}

static void properties( ADSHANDLE table )
{
   UNSIGNED8 text[ 512 ];
   UNSIGNED16 length = sizeof( text ), number = 9;
   UNSIGNED32 large = 9;
   ADSHANDLE found = 0, all[ 4 ];

   OK( AdsGetTableAlias( table, text, &length ) );
   TEXT( "people", text );
   length = 3;
   ANSWERS( AE_INSUFFICIENT_BUFFER, AdsGetTableAlias( table, text, &length ) );
   SAME( 7, length );
   length = sizeof( text );
   OK( AdsGetTableFilename( table, ADS_BASENAME, text, &length ) );
   TEXT( "t03_cdx_tags", text );
   length = sizeof( text );
   OK( AdsGetTableFilename( table, ADS_BASENAMEANDEXT, text, &length ) );
   TEXT( "t03_cdx_tags.dbf", text );
   length = sizeof( text );
   OK( AdsGetTableFilename( table, ADS_FULLPATHNAME, text, &length ) );
   TRUE_THAT( text[ 0 ] == '/' || strncmp( ( char * ) text, "tcp://", 6 ) == 0 );
   length = sizeof( text );
   ANSWERS( AE_INVALID_OPTION, AdsGetTableFilename( table, 77, text, &length ) );
   OK( AdsGetTableType( table, &number ) );
   SAME( ADS_CDX, number );
   OK( AdsGetTableCharType( table, &number ) );
   SAME( ADS_ANSI, number );
   OK( AdsGetTableLockType( table, &number ) );
   SAME( ADS_COMPATIBLE_LOCKING, number );
   OK( AdsGetTableRights( table, &number ) );
   SAME( 1, number );
   OK( AdsGetTableOpenOptions( table, &large ) );
   SAME( ADS_SHARED | ADS_READONLY, large );
   OK( AdsGetTableConnection( table, &found ) );
   TRUE_THAT( found == connection );
   OK( AdsGetTableHandle( T( "PEOPLE" ), &found ) );
   TRUE_THAT( found == table );
   OK( AdsGetTableHandle25( connection, T( "people" ), &found ) );
   ANSWERS( AE_NO_TABLE, AdsGetTableHandle( T( "nobody" ), &found ) );
   OK( AdsGetNumOpenTables( &number ) );
   SAME( 1, number );
   number = 4;
   OK( AdsGetAllTables( all, &number ) );
   SAME( 1, number );
   TRUE_THAT( all[ 0 ] == table );
   number = 0;
   ANSWERS( AE_INSUFFICIENT_BUFFER, AdsGetAllTables( all, &number ) );
   length = sizeof( text );
   OK( AdsGetLastTableUpdate( table, text, &length ) );
   SAME( 10, length );
   OK( AdsGetRecordLength( table, &large ) );
   SAME( 78, large );
   length = sizeof( text );
   OK( AdsGetTableCollation( table, text, &length ) );
   OK( AdsGetTableWAN( table, &number ) );
   SAME( 0, number );
   OK( AdsGetTableMemoSize( table, &number ) );
   SAME( 64, number );
   OK( AdsIsTableTransactionFree( table, &number ) );
   SAME( 0, number );
}

/* Without a connection a table is looked for in the default folder, along the search path, and where the process is. */
static void found_without_connection( const char * folder, const char * here, int far )
{
   ADSHANDLE table = 0;
   UNSIGNED8 path[ 600 ];

   ANSWERS( AE_FILE_NOT_FOUND, AdsOpenTable( 0, T( "t05_ntx" ), NULL, ADS_NTX, ADS_ANSI, ADS_COMPATIBLE_LOCKING, ADS_CHECKRIGHTS,
                                             ADS_SHARED | ADS_READONLY, &table ) );
   OK( AdsSetDefault( T( folder ) ) );
   OK( AdsOpenTable( 0, T( "t05_ntx" ), NULL, ADS_NTX, ADS_ANSI, ADS_COMPATIBLE_LOCKING, ADS_CHECKRIGHTS, ADS_SHARED | ADS_READONLY, &table ) );
   OK( AdsCloseTable( table ) );
   /* What is made without a connection is made in the default folder, and takes part in transactions of all connections. */
   OK( AdsCreateTable( 0, T( "made_there" ), NULL, ADS_CDX, ADS_ANSI, ADS_COMPATIBLE_LOCKING, ADS_CHECKRIGHTS, 0, T( "ID,N,8,0" ), &table ) );
   {
      ADSHANDLE through = 0;
      UNSIGNED32 records = 9;
      UNSIGNED16 kind = 0;
      OK( AdsGetTableConnection( table, &through ) );
      OK( AdsGetHandleType( through, &kind ) );
      SAME( ADS_CONNECTION, kind );
      OK( AdsBeginTransaction( 0 ) );
      OK( AdsAppendRecord( table ) );
      OK( AdsWriteRecord( table ) );
      OK( AdsRollbackTransaction( 0 ) );
      OK( AdsGetRecordCount( table, ADS_IGNOREFILTERS, &records ) );
      SAME( 0, records );
   }
   snprintf( ( char * ) path, sizeof( path ), "%s/made_there.dbf", here );
   TRUE_THAT( access( ( char * ) path, F_OK ) == 0 );
   OK( AdsCloseTable( table ) );
   OK( AdsSetDefault( T( "" ) ) );
   /* The search path has folders here only. */
   if( ! far )
   {
      snprintf( ( char * ) path, sizeof( path ), "/nowhere;%s", folder );
      OK( AdsSetSearchPath( path ) );
      OK( AdsOpenTable( 0, T( "T05_NTX" ), NULL, ADS_NTX, ADS_ANSI, ADS_COMPATIBLE_LOCKING, ADS_CHECKRIGHTS, ADS_SHARED | ADS_READONLY, &table ) );
      OK( AdsCloseTable( table ) );
      OK( AdsSetSearchPath( T( "" ) ) );
   }
   snprintf( ( char * ) path, sizeof( path ), "%s/t05_ntx.dbf", folder );
   OK( AdsOpenTable( 0, path, NULL, ADS_NTX, ADS_ANSI, ADS_COMPATIBLE_LOCKING, ADS_CHECKRIGHTS, ADS_SHARED | ADS_READONLY, &table ) );
   OK( AdsCloseTable( table ) );
}

/* Where deleted records are not shown, a table is opened at the first that is. */
static void opened_at_the_first_that_is_shown( ADSHANDLE connection )
{
   ADSHANDLE table = new_table( connection, "shown", ADS_CDX, "ID,Numeric,8,0" );
   UNSIGNED32 record;
   UNSIGNED16 flag = 9;

   for( record = 1; record <= 3; ++record )
      OK( AdsAppendRecord( table ) );
   for( record = 1; record <= 3; ++record )
   {
      OK( AdsGotoRecord( table, record ) );
      OK( AdsDeleteRecord( table ) );
      OK( AdsCloseTable( table ) );
      OK( AdsShowDeleted( 0 ) );
      OK( AdsOpenTable( connection, T( "shown" ), NULL, ADS_CDX, ADS_ANSI, ADS_COMPATIBLE_LOCKING, ADS_CHECKRIGHTS, ADS_SHARED, &table ) );
      OK( AdsAtEOF( table, &flag ) );
      SAME( record == 3, flag );
      if( record < 3 )
      {
         UNSIGNED32 place = 0;
         OK( AdsGetRecordNum( table, ADS_IGNOREFILTERS, &place ) );
         SAME( record + 1, place );
      }
      OK( AdsShowDeleted( 1 ) );
   }
   OK( AdsCloseTable( table ) );
}

int main( int count, char ** arguments )
{
   ADSHANDLE table = 0, second = 0;
   UNSIGNED16 kind = 0;
   UNSIGNED8 path[ 600 ];

   if( count < 2 )
      return 2;
   found_without_connection( arguments[ 1 ], HERE, IS_FAR );
   OK( AdsConnect60( T( arguments[ 1 ] ), ADS_LOCAL_SERVER, NULL, NULL, ADS_DEFAULT, &connection ) );
   ANSWERS( AE_FILE_NOT_FOUND, AdsOpenTable( connection, T( "nothing" ), NULL, ADS_CDX, ADS_ANSI, ADS_COMPATIBLE_LOCKING,
                                             ADS_CHECKRIGHTS, ADS_SHARED, &table ) );
   /* No file t03_cdx_tags.adt. */
   ANSWERS( AE_FILE_NOT_FOUND, AdsOpenTable( connection, T( "t03_cdx_tags" ), NULL, ADS_ADT, ADS_ANSI, ADS_COMPATIBLE_LOCKING,
                                             ADS_CHECKRIGHTS, ADS_SHARED, &table ) );
   ANSWERS( AE_INVALID_TABLETYPE, AdsOpenTable( connection, T( "t03_cdx_tags.dbf" ), NULL, ADS_ADT, ADS_ANSI, ADS_COMPATIBLE_LOCKING,
                                                ADS_CHECKRIGHTS, ADS_SHARED, &table ) );
   ANSWERS( AE_INVALID_TABLETYPE, AdsOpenTable( connection, T( "t03_cdx_tags" ), NULL, 77, ADS_ANSI, ADS_COMPATIBLE_LOCKING,
                                                ADS_CHECKRIGHTS, ADS_SHARED, &table ) );
   OK( AdsOpenTable( connection, T( "t03_cdx_tags" ), T( "people" ), ADS_CDX, ADS_ANSI, ADS_COMPATIBLE_LOCKING, ADS_CHECKRIGHTS,
                     ADS_SHARED | ADS_READONLY, &table ) );
   OK( AdsGetHandleType( table, &kind ) );
   SAME( ADS_TABLE, kind );
   /* Open twice is open twice; alone is alone. */
   ANSWERS( AE_FILE_IN_USE, AdsOpenTable( connection, T( "t03_cdx_tags" ), NULL, ADS_CDX, ADS_ANSI, ADS_COMPATIBLE_LOCKING,
                                          ADS_CHECKRIGHTS, ADS_EXCLUSIVE, &second ) );
   opened_at_the_first_that_is_shown( connection );
   properties( table );
   moves( table );
   ends( table );
   counts( table );
   numbers_of_records( table );
   OK( AdsOpenTable90( connection, T( "T03_CDX_TAGS.DBF" ), NULL, ADS_DEFAULT, ADS_ANSI, ADS_COMPATIBLE_LOCKING, ADS_CHECKRIGHTS,
                       ADS_SHARED | ADS_READONLY, NULL, &second ) );
   OK( AdsGetTableType( second, &kind ) );
   SAME( ADS_CDX, kind );
   OK( AdsCloseTable( second ) );
   /* What nobody may write is opened for reading. (Whoever may do everything may write it.) */
   if( geteuid() != 0 )
   {
      UNSIGNED32 options = 0;
      snprintf( ( char * ) path, sizeof( path ), "%s/t05_ntx.dbf", HERE );
      TRUE_THAT( chmod( ( char * ) path, 0444 ) == 0 );
      OK( AdsOpenTable( connection, T( "t05_ntx" ), NULL, ADS_NTX, ADS_ANSI, ADS_COMPATIBLE_LOCKING, ADS_CHECKRIGHTS, ADS_SHARED, &second ) );
      OK( AdsGetTableOpenOptions( second, &options ) );
      SAME( ADS_SHARED | ADS_READONLY, options );
      OK( AdsCloseTable( second ) );
   }
   ANSWERS( AE_COLLATION_NOT_RECOGNIZED,
            AdsOpenTable90( connection, T( "t03_cdx_tags" ), NULL, ADS_CDX, ADS_ANSI, ADS_COMPATIBLE_LOCKING, ADS_CHECKRIGHTS,
                            ADS_SHARED, T( "klingon" ), &second ) );
   ANSWERS( AE_INVALID_CHARSETTYPE,
            AdsOpenTable( connection, T( "t03_cdx_tags" ), NULL, ADS_CDX, 999, ADS_COMPATIBLE_LOCKING, ADS_CHECKRIGHTS, ADS_SHARED,
                          &second ) );
   OK( AdsOpenTable101( connection, T( "t05_ntx" ), &second ) );
   OK( AdsCloseTable( table ) );
   ANSWERS( AE_INVALID_TABLE_HANDLE, AdsGotoTop( table ) == AE_INVALID_HANDLE ? AE_INVALID_TABLE_HANDLE : AE_SUCCESS );
   OK( AdsCloseCachedTables( connection ) );
   OK( AdsCloseAllTables() );
   ANSWERS( AE_INVALID_TABLE_HANDLE, AdsCloseTable( second ) );
   OK( AdsDisconnect( connection ) );
   END();
}
