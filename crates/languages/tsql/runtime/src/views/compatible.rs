//! The old system tables: `sysobjects`, `syscolumns`, `sysindexes` and their like, which need no schema.

use super::activity::{Blocked, blocked, wait_of};
use super::{Facts, Rows, View, row};
use crate::catalog::{Catalog, Column, Detail, Object, collation_name, parameters, system_types};
use crate::session::instance::Process;
use mainstay_tsql_syntax::tree::{CreateType, StatementKind};
use mainstay_tsql_types::DataType;
use mainstay_types::Value;

pub(super) const VIEWS: [View; 17] = [
    View { name: "sys.sysobjects", columns: OBJECT, rows: objects },
    View { name: "sys.syscolumns", columns: COLUMN, rows: columns },
    View { name: "sys.sysindexes", columns: INDEX, rows: indexes },
    View { name: "sys.sysindexkeys", columns: "id:i indid:s colid:s keyno:s", rows: index_keys },
    View {
        name: "sys.systypes",
        columns: "name:n xtype:t status:t=0 xusertype:s length:s xprec:t xscale:t tdefault:i=0 \
        domain:i=0 uid:s=4 reserved:s=0 collationid:i=null usertype:s variable:b allownulls:b type:t printfmt:v255=null \
        prec:s scale:t collation:n",
        rows: types,
    },
    View {
        name: "sys.sysusers",
        columns: "uid:s status:s=0 name:n sid:y85=null roles:y2048=null createdate:d updatedate:d \
        altuid:s=null password:y256=null gid:s=0 environ:v255=null hasdbaccess:i islogin:i isntname:i=0 isntgroup:i=0 \
        isntuser:i=0 issqluser:i isaliased:i=0 issqlrole:i isapprole:i=0",
        rows: users,
    },
    View {
        name: "sys.sysfiles",
        columns: "fileid:s groupid:s size:i=1024 maxsize:i=-1 growth:i=8192 status:i perf:i=0 name:n filename:n260",
        rows: files,
    },
    View { name: "sys.sysprocesses", columns: PROCESS, rows: processes },
    View {
        name: "sys.sysdatabases",
        columns: "name:n dbid:s sid:y85=null mode:s=0 status:i=65536 status2:i=1627389952 \
        crdate:d reserved:d=null category:i=0 cmptlevel:t=160 filename:n260=null version:s=957",
        rows: databases,
    },
    View {
        name: "sys.syscomments",
        columns: "id:i number:s=1 colid:s ctext:y8000=null texttype:s=2 language:s=0 \
        encrypted:b=0 compressed:b=0 text:n4000",
        rows: comments,
    },
    View {
        name: "sys.sysforeignkeys",
        columns: "constid:i fkeyid:i rkeyid:i fkey:s rkey:s keyno:s",
        rows: foreign_keys,
    },
    View { name: "sys.sysreferences", columns: "constid:i fkeyid:i rkeyid:i rkeyindid:s keycnt:s", rows: references },
    View {
        name: "sys.sysconstraints",
        columns: "constid:i id:i colid:s spare1:t=0 status:i actions:i=4096 error:i=0",
        rows: constraints,
    },
    View {
        name: "sys.sysfilegroups",
        columns: "groupid:s=1 allocpolicy:s=0 status:i=16 groupname:n=PRIMARY",
        rows: |_| vec![Vec::new()],
    },
    View {
        name: "sys.syslogins",
        columns: "sid:y85=null status:s=9 createdate:d updatedate:d name:n dbname:n=master \
        language:n=us_english denylogin:i=0 hasaccess:i=1 isntname:i=0 sysadmin:i=1 loginname:n",
        rows: logins,
    },
    View {
        name: "sys.sysdepends",
        columns: "id:i depid:i number:s depnumber:s status:s depdbid:s depsiteid:s selall:b \
        resultobj:b readobj:b",
        rows: |_| Vec::new(),
    },
    View {
        name: "sys.spt_values",
        columns: "name:n35=null number:i type:c3=P low:i=null high:i=null status:i=0",
        rows: |_| (0..2048i64).map(|number| row![number]).collect(),
    },
];

