//! The procedures, with their arguments, answers and known figures.

use mainstay_tsql_types::{DataType, Length};
use mainstay_types::Value;

/// A typed argument.
type Argument = (DataType, Value);

/// A procedure that is called.
pub(crate) struct Procedure {
    pub(crate) key: &'static str,
    pub(crate) title: &'static str,
    pub(crate) name: &'static str,
    /// Creates it; procedures that it calls come before it, separated by lines of `GO`.
    pub(crate) text: &'static str,
    pub(crate) arguments: fn() -> Vec<Argument>,
    /// A batch before each run.
    pub(crate) before: &'static str,
    /// The rows of a call: values with commas, rows with semicolons behind them.
    pub(crate) answer: &'static str,
    /// Here and in the next two: 0 where there is no such figure.
    pub(crate) published: f64,
    pub(crate) aul: (f64, &'static str),
    pub(crate) floor: f64,
    pub(crate) target: f64,
}

impl Procedure {
    /// The batches that make it.
    pub(crate) fn scripts(&self) -> impl Iterator<Item = &'static str> {
        self.text.split("\nGO\n")
    }
}

/// The tables.
pub(crate) const SETUP: [&str; 4] = [
    "CREATE TABLE Target (Id INT, Number INT, Name VARCHAR(50))
     CREATE TABLE Rows1000 (Id INT PRIMARY KEY, Number INT, Name VARCHAR(50))
     CREATE TABLE Sales (Id INT PRIMARY KEY, GroupId INT, Amount DECIMAL(10,2))
     CREATE TABLE Accounts (Id INT IDENTITY PRIMARY KEY, Balance INT)
     CREATE TABLE Products (Id INT PRIMARY KEY, Price DECIMAL(10,2), Stock INT)
     CREATE TABLE OrderLines (Id INT IDENTITY PRIMARY KEY, ProductId INT, Quantity INT, Total DECIMAL(12,2))",
    "DECLARE @i INT = 1
     BEGIN TRAN
     WHILE @i <= 1000 BEGIN INSERT INTO Rows1000 VALUES (@i, @i * 2, 'name') SET @i += 1 END
     COMMIT",
    "DECLARE @i INT = 1
     BEGIN TRAN
     WHILE @i <= 10000 BEGIN INSERT INTO Sales VALUES (@i, @i % 10, @i * 0.01) SET @i += 1 END
     COMMIT",
    "INSERT INTO Products VALUES (1, 2.50, 1000000000)",
];

/// A hundred rows.
const RANGE: &str = "500,1000,'name';501,1002,'name';502,1004,'name';503,1006,'name';504,1008,'name';505,1010,'name';\
506,1012,'name';507,1014,'name';508,1016,'name';509,1018,'name';510,1020,'name';511,1022,'name';\
512,1024,'name';513,1026,'name';514,1028,'name';515,1030,'name';516,1032,'name';517,1034,'name';\
518,1036,'name';519,1038,'name';520,1040,'name';521,1042,'name';522,1044,'name';523,1046,'name';\
524,1048,'name';525,1050,'name';526,1052,'name';527,1054,'name';528,1056,'name';529,1058,'name';\
530,1060,'name';531,1062,'name';532,1064,'name';533,1066,'name';534,1068,'name';535,1070,'name';\
536,1072,'name';537,1074,'name';538,1076,'name';539,1078,'name';540,1080,'name';541,1082,'name';\
542,1084,'name';543,1086,'name';544,1088,'name';545,1090,'name';546,1092,'name';547,1094,'name';\
548,1096,'name';549,1098,'name';550,1100,'name';551,1102,'name';552,1104,'name';553,1106,'name';\
554,1108,'name';555,1110,'name';556,1112,'name';557,1114,'name';558,1116,'name';559,1118,'name';\
560,1120,'name';561,1122,'name';562,1124,'name';563,1126,'name';564,1128,'name';565,1130,'name';\
566,1132,'name';567,1134,'name';568,1136,'name';569,1138,'name';570,1140,'name';571,1142,'name';\
572,1144,'name';573,1146,'name';574,1148,'name';575,1150,'name';576,1152,'name';577,1154,'name';\
578,1156,'name';579,1158,'name';580,1160,'name';581,1162,'name';582,1164,'name';583,1166,'name';\
584,1168,'name';585,1170,'name';586,1172,'name';587,1174,'name';588,1176,'name';589,1178,'name';\
590,1180,'name';591,1182,'name';592,1184,'name';593,1186,'name';594,1188,'name';595,1190,'name';\
596,1192,'name';597,1194,'name';598,1196,'name';599,1198,'name';";

