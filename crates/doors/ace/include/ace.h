/*
 * The calls of the Advantage Client Engine, as Mainstay's libace has them.
 * Written by `cargo run -p mainstay-ace --example header`. Change the tables in crates/doors/ace/src and those of the
 * constants in crates/storage/data-dictionary/src, not this file.
 */

#ifndef MAINSTAY_ACE_H
#define MAINSTAY_ACE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef uint8_t  UNSIGNED8;
typedef int8_t   SIGNED8;
typedef uint16_t UNSIGNED16;
typedef int16_t  SIGNED16;
typedef uint32_t UNSIGNED32;
typedef int32_t  SIGNED32;
typedef uint64_t UNSIGNED64;
typedef int64_t  SIGNED64;

#if !defined( _WIN32 )
   #define VOID void
   typedef double DOUBLE;
#endif

/* A handle of any kind: a connection, a table, an index order, a statement. 0 is none. */
typedef uintptr_t ADSHANDLE;

/* A unit of UTF-16. */
#if !defined( WCHAR ) && !defined( _WIN32 )
   typedef uint16_t ACE_WCHAR;
   #define WCHAR ACE_WCHAR
#endif

#if defined( _WIN32 ) && !defined( _WIN64 )
   #define ENTRYPOINT __stdcall
#else
   #define ENTRYPOINT
#endif
#if !defined( WINAPI )
   #define WINAPI ENTRYPOINT
#endif

/* A field's number, from 1, where a field's name is a parameter. */
#define ADSFIELD( n ) ( ( UNSIGNED8 * )( uintptr_t )( n ) )

/* Functions of the program's: told how far a long operation is, in percent; anything but 0 stops it. */
typedef UNSIGNED32 ( WINAPI * ADSCALLBACK )( UNSIGNED16 usPercentDone, UNSIGNED32 ulCallbackID );
typedef UNSIGNED32 ( WINAPI * ADSCALLBACK101 )( UNSIGNED16 usPercentDone, SIGNED64 qCallbackID );
typedef UNSIGNED32 ( WINAPI * ADSPROGRESSCALLBACK )( UNSIGNED16 usPercentDone );

/* Options, types and limits */
#define ADS_DEFAULT_SQL_TIMEOUT                   0
#define ADS_FALSE                                 0
#define ADS_TRUE                                  1
#define ADS_DEFAULT                               0
#define ADS_ANSI                                  1
#define ADS_OEM                                   2
#define ADS_MAX_CHAR_SETS                         118
#define ADS_CHECKRIGHTS                           1
#define ADS_IGNORERIGHTS                          2
#define ADS_RESPECT_RIGHTS_CHECKING               1
#define ADS_IGNORE_RIGHTS_CHECKING                2
#define ADS_INC_USERCOUNT                         1
#define ADS_STORED_PROC_CONN                      2
#define ADS_COMPRESS_ALWAYS                       4
#define ADS_COMPRESS_NEVER                        8
#define ADS_COMPRESS_INTERNET                     12
#define ADS_REPLICATION_CONNECTION                16
#define ADS_UDP_IP_CONNECTION                     32
#define ADS_IPX_CONNECTION                        64
#define ADS_TCP_IP_CONNECTION                     128
#define ADS_TCP_IP_V6_CONNECTION                  256
#define ADS_NOTIFICATION_CONNECTION               512
#define ADS_TLS_CONNECTION                        0x1000
#define ADS_CHECK_FREE_TABLE_ACCESS               0x2000
#define ADS_EXCLUSIVE                             1
#define ADS_READONLY                              2
#define ADS_SHARED                                4
#define ADS_CLIPPER_MEMOS                         8
#define ADS_TABLE_PERM_READ                       16
#define ADS_TABLE_PERM_UPDATE                     32
#define ADS_TABLE_PERM_INSERT                     64
#define ADS_TABLE_PERM_DELETE                     128
#define ADS_REINDEX_ON_COLLATION_MISMATCH         256
#define ADS_IGNORE_COLLATION_MISMATCH             512
#define ADS_FREE_TABLE                            0x1000
#define ADS_TEMP_TABLE                            0x2000
#define ADS_DICTIONARY_BOUND_TABLE                0x4000
#define ADS_CACHE_READS                           0x20000000
#define ADS_CACHE_WRITES                          0x40000000
#define ADS_ASCENDING                             0
#define ADS_UNIQUE                                1
#define ADS_COMPOUND                              2
#define ADS_CUSTOM                                4
#define ADS_DESCENDING                            8
#define ADS_USER_DEFINED                          16
#define ADS_FTS_INDEX                             32
#define ADS_FTS_FIXED                             64
#define ADS_FTS_CASE_SENSITIVE                    128
#define ADS_FTS_KEEP_SCORE                        256
#define ADS_FTS_PROTECT_NUMBERS                   512
#define ADS_NOT_AUTO_OPEN                         1024
#define ADS_CANDIDATE                             2048
#define ADS_BINARY_INDEX                          0x1000
#define ADS_FTS_ENCODE_UTF8                       0x2000
#define ADS_FTS_ENCODE_UTF16                      0x4000
#define ADS_ONLINE                                0x200000
#define ADS_ALLOW_MULTIPLE_COLLATION              0x10000000
#define ADS_UCHAR_KEY_SHORT                       0x20000000
#define ADS_UCHAR_KEY_LONG                        0x40000000
#define ADS_UCHAR_KEY_XLONG                       0x60000000
#define ADS_INDEX_OPTIONS_MASK                    0x70207FFF
#define ADS_NONE                                  0
#define ADS_LTRIM                                 1
#define ADS_RTRIM                                 2
#define ADS_TRIM                                  3
#define ADS_GET_UTF8                              4
#define ADS_DONT_CHECK_CONV_ERR                   8
#define ADS_GET_FORMAT_ANSI                       16
#define ADS_GET_FORMAT_WEB                        48
#define ADS_GET_GUID_MIME                         256
#define ADS_GET_GUID_FILE                         512
#define ADS_GET_GUID_NUMBERS                      1024
#define ADS_GET_GUID_REGISTRY                     2048
#define ADS_NTS                                   0xFFFF
#define ADS_COMPATIBLE_LOCKING                    0
#define ADS_PROPRIETARY_LOCKING                   1
#define ADS_SOFTSEEK                              1
#define ADS_HARDSEEK                              2
#define ADS_SEEKGT                                4
#define ADS_RAWKEY                                1
#define ADS_STRINGKEY                             2
#define ADS_DOUBLEKEY                             4
#define ADS_WSTRINGKEY                            8
#define ADS_GET_DEFAULT_KEY_LENGTH                0
#define ADS_GET_PARTIAL_FULL_KEY_LENGTH           1
#define ADS_GET_FULL_KEY_LENGTH                   2
#define ADS_GET_PRIMARY_WEIGHT_LENGTH             4
#define ADS_TOP                                   1
#define ADS_BOTTOM                                2
#define ADS_RESPECTFILTERS                        1
#define ADS_IGNOREFILTERS                         2
#define ADS_RESPECTSCOPES                         3
#define ADS_REFRESHCOUNT                          4
#define ADS_LOCAL_SERVER                          1
#define ADS_REMOTE_SERVER                         2
#define ADS_AIS_SERVER                            4
#define ADS_CONNECTION                            1
#define ADS_TABLE                                 2
#define ADS_INDEX_ORDER                           3
#define ADS_STATEMENT                             4
#define ADS_CURSOR                                5
#define ADS_DATABASE_CONNECTION                   6
#define ADS_SYS_ADMIN_CONNECTION                  7
#define ADS_FTS_INDEX_ORDER                       8
#define ADS_CURSOR_READONLY                       1
#define ADS_CURSOR_READWRITE                      2
#define ADS_CONSTRAIN                             1
#define ADS_NO_CONSTRAIN                          2
#define ADS_READ_ALL_COLUMNS                      1
#define ADS_READ_SELECT_COLUMNS                   2
#define ADS_NO_OPTIMIZATION                       1
#define ADS_NO_VALIDATE                           0
#define ADS_VALIDATE_NO_SAVE                      1
#define ADS_VALIDATE_WRITE_FAIL                   2
#define ADS_VALIDATE_APPEND_FAIL                  3
#define ADS_VALIDATE_RETURN_ERROR                 4
#define ADS_CMP_LESS                              ( -1 )
#define ADS_CMP_EQUAL                             0
#define ADS_CMP_GREATER                           1
#define ADS_CONNECTIONPROP_USERNAME               0
#define ADS_CONNECTIONPROP_PASSWORD               1
#define ADS_CONNECTIONPROP_PROTOCOL               2
#define ADS_CONNECTIONPROP_ENCRYPTION_TYPE        3
#define ADS_CONNECTIONPROP_FIPS_MODE              4
#define ADS_CONNECTIONPROP_CERTIFICATE_FILE       5
#define ADS_CONNECTIONPROP_CIPHER_SUITE           6
#define ADS_CONNECTIONPROP_COMMON_NAME            7
#define ADS_CONNECTIONPROP_USING_TCP_IP           1
#define ADS_CONNECTIONPROP_USING_TLC              5
#define ADS_CRC_LOCALLY                           1
#define ADS_CRC_IGNOREMEMOPAGES                   2
#define ADS_EVENT_ASYNC                           1
#define ADS_EVENT_WITH_DATA                       2
#define ADS_PRESERVE_ERR                          1
#define ADS_CODE_PAGE                             1
#define ADS_DATABASE_TABLE                        0
#define ADS_NTX                                   1
#define ADS_CDX                                   2
#define ADS_ADT                                   3
#define ADS_VFP                                   4
#define ADS_BASENAME                              1
#define ADS_BASENAMEANDEXT                        2
#define ADS_FULLPATHNAME                          3
#define ADS_DATADICTIONARY_NAME                   4
#define ADS_TABLE_OPEN_NAME                       5
#define ADS_OPTIMIZED_FULL                        1
#define ADS_OPTIMIZED_PART                        2
#define ADS_OPTIMIZED_NONE                        3
#define ADS_DYNAMIC_AOF                           0
#define ADS_RESOLVE_IMMEDIATE                     1
#define ADS_RESOLVE_DYNAMIC                       2
#define ADS_KEYSET_AOF                            4
#define ADS_FIXED_AOF                             8
#define ADS_KEEP_AOF_PLAN                         16
#define ADS_ENCODE_UTF16                          0x2000
#define ADS_ENCODE_UTF8                           0x4000
#define ADS_ENCODING_MASK                         0x6000
#define ADS_AOF_ADD_RECORD                        1
#define ADS_AOF_REMOVE_RECORD                     2
#define ADS_AOF_TOGGLE_RECORD                     3
#define ADS_STORED_PROC                           1
#define ADS_COMSTORED_PROC                        2
#define ADS_SCRIPT_PROC                           4
#define ADS_PROC_VARYING_OUTPUT                   0x1000
#define ADS_ENCRYPTION_RC4                        3
#define ADS_ENCRYPTION_AES128                     5
#define ADS_ENCRYPTION_AES256                     6
#define ADS_MAX_DATEMASK                          12
#define ADS_MAX_ERROR_LEN                         600
#define ADS_MAX_INDEX_EXPR_LEN                    510
#define ADS_MAX_KEY_LENGTH                        4082
#define ADS_MAX_FIELD_NAME                        128
#define ADS_MAX_DBF_FIELD_NAME                    10
#define ADS_MAX_INDEXES                           15
#define ADS_MAX_PATH                              260
#define ADS_MAX_TABLE_NAME                        255
#define ADS_MAX_TAG_NAME                          128
#define ADS_MAX_TAGS                              50
#define ADS_MAX_OBJECT_NAME                       200
#define ADS_MAX_TABLE_AND_PATH                    515
#define ADS_MIN_ADI_PAGESIZE                      512
#define ADS_MAX_ADI_PAGESIZE                      0x2000
#define ADS_TYPE_UNKNOWN                          0
#define ADS_LOGICAL                               1
#define ADS_NUMERIC                               2
#define ADS_DATE                                  3
#define ADS_STRING                                4
#define ADS_MEMO                                  5
#define ADS_BINARY                                6
#define ADS_IMAGE                                 7
#define ADS_VARCHAR                               8
#define ADS_COMPACTDATE                           9
#define ADS_DOUBLE                                10
#define ADS_INTEGER                               11
#define ADS_SHORTINT                              12
#define ADS_TIME                                  13
#define ADS_TIMESTAMP                             14
#define ADS_AUTOINC                               15
#define ADS_RAW                                   16
#define ADS_CURDOUBLE                             17
#define ADS_MONEY                                 18
#define ADS_INT64                                 19
#define ADS_LONGINT                               19
#define ADS_LONGLONG                              19
#define ADS_CISTRING                              20
#define ADS_ROWVERSION                            21
#define ADS_MODTIME                               22
#define ADS_VARCHAR_FOX                           23
#define ADS_VARBINARY_FOX                         24
#define ADS_SYSTEM_FIELD                          25
#define ADS_NCHAR                                 26
#define ADS_NVARCHAR                              27
#define ADS_NMEMO                                 28
#define ADS_GUID                                  29
#define ADS_INDEX_UDF                             1
#define ADS_PROPERTY_UNSPECIFIED                  0
#define ADS_DONT_KILL_APPID                       1
#define ADS_RESTRICT_KILL                         2
#define ADS_CODEUNIT_LENGTH                       0
#define ADS_BYTE_LENGTH                           1
#define ADS_BYTE_LENGTH_IN_BUFFER                 2
#define ADS_FS_MULTICAST_ONLY                     1
#define ADS_FS_CONNECT_ALL                        2
#define ADS_TABLE_CACHE_NONE                      0
#define ADS_TABLE_CACHE_READS                     1
#define ADS_TABLE_CACHE_WRITES                    2
#define ADS_FILTER_FORMAT_ODATA                   1
#define ADS_FILTER_ENCODE_UTF8                    2