const OBJECT: &str = "name:n id:i xtype:c2 uid:s info:s=0 status:i=0 base_schema_ver:i=0 replinfo:i=0 parent_obj:i crdate:d \
    ftcatid:s=0 schema_ver:i=0 stats_schema_ver:i=0 type:c2 userstat:s=1 sysstat:s=3 indexdel:s=0 refdate:d version:i=0 \
    deltrig:i=0 instrig:i=0 updtrig:i=0 seltrig:i=0 category:i=0 cache:s=0";

const COLUMN: &str = "name:n id:i xtype:t typestat:t xusertype:s length:s xprec:t=0 xscale:t=0 colid:s xoffset:s=0 bitpos:t=0 \
    reserved:t=0 colstat:s cdefault:i domain:i=0 number:s=0 colorder:s autoval:y8000=null offset:s=0 collationid:i=null \
    language:i=0 status:t type:t usertype:s printfmt:v255=null prec:s scale:i iscomputed:i isoutparam:i isnullable:i \
    collation:n";

const INDEX: &str = "id:i status:i first:y6=null indid:s root:y6=null minlen:s=0 keycnt:s groupid:s=1 dpages:i=0 \
    reserved:i=0 used:i=0 rowcnt:l rowmodctr:i=0 reserved3:t=0 reserved4:t=0 xmaxlen:s=0 maxirow:s=0 OrigFillFactor:t=0 \
    StatVersion:t=0 reserved2:i=0 FirstIAM:y6=null impid:s=0 lockflags:s=0 pgmodctr:i=0 keys:y1088=null name:n \
    statblob:y8000=null maxlen:i=0 rows:i";

const PROCESS: &str = "spid:s kpid:s=0 blocked:s waittype:y2=null waittime:l lastwaittype:c32 \
    waitresource:c256= dbid:s=5 uid:s=1 cpu:i=0 physical_io:l=0 memusage:i=4 login_time:d last_batch:d ecid:s=0 open_tran:s \
    status:c30 sid:y86=null hostname:c128 program_name:c128 hostprocess:c10= cmd:c26=AWAITING~COMMAND nt_domain:c128= \
    nt_username:c128= net_address:c12= net_library:c12=TCP/IP loginame:c128 context_info:y128=null sql_handle:y20 \
    stmt_start:i=0 stmt_end:i=0 request_id:i=0";

/// Returns true if a view is found without a schema.
pub(super) fn is_named_alone(name: &str) -> bool {
    VIEWS.iter().any(|view| view.name.strip_prefix("sys.") == Some(name))
}

/// A kind as the tables of old have it.
fn old_kind(kind: &str) -> &str {
    if kind == "PK" || kind == "UQ" { "K" } else { kind }
}

fn objects(facts: &Facts<'_>) -> Rows {
    let row = |of: &Object| {
        let when = facts.started();
        row![&of.name, of.id, of.kind, of.schema, of.parent, when.clone(), old_kind(of.kind), when]
    };
    facts.objects().filter(|of| !matches!(of.kind, "UDT" | "TT")).map(row).collect()
}

/// The number of a type as it was called before there were 128 bits.
fn old_type(of: DataType) -> i64 {
    match of {
        DataType::Bit => 50,
        DataType::NVarChar(_) | DataType::VarChar(..) => 39,
        DataType::Char(..) | DataType::NChar(_) => 47,
        DataType::VarBinary(_) => 37,
        DataType::Binary(_) | DataType::RowVersion => 45,
        DataType::NText => 35,
        DataType::BigInt => 63,
        other => other.system_type_id().into(),
    }
}

