/* Data dictionaries: objects and their properties, users and what they may do. */
#include "check.h"

static UNSIGNED8 text[ 1024 ];
static UNSIGNED16 length;

/* A property that is a text. */
#define PROPERTY( expected, call ) \
   do { length = sizeof( text ); memset( text, 0, sizeof( text ) ); OK( call ); TEXT( expected, text ); \
        SAME( strlen( expected ) + 1, length ); } while( 0 )

/* A text with its NUL, as properties are set. */
#define WITH_LENGTH( value ) ( void * ) ( value ), ( UNSIGNED16 ) ( strlen( value ) + 1 )

static ADSHANDLE dictionary;
static char path[ 512 ];

static void database( const char * folder )
{
   UNSIGNED16 number = 9, on = 1, kind = 0;
   ADSHANDLE second = 0;

   snprintf( path, sizeof( path ), "%s/shop.add", folder );
   ANSWERS( AE_NO_DRIVE_CONNECTION, AdsDDCreate( T( "/no/such/folder/shop.add" ), 0, NULL, &dictionary ) );
   OK( AdsDDCreate( T( path ), 0, T( "The shop" ), &dictionary ) );
   ANSWERS( AE_DICTIONARY_ALREADY_EXISTS, AdsDDCreate( T( path ), 0, NULL, &second ) );
   OK( AdsGetHandleType( dictionary, &kind ) );
   SAME( ADS_DATABASE_CONNECTION, kind );

   PROPERTY( "The shop", AdsDDGetDatabaseProperty( dictionary, ADS_DD_COMMENT, text, &length ) );
   length = 4;
   ANSWERS( AE_INSUFFICIENT_BUFFER, AdsDDGetDatabaseProperty( dictionary, ADS_DD_COMMENT, text, &length ) );
   SAME( 9, length );
   OK( AdsDDSetDatabaseProperty( dictionary, ADS_DD_COMMENT, WITH_LENGTH( "Our shop" ) ) );
   PROPERTY( "Our shop", AdsDDGetDatabaseProperty( dictionary, ADS_DD_COMMENT, text, &length ) );
   length = 2;
   OK( AdsDDGetDatabaseProperty( dictionary, ADS_DD_LOG_IN_REQUIRED, &number, &length ) );
   SAME( 0, number );
   OK( AdsDDSetDatabaseProperty( dictionary, ADS_DD_VERSION_MAJOR, &on, 2 ) );
   OK( AdsDDGetDatabaseProperty( dictionary, ADS_DD_VERSION_MAJOR, &number, &length ) );
   SAME( 1, number );
   ANSWERS( AE_INVALID_PROPERTY_LENGTH, AdsDDSetDatabaseProperty( dictionary, ADS_DD_VERSION_MAJOR, &on, 1 ) );
   length = sizeof( text );
   ANSWERS( AE_PROPERTY_NOT_SET, AdsDDGetDatabaseProperty( dictionary, ADS_DD_USER_DEFINED_PROP, text, &length ) );
   ANSWERS( AE_INVALID_PROPERTY_ID, AdsDDGetDatabaseProperty( dictionary, 9999, text, &length ) );
   ANSWERS( AE_INVALID_PROPERTY_ID, AdsDDGetDatabaseProperty( dictionary, ADS_DD_ADMIN_PASSWORD, text, &length ) );
   OK( AdsDDSetDatabaseProperty( dictionary, ADS_DD_USER_DEFINED_PROP, "\0\1\2", 3 ) );
   length = sizeof( text );
   OK( AdsDDGetDatabaseProperty( dictionary, ADS_DD_USER_DEFINED_PROP, text, &length ) );
   SAME( 3, length );
   TRUE_THAT( memcmp( text, "\0\1\2", 3 ) == 0 );
}

