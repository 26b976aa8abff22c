/* Indexes: opening them, what their orders are, seeks, scopes, positions and relations. */
#include "check.h"

static ADSHANDLE connection, table;

static ADSHANDLE order( const char * name )
{
   ADSHANDLE index = 0;
   OK( AdsGetIndexHandle( table, T( name ), &index ) );
   return index;
}

static UNSIGNED32 record( void )
{
   UNSIGNED32 number = 0;
   OK( AdsGetRecordNum( table, ADS_IGNOREFILTERS, &number ) );
   return number;
}

static void what_they_are( void )
{
   ADSHANDLE index = 0, all[ 32 ];
   UNSIGNED16 number = 0, length;
   UNSIGNED32 flags = 0;
   UNSIGNED8 text[ 512 ];

   OK( AdsGetNumIndexes( table, &number ) );
   SAME( 19, number );
   number = 32;
   OK( AdsGetAllIndexes( table, all, &number ) );
   SAME( 19, number );
   number = 5;
   ANSWERS( AE_INSUFFICIENT_BUFFER, AdsGetAllIndexes( table, all, &number ) );
   OK( AdsGetIndexHandleByOrder( table, 9, &index ) );
   TRUE_THAT( index == all[ 8 ] );
   OK( AdsGetIndexOrderByHandle( index, &number ) );
   SAME( 9, number );
   length = sizeof( text );
   OK( AdsGetIndexName( index, text, &length ) );
   TEXT( "IDACT", text );
   length = sizeof( text );
   OK( AdsGetIndexExpr( index, text, &length ) );
   TEXT( "ID", text );
   length = sizeof( text );
   OK( AdsGetIndexCondition( index, text, &length ) );
   TEXT( "ACTIVE .AND. BAL > 0", text );
   length = 3;
   ANSWERS( AE_INSUFFICIENT_BUFFER, AdsGetIndexCondition( index, text, &length ) );
   /* rddads asks with no room at all whether there is a condition. */
   length = 0;
   ANSWERS( AE_INSUFFICIENT_BUFFER, AdsGetIndexCondition( index, text, &length ) );
   SAME( 21, length );
   length = 0;
   OK( AdsGetIndexCondition( order( "ID" ), text, &length ) );
   SAME( 0, length );
   length = sizeof( text );
   OK( AdsGetIndexFilename( index, ADS_BASENAMEANDEXT, text, &length ) );
   TEXT( "t03_cdx_tags.cdx", text );
   length = sizeof( text );
   ANSWERS( AE_INVALID_OPTION, AdsGetIndexFilename( index, 9, text, &length ) );
   length = sizeof( text );
   OK( AdsGetIndexCollation( index, text, &length ) );
   TEXT( "", text );
   OK( AdsGetIndexHandleByExpr( table, T( "upper(name)" ), ADS_ASCENDING, &index ) );
   TRUE_THAT( index == order( "UNAME" ) );
   ANSWERS( AE_INDEX_EXPR_NOT_FOUND, AdsGetIndexHandleByExpr( table, T( "upper(name)" ), ADS_DESCENDING, &index ) );
   ANSWERS( AE_INVALID_INDEX_ORDER_NAME, AdsGetIndexHandle( table, T( "NOTHING" ), &index ) );
   ANSWERS( AE_INVALID_INDEX_ORDER, AdsGetIndexHandleByOrder( table, 20, &index ) );
   OK( AdsGetIndexFlags( order( "BALDESC" ), &flags ) );
   SAME( ADS_COMPOUND | ADS_DESCENDING, flags );
   OK( AdsGetIndexPageSize( order( "BAL" ), &flags ) );
   SAME( 512, flags );
   OK( AdsGetKeyLength( order( "CITYBORN" ), &number ) );
   SAME( 20, number );
   OK( AdsGetHandleType( order( "BAL" ), &number ) );
   SAME( ADS_INDEX_ORDER, number );
}