/* Error codes */
#define AE_INTERNAL_ERROR                         5000
#define AE_SUCCESS                                0
#define AE_ALLOCATION_FAILED                      5001
#define AE_COMM_MISMATCH                          5002
#define AE_DATA_TOO_LONG                          5003
#define AE_FILE_NOT_FOUND                         5004
#define AE_INSUFFICIENT_BUFFER                    5005
#define AE_INVALID_BOOKMARK                       5006
#define AE_INVALID_CALLBACK                       5007
#define AE_INVALID_CENTURY                        5008
#define AE_INVALID_DATEFORMAT                     5009
#define AE_INVALID_DECIMALS                       5010
#define AE_INVALID_EXPRESSION                     5011
#define AE_INVALID_FIELDDEF                       5012
#define AE_INVALID_FILTER_OPTION                  5013
#define AE_INVALID_INDEX_HANDLE                   5014
#define AE_INVALID_INDEX_NAME                     5015
#define AE_INVALID_INDEX_ORDER_NAME               5016
#define AE_INVALID_INDEX_TYPE                     5017
#define AE_INVALID_HANDLE                         5018
#define AE_INVALID_OPTION                         5019
#define AE_INVALID_PATH                           5020
#define AE_INVALID_POINTER                        5021
#define AE_INVALID_RECORD_NUMBER                  5022
#define AE_INVALID_TABLE_HANDLE                   5023
#define AE_INVALID_CONNECTION_HANDLE              5024
#define AE_INVALID_TABLETYPE                      5025
#define AE_INVALID_WORKAREA                       5026
#define AE_INVALID_CHARSETTYPE                    5027
#define AE_INVALID_LOCKTYPE                       5028
#define AE_INVALID_RIGHTSOPTION                   5029
#define AE_INVALID_FIELDNUMBER                    5030
#define AE_INVALID_KEY_LENGTH                     5031
#define AE_INVALID_FIELDNAME                      5032
#define AE_NO_DRIVE_CONNECTION                    5033
#define AE_FILE_NOT_ON_SERVER                     5034
#define AE_LOCK_FAILED                            5035
#define AE_NO_CONNECTION                          5036
#define AE_NO_FILTER                              5037
#define AE_NO_SCOPE                               5038
#define AE_NO_TABLE                               5039
#define AE_NO_WORKAREA                            5040
#define AE_NOT_FOUND                              5041
#define AE_NOT_IMPLEMENTED                        5042
#define AE_MAX_THREADS_EXCEEDED                   5043
#define AE_START_THREAD_FAIL                      5044
#define AE_TOO_MANY_INDEXES                       5045
#define AE_TOO_MANY_TAGS                          5046
#define AE_TRANS_OUT_OF_SEQUENCE                  5047
#define AE_UNKNOWN_ERRCODE                        5048
#define AE_UNSUPPORTED_LANGUAGE                   5049
#define AE_NAME_TOO_LONG                          5050
#define AE_DUPLICATE_ALIAS                        5051
#define AE_TABLE_CLOSED_IN_TRANSACTION            5053
#define AE_PERMISSION_DENIED                      5054
#define AE_STRING_NOT_FOUND                       5055
#define AE_UNKNOWN_CHAR_SET                       5056
#define AE_INVALID_OEM_CHAR_FILE                  5057
#define AE_INVALID_MEMO_BLOCK_SIZE                5058
#define AE_NO_FILE_FOUND                          5059
#define AE_NO_INF_LOCK                            5060
#define AE_INF_FILE_ERROR                         5061
#define AE_RECORD_NOT_LOCKED                      5062
#define AE_ILLEGAL_COMMAND_DURING_TRANS           5063
#define AE_TABLE_NOT_SHARED                       5064
#define AE_INDEX_ALREADY_OPEN                     5065
#define AE_INVALID_FIELD_TYPE                     5066
#define AE_TABLE_NOT_EXCLUSIVE                    5067
#define AE_NO_CURRENT_RECORD                      5068
#define AE_PRECISION_LOST                         5069
#define AE_INVALID_DATA_TYPE                      5070
#define AE_DATA_TRUNCATED                         5071
#define AE_TABLE_READONLY                         5072
#define AE_INVALID_RECORD_LENGTH                  5073
#define AE_NO_ERROR_MESSAGE                       5074
#define AE_INDEX_SHARED                           5075
#define AE_INDEX_EXISTS                           5076
#define AE_CYCLIC_RELATION                        5077
#define AE_INVALID_RELATION                       5078
#define AE_INVALID_DAY                            5079
#define AE_INVALID_MONTH                          5080
#define AE_CORRUPT_TABLE                          5081
#define AE_INVALID_BINARY_OFFSET                  5082
#define AE_BINARY_FILE_ERROR                      5083
#define AE_INVALID_DELETED_BYTE_VALUE             5084
#define AE_NO_PENDING_UPDATE                      5085
#define AE_PENDING_UPDATE                         5086
#define AE_TABLE_NOT_LOCKED                       5087
#define AE_CORRUPT_INDEX                          5088
#define AE_AUTOOPEN_INDEX                         5089
#define AE_SAME_TABLE                             5090
#define AE_INVALID_IMAGE                          5091
#define AE_COLLATION_SEQUENCE_MISMATCH            5092
#define AE_INVALID_INDEX_ORDER                    5093
#define AE_TABLE_CACHED                           5094
#define AE_INVALID_DATE                           5095
#define AE_ENCRYPTION_NOT_ENABLED                 5096
#define AE_INVALID_PASSWORD                       5097
#define AE_TABLE_ENCRYPTED                        5098
#define AE_SERVER_MISMATCH                        5099
#define AE_INVALID_USERNAME                       5100
#define AE_INVALID_VALUE                          5101
#define AE_INVALID_CONTINUE                       5102
#define AE_UNRECOGNIZED_VERSION                   5103
#define AE_RECORD_ENCRYPTED                       5104
#define AE_UNRECOGNIZED_ENCRYPTION                5105
#define AE_INVALID_SQLSTATEMENT_HANDLE            5106
#define AE_INVALID_SQLCURSOR_HANDLE               5107
#define AE_NOT_PREPARED                           5108
#define AE_CURSOR_NOT_CLOSED                      5109
#define AE_INVALID_SQL_PARAM_NUMBER               5110
#define AE_INVALID_SQL_PARAM_NAME                 5111
#define AE_INVALID_COLUMN_NUMBER                  5112
#define AE_INVALID_COLUMN_NAME                    5113
#define AE_INVALID_READONLY_OPTION                5114
#define AE_IS_CURSOR_HANDLE                       5115
#define AE_INDEX_EXPR_NOT_FOUND                   5116
#define AE_NOT_DML                                5117
#define AE_INVALID_CONSTRAIN_TYPE                 5118
#define AE_INVALID_CURSORHANDLE                   5119
#define AE_OBSOLETE_FUNCTION                      5120
#define AE_TADSDATASET_GENERAL                    5121
#define AE_UDF_OVERWROTE_BUFFER                   5122
#define AE_INDEX_UDF_NOT_SET                      5123
#define AE_CONCURRENT_PROBLEM                     5124
#define AE_INVALID_DICTIONARY_HANDLE              5125
#define AE_INVALID_PROPERTY_ID                    5126
#define AE_INVALID_PROPERTY                       5127
#define AE_DICTIONARY_ALREADY_EXISTS              5128
#define AE_INVALID_FIND_HANDLE                    5129
#define AE_DD_REQUEST_NOT_COMPLETED               5130
#define AE_INVALID_OBJECT_ID                      5131
#define AE_INVALID_OBJECT_NAME                    5132
#define AE_INVALID_PROPERTY_LENGTH                5133
#define AE_INVALID_KEY_OPTIONS                    5134
#define AE_CONSTRAINT_VALIDATION_ERROR            5135
#define AE_INVALID_OBJECT_TYPE                    5136
#define AE_NO_OBJECT_FOUND                        5137
#define AE_PROPERTY_NOT_SET                       5138
#define AE_NO_PRIMARY_KEY_EXISTS                  5139
#define AE_LOCAL_CONN_DISABLED                    5140
#define AE_RI_RESTRICT                            5141
#define AE_RI_CASCADE                             5142
#define AE_RI_FAILED                              5143
#define AE_RI_CORRUPTED                           5144
#define AE_RI_UNDO_FAILED                         5145
#define AE_RI_RULE_EXISTS                         5146
#define AE_COLUMN_CANNOT_BE_NULL                  5147
#define AE_MIN_CONSTRAINT_VIOLATION               5148
#define AE_MAX_CONSTRAINT_VIOLATION               5149
#define AE_RECORD_CONSTRAINT_VIOLATION            5150
#define AE_CANNOT_DELETE_TEMP_INDEX               5151
#define AE_RESTRUCTURE_FAILED                     5152
#define AE_INVALID_STATEMENT                      5153
#define AE_STORED_PROCEDURE_FAILED                5154
#define AE_INVALID_DICTIONARY_FILE                5155
#define AE_NOT_MEMBER_OF_GROUP                    5156
#define AE_ALREADY_MEMBER_OF_GROUP                5157
#define AE_INVALID_OBJECT_RIGHT                   5158
#define AE_INVALID_OBJECT_PERMISSION              5158
#define AE_CANNOT_OPEN_DATABASE_TABLE             5159
#define AE_INVALID_CONSTRAINT                     5160
#define AE_NOT_ADMINISTRATOR                      5161
#define AE_NO_TABLE_ENCRYPTION_PASSWORD           5162
#define AE_TABLE_NOT_ENCRYPTED                    5163
#define AE_INVALID_ENCRYPTION_VERSION             5164
#define AE_NO_STORED_PROC_EXEC_RIGHTS             5165
#define AE_DD_UNSUPPORTED_DEPLOYMENT              5166
#define AE_INFO_AUTO_CREATION_OCCURRED            5168
#define AE_INFO_COPY_MADE_BY_CLIENT               5169
#define AE_DATABASE_REQUIRES_NEW_SERVER           5170
#define AE_COLUMN_PERMISSION_DENIED               5171
#define AE_DATABASE_REQUIRES_NEW_CLIENT           5172
#define AE_INVALID_LINK_NUMBER                    5173
#define AE_LINK_ACTIVATION_FAILED                 5174
#define AE_INDEX_COLLATION_MISMATCH               5175
#define AE_ILLEGAL_USER_OPERATION                 5176
#define AE_TRIGGER_FAILED                         5177
#define AE_NO_ASA_FUNCTION_FOUND                  5178
#define AE_VALUE_OVERFLOW                         5179
#define AE_UNRECOGNIZED_FTS_VERSION               5180
#define AE_TRIG_CREATION_FAILED                   5181
#define AE_MEMTABLE_SIZE_EXCEEDED                 5182
#define AE_OUTDATED_CLIENT_VERSION                5183
#define AE_FREE_TABLE                             5184
#define AE_LOCAL_CONN_RESTRICTED                  5185
#define AE_OLD_RECORD                             5186
#define AE_QUERY_NOT_ACTIVE                       5187
#define AE_KEY_EXCEEDS_PAGE_SIZE                  5188
#define AE_TABLE_FOUND                            5189
#define AE_TABLE_NOT_FOUND                        5190
#define AE_LOCK_OBJECT                            5191
#define AE_INVALID_REPLICATION_IDENT              5192
#define AE_ILLEGAL_COMMAND_DURING_BACKUP          5193
#define AE_NO_MEMO_FILE                           5194
#define AE_SUBSCRIPTION_QUEUE_NOT_EMPTY           5195
#define AE_UNABLE_TO_DISABLE_TRIGGERS             5196
#define AE_UNABLE_TO_ENABLE_TRIGGERS              5197
#define AE_BACKUP                                 5198
#define AE_FREETABLEFAILED                        5199
#define AE_BLURRY_SNAPSHOT                        5200
#define AE_INVALID_VERTICAL_FILTER                5201
#define AE_INVALID_USE_OF_HANDLE_IN_AEP           5202
#define AE_COLLATION_NOT_RECOGNIZED               5203
#define AE_INVALID_COLLATION                      5204
#define AE_NOT_VFP_NULLABLE_FIELD                 5205
#define AE_NOT_VFP_VARIABLE_FIELD                 5206
#define AE_ILLEGAL_EVENT_COMMAND                  5207
#define AE_KEY_CANNOT_BE_NULL                     5208
#define AE_COLLATIONS_DO_NOT_MATCH                5209
#define AE_INVALID_APPID                          5210
#define AE_UNICODE_CONVERSION                     5211
#define AE_UNICODE_COLLATION                      5212
#define AE_SERVER_ENUMERATION_ERROR               5213
#define AE_UNABLE_TO_LOAD_SSL                     5214
#define AE_UNABLE_TO_VERIFY_SIGNATURE             5215
#define AE_UNABLE_TO_LOAD_SSL_ENTRYPOINT          5216
#define AE_CRYPTO_ERROR                           5217
#define AE_UNRECOGNIZED_CIPHER                    5218
#define AE_FIPS_MODE_ENCRYPTION                   5219
#define AE_FIPS_REQUIRED                          5220
#define AE_FIPS_NOT_ALLOWED                       5221
#define AE_FIPS_MODE_FAILED                       5222
#define AE_PASSWORD_REQUIRED                      5223
#define AE_CONNECTION_TIMED_OUT                   5224
#define AE_DELTA_SUPPORT_NOT_POSSIBLE             5225
#define AE_QUERY_LOGGING_ERROR                    5226
#define AE_COMPRESSION_FAILED                     5227
#define AE_INVALID_DATA                           5228
#define AE_ROWVERSION_REQUIRED                    5229
#define AE_FILE_IN_USE                            7008
#define AE_UNIQUE_KEY_VIOLATION                   7057
#define AE_NO_PRIMARY_KEY_FOUND                   7076
#define AE_CANNOT_OPEN_DICTIONARY                 7077
#define AE_AUTHENTICATION_FAILED                  7078
#define AE_NO_READ_PERMISSION                     7079
#define AE_NO_WRITE_PERMISSION                    7080
#define AE_DICTIONARY_REQUIRED                    7083
#define AE_NO_DIRECT_ACCESS                       7086
#define AE_PERMISSION_NOT_GRANTED                 7087
#define AE_FTS_UNCLOSED_PHRASE                    7094
#define AE_FTS_UNCLOSED_EXPRESSION                7095
#define AE_FTS_MISSING_WORD                       7096
#define AE_FTS_INVALID_CONDITION                  7097
#define AE_FTS_INVALID_OPERANDS                   7098
#define AE_FTS_INVALID_DISTANCE                   7099
#define AE_FTS_NO_INDEX                           7102
#define AE_FTS_EMPTY_CONDITION                    7103
#define AE_LOGINS_DISABLED                        7109
#define AE_USER_LOGIN_DISABLED                    7113
#define AE_CASCADE_FAILED                         7118
#define AE_SQL_ERROR                              7200
#define AE_OPERATION_ABORTED                      7209
#define AE_APPEND_LOCK_FAILED                     1024

/* Data dictionaries */
#define ADS_DD_PROPERTY_NOT_AVAIL                 0xFFFF
#define ADS_DD_MAX_PROPERTY_LEN                   0xFFFE
#define ADS_DD_MAX_OBJECT_NAME_LEN                200
#define ADS_DD_UNKNOWN_OBJECT                     0
#define ADS_DD_TABLE_OBJECT                       1
#define ADS_DD_RELATION_OBJECT                    2
#define ADS_DD_INDEX_FILE_OBJECT                  3
#define ADS_DD_FIELD_OBJECT                       4
#define ADS_DD_COLUMN_OBJECT                      4
#define ADS_DD_INDEX_OBJECT                       5
#define ADS_DD_VIEW_OBJECT                        6
#define ADS_DD_VIEW_OR_TABLE_OBJECT               7
#define ADS_DD_USER_OBJECT                        8
#define ADS_DD_USER_GROUP_OBJECT                  9
#define ADS_DD_PROCEDURE_OBJECT                   10
#define ADS_DD_DATABASE_OBJECT                    11
#define ADS_DD_LINK_OBJECT                        12
#define ADS_DD_TABLE_VIEW_OR_LINK_OBJECT          13
#define ADS_DD_TRIGGER_OBJECT                     14
#define ADS_DD_PUBLICATION_OBJECT                 15
#define ADS_DD_ARTICLE_OBJECT                     16
#define ADS_DD_SUBSCRIPTION_OBJECT                17
#define ADS_DD_FUNCTION_OBJECT                    18
#define ADS_DD_PACKAGE_OBJECT                     19
#define ADS_DD_QUALIFIED_TRIGGER_OBJ              20
#define ADS_DD_PERMISSION_OBJECT                  21
#define ADS_DD_DATABASE_TRIGGER_OBJ               22
#define ADS_DD_COMMENT                            1
#define ADS_DD_VERSION                            2
#define ADS_DD_USER_DEFINED_PROP                  3
#define ADS_DD_OBJECT_NAME                        4
#define ADS_DD_TRIGGERS_DISABLED                  5
#define ADS_DD_OBJECT_ID                          6
#define ADS_DD_OPTIONS                            7
#define ADS_DD_QVR_OPT_QUERY                      1
#define ADS_DD_QVR_OPT_PROCEDURE                  2
#define ADS_DD_DEFAULT_TABLE_PATH                 100
#define ADS_DD_ADMIN_PASSWORD                     101
#define ADS_DD_TEMP_TABLE_PATH                    102
#define ADS_DD_LOG_IN_REQUIRED                    103
#define ADS_DD_VERIFY_ACCESS_RIGHTS               104
#define ADS_DD_ENCRYPT_TABLE_PASSWORD             105
#define ADS_DD_ENCRYPT_NEW_TABLE                  106
#define ADS_DD_ENABLE_INTERNET                    107
#define ADS_DD_INTERNET_SECURITY_LEVEL            108
#define ADS_DD_MAX_FAILED_ATTEMPTS                109
#define ADS_DD_ALLOW_ADSSYS_NET_ACCESS            110
#define ADS_DD_VERSION_MAJOR                      111
#define ADS_DD_VERSION_MINOR                      112
#define ADS_DD_LOGINS_DISABLED                    113
#define ADS_DD_LOGINS_DISABLED_ERRSTR             114
#define ADS_DD_FTS_DELIMITERS                     115
#define ADS_DD_FTS_NOISE                          116
#define ADS_DD_FTS_DROP_CHARS                     117
#define ADS_DD_FTS_CONDITIONAL_CHARS              118
#define ADS_DD_ENCRYPTED                          119
#define ADS_DD_ENCRYPT_INDEXES                    120
#define ADS_DD_QUERY_LOG_TABLE                    121
#define ADS_DD_ENCRYPT_COMMUNICATION              122
#define ADS_DD_DEFAULT_TABLE_RELATIVE_PATH        123
#define ADS_DD_TEMP_TABLE_RELATIVE_PATH           124
#define ADS_DD_DISABLE_DLL_CACHING                125
#define ADS_DD_DATA_ENCRYPTION_TYPE               126
#define ADS_DD_FTS_DELIMITERS_W                   127
#define ADS_DD_FTS_NOISE_W                        128
#define ADS_DD_FTS_DROP_CHARS_W                   129
#define ADS_DD_FTS_CONDITIONAL_CHARS_W            130
#define ADS_DD_QUERY_VIA_ROOT                     131
#define ADS_DD_ENFORCE_MAX_FAILED_LOGINS          132
#define ADS_DD_TABLE_VALIDATION_EXPR              200
#define ADS_DD_TABLE_VALIDATION_MSG               201
#define ADS_DD_TABLE_PRIMARY_KEY                  202
#define ADS_DD_TABLE_AUTO_CREATE                  203
#define ADS_DD_TABLE_TYPE                         204
#define ADS_DD_TABLE_PATH                         205
#define ADS_DD_TABLE_FIELD_COUNT                  206
#define ADS_DD_TABLE_RI_GRAPH                     207
#define ADS_DD_TABLE_OBJ_ID                       208
#define ADS_DD_TABLE_RI_XY                        209
#define ADS_DD_TABLE_IS_RI_PARENT                 210
#define ADS_DD_TABLE_RELATIVE_PATH                211
#define ADS_DD_TABLE_CHAR_TYPE                    212
#define ADS_DD_TABLE_DEFAULT_INDEX                213
#define ADS_DD_TABLE_ENCRYPTION                   214
#define ADS_DD_TABLE_MEMO_BLOCK_SIZE              215
#define ADS_DD_TABLE_PERMISSION_LEVEL             216
#define ADS_DD_TABLE_TRIGGER_TYPES                217
#define ADS_DD_TABLE_TRIGGER_OPTIONS              218
#define ADS_DD_TABLE_CACHING                      219
#define ADS_DD_TABLE_TXN_FREE                     220
#define ADS_DD_TABLE_VALIDATION_EXPR_W            221
#define ADS_DD_TABLE_WEB_DELTA                    222
#define ADS_DD_TABLE_CONCURRENCY_ENABLED          223
#define ADS_DD_FIELD_OPT_VFP_BINARY               1
#define ADS_DD_FIELD_OPT_VFP_NULLABLE             2
#define ADS_DD_FIELD_OPT_COMPRESSED               0x10000
#define ADS_DD_FIELD_DEFAULT_VALUE                300
#define ADS_DD_FIELD_CAN_NULL                     301
#define ADS_DD_FIELD_MIN_VALUE                    302
#define ADS_DD_FIELD_MAX_VALUE                    303
#define ADS_DD_FIELD_VALIDATION_MSG               304
#define ADS_DD_FIELD_DEFINITION                   305
#define ADS_DD_FIELD_TYPE                         306
#define ADS_DD_FIELD_LENGTH                       307
#define ADS_DD_FIELD_DECIMAL                      308
#define ADS_DD_FIELD_NUM                          309
#define ADS_DD_FIELD_OPTIONS                      310
#define ADS_DD_FIELD_DEFAULT_VALUE_W              311
#define ADS_DD_FIELD_MIN_VALUE_W                  312
#define ADS_DD_FIELD_MAX_VALUE_W                  313
#define ADS_DD_INDEX_FILE_NAME                    400
#define ADS_DD_INDEX_EXPRESSION                   401
#define ADS_DD_INDEX_CONDITION                    402
#define ADS_DD_INDEX_OPTIONS                      403
#define ADS_DD_INDEX_KEY_LENGTH                   404
#define ADS_DD_INDEX_KEY_TYPE                     405
#define ADS_DD_INDEX_FTS_MIN_LENGTH               406
#define ADS_DD_INDEX_FTS_DELIMITERS               407
#define ADS_DD_INDEX_FTS_NOISE                    408
#define ADS_DD_INDEX_FTS_DROP_CHARS               409
#define ADS_DD_INDEX_FTS_CONDITIONAL_CHARS        410
#define ADS_DD_INDEX_COLLATION                    411
#define ADS_DD_INDEX_FTS_DELIMITERS_W             412
#define ADS_DD_INDEX_FTS_NOISE_W                  413
#define ADS_DD_INDEX_FTS_DROP_CHARS_W             414
#define ADS_DD_INDEX_FTS_CONDITIONAL_CHARS_W      415
#define ADS_DD_RI_PARENT_GRAPH                    500
#define ADS_DD_RI_PRIMARY_TABLE                   501
#define ADS_DD_RI_PRIMARY_INDEX                   502
#define ADS_DD_RI_FOREIGN_TABLE                   503
#define ADS_DD_RI_FOREIGN_INDEX                   504
#define ADS_DD_RI_UPDATERULE                      505
#define ADS_DD_RI_DELETERULE                      506
#define ADS_DD_RI_NO_PKEY_ERROR                   507
#define ADS_DD_RI_CASCADE_ERROR                   508
#define ADS_DD_USER_GROUP_NAME                    600
#define ADS_DD_VIEW_STMT                          700
#define ADS_DD_VIEW_STMT_LEN                      701
#define ADS_DD_VIEW_TRIGGER_TYPES                 702
#define ADS_DD_VIEW_TRIGGER_OPTIONS               703
#define ADS_DD_PROC_INPUT                         800
#define ADS_DD_PROC_OUTPUT                        801
#define ADS_DD_PROC_DLL_NAME                      802
#define ADS_DD_PROC_DLL_FUNCTION_NAME             803
#define ADS_DD_PROC_INVOKE_OPTION                 804
#define ADS_DD_PROC_SCRIPT                        805
#define ADS_DD_PROC_SCRIPT_W                      806
#define ADS_DD_INDEX_FILE_PATH                    900
#define ADS_DD_INDEX_FILE_PAGESIZE                901
#define ADS_DD_INDEX_FILE_RELATIVE_PATH           902
#define ADS_DD_INDEX_FILE_TYPE                    903
#define ADS_DD_TABLES_RIGHTS                      1001
#define ADS_DD_VIEWS_RIGHTS                       1002
#define ADS_DD_PROCS_RIGHTS                       1003
#define ADS_DD_OBJECTS_RIGHTS                     1004
#define ADS_DD_FREE_TABLES_RIGHTS                 1005
#define ADS_DD_USER_PASSWORD                      1101
#define ADS_DD_USER_GROUP_MEMBERSHIP              1102
#define ADS_DD_USER_BAD_LOGINS                    1103
#define ADS_DD_CURRENT_USER_PASSWORD              1104
#define ADS_DD_REQUIRE_OLD_PASSWORD               1105
#define ADS_DD_LINK_PATH                          1300
#define ADS_DD_LINK_OPTIONS                       1301
#define ADS_DD_LINK_USERNAME                      1302
#define ADS_DD_LINK_RELATIVE_PATH                 1303
#define ADS_DD_TRIG_TABLEID                       1400
#define ADS_DD_TRIG_EVENT_TYPE                    1401
#define ADS_DD_TRIG_TRIGGER_TYPE                  1402
#define ADS_DD_TRIG_CONTAINER_TYPE                1403
#define ADS_DD_TRIG_CONTAINER                     1404
#define ADS_DD_TRIG_FUNCTION_NAME                 1405
#define ADS_DD_TRIG_PRIORITY                      1406
#define ADS_DD_TRIG_OPTIONS                       1407
#define ADS_DD_TRIG_CONTAINER_W                   1409
#define ADS_DD_TRIG_TABLENAME                     1408
#define ADS_DD_PUBLICATION_OPTIONS                1500
#define ADS_DD_ARTICLE_FILTER                     1600
#define ADS_DD_ARTICLE_ID_COLUMNS                 1601
#define ADS_DD_ARTICLE_ID_COLUMN_NUMBERS          1602
#define ADS_DD_ARTICLE_FILTER_SHORT               1603
#define ADS_DD_ARTICLE_INCLUDE_COLUMNS            1604
#define ADS_DD_ARTICLE_EXCLUDE_COLUMNS            1605
#define ADS_DD_ARTICLE_INC_COLUMN_NUMBERS         1606
#define ADS_DD_ARTICLE_INSERT_MERGE               1607
#define ADS_DD_ARTICLE_UPDATE_MERGE               1608
#define ADS_DD_ARTICLE_FILTER_W                   1609
#define ADS_DD_SUBSCR_PUBLICATION_NAME            1700
#define ADS_DD_SUBSCR_TARGET                      1701
#define ADS_DD_SUBSCR_USERNAME                    1702
#define ADS_DD_SUBSCR_PASSWORD                    1703
#define ADS_DD_SUBSCR_FORWARD                     1704
#define ADS_DD_SUBSCR_ENABLED                     1705
#define ADS_DD_SUBSCR_QUEUE_NAME                  1706
#define ADS_DD_SUBSCR_OPTIONS                     1707
#define ADS_DD_SUBSCR_QUEUE_NAME_RELATIVE         1708
#define ADS_DD_SUBSCR_PAUSED                      1709
#define ADS_DD_SUBSCR_COMM_TCP_IP                 1710
#define ADS_DD_SUBSCR_COMM_TCP_IP_V6              1711
#define ADS_DD_SUBSCR_COMM_UDP_IP                 1712
#define ADS_DD_SUBSCR_COMM_IPX                    1713
#define ADS_DD_SUBSCR_OPTIONS_INTERNAL            1714
#define ADS_DD_SUBSCR_COMM_TLS                    1715
#define ADS_DD_SUBSCR_CONNECTION_STR              1716
#define ADS_DD_LEVEL_0                            0
#define ADS_DD_LEVEL_1                            1
#define ADS_DD_LEVEL_2                            2
#define ADS_DD_RI_CASCADE                         1
#define ADS_DD_RI_RESTRICT                        2
#define ADS_DD_RI_SETNULL                         3
#define ADS_DD_RI_SETDEFAULT                      4
#define ADS_DD_DFV_UNKNOWN                        1
#define ADS_DD_DFV_NONE                           2
#define ADS_DD_DFV_VALUES_STORED                  3
#define ADS_PERMISSION_NONE                       0
#define ADS_PERMISSION_READ                       1
#define ADS_PERMISSION_UPDATE                     2
#define ADS_PERMISSION_EXECUTE                    4
#define ADS_PERMISSION_INHERIT                    8
#define ADS_PERMISSION_INSERT                     16
#define ADS_PERMISSION_DELETE                     32
#define ADS_PERMISSION_LINK_ACCESS                64
#define ADS_PERMISSION_CREATE                     128
#define ADS_PERMISSION_ALTER                      256
#define ADS_PERMISSION_DROP                       512
#define ADS_PERMISSION_WITH_GRANT                 0x80000000
#define ADS_PERMISSION_ALL_WITH_GRANT             0x8FFFFFFF
#define ADS_PERMISSION_ALL                        0xFFFFFFFF
#define ADS_GET_PERMISSIONS_WITH_GRANT            0x8000FFFF
#define ADS_GET_PERMISSIONS_CREATE                0xFFFF0080
#define ADS_GET_PERMISSIONS_CREATE_WITH_GRANT     0x8FFFFF8F
#define ADS_LINK_GLOBAL                           1
#define ADS_LINK_AUTH_ACTIVE_USER                 2
#define ADS_LINK_PATH_IS_STATIC                   4
#define ADS_TRIGEVENT_INSERT                      1
#define ADS_TRIGEVENT_UPDATE                      2
#define ADS_TRIGEVENT_DELETE                      3
#define ADS_TRIGEVENT_OPEN_TABLE                  4
#define ADS_TRIGEVENT_CLOSE_TABLE                 5
#define ADS_TRIGEVENT_CONNECT                     6
#define ADS_TRIGEVENT_DISCONNECT                  7
#define ADS_TRIGTYPE_BEFORE                       1
#define ADS_TRIGTYPE_INSTEADOF                    2
#define ADS_TRIGTYPE_AFTER                        4
#define ADS_TRIGTYPE_CONFLICTON                   8
#define ADS_TRIG_WIN32DLL                         1
#define ADS_TRIG_COM                              2
#define ADS_TRIG_SCRIPT                           3
#define ADS_TRIGOPTIONS_NO_VALUES                 0
#define ADS_TRIGOPTIONS_WANT_VALUES               1
#define ADS_TRIGOPTIONS_WANT_MEMOS_AND_BLOBS      2
#define ADS_TRIGOPTIONS_DEFAULT                   3
#define ADS_TRIGOPTIONS_NO_TRANSACTION            4
#define ADS_DD_TABLE_PERMISSION_LEVEL_1           1
#define ADS_DD_TABLE_PERMISSION_LEVEL_2           2
#define ADS_DD_TABLE_PERMISSION_LEVEL_3           3
#define ADS_KEEP_TABLE_FILE_NAME                  1
#define ADS_IDENTIFY_BY_PRIMARY                   1
#define ADS_IDENTIFY_BY_ALL                       2
#define ADS_SUBSCR_QUEUE_IS_STATIC                1
#define ADS_SUBSCR_AIS_TARGET                     2
#define ADS_SUBSCR_IGNORE_FAILED_REP              4
#define ADS_SUBSCR_LOG_FAILED_REP_DATA            8