static void tables( void )
{
   ADSHANDLE table = 0, search = 0, order = 0;
   UNSIGNED16 number = 0, orders = 0;
   UNSIGNED32 whole = 0;
   int names = 0;

   OK( AdsDDAddTable( dictionary, T( "Customers" ), T( "t03_cdx_tags.dbf" ), ADS_CDX, ADS_ANSI, NULL, T( "who buys" ) ) );
   ANSWERS( AE_DD_REQUEST_NOT_COMPLETED,
            AdsDDAddTable( dictionary, T( "Again" ), T( "t03_cdx_tags.dbf" ), ADS_CDX, ADS_ANSI, NULL, NULL ) );
   ANSWERS( AE_FILE_NOT_FOUND, AdsDDAddTable( dictionary, NULL, T( "nothing" ), ADS_CDX, ADS_ANSI, NULL, NULL ) );
   ANSWERS( AE_FILE_NOT_FOUND, AdsDDAddTable( dictionary, NULL, T( "t05_ntx" ), ADS_ADT, ADS_ANSI, NULL, NULL ) );
   ANSWERS( AE_INVALID_TABLETYPE, AdsDDAddTable( dictionary, NULL, T( "t05_ntx.dbf" ), ADS_ADT, ADS_ANSI, NULL, NULL ) );
   PROPERTY( "who buys", AdsDDGetTableProperty( dictionary, T( "CUSTOMERS" ), ADS_DD_COMMENT, text, &length ) );
   PROPERTY( "t03_cdx_tags.dbf",
             AdsDDGetTableProperty( dictionary, T( "Customers" ), ADS_DD_TABLE_RELATIVE_PATH, text, &length ) );
   length = 2;
   OK( AdsDDGetTableProperty( dictionary, T( "Customers" ), ADS_DD_TABLE_TYPE, &number, &length ) );
   SAME( ADS_CDX, number );
   OK( AdsDDGetTableProperty( dictionary, T( "Customers" ), ADS_DD_TABLE_FIELD_COUNT, &number, &length ) );
   TRUE_THAT( number > 2 );
   ANSWERS( AE_INVALID_OBJECT_NAME,
            AdsDDGetTableProperty( dictionary, T( "Nobody" ), ADS_DD_TABLE_TYPE, &number, &length ) );

   OK( AdsOpenTable( dictionary, T( "customers" ), NULL, ADS_DEFAULT, ADS_ANSI, ADS_COMPATIBLE_LOCKING, ADS_CHECKRIGHTS,
                     ADS_SHARED, &table ) );
   PROPERTY( "Customers", AdsGetTableFilename( table, ADS_TABLE_OPEN_NAME, text, &length ) == AE_SUCCESS
                          ? ( ++length, AE_SUCCESS ) : 1 );
   OK( AdsGetNumIndexes( table, &orders ) );
   TRUE_THAT( orders > 0 );
   OK( AdsGetIndexHandleByOrder( table, 1, &order ) );

   /* Fields, orders and index files are those of the table's files. */
   length = sizeof( text );
   OK( AdsDDFindFirstObject( dictionary, ADS_DD_FIELD_OBJECT, T( "Customers" ), text, &length, &search ) );
   do
   {
      ++names;
      length = 4;
      OK( AdsDDGetFieldProperty( dictionary, T( "Customers" ), text, ADS_DD_FIELD_OPTIONS, &whole, &length ) );
      length = sizeof( text );
   }
   while( AdsDDFindNextObject( dictionary, search, text, &length ) == AE_SUCCESS && names < 99 );
   OK( AdsDDFindClose( dictionary, search ) );
   ANSWERS( AE_INVALID_FIND_HANDLE, AdsDDFindClose( dictionary, search ) );
   OK( AdsGetNumFields( table, &number ) );
   SAME( number, names );
   length = sizeof( text );
   OK( AdsDDFindFirstObject( dictionary, ADS_DD_INDEX_OBJECT, T( "Customers" ), text, &length, &search ) );
   OK( AdsDDFindClose( dictionary, search ) );
   length = 2;
   OK( AdsDDGetIndexProperty( dictionary, T( "Customers" ), text, ADS_DD_INDEX_KEY_LENGTH, &number, &length ) );
   TRUE_THAT( number > 0 );
   OK( AdsDDSetIndexProperty( dictionary, T( "Customers" ), text, ADS_DD_COMMENT, WITH_LENGTH( "an order" ) ) );
   {
      UNSIGNED8 name[ 256 ];
      strcpy( ( char * ) name, ( char * ) text );
      PROPERTY( "an order", AdsDDGetIndexProperty( dictionary, T( "Customers" ), name, ADS_DD_COMMENT, text, &length ) );
   }
   ANSWERS( AE_INVALID_OBJECT_NAME,
            AdsDDGetIndexProperty( dictionary, T( "Customers" ), T( "NONE" ), ADS_DD_COMMENT, text, &length ) );
   length = 4;
   OK( AdsDDGetIndexFileProperty( dictionary, T( "Customers" ), T( "t03_cdx_tags.cdx" ), ADS_DD_INDEX_FILE_PAGESIZE,
                                  &whole, &length ) );
   SAME( 512, whole );
   length = sizeof( text );
   ANSWERS( AE_NO_OBJECT_FOUND,
            AdsDDFindFirstObject( dictionary, ADS_DD_VIEW_OBJECT, NULL, text, &length, &search ) );
   ANSWERS( AE_INVALID_OBJECT_TYPE, AdsDDFindFirstObject( dictionary, 77, NULL, text, &length, &search ) );

   ANSWERS( AE_TABLE_NOT_EXCLUSIVE, AdsDDRenameObject( dictionary, T( "Customers" ), T( "Clients" ), ADS_DD_TABLE_OBJECT, 0 ) );
   OK( AdsCloseTable( table ) );
   OK( AdsDDRenameObject( dictionary, T( "Customers" ), T( "Clients" ), ADS_DD_TABLE_OBJECT, 0 ) );
   OK( AdsOpenTable( dictionary, T( "clients" ), NULL, ADS_DEFAULT, ADS_ANSI, ADS_COMPATIBLE_LOCKING, ADS_CHECKRIGHTS,
                     ADS_SHARED, &table ) );
   OK( AdsCloseTable( table ) );

   /* NTX files that belong to a table are opened with it. */
   OK( AdsDDAddTable( dictionary, NULL, T( "t05_ntx" ), ADS_NTX, ADS_OEM, NULL, NULL ) );
   OK( AdsOpenTable( dictionary, T( "t05_ntx" ), NULL, ADS_DEFAULT, ADS_ANSI, ADS_COMPATIBLE_LOCKING, ADS_CHECKRIGHTS,
                     ADS_EXCLUSIVE, &table ) );
   OK( AdsGetNumIndexes( table, &orders ) );
   SAME( 0, orders );
   OK( AdsGetFieldName( table, 1, text, ( length = sizeof( text ), &length ) ) );
   OK( AdsCreateIndex( table, T( "extra.ntx" ), NULL, text, NULL, NULL, ADS_DEFAULT, &order ) );
   OK( AdsCloseTable( table ) );
   OK( AdsDDAddIndexFile( dictionary, T( "t05_ntx" ), T( "extra.ntx" ), T( "more" ) ) );
   ANSWERS( AE_INDEX_ALREADY_OPEN, AdsDDAddIndexFile( dictionary, T( "t05_ntx" ), T( "extra.ntx" ), NULL ) );
   OK( AdsOpenTable( dictionary, T( "t05_ntx" ), NULL, ADS_DEFAULT, ADS_ANSI, ADS_COMPATIBLE_LOCKING, ADS_CHECKRIGHTS,
                     ADS_SHARED, &table ) );
   OK( AdsGetNumIndexes( table, &orders ) );
   SAME( 1, orders );
   OK( AdsCloseTable( table ) );
   ANSWERS( AE_INVALID_OBJECT_NAME, AdsDDDeleteIndex( dictionary, T( "t05_ntx" ), T( "NONE" ) ) );
   ANSWERS( AE_INVALID_OBJECT_NAME, AdsDDRemoveIndexFile( dictionary, T( "t05_ntx" ), T( "other.ntx" ), 0 ) );

   /* A table that is made through the dictionary becomes one of it. */
   OK( AdsCreateTable( dictionary, T( "orders" ), NULL, ADS_CDX, ADS_ANSI, ADS_COMPATIBLE_LOCKING, ADS_CHECKRIGHTS, 0,
                       T( "ID,Numeric,6,0;CUST,Character,5" ), &table ) );
   OK( AdsCloseTable( table ) );
   length = 2;
   OK( AdsDDGetTableProperty( dictionary, T( "orders" ), ADS_DD_TABLE_FIELD_COUNT, &number, &length ) );
   SAME( 2, number );
   OK( AdsDDRemoveTable( dictionary, T( "orders" ), 1 ) );
   ANSWERS( AE_INVALID_OBJECT_NAME, AdsDDRemoveTable( dictionary, T( "orders" ), 0 ) );
   OK( AdsCheckExistence( dictionary, T( "orders.dbf" ), &number ) );
   SAME( 0, number );
   OK( AdsDDRemoveTable( dictionary, T( "t05_ntx" ), 0 ) );
   ANSWERS( AE_FREETABLEFAILED, AdsDDFreeTable( T( "nothing" ), NULL ) );
}