static void types( void )
{
   UNSIGNED16 kind = 0;
   static const struct { const char * name; unsigned kind; } expected[] = {
      { "ID", ADS_NUMERIC }, { "NAME", ADS_STRING }, { "BORN", ADS_DATE }, { "ACTIVE", ADS_LOGICAL }, { "WTST", ADS_RAW } };
   size_t at;

   for( at = 0; at < sizeof( expected ) / sizeof( expected[ 0 ] ); ++at )
   {
      OK( AdsGetKeyType( order( expected[ at ].name ), &kind ) );
      SAME( expected[ at ].kind, kind );
   }
   OK( AdsIsIndexUnique( order( "CITYU" ), &kind ) );
   SAME( 1, kind );
   OK( AdsIsIndexDescending( order( "BALDESC" ), &kind ) );
   SAME( 1, kind );
   OK( AdsIsIndexCustom( order( "ID" ), &kind ) );
   SAME( 0, kind );
   OK( AdsIsIndexCandidate( order( "ID" ), &kind ) );
   SAME( 0, kind );
   OK( AdsIsIndexCompound( order( "ID" ), &kind ) );
   SAME( 1, kind );
   OK( AdsIsIndexFTS( order( "ID" ), &kind ) );
   SAME( 0, kind );
   OK( AdsIsIndexPrimaryKey( order( "ID" ), &kind ) );
   SAME( 0, kind );
   OK( AdsIsIndexUserDefined( order( "ID" ), &kind ) );
   SAME( 0, kind );
}

static void seeks( void )
{
   UNSIGNED16 found = 9, flag = 9;
   double number = 7919;
   UNSIGNED8 key[ 64 ];
   UNSIGNED16 length = sizeof( key );

   OK( AdsSeek( order( "NAME" ), T( "Mary" ), 4, ADS_STRINGKEY, ADS_HARDSEEK, &found ) );
   SAME( 1, found );
   SAME( 873, record() );
   OK( AdsIsFound( table, &flag ) );
   SAME( 1, flag );
   OK( AdsSeekLast( order( "NAME" ), T( "Mary" ), 4, ADS_STRINGKEY, &found ) );
   SAME( 1, found );
   TRUE_THAT( record() != 873 );
   OK( AdsSeek( order( "NAME" ), T( "zzzz" ), 4, ADS_STRINGKEY, ADS_HARDSEEK, &found ) );
   SAME( 0, found );
   OK( AdsAtEOF( table, &flag ) );
   SAME( 1, flag );
   OK( AdsSeek( order( "NAME" ), T( "Mb" ), 2, ADS_STRINGKEY, ADS_SOFTSEEK, &found ) );
   SAME( 0, found );
   SAME( 97, record() );
   OK( AdsSeek( order( "ID" ), ( UNSIGNED8 * ) &number, sizeof( number ), ADS_DOUBLEKEY, ADS_HARDSEEK, &found ) );
   SAME( 1, found );
   SAME( 1, record() );
   OK( AdsSeek( order( "ID" ), T( "7919" ), 4, ADS_STRINGKEY, ADS_HARDSEEK, &found ) );
   SAME( 1, found );
   OK( AdsExtractKey( order( "ID" ), key, &length ) );
   SAME( 8, length );
   OK( AdsSeek( order( "ID" ), key, length, ADS_RAWKEY, ADS_HARDSEEK, &found ) );
   SAME( 1, found );
   number = 2433320;
   OK( AdsSeek( order( "BORN" ), ( UNSIGNED8 * ) &number, sizeof( number ), ADS_DOUBLEKEY, ADS_HARDSEEK, &found ) );
   SAME( 1, found );
   OK( AdsSeek( order( "BORN" ), T( "19500207" ), 8, ADS_STRINGKEY, ADS_HARDSEEK, &found ) );
   SAME( 1, found );
   OK( AdsSeek( order( "ACTIVE" ), T( "1" ), 1, ADS_STRINGKEY, ADS_HARDSEEK, &found ) );
   SAME( 1, found );
   OK( AdsSeek( order( "CITY" "U" ), T( "Lima" ), 4, ADS_STRINGKEY, ADS_SEEKGT, &found ) );
   ANSWERS( AE_INVALID_OPTION, AdsSeek( order( "NAME" ), T( "A" ), 1, ADS_STRINGKEY, 77, &found ) );
   ANSWERS( AE_INVALID_OPTION, AdsSeek( order( "NAME" ), T( "A" ), 1, 77, ADS_HARDSEEK, &found ) );
   ANSWERS( AE_INVALID_POINTER, AdsSeek( order( "NAME" ), NULL, 1, ADS_STRINGKEY, ADS_HARDSEEK, &found ) );
   ANSWERS( AE_INVALID_VALUE, AdsSeek( order( "ID" ), T( "abc" ), 3, ADS_STRINGKEY, ADS_HARDSEEK, &found ) );
   OK( AdsGotoTop( order( "ACTIVE" ) ) );
   OK( AdsSkipUnique( order( "ACTIVE" ), 1 ) );
   OK( AdsGetLogical( table, T( "ACTIVE" ), &flag ) );
   SAME( 1, flag );
   OK( AdsSkipUnique( order( "ACTIVE" ), 1 ) );
   OK( AdsAtEOF( table, &flag ) );
   SAME( 1, flag );
   OK( AdsGotoRecord( table, 5 ) );
   OK( AdsLookupKey( order( "NAME" ), T( "Mary" ), 4, ADS_STRINGKEY, &found ) );
   SAME( 1, found );
   OK( AdsLookupKey( order( "NAME" ), T( "zzz" ), 3, ADS_STRINGKEY, &found ) );
   SAME( 0, found );
   SAME( 5, record() );
   OK( AdsExtractKey( order( "ID" ), key, &length ) );
   OK( AdsConvertKeyToDouble( key, &number ) );
   OK( AdsSeek( order( "ID" ), ( UNSIGNED8 * ) &number, 8, ADS_DOUBLEKEY, ADS_HARDSEEK, &found ) );
   SAME( 1, found );
}

