/* A work area as Harbour's rddads makes one of these calls: every field by its number, the flags asked for after each move,
   record locks by hand, filters that are computed at the program's side, and a skip from behind the end by way of the last
   record. What a program of the xBase family does with it, over a folder or a server. */
#include "check.h"

typedef struct
{
   ADSHANDLE table;
   ADSHANDLE order;        /* 0: the table's own */
   int bof, eof, found, is_positioned;
   UNSIGNED32 record;
} AREA;

static ADSHANDLE connection;

static ADSHANDLE mover( const AREA * area )
{
   return area->order ? area->order : area->table;
}

/* What rddads asks after every move. */
static void look( AREA * area )
{
   UNSIGNED16 bof = 9, eof = 9, found = 9;
   OK( AdsAtBOF( area->table, &bof ) );
   OK( AdsAtEOF( area->table, &eof ) );
   OK( AdsIsFound( area->table, &found ) );
   area->bof = bof;
   area->eof = eof;
   area->found = found;
   area->is_positioned = ! bof && ! eof;
   if( area->is_positioned )
      OK( AdsGetRecordNum( area->table, ADS_IGNOREFILTERS, &area->record ) );
   else
   {
      OK( AdsGetRecordCount( area->table, ADS_IGNOREFILTERS, &area->record ) );
      ++area->record;
   }
}

static void use( AREA * area, const char * name, UNSIGNED32 options )
{
   memset( area, 0, sizeof( *area ) );
   OK( AdsOpenTable( connection, T( name ), T( name ), ADS_CDX, ADS_ANSI, ADS_COMPATIBLE_LOCKING, ADS_CHECKRIGHTS,
                     options, &area->table ) );
   look( area );
}

static void leave( AREA * area )
{
   OK( AdsCloseTable( area->table ) );
   area->table = area->order = 0;
}

static void set_order( AREA * area, const char * tag )
{
   area->order = 0;
   if( tag )
      OK( AdsGetIndexHandle( area->table, T( tag ), &area->order ) );
}

static void go_top( AREA * area )
{
   OK( AdsGotoTop( mover( area ) ) );
   look( area );
}

static void go_bottom( AREA * area )
{
   OK( AdsGotoBottom( mover( area ) ) );
   look( area );
}

static void go_to( AREA * area, UNSIGNED32 record )
{
   UNSIGNED32 before = 0;
   AdsGetRecordNum( area->table, ADS_IGNOREFILTERS, &before );
   OK( AdsGotoRecord( area->table, record ) );
   look( area );
   if( area->is_positioned && record == before )
      OK( AdsRefreshRecord( area->table ) );
}

static void skip( AREA * area, SIGNED32 by )
{
   if( ! area->is_positioned && by < 0 )
   {
      go_bottom( area );
      ++by;
   }
   if( by && area->is_positioned )
   {
      OK( AdsSkip( mover( area ), by ) );
      look( area );
   }
}

static int seek( AREA * area, const char * key, int is_soft, int is_last )
{
   UNSIGNED16 found = 0;
   UNSIGNED16 length = ( UNSIGNED16 ) strlen( key );
   if( is_last )
      OK( AdsSeekLast( area->order, T( key ), length, ADS_STRINGKEY, &found ) );
   else
      OK( AdsSeek( area->order, T( key ), length, ADS_STRINGKEY, is_soft ? ADS_SOFTSEEK : ADS_HARDSEEK, &found ) );
   look( area );
   SAME( found, area->found );
   return found;
}

static int seek_number( AREA * area, double key )
{
   UNSIGNED16 found = 0;
   OK( AdsSeek( area->order, ( UNSIGNED8 * ) &key, sizeof( key ), ADS_DOUBLEKEY, ADS_HARDSEEK, &found ) );
   look( area );
   return found;
}

static const char * text_of( const AREA * area, int field )
{
   static UNSIGNED8 text[ 64 ];
   UNSIGNED32 length = sizeof( text );
   OK( AdsGetField( area->table, ADSFIELD( field ), text, &length, ADS_NONE ) );
   while( length > 0 && text[ length - 1 ] == ' ' )
      text[ --length ] = 0;
   return ( const char * ) text;
}

