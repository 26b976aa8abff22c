/* What every test program needs: checks that name their line, and the folder of tables that it may change. */
#ifndef CHECK_H
#define CHECK_H

#include "ace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int failures = 0;

/* With OVER_ADT the tables that a program makes are ADT tables. Their indexes are of whole numbers that are not digits. */
#ifdef OVER_ADT
#undef ADS_CDX
#define ADS_CDX ADS_ADT
#define WHOLE( digits ) "Integer"
#define ENDING "adt"
#else
#define WHOLE( digits ) "Numeric," #digits ",0"
#define ENDING "dbf"
#endif

/* A call answers this code. */
#define ANSWERS( expected, call ) \
   do { UNSIGNED32 got = ( call ); \
        if( got != ( UNSIGNED32 ) ( expected ) ) { \
           UNSIGNED8 text[ 601 ] = ""; UNSIGNED16 length = 600; UNSIGNED32 code; \
           AdsGetLastError( &code, text, &length ); ++failures; \
           fprintf( stderr, "%s:%d: %s answers %u, not %u (%s)\n", __FILE__, __LINE__, #call, \
                    ( unsigned ) got, ( unsigned ) ( expected ), text ); } } while( 0 )

/* A call succeeds. */
#define OK( call ) ANSWERS( AE_SUCCESS, call )

/* A condition is true. */
#define TRUE_THAT( condition ) \
   do { if( !( condition ) ) { ++failures; fprintf( stderr, "%s:%d: %s is not so\n", __FILE__, __LINE__, #condition ); } } while( 0 )

/* Two numbers are the same. */
#define SAME( expected, found ) \
   do { double wanted_ = ( double ) ( expected ), found_ = ( double ) ( found ); \
        if( wanted_ != found_ ) { ++failures; fprintf( stderr, "%s:%d: %s is %g, not %g\n", __FILE__, __LINE__, #found, found_, wanted_ ); } } while( 0 )

/* Two texts are the same. */
#define TEXT( expected, found ) \
   do { if( strcmp( ( expected ), ( const char * ) ( found ) ) != 0 ) { ++failures; \
        fprintf( stderr, "%s:%d: %s is \"%s\", not \"%s\"\n", __FILE__, __LINE__, #found, ( const char * ) ( found ), ( expected ) ); } } while( 0 )

/* Whether the tables are those of a server: a program is given its address then, and where the server has them. For main. */
#define IS_FAR ( strncmp( arguments[ 1 ], "tcp:", 4 ) == 0 || strncmp( arguments[ 1 ], "tls:", 4 ) == 0 )

/* Waits until something is so, if the tables are those of a server: it hears of the end of a process a moment later. */
#define UNTIL( folder, condition ) \
   do { int tries_ = strncmp( ( folder ), "tcp:", 4 ) == 0 ? 100 : 0; \
        while( tries_-- > 0 && ! ( condition ) ) usleep( 50000 ); } while( 0 )

/* The folder of the tables, for what is done with files past the library. For main. */
#define HERE ( arguments[ IS_FAR ? 2 : 1 ] )

/* A text as the interface takes it. */
#define T( text ) ( ( UNSIGNED8 * ) ( text ) )

/* A new table. */
static ADSHANDLE new_table( ADSHANDLE connection, const char * name, UNSIGNED16 type, const char * fields )
{
   ADSHANDLE table = 0;
   OK( AdsCreateTable( connection, T( name ), NULL, type, ADS_ANSI, ADS_COMPATIBLE_LOCKING, ADS_CHECKRIGHTS, 64, T( fields ), &table ) );
   return table;
}

/* The end of a program. */
#define END() return failures == 0 ? 0 : 1

#endif