/* Management */
#define ADS_MAX_CFG_PATH                          256
#define ADS_MGMT_NETWARE_SERVER                   1
#define ADS_MGMT_NETWARE4_OR_OLDER_SERVER         1
#define ADS_MGMT_NT_SERVER                        2
#define ADS_MGMT_LOCAL_SERVER                     3
#define ADS_MGMT_WIN9X_SERVER                     4
#define ADS_MGMT_NETWARE5_OR_NEWER_SERVER         5
#define ADS_MGMT_LINUX_SERVER                     6
#define ADS_MGMT_NT_SERVER_64_BIT                 7
#define ADS_MGMT_LINUX_SERVER_64_BIT              8
#define ADS_MGMT_NO_LOCK                          1
#define ADS_MGMT_RECORD_LOCK                      2
#define ADS_MGMT_FILE_LOCK                        3
#define ADS_REG_OWNER_LEN                         36
#define ADS_REVISION_LEN                          16
#define ADS_INST_DATE_LEN                         16
#define ADS_OEM_CHAR_NAME_LEN                     16
#define ADS_ANSI_CHAR_NAME_LEN                    16
#define ADS_SERIAL_NUM_LEN                        16
#define ADS_MGMT_MAX_PATH                         260
#define ADS_MGMT_PROPRIETARY_LOCKING              1
#define ADS_MGMT_CDX_LOCKING                      2
#define ADS_MGMT_NTX_LOCKING                      3
#define ADS_MGMT_ADT_LOCKING                      4
#define ADS_MGMT_COMIX_LOCKING                    5
#define ADS_MAX_USER_NAME                         50
#define ADS_MAX_ADDRESS_SIZE                      30
#define ADS_MAX_MGMT_APPID_SIZE                   70

/* Character sets */
#define CZECH_VFP_CI_AS_1250                      3
#define GENERAL_VFP_CI_AS_1250                    4
#define HUNGARY_VFP_CI_AS_1250                    5
#define MACHINE_VFP_BIN_1250                      6
#define POLISH_VFP_CI_AS_1250                     7
#define SLOVAK_VFP_CI_AS_1250                     8
#define MACHINE_VFP_BIN_1251                      9
#define RUSSIAN_VFP_CI_AS_1251                    10
#define DUTCH_VFP_CI_AS_1252                      11
#define GENERAL_VFP_CI_AS_1252                    12
#define GERMAN_VFP_CI_AS_1252                     13
#define ICELAND_VFP_CI_AS_1252                    14
#define MACHINE_VFP_BIN_1252                      15
#define NORDAN_VFP_CI_AS_1252                     16
#define SPANISH_VFP_CI_AS_1252                    17
#define SWEFIN_VFP_CI_AS_1252                     18
#define UNIQWT_VFP_CS_AS_1252                     19
#define GREEK_VFP_CI_AS_1253                      20
#define MACHINE_VFP_BIN_1253                      21
#define GENERAL_VFP_CI_AS_1254                    22
#define MACHINE_VFP_BIN_1254                      23
#define TURKISH_VFP_CI_AS_1254                    24
#define DUTCH_VFP_CI_AS_437                       25
#define GENERAL_VFP_CI_AS_437                     26
#define GERMAN_VFP_CI_AS_437                      27
#define ICELAND_VFP_CI_AS_437                     28
#define MACHINE_VFP_BIN_437                       29
#define NORDAN_VFP_CI_AS_437                      30
#define SPANISH_VFP_CI_AS_437                     31
#define SWEFIN_VFP_CI_AS_437                      32
#define UNIQWT_VFP_CS_AS_437                      33
#define GENERAL_VFP_CI_AS_620                     34
#define MACHINE_VFP_BIN_620                       35
#define POLISH_VFP_CI_AS_620                      36
#define GREEK_VFP_CI_AS_737                       37
#define MACHINE_VFP_BIN_737                       38
#define DUTCH_VFP_CI_AS_850                       39
#define GENERAL_VFP_CI_AS_850                     40
#define ICELAND_VFP_CI_AS_850                     41
#define MACHINE_VFP_BIN_850                       42
#define NORDAN_VFP_CI_AS_850                      43
#define SPANISH_VFP_CI_AS_850                     44
#define SWEFIN_VFP_CI_AS_850                      45
#define UNIQWT_VFP_CS_AS_850                      46
#define CZECH_VFP_CI_AS_852                       47
#define GENERAL_VFP_CI_AS_852                     48
#define HUNGARY_VFP_CI_AS_852                     49
#define MACHINE_VFP_BIN_852                       50
#define POLISH_VFP_CI_AS_852                      51
#define SLOVAK_VFP_CI_AS_852                      52
#define GENERAL_VFP_CI_AS_857                     53
#define MACHINE_VFP_BIN_857                       54
#define TURKISH_VFP_CI_AS_857                     55
#define GENERAL_VFP_CI_AS_861                     56
#define ICELAND_VFP_CI_AS_861                     57
#define MACHINE_VFP_BIN_861                       58
#define GENERAL_VFP_CI_AS_865                     59
#define MACHINE_VFP_BIN_865                       60
#define NORDAN_VFP_CI_AS_865                      61
#define SWEFIN_VFP_CI_AS_865                      62
#define MACHINE_VFP_BIN_866                       63
#define RUSSIAN_VFP_CI_AS_866                     64
#define CZECH_VFP_CI_AS_895                       65
#define GENERAL_VFP_CI_AS_895                     66
#define MACHINE_VFP_BIN_895                       67
#define SLOVAK_VFP_CI_AS_895                      68
#define DANISH_ADS_CS_AS_1252                     69
#define DUTCH_ADS_CS_AS_1252                      70
#define ENGL_AMER_ADS_CS_AS_1252                  71
#define ENGL_CAN_ADS_CS_AS_1252                   72
#define ENGL_UK_ADS_CS_AS_1252                    73
#define FINNISH_ADS_CS_AS_1252                    74
#define FRENCH_ADS_CS_AS_1252                     75
#define FRENCH_CAN_ADS_CS_AS_1252                 76
#define GERMAN_ADS_CS_AS_1252                     77
#define ICELANDIC_ADS_CS_AS_1252                  78
#define ITALIAN_ADS_CS_AS_1252                    79
#define NORWEGIAN_ADS_CS_AS_1252                  80
#define PORTUGUESE_ADS_CS_AS_1252                 81
#define SPANISH_ADS_CS_AS_1252                    82
#define SPAN_MOD_ADS_CS_AS_1252                   83
#define SWEDISH_ADS_CS_AS_1252                    84
#define RUSSIAN_ADS_CS_AS_1251                    85
#define ASCII_ADS_CS_AS_1252                      86
#define TURKISH_ADS_CS_AS_1254                    87
#define POLISH_ADS_CS_AS_1250                     88
#define BALTIC_ADS_CS_AS_1257                     89
#define UKRAINIAN_ADS_CS_AS_1251                  90
#define DUDEN_DE_ADS_CS_AS_1252                   91
#define USA_ADS_CS_AS_437                         92
#define DANISH_ADS_CS_AS_865                      93
#define DUTCH_ADS_CS_AS_850                       94
#define FINNISH_ADS_CS_AS_865                     95
#define FRENCH_ADS_CS_AS_863                      96
#define GERMAN_ADS_CS_AS_850                      97
#define GREEK437_ADS_CS_AS_437                    98
#define GREEK851_ADS_CS_AS_851                    99
#define ICELD850_ADS_CS_AS_850                    100
#define ICELD861_ADS_CS_AS_861                    101
#define ITALIAN_ADS_CS_AS_850                     102
#define NORWEGN_ADS_CS_AS_865                     103
#define PORTUGUE_ADS_CS_AS_860                    104
#define SPANISH_ADS_CS_AS_852                     105
#define SWEDISH_ADS_CS_AS_865                     106
#define MAZOVIA_ADS_CS_AS_852                     107
#define PC_LATIN_ADS_CS_AS_852                    108
#define ISOLATIN_ADS_CS_AS_850                    109
#define RUSSIAN_ADS_CS_AS_866                     110
#define NTXCZ852_ADS_CS_AS_852                    111
#define NTXCZ895_ADS_CS_AS_895                    112
#define NTXSL852_ADS_CS_AS_852                    113
#define NTXSL895_ADS_CS_AS_895                    114
#define NTXHU852_ADS_CS_AS_852                    115
#define NTXPL852_ADS_CS_AS_852                    116
#define TURKISH_ADS_CS_AS_857                     117
#define BOSNIAN_ADS_CS_AS_775                     118

#define ADS_ROOT_DD_ALIAS                         "__rootdd"

/* Structures of the management calls */
typedef struct
{
   UNSIGNED32 ulRecordNumber;
} ADS_MGMT_RECORD_INFO;

typedef struct
{
   UNSIGNED16 usDays;
   UNSIGNED16 usHours;
   UNSIGNED16 usMinutes;
   UNSIGNED16 usSeconds;
} ADS_MGMT_UPTIME_INFO;

typedef struct
{
   UNSIGNED32 ulInUse;
   UNSIGNED32 ulMaxUsed;
   UNSIGNED32 ulRejected;
} ADS_MGMT_USAGE_INFO;

typedef struct
{
   UNSIGNED32 ulOperations;
   UNSIGNED32 ulLoggedErrors;
   ADS_MGMT_UPTIME_INFO stUpTime;
   ADS_MGMT_USAGE_INFO stUsers;
   ADS_MGMT_USAGE_INFO stConnections;
   ADS_MGMT_USAGE_INFO stWorkAreas;
   ADS_MGMT_USAGE_INFO stTables;
   ADS_MGMT_USAGE_INFO stIndexes;
   ADS_MGMT_USAGE_INFO stLocks;
   ADS_MGMT_USAGE_INFO stTpsHeaderElems;
   ADS_MGMT_USAGE_INFO stTpsVisElems;
   ADS_MGMT_USAGE_INFO stTpsMemoElems;
   ADS_MGMT_USAGE_INFO stWorkerThreads;
   ADS_MGMT_USAGE_INFO stQueries;
   ADS_MGMT_USAGE_INFO stStatefulUsers;
   ADS_MGMT_USAGE_INFO stStatelessUsers;
} ADS_MGMT_ACTIVITY_INFO;

typedef struct
{
   double dPercentCheckSums;
   UNSIGNED32 ulTotalPackets;
   UNSIGNED32 ulRcvPktOutOfSeq;
   UNSIGNED32 ulNotLoggedIn;
   UNSIGNED32 ulRcvReqOutOfSeq;
   UNSIGNED32 ulCheckSumFailures;
   UNSIGNED32 ulDisconnectedUsers;
   UNSIGNED32 ulPartialConnects;
   UNSIGNED32 ulInvalidPackets;
   UNSIGNED32 ulRecvFromErrors;
   UNSIGNED32 ulSendToErrors;
} ADS_MGMT_COMM_STATS;

typedef struct
{
   UNSIGNED32 ulTotalConfigMem;
   UNSIGNED32 ulConnectionMem;
   UNSIGNED32 ulWorkAreaMem;
   UNSIGNED32 ulTableMem;
   UNSIGNED32 ulIndexMem;
   UNSIGNED32 ulLockMem;
   UNSIGNED32 ulUserBufferMem;
   UNSIGNED32 ulTPSHeaderElemMem;
   UNSIGNED32 ulTPSVisibilityElemMem;
   UNSIGNED32 ulTPSMemoTransElemMem;
   UNSIGNED32 ulReceiveEcbMem;
   UNSIGNED32 ulSendEcbMem;
   UNSIGNED32 ulWorkerThreadMem;
   UNSIGNED32 ulQueryMem;
} ADS_MGMT_CONFIG_MEMORY;