static double number_of( const AREA * area, int field )
{
   double value = -1;
   OK( AdsGetDouble( area->table, ADSFIELD( field ), &value ) );
   return value;
}

/* A new record, which rddads locks again by its number. */
static void append( AREA * area )
{
   OK( AdsAppendRecord( area->table ) );
   OK( AdsGetRecordNum( area->table, ADS_IGNOREFILTERS, &area->record ) );
   OK( AdsLockRecord( area->table, area->record ) );
   area->bof = area->eof = area->found = 0;
   area->is_positioned = 1;
}

static void put_text( const AREA * area, int field, const char * text )
{
   OK( AdsSetString( area->table, ADSFIELD( field ), T( text ), ( UNSIGNED32 ) strlen( text ) ) );
}

static UNSIGNED32 count_in_order( const AREA * area, UNSIGNED16 option )
{
   UNSIGNED32 count = 0;
   OK( AdsGetKeyCount( area->order, option, &count ) );
   return count;
}

static void make( void )
{
   static const char * const customers[] = { "K1", "Oslo", "K2", "Bergen", "K3", "Oslo", "K4", "Bodo" };
   AREA area;
   ADSHANDLE index = 0;
   int number;
   area.table = new_table( connection, "customer", ADS_CDX, "CODE,C,4;CITY,C,10;SINCE,D,8;ACTIVE,L,1;NOTE,M,10;" );
   OK( AdsCreateIndex61( area.table, T( "customer" ), T( "CODE" ), T( "CODE" ), NULL, NULL, ADS_COMPOUND, ADS_DEFAULT, &index ) );
   OK( AdsCreateIndex61( area.table, T( "customer" ), T( "CITY" ), T( "UPPER(CITY)+CODE" ), NULL, NULL, ADS_COMPOUND, ADS_DEFAULT, &index ) );
   OK( AdsCreateIndex61( area.table, T( "customer" ), T( "LIVE" ), T( "CODE" ), T( "ACTIVE" ), NULL, ADS_COMPOUND | ADS_DESCENDING, ADS_DEFAULT, &index ) );
   for( number = 0; number < 4; ++number )
   {
      OK( AdsAppendRecord( area.table ) );
      put_text( &area, 1, customers[ 2 * number ] );
      put_text( &area, 2, customers[ 2 * number + 1 ] );
      OK( AdsSetJulian( area.table, ADSFIELD( 3 ), 2451545 + number ) );
      OK( AdsSetLogical( area.table, ADSFIELD( 4 ), ( UNSIGNED16 ) ( number != 1 ) ) );
      put_text( &area, 5, number ? "a note" : "" );
   }
   OK( AdsCloseTable( area.table ) );
   area.table = new_table( connection, "invoice", ADS_CDX, "NUMBER," WHOLE( 6 ) ";CODE,C,4;TOTAL,N,9,2;" );
   OK( AdsCreateIndex61( area.table, T( "invoice" ), T( "NUMBER" ), T( "NUMBER" ), NULL, NULL, ADS_COMPOUND, ADS_DEFAULT, &index ) );
   OK( AdsCreateIndex61( area.table, T( "invoice" ), T( "CODE" ), T( "CODE" ), NULL, NULL, ADS_COMPOUND, ADS_DEFAULT, &index ) );
   for( number = 1; number <= 40; ++number )
   {
      char code[ 5 ];
      snprintf( code, sizeof( code ), "K%d", 1 + number * 7 % 5 );
      OK( AdsAppendRecord( area.table ) );
      OK( AdsSetDouble( area.table, ADSFIELD( 1 ), 1000 + number * 37 % 41 ) );
      put_text( &area, 2, code );
      OK( AdsSetDouble( area.table, ADSFIELD( 3 ), number * 1.25 ) );
   }
   OK( AdsCloseTable( area.table ) );
}