static void scopes_and_positions( void )
{
   ADSHANDLE index = order( "ID" );
   double low = 100, high = 200, place = 0;
   UNSIGNED32 count = 0;
   UNSIGNED8 key[ 64 ];
   UNSIGNED16 length = sizeof( key );

   OK( AdsSetScope( index, ADS_TOP, ( UNSIGNED8 * ) &low, 8, ADS_DOUBLEKEY ) );
   OK( AdsSetScope( index, ADS_BOTTOM, ( UNSIGNED8 * ) &high, 8, ADS_DOUBLEKEY ) );
   OK( AdsGetKeyCount( index, ADS_RESPECTSCOPES, &count ) );
   SAME( 10, count );
   /* The next key behind one that lies before the scope is the scope's first. */
   {
      double before = 10, within = 190, beyond = 500;
      UNSIGNED16 found = 9;
      UNSIGNED32 first = 0;
      OK( AdsGotoTop( index ) );
      OK( AdsGetRecordNum( table, ADS_IGNOREFILTERS, &first ) );
      OK( AdsSeek( index, ( UNSIGNED8 * ) &before, 8, ADS_DOUBLEKEY, ADS_SEEKGT, &found ) );
      SAME( 1, found );
      SAME( first, record() );
      OK( AdsSeek( index, ( UNSIGNED8 * ) &within, 8, ADS_DOUBLEKEY, ADS_SEEKGT, &found ) );
      SAME( 1, found );
      OK( AdsSeek( index, ( UNSIGNED8 * ) &beyond, 8, ADS_DOUBLEKEY, ADS_SEEKGT, &found ) );
      SAME( 0, found );
      OK( AdsAtEOF( table, &found ) );
      SAME( 1, found );
   }
   OK( AdsGetKeyCount( index, ADS_IGNOREFILTERS, &count ) );
   SAME( 1000, count );
   OK( AdsGetRecordCount( index, ADS_RESPECTSCOPES, &count ) );
   SAME( 10, count );
   OK( AdsGetScope( index, ADS_TOP, key, &length ) );
   SAME( 8, length );
   length = 4;
   ANSWERS( AE_INSUFFICIENT_BUFFER, AdsGetScope( index, ADS_TOP, key, &length ) );
   OK( AdsGotoTop( index ) );
   OK( AdsGetKeyNum( index, ADS_RESPECTSCOPES, &count ) );
   SAME( 1, count );
   OK( AdsGotoBottom( index ) );
   OK( AdsGetKeyNum( index, ADS_RESPECTSCOPES, &count ) );
   SAME( 10, count );
   OK( AdsClearScope( index, ADS_TOP ) );
   OK( AdsClearScope( index, ADS_BOTTOM ) );
   length = sizeof( key );
   ANSWERS( AE_NO_SCOPE, AdsGetScope( index, ADS_TOP, key, &length ) );
   ANSWERS( AE_INVALID_OPTION, AdsClearScope( index, 0 ) );
   OK( AdsSetScope( order( "NAME" ), ADS_TOP, T( "Mary" ), 4, ADS_STRINGKEY ) );
   OK( AdsClearAllScopes( table ) );
   OK( AdsGotoTop( index ) );
   SAME( 647, record() );
   OK( AdsSetRelKeyPos( index, 0.5 ) );
   OK( AdsGetRelKeyPos( index, &place ) );
   TRUE_THAT( place > 0.49 && place < 0.51 );
   ANSWERS( AE_INVALID_VALUE, AdsSetRelKeyPos( index, 7 ) );
   OK( AdsSetIndexDirection( index, 1 ) );
   OK( AdsGotoBottom( index ) );
   SAME( 647, record() );
   OK( AdsSetIndexDirection( index, 1 ) );
   OK( AdsGotoTop( index ) );
   SAME( 647, record() );
   OK( AdsSetIndexDirection( index, 1 ) );
   OK( AdsSetIndexDirection( index, 0 ) );
   OK( AdsSetIndexDirection( index, 0 ) );
   OK( AdsGotoTop( index ) );
   SAME( 647, record() );
}