typedef struct
{
   UNSIGNED32 ulNumConnections;
   UNSIGNED32 ulNumWorkAreas;
   UNSIGNED32 ulNumTables;
   UNSIGNED32 ulNumIndexes;
   UNSIGNED32 ulNumLocks;
   UNSIGNED32 ulUserBufferSize;
   UNSIGNED32 ulStatDumpInterval;
   UNSIGNED32 ulErrorLogMax;
   UNSIGNED32 ulNumTPSHeaderElems;
   UNSIGNED32 ulNumTPSVisibilityElems;
   UNSIGNED32 ulNumTPSMemoTransElems;
   UNSIGNED16 usNumReceiveECBs;
   UNSIGNED16 usNumSendECBs;
   UNSIGNED16 usNumBurstPackets;
   UNSIGNED16 usNumWorkerThreads;
   UNSIGNED32 ulSortBuffSize;
   UNSIGNED8 aucErrorLog[ ADS_MAX_CFG_PATH ];
   UNSIGNED8 aucSemaphore[ ADS_MAX_CFG_PATH ];
   UNSIGNED8 aucTransaction[ ADS_MAX_CFG_PATH ];
   UNSIGNED8 ucReserved3;
   UNSIGNED8 ucReserved4;
   UNSIGNED16 usSendIPPort;
   UNSIGNED16 usReceiveIPPort;
   UNSIGNED8 ucUseIPProtocol;
   UNSIGNED8 ucFlushEveryUpdate;
   UNSIGNED32 ulGhostTimeout;
   UNSIGNED32 ulFlushFrequency;
   UNSIGNED32 ulKeepAliveTimeOut;
   UNSIGNED8 ucDisplayNWLoginNames;
   UNSIGNED8 ucUseSemaphoreFiles;
   UNSIGNED8 ucUseDynamicAOFs;
   UNSIGNED8 ucUseInternet;
   UNSIGNED16 usInternetPort;
   UNSIGNED16 usMaxConnFailures;
   UNSIGNED32 ulInternetKeepAlive;
   UNSIGNED16 usCompressionLevel;
   UNSIGNED32 ulNumQueries;
   UNSIGNED16 usReceiveSSLPort;
} ADS_MGMT_CONFIG_PARAMS;

typedef struct
{
   UNSIGNED32 ulUserOption;
   UNSIGNED8 aucRegisteredOwner[ ADS_REG_OWNER_LEN ];
   UNSIGNED8 aucVersionStr[ ADS_REVISION_LEN ];
   UNSIGNED8 aucInstallDate[ ADS_INST_DATE_LEN ];
   UNSIGNED8 aucOemCharName[ ADS_OEM_CHAR_NAME_LEN ];
   UNSIGNED8 aucAnsiCharName[ ADS_ANSI_CHAR_NAME_LEN ];
   UNSIGNED8 aucEvalExpireDate[ ADS_INST_DATE_LEN ];
   UNSIGNED8 aucSerialNumber[ ADS_SERIAL_NUM_LEN ];
   UNSIGNED32 ulMaxStatefulUsers;
   UNSIGNED32 ulMaxStatelessUsers;
} ADS_MGMT_INSTALL_INFO;

typedef struct
{
   UNSIGNED8 aucTableName[ ADS_MGMT_MAX_PATH ];
   UNSIGNED16 usLockType;
} ADS_MGMT_TABLE_INFO;

typedef struct
{
   UNSIGNED8 aucIndexName[ ADS_MGMT_MAX_PATH ];
} ADS_MGMT_INDEX_INFO;

typedef struct
{
   UNSIGNED32 ulThreadNumber;
   UNSIGNED16 usOpCode;
   UNSIGNED8 aucUserName[ ADS_MAX_USER_NAME ];
   UNSIGNED16 usConnNumber;
   UNSIGNED16 usReserved1;
   UNSIGNED8 aucOSUserLoginName[ ADS_MAX_USER_NAME ];
} ADS_MGMT_THREAD_ACTIVITY;

typedef struct
{
   UNSIGNED8 aucUserName[ ADS_MAX_USER_NAME ];
   UNSIGNED16 usConnNumber;
   UNSIGNED8 aucAuthUserName[ ADS_MAX_USER_NAME ];
   UNSIGNED8 aucAddress[ ADS_MAX_ADDRESS_SIZE ];
   UNSIGNED8 aucOSUserLoginName[ ADS_MAX_USER_NAME ];
   UNSIGNED8 aucTSAddress[ ADS_MAX_ADDRESS_SIZE ];
   UNSIGNED8 aucApplicationID[ ADS_MAX_MGMT_APPID_SIZE ];
   UNSIGNED32 ulAveRequestCost;
   UNSIGNED16 usReserved1;
} ADS_MGMT_USER_INFO;

/* Settings, errors and handles */
UNSIGNED32 ENTRYPOINT AdsApplicationExit( void );
UNSIGNED32 ENTRYPOINT AdsCacheOpenCursors( UNSIGNED16 open );
UNSIGNED32 ENTRYPOINT AdsCacheOpenTables( UNSIGNED16 open );
UNSIGNED32 ENTRYPOINT AdsClearCallbackFunction( void );
UNSIGNED32 ENTRYPOINT AdsClearDefault( void );
UNSIGNED32 ENTRYPOINT AdsClearLastError( void );
UNSIGNED32 ENTRYPOINT AdsClearProgressCallback( void );
UNSIGNED32 ENTRYPOINT AdsCreateCriticalSection( ADSHANDLE object, UNSIGNED32 options );
UNSIGNED32 ENTRYPOINT AdsDisableLocalConnections( void );
UNSIGNED32 ENTRYPOINT AdsGetDateFormat( UNSIGNED8 *format, UNSIGNED16 *length );
UNSIGNED32 ENTRYPOINT AdsGetDateFormat60( ADSHANDLE connection, UNSIGNED8 *format, UNSIGNED16 *length );
UNSIGNED32 ENTRYPOINT AdsGetDecimals( UNSIGNED16 *decimals );
UNSIGNED32 ENTRYPOINT AdsGetDefault( UNSIGNED8 *path, UNSIGNED16 *length );
UNSIGNED32 ENTRYPOINT AdsGetDeleted( UNSIGNED16 *useDeleted );
UNSIGNED32 ENTRYPOINT AdsGetEpoch( UNSIGNED16 *century );
UNSIGNED32 ENTRYPOINT AdsGetErrorString( UNSIGNED32 errCode, UNSIGNED8 *buffer, UNSIGNED16 *length );
UNSIGNED32 ENTRYPOINT AdsGetExact( UNSIGNED16 *exact );
UNSIGNED32 ENTRYPOINT AdsGetExact22( ADSHANDLE object, UNSIGNED16 *exact );
UNSIGNED32 ENTRYPOINT AdsGetHandleINT64( ADSHANDLE object, UNSIGNED64 *value );
UNSIGNED32 ENTRYPOINT AdsGetHandleLong( ADSHANDLE object, UNSIGNED32 *value );
UNSIGNED32 ENTRYPOINT AdsGetHandleType( ADSHANDLE object, UNSIGNED16 *kind );
UNSIGNED32 ENTRYPOINT AdsGetLastError( UNSIGNED32 *errCode, UNSIGNED8 *buffer, UNSIGNED16 *length );
UNSIGNED32 ENTRYPOINT AdsGetSearchPath( UNSIGNED8 *path, UNSIGNED16 *length );
UNSIGNED32 ENTRYPOINT AdsGetVersion( UNSIGNED32 *major, UNSIGNED32 *minor, UNSIGNED8 *letter, UNSIGNED8 *desc, UNSIGNED16 *descLen );
UNSIGNED32 ENTRYPOINT AdsRegisterCallbackFunction( ADSCALLBACK callback, UNSIGNED32 callbackId );
UNSIGNED32 ENTRYPOINT AdsRegisterCallbackFunction101( ADSCALLBACK101 callback, SIGNED64 callbackId );
UNSIGNED32 ENTRYPOINT AdsRegisterProgressCallback( ADSPROGRESSCALLBACK callback );
UNSIGNED32 ENTRYPOINT AdsReleaseObject( ADSHANDLE object );
UNSIGNED32 ENTRYPOINT AdsSetDateFormat( UNSIGNED8 *format );
UNSIGNED32 ENTRYPOINT AdsSetDateFormat60( ADSHANDLE connection, UNSIGNED8 *format );
UNSIGNED32 ENTRYPOINT AdsSetDecimals( UNSIGNED16 decimals );
UNSIGNED32 ENTRYPOINT AdsSetDefault( UNSIGNED8 *path );
UNSIGNED32 ENTRYPOINT AdsSetEpoch( UNSIGNED16 century );
UNSIGNED32 ENTRYPOINT AdsSetExact( UNSIGNED16 exact );
UNSIGNED32 ENTRYPOINT AdsSetExact22( ADSHANDLE object, UNSIGNED16 exact );
UNSIGNED32 ENTRYPOINT AdsSetHandleINT64( ADSHANDLE object, UNSIGNED64 value );
UNSIGNED32 ENTRYPOINT AdsSetHandleLong( ADSHANDLE object, UNSIGNED32 value );
UNSIGNED32 ENTRYPOINT AdsSetInternalError( UNSIGNED32 errCode, UNSIGNED8 *file, UNSIGNED32 line );
UNSIGNED32 ENTRYPOINT AdsSetLastError( UNSIGNED32 errCode, UNSIGNED8 *details );
UNSIGNED32 ENTRYPOINT AdsSetProperty( ADSHANDLE object, UNSIGNED32 operation, UNSIGNED32 value );
UNSIGNED32 ENTRYPOINT AdsSetProperty90( ADSHANDLE object, UNSIGNED32 operation, UNSIGNED64 *value );
UNSIGNED32 ENTRYPOINT AdsSetRightsChecking( UNSIGNED32 options );
UNSIGNED32 ENTRYPOINT AdsSetSearchPath( UNSIGNED8 *path );
UNSIGNED32 ENTRYPOINT AdsSetServerType( UNSIGNED16 serverOptions );
UNSIGNED32 ENTRYPOINT AdsShowDeleted( UNSIGNED16 showDeleted );
UNSIGNED32 ENTRYPOINT AdsShowError( UNSIGNED8 *title );
UNSIGNED32 ENTRYPOINT AdsThreadExit( void );
UNSIGNED32 ENTRYPOINT AdsValidateThread( void );
UNSIGNED32 ENTRYPOINT AdsWaitForObject( ADSHANDLE object, UNSIGNED32 options );

/* Connections and files */
UNSIGNED32 ENTRYPOINT AdsBackupDatabase( ADSHANDLE connection, ADSHANDLE outputTable, UNSIGNED8 *sourcePath, UNSIGNED8 *sourceMask, UNSIGNED8 *destPath, UNSIGNED8 *options, UNSIGNED8 *freeTablePasswords, UNSIGNED16 charType, UNSIGNED16 lockingMode, UNSIGNED16 checkRights, UNSIGNED16 tableType, UNSIGNED8 *collation, UNSIGNED8 ddconn );
UNSIGNED32 ENTRYPOINT AdsCheckExistence( ADSHANDLE connection, UNSIGNED8 *fileName, UNSIGNED16 *onDisk );
UNSIGNED32 ENTRYPOINT AdsConnect( UNSIGNED8 *serverName, ADSHANDLE *connection );
UNSIGNED32 ENTRYPOINT AdsConnect101( UNSIGNED8 *connectString, ADSHANDLE *options, ADSHANDLE *connection );
UNSIGNED32 ENTRYPOINT AdsConnect26( UNSIGNED8 *serverName, UNSIGNED16 serverTypes, ADSHANDLE *connection );
UNSIGNED32 ENTRYPOINT AdsConnect60( UNSIGNED8 *serverPath, UNSIGNED16 serverTypes, UNSIGNED8 *userName, UNSIGNED8 *password, UNSIGNED32 options, ADSHANDLE *connection );
UNSIGNED32 ENTRYPOINT AdsDeleteFile( ADSHANDLE connection, UNSIGNED8 *fileName );
UNSIGNED32 ENTRYPOINT AdsDisableRI( ADSHANDLE connection );
UNSIGNED32 ENTRYPOINT AdsDisconnect( ADSHANDLE connection );
UNSIGNED32 ENTRYPOINT AdsEcho( ADSHANDLE connection, UNSIGNED8 *data, UNSIGNED16 length );
UNSIGNED32 ENTRYPOINT AdsEnableRI( ADSHANDLE connection );
UNSIGNED32 ENTRYPOINT AdsFindClose( ADSHANDLE connection, ADSHANDLE handle );
UNSIGNED32 ENTRYPOINT AdsFindConnection( UNSIGNED8 *serverName, ADSHANDLE *connection );
UNSIGNED32 ENTRYPOINT AdsFindConnection25( UNSIGNED8 *fullPath, ADSHANDLE *connection );
UNSIGNED32 ENTRYPOINT AdsFindFirstTable( ADSHANDLE connection, UNSIGNED8 *fileMask, UNSIGNED8 *firstFile, UNSIGNED16 *fileLen, ADSHANDLE *handle );
UNSIGNED32 ENTRYPOINT AdsFindFirstTable62( ADSHANDLE connection, UNSIGNED8 *fileMask, UNSIGNED8 *firstDd, UNSIGNED16 *ddlen, UNSIGNED8 *firstFile, UNSIGNED16 *fileLen, ADSHANDLE *handle );
UNSIGNED32 ENTRYPOINT AdsFindNextTable( ADSHANDLE connection, ADSHANDLE handle, UNSIGNED8 *fileName, UNSIGNED16 *fileLen );
UNSIGNED32 ENTRYPOINT AdsFindNextTable62( ADSHANDLE connection, ADSHANDLE handle, UNSIGNED8 *ddname, UNSIGNED16 *ddlen, UNSIGNED8 *fileName, UNSIGNED16 *fileLen );
UNSIGNED32 ENTRYPOINT AdsFindServers( UNSIGNED32 options, ADSHANDLE *table );
UNSIGNED32 ENTRYPOINT AdsFlushFileBuffers( ADSHANDLE table );
UNSIGNED32 ENTRYPOINT AdsGetConnectionPath( ADSHANDLE connection, UNSIGNED8 *connectionPath, UNSIGNED16 *length );
UNSIGNED32 ENTRYPOINT AdsGetConnectionProperty( ADSHANDLE connection, UNSIGNED16 propertyId, void *property, UNSIGNED32 *propertyLen );
UNSIGNED32 ENTRYPOINT AdsGetConnectionType( ADSHANDLE connection, UNSIGNED16 *connectType );
UNSIGNED32 ENTRYPOINT AdsGetServerName( ADSHANDLE connection, UNSIGNED8 *name, UNSIGNED16 *length );
UNSIGNED32 ENTRYPOINT AdsGetServerTime( ADSHANDLE connection, UNSIGNED8 *dateBuf, UNSIGNED16 *dateBufLen, SIGNED32 *time, UNSIGNED8 *timeBuf, UNSIGNED16 *timeBufLen );
UNSIGNED32 ENTRYPOINT AdsGetTableConnection( ADSHANDLE table, ADSHANDLE *connection );
UNSIGNED32 ENTRYPOINT AdsIsConnectionAlive( ADSHANDLE connection, UNSIGNED16 *connectionIsAlive );
UNSIGNED32 ENTRYPOINT AdsIsServerLoaded( UNSIGNED8 *server, UNSIGNED16 *loaded );
UNSIGNED32 ENTRYPOINT AdsPerformRI( ADSHANDLE table, UNSIGNED32 recNum, UNSIGNED8 *recBuffer );
UNSIGNED32 ENTRYPOINT AdsResetConnection( ADSHANDLE connection );
UNSIGNED32 ENTRYPOINT AdsRestoreDatabase( ADSHANDLE connection, ADSHANDLE outputTable, UNSIGNED8 *sourcePath, UNSIGNED8 *sourcePassword, UNSIGNED8 *destPath, UNSIGNED8 *destPassword, UNSIGNED8 *options, UNSIGNED8 *freeTablePasswords, UNSIGNED16 charType, UNSIGNED16 lockingMode, UNSIGNED16 checkRights, UNSIGNED16 tableType, UNSIGNED8 *collation, UNSIGNED8 ddconn );
UNSIGNED32 ENTRYPOINT AdsSetFlushFlag( ADSHANDLE connection, UNSIGNED16 flushEveryUpdate );
UNSIGNED32 ENTRYPOINT AdsSetPacketSize( ADSHANDLE connection, UNSIGNED16 packetLength );
UNSIGNED32 ENTRYPOINT AdsSetupRI( ADSHANDLE connection, SIGNED32 tableId, UNSIGNED8 open, UNSIGNED32 serverWan );
UNSIGNED32 ENTRYPOINT AdsVerifyRI( ADSHANDLE connection, UNSIGNED16 exclusive );