/// Group g holds the numbers that end in g, as hundredths.
const AGGREGATES: &str = "0,1000,50050.00,50.050000,0.10,100.00;1,1000,49960.00,49.960000,0.01,99.91;\
2,1000,49970.00,49.970000,0.02,99.92;3,1000,49980.00,49.980000,0.03,99.93;4,1000,49990.00,49.990000,0.04,99.94;\
5,1000,50000.00,50.000000,0.05,99.95;6,1000,50010.00,50.010000,0.06,99.96;7,1000,50020.00,50.020000,0.07,99.97;\
8,1000,50030.00,50.030000,0.08,99.98;9,1000,50040.00,50.040000,0.09,99.99;";

const NONE: fn() -> Vec<Argument> = Vec::new;

fn int(number: i64) -> Argument {
    (DataType::Int, Value::Integer(number))
}

fn text(text: &str) -> Argument {
    (DataType::varchar(Length::Limited(50)), Value::Text(text.to_owned()))
}

/// The turns of the loop of the row about the machine.
pub(super) const TURNS: usize = 1_000;

/// The row whose figure is that of one operation of the machine: a turn is a comparison with a jump, and two additions.
pub(super) const VM: Procedure = while_loop(
    "vm_operation",
    "VM: nanoseconds per simple operation (of 3,000: compare and jump, add, add)",
    || vec![int(TURNS as i64)],
    "499500;",
    (411.0, 265.0, 0.2, 3.5),
);

/// The procedures that are called in process.
pub(super) fn called() -> impl Iterator<Item = &'static Procedure> {
    PROCEDURES.iter().chain(&OWN).chain(std::iter::once(&VM))
}

/// Statements that the published page leaves out: programs that enter orders set variables in an UPDATE, and drivers write lists
/// of literals into their texts.
const OWN: [Procedure; 2] = [
    Procedure {
        key: "update_variables",
        title: "UpdateVariables: three UPDATEs by key that set variables",
        name: "UpdateVariables",
        text: "CREATE PROCEDURE UpdateVariables @id INT, @q INT AS
               SET NOCOUNT ON
               DECLARE @before INT, @after INT, @sum INT = 10
               UPDATE Rows1000 SET Number = Number + @q, @before = Number WHERE Id = @id
               UPDATE Rows1000 SET @after = Number = Number - @q WHERE Id = @id
               UPDATE Rows1000 SET @sum = @sum + Number WHERE Id = @id
               SELECT @before AS Before, @after AS After, @sum AS Total",
        arguments: || vec![int(500), int(3)],
        before: "",
        answer: "1000,1000,1010;",
        published: 0.0,
        aul: (0.0, ""),
        floor: 0.0,
        target: 30.0,
    },
    Procedure {
        key: "in_literals",
        title: "InLiterals: IN of 100 literals, a new text at each call",
        name: "InLiterals",
        text: "CREATE PROCEDURE InLiterals AS
               SET NOCOUNT ON
               DECLARE @first INT = ABS(CHECKSUM(NEWID())) % 1000000 + 2000, @i INT = 0, @list NVARCHAR(MAX) = N'1'
               WHILE @i < 99 BEGIN SET @list += N',' + CAST(@first + @i AS NVARCHAR(12)) SET @i += 1 END
               SET @list = N'SELECT COUNT(*) AS n FROM Rows1000 WHERE Id IN (' + @list + N')'
               EXEC (@list)",
        arguments: NONE,
        before: "",
        answer: "1;",
        published: 0.0,
        aul: (0.0, ""),
        floor: 0.0,
        target: 700.0,
    },
];