static void fields_by_number( void )
{
   AREA area;
   UNSIGNED16 count = 0, kind = 0, flag = 9;
   UNSIGNED32 length = 0;
   SIGNED32 day = 0;
   use( &area, "customer", ADS_SHARED );
   OK( AdsGetNumFields( area.table, &count ) );
   SAME( 5, count );
   OK( AdsGetFieldType( area.table, ADSFIELD( 3 ), &kind ) );
   SAME( ADS_DATE, kind );
   OK( AdsGetFieldLength( area.table, ADSFIELD( 2 ), &length ) );
   SAME( 10, length );
   SAME( 1, area.record );
   TEXT( "K1", text_of( &area, 1 ) );
   OK( AdsGetJulian( area.table, ADSFIELD( 3 ), &day ) );
   SAME( 2451545, day );
   OK( AdsGetLogical( area.table, ADSFIELD( 4 ), &flag ) );
   SAME( 1, flag );
   OK( AdsIsEmpty( area.table, ADSFIELD( 5 ), &flag ) );
   SAME( 1, flag );
   skip( &area, 1 );
   OK( AdsGetMemoDataType( area.table, ADSFIELD( 5 ), &kind ) );
   SAME( ADS_MEMO, kind );
   OK( AdsGetMemoLength( area.table, ADSFIELD( 5 ), &length ) );
   SAME( 6, length );
   TEXT( "a note", text_of( &area, 5 ) );
   leave( &area );
}

static void orders( void )
{
   AREA area;
   UNSIGNED16 count = 0, flag = 9, length;
   UNSIGNED8 text[ 64 ];
   UNSIGNED32 number = 0;
   double place = 0;
   use( &area, "customer", ADS_SHARED );
   OK( AdsGetNumIndexes( area.table, &count ) );
   SAME( 3, count );
   set_order( &area, "CITY" );
   length = sizeof( text );
   OK( AdsGetIndexExpr( area.order, text, &length ) );
#ifdef OVER_ADT
   TEXT( "UPPER(CITY);CODE", text );
#else
   TEXT( "UPPER(CITY)+CODE", text );
#endif
   go_top( &area );
   TEXT( "K2", text_of( &area, 1 ) );
   skip( &area, 1 );
   TEXT( "K4", text_of( &area, 1 ) );
   OK( AdsGetKeyNum( area.order, ADS_RESPECTFILTERS, &number ) );
   SAME( 2, number );
   skip( &area, 5 );
   TRUE_THAT( area.eof && area.record == 5 );
   skip( &area, -1 );
   TEXT( "K3", text_of( &area, 1 ) );
   skip( &area, -9 );
   TRUE_THAT( area.bof );
   TRUE_THAT( seek( &area, "OSLO", 0, 0 ) );
   TEXT( "K1", text_of( &area, 1 ) );
   TRUE_THAT( seek( &area, "OSLO", 0, 1 ) );
   TEXT( "K3", text_of( &area, 1 ) );
   TRUE_THAT( ! seek( &area, "HAMAR", 0, 0 ) && area.eof );
   TRUE_THAT( ! seek( &area, "HAMAR", 1, 0 ) && area.is_positioned );
   TEXT( "Oslo", text_of( &area, 2 ) );
   OK( AdsGetRelKeyPos( area.order, &place ) );
   TRUE_THAT( place > 0.3 && place < 0.9 );
   /* A scope is the keys between two others. */
   OK( AdsSetScope( area.order, ADS_TOP, T( "BO" ), 2, ADS_STRINGKEY ) );
   OK( AdsSetScope( area.order, ADS_BOTTOM, T( "OSLO      K1" ), 12, ADS_STRINGKEY ) );
   go_top( &area );
   TEXT( "K4", text_of( &area, 1 ) );
   SAME( 2, count_in_order( &area, ADS_RESPECTSCOPES ) );
   skip( &area, 1 );
   TEXT( "K1", text_of( &area, 1 ) );
   skip( &area, 1 );
   TRUE_THAT( area.eof );
   OK( AdsClearScope( area.order, ADS_TOP ) );
   OK( AdsClearScope( area.order, ADS_BOTTOM ) );
   SAME( 4, count_in_order( &area, ADS_RESPECTSCOPES ) );
   /* An order of some records, from its end. */
   set_order( &area, "LIVE" );
   OK( AdsIsIndexDescending( area.order, &flag ) );
   SAME( 1, flag );
   go_top( &area );
   TEXT( "K4", text_of( &area, 1 ) );
   skip( &area, 2 );
   TEXT( "K1", text_of( &area, 1 ) );
   SAME( 3, count_in_order( &area, ADS_RESPECTFILTERS ) );
   leave( &area );
}