/* Tables */
UNSIGNED32 ENTRYPOINT AdsCloseAllTables( void );
UNSIGNED32 ENTRYPOINT AdsCloseCachedTables( ADSHANDLE connection );
UNSIGNED32 ENTRYPOINT AdsCloseTable( ADSHANDLE table );
UNSIGNED32 ENTRYPOINT AdsCreateMemTable( ADSHANDLE connection, UNSIGNED8 *name, UNSIGNED16 tableType, UNSIGNED16 charType, UNSIGNED8 *fields, UNSIGNED32 size, ADSHANDLE *table );
UNSIGNED32 ENTRYPOINT AdsCreateMemTable90( ADSHANDLE connection, UNSIGNED8 *name, UNSIGNED16 tableType, UNSIGNED16 charType, UNSIGNED8 *fields, UNSIGNED32 size, UNSIGNED8 *collation, ADSHANDLE *table );
UNSIGNED32 ENTRYPOINT AdsCreateTable( ADSHANDLE connection, UNSIGNED8 *name, UNSIGNED8 *alias, UNSIGNED16 tableType, UNSIGNED16 charType, UNSIGNED16 lockType, UNSIGNED16 checkRights, UNSIGNED16 memoSize, UNSIGNED8 *fields, ADSHANDLE *table );
UNSIGNED32 ENTRYPOINT AdsCreateTable71( ADSHANDLE connection, UNSIGNED8 *name, UNSIGNED8 *dbobjName, UNSIGNED16 tableType, UNSIGNED16 charType, UNSIGNED16 lockType, UNSIGNED16 checkRights, UNSIGNED16 memoSize, UNSIGNED8 *fields, UNSIGNED32 options, ADSHANDLE *table );
UNSIGNED32 ENTRYPOINT AdsCreateTable90( ADSHANDLE connection, UNSIGNED8 *name, UNSIGNED8 *dbobjName, UNSIGNED16 tableType, UNSIGNED16 charType, UNSIGNED16 lockType, UNSIGNED16 checkRights, UNSIGNED16 memoSize, UNSIGNED8 *fields, UNSIGNED32 options, UNSIGNED8 *collation, ADSHANDLE *table );
UNSIGNED32 ENTRYPOINT AdsGetAllTables( ADSHANDLE *tables, UNSIGNED16 *arrayLen );
UNSIGNED32 ENTRYPOINT AdsGetNumOpenTables( UNSIGNED16 *count );
UNSIGNED32 ENTRYPOINT AdsGetTableAlias( ADSHANDLE table, UNSIGNED8 *alias, UNSIGNED16 *length );
UNSIGNED32 ENTRYPOINT AdsGetTableCharType( ADSHANDLE table, UNSIGNED16 *charType );
UNSIGNED32 ENTRYPOINT AdsGetTableCollation( ADSHANDLE table, UNSIGNED8 *collation, UNSIGNED16 *length );
UNSIGNED32 ENTRYPOINT AdsGetTableFilename( ADSHANDLE table, UNSIGNED16 option, UNSIGNED8 *name, UNSIGNED16 *length );
UNSIGNED32 ENTRYPOINT AdsGetTableHandle( UNSIGNED8 *name, ADSHANDLE *table );
UNSIGNED32 ENTRYPOINT AdsGetTableHandle25( ADSHANDLE connection, UNSIGNED8 *name, ADSHANDLE *table );
UNSIGNED32 ENTRYPOINT AdsGetTableLockType( ADSHANDLE table, UNSIGNED16 *lockType );
UNSIGNED32 ENTRYPOINT AdsGetTableMemoSize( ADSHANDLE table, UNSIGNED16 *memoSize );
UNSIGNED32 ENTRYPOINT AdsGetTableOpenOptions( ADSHANDLE table, UNSIGNED32 *options );
UNSIGNED32 ENTRYPOINT AdsGetTableRights( ADSHANDLE table, UNSIGNED16 *rights );
UNSIGNED32 ENTRYPOINT AdsGetTableType( ADSHANDLE table, UNSIGNED16 *kind );
UNSIGNED32 ENTRYPOINT AdsGetTableWAN( ADSHANDLE table, UNSIGNED16 *wan );
UNSIGNED32 ENTRYPOINT AdsInternalCloseCachedTables( ADSHANDLE connection, UNSIGNED16 open );
UNSIGNED32 ENTRYPOINT AdsOpenTable( ADSHANDLE connection, UNSIGNED8 *name, UNSIGNED8 *alias, UNSIGNED16 tableType, UNSIGNED16 charType, UNSIGNED16 lockType, UNSIGNED16 checkRights, UNSIGNED32 options, ADSHANDLE *table );
UNSIGNED32 ENTRYPOINT AdsOpenTable101( ADSHANDLE connection, UNSIGNED8 *name, ADSHANDLE *table );
UNSIGNED32 ENTRYPOINT AdsOpenTable90( ADSHANDLE connection, UNSIGNED8 *name, UNSIGNED8 *alias, UNSIGNED16 tableType, UNSIGNED16 charType, UNSIGNED16 lockType, UNSIGNED16 checkRights, UNSIGNED32 options, UNSIGNED8 *collation, ADSHANDLE *table );
UNSIGNED32 ENTRYPOINT AdsSetBaseTableAccess( ADSHANDLE table, UNSIGNED16 accessBase );
UNSIGNED32 ENTRYPOINT AdsSetTableCharType( ADSHANDLE table, UNSIGNED16 charType );

/* Moving */
UNSIGNED32 ENTRYPOINT AdsAtBOF( ADSHANDLE table, UNSIGNED16 *bof );
UNSIGNED32 ENTRYPOINT AdsAtEOF( ADSHANDLE table, UNSIGNED16 *eof );
UNSIGNED32 ENTRYPOINT AdsCompareBookmarks( UNSIGNED8 *bookmark1, UNSIGNED8 *bookmark2, SIGNED32 *result );
UNSIGNED32 ENTRYPOINT AdsGetBookmark( ADSHANDLE table, ADSHANDLE *bookmark );
UNSIGNED32 ENTRYPOINT AdsGetBookmark60( ADSHANDLE object, UNSIGNED8 *bookmark, UNSIGNED32 *length );
UNSIGNED32 ENTRYPOINT AdsGetBookmarkLength( ADSHANDLE object, UNSIGNED32 *length );
UNSIGNED32 ENTRYPOINT AdsGetROWIDPrefix( ADSHANDLE table, UNSIGNED8 *rowIdprefix, UNSIGNED16 bufferLen );
UNSIGNED32 ENTRYPOINT AdsGetRecordCount( ADSHANDLE table, UNSIGNED16 filterOption, UNSIGNED32 *count );
UNSIGNED32 ENTRYPOINT AdsGetRecordNum( ADSHANDLE table, UNSIGNED16 filterOption, UNSIGNED32 *record );
UNSIGNED32 ENTRYPOINT AdsGotoBOF( ADSHANDLE object );
UNSIGNED32 ENTRYPOINT AdsGotoBookmark( ADSHANDLE table, ADSHANDLE bookmark );
UNSIGNED32 ENTRYPOINT AdsGotoBookmark60( ADSHANDLE object, UNSIGNED8 *bookmark );
UNSIGNED32 ENTRYPOINT AdsGotoBottom( ADSHANDLE object );
UNSIGNED32 ENTRYPOINT AdsGotoEOF( ADSHANDLE object );
UNSIGNED32 ENTRYPOINT AdsGotoRecord( ADSHANDLE table, UNSIGNED32 record );
UNSIGNED32 ENTRYPOINT AdsGotoTop( ADSHANDLE object );
UNSIGNED32 ENTRYPOINT AdsIsFound( ADSHANDLE object, UNSIGNED16 *found );
UNSIGNED32 ENTRYPOINT AdsIsRecordVisible( ADSHANDLE object, UNSIGNED16 *visible );
UNSIGNED32 ENTRYPOINT AdsReadRecordNumbers( ADSHANDLE object, UNSIGNED32 recordNum, UNSIGNED8 direction, UNSIGNED32 *records, UNSIGNED32 *arrayLen, UNSIGNED16 *hitEof );
UNSIGNED32 ENTRYPOINT AdsReadRecords( ADSHANDLE object, UNSIGNED32 recordNum, UNSIGNED8 direction );
UNSIGNED32 ENTRYPOINT AdsRefreshRecord( ADSHANDLE table );
UNSIGNED32 ENTRYPOINT AdsSetBOFFlag( ADSHANDLE table, UNSIGNED16 bof );
UNSIGNED32 ENTRYPOINT AdsSkip( ADSHANDLE object, SIGNED32 recs );

/* Fields */
UNSIGNED32 ENTRYPOINT AdsAccessVfpSystemField( ADSHANDLE table, UNSIGNED8 *field, UNSIGNED8 *buffer, UNSIGNED32 options, UNSIGNED16 *flag );
UNSIGNED32 ENTRYPOINT AdsGetBaseFieldName( ADSHANDLE table, UNSIGNED16 fieldNumber, UNSIGNED8 *name, UNSIGNED16 *length );
UNSIGNED32 ENTRYPOINT AdsGetBaseFieldNum( ADSHANDLE cursor, UNSIGNED8 *columnName, UNSIGNED16 *baseFieldNum );
UNSIGNED32 ENTRYPOINT AdsGetColumnPermissions( ADSHANDLE table, UNSIGNED16 columnNum, UNSIGNED8 *permissions );
UNSIGNED32 ENTRYPOINT AdsGetDataLength( ADSHANDLE table, UNSIGNED8 *field, UNSIGNED32 options, UNSIGNED32 *length );
UNSIGNED32 ENTRYPOINT AdsGetDate( ADSHANDLE table, UNSIGNED8 *field, UNSIGNED8 *buffer, UNSIGNED16 *length );
UNSIGNED32 ENTRYPOINT AdsGetDouble( ADSHANDLE table, UNSIGNED8 *field, double *value );
UNSIGNED32 ENTRYPOINT AdsGetField( ADSHANDLE table, UNSIGNED8 *field, UNSIGNED8 *buffer, UNSIGNED32 *length, UNSIGNED16 option );
UNSIGNED32 ENTRYPOINT AdsGetFieldDecimals( ADSHANDLE table, UNSIGNED8 *field, UNSIGNED16 *decimals );
UNSIGNED32 ENTRYPOINT AdsGetFieldLength( ADSHANDLE table, UNSIGNED8 *field, UNSIGNED32 *length );
UNSIGNED32 ENTRYPOINT AdsGetFieldLength100( ADSHANDLE table, UNSIGNED8 *field, UNSIGNED32 options, UNSIGNED32 *length );
UNSIGNED32 ENTRYPOINT AdsGetFieldName( ADSHANDLE table, UNSIGNED16 fieldNumber, UNSIGNED8 *name, UNSIGNED16 *length );
UNSIGNED32 ENTRYPOINT AdsGetFieldNum( ADSHANDLE table, UNSIGNED8 *field, UNSIGNED16 *count );
UNSIGNED32 ENTRYPOINT AdsGetFieldOffset( ADSHANDLE table, UNSIGNED8 *field, UNSIGNED32 *offset );
UNSIGNED32 ENTRYPOINT AdsGetFieldRaw( ADSHANDLE table, UNSIGNED8 *field, UNSIGNED8 *buffer, UNSIGNED32 *length );
UNSIGNED32 ENTRYPOINT AdsGetFieldType( ADSHANDLE table, UNSIGNED8 *field, UNSIGNED16 *kind );
UNSIGNED32 ENTRYPOINT AdsGetFieldW( ADSHANDLE table, UNSIGNED8 *field, WCHAR *buffer, UNSIGNED32 *length, UNSIGNED16 option );
UNSIGNED32 ENTRYPOINT AdsGetJulian( ADSHANDLE table, UNSIGNED8 *field, SIGNED32 *date );
UNSIGNED32 ENTRYPOINT AdsGetLogical( ADSHANDLE table, UNSIGNED8 *field, UNSIGNED16 *value );
UNSIGNED32 ENTRYPOINT AdsGetLong( ADSHANDLE table, UNSIGNED8 *field, SIGNED32 *value );
UNSIGNED32 ENTRYPOINT AdsGetLongLong( ADSHANDLE table, UNSIGNED8 *field, SIGNED64 *value );
UNSIGNED32 ENTRYPOINT AdsGetMilliseconds( ADSHANDLE table, UNSIGNED8 *field, SIGNED32 *time );
UNSIGNED32 ENTRYPOINT AdsGetMoney( ADSHANDLE table, UNSIGNED8 *field, SIGNED64 *value );
UNSIGNED32 ENTRYPOINT AdsGetNumFields( ADSHANDLE table, UNSIGNED16 *count );
UNSIGNED32 ENTRYPOINT AdsGetShort( ADSHANDLE table, UNSIGNED8 *field, SIGNED16 *value );
UNSIGNED32 ENTRYPOINT AdsGetString( ADSHANDLE table, UNSIGNED8 *field, UNSIGNED8 *buffer, UNSIGNED32 *length, UNSIGNED16 option );
UNSIGNED32 ENTRYPOINT AdsGetStringW( ADSHANDLE table, UNSIGNED8 *field, WCHAR *buffer, UNSIGNED32 *length, UNSIGNED16 option );
UNSIGNED32 ENTRYPOINT AdsGetTime( ADSHANDLE table, UNSIGNED8 *field, UNSIGNED8 *buffer, UNSIGNED16 *length );
UNSIGNED32 ENTRYPOINT AdsIsEmpty( ADSHANDLE table, UNSIGNED8 *field, UNSIGNED16 *empty );
UNSIGNED32 ENTRYPOINT AdsIsNull( ADSHANDLE table, UNSIGNED8 *field, UNSIGNED16 *isNull );
UNSIGNED32 ENTRYPOINT AdsIsNullable( ADSHANDLE table, UNSIGNED8 *field, UNSIGNED16 *nullable );
UNSIGNED32 ENTRYPOINT AdsSetDate( ADSHANDLE object, UNSIGNED8 *field, UNSIGNED8 *value, UNSIGNED16 length );
UNSIGNED32 ENTRYPOINT AdsSetDouble( ADSHANDLE object, UNSIGNED8 *field, double value );
UNSIGNED32 ENTRYPOINT AdsSetEmpty( ADSHANDLE object, UNSIGNED8 *field );
UNSIGNED32 ENTRYPOINT AdsSetField( ADSHANDLE object, UNSIGNED8 *field, UNSIGNED8 *buffer, UNSIGNED32 length );
UNSIGNED32 ENTRYPOINT AdsSetFieldRaw( ADSHANDLE object, UNSIGNED8 *field, UNSIGNED8 *buffer, UNSIGNED32 length );
UNSIGNED32 ENTRYPOINT AdsSetFieldW( ADSHANDLE object, UNSIGNED8 *field, WCHAR *text, UNSIGNED32 length );
UNSIGNED32 ENTRYPOINT AdsSetJulian( ADSHANDLE object, UNSIGNED8 *field, SIGNED32 date );
UNSIGNED32 ENTRYPOINT AdsSetLogical( ADSHANDLE object, UNSIGNED8 *field, UNSIGNED16 value );
UNSIGNED32 ENTRYPOINT AdsSetLong( ADSHANDLE object, UNSIGNED8 *field, SIGNED32 value );
UNSIGNED32 ENTRYPOINT AdsSetLongLong( ADSHANDLE object, UNSIGNED8 *field, SIGNED64 value );
UNSIGNED32 ENTRYPOINT AdsSetMilliseconds( ADSHANDLE object, UNSIGNED8 *field, SIGNED32 time );
UNSIGNED32 ENTRYPOINT AdsSetMoney( ADSHANDLE object, UNSIGNED8 *field, SIGNED64 value );
UNSIGNED32 ENTRYPOINT AdsSetNull( ADSHANDLE table, UNSIGNED8 *field );
UNSIGNED32 ENTRYPOINT AdsSetShort( ADSHANDLE object, UNSIGNED8 *field, SIGNED16 value );
UNSIGNED32 ENTRYPOINT AdsSetString( ADSHANDLE object, UNSIGNED8 *field, UNSIGNED8 *buffer, UNSIGNED32 length );
UNSIGNED32 ENTRYPOINT AdsSetStringW( ADSHANDLE object, UNSIGNED8 *field, WCHAR *text, UNSIGNED32 length );
UNSIGNED32 ENTRYPOINT AdsSetTime( ADSHANDLE object, UNSIGNED8 *field, UNSIGNED8 *value, UNSIGNED16 length );
UNSIGNED32 ENTRYPOINT AdsSetTimeStamp( ADSHANDLE object, UNSIGNED8 *field, UNSIGNED8 *buffer, UNSIGNED32 length );
UNSIGNED32 ENTRYPOINT AdsSetTimeStampRaw( ADSHANDLE object, UNSIGNED8 *field, UNSIGNED64 *buffer, UNSIGNED32 length );

/* Memos and long values */
UNSIGNED32 ENTRYPOINT AdsBinaryToFile( ADSHANDLE table, UNSIGNED8 *field, UNSIGNED8 *fileName );
UNSIGNED32 ENTRYPOINT AdsBinaryToFileW( ADSHANDLE table, UNSIGNED8 *field, WCHAR *fileName );
UNSIGNED32 ENTRYPOINT AdsFileToBinary( ADSHANDLE table, UNSIGNED8 *field, UNSIGNED16 binaryType, UNSIGNED8 *fileName );
UNSIGNED32 ENTRYPOINT AdsFileToBinaryW( ADSHANDLE table, UNSIGNED8 *field, UNSIGNED16 binaryType, WCHAR *fileName );
UNSIGNED32 ENTRYPOINT AdsGetBinary( ADSHANDLE table, UNSIGNED8 *field, UNSIGNED32 offset, UNSIGNED8 *buffer, UNSIGNED32 *length );
UNSIGNED32 ENTRYPOINT AdsGetBinaryLength( ADSHANDLE table, UNSIGNED8 *field, UNSIGNED32 *length );
UNSIGNED32 ENTRYPOINT AdsGetMemoBlockSize( ADSHANDLE table, UNSIGNED16 *blockSize );
UNSIGNED32 ENTRYPOINT AdsGetMemoDataType( ADSHANDLE table, UNSIGNED8 *field, UNSIGNED16 *kind );
UNSIGNED32 ENTRYPOINT AdsGetMemoLength( ADSHANDLE table, UNSIGNED8 *field, UNSIGNED32 *length );
UNSIGNED32 ENTRYPOINT AdsImageToClipboard( ADSHANDLE table, UNSIGNED8 *field );
UNSIGNED32 ENTRYPOINT AdsIsFieldBinary( ADSHANDLE table, UNSIGNED8 *field, UNSIGNED16 *binary );
UNSIGNED32 ENTRYPOINT AdsSetBinary( ADSHANDLE table, UNSIGNED8 *field, UNSIGNED16 binaryType, UNSIGNED32 totalLength, UNSIGNED32 offset, UNSIGNED8 *buffer, UNSIGNED32 length );