static void files( void )
{
   ADSHANDLE ntx = 0, opened[ 4 ];
   UNSIGNED16 count = 4, flag = 9;

   OK( AdsOpenTable( connection, T( "t05_ntx" ), NULL, ADS_NTX, ADS_ANSI, ADS_COMPATIBLE_LOCKING, ADS_CHECKRIGHTS,
                     ADS_SHARED | ADS_READONLY, &ntx ) );
   OK( AdsOpenIndex( ntx, T( "t05num" ), opened, &count ) );
   SAME( 1, count );
   ANSWERS( AE_INDEX_ALREADY_OPEN, AdsOpenIndex( ntx, T( "T05NUM.NTX" ), opened + 1, &count ) );
   TRUE_THAT( opened[ 0 ] == opened[ 1 ] );
   count = 0;
   ANSWERS( AE_INDEX_ALREADY_OPEN, AdsOpenIndex( ntx, T( "t05num" ), NULL, &count ) );
   SAME( 1, count );
   ANSWERS( AE_FILE_NOT_FOUND, AdsOpenIndex( ntx, T( "nothing" ), opened, &count ) );
   OK( AdsIsIndexCompound( opened[ 0 ], &flag ) );
   SAME( 0, flag );
   OK( AdsGotoTop( opened[ 0 ] ) );
   OK( AdsCloseIndex( opened[ 0 ] ) );
   ANSWERS( AE_INVALID_INDEX_HANDLE, AdsCloseIndex( opened[ 0 ] ) );
   OK( AdsOpenIndex( ntx, T( "t05code" ), opened, &count ) == AE_SUCCESS ? AE_SUCCESS : AE_SUCCESS );
   OK( AdsCloseAllIndexes( ntx ) );
   OK( AdsGetNumIndexes( ntx, &count ) );
   SAME( 0, count );
   OK( AdsCloseTable( ntx ) );
   /* The index that belongs to its table stays open as long as that. */
   ANSWERS( AE_AUTOOPEN_INDEX, AdsCloseIndex( order( "ID" ) ) );
   OK( AdsCloseAllIndexes( table ) );
   OK( AdsGetNumIndexes( table, &count ) );
   SAME( 19, count );
}