/* rddads skips one by one where the condition is a block of the program's. */
static int shown_by_program( AREA * area )
{
   int seen = 0;
   go_top( area );
   while( ! area->eof )
   {
      if( number_of( area, 3 ) > 25 )
         ++seen;
      skip( area, 1 );
   }
   return seen;
}

static void filters( void )
{
   AREA area;
   UNSIGNED16 valid = 9, level = 0, length = 0;
   UNSIGNED32 count = 0;
   int seen = 0;
   use( &area, "invoice", ADS_SHARED );
   set_order( &area, "NUMBER" );
   SAME( 20, shown_by_program( &area ) );
   OK( AdsIsExprValid( area.table, T( "TOTAL>25.AND.CODE='K2'" ), &valid ) );
   SAME( 1, valid );
   OK( AdsIsExprValid( area.table, T( "TOTAL>25.AND.MyFunction(CODE)" ), &valid ) );
   SAME( 0, valid );
   OK( AdsSetAOF( area.table, T( "TOTAL>25.AND.CODE='K2'" ), ADS_RESOLVE_DYNAMIC | ADS_DYNAMIC_AOF ) );
   OK( AdsGetAOFOptLevel( area.table, &level, NULL, &length ) );
   SAME( ADS_OPTIMIZED_PART, level );
   for( go_top( &area ); ! area.eof; skip( &area, 1 ) )
   {
      TRUE_THAT( number_of( &area, 3 ) > 25 && strcmp( text_of( &area, 2 ), "K2" ) == 0 );
      ++seen;
   }
   SAME( 4, seen );
   OK( AdsGetRecordCount( area.table, ADS_RESPECTFILTERS, &count ) );
   SAME( 4, count );
   OK( AdsClearAOF( area.table ) );
   OK( AdsSetFilter( area.table, T( "CODE='K3'" ) ) );
   SAME( 8, count_in_order( &area, ADS_RESPECTFILTERS ) );
   OK( AdsClearFilter( area.table ) );
   leave( &area );
}

/* The child is at the first invoice of the customer whenever it is looked at. */
static void related( void )
{
   AREA parent, child;
   int each, invoices = 0;
   use( &parent, "customer", ADS_SHARED );
   use( &child, "invoice", ADS_SHARED );
   set_order( &parent, "CODE" );
   set_order( &child, "CODE" );
   OK( AdsSetRelation( parent.table, child.order, T( "CODE" ) ) );
   for( go_top( &parent ), each = 0; ! parent.eof; skip( &parent, 1 ), ++each )
   {
      char code[ 3 ] = "K1";
      code[ 1 ] = ( char ) ( '1' + each );
      TEXT( code, text_of( &parent, 1 ) );
      look( &child );
      TRUE_THAT( child.found );
      for( ; ! child.eof && strcmp( text_of( &child, 2 ), code ) == 0; skip( &child, 1 ) )
         ++invoices;
      /* The walk of the child is the child's own. */
      TEXT( code, text_of( &parent, 1 ) );
   }
   SAME( 4, each );
   look( &child );
   TRUE_THAT( child.eof && ! child.found );
   SAME( 32, invoices );
   OK( AdsClearRelation( parent.table ) );
   leave( &child );
   leave( &parent );
}