/// The rows of the suite.
pub(crate) const PROCEDURES: [Procedure; 19] = [
    Procedure {
        key: "simple_select",
        title: "SimpleSelect: the constant 1",
        name: "SimpleSelect",
        text: "CREATE PROCEDURE SimpleSelect AS SELECT 1 AS Result",
        arguments: NONE,
        before: "",
        answer: "1;",
        published: 230.0,
        aul: (50.0, ""),
        floor: 0.04,
        target: 0.5,
    },
    Procedure {
        key: "select_with_params",
        title: "SelectWithParams: adds two INTs, returns it and a VARCHAR",
        name: "SelectWithParams",
        text: "CREATE PROCEDURE SelectWithParams @a INT, @b INT, @s VARCHAR(50) AS SELECT @a + @b AS Total, @s AS Name",
        arguments: || vec![int(20), int(22), text("abc")],
        before: "",
        answer: "42,'abc';",
        published: 249.0,
        aul: (62.0, ""),
        floor: 0.06,
        target: 0.6,
    },
    Procedure {
        key: "arithmetic",
        title: "Arithmetic: (x*2)+(x/2)-(x%7), squared",
        name: "Arithmetic",
        text: "CREATE PROCEDURE Arithmetic @x INT AS
               DECLARE @r INT = (@x * 2) + (@x / 2) - (@x % 7)
               SELECT @r * @r AS Result",
        arguments: || vec![int(10)],
        before: "",
        answer: "484;",
        published: 241.0,
        aul: (56.0, ""),
        floor: 0.05,
        target: 0.6,
    },
    Procedure {
        key: "control_flow",
        title: "ControlFlow: a five-way IF / ELSE IF",
        name: "ControlFlow",
        text: "CREATE PROCEDURE ControlFlow @x INT AS
               DECLARE @r VARCHAR(10)
               IF @x < 10 SET @r = 'a' ELSE IF @x < 20 SET @r = 'b' ELSE IF @x < 30 SET @r = 'c'
               ELSE IF @x < 40 SET @r = 'd' ELSE SET @r = 'e'
               SELECT @r AS Result",
        arguments: || vec![int(35)],
        before: "",
        answer: "'d';",
        published: 249.0,
        aul: (63.0, ""),
        floor: 0.05,
        target: 0.6,
    },
    while_loop("while_10", "WhileLoop 10", || vec![int(10)], "45;", (248.0, 59.0, 0.05, 0.8)),
    while_loop("while_100", "WhileLoop 100", || vec![int(100)], "4950;", (331.0, 130.0, 0.1, 2.0)),
    while_loop("while_1000", "WhileLoop 1000", || vec![int(1000)], "499500;", (1232.0, 795.0, 0.6, 10.0)),
    Procedure {
        key: "table_insert",
        title: "TableInsert: one row, autocommit",
        name: "TableInsert",
        text: "CREATE PROCEDURE TableInsert @id INT, @n INT, @s VARCHAR(50) AS INSERT INTO Target (Id, Number, Name) VALUES (@id, @n, @s)",
        arguments: || vec![int(1), int(2), text("abc")],
        before: "TRUNCATE TABLE Target",
        answer: "",
        published: 285.0,
        aul: (358.0, ""),
        floor: 0.15,
        target: 1.5,
    },
    Procedure {
        key: "table_select",
        title: "TableSelect: 100 of 1,000 rows by key range, 3 columns",
        name: "TableSelect",
        text: "CREATE PROCEDURE TableSelect @from INT, @to INT AS
               SELECT Id, Number, Name FROM Rows1000 WHERE Id >= @from AND Id < @to",
        arguments: || vec![int(500), int(600)],
        before: "",
        answer: RANGE,
        published: 463.0,
        aul: (540.0, ""),
        floor: 0.65,
        target: 6.0,
    },
    Procedure {
        key: "table_select_aggregate",
        title: "TableSelectAggregate: 10,000 rows, 10 groups, ordered",
        name: "TableSelectAggregate",
        text: "CREATE PROCEDURE TableSelectAggregate AS
               SELECT GroupId, COUNT(*) AS n, SUM(Amount) AS s, AVG(Amount) AS a, MIN(Amount) AS lo, MAX(Amount) AS hi
               FROM Sales GROUP BY GroupId ORDER BY GroupId",
        arguments: NONE,
        before: "",
        answer: AGGREGATES,
        published: 3115.0,
        aul: (3140.0, ""),
        floor: 13.0,
        target: 60.0,
    },
    Procedure {
        key: "temp_table",
        title: "TempTable: CREATE #t, 100 INSERTs, SUM, DROP",
        name: "TempTable",
        text: "CREATE PROCEDURE TempTable AS
               CREATE TABLE #t (a INT)
               DECLARE @i INT = 1
               WHILE @i <= 100 BEGIN INSERT INTO #t VALUES (@i) SET @i += 1 END
               SELECT SUM(a) AS s FROM #t
               DROP TABLE #t",
        arguments: NONE,
        before: "",
        answer: "5050;",
        published: 285.0,
        aul: (246.0, "wrong"),
        floor: 0.7,
        target: 15.0,
    },
    nested("nested_1", "NestedExec 1", "Nested1", "CREATE PROCEDURE Nested1 AS SELECT 1 AS a", "1;", (525.0, 111.0, 0.1, 1.0)),
    nested(
        "nested_3",
        "NestedExec 3",
        "Nested3",
        "CREATE PROCEDURE Nested2 AS EXEC Nested1 SELECT 2 AS a
GO
CREATE PROCEDURE Nested3 AS EXEC Nested2 SELECT 3 AS a",
        "1;2;3;",
        (1047.0, 211.0, 0.2, 2.0),
    ),
    nested(
        "nested_5",
        "NestedExec 5",
        "Nested5",
        "CREATE PROCEDURE Nested4 AS EXEC Nested3 SELECT 4 AS a
GO
CREATE PROCEDURE Nested5 AS EXEC Nested4 SELECT 5 AS a",
        "1;2;3;4;5;",
        (1641.0, 341.0, 0.2, 3.0),
    ),
    Procedure {
        key: "transaction",
        title: "Transaction: BEGIN, INSERT, UPDATE by key, COMMIT, SELECT by key",
        name: "Transaction1",
        text: "CREATE PROCEDURE Transaction1 AS
               SET NOCOUNT ON
               DECLARE @id INT
               BEGIN TRAN
               INSERT INTO Accounts (Balance) VALUES (100)
               SET @id = SCOPE_IDENTITY()
               UPDATE Accounts SET Balance = Balance + 50 WHERE Id = @id
               COMMIT
               SELECT Balance FROM Accounts WHERE Id = @id",
        arguments: NONE,
        before: "TRUNCATE TABLE Accounts",
        answer: "150;",
        published: 884.0,
        aul: (1123.0, ""),
        floor: 0.3,
        target: 4.0,
    },
    Procedure {
        key: "complex_procedure",
        title: "ComplexProcedure: an order with validation",
        name: "ComplexProcedure",
        text: "CREATE PROCEDURE ComplexProcedure @product INT, @quantity INT AS
               SET NOCOUNT ON
               DECLARE @price DECIMAL(10,2), @stock INT, @total DECIMAL(12,2)
               SELECT @price = Price, @stock = Stock FROM Products WHERE Id = @product
               IF @stock IS NULL OR @stock < @quantity BEGIN RAISERROR('Not in stock', 16, 1) RETURN 1 END
               SET @total = @price * @quantity
               BEGIN TRAN
               INSERT INTO OrderLines (ProductId, Quantity, Total) VALUES (@product, @quantity, @total)
               UPDATE Products SET Stock = Stock - @quantity WHERE Id = @product
               COMMIT
               SELECT @total AS Total",
        arguments: || vec![int(1), int(3)],
        before: "TRUNCATE TABLE OrderLines",
        answer: "7.50;",
        published: 1259.0,
        aul: (1221.0, "wrong"),
        floor: 0.35,
        target: 6.0,
    },
    Procedure {
        key: "multiple_result_sets",
        title: "MultipleResultSets: three of one row",
        name: "MultipleResultSets",
        text: "CREATE PROCEDURE MultipleResultSets AS SELECT 1 AS a SELECT 2 AS b SELECT 3 AS c",
        arguments: NONE,
        before: "",
        answer: "1;2;3;",
        published: 742.0,
        aul: (71.0, ""),
        floor: 0.1,
        target: 1.0,
    },
    Procedure {
        key: "string_operations",
        title: "StringOperations: UPPER, LOWER, +, LTRIM/RTRIM, LEFT, LEN",
        name: "StringOperations",
        text: "CREATE PROCEDURE StringOperations @s VARCHAR(50) AS
               SELECT UPPER(@s) AS u, LOWER(@s) AS l, @s + '!' AS c, LTRIM(RTRIM('  ' + @s + '  ')) AS t, LEFT(@s, 3) AS f, LEN(@s) AS n",
        arguments: || vec![text("Mainstay")],
        before: "",
        answer: "'MAINSTAY','mainstay','Mainstay!','Mainstay','Mai',8;",
        published: 291.0,
        aul: (71.0, ""),
        floor: 0.27,
        target: 2.0,
    },
    Procedure {
        key: "case_expression",
        title: "CaseExpression: a searched CASE",
        name: "CaseExpression",
        text: "CREATE PROCEDURE CaseExpression @x INT AS
               SELECT CASE WHEN @x < 10 THEN 'low' WHEN @x < 100 THEN 'middle' ELSE 'high' END AS Result",
        arguments: || vec![int(50)],
        before: "",
        answer: "'middle';",
        published: 458.0,
        aul: (63.0, ""),
        floor: 0.05,
        target: 0.6,
    },
];

const fn while_loop(
    key: &'static str,
    title: &'static str,
    arguments: fn() -> Vec<Argument>,
    answer: &'static str,
    (published, aul, floor, target): (f64, f64, f64, f64),
) -> Procedure {
    Procedure {
        key,
        title,
        name: "WhileLoop",
        text: "CREATE OR ALTER PROCEDURE WhileLoop @n INT AS
               DECLARE @i INT = 0, @s INT = 0
               WHILE @i < @n BEGIN SET @s = @s + @i SET @i = @i + 1 END
               SELECT @s AS Total",
        arguments,
        before: "",
        answer,
        published,
        aul: (aul, ""),
        floor,
        target,
    }
}

const fn nested(
    key: &'static str,
    title: &'static str,
    name: &'static str,
    text: &'static str,
    answer: &'static str,
    (published, aul, floor, target): (f64, f64, f64, f64),
) -> Procedure {
    Procedure { key, title, name, text, arguments: NONE, before: "", answer, published, aul: (aul, ""), floor, target }
}