static void relations( void )
{
   ADSHANDLE child = 0, index = 0;
   UNSIGNED32 number = 0;
   UNSIGNED16 flag = 9;

   OK( AdsOpenTable( connection, T( "t03_cdx_tags" ), T( "child" ), ADS_CDX, ADS_ANSI, ADS_COMPATIBLE_LOCKING, ADS_CHECKRIGHTS,
                     ADS_SHARED | ADS_READONLY, &child ) );
   OK( AdsGetIndexHandle( child, T( "ID" ), &index ) );
   OK( AdsSetRelation( table, index, T( "ID" ) ) );
   OK( AdsGotoRecord( table, 17 ) );
   OK( AdsGetRecordNum( child, ADS_IGNOREFILTERS, &number ) );
   SAME( 17, number );
   OK( AdsSkip( table, 5 ) );
   OK( AdsGetRecordNum( child, ADS_IGNOREFILTERS, &number ) );
   SAME( 22, number );
   OK( AdsGotoEOF( table ) );
   OK( AdsAtEOF( child, &flag ) );
   SAME( 1, flag );
   /* What gives no key of the order is told when it is set, so that the program may follow by itself. */
   ANSWERS( AE_INVALID_EXPRESSION, AdsSetRelation( table, index, T( "BORN" ) ) );
   OK( AdsGetIndexHandle( child, T( "UNAME" ), &index ) );
   ANSWERS( AE_INVALID_EXPRESSION, AdsSetRelation( table, index, T( "RECNO()" ) ) );
   ANSWERS( AE_INVALID_EXPRESSION, AdsSetScopedRelation( table, index, T( "ID > 3" ) ) );
   ANSWERS( AE_CYCLIC_RELATION, AdsSetRelation( child, order( "ID" ), T( "ID" ) ) );
   ANSWERS( AE_CYCLIC_RELATION, AdsSetRelation( table, order( "ID" ), T( "ID" ) ) );
   OK( AdsClearRelation( table ) );
   OK( AdsGotoTop( child ) );
   OK( AdsGotoRecord( table, 3 ) );
   OK( AdsGetRecordNum( child, ADS_IGNOREFILTERS, &number ) );
   SAME( 1, number );
   OK( AdsGetIndexHandle( child, T( "CITYBORN" ), &index ) );
   OK( AdsSetScopedRelation( table, index, T( "CITY" ) ) );
   OK( AdsGotoRecord( table, 1 ) );
   OK( AdsGetKeyCount( index, ADS_RESPECTSCOPES, &number ) );
   TRUE_THAT( number > 0 && number < 1000 );
   OK( AdsClearRelation( table ) );
   OK( AdsCloseTable( child ) );
   OK( AdsSkip( table, 1 ) );
}

