//! OBJECTPROPERTY and its like: names of properties and their values.

use super::functions::{Arguments, database_id, is_database, maybe, parameter_of, shown};
use super::{Catalog, Detail, Object};
use crate::objects::modules::Modules;
use mainstay_tsql_types::{DataType, Switches};
use mainstay_types::Value;

fn bit(is: bool) -> Value {
    Value::Integer(i64::from(is))
}

impl Catalog {
    /// OBJECTPROPERTY and OBJECTPROPERTYEX.
    pub(super) fn object_property(&self, object: &Object, property: &str) -> Value {
        let has = |kind: &str| bit(self.children(object, kind).next().is_some());
        let is_table = object.kind == "U";
        let of_table = |value: Value| if is_table { value } else { Value::Null };
        let is_module = matches!(object.kind, "P" | "FN" | "IF" | "TF" | "TR" | "V");
        let of_module = |value: Value| if is_module { value } else { Value::Null };
        match property.to_lowercase().as_str() {
            "basetype" => shown(object.kind),
            "schemaid" => Value::Integer(object.schema),
            "ownerid" => Value::Integer(1),
            "ismsshipped" | "issystemtable" | "istablefunctionencrypted" | "isreplproc" | "isextendedproc" => {
                bit(false)
            }
            "istable" => bit(matches!(object.kind, "U" | "S")),
            "isusertable" => bit(is_table),
            "isview" => bit(object.kind == "V"),
            "isprocedure" => bit(object.kind == "P"),
            "isscalarfunction" => bit(object.kind == "FN"),
            "isinlinefunction" => bit(object.kind == "IF"),
            "istablefunction" => bit(matches!(object.kind, "IF" | "TF")),
            "istrigger" => bit(object.kind == "TR"),
            "isconstraint" => bit(matches!(object.kind, "PK" | "UQ" | "F" | "C" | "D")),
            "isprimarykey" => bit(object.kind == "PK"),
            "isuniquecnst" => bit(object.kind == "UQ"),
            "isforeignkey" => bit(object.kind == "F"),
            "ischeckcnst" => bit(object.kind == "C"),
            "isdefaultcnst" => bit(object.kind == "D"),
            "isdefault" | "isrule" | "isqueue" | "isencrypted" | "isschemabound" => bit(false),
            "cnstisdisabled" | "cnstisnotrepl" | "cnstisnottrusted" => match &object.detail {
                Detail::None | Detail::Sequence(_) | Detail::Type(_) => Value::Null,
                _ => bit(false),
            },
            "tablehasprimarykey" => of_table(bit(object.primary_key().is_some())),
            "tablehasidentity" => of_table(bit(object.columns.iter().any(|column| column.identity.is_some()))),
            "tablehasindex" => of_table(bit(object.indexes.iter().any(|index| index.id > 0))),
            "tablehasclustindex" => of_table(bit(object.indexes.iter().any(|index| index.id == 1))),
            "tablehasnonclustindex" => of_table(bit(object.indexes.iter().any(|index| index.id > 1))),
            "tablehasuniquecnst" => of_table(has("UQ")),
            "tablehascheckcnst" => of_table(has("C")),
            "tablehasdefaultcnst" => of_table(has("D")),
            "tablehasforeignkey" => of_table(has("F")),
            "tablehasforeignref" => of_table(bit(self.references_to(object.id).next().is_some())),
            "tablehastimestamp" => {
                of_table(bit(object.columns.iter().any(|column| column.data_type == DataType::RowVersion)))
            }
            "tablehastextimage" => {
                of_table(bit(object.columns.iter().any(|column| column.data_type.is_large_object())))
            }
            "tablehasinserttrigger" | "tablehasupdatetrigger" | "tablehasdeletetrigger" => of_table(has("TR")),
            "tableisfake" | "tableispinned" | "tabletextinrowlimit" | "tablehasrowguidcol" => of_table(bit(false)),
            "tabletemporaltype" | "tableismemoryoptimized" => of_table(bit(false)),
            "execisquotedidenton" => of_module(bit(object.made_under.has(Switches::QUOTED_IDENTIFIER))),
            "execisansinullson" => of_module(bit(object.made_under.has(Switches::ANSI_NULLS))),
            "execisstartup" | "execiswithnativecompilation" => of_module(bit(false)),
            "isansinullson" | "isquotedidenton" => bit(true),
            "isindexed" => bit(object.indexes.iter().any(|index| index.id > 0)),
            "isindexable" => bit(is_table),
            "isdeterministic" => match object.kind {
                "FN" | "IF" | "TF" | "V" => bit(false),
                _ => Value::Null,
            },
            "isexecuted" => bit(is_module),
            _ => Value::Null,
        }
    }