/// A column or a parameter.
fn column(of: &Object, column: &Column, is_output: bool) -> Vec<Value> {
    let data_type = column.data_type;
    let (xtype, xuser) = (column.system_type_id(), column.user_type_id());
    let precision = match data_type.length() {
        Some(_) => data_type.limit().map_or(-1, i64::from),
        None => data_type.precision().into(),
    };
    let scale = (!data_type.is_string()).then(|| i64::from(data_type.scale()));
    let is_identity = column.identity.is_some();
    row![
        &column.name,
        of.id,
        xtype,
        if data_type.is_string() { 2 } else { 0 },
        xuser,
        i64::from(data_type.max_length()),
        column.id,
        i64::from(is_identity) | (i64::from(column.computed.is_some()) << 2),
        column.default,
        column.id,
        (i64::from(column.nullable) << 3) | (i64::from(is_output) << 6) | (i64::from(is_identity) << 7),
        old_type(data_type),
        xuser,
        precision,
        scale,
        i64::from(column.computed.is_some()),
        i64::from(is_output),
        i64::from(column.nullable),
        collation_name(data_type)
    ]
}

fn columns(facts: &Facts<'_>) -> Rows {
    let mut rows = Vec::new();
    for of in facts.of(&["U", "V", "TF"]) {
        rows.extend(of.columns.iter().map(|known| column(of, known, false)));
    }
    for of in facts.of(&["P", "FN", "IF", "TF"]) {
        let Some(statement) = &of.statement else { continue };
        let (_, given) = parameters(facts.modules, &statement.kind);
        for (place, (parameter, data_type)) in given.iter().enumerate() {
            let as_column = Column {
                name: parameter.name.text.clone(),
                id: place as i64 + 1,
                data_type: *data_type,
                nullable: true,
                identity: None,
                computed: None,
                declared: None,
                compares: None,
                default: 0,
            };
            rows.push(column(of, &as_column, parameter.output));
        }
    }
    rows
}

fn indexes(facts: &Facts<'_>) -> Rows {
    let mut rows = Vec::new();
    for of in facts.of(&["U"]) {
        let count = facts.count(of);
        for index in &of.indexes {
            let status = (i64::from(index.unique) << 1)
                | (i64::from(index.id == 1) << 4)
                | (i64::from(index.primary) << 11)
                | (i64::from(index.constraint) << 12);
            rows.push(row![of.id, status, index.id, index.columns.len() as i64, count, index.name.as_ref(), count]);
        }
    }
    rows
}

fn index_keys(facts: &Facts<'_>) -> Rows {
    let mut rows = Vec::new();
    for of in facts.of(&["U"]) {
        for index in &of.indexes {
            for (place, (column, _)) in index.columns.iter().enumerate() {
                rows.push(row![of.id, index.id, *column, place as i64 + 1]);
            }
        }
    }
    rows
}

fn types(facts: &Facts<'_>) -> Rows {
    let mut rows: Rows = system_types().filter_map(system_type).collect();
    for of in facts.catalog.objects.iter().filter(|of| of.kind == "UDT") {
        let Some(StatementKind::CreateType(create)) = of.statement.as_ref().map(|statement| &statement.kind) else {
            continue;
        };
        let CreateType::Alias(_, declared, nullable) = create.as_ref() else { continue };
        let Some(known) = facts.modules.resolved_type(declared) else { continue };
        let (precision, scale) = (i64::from(known.precision()), i64::from(known.scale()));
        let number = Catalog::user_type_id(of);
        rows.push(row![
            &of.name,
            i64::from(known.system_type_id()),
            number,
            i64::from(known.max_length()),
            precision,
            scale,
            number,
            known.is_string(),
            nullable.unwrap_or(true),
            old_type(known),
            precision,
            scale,
            collation_name(known)
        ]);
    }
    rows
}

fn system_type((name, system, user): (&str, i64, i64)) -> Option<Vec<Value>> {
    let known = mainstay_tsql_types::operation::data_type(name)?;
    let is_string = known.is_string();
    let collation = collation_name(known);
    let length = if is_string { 8000 } else { i64::from(known.max_length()) };
    let (precision, scale) = (i64::from(known.precision()), i64::from(known.scale()));
    Some(row![
        name,
        system,
        user,
        length,
        precision,
        scale,
        user,
        is_string,
        true,
        old_type(known),
        precision,
        scale,
        collation
    ])
}