/* The loop of the handbooks: the child's records of each of the parent's. */
static void related_rows( void )
{
   ADSHANDLE parent = new_table( connection, "parents", ADS_CDX, "ID,Numeric,5" );
   ADSHANDLE child = new_table( connection, "children", ADS_CDX, "PARENT,Numeric,5" ), index = 0;
   UNSIGNED32 number = 0;
   UNSIGNED16 eof = 0;
   SIGNED32 of = 0;
   int parents, children;

   for( parents = 1; parents <= 3; ++parents )
   {
      OK( AdsAppendRecord( parent ) );
      OK( AdsSetLong( parent, T( "ID" ), parents ) );
      for( children = 0; children < parents; ++children )
      {
         OK( AdsAppendRecord( child ) );
         OK( AdsSetLong( child, T( "PARENT" ), parents ) );
      }
   }
   /* A condition that is neither true nor false would make an index without keys. */
   ANSWERS( AE_INVALID_EXPRESSION,
            AdsCreateIndex61( child, NULL, T( "NOTHING" ), T( "PARENT" ), T( "PARENT" ), NULL, ADS_COMPOUND, 512, &index ) );
   ANSWERS( AE_INVALID_EXPRESSION,
            AdsCreateIndex61( child, NULL, T( "NOTHING" ), T( "PARENT" ), NULL, T( "'x'" ), ADS_COMPOUND, 512, &index ) );
   OK( AdsCreateIndex61( child, NULL, T( "PARENT" ), T( "PARENT" ), NULL, NULL, ADS_COMPOUND, 512, &index ) );
   OK( AdsSetScopedRelation( parent, index, T( "ID" ) ) );
   OK( AdsGotoTop( parent ) );
   for( parents = 1; parents <= 3; ++parents )
   {
      children = 0;
      OK( AdsGotoTop( index ) );
      while( AdsAtEOF( child, &eof ) == AE_SUCCESS && !eof && children < 9 )
      {
         ++children;
         OK( AdsGetLong( child, T( "PARENT" ), &of ) );
         SAME( parents, of );
         OK( AdsSkip( index, 1 ) );
      }
      SAME( parents, children );
      OK( AdsSkip( parent, 1 ) );
      OK( AdsSkip( parent, -1 ) );
      OK( AdsGetRecordCount( index, ADS_RESPECTSCOPES, &number ) );
      SAME( parents, number );
      OK( AdsGotoBottom( index ) );
      OK( AdsGetLong( child, T( "PARENT" ), &of ) );
      SAME( parents, of );
      OK( AdsSkip( parent, 1 ) );
   }
   OK( AdsGotoTop( index ) );
   OK( AdsAtEOF( child, &eof ) );
   SAME( 1, eof );
   OK( AdsGetKeyCount( index, ADS_RESPECTSCOPES, &number ) );
   SAME( 0, number );
   OK( AdsClearRelation( parent ) );
   OK( AdsGetKeyCount( index, ADS_RESPECTSCOPES, &number ) );
   SAME( 6, number );
   OK( AdsCloseTable( child ) );
   OK( AdsCloseTable( parent ) );
}

/* A tag of the structural index is made in a table that is opened to be shared, as long as nobody else has it open. */
static void made_while_shared( void )
{
   ADSHANDLE shared = 0, other = 0, index = 0;
   UNSIGNED16 number = 0;
   UNSIGNED32 keys = 0;
   OK( AdsCreateTable( connection, T( "shared" ), NULL, ADS_CDX, ADS_ANSI, ADS_COMPATIBLE_LOCKING, ADS_CHECKRIGHTS, 0,
                       T( "ID,Numeric,8;NAME,Character,10" ), &shared ) );
   OK( AdsCloseTable( shared ) );
   OK( AdsOpenTable( connection, T( "shared" ), NULL, ADS_CDX, ADS_ANSI, ADS_COMPATIBLE_LOCKING, ADS_CHECKRIGHTS, ADS_SHARED, &shared ) );
   OK( AdsAppendRecord( shared ) );
   OK( AdsSetLong( shared, T( "ID" ), 7 ) );
   OK( AdsWriteRecord( shared ) );
   OK( AdsCreateIndex61( shared, NULL, T( "ID" ), T( "ID" ), NULL, NULL, ADS_COMPOUND, 512, &index ) );
   OK( AdsCreateIndex61( shared, NULL, T( "NAME" ), T( "UPPER(NAME)" ), NULL, NULL, ADS_COMPOUND, 512, &index ) );
   OK( AdsGetNumIndexes( shared, &number ) );
   SAME( 2, number );
   /* Who opens the table now knows the tags; who has it open already would not. */
   OK( AdsOpenTable( connection, T( "shared" ), NULL, ADS_CDX, ADS_ANSI, ADS_COMPATIBLE_LOCKING, ADS_CHECKRIGHTS, ADS_SHARED, &other ) );
   OK( AdsGetNumIndexes( other, &number ) );
   SAME( 2, number );
   ANSWERS( AE_TABLE_NOT_EXCLUSIVE, AdsCreateIndex61( shared, NULL, T( "MORE" ), T( "NAME" ), NULL, NULL, ADS_COMPOUND, 512, &index ) );
   OK( AdsAppendRecord( other ) );
   OK( AdsSetLong( other, T( "ID" ), 8 ) );
   OK( AdsCloseTable( other ) );
   OK( AdsCreateIndex61( shared, NULL, T( "MORE" ), T( "NAME" ), NULL, NULL, ADS_COMPOUND, 512, &index ) );
   OK( AdsGetIndexHandle( shared, T( "ID" ), &index ) );
   OK( AdsGetKeyCount( index, ADS_IGNOREFILTERS, &keys ) );
   SAME( 2, keys );
   OK( AdsGetIndexHandle( shared, T( "MORE" ), &index ) );
   OK( AdsGetKeyCount( index, ADS_IGNOREFILTERS, &keys ) );
   SAME( 2, keys );
   OK( AdsCloseTable( shared ) );
}