static void programs( void )
{
   UNSIGNED32 whole = 0;
   UNSIGNED16 off = 9;

   OK( AdsDDAddView( dictionary, T( "best" ), T( "the best" ), T( "SELECT * FROM Clients" ) ) );
   ANSWERS( AE_INVALID_OBJECT_NAME, AdsDDAddView( dictionary, T( "CLIENTS" ), NULL, T( "SELECT 1" ) ) );
   PROPERTY( "SELECT * FROM Clients", AdsDDGetViewProperty( dictionary, T( "best" ), ADS_DD_VIEW_STMT, text, &length ) );
   OK( AdsDDSetViewProperty( dictionary, T( "best" ), ADS_DD_VIEW_STMT, WITH_LENGTH( "SELECT 1 FROM Clients" ) ) );
   OK( AdsDDAddProcedure( dictionary, T( "pay" ), T( "DECLARE x INTEGER;" ), NULL, ADS_SCRIPT_PROC, T( "A,Integer" ), NULL,
                          T( "pays" ) ) );
   PROPERTY( "DECLARE x INTEGER;", AdsDDGetProcedureProperty( dictionary, T( "pay" ), ADS_DD_PROC_SCRIPT, text, &length ) );
   length = sizeof( text );
   ANSWERS( AE_PROPERTY_NOT_SET, AdsDDGetProcedureProperty( dictionary, T( "pay" ), ADS_DD_PROC_DLL_NAME, text, &length ) );
   OK( AdsDDSetProcedureProperty( dictionary, T( "pay" ), ADS_DD_COMMENT, WITH_LENGTH( "pays more" ) ) );
   OK( AdsDDCreatePackage( dictionary, T( "Common" ), NULL ) );
   OK( AdsDDCreateFunction( dictionary, T( "Common::Twice" ), T( "INTEGER" ), 1, T( "x INTEGER" ), T( "RETURN x*2;" ), NULL ) );
   PROPERTY( "RETURN x*2;", AdsDDGetObjectProperty( dictionary, ADS_DD_FUNCTION_OBJECT, NULL, T( "Common::Twice" ),
                                                   ADS_DD_PROC_SCRIPT, text, &length ) );
   OK( AdsDDSetObjectProperty( dictionary, ADS_DD_FUNCTION_OBJECT, T( "Common" ), T( "Twice" ), ADS_DD_COMMENT,
                               WITH_LENGTH( "doubles" ) ) );
   OK( AdsDDDropFunction( dictionary, T( ":Common::Twice" ) ) );
   OK( AdsDDDropPackage( dictionary, T( "Common" ) ) );
   OK( AdsDDCreateTrigger( dictionary, T( "after" ), T( "Clients" ), ADS_TRIGTYPE_AFTER, ADS_TRIGEVENT_INSERT, ADS_TRIG_SCRIPT,
                           T( "INSERT INTO x VALUES( 1 )" ), NULL, 1, NULL, ADS_TRIGOPTIONS_DEFAULT ) );
   ANSWERS( AE_TRIG_CREATION_FAILED,
            AdsDDCreateTrigger( dictionary, T( "never" ), T( "Clients" ), ADS_TRIGTYPE_AFTER, ADS_TRIGEVENT_CONNECT,
                                ADS_TRIG_SCRIPT, T( "x" ), NULL, 1, NULL, 0 ) );
   length = 4;
   OK( AdsDDGetTriggerProperty( dictionary, T( "Clients::after" ), ADS_DD_TRIG_EVENT_TYPE, &whole, &length ) );
   SAME( ADS_TRIGEVENT_INSERT, whole );
   OK( AdsDDSetTriggerProperty( dictionary, T( "Clients::after" ), ADS_DD_COMMENT, T( "logs" ), 5 ) );
   OK( AdsDDDisableTriggers( dictionary, T( "Clients::after" ), NULL, 0 ) );
   length = 2;
   OK( AdsDDGetTriggerProperty( dictionary, T( "Clients::after" ), ADS_DD_TRIGGERS_DISABLED, &off, &length ) );
   SAME( 1, off );
   OK( AdsDDEnableTriggers( dictionary, T( "Clients::after" ), NULL, 0 ) );
   OK( AdsDDRemoveTrigger( dictionary, T( "Clients::after" ) ) );
   ANSWERS( AE_INVALID_OBJECT_NAME, AdsDDRemoveTrigger( dictionary, T( "Clients::after" ) ) );
   OK( AdsDDRemoveProcedure( dictionary, T( "pay" ) ) );
   OK( AdsDDRemoveView( dictionary, T( "best" ) ) );

   OK( AdsDDCreatePublication( dictionary, T( "out" ), T( "what leaves" ), 0 ) );
   OK( AdsDDSetPublicationProperty( dictionary, T( "out" ), ADS_DD_COMMENT, WITH_LENGTH( "leaves" ) ) );
   PROPERTY( "leaves", AdsDDGetPublicationProperty( dictionary, T( "out" ), ADS_DD_COMMENT, text, &length ) );
   OK( AdsDDCreateArticle( dictionary, T( "out" ), T( "Clients" ), T( "ID" ), NULL, 0 ) );
   OK( AdsDDSetArticleProperty( dictionary, T( "out" ), T( "Clients" ), ADS_DD_ARTICLE_FILTER, WITH_LENGTH( "1=1" ) ) );
   PROPERTY( "1=1", AdsDDGetArticleProperty( dictionary, T( "out" ), T( "Clients" ), ADS_DD_ARTICLE_FILTER, text, &length ) );
   OK( AdsDDCreateSubscription( dictionary, T( "there" ), T( "out" ), T( "/x/y.add" ), T( "me" ), T( "pw" ), T( "q" ), 1, NULL, 0 ) );
   PROPERTY( "/x/y.add", AdsDDGetSubscriptionProperty( dictionary, T( "there" ), ADS_DD_SUBSCR_TARGET, text, &length ) );
   OK( AdsDDSetSubscriptionProperty( dictionary, T( "there" ), ADS_DD_SUBSCR_TARGET, WITH_LENGTH( "/z.add" ) ) );
   length = sizeof( text );
   ANSWERS( AE_INVALID_PROPERTY_ID, AdsDDGetSubscriptionProperty( dictionary, T( "there" ), ADS_DD_SUBSCR_PASSWORD, text, &length ) );
   OK( AdsDDDeleteSubscription( dictionary, T( "there" ) ) );
   OK( AdsDDDeleteArticle( dictionary, T( "out" ), T( "Clients" ) ) );
   OK( AdsDDDeletePublication( dictionary, T( "out" ) ) );
}