fn users(facts: &Facts<'_>) -> Rows {
    let row = |(name, id, is_role): (&str, i64, bool)| {
        let (user, role) = (i64::from(!is_role), i64::from(is_role));
        row![id, name, facts.started(), facts.started(), i64::from(id == 1), user, user, role]
    };
    let users = [("public", 0, true), ("dbo", 1, false), ("guest", 2, false), ("INFORMATION_SCHEMA", 3, false)];
    users.into_iter().chain([("sys", 4, false), ("db_owner", 16384, true)]).map(row).collect()
}

fn files(facts: &Facts<'_>) -> Rows {
    let name = &*facts.instance.name;
    let log = format!("{name}_log");
    vec![row![1, 1, 2, name, format!("{name}.mdf")], row![2, 0, 66, &log, format!("{log}.ldf")]]
}

fn processes(facts: &Facts<'_>) -> Rows {
    let processes = facts.instance.all_processes();
    let blocked = blocked(facts, &processes);
    let row = |process: &Process| {
        let wait = wait_of(&blocked, process);
        let status = match (wait, process.activity.is_running()) {
            (Some(_), _) => "suspended",
            (None, true) => "runnable",
            (None, false) => "sleeping",
        };
        row![
            i64::from(process.number),
            wait.map_or(0, |wait| i64::from(wait.by)),
            wait.map_or(0, |wait| wait.ms),
            wait.map_or("MISCELLANEOUS", Blocked::kind),
            process.since,
            process.activity.request().since,
            process.activity.transactions(),
            status,
            &process.host,
            &process.application,
            &process.login,
            process.activity.request().handle()
        ]
    };
    processes.iter().map(row).collect()
}

fn databases(facts: &Facts<'_>) -> Rows {
    let own = &*facts.instance.name;
    let all = ["master", "tempdb", "model", "msdb", own];
    all.into_iter().zip(1i64..).map(|(name, id)| row![name, id, facts.started()]).collect()
}

fn comments(facts: &Facts<'_>) -> Rows {
    let mut rows = Vec::new();
    for of in facts.objects() {
        let text = match (&of.text, &of.detail) {
            (Some(text), _) if !matches!(of.kind, "UDT" | "TT") => text.to_string(),
            (_, Detail::Check(text) | Detail::Default(_, text)) => text.clone(),
            _ => continue,
        };
        // In parts of 4,000 characters, as a row of that table has them.
        let characters: Vec<char> = text.chars().collect();
        for (place, part) in characters.chunks(4000).enumerate() {
            rows.push(row![of.id, place as i64 + 1, part.iter().collect::<String>()]);
        }
    }
    rows
}

fn foreign_keys(facts: &Facts<'_>) -> Rows {
    let mut rows = Vec::new();
    for of in facts.objects() {
        let Detail::Foreign(key) = &of.detail else { continue };
        for (place, (own, other)) in key.columns.iter().zip(&key.referenced_columns).enumerate() {
            rows.push(row![of.id, of.parent, key.referenced, *own, *other, place as i64 + 1]);
        }
    }
    rows
}

fn references(facts: &Facts<'_>) -> Rows {
    let row = |of: &Object| match &of.detail {
        Detail::Foreign(key) => Some(row![of.id, of.parent, key.referenced, key.key_index, key.columns.len() as i64]),
        _ => None,
    };
    facts.objects().filter_map(row).collect()
}

fn constraints(facts: &Facts<'_>) -> Rows {
    let row = |of: &Object| {
        let (column, kind) = match (&of.detail, of.kind) {
            (Detail::Key(_), "PK") => (0, 1),
            (Detail::Key(_), _) => (0, 2),
            (Detail::Foreign(_), _) => (0, 3),
            (Detail::Check(_), _) => (0, 4),
            (Detail::Default(column, _), _) => (*column, 5),
            _ => return None,
        };
        Some(row![of.id, of.parent, column, kind])
    };
    facts.objects().filter_map(row).collect()
}

fn logins(facts: &Facts<'_>) -> Rows {
    vec![row![facts.started(), facts.started(), "sa", "sa"]]
}