/* Records */
UNSIGNED32 ENTRYPOINT AdsAppendRecord( ADSHANDLE table );
UNSIGNED32 ENTRYPOINT AdsCacheRecords( ADSHANDLE table, UNSIGNED16 numRecords );
UNSIGNED32 ENTRYPOINT AdsCancelUpdate( ADSHANDLE table );
UNSIGNED32 ENTRYPOINT AdsCancelUpdate90( ADSHANDLE table, UNSIGNED32 options );
UNSIGNED32 ENTRYPOINT AdsClearRecordBuffer( ADSHANDLE table, UNSIGNED8 *buffer, UNSIGNED32 length );
UNSIGNED32 ENTRYPOINT AdsCloneTable( ADSHANDLE table, ADSHANDLE *clone );
UNSIGNED32 ENTRYPOINT AdsConvertMillisecondsToString( UNSIGNED32 mseconds, UNSIGNED8 *time, UNSIGNED16 *length );
UNSIGNED32 ENTRYPOINT AdsConvertTable( ADSHANDLE object, UNSIGNED16 filterOption, UNSIGNED8 *file, UNSIGNED16 tableType );
UNSIGNED32 ENTRYPOINT AdsCopyTable( ADSHANDLE object, UNSIGNED16 filterOption, UNSIGNED8 *file );
UNSIGNED32 ENTRYPOINT AdsCopyTableContents( ADSHANDLE objFrom, ADSHANDLE tableTo, UNSIGNED16 filterOption );
UNSIGNED32 ENTRYPOINT AdsCopyTableStructure( ADSHANDLE table, UNSIGNED8 *file );
UNSIGNED32 ENTRYPOINT AdsCopyTableStructure81( ADSHANDLE table, UNSIGNED8 *file, UNSIGNED32 options );
UNSIGNED32 ENTRYPOINT AdsCopyTableTop( ADSHANDLE object, ADSHANDLE destTbl, UNSIGNED32 numTopRecords );
UNSIGNED32 ENTRYPOINT AdsDeleteRecord( ADSHANDLE table );
UNSIGNED32 ENTRYPOINT AdsDeleteTable( ADSHANDLE table );
UNSIGNED32 ENTRYPOINT AdsDisableAutoIncEnforcement( ADSHANDLE connection );
UNSIGNED32 ENTRYPOINT AdsEnableAutoIncEnforcement( ADSHANDLE connection );
UNSIGNED32 ENTRYPOINT AdsGetLastAutoinc( ADSHANDLE object, UNSIGNED32 *autoIncVal );
UNSIGNED32 ENTRYPOINT AdsGetLastTableUpdate( ADSHANDLE table, UNSIGNED8 *date, UNSIGNED16 *dateLen );
UNSIGNED32 ENTRYPOINT AdsGetNullRecord( ADSHANDLE table, UNSIGNED8 *buffer, UNSIGNED32 length );
UNSIGNED32 ENTRYPOINT AdsGetRecord( ADSHANDLE table, UNSIGNED8 *record, UNSIGNED32 *length );
UNSIGNED32 ENTRYPOINT AdsGetRecordCRC( ADSHANDLE table, UNSIGNED32 *crc, UNSIGNED32 options );
UNSIGNED32 ENTRYPOINT AdsGetRecordLength( ADSHANDLE table, UNSIGNED32 *length );
UNSIGNED32 ENTRYPOINT AdsGetRecordPointer( ADSHANDLE object, ADSHANDLE *record, UNSIGNED32 *length );
UNSIGNED32 ENTRYPOINT AdsIsRecordDeleted( ADSHANDLE table, UNSIGNED16 *deleted );
UNSIGNED32 ENTRYPOINT AdsPackTable( ADSHANDLE table );
UNSIGNED32 ENTRYPOINT AdsRecallAllRecords( ADSHANDLE table );
UNSIGNED32 ENTRYPOINT AdsRecallRecord( ADSHANDLE table );
UNSIGNED32 ENTRYPOINT AdsRestructureTable( ADSHANDLE object, UNSIGNED8 *name, UNSIGNED8 *password, UNSIGNED16 tableType, UNSIGNED16 charType, UNSIGNED16 lockType, UNSIGNED16 checkRights, UNSIGNED8 *addFields, UNSIGNED8 *deleteFields, UNSIGNED8 *changeFields );
UNSIGNED32 ENTRYPOINT AdsRestructureTable90( ADSHANDLE object, UNSIGNED8 *name, UNSIGNED8 *password, UNSIGNED16 tableType, UNSIGNED16 charType, UNSIGNED16 lockType, UNSIGNED16 checkRights, UNSIGNED8 *addFields, UNSIGNED8 *deleteFields, UNSIGNED8 *changeFields, UNSIGNED8 *collation );
UNSIGNED32 ENTRYPOINT AdsSetRecord( ADSHANDLE object, UNSIGNED8 *record, UNSIGNED32 length );
UNSIGNED32 ENTRYPOINT AdsSetRecordPartial( ADSHANDLE object, UNSIGNED8 *record, UNSIGNED32 length );
UNSIGNED32 ENTRYPOINT AdsUnlockRecord( ADSHANDLE table, UNSIGNED32 record );
UNSIGNED32 ENTRYPOINT AdsWriteAllRecords( void );
UNSIGNED32 ENTRYPOINT AdsWriteRecord( ADSHANDLE table );
UNSIGNED32 ENTRYPOINT AdsZapTable( ADSHANDLE table );

/* Locks */
UNSIGNED32 ENTRYPOINT AdsGetAllLocks( ADSHANDLE table, UNSIGNED32 *locks, UNSIGNED16 *arrayLen );
UNSIGNED32 ENTRYPOINT AdsGetNumLocks( ADSHANDLE table, UNSIGNED16 *count );
UNSIGNED32 ENTRYPOINT AdsIsRecordLocked( ADSHANDLE table, UNSIGNED32 record, UNSIGNED16 *locked );
UNSIGNED32 ENTRYPOINT AdsIsTableLocked( ADSHANDLE table, UNSIGNED16 *locked );
UNSIGNED32 ENTRYPOINT AdsLockRecord( ADSHANDLE table, UNSIGNED32 record );
UNSIGNED32 ENTRYPOINT AdsLockRecordImplicitly( ADSHANDLE table, UNSIGNED32 record );
UNSIGNED32 ENTRYPOINT AdsLockTable( ADSHANDLE table );
UNSIGNED32 ENTRYPOINT AdsUnlockTable( ADSHANDLE table );

/* Indexes, seeks, scopes and relations */
UNSIGNED32 ENTRYPOINT AdsAddCustomKey( ADSHANDLE index );
UNSIGNED32 ENTRYPOINT AdsBuildKeyFromRecord( ADSHANDLE tag, UNSIGNED8 *record, UNSIGNED32 recordLen, UNSIGNED8 *key, UNSIGNED16 *keyLen );
UNSIGNED32 ENTRYPOINT AdsBuildRawKey( ADSHANDLE index, UNSIGNED8 *key, UNSIGNED16 *keyLen );
UNSIGNED32 ENTRYPOINT AdsClearAllScopes( ADSHANDLE table );
UNSIGNED32 ENTRYPOINT AdsClearRelation( ADSHANDLE tableParent );
UNSIGNED32 ENTRYPOINT AdsClearScope( ADSHANDLE index, UNSIGNED16 scopeOption );
UNSIGNED32 ENTRYPOINT AdsCloseAllIndexes( ADSHANDLE table );
UNSIGNED32 ENTRYPOINT AdsCloseIndex( ADSHANDLE index );
UNSIGNED32 ENTRYPOINT AdsConvertKeyToDouble( UNSIGNED8 *key, double *value );
UNSIGNED32 ENTRYPOINT AdsCreateIndex( ADSHANDLE object, UNSIGNED8 *fileName, UNSIGNED8 *tag, UNSIGNED8 *expression, UNSIGNED8 *condition, UNSIGNED8 *whileCondition, UNSIGNED32 options, ADSHANDLE *index );
UNSIGNED32 ENTRYPOINT AdsCreateIndex61( ADSHANDLE object, UNSIGNED8 *fileName, UNSIGNED8 *tag, UNSIGNED8 *expression, UNSIGNED8 *condition, UNSIGNED8 *whileCondition, UNSIGNED32 options, UNSIGNED32 pageSize, ADSHANDLE *index );
UNSIGNED32 ENTRYPOINT AdsCreateIndex90( ADSHANDLE object, UNSIGNED8 *fileName, UNSIGNED8 *tag, UNSIGNED8 *expression, UNSIGNED8 *condition, UNSIGNED8 *whileCondition, UNSIGNED32 options, UNSIGNED32 pageSize, UNSIGNED8 *collation, ADSHANDLE *index );
UNSIGNED32 ENTRYPOINT AdsDeleteCustomKey( ADSHANDLE index );
UNSIGNED32 ENTRYPOINT AdsDeleteIndex( ADSHANDLE index );
UNSIGNED32 ENTRYPOINT AdsDisableUniqueEnforcement( ADSHANDLE connection );
UNSIGNED32 ENTRYPOINT AdsEnableUniqueEnforcement( ADSHANDLE connection );
UNSIGNED32 ENTRYPOINT AdsExtractKey( ADSHANDLE index, UNSIGNED8 *key, UNSIGNED16 *length );
UNSIGNED32 ENTRYPOINT AdsGetAllIndexes( ADSHANDLE table, ADSHANDLE *indexes, UNSIGNED16 *arrayLen );
UNSIGNED32 ENTRYPOINT AdsGetCollation( ADSHANDLE connection, UNSIGNED8 *collation, UNSIGNED16 *length );
UNSIGNED32 ENTRYPOINT AdsGetCollationLang( UNSIGNED8 *lang, UNSIGNED16 *length );
UNSIGNED32 ENTRYPOINT AdsGetIndexCollation( ADSHANDLE index, UNSIGNED8 *collation, UNSIGNED16 *length );
UNSIGNED32 ENTRYPOINT AdsGetIndexCondition( ADSHANDLE index, UNSIGNED8 *expression, UNSIGNED16 *length );
UNSIGNED32 ENTRYPOINT AdsGetIndexExpr( ADSHANDLE index, UNSIGNED8 *expression, UNSIGNED16 *length );
UNSIGNED32 ENTRYPOINT AdsGetIndexFilename( ADSHANDLE index, UNSIGNED16 option, UNSIGNED8 *name, UNSIGNED16 *length );
UNSIGNED32 ENTRYPOINT AdsGetIndexFlags( ADSHANDLE index, UNSIGNED32 *flags );
UNSIGNED32 ENTRYPOINT AdsGetIndexHandle( ADSHANDLE table, UNSIGNED8 *indexOrder, ADSHANDLE *index );
UNSIGNED32 ENTRYPOINT AdsGetIndexHandleByExpr( ADSHANDLE table, UNSIGNED8 *expression, UNSIGNED32 descending, ADSHANDLE *index );
UNSIGNED32 ENTRYPOINT AdsGetIndexHandleByOrder( ADSHANDLE table, UNSIGNED16 orderNum, ADSHANDLE *index );
UNSIGNED32 ENTRYPOINT AdsGetIndexName( ADSHANDLE index, UNSIGNED8 *name, UNSIGNED16 *length );
UNSIGNED32 ENTRYPOINT AdsGetIndexOrderByHandle( ADSHANDLE index, UNSIGNED16 *indexOrder );
UNSIGNED32 ENTRYPOINT AdsGetIndexPageSize( ADSHANDLE index, UNSIGNED32 *pageSize );
UNSIGNED32 ENTRYPOINT AdsGetKeyCount( ADSHANDLE index, UNSIGNED16 filterOption, UNSIGNED32 *count );
UNSIGNED32 ENTRYPOINT AdsGetKeyLength( ADSHANDLE index, UNSIGNED16 *keyLength );
UNSIGNED32 ENTRYPOINT AdsGetKeyNum( ADSHANDLE index, UNSIGNED16 filterOption, UNSIGNED32 *key );
UNSIGNED32 ENTRYPOINT AdsGetKeyType( ADSHANDLE index, UNSIGNED16 *keyType );
UNSIGNED32 ENTRYPOINT AdsGetNumIndexes( ADSHANDLE table, UNSIGNED16 *count );
UNSIGNED32 ENTRYPOINT AdsGetNumSegments( ADSHANDLE tag, UNSIGNED16 *segments );
UNSIGNED32 ENTRYPOINT AdsGetRelKeyPos( ADSHANDLE index, double *pos );
UNSIGNED32 ENTRYPOINT AdsGetScope( ADSHANDLE index, UNSIGNED16 scopeOption, UNSIGNED8 *scope, UNSIGNED16 *length );
UNSIGNED32 ENTRYPOINT AdsGetSegmentFieldNumbers( ADSHANDLE tag, UNSIGNED16 *numSegments, UNSIGNED16 *segFieldNumbers );
UNSIGNED32 ENTRYPOINT AdsGetSegmentFieldname( ADSHANDLE tag, UNSIGNED16 segmentNum, UNSIGNED8 *fieldname, UNSIGNED16 *fldnameLen );
UNSIGNED32 ENTRYPOINT AdsGetSegmentOffset( ADSHANDLE tag, UNSIGNED16 segmentNum, UNSIGNED16 *offset );
UNSIGNED32 ENTRYPOINT AdsInitRawKey( ADSHANDLE index );
UNSIGNED32 ENTRYPOINT AdsIsIndexCandidate( ADSHANDLE index, UNSIGNED16 *candidate );
UNSIGNED32 ENTRYPOINT AdsIsIndexCompound( ADSHANDLE index, UNSIGNED16 *compound );
UNSIGNED32 ENTRYPOINT AdsIsIndexCustom( ADSHANDLE index, UNSIGNED16 *custom );
UNSIGNED32 ENTRYPOINT AdsIsIndexDescending( ADSHANDLE index, UNSIGNED16 *descending );
UNSIGNED32 ENTRYPOINT AdsIsIndexExprValid( ADSHANDLE table, UNSIGNED8 *expression, UNSIGNED16 *valid );
UNSIGNED32 ENTRYPOINT AdsIsIndexNullable( ADSHANDLE index, UNSIGNED16 *nullable );
UNSIGNED32 ENTRYPOINT AdsIsIndexPrimaryKey( ADSHANDLE index, UNSIGNED16 *primaryKey );
UNSIGNED32 ENTRYPOINT AdsIsIndexUnique( ADSHANDLE index, UNSIGNED16 *unique );
UNSIGNED32 ENTRYPOINT AdsIsIndexUserDefined( ADSHANDLE index, UNSIGNED16 *userDefined );
UNSIGNED32 ENTRYPOINT AdsIsSegmentDescending( ADSHANDLE tag, UNSIGNED16 segmentNum, UNSIGNED16 *descending );
UNSIGNED32 ENTRYPOINT AdsLookupKey( ADSHANDLE index, UNSIGNED8 *key, UNSIGNED16 keyLen, UNSIGNED16 dataType, UNSIGNED16 *found );
UNSIGNED32 ENTRYPOINT AdsOpenIndex( ADSHANDLE table, UNSIGNED8 *name, ADSHANDLE *indexes, UNSIGNED16 *arrayLen );
UNSIGNED32 ENTRYPOINT AdsReindex( ADSHANDLE object );
UNSIGNED32 ENTRYPOINT AdsReindex61( ADSHANDLE object, UNSIGNED32 pageSize );
UNSIGNED32 ENTRYPOINT AdsSeek( ADSHANDLE index, UNSIGNED8 *key, UNSIGNED16 keyLen, UNSIGNED16 dataType, UNSIGNED16 seekType, UNSIGNED16 *found );
UNSIGNED32 ENTRYPOINT AdsSeekLast( ADSHANDLE index, UNSIGNED8 *key, UNSIGNED16 keyLen, UNSIGNED16 dataType, UNSIGNED16 *found );
UNSIGNED32 ENTRYPOINT AdsSetCollation( ADSHANDLE connection, UNSIGNED8 *collation );
UNSIGNED32 ENTRYPOINT AdsSetCollationLang( UNSIGNED8 *lang );
UNSIGNED32 ENTRYPOINT AdsSetCollationSequence( UNSIGNED8 *sequence );
UNSIGNED32 ENTRYPOINT AdsSetIndexDirection( ADSHANDLE index, UNSIGNED16 reverseDirection );
UNSIGNED32 ENTRYPOINT AdsSetRelKeyPos( ADSHANDLE index, double pos );
UNSIGNED32 ENTRYPOINT AdsSetRelation( ADSHANDLE tableParent, ADSHANDLE indexChild, UNSIGNED8 *expression );
UNSIGNED32 ENTRYPOINT AdsSetScope( ADSHANDLE index, UNSIGNED16 scopeOption, UNSIGNED8 *scope, UNSIGNED16 scopeLen, UNSIGNED16 dataType );
UNSIGNED32 ENTRYPOINT AdsSetScopedRelation( ADSHANDLE tableParent, ADSHANDLE indexChild, UNSIGNED8 *expression );
UNSIGNED32 ENTRYPOINT AdsSkipUnique( ADSHANDLE index, SIGNED32 recs );
UNSIGNED32 ENTRYPOINT AdsStepIndexKey( ADSHANDLE index, UNSIGNED8 *key, UNSIGNED16 length, SIGNED16 direction );

/* Filters */
UNSIGNED32 ENTRYPOINT AdsActivateAOF( ADSHANDLE table );
UNSIGNED32 ENTRYPOINT AdsAddToAOF( ADSHANDLE table, UNSIGNED8 *filter, UNSIGNED16 operation, UNSIGNED16 whichAof );
UNSIGNED32 ENTRYPOINT AdsClearAOF( ADSHANDLE table );
UNSIGNED32 ENTRYPOINT AdsClearCursorAOF( ADSHANDLE table );
UNSIGNED32 ENTRYPOINT AdsClearFilter( ADSHANDLE table );
UNSIGNED32 ENTRYPOINT AdsContinue( ADSHANDLE table, UNSIGNED16 *found );
UNSIGNED32 ENTRYPOINT AdsCustomizeAOF( ADSHANDLE table, UNSIGNED32 numRecords, UNSIGNED32 *records, UNSIGNED16 option );
UNSIGNED32 ENTRYPOINT AdsDeactivateAOF( ADSHANDLE table );
UNSIGNED32 ENTRYPOINT AdsEvalAOF( ADSHANDLE table, UNSIGNED8 *filter, UNSIGNED16 *optLevel );
UNSIGNED32 ENTRYPOINT AdsEvalAOF100( ADSHANDLE table, void *filter, UNSIGNED32 options, UNSIGNED16 *optLevel );
UNSIGNED32 ENTRYPOINT AdsGetAOF( ADSHANDLE table, UNSIGNED8 *filter, UNSIGNED16 *length );
UNSIGNED32 ENTRYPOINT AdsGetAOF100( ADSHANDLE table, UNSIGNED32 options, void *filter, UNSIGNED32 *length );
UNSIGNED32 ENTRYPOINT AdsGetAOFOptLevel( ADSHANDLE table, UNSIGNED16 *optLevel, UNSIGNED8 *nonOpt, UNSIGNED16 *length );
UNSIGNED32 ENTRYPOINT AdsGetAOFOptLevel100( ADSHANDLE table, UNSIGNED16 *optLevel, void *nonOpt, UNSIGNED32 *length, UNSIGNED32 options );
UNSIGNED32 ENTRYPOINT AdsGetCursorAOF( ADSHANDLE cursor, UNSIGNED8 *filter, UNSIGNED16 *filterLen );
UNSIGNED32 ENTRYPOINT AdsGetFilter( ADSHANDLE table, UNSIGNED8 *filter, UNSIGNED16 *length );
UNSIGNED32 ENTRYPOINT AdsIsRecordInAOF( ADSHANDLE table, UNSIGNED32 recordNum, UNSIGNED16 *isInAof );
UNSIGNED32 ENTRYPOINT AdsLocate( ADSHANDLE table, UNSIGNED8 *expression, UNSIGNED16 forward, UNSIGNED16 *found );
UNSIGNED32 ENTRYPOINT AdsMergeAOF( ADSHANDLE table );
UNSIGNED32 ENTRYPOINT AdsRefreshAOF( ADSHANDLE table );
UNSIGNED32 ENTRYPOINT AdsSetAOF( ADSHANDLE table, UNSIGNED8 *filter, UNSIGNED16 options );
UNSIGNED32 ENTRYPOINT AdsSetAOF100( ADSHANDLE table, void *filter, UNSIGNED32 options );
UNSIGNED32 ENTRYPOINT AdsSetCursorAOF( ADSHANDLE table, UNSIGNED8 *filter, UNSIGNED16 resolve );
UNSIGNED32 ENTRYPOINT AdsSetFilter( ADSHANDLE table, UNSIGNED8 *filter );
UNSIGNED32 ENTRYPOINT AdsSetFilter100( ADSHANDLE table, void *filter, UNSIGNED32 options );