    /// The references to a table, with the objects that they are.
    pub(crate) fn references_to(&self, id: i64) -> impl Iterator<Item = (&Object, &super::ForeignKey)> {
        self.objects.iter().filter_map(move |object| match &object.detail {
            Detail::Foreign(key) if key.referenced == id => Some((object, key)),
            _ => None,
        })
    }
}

/// COLUMNPROPERTY: of a column, or of a parameter.
pub(super) fn of_column(modules: &Modules, object: &Object, name: &str, property: &str) -> Value {
    let property = property.to_lowercase();
    let Some(column) = object.column(name) else {
        let Some((place, data_type, output)) = parameter_of(modules, object, name) else { return Value::Null };
        return match property.as_str() {
            "columnid" => Value::Integer(place),
            "isoutparam" => bit(output),
            "precision" => Value::Integer(data_type.precision().into()),
            "scale" => Value::Integer(data_type.scale().into()),
            "allowsnull" => bit(true),
            _ => Value::Null,
        };
    };
    let of_text = column.data_type.is_string();
    match property.as_str() {
        "allowsnull" => bit(column.nullable),
        "columnid" | "ordinal" => Value::Integer(column.id),
        "charmaxlen" => match column.data_type.limit() {
            Some(limit) if of_text => Value::Integer(limit.into()),
            _ if column.data_type.is_large_object() => Value::Integer(-1),
            _ => Value::Null,
        },
        "iscomputed" => bit(column.computed.is_some()),
        "isidentity" => bit(column.identity.is_some()),
        "isidnotforrepl" | "isrowguidcol" | "isfulltextindexed" | "issparse" | "iscolumnset" | "ishidden" => bit(false),
        "generatedalwaystype" | "systemdataaccess" | "userdataaccess" | "isxmlindexable" => bit(false),
        "isindexable" => bit(!column.data_type.is_large_object()),
        "isdeterministic" | "isprecise" if column.computed.is_some() => bit(true),
        "precision" => match column.data_type {
            data_type if data_type.is_large_object() => Value::Integer(-1),
            data_type if data_type.is_string() => data_type.limit().map_or(Value::Null, |n| Value::Integer(n.into())),
            data_type => Value::Integer(data_type.precision().into()),
        },
        "scale" => match column.data_type.is_string() {
            true => Value::Null,
            false => Value::Integer(column.data_type.scale().into()),
        },
        "usesansitrim" => {
            if of_text {
                bit(true)
            } else {
                Value::Null
            }
        }
        _ => Value::Null,
    }
}

/// INDEXPROPERTY.
pub(super) fn of_index(object: &Object, name: &str, property: &str) -> Value {
    let known = object.indexes.iter().find(|index| index.name.as_deref().is_some_and(|n| n.eq_ignore_ascii_case(name)));
    let Some(index) = known else { return Value::Null };
    match property.to_lowercase().as_str() {
        "indexid" => Value::Integer(index.id),
        "isclustered" => bit(index.id == 1),
        "isunique" => bit(index.unique),
        "indexdepth" => Value::Integer(1),
        "indexfillfactor" | "isautostatistics" | "isdisabled" | "isfulltextkey" | "ishypothetical" | "ispadindex" => {
            bit(false)
        }
        "isstatistics" | "iscolumnstore" => bit(false),
        "ispagelockdisallowed" | "isrowlockdisallowed" => bit(false),
        _ => Value::Null,
    }
}

