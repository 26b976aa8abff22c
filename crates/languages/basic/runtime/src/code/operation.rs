//! Operations.

use super::*;

/// Operations: one for each directive, and those that IF and loops need.
#[derive(Debug)]
pub enum Op {
    /// `N = expression`
    SetNumber(Symbol, bool, NumberExpr),
    /// `N$ = expression`
    SetText(Symbol, TextExpr),
    /// `N$ = N$ + expression`
    AppendText(Symbol, TextExpr),
    /// Any other assignment.
    Set(Box<Target>, Box<Expr>),
    /// An assignment of one array or range to another.
    SetRange(Box<Target>, VariableRef, Option<Box<(NumberExpr, NumberExpr)>>),
    /// An expression for each element of a range.
    SetEach(Box<Target>, Box<Expr>),
    /// `N++`
    Step(Symbol, i8),
    /// To an operation.
    Jump(Pc),
    /// To an operation if the condition is false.
    JumpUnless(NumberExpr, Pc),
    /// GOTO.
    Goto(Destination),
    /// GOSUB.
    Gosub(Destination),
    /// GOSUB .. WITH: variables that have these values until its RETURN.
    GosubWith(Destination, Box<[(VariableRef, Target, Expr)]>),
    /// GOTO LNO( ), or GOSUB.
    GotoLine(Box<NumberExpr>, bool),
    /// ON ERR: where an error of the loop or subroutine goes.
    OnErr(Pc),
    /// Behind a GOSUB with ON ERR.
    EndOnErr,
    /// ON .. GOTO, ON .. GOSUB.
    On(Box<NumberExpr>, bool, Box<[Destination]>),
    /// RETURN.
    Return(Option<Box<Expr>>),
    /// FOR.
    For(Box<ForRange>),
    /// FOR of a count, with the operation behind its NEXT, and the variable that is the count and becomes the number of the turn.
    ForCount(Box<NumberExpr>, Pc, Option<VariableRef>),
    /// FOR over parts of a string.
    ForParts(Box<(Target, TextExpr)>, Pc),
    /// FOR over the subscripts of an array.
    ForIndex(Box<Target>, VariableRef, Pc),
    /// NEXT.
    Next(Option<VariableRef>),
    /// WHILE, with the operation behind its WEND.
    While(Box<NumberExpr>, Pc),
    /// WEND.
    Wend,
    /// REPEAT, with the operation behind its UNTIL.
    Repeat(Pc),
    /// UNTIL.
    Until(Box<NumberExpr>),
    /// SWITCH.
    Switch(Box<SwitchCode>),
    /// END SWITCH.
    EndSwitch,
    /// TRY, with its CATCH, FINALLY and END_TRY.
    Try {
        /// The operation behind CATCH.
        catch: Option<Pc>,
        /// The operation behind FINALLY.
        finally: Option<Pc>,
        /// The operation of END_TRY.
        end: Pc,
    },
    /// The end of a TRY's body or CATCH: to FINALLY or END_TRY.
    LeaveTry(Pc),
    /// END_TRY: raises what is still pending.
    EndTry,
    /// BREAK.
    Break,
    /// CONTINUE.
    Continue,
    /// EXITTO.
    Exitto(Destination),
    /// POP; true for everything.
    Pop(bool),
    /// LIST: the channel, and lines by index.
    List(Option<Box<NumberExpr>>, u32, u32),
    /// SETERR.
    SetErr(Option<Destination>),
    /// RETRY.
    Retry,
    /// PRINT.
    Print(Box<IoCode>),
    /// INPUT, OBTAIN.
    Input(Box<IoCode>),
    /// READ and the other verbs of records.
    Io(Box<IoCode>),
    /// CLOSE; without channels all.
    Close(Box<[NumberExpr]>, Branches),
    /// OPEN.
    Open(Box<OpenCode>),
    /// Directives that name a file.
    File(Box<FileCode>),
    /// SELECT.
    Select(Box<SelectCode>),
    /// NEXT RECORD.
    NextRecord,
    /// READ DATA.
    ReadData(ListId, Branches),
    /// READ DATA FROM.
    ReadDataFrom(Box<(TextExpr, Options)>, ListId),
    /// RESTORE: the index of the line from which DATA are read.
    Restore(u32),
    /// DIM and REDIM.
    Dim(Box<[DimCode]>, bool),
    /// CALL.
    Call(Box<CallCode>),
    /// PERFORM.
    Perform(Box<TextExpr>, Branches),
    /// RUN.
    Run(Option<Box<TextExpr>>, Branches),
    /// ENTER.
    Enter(Box<[EnterCode]>, Branches),
    /// EXIT.
    Exit(Option<Box<NumberExpr>>),
    /// EXECUTE.
    Execute(Box<TextExpr>, Branches),
    /// An error for a name with a dot that must be a variable: its number, for when one of these strings has a structure.
    RefuseElement(u16, Box<[Symbol]>),
    /// LOCAL.
    Local(Box<[VariableRef]>),
    /// PRECISION.
    Precision(Box<NumberExpr>),
    /// FLOATINGPOINT.
    FloatingPoint,
    /// ROUND.
    Round(bool),
    /// RANDOMIZE.
    Randomize(Option<Box<NumberExpr>>),
    /// WAIT.
    Wait(Box<NumberExpr>),
    /// BEGIN; true with `*`.
    Begin(bool),
    /// CLEAR; without names all.
    Clear(Box<[VariableRef]>),
    /// CLEAR *, CLEAR EXCEPT: true for global variables, too.
    ClearExcept(bool, Box<[VariableRef]>),
    /// RESET.
    Reset,
    /// END and STOP.
    End,
    /// ESCAPE.
    Escape(Option<Box<NumberExpr>>),
    /// ESCAPE ON, ESCAPE OFF.
    EscapeMode(bool),
    /// RELEASE.
    Release(Option<Box<NumberExpr>>),
    /// SET_PARAM.
    SetParam(Box<[(String, Option<Expr>)]>),
    /// DEF CLASS: the number of the class, and the operation behind END DEF.
    DefClass(u32, Pc),
    /// A method as a statement.
    Evaluate(Box<Expr>),
    /// A directive of the session.
    Session(Box<SessionCode>),
    /// DAY_FORMAT.
    DayFormat(Box<TextExpr>),
    /// A control.
    Control(Box<ControlCode>),
    /// MSGBOX.
    MsgBox(Box<[Expr]>, Option<Box<Target>>),
    /// VIA: the composite or structured string, the name of the variable, and its value.
    Via(Box<(Option<Symbol>, TextExpr, Expr)>),
    /// An error: a statement that cannot run.
    Raise(u16, Box<str>),
}