/* Expressions and conversions */
UNSIGNED32 ENTRYPOINT AdsConvertDateToJulian( ADSHANDLE connection, UNSIGNED8 *date, UNSIGNED16 length, double *julian );
UNSIGNED32 ENTRYPOINT AdsConvertJulianToString( double julian, UNSIGNED8 *julianOut, UNSIGNED16 *length );
UNSIGNED32 ENTRYPOINT AdsConvertStringToJulian( UNSIGNED8 *julian, UNSIGNED16 length, double *julianOut );
UNSIGNED32 ENTRYPOINT AdsConvertStringToMilliseconds( UNSIGNED8 *time, UNSIGNED16 length, UNSIGNED32 *mseconds );
UNSIGNED32 ENTRYPOINT AdsDBFDateToString( UNSIGNED8 *dbfdate, UNSIGNED8 *formattedDate );
UNSIGNED32 ENTRYPOINT AdsEvalExpr( ADSHANDLE table, UNSIGNED8 *pcode, UNSIGNED8 *result, UNSIGNED16 *length );
UNSIGNED32 ENTRYPOINT AdsEvalLogicalExpr( ADSHANDLE table, UNSIGNED8 *expression, UNSIGNED16 *result );
UNSIGNED32 ENTRYPOINT AdsEvalLogicalExprW( ADSHANDLE table, WCHAR *expression, UNSIGNED16 *result );
UNSIGNED32 ENTRYPOINT AdsEvalNumericExpr( ADSHANDLE table, UNSIGNED8 *expression, double *result );
UNSIGNED32 ENTRYPOINT AdsEvalStringExpr( ADSHANDLE table, UNSIGNED8 *expression, UNSIGNED8 *result, UNSIGNED16 *length );
UNSIGNED32 ENTRYPOINT AdsEvalTestExpr( ADSHANDLE table, UNSIGNED8 *expression, UNSIGNED16 *kind );
UNSIGNED32 ENTRYPOINT AdsExpressionLongToShort( ADSHANDLE table, UNSIGNED8 *longExpr, UNSIGNED8 *shortExpr, UNSIGNED16 *bufferLen );
UNSIGNED32 ENTRYPOINT AdsExpressionLongToShort90( ADSHANDLE table, UNSIGNED8 *longExpr, UNSIGNED8 *shortExpr, UNSIGNED32 *bufferLen );
UNSIGNED32 ENTRYPOINT AdsExpressionShortToLong( ADSHANDLE table, UNSIGNED8 *shortExpr, UNSIGNED8 *longExpr, UNSIGNED16 *bufferLen );
UNSIGNED32 ENTRYPOINT AdsExpressionShortToLong90( ADSHANDLE table, UNSIGNED8 *shortExpr, UNSIGNED8 *longExpr, UNSIGNED32 *bufferLen );
UNSIGNED32 ENTRYPOINT AdsExtractPathPart( UNSIGNED16 part, UNSIGNED8 *file, UNSIGNED8 *partOut, UNSIGNED16 *partLen );
UNSIGNED32 ENTRYPOINT AdsFreeExpr( ADSHANDLE table, UNSIGNED8 *pcode );
UNSIGNED32 ENTRYPOINT AdsIsExprValid( ADSHANDLE table, UNSIGNED8 *expression, UNSIGNED16 *valid );
UNSIGNED32 ENTRYPOINT AdsMemCompare90( ADSHANDLE connection, UNSIGNED8 *str1, UNSIGNED32 str1Len, UNSIGNED8 *str2, UNSIGNED32 str2Len, UNSIGNED16 charSet, UNSIGNED32 collationId, SIGNED16 *result );
UNSIGNED32 ENTRYPOINT AdsMemICompare( ADSHANDLE connection, UNSIGNED8 *str1, UNSIGNED32 str1Len, UNSIGNED8 *str2, UNSIGNED32 str2Len, UNSIGNED16 charSet, SIGNED16 *result );
UNSIGNED32 ENTRYPOINT AdsMemICompare90( ADSHANDLE connection, UNSIGNED8 *str1, UNSIGNED32 str1Len, UNSIGNED8 *str2, UNSIGNED32 str2Len, UNSIGNED16 charSet, UNSIGNED32 collationId, SIGNED16 *result );
UNSIGNED32 ENTRYPOINT AdsMemLwr( ADSHANDLE connection, UNSIGNED8 *str, UNSIGNED16 strLen, UNSIGNED16 charSet );
UNSIGNED32 ENTRYPOINT AdsMemLwr90( ADSHANDLE connection, UNSIGNED8 *str, UNSIGNED16 strLen, UNSIGNED16 charSet, UNSIGNED32 collationId );
UNSIGNED32 ENTRYPOINT AdsNullTerminateStrings( UNSIGNED16 nullTerminate );

/* Transactions */
UNSIGNED32 ENTRYPOINT AdsBeginTransaction( ADSHANDLE connection );
UNSIGNED32 ENTRYPOINT AdsCommitTransaction( ADSHANDLE connection );
UNSIGNED32 ENTRYPOINT AdsCreateSavepoint( ADSHANDLE connection, UNSIGNED8 *savepoint, UNSIGNED32 options );
UNSIGNED32 ENTRYPOINT AdsFailedTransactionRecovery( UNSIGNED8 *server );
UNSIGNED32 ENTRYPOINT AdsGetTransactionCount( ADSHANDLE connection, UNSIGNED32 *count );
UNSIGNED32 ENTRYPOINT AdsInTransaction( ADSHANDLE connection, UNSIGNED16 *inTrans );
UNSIGNED32 ENTRYPOINT AdsIsTableTransactionFree( ADSHANDLE table, UNSIGNED16 *transFree );
UNSIGNED32 ENTRYPOINT AdsRollbackTransaction( ADSHANDLE connection );
UNSIGNED32 ENTRYPOINT AdsRollbackTransaction80( ADSHANDLE connection, UNSIGNED8 *savepoint, UNSIGNED32 options );
UNSIGNED32 ENTRYPOINT AdsSetTableTransactionFree( ADSHANDLE table, UNSIGNED16 transFree );

/* SQL */
UNSIGNED32 ENTRYPOINT AdsClearSQLAbortFunc( void );
UNSIGNED32 ENTRYPOINT AdsClearSQLParams( ADSHANDLE statement );
UNSIGNED32 ENTRYPOINT AdsCloseCachedTrigStatements( ADSHANDLE connection, SIGNED32 tableId );
UNSIGNED32 ENTRYPOINT AdsCloseSQLStatement( ADSHANDLE statement );
UNSIGNED32 ENTRYPOINT AdsCreateSQLStatement( ADSHANDLE connection, ADSHANDLE *statement );
UNSIGNED32 ENTRYPOINT AdsExecuteSQL( ADSHANDLE statement, ADSHANDLE *cursor );
UNSIGNED32 ENTRYPOINT AdsExecuteSQLDirect( ADSHANDLE statement, UNSIGNED8 *sql, ADSHANDLE *cursor );
UNSIGNED32 ENTRYPOINT AdsExecuteSQLDirectW( ADSHANDLE statement, WCHAR *sql, ADSHANDLE *cursor );
UNSIGNED32 ENTRYPOINT AdsGetKeyColumn( ADSHANDLE cursor, UNSIGNED8 *keyColumn, UNSIGNED16 *length );
UNSIGNED32 ENTRYPOINT AdsGetNumParams( ADSHANDLE statement, UNSIGNED16 *numParams );
UNSIGNED32 ENTRYPOINT AdsGetPreparedFields( ADSHANDLE statement, UNSIGNED8 *buffer, UNSIGNED32 *bufferLen, UNSIGNED32 options );
UNSIGNED32 ENTRYPOINT AdsGetSQLStatement( ADSHANDLE stmt, UNSIGNED8 *sql, UNSIGNED16 *length );
UNSIGNED32 ENTRYPOINT AdsGetSQLStatementHandle( ADSHANDLE cursor, ADSHANDLE *stmt );
UNSIGNED32 ENTRYPOINT AdsGetSQLStmtParams( UNSIGNED8 *statement );
UNSIGNED32 ENTRYPOINT AdsPrepareSQL( ADSHANDLE statement, UNSIGNED8 *sql );
UNSIGNED32 ENTRYPOINT AdsPrepareSQLNow( ADSHANDLE statement, UNSIGNED8 *sql, UNSIGNED8 *fieldInfo, UNSIGNED16 *fieldInfoLen );
UNSIGNED32 ENTRYPOINT AdsPrepareSQLW( ADSHANDLE statement, WCHAR *sql );
UNSIGNED32 ENTRYPOINT AdsRefreshView( ADSHANDLE *cursor );
UNSIGNED32 ENTRYPOINT AdsRemoveSQLComments( UNSIGNED8 *statement );
UNSIGNED32 ENTRYPOINT AdsSetSQLTimeout( ADSHANDLE object, UNSIGNED32 timeout );
UNSIGNED32 ENTRYPOINT AdsSqlPeekStatement( ADSHANDLE cursor, UNSIGNED8 *isLive );
UNSIGNED32 ENTRYPOINT AdsStmtClearTablePasswords( ADSHANDLE statement );
UNSIGNED32 ENTRYPOINT AdsStmtConstrainUpdates( ADSHANDLE statement, UNSIGNED16 constrain );
UNSIGNED32 ENTRYPOINT AdsStmtDisableEncryption( ADSHANDLE statement );
UNSIGNED32 ENTRYPOINT AdsStmtEnableEncryption( ADSHANDLE statement, UNSIGNED8 *password );
UNSIGNED32 ENTRYPOINT AdsStmtReadAllColumns( ADSHANDLE statement, UNSIGNED16 readColumns );
UNSIGNED32 ENTRYPOINT AdsStmtSetTableCharType( ADSHANDLE statement, UNSIGNED16 charType );
UNSIGNED32 ENTRYPOINT AdsStmtSetTableCollation( ADSHANDLE statement, UNSIGNED8 *collation );
UNSIGNED32 ENTRYPOINT AdsStmtSetTableLockType( ADSHANDLE statement, UNSIGNED16 lockType );
UNSIGNED32 ENTRYPOINT AdsStmtSetTablePassword( ADSHANDLE statement, UNSIGNED8 *tableName, UNSIGNED8 *password );
UNSIGNED32 ENTRYPOINT AdsStmtSetTableReadOnly( ADSHANDLE statement, UNSIGNED16 readOnly );
UNSIGNED32 ENTRYPOINT AdsStmtSetTableRights( ADSHANDLE statement, UNSIGNED16 checkRights );
UNSIGNED32 ENTRYPOINT AdsStmtSetTableType( ADSHANDLE statement, UNSIGNED16 tableType );
UNSIGNED32 ENTRYPOINT AdsVerifySQL( ADSHANDLE statement, UNSIGNED8 *sql );
UNSIGNED32 ENTRYPOINT AdsVerifySQLW( ADSHANDLE statement, WCHAR *sql );

/* Management */
UNSIGNED32 ENTRYPOINT AdsMgConnect( UNSIGNED8 *serverName, UNSIGNED8 *userName, UNSIGNED8 *password, ADSHANDLE *server );
UNSIGNED32 ENTRYPOINT AdsMgDisconnect( ADSHANDLE server );
UNSIGNED32 ENTRYPOINT AdsMgDumpInternalTables( ADSHANDLE server );
UNSIGNED32 ENTRYPOINT AdsMgGetActivityInfo( ADSHANDLE server, void *activityInfo, UNSIGNED16 *structSize );
UNSIGNED32 ENTRYPOINT AdsMgGetCommStats( ADSHANDLE server, void *commStats, UNSIGNED16 *structSize );
UNSIGNED32 ENTRYPOINT AdsMgGetConfigInfo( ADSHANDLE server, void *configValues, UNSIGNED16 *configValuesStructSize, void *configMemory, UNSIGNED16 *configMemoryStructSize );
UNSIGNED32 ENTRYPOINT AdsMgGetInstallInfo( ADSHANDLE server, void *installInfo, UNSIGNED16 *structSize );
UNSIGNED32 ENTRYPOINT AdsMgGetLockOwner( ADSHANDLE server, UNSIGNED8 *tableName, UNSIGNED32 recordNumber, void *userInfo, UNSIGNED16 *structSize, UNSIGNED16 *lockType );
UNSIGNED32 ENTRYPOINT AdsMgGetLocks( ADSHANDLE server, UNSIGNED8 *tableName, UNSIGNED8 *userName, UNSIGNED16 connNumber, void *recordInfo, UNSIGNED16 *arrayLen, UNSIGNED16 *structSize );
UNSIGNED32 ENTRYPOINT AdsMgGetOpenIndexes( ADSHANDLE server, UNSIGNED8 *tableName, UNSIGNED8 *userName, UNSIGNED16 connNumber, void *openIndexInfo, UNSIGNED16 *arrayLen, UNSIGNED16 *structSize );
UNSIGNED32 ENTRYPOINT AdsMgGetOpenTables( ADSHANDLE server, UNSIGNED8 *userName, UNSIGNED16 connNumber, void *openTableInfo, UNSIGNED16 *arrayLen, UNSIGNED16 *structSize );
UNSIGNED32 ENTRYPOINT AdsMgGetServerType( ADSHANDLE server, UNSIGNED16 *serverType );
UNSIGNED32 ENTRYPOINT AdsMgGetUserNames( ADSHANDLE server, UNSIGNED8 *fileName, void *userInfo, UNSIGNED16 *arrayLen, UNSIGNED16 *structSize );
UNSIGNED32 ENTRYPOINT AdsMgGetWorkerThreadActivity( ADSHANDLE server, void *workerThreadActivity, UNSIGNED16 *arrayLen, UNSIGNED16 *structSize );
UNSIGNED32 ENTRYPOINT AdsMgKillUser( ADSHANDLE server, UNSIGNED8 *userName, UNSIGNED16 connNumber );
UNSIGNED32 ENTRYPOINT AdsMgKillUser90( ADSHANDLE server, UNSIGNED8 *userName, UNSIGNED16 connNumber, UNSIGNED16 propertyId, void *property, UNSIGNED16 propertyLen );
UNSIGNED32 ENTRYPOINT AdsMgResetCommStats( ADSHANDLE server );

/* Encryption */
UNSIGNED32 ENTRYPOINT AdsDecryptRecord( ADSHANDLE table );
UNSIGNED32 ENTRYPOINT AdsDecryptTable( ADSHANDLE table );
UNSIGNED32 ENTRYPOINT AdsDisableEncryption( ADSHANDLE table );
UNSIGNED32 ENTRYPOINT AdsEnableEncryption( ADSHANDLE table, UNSIGNED8 *password );
UNSIGNED32 ENTRYPOINT AdsEncryptRecord( ADSHANDLE table );
UNSIGNED32 ENTRYPOINT AdsEncryptTable( ADSHANDLE table );
UNSIGNED32 ENTRYPOINT AdsIsEncryptionEnabled( ADSHANDLE table, UNSIGNED16 *enabled );
UNSIGNED32 ENTRYPOINT AdsIsRecordEncrypted( ADSHANDLE table, UNSIGNED16 *encrypted );
UNSIGNED32 ENTRYPOINT AdsIsTableEncrypted( ADSHANDLE table, UNSIGNED16 *encrypted );
UNSIGNED32 ENTRYPOINT AdsVerifyPassword( ADSHANDLE table, UNSIGNED16 *enabled );

/* Full text search */
UNSIGNED32 ENTRYPOINT AdsCreateFTSIndex( ADSHANDLE table, UNSIGNED8 *fileName, UNSIGNED8 *tag, UNSIGNED8 *field, UNSIGNED32 pageSize, UNSIGNED32 minWordLen, UNSIGNED32 maxWordLen, UNSIGNED16 useDefaultDelim, UNSIGNED8 *delimiters, UNSIGNED16 useDefaultNoise, UNSIGNED8 *noiseWords, UNSIGNED16 useDefaultDrop, UNSIGNED8 *dropChars, UNSIGNED16 useDefaultConditionals, UNSIGNED8 *conditionalChars, UNSIGNED8 *reserved1, UNSIGNED8 *reserved2, UNSIGNED32 options );
UNSIGNED32 ENTRYPOINT AdsGetFTSIndexInfo( ADSHANDLE index, UNSIGNED8 *output, UNSIGNED32 *bufferLen, UNSIGNED8 **field, UNSIGNED32 *minWordLen, UNSIGNED32 *maxWordLen, UNSIGNED8 **delimiters, UNSIGNED8 **noiseWords, UNSIGNED8 **dropChars, UNSIGNED8 **conditionalChars, UNSIGNED8 **reserved1, UNSIGNED8 **reserved2, UNSIGNED32 *options );
UNSIGNED32 ENTRYPOINT AdsGetFTSIndexes( ADSHANDLE table, ADSHANDLE *indexes, UNSIGNED16 *arrayLen );
UNSIGNED32 ENTRYPOINT AdsGetFTSScore( ADSHANDLE index, UNSIGNED32 record, UNSIGNED8 *key, UNSIGNED16 keyLen, UNSIGNED16 dataType, UNSIGNED16 seekType, UNSIGNED32 *score );
UNSIGNED32 ENTRYPOINT AdsGetNumFTSIndexes( ADSHANDLE table, UNSIGNED16 *count );
UNSIGNED32 ENTRYPOINT AdsIsIndexFTS( ADSHANDLE index, UNSIGNED16 *fts );
UNSIGNED32 ENTRYPOINT AdsReindexFTS( ADSHANDLE object, UNSIGNED32 pageSize );