/// Properties of the database, the server and its users.
pub(super) fn of_server(catalog: &Catalog, name: &str, inputs: &[Value]) -> Value {
    let (given, database) = (Arguments(inputs), catalog.database.as_str());
    match name {
        "db_id" => match given.text(0) {
            None if inputs.is_empty() => super::functions::number(database_id(database, database)),
            None => Value::Null,
            Some(name) => super::functions::number(database_id(database, &name)),
        },
        "db_name" | "original_db_name" => match given.number(0) {
            None if inputs.is_empty() => shown(database),
            None => Value::Null,
            Some(id) => maybe(database_name(database, id)),
        },
        "user_id" | "suser_id" | "database_principal_id" => match given.text(0).as_deref() {
            None => Value::Integer(1),
            Some(name) => match name.to_lowercase().as_str() {
                "dbo" | "sa" => Value::Integer(1),
                "public" if name.len() == 6 && !inputs.is_empty() => Value::Integer(0),
                "guest" => Value::Integer(2),
                _ => Value::Null,
            },
        },
        "user_name" => maybe(match given.number(0) {
            None if inputs.is_empty() => Some("dbo"),
            Some(0) => Some("public"),
            Some(1) => Some("dbo"),
            Some(2) => Some("guest"),
            Some(3) => Some("INFORMATION_SCHEMA"),
            Some(4) => Some("sys"),
            _ => None,
        }),
        "has_dbaccess" => given.text(0).map_or(Value::Null, |name| bit(is_database(database, &name))),
        "has_perms_by_name" | "is_member" | "is_rolemember" | "is_srvrolemember" => Value::Integer(1),
        "serverproperty" => given.text(0).map_or(Value::Null, |property| server_property(&property)),
        "databasepropertyex" => match given.text(0) {
            Some(name) if is_database(database, &name) => {
                database_property(&given.text(1).unwrap_or_default(), catalog.recursive_triggers)
            }
            _ => Value::Null,
        },
        "connectionproperty" => match given.text(0).unwrap_or_default().to_lowercase().as_str() {
            "net_transport" => shown("TCP"),
            "protocol_type" => shown("TSQL"),
            "auth_scheme" => shown("SQL"),
            "local_net_address" => shown("127.0.0.1"),
            _ => Value::Null,
        },
        "file_id" | "file_idex" => match given.text(0) {
            Some(name) if name.eq_ignore_ascii_case(database) => Value::Integer(1),
            Some(name) if name.eq_ignore_ascii_case(&format!("{database}_log")) => Value::Integer(2),
            _ => Value::Null,
        },
        "file_name" => match given.number(0) {
            Some(1) => shown(database),
            Some(2) => Value::Text(format!("{database}_log")),
            _ => Value::Null,
        },
        "filegroup_id" => match given.text(0) {
            Some(name) if name.eq_ignore_ascii_case("PRIMARY") => Value::Integer(1),
            _ => Value::Null,
        },
        "filegroup_name" => match given.number(0) {
            Some(1) => shown("PRIMARY"),
            _ => Value::Null,
        },
        "fulltextserviceproperty" => Value::Integer(0),
        _ => Value::Null,
    }
}

/// The name of the database of a number.
fn database_name(own: &str, id: i64) -> Option<&str> {
    match id {
        1 => Some("master"),
        2 => Some("tempdb"),
        3 => Some("model"),
        4 => Some("msdb"),
        5 => Some(own),
        _ => None,
    }
}

fn database_property(name: &str, recursive_triggers: bool) -> Value {
    match name.to_lowercase().as_str() {
        "collation" => shown(super::COLLATION),
        "status" => shown("ONLINE"),
        "updateability" => shown("READ_WRITE"),
        "useraccess" => shown("MULTI_USER"),
        "recovery" => shown("FULL"),
        "sqlsortorder" => shown("54"),
        "version" => shown("957"),
        "comparisonstyle" => shown("196611"),
        "lcid" => shown("1033"),
        "isrecursivetriggersenabled" => shown(if recursive_triggers { "1" } else { "0" }),
        "isansinulldefault"
        | "isansinullsenabled"
        | "isansipaddingenabled"
        | "isansiwarningsenabled"
        | "isarithmeticabortenabled"
        | "isautoclose"
        | "isautoshrink"
        | "isnullconcat"
        | "isinstandby"
        | "isquotedidentifiersenabled"
        | "istornpagedetectionenabled"
        | "isfulltextenabled"
        | "ispublished"
        | "issubscribed"
        | "ismergepublished" => shown("0"),
        "isautocreatestatistics" | "isautoupdatestatistics" | "isparameterizationforced" => shown("1"),
        _ => Value::Null,
    }
}

fn server_property(name: &str) -> Value {
    match name.to_lowercase().as_str() {
        "productversion" => shown("16.0.1000.6"),
        "productlevel" => shown("RTM"),
        "productmajorversion" => shown("16"),
        "productminorversion" => shown("0"),
        "productbuild" => shown("1000"),
        "productbuildtype" => Value::Null,
        "resourceversion" => shown("16.00.1000"),
        "buildclrversion" => shown("v4.0.30319"),
        "edition" => shown("Developer Edition (64-bit)"),
        "engineedition" => shown("3"),
        "editionid" => shown("-2117995310"),
        "servername" | "machinename" | "computernamephysicalnetbios" => shown("MAINSTAY"),
        "collation" => shown(super::COLLATION),
        "collationid" => shown("872468488"),
        "comparisonstyle" => shown("196611"),
        "lcid" => shown("1033"),
        "sqlcharset" => shown("1"),
        "sqlcharsetname" => shown("iso_1"),
        "sqlsortorder" => shown("54"),
        "sqlsortordername" => shown("nocase_iso"),
        "licensetype" => shown("DISABLED"),
        "isclustered"
        | "isfulltextinstalled"
        | "ishadrenabled"
        | "isintegratedsecurityonly"
        | "isxtpsupported"
        | "issingleuser"
        | "isadvancedanalyticsinstalled"
        | "islocaldb"
        | "ispolybaseinstalled"
        | "hadrmanagerstatus"
        | "filestreamconfiguredlevel"
        | "filestreameffectivelevel"
        | "istempdbmetadatamemoryoptimized" => shown("0"),
        _ => Value::Null,
    }
}