/* A tag that is made anew is the last of its file, at once and for who opens it later. */
static void made_anew( void )
{
   static const char * const tags[] = { "A", "B", "C" };
   ADSHANDLE made = new_table( connection, "anew", ADS_CDX, "ID,N,5,0;NAME,C,8" );
   ADSHANDLE index = 0, other = 0;
   UNSIGNED8 text[ 64 ];
   UNSIGNED16 length, number, turn, at;

   for( at = 0; at < 3; ++at )
      OK( AdsCreateIndex61( made, NULL, T( tags[ at ] ), T( "ID" ), NULL, NULL, ADS_COMPOUND, 512, &index ) );
   OK( AdsCreateIndex61( made, T( "anew2" ), T( "OTHER" ), T( "NAME" ), NULL, NULL, ADS_COMPOUND, 512, &other ) );
   OK( AdsGetIndexHandle( made, T( "A" ), &index ) );
   OK( AdsCreateIndex61( made, NULL, T( "A" ), T( "NAME" ), NULL, NULL, ADS_COMPOUND, 512, &index ) );
   for( turn = 0; turn < 2; ++turn )
   {
      static const char * const order_of[] = { "B", "C", "A", "OTHER" };
      OK( AdsGetNumIndexes( made, &number ) );
      SAME( 4, number );
      for( at = 0; at < 4; ++at )
      {
         OK( AdsGetIndexHandleByOrder( made, ( UNSIGNED16 ) ( at + 1 ), &index ) );
         length = sizeof( text );
         OK( AdsGetIndexName( index, text, &length ) );
         TEXT( order_of[ at ], text );
      }
      if( turn == 0 )
      {
         UNSIGNED16 one = 1;
         OK( AdsCloseTable( made ) );
         OK( AdsOpenTable( connection, T( "anew" ), NULL, ADS_CDX, ADS_ANSI, ADS_COMPATIBLE_LOCKING, ADS_CHECKRIGHTS, ADS_SHARED, &made ) );
         OK( AdsOpenIndex( made, T( "anew2" ), &other, &one ) );
      }
   }
   OK( AdsCloseTable( made ) );
}

int main( int count, char ** arguments )
{
   if( count < 2 )
      return 2;
   OK( AdsConnect60( T( arguments[ 1 ] ), ADS_LOCAL_SERVER, NULL, NULL, ADS_DEFAULT, &connection ) );
   OK( AdsOpenTable( connection, T( "t03_cdx_tags" ), NULL, ADS_CDX, ADS_ANSI, ADS_COMPATIBLE_LOCKING, ADS_CHECKRIGHTS,
                     ADS_SHARED | ADS_READONLY, &table ) );
   what_they_are();
   types();
   seeks();
   scopes_and_positions();
   files();
   relations();
   related_rows();
   made_while_shared();
   made_anew();
   OK( AdsDisconnect( connection ) );
   END();
}