/* Data dictionaries */
UNSIGNED32 ENTRYPOINT AdsDDAddIndexFile( ADSHANDLE dictionary, UNSIGNED8 *tableName, UNSIGNED8 *indexFilePath, UNSIGNED8 *comment );
UNSIGNED32 ENTRYPOINT AdsDDAddProcedure( ADSHANDLE dictionary, UNSIGNED8 *name, UNSIGNED8 *container, UNSIGNED8 *procName, UNSIGNED32 invokeOption, UNSIGNED8 *inParams, UNSIGNED8 *outParams, UNSIGNED8 *comments );
UNSIGNED32 ENTRYPOINT AdsDDAddTable( ADSHANDLE dictionary, UNSIGNED8 *tableName, UNSIGNED8 *tablePath, UNSIGNED16 tableType, UNSIGNED16 charType, UNSIGNED8 *indexFiles, UNSIGNED8 *comments );
UNSIGNED32 ENTRYPOINT AdsDDAddTable90( ADSHANDLE dictionary, UNSIGNED8 *tableName, UNSIGNED8 *tablePath, UNSIGNED16 tableType, UNSIGNED16 charType, UNSIGNED8 *indexFiles, UNSIGNED8 *comments, UNSIGNED8 *collation );
UNSIGNED32 ENTRYPOINT AdsDDAddUserToGroup( ADSHANDLE dictionary, UNSIGNED8 *groupName, UNSIGNED8 *userName );
UNSIGNED32 ENTRYPOINT AdsDDAddView( ADSHANDLE dictionary, UNSIGNED8 *name, UNSIGNED8 *comments, UNSIGNED8 *sql );
UNSIGNED32 ENTRYPOINT AdsDDAutoCreateIndex( ADSHANDLE connection, UNSIGNED8 *tableName, UNSIGNED8 *indexName, UNSIGNED8 *collation );
UNSIGNED32 ENTRYPOINT AdsDDAutoCreateTable( ADSHANDLE connection, UNSIGNED8 *tableName, UNSIGNED8 *collation );
UNSIGNED32 ENTRYPOINT AdsDDClose( ADSHANDLE dictionary );
UNSIGNED32 ENTRYPOINT AdsDDCreate( UNSIGNED8 *dictionaryPath, UNSIGNED16 encrypt, UNSIGNED8 *description, ADSHANDLE *dictionary );
UNSIGNED32 ENTRYPOINT AdsDDCreateASA( ADSHANDLE connection, UNSIGNED8 *dictionaryPath, UNSIGNED16 encrypt, UNSIGNED8 *description, UNSIGNED8 *password );
UNSIGNED32 ENTRYPOINT AdsDDCreateArticle( ADSHANDLE dictionary, UNSIGNED8 *publicationName, UNSIGNED8 *objectName, UNSIGNED8 *rowIdentColumns, UNSIGNED8 *filter, UNSIGNED32 options );
UNSIGNED32 ENTRYPOINT AdsDDCreateFunction( ADSHANDLE dictionary, UNSIGNED8 *name, UNSIGNED8 *returnType, UNSIGNED16 inputParamCnt, UNSIGNED8 *inputParams, UNSIGNED8 *funcBody, UNSIGNED8 *comments );
UNSIGNED32 ENTRYPOINT AdsDDCreateLink( ADSHANDLE connection, UNSIGNED8 *linkAlias, UNSIGNED8 *linkedDdpath, UNSIGNED8 *userName, UNSIGNED8 *password, UNSIGNED32 options );
UNSIGNED32 ENTRYPOINT AdsDDCreateLinkPre71( ADSHANDLE connection, UNSIGNED8 *linkAlias, UNSIGNED8 *linkedDdpath, UNSIGNED8 *userName, UNSIGNED8 *password, UNSIGNED32 options );
UNSIGNED32 ENTRYPOINT AdsDDCreatePackage( ADSHANDLE dictionary, UNSIGNED8 *name, UNSIGNED8 *comments );
UNSIGNED32 ENTRYPOINT AdsDDCreatePublication( ADSHANDLE dictionary, UNSIGNED8 *publicationName, UNSIGNED8 *comments, UNSIGNED32 options );
UNSIGNED32 ENTRYPOINT AdsDDCreateRefIntegrity( ADSHANDLE dictionary, UNSIGNED8 *riname, UNSIGNED8 *failTable, UNSIGNED8 *parentTableName, UNSIGNED8 *parentTagName, UNSIGNED8 *childTableName, UNSIGNED8 *childTagName, UNSIGNED16 updateRule, UNSIGNED16 deleteRule );
UNSIGNED32 ENTRYPOINT AdsDDCreateRefIntegrity62( ADSHANDLE dictionary, UNSIGNED8 *riname, UNSIGNED8 *failTable, UNSIGNED8 *parentTableName, UNSIGNED8 *parentTagName, UNSIGNED8 *childTableName, UNSIGNED8 *childTagName, UNSIGNED16 updateRule, UNSIGNED16 deleteRule, UNSIGNED8 *noPrimaryError, UNSIGNED8 *cascadeError );
UNSIGNED32 ENTRYPOINT AdsDDCreateSubscription( ADSHANDLE dictionary, UNSIGNED8 *subscriptionName, UNSIGNED8 *publicationName, UNSIGNED8 *target, UNSIGNED8 *user, UNSIGNED8 *password, UNSIGNED8 *replicationQueue, UNSIGNED16 forward, UNSIGNED8 *comments, UNSIGNED32 options );
UNSIGNED32 ENTRYPOINT AdsDDCreateTrigger( ADSHANDLE dictionary, UNSIGNED8 *name, UNSIGNED8 *tableName, UNSIGNED32 triggerType, UNSIGNED32 eventTypes, UNSIGNED32 containerType, UNSIGNED8 *container, UNSIGNED8 *functionName, UNSIGNED32 priority, UNSIGNED8 *comments, UNSIGNED32 options );
UNSIGNED32 ENTRYPOINT AdsDDCreateUser( ADSHANDLE dictionary, UNSIGNED8 *groupName, UNSIGNED8 *userName, UNSIGNED8 *password, UNSIGNED8 *description );
UNSIGNED32 ENTRYPOINT AdsDDCreateUserGroup( ADSHANDLE dictionary, UNSIGNED8 *groupName, UNSIGNED8 *description );
UNSIGNED32 ENTRYPOINT AdsDDDeleteArticle( ADSHANDLE dictionary, UNSIGNED8 *publicationName, UNSIGNED8 *objectName );
UNSIGNED32 ENTRYPOINT AdsDDDeleteIndex( ADSHANDLE dictionary, UNSIGNED8 *tableName, UNSIGNED8 *indexName );
UNSIGNED32 ENTRYPOINT AdsDDDeletePublication( ADSHANDLE dictionary, UNSIGNED8 *publicationName );
UNSIGNED32 ENTRYPOINT AdsDDDeleteSubscription( ADSHANDLE dictionary, UNSIGNED8 *subscriptionName );
UNSIGNED32 ENTRYPOINT AdsDDDeleteUser( ADSHANDLE dictionary, UNSIGNED8 *userName );
UNSIGNED32 ENTRYPOINT AdsDDDeleteUserGroup( ADSHANDLE dictionary, UNSIGNED8 *groupName );
UNSIGNED32 ENTRYPOINT AdsDDDeployDatabase( UNSIGNED8 *destination, UNSIGNED8 *destinationPassword, UNSIGNED8 *source, UNSIGNED8 *sourcePassword, UNSIGNED16 serverTypes, UNSIGNED16 validateOption, UNSIGNED16 backupFiles, UNSIGNED32 options );
UNSIGNED32 ENTRYPOINT AdsDDDisableTriggers( ADSHANDLE dictionary, UNSIGNED8 *objectName, UNSIGNED8 *parent, UNSIGNED32 options );
UNSIGNED32 ENTRYPOINT AdsDDDropFunction( ADSHANDLE dictionary, UNSIGNED8 *name );
UNSIGNED32 ENTRYPOINT AdsDDDropLink( ADSHANDLE connection, UNSIGNED8 *linkedDd, UNSIGNED16 dropGlobal );
UNSIGNED32 ENTRYPOINT AdsDDDropLinkPre71( ADSHANDLE connection, UNSIGNED8 *linkedDd, UNSIGNED16 dropGlobal );
UNSIGNED32 ENTRYPOINT AdsDDDropPackage( ADSHANDLE dictionary, UNSIGNED8 *name );
UNSIGNED32 ENTRYPOINT AdsDDEnableTriggers( ADSHANDLE dictionary, UNSIGNED8 *objectName, UNSIGNED8 *parent, UNSIGNED32 options );
UNSIGNED32 ENTRYPOINT AdsDDExecuteProcedure( ADSHANDLE dictionary, UNSIGNED8 *procName, UNSIGNED8 *input, UNSIGNED8 *output, UNSIGNED32 *rowsAffected );
UNSIGNED32 ENTRYPOINT AdsDDFindClose( ADSHANDLE object, ADSHANDLE findHandle );
UNSIGNED32 ENTRYPOINT AdsDDFindFirstObject( ADSHANDLE object, UNSIGNED16 findObjectType, UNSIGNED8 *parentName, UNSIGNED8 *objectName, UNSIGNED16 *objectNameLen, ADSHANDLE *findHandle );
UNSIGNED32 ENTRYPOINT AdsDDFindNextObject( ADSHANDLE object, ADSHANDLE findHandle, UNSIGNED8 *objectName, UNSIGNED16 *objectNameLen );
UNSIGNED32 ENTRYPOINT AdsDDFreeTable( UNSIGNED8 *tableName, UNSIGNED8 *password );
UNSIGNED32 ENTRYPOINT AdsDDGetArticleProperty( ADSHANDLE object, UNSIGNED8 *publicationName, UNSIGNED8 *objectName, UNSIGNED16 propertyId, void *property, UNSIGNED16 *propertyLen );
UNSIGNED32 ENTRYPOINT AdsDDGetDatabaseProperty( ADSHANDLE object, UNSIGNED16 propertyId, void *property, UNSIGNED16 *propertyLen );
UNSIGNED32 ENTRYPOINT AdsDDGetFieldProperty( ADSHANDLE object, UNSIGNED8 *tableName, UNSIGNED8 *fieldName, UNSIGNED16 propertyId, void *property, UNSIGNED16 *propertyLen );
UNSIGNED32 ENTRYPOINT AdsDDGetIndexFileProperty( ADSHANDLE object, UNSIGNED8 *tableName, UNSIGNED8 *indexFileName, UNSIGNED16 propertyId, void *property, UNSIGNED16 *propertyLen );
UNSIGNED32 ENTRYPOINT AdsDDGetIndexProperty( ADSHANDLE object, UNSIGNED8 *tableName, UNSIGNED8 *indexName, UNSIGNED16 propertyId, void *property, UNSIGNED16 *propertyLen );
UNSIGNED32 ENTRYPOINT AdsDDGetLinkProperty( ADSHANDLE connection, UNSIGNED8 *linkName, UNSIGNED16 propertyId, void *property, UNSIGNED16 *propertyLen );
UNSIGNED32 ENTRYPOINT AdsDDGetObjectProperty( ADSHANDLE dictionary, UNSIGNED16 objectType, UNSIGNED8 *parent, UNSIGNED8 *name, UNSIGNED16 propertyId, void *property, UNSIGNED16 *propertyLen );
UNSIGNED32 ENTRYPOINT AdsDDGetPermissions( ADSHANDLE connection, UNSIGNED8 *grantee, UNSIGNED16 objectType, UNSIGNED8 *objectName, UNSIGNED8 *parentName, UNSIGNED16 getInherited, UNSIGNED32 *permissions );
UNSIGNED32 ENTRYPOINT AdsDDGetProcedureProperty( ADSHANDLE object, UNSIGNED8 *procName, UNSIGNED16 propertyId, void *property, UNSIGNED16 *propertyLen );
UNSIGNED32 ENTRYPOINT AdsDDGetPublicationProperty( ADSHANDLE object, UNSIGNED8 *publicationName, UNSIGNED16 propertyId, void *property, UNSIGNED16 *propertyLen );
UNSIGNED32 ENTRYPOINT AdsDDGetRefIntegrityProperty( ADSHANDLE object, UNSIGNED8 *riname, UNSIGNED16 propertyId, UNSIGNED8 *property, UNSIGNED16 *propertyLen );
UNSIGNED32 ENTRYPOINT AdsDDGetSubscriptionProperty( ADSHANDLE object, UNSIGNED8 *subscriptionName, UNSIGNED16 propertyId, void *property, UNSIGNED16 *propertyLen );
UNSIGNED32 ENTRYPOINT AdsDDGetTableProperty( ADSHANDLE object, UNSIGNED8 *tableName, UNSIGNED16 propertyId, void *property, UNSIGNED16 *propertyLen );
UNSIGNED32 ENTRYPOINT AdsDDGetTriggerProperty( ADSHANDLE object, UNSIGNED8 *triggerName, UNSIGNED16 propertyId, void *property, UNSIGNED16 *propertyLen );
UNSIGNED32 ENTRYPOINT AdsDDGetUserGroupProperty( ADSHANDLE object, UNSIGNED8 *userGroupName, UNSIGNED16 propertyId, void *property, UNSIGNED16 *propertyLen );
UNSIGNED32 ENTRYPOINT AdsDDGetUserProperty( ADSHANDLE object, UNSIGNED8 *userName, UNSIGNED16 propertyId, void *property, UNSIGNED16 *propertyLen );
UNSIGNED32 ENTRYPOINT AdsDDGetViewProperty( ADSHANDLE object, UNSIGNED8 *viewName, UNSIGNED16 propertyId, void *property, UNSIGNED16 *propertyLen );
UNSIGNED32 ENTRYPOINT AdsDDGrantPermission( ADSHANDLE adminConn, UNSIGNED16 objectType, UNSIGNED8 *objectName, UNSIGNED8 *parentName, UNSIGNED8 *grantee, UNSIGNED32 permissions );
UNSIGNED32 ENTRYPOINT AdsDDModifyLink( ADSHANDLE connection, UNSIGNED8 *linkAlias, UNSIGNED8 *linkedDdpath, UNSIGNED8 *userName, UNSIGNED8 *password, UNSIGNED32 options );
UNSIGNED32 ENTRYPOINT AdsDDMoveObjectFile( ADSHANDLE dictionary, UNSIGNED16 objectType, UNSIGNED8 *objectName, UNSIGNED8 *newPath, UNSIGNED8 *indexFiles, UNSIGNED8 *parent, UNSIGNED32 options );
UNSIGNED32 ENTRYPOINT AdsDDOpen( UNSIGNED8 *dictionaryPath, UNSIGNED8 *password, ADSHANDLE *dictionary );
UNSIGNED32 ENTRYPOINT AdsDDRemoveIndexFile( ADSHANDLE dictionary, UNSIGNED8 *tableName, UNSIGNED8 *indexFileName, UNSIGNED16 deleteFile );
UNSIGNED32 ENTRYPOINT AdsDDRemoveProcedure( ADSHANDLE dictionary, UNSIGNED8 *name );
UNSIGNED32 ENTRYPOINT AdsDDRemoveRefIntegrity( ADSHANDLE dictionary, UNSIGNED8 *riname );
UNSIGNED32 ENTRYPOINT AdsDDRemoveTable( ADSHANDLE object, UNSIGNED8 *tableName, UNSIGNED16 deleteFiles );
UNSIGNED32 ENTRYPOINT AdsDDRemoveTrigger( ADSHANDLE dictionary, UNSIGNED8 *name );
UNSIGNED32 ENTRYPOINT AdsDDRemoveUserFromGroup( ADSHANDLE dictionary, UNSIGNED8 *groupName, UNSIGNED8 *userName );
UNSIGNED32 ENTRYPOINT AdsDDRemoveView( ADSHANDLE dictionary, UNSIGNED8 *name );
UNSIGNED32 ENTRYPOINT AdsDDRenameObject( ADSHANDLE dictionary, UNSIGNED8 *objectName, UNSIGNED8 *newObjectName, UNSIGNED16 objectType, UNSIGNED32 options );
UNSIGNED32 ENTRYPOINT AdsDDRevokePermission( ADSHANDLE adminConn, UNSIGNED16 objectType, UNSIGNED8 *objectName, UNSIGNED8 *parentName, UNSIGNED8 *grantee, UNSIGNED32 permissions );
UNSIGNED32 ENTRYPOINT AdsDDSetActiveDictionary( ADSHANDLE connection, UNSIGNED8 *linkName, ADSHANDLE *dictionary );
UNSIGNED32 ENTRYPOINT AdsDDSetArticleProperty( ADSHANDLE dictionary, UNSIGNED8 *publicationName, UNSIGNED8 *objectName, UNSIGNED16 propertyId, void *property, UNSIGNED16 propertyLen );
UNSIGNED32 ENTRYPOINT AdsDDSetDatabaseProperty( ADSHANDLE dictionary, UNSIGNED16 propertyId, void *property, UNSIGNED16 propertyLen );
UNSIGNED32 ENTRYPOINT AdsDDSetFieldProperty( ADSHANDLE dictionary, UNSIGNED8 *tableName, UNSIGNED8 *fieldName, UNSIGNED16 propertyId, void *property, UNSIGNED16 propertyLen, UNSIGNED16 validateOption, UNSIGNED8 *failTable );
UNSIGNED32 ENTRYPOINT AdsDDSetIndexProperty( ADSHANDLE adminConn, UNSIGNED8 *tableName, UNSIGNED8 *indexName, UNSIGNED16 propertyId, void *property, UNSIGNED16 propertyLen );
UNSIGNED32 ENTRYPOINT AdsDDSetObjectAccessRights( ADSHANDLE dictionary, UNSIGNED8 *objectName, UNSIGNED8 *accessorName, UNSIGNED8 *allowedAccess );
UNSIGNED32 ENTRYPOINT AdsDDSetObjectProperty( ADSHANDLE dictionary, UNSIGNED16 objectType, UNSIGNED8 *parent, UNSIGNED8 *name, UNSIGNED16 propertyId, void *property, UNSIGNED16 propertyLen );
UNSIGNED32 ENTRYPOINT AdsDDSetProcedureProperty( ADSHANDLE dictionary, UNSIGNED8 *procedureName, UNSIGNED16 propertyId, void *property, UNSIGNED16 propertyLen );
UNSIGNED32 ENTRYPOINT AdsDDSetPublicationProperty( ADSHANDLE dictionary, UNSIGNED8 *publicationName, UNSIGNED16 propertyId, void *property, UNSIGNED16 propertyLen );
UNSIGNED32 ENTRYPOINT AdsDDSetSubscriptionProperty( ADSHANDLE dictionary, UNSIGNED8 *subscriptionName, UNSIGNED16 propertyId, void *property, UNSIGNED16 propertyLen );
UNSIGNED32 ENTRYPOINT AdsDDSetTableProperty( ADSHANDLE dictionary, UNSIGNED8 *tableName, UNSIGNED16 propertyId, void *property, UNSIGNED16 propertyLen, UNSIGNED16 validateOption, UNSIGNED8 *failTable );
UNSIGNED32 ENTRYPOINT AdsDDSetTriggerProperty( ADSHANDLE dictionary, UNSIGNED8 *triggerName, UNSIGNED16 propertyId, UNSIGNED8 *property, UNSIGNED16 propertyLen );
UNSIGNED32 ENTRYPOINT AdsDDSetUserGroupProperty( ADSHANDLE dictionary, UNSIGNED8 *userGroupName, UNSIGNED16 propertyId, void *property, UNSIGNED16 propertyLen );
UNSIGNED32 ENTRYPOINT AdsDDSetUserProperty( ADSHANDLE dictionary, UNSIGNED8 *userName, UNSIGNED16 propertyId, void *property, UNSIGNED16 propertyLen );
UNSIGNED32 ENTRYPOINT AdsDDSetViewProperty( ADSHANDLE dictionary, UNSIGNED8 *viewName, UNSIGNED16 propertyId, void *property, UNSIGNED16 propertyLen );
UNSIGNED32 ENTRYPOINT AdsDDVerifyUserRights( ADSHANDLE object, UNSIGNED8 *tableName, UNSIGNED32 *userRights );
UNSIGNED32 ENTRYPOINT AdsGetActiveLinkInfo( ADSHANDLE connection, UNSIGNED16 linkNum, UNSIGNED8 *linkInfo, UNSIGNED16 *bufferLen );
UNSIGNED32 ENTRYPOINT AdsGetNumActiveLinks( ADSHANDLE connection, UNSIGNED16 *numLinks );

#ifdef __cplusplus
}
#endif

#endif /* MAINSTAY_ACE_H */
