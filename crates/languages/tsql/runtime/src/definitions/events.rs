//! Triggers of the database: the event of a definition, and its `EVENTDATA()`.
//!
//! The triggers run after the definition, and a ROLLBACK in one of them undoes it.

use crate::definitions::define::shown_name;
use crate::objects::modules::Object;
use crate::session::scope::{is_temporary, local_name};
use crate::session::state::Level;
use crate::statements::errors::raised;
use crate::statements::runner::Runner;
use mainstay_tsql_syntax::compile::HostStatement;
use mainstay_tsql_syntax::tree::{DefineKind, ObjectName, Statement, StatementKind, TriggerTarget};
use mainstay_vm::{Raised, StatementCall};
use std::sync::Arc;

/// A definition as an event.
pub(crate) struct Event {
    /// `CREATE_TABLE`.
    name: String,
    /// `TABLE`.
    object_kind: &'static str,
    object: ObjectName,
    /// The table of an index or a trigger.
    of: Option<ObjectName>,
}

/// The event that a statement is, if triggers of a database can wait for it.
pub(crate) fn event_of(statement: &Statement) -> Option<Event> {
    let event = |verb: &str, object_kind: &'static str, object: &ObjectName, of: Option<&ObjectName>| {
        let name = format!("{verb}_{object_kind}");
        (!is_temporary(object.last())).then(|| Event { name, object_kind, object: object.clone(), of: of.cloned() })
    };
    let verb = |define: DefineKind| if define == DefineKind::Alter { "ALTER" } else { "CREATE" };
    match &statement.kind {
        StatementKind::CreateTable(create) => event("CREATE", "TABLE", &create.name, None),
        StatementKind::AlterTable(alter) => event("ALTER", "TABLE", &alter.table, None),
        StatementKind::CreateIndex(create) => {
            let name = create.index.name.clone().unwrap_or_default();
            let name = ObjectName { span: name.span, parts: vec![name] };
            event("CREATE", "INDEX", &name, Some(&create.table))
        }
        StatementKind::View(view) => event(verb(view.define), "VIEW", &view.name, None),
        StatementKind::Procedure(procedure) => event(verb(procedure.define), "PROCEDURE", &procedure.name, None),
        StatementKind::Function(function) => event(verb(function.define), "FUNCTION", &function.name, None),
        StatementKind::Trigger(trigger) => match &trigger.target {
            TriggerTarget::Table(table) => event(verb(trigger.define), "TRIGGER", &trigger.name, Some(table)),
            _ => None,
        },
        StatementKind::Sequence(sequence) => {
            event(if sequence.alter { "ALTER" } else { "CREATE" }, "SEQUENCE", &sequence.name, None)
        }
        StatementKind::CreateSynonym(name, _) => event("CREATE", "SYNONYM", name, None),
        StatementKind::Drop(drop) => {
            let kind = match drop.kind {
                "PROC" => "PROCEDURE",
                kind => ["TABLE", "VIEW", "PROCEDURE", "FUNCTION", "TRIGGER", "SEQUENCE", "SYNONYM", "INDEX", "TYPE"]
                    .into_iter()
                    .find(|known| *known == kind)?,
            };
            event("DROP", kind, &drop.names.first()?.name, None)
        }
        _ => None,
    }
}

/// Returns true if an event is one that a trigger is defined for: itself, or a group that contains it.
pub(crate) fn is_of(event: &str, waits_for: &str) -> bool {
    let kind = event.split_once('_').map_or("", |(_, kind)| kind);
    match waits_for {
        "DDL_DATABASE_LEVEL_EVENTS" | "DDL_EVENTS" => true,
        "DDL_TABLE_VIEW_EVENTS" => matches!(kind, "TABLE" | "VIEW" | "INDEX"),
        group => {
            group == event || group.strip_prefix("DDL_").and_then(|rest| rest.strip_suffix("_EVENTS")) == Some(kind)
        }
    }
}

impl Event {
    /// The name of the event in triggers: `CREATE_TABLE`.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The document that `EVENTDATA()` gives.
    fn data(&self, text: &str, runner: &Runner<'_>) -> String {
        let state = &runner.inner.state;
        let escaped = |text: &str| text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        let moment = state.now().to_string().replace(' ', "T");
        let element = |name: &str, value: &str| format!("<{name}>{}</{name}>", escaped(value));
        let target =
            self.of.as_ref().map(|of| element("TargetObjectName", of.last()) + &element("TargetObjectType", "TABLE"));
        let schema = local_name(self.of.as_ref().unwrap_or(&self.object)).0.unwrap_or("dbo");
        [
            "<EVENT_INSTANCE>".to_owned(),
            element("EventType", &self.name),
            element("PostTime", &moment),
            element("SPID", &state.process.to_string()),
            element("ServerName", "MAINSTAY"),
            element("LoginName", &state.login),
            element("UserName", "dbo"),
            element("DatabaseName", &state.database),
            element("SchemaName", schema),
            element("ObjectName", self.object.last()),
            element("ObjectType", self.object_kind),
            target.unwrap_or_default(),
            "<TSQLCommand><SetOptions ANSI_NULLS=\"ON\" ANSI_NULL_DEFAULT=\"ON\" ANSI_PADDING=\"ON\" \
             QUOTED_IDENTIFIER=\"ON\" ENCRYPTED=\"FALSE\"/>"
                .to_owned(),
            element("CommandText", text),
            "</TSQLCommand></EVENT_INSTANCE>".to_owned(),
        ]
        .concat()
    }
}

impl Runner<'_> {
    /// Runs a definition, and behind it the triggers of the database that wait for it: all of it or nothing.
    ///
    /// Errors: those of the definition and of the triggers; 3609 for a trigger that rolls it back.
    pub(crate) fn with_triggers(
        &mut self,
        event: &Event,
        triggers: &[Object],
        host: &HostStatement,
        call: &mut StatementCall<'_>,
        define: impl FnOnce(&mut Self, &mut StatementCall<'_>) -> Result<(), Box<Raised>>,
    ) -> Result<(), Box<Raised>> {
        self.unit(call, |it, call| {
            define(it, call)?;
            let data: Arc<str> = event.data(&host.text, it).into();
            triggers.iter().try_for_each(|trigger| it.run_event(trigger, &data, call))
        })
        .map_err(|mut error| {
            if error.routine.is_none() && error.number == 208 {
                error.text = format!("Invalid object name '{}'.", shown_name(&event.object));
            }
            error
        })
    }

    fn run_event(
        &mut self,
        trigger: &Object,
        data: &Arc<str>,
        call: &mut StatementCall<'_>,
    ) -> Result<(), Box<Raised>> {
        let loaded = self.inner.load(trigger).map_err(|message| raised(*message))?;
        self.coming = Some(Level {
            trigger: Some(Arc::from(trigger.key.as_str())),
            event_data: Some(Arc::clone(data)),
            ..Level::default()
        });
        self.in_trigger(&loaded, call.machine())
    }
}