static void links( const char * folder )
{
   ADSHANDLE other = 0;
   UNSIGNED16 count = 9;
   UNSIGNED32 options = 0;
   char second[ 512 ];

   snprintf( second, sizeof( second ), "%s/other.add", folder );
   OK( AdsDDCreate( T( second ), 0, NULL, &other ) );
   OK( AdsDDCreateLink( dictionary, T( "mine" ), T( "other.add" ), NULL, NULL, ADS_LINK_AUTH_ACTIVE_USER ) );
   OK( AdsGetNumActiveLinks( dictionary, &count ) );
   SAME( 1, count );
   length = sizeof( text );
   OK( AdsGetActiveLinkInfo( dictionary, 1, text, &length ) );
   TRUE_THAT( strncmp( ( char * ) text, "mine;", 5 ) == 0 );
   ANSWERS( AE_INVALID_LINK_NUMBER, AdsGetActiveLinkInfo( dictionary, 2, text, &length ) );
   ANSWERS( AE_INVALID_OBJECT_NAME,
            AdsDDCreateLink( dictionary, T( "mine" ), T( "other.add" ), NULL, NULL, ADS_LINK_AUTH_ACTIVE_USER ) );
   ANSWERS( AE_LINK_ACTIVATION_FAILED, AdsDDCreateLink( dictionary, T( "none" ), T( "nothing.add" ), NULL, NULL, 0 ) );
   OK( AdsDDDropLink( dictionary, T( "mine" ), 0 ) );
   OK( AdsDDCreateLinkPre71( dictionary, T( "ours" ), T( "other.add" ), NULL, NULL, ADS_LINK_GLOBAL | ADS_LINK_AUTH_ACTIVE_USER ) );
   length = 4;
   OK( AdsDDGetLinkProperty( dictionary, T( "ours" ), ADS_DD_LINK_OPTIONS, &options, &length ) );
   SAME( 3, options );
   OK( AdsDDModifyLink( dictionary, T( "ours" ), T( "other.add" ), T( "ADSSYS" ), NULL, 0 ) );
   PROPERTY( "ADSSYS", AdsDDGetLinkProperty( dictionary, T( "ours" ), ADS_DD_LINK_USERNAME, text, &length ) );
   OK( AdsDDDropLinkPre71( dictionary, T( "ours" ), 1 ) );
   ANSWERS( AE_INVALID_OBJECT_NAME, AdsDDDropLink( dictionary, T( "ours" ), 1 ) );
   OK( AdsDDClose( other ) );
}