static void changes_under_locks( void )
{
   AREA area, other;
   UNSIGNED16 locked = 9, deleted = 9, count = 0;
   UNSIGNED32 records[ 4 ], before = 0;
   use( &area, "invoice", ADS_SHARED );
   use( &other, "invoice", ADS_SHARED );
   set_order( &area, "NUMBER" );
   set_order( &other, "NUMBER" );
   OK( AdsGetRecordCount( area.table, ADS_IGNOREFILTERS, &before ) );
   append( &area );
   SAME( before + 1, area.record );
   OK( AdsSetDouble( area.table, ADSFIELD( 1 ), 9999 ) );
   put_text( &area, 2, "K1" );
   OK( AdsIsRecordLocked( area.table, area.record, &locked ) );
   SAME( 1, locked );
   ANSWERS( AE_LOCK_FAILED, AdsLockRecord( other.table, area.record ) );
   ANSWERS( AE_LOCK_FAILED, AdsLockTable( other.table ) );
   OK( AdsWriteRecord( area.table ) );
   OK( AdsUnlockRecord( area.table, area.record ) );
   TRUE_THAT( seek_number( &other, 9999 ) && other.record == area.record );
   OK( AdsLockRecord( other.table, other.record ) );
   count = 4;
   OK( AdsGetAllLocks( other.table, records, &count ) );
   SAME( 1, count );
   SAME( other.record, records[ 0 ] );
   OK( AdsSetDouble( other.table, ADSFIELD( 1 ), 9998 ) );
   OK( AdsSetDouble( other.table, ADSFIELD( 3 ), 12.5 ) );
   OK( AdsWriteRecord( other.table ) );
   OK( AdsUnlockTable( other.table ) );
   TRUE_THAT( ! seek_number( &area, 9999 ) && area.eof );
   TRUE_THAT( seek_number( &area, 9998 ) );
   SAME( 12.5, number_of( &area, 3 ) );
   /* DELETE and RECALL, with SET DELETED ON between. */
   OK( AdsLockRecord( area.table, area.record ) );
   OK( AdsDeleteRecord( area.table ) );
   OK( AdsUnlockRecord( area.table, area.record ) );
   OK( AdsShowDeleted( 0 ) );
   TRUE_THAT( ! seek_number( &other, 9998 ) );
   OK( AdsShowDeleted( 1 ) );
#ifndef OVER_ADT
   /* Deleted records of an ADT are never shown. */
   TRUE_THAT( seek_number( &other, 9998 ) );
   OK( AdsIsRecordDeleted( other.table, &deleted ) );
   SAME( 1, deleted );
#else
   TRUE_THAT( ! seek_number( &other, 9998 ) );
   SAME( 9, deleted );
#endif
   /* FLOCK(), and everything that one of many changes under it. */
   OK( AdsLockTable( other.table ) );
   OK( AdsIsTableLocked( other.table, &locked ) );
   SAME( 1, locked );
   ANSWERS( AE_LOCK_FAILED, AdsLockRecord( area.table, 1 ) );
   for( go_top( &other ); ! other.eof; skip( &other, 1 ) )
      OK( AdsSetDouble( other.table, ADSFIELD( 3 ), number_of( &other, 3 ) + 1 ) );
   OK( AdsWriteRecord( other.table ) );
   OK( AdsUnlockTable( other.table ) );
   go_to( &area, 1 );
   SAME( 2.25, number_of( &area, 3 ) );
   go_to( &area, 40 );
   SAME( 51, number_of( &area, 3 ) );
   leave( &other );
   leave( &area );
   /* PACK needs the table alone. */
   use( &area, "invoice", ADS_SHARED );
   TRUE_THAT( AdsPackTable( area.table ) != AE_SUCCESS );
   leave( &area );
   use( &area, "invoice", ADS_EXCLUSIVE );
   OK( AdsPackTable( area.table ) );
   OK( AdsGetRecordCount( area.table, ADS_IGNOREFILTERS, &before ) );
   SAME( 40, before );
   set_order( &area, "NUMBER" );
   TRUE_THAT( ! seek_number( &area, 9998 ) );
   SAME( 40, count_in_order( &area, ADS_IGNOREFILTERS ) );
   leave( &area );
}

int main( int count, char ** arguments )
{
   if( count < 2 )
      return 2;
   OK( AdsConnect60( T( arguments[ 1 ] ), ADS_LOCAL_SERVER | ADS_REMOTE_SERVER, NULL, NULL, ADS_DEFAULT, &connection ) );
   make();
   fields_by_number();
   orders();
   filters();
   related();
   changes_under_locks();
   OK( AdsDisconnect( connection ) );
   END();
}