static ADSHANDLE connect_as( const char * user, const char * password, UNSIGNED32 expected )
{
   ADSHANDLE connection = 0;
   ANSWERS( expected, AdsConnect60( T( path ), ADS_LOCAL_SERVER, T( user ), T( password ), ADS_DEFAULT, &connection ) );
   return connection;
}

static UNSIGNED32 open_as( ADSHANDLE connection, UNSIGNED32 options, ADSHANDLE * table )
{
   return AdsOpenTable( connection, T( "Clients" ), NULL, ADS_DEFAULT, ADS_ANSI, ADS_COMPATIBLE_LOCKING, ADS_CHECKRIGHTS, options,
                        table );
}

static void users( void )
{
   UNSIGNED16 on = 1, off = 0;
   UNSIGNED32 rights = 0;
   ADSHANDLE connection, table = 0, search = 0;
   UNSIGNED8 first[ 32 ];

   OK( AdsDDCreateUserGroup( dictionary, T( "sales" ), T( "who sells" ) ) );
   OK( AdsDDCreateUser( dictionary, T( "sales" ), T( "ann" ), T( "secret" ), T( "Ann" ) ) );
   OK( AdsDDCreateUser( dictionary, NULL, T( "bob" ), NULL, NULL ) );
   ANSWERS( AE_INVALID_OBJECT_NAME, AdsDDCreateUser( dictionary, NULL, T( "SALES" ), NULL, NULL ) );
   ANSWERS( AE_INVALID_OBJECT_NAME, AdsDDCreateUser( dictionary, T( "nobody" ), T( "carl" ), NULL, NULL ) );
   ANSWERS( AE_ALREADY_MEMBER_OF_GROUP, AdsDDAddUserToGroup( dictionary, T( "Sales" ), T( "Ann" ) ) );
   ANSWERS( AE_NOT_MEMBER_OF_GROUP, AdsDDRemoveUserFromGroup( dictionary, T( "sales" ), T( "bob" ) ) );
   OK( AdsDDAddUserToGroup( dictionary, T( "sales" ), T( "bob" ) ) );
   PROPERTY( "sales", AdsDDGetUserProperty( dictionary, T( "bob" ), ADS_DD_USER_GROUP_MEMBERSHIP, text, &length ) );
   {
      UNSIGNED16 failed = 99, size = sizeof( failed );
      OK( AdsDDGetUserProperty( dictionary, T( "bob" ), ADS_DD_USER_BAD_LOGINS, &failed, &size ) );
      SAME( 0, failed );
   }
   OK( AdsDDRemoveUserFromGroup( dictionary, T( "sales" ), T( "bob" ) ) );
   PROPERTY( "who sells", AdsDDGetUserGroupProperty( dictionary, T( "sales" ), ADS_DD_COMMENT, text, &length ) );
   OK( AdsDDSetUserGroupProperty( dictionary, T( "sales" ), ADS_DD_COMMENT, WITH_LENGTH( "sells" ) ) );
   length = sizeof( text );
   OK( AdsDDFindFirstObject( dictionary, ADS_DD_USER_OBJECT, T( "sales" ), text, &length, &search ) );
   TEXT( "ann", text );
   length = sizeof( text );
   ANSWERS( AE_NO_OBJECT_FOUND, AdsDDFindNextObject( dictionary, search, text, &length ) );
   OK( AdsDDFindClose( dictionary, search ) );

   /* Who may come in. */
   connection = connect_as( "ANN", "secret", AE_SUCCESS );
   ANSWERS( AE_PERMISSION_DENIED, AdsDeleteFile( connection, T( "Clients.dbf" ) ) );
   ANSWERS( AE_PERMISSION_DENIED, AdsDDSetDatabaseProperty( connection, ADS_DD_COMMENT, WITH_LENGTH( "hers" ) ) );
   ANSWERS( AE_PERMISSION_DENIED, AdsDDCreateUser( connection, NULL, T( "eve" ), NULL, NULL ) );
   OK( AdsDDSetUserProperty( connection, T( "secret" ), ADS_DD_CURRENT_USER_PASSWORD, WITH_LENGTH( "other" ) ) );
   ANSWERS( AE_INVALID_PASSWORD,
            AdsDDSetUserProperty( connection, T( "secret" ), ADS_DD_CURRENT_USER_PASSWORD, WITH_LENGTH( "x" ) ) );
   OK( AdsDisconnect( connection ) );
   connect_as( "ann", "secret", AE_AUTHENTICATION_FAILED );
   connect_as( "eve", "", AE_AUTHENTICATION_FAILED );
   OK( AdsDisconnect( connect_as( "ann", "other", AE_SUCCESS ) ) );
   OK( AdsDisconnect( connect_as( "", "", AE_SUCCESS ) ) );
   OK( AdsDDSetDatabaseProperty( dictionary, ADS_DD_LOG_IN_REQUIRED, &on, 2 ) );
   connect_as( "", "", AE_AUTHENTICATION_FAILED );
   OK( AdsDDSetUserProperty( dictionary, T( "bob" ), ADS_DD_LOGINS_DISABLED, &on, 2 ) );
   connect_as( "bob", "", AE_USER_LOGIN_DISABLED );
   OK( AdsDDSetUserProperty( dictionary, T( "bob" ), ADS_DD_LOGINS_DISABLED, &off, 2 ) );
   OK( AdsDDSetDatabaseProperty( dictionary, ADS_DD_LOGINS_DISABLED, &on, 2 ) );
   connect_as( "bob", "", AE_LOGINS_DISABLED );
   OK( AdsDDSetDatabaseProperty( dictionary, ADS_DD_LOGINS_DISABLED, &off, 2 ) );
   OK( AdsDDSetDatabaseProperty( dictionary, ADS_DD_ADMIN_PASSWORD, WITH_LENGTH( "root" ) ) );
   connect_as( "AdsSys", "", AE_AUTHENTICATION_FAILED );
   OK( AdsDDOpen( T( path ), T( "root" ), &connection ) );
   OK( AdsDDClose( connection ) );

   /* What they may do. */
   connection = connect_as( "bob", "", AE_SUCCESS );
   OK( open_as( connection, ADS_SHARED, &table ) );
   OK( AdsCloseTable( table ) );
   OK( AdsDDSetDatabaseProperty( dictionary, ADS_DD_VERIFY_ACCESS_RIGHTS, &on, 2 ) );
   ANSWERS( AE_NO_READ_PERMISSION, open_as( connection, ADS_SHARED, &table ) );
   OK( AdsDDGrantPermission( dictionary, ADS_DD_TABLE_OBJECT, T( "Clients" ), NULL, T( "bob" ), ADS_PERMISSION_READ ) );
   ANSWERS( AE_NO_WRITE_PERMISSION, open_as( connection, ADS_SHARED, &table ) );
   OK( open_as( connection, ADS_SHARED | ADS_READONLY, &table ) );
   OK( AdsCloseTable( table ) );
   OK( AdsDDGetPermissions( dictionary, T( "bob" ), ADS_DD_TABLE_OBJECT, T( "Clients" ), NULL, 0, &rights ) );
   SAME( ADS_PERMISSION_READ | ADS_PERMISSION_INHERIT, rights );
   OK( AdsDDGrantPermission( dictionary, ADS_DD_TABLE_OBJECT, T( "Clients" ), NULL, T( "sales" ), ADS_PERMISSION_UPDATE ) );
   OK( AdsDDAddUserToGroup( dictionary, T( "sales" ), T( "bob" ) ) );
   rights = 0;
   OK( AdsDDGetPermissions( dictionary, T( "bob" ), ADS_DD_TABLE_OBJECT, T( "Clients" ), NULL, 1, &rights ) );
   SAME( ADS_PERMISSION_READ | ADS_PERMISSION_INHERIT | ADS_PERMISSION_UPDATE, rights );
   OK( AdsDDVerifyUserRights( connection, T( "Clients" ), &rights ) );
   TRUE_THAT( rights & ADS_PERMISSION_UPDATE );
   OK( open_as( connection, ADS_SHARED, &table ) );
   OK( AdsGetFieldName( table, 1, first, ( length = sizeof( first ), &length ) ) );
   OK( AdsGotoTop( table ) );
   OK( AdsSetEmpty( table, ADSFIELD( 1 ) ) );
   OK( AdsWriteRecord( table ) );
   OK( AdsDeleteRecord( table ) == AE_PERMISSION_NOT_GRANTED ? AE_SUCCESS : 1 );
   OK( AdsCancelUpdate( table ) );
   ANSWERS( AE_PERMISSION_NOT_GRANTED, ( AdsAppendRecord( table ), AdsSetEmpty( table, ADSFIELD( 1 ) ), AdsWriteRecord( table ) ) );
   OK( AdsCancelUpdate( table ) );
   OK( AdsCloseTable( table ) );

   /* Without the right to inherit, and with that to one column only. */
   OK( AdsDDRevokePermission( dictionary, ADS_DD_TABLE_OBJECT, T( "Clients" ), NULL, T( "bob" ),
                              ADS_PERMISSION_INHERIT | ADS_PERMISSION_READ ) );
   ANSWERS( AE_NO_READ_PERMISSION, open_as( connection, ADS_READONLY, &table ) );
   OK( AdsDDGrantPermission( dictionary, ADS_DD_COLUMN_OBJECT, first, T( "Clients" ), T( "bob" ), ADS_PERMISSION_READ ) );
   OK( open_as( connection, ADS_READONLY, &table ) );
   OK( AdsGotoBottom( table ) );
   {
      UNSIGNED32 room = sizeof( text );
      UNSIGNED8 second[ 32 ];
      OK( AdsGetField( table, ADSFIELD( 1 ), text, &room, ADS_NONE ) );
      room = sizeof( text );
      OK( AdsGetField( table, ADSFIELD( 2 ), text, &room, ADS_TRIM ) );
      TEXT( "", text );
      OK( AdsGetFieldName( table, 2, second, ( length = sizeof( second ), &length ) ) );
      snprintf( ( char * ) text, sizeof( text ), "EMPTY( %s )", ( char * ) second );
      ANSWERS( AE_PERMISSION_NOT_GRANTED, AdsSetFilter( table, text ) );
      ANSWERS( AE_PERMISSION_NOT_GRANTED, AdsEvalLogicalExpr( table, text, &on ) );
      ANSWERS( AE_PERMISSION_NOT_GRANTED, AdsLocate( table, text, 1, &on ) );
      ANSWERS( AE_PERMISSION_NOT_GRANTED, AdsEvalStringExpr( table, second, text, &length ) );
      ANSWERS( AE_PERMISSION_NOT_GRANTED, AdsCopyTable( table, ADS_IGNOREFILTERS, T( "copy.dbf" ) ) );
      ANSWERS( AE_PERMISSION_DENIED, AdsDisableRI( connection ) );
      on = 1;
   }
   OK( AdsCloseTable( table ) );
   ANSWERS( AE_PERMISSION_DENIED, AdsDDGrantPermission( connection, ADS_DD_TABLE_OBJECT, T( "Clients" ), NULL, T( "ann" ),
                                                      ADS_PERMISSION_READ ) );
   OK( AdsDDGrantPermission( dictionary, ADS_DD_TABLE_OBJECT, T( "Clients" ), NULL, T( "bob" ),
                             ADS_PERMISSION_READ | ADS_PERMISSION_WITH_GRANT ) );
   OK( AdsDDGrantPermission( connection, ADS_DD_TABLE_OBJECT, T( "Clients" ), NULL, T( "ann" ), ADS_PERMISSION_READ ) );
   ANSWERS( AE_INVALID_OBJECT_PERMISSION, AdsDDGrantPermission( dictionary, ADS_DD_TABLE_OBJECT, T( "Clients" ), NULL, T( "bob" ),
                                                               ADS_PERMISSION_EXECUTE ) );
   ANSWERS( AE_INVALID_OBJECT_PERMISSION, AdsDDGrantPermission( dictionary, ADS_DD_TABLE_OBJECT, T( "Clients" ), NULL, T( "sales" ),
                                                               ADS_PERMISSION_INHERIT ) );
   ANSWERS( AE_INVALID_OBJECT_NAME, AdsDDGrantPermission( dictionary, ADS_DD_TABLE_OBJECT, T( "None" ), NULL, T( "bob" ),
                                                         ADS_PERMISSION_READ ) );
   OK( AdsDDGrantPermission( dictionary, ADS_DD_USER_OBJECT, NULL, NULL, T( "bob" ), ADS_PERMISSION_CREATE ) );
   OK( AdsDDCreateUser( connection, NULL, T( "dora" ), NULL, NULL ) );
   OK( AdsDDSetObjectAccessRights( dictionary, T( "Clients" ), T( "dora" ), T( "R" ) ) );
   OK( AdsDisconnect( connection ) );
   connection = connect_as( "dora", "", AE_SUCCESS );
   OK( open_as( connection, ADS_READONLY, &table ) );
   OK( AdsDisconnect( connection ) );
   OK( AdsDDDeleteUser( dictionary, T( "dora" ) ) );
   connect_as( "dora", "", AE_AUTHENTICATION_FAILED );
   OK( AdsDDDeleteUserGroup( dictionary, T( "sales" ) ) );
   ANSWERS( AE_DD_REQUEST_NOT_COMPLETED, AdsDDDeleteUser( dictionary, T( "ADSSYS" ) ) );
   ANSWERS( AE_DD_REQUEST_NOT_COMPLETED, AdsDDDeleteUserGroup( dictionary, T( "DB:Admin" ) ) );
}

int main( int count, char ** arguments )
{
   ADSHANDLE folder = 0, found = 0;

   if( count < 2 )
      return 2;
   database( arguments[ 1 ] );
   tables();
   programs();
   links( arguments[ 1 ] );
   users();
   OK( AdsConnect( T( arguments[ 1 ] ), &folder ) );
   ANSWERS( AE_INVALID_DICTIONARY_HANDLE, AdsDDGetDatabaseProperty( folder, ADS_DD_COMMENT, text, &length ) );
   ANSWERS( AE_CANNOT_OPEN_DICTIONARY, AdsConnect( T( strcat( strcpy( path, arguments[ 1 ] ), "/wrong.add" ) ), &found ) == AE_NO_CONNECTION
                                       ? AE_CANNOT_OPEN_DICTIONARY : 1 );
   OK( AdsDisconnect( folder ) );
   OK( AdsDDClose( dictionary ) );
   END();
}
