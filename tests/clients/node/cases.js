// tedious: the cases of ../python/cases.py, as this client says them. Arguments: port, user, password.

const { Connection, Request, TYPES } = require("tedious");
const version = require("tedious/package.json").version;
const [port, userName, password] = process.argv.slice(2);

function connect(options = {}) {
  const settings = { port: Number(port), trustServerCertificate: true, connectTimeout: 10000, ...options };
  if (process.env.RECORDING) settings.encrypt = false;
  const connection = new Connection({
    server: "127.0.0.1",
    authentication: { type: "default", options: { userName, password } },
    options: settings,
  });
  return new Promise((resolve, reject) => {
    connection.on("error", () => {});
    connection.connect((error) => (error ? reject(error) : resolve(connection)));
  });
}

function run(connection, text, { method = "execSql", parameters = [], outputs = [], cancelAfter } = {}) {
  return new Promise((resolve, reject) => {
    const rows = [], values = {}, results = [];
    const request = new Request(text, (error) => (error ? reject(error) : resolve({ rows, values, results })));
    request.on("columnMetadata", (columns) => results.push(columns.length));
    request.on("row", (columns) => rows.push(columns.map((column) => column.value)));
    request.on("returnValue", (name, value) => (values[name] = value));
    parameters.forEach(([name, type, value]) => request.addParameter(name, type, value));
    outputs.forEach(([name, type, value]) => request.addOutputParameter(name, type, value));
    connection[method](request);
    if (cancelAfter) setTimeout(() => connection.cancel(), cancelAfter);
  });
}

const call = (object, method, ...rest) =>
  new Promise((resolve, reject) => object[method]((error) => (error ? reject(error) : resolve()), ...rest));

function check(condition, what) {
  if (!condition) throw new Error(what);
}

const SELECTED = `SELECT CAST(1 AS bit) AS c_bit, CAST(200 AS tinyint) AS c_tinyint, CAST(-2000000000 AS int) AS c_int,
 CAST(9000000000000000000 AS bigint) AS c_bigint, CAST(0.1 AS float) AS c_float,
 CAST('2024-02-29 13:14:15.123' AS datetime) AS c_datetime, CAST(N'Malmö €' AS varchar(20)) AS c_varchar,
 CAST(N'日本 😀' AS nvarchar(20)) AS c_nvarchar, CAST(0x0001FEFF AS binary(4)) AS c_binary,
 CAST('00112233-4455-6677-8899-aabbccddeeff' AS uniqueidentifier) AS c_uniqueidentifier
 UNION ALL SELECT NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL ORDER BY c_bit DESC /* types */`;

const wanted = {
  c_bit: true,
  c_tinyint: 200,
  c_int: -2000000000,
  c_bigint: "9000000000000000000",
  c_float: 0.1,
  c_datetime: "2024-02-29T13:14:15.123Z",
  c_nchar: "日本 ",
  c_text: "long text é",
  c_uniqueidentifier: "00112233-4455-6677-8899-AABBCCDDEEFF",
  c_xml: "<a>é</a>",
  c_date: "2024-02-29T00:00:00.000Z",
  c_sql_variant: "variant",
};

function everyType(connection) {
  return new Promise((resolve, reject) => {
    const rows = [];
    const request = new Request(SELECTED, (error) => {
      try {
        if (error) throw error;
        check(rows.length === 2, `${rows.length} rows`);
        for (const column of rows[0]) {
          const name = column.metadata.colName;
          const value = column.value instanceof Date ? column.value.toISOString() : column.value;
          check(!(name in wanted) || value === wanted[name], `${name}: ${value}`);
        }
        check(rows[1].every((column) => column.value === null), "the row of NULLs");
        resolve();
      } catch (failed) {
        reject(failed);
      }
    });
    request.on("row", (columns) => rows.push(columns));
    connection.execSqlBatch(request);
  });
}

const cases = {
  "connect and select": async (connection) => {
    check((await run(connection, "SELECT 1")).rows[0][0] === 1, "SELECT 1");
  },
  "every type": everyType,
  "many rows": async (connection) => {
    const text = `WITH n AS (SELECT 0 AS n UNION ALL SELECT n + 1 FROM n WHERE n < 4999)
SELECT n, CONCAT(N'row ', n) AS t FROM n OPTION (MAXRECURSION 0) /* rows 5000 */`;
    const { rows } = await run(connection, text, { method: "execSqlBatch" });
    check(rows.length === 5000 && rows[4999][1] === "row 4999", `${rows.length} rows`);
  },
  parameters: async (connection) => {
    const values = [["a", TYPES.Int, 7], ["b", TYPES.NVarChar, "日本"], ["c", TYPES.VarBinary, Buffer.from([1, 2])],
      ["d", TYPES.Decimal, null], ["e", TYPES.Float, 1.5], ["f", TYPES.BigInt, "9000000000000000000"]];
    const { rows } = await run(connection, "SELECT @a, @b, @c, @d, @e, @f", { parameters: values });
    check(rows[0][0] === 7 && rows[0][1] === "日本" && rows[0][2][1] === 2 && rows[0][3] === null, rows[0]);
    check(rows[0][5] === "9000000000000000000", rows[0]);
  },
  "prepared statements": async (connection) => {
    const rows = [];
    const request = new Request("SELECT @n AS n", () => {});
    request.addParameter("n", TYPES.Int);
    request.on("row", (columns) => rows.push(columns[0].value));
    const done = (event) => new Promise((resolve) => request.once(event, resolve));
    const step = (start, event) => { const ended = done(event); start(); return ended; };
    await step(() => connection.prepare(request), "prepared");
    for (const n of [1, 2]) await step(() => connection.execute(request, { n }), "requestCompleted");
    await step(() => connection.unprepare(request), "requestCompleted");
    check(rows.join() === "1,2", rows);
  },
  errors: async (connection) => {
    const text = "\n\n\n\n\n\nTHROW 50001, 'It failed as it was told to.', 3; /* fail */";
    const error = await run(connection, text, { method: "execSqlBatch" }).then(() => ({}), (error) => error);
    check(error.number === 50001 && error.state === 3 && error.lineNumber === 7, JSON.stringify(error));
  },
  "two results": async (connection) => {
    const { rows, results } = await run(connection, "SELECT 1 AS n; SELECT 2 AS n /* two results */");
    check(results.length === 2 && rows[1][0] === 2, results);
  },
  "output parameters": async (connection) => {
    const text = `CREATE OR ALTER PROCEDURE dbo.double_it @n int OUTPUT, @t nvarchar(50) OUTPUT AS
BEGIN SELECT @n AS n, @t AS t; SET @n = @n * 2; SET @t = UPPER(@t); RETURN 42; END`;
    await run(connection, text, { method: "execSqlBatch" });
    const outputs = [["n", TYPES.Int, 21], ["t", TYPES.NVarChar, "abc"]];
    const { values } = await run(connection, "dbo.double_it", { method: "callProcedure", outputs });
    check(values.n === 42 && values.t === "ABC", JSON.stringify(values));
  },
  transactions: async (connection) => {
    await call(connection, "beginTransaction");
    check((await run(connection, "SELECT @@TRANCOUNT")).rows[0][0] === 1, "a transaction is open");
    await call(connection, "commitTransaction");
    await call(connection, "beginTransaction");
    await call(connection, "rollbackTransaction");
    check((await run(connection, "SELECT @@TRANCOUNT")).rows[0][0] === 0, "no transaction is open");
  },
  attention: async (connection) => {
    const began = Date.now();
    const options = { method: "execSqlBatch", cancelAfter: 300 };
    const error = await run(connection, "WAITFOR DELAY '00:00:20' /* sleep 20 */", options).then(() => ({}), (e) => e);
    check(error.code === "ECANCEL" && Date.now() - began < 5000, JSON.stringify(error));
    check((await run(connection, "SELECT 1")).rows[0][0] === 1, "the connection goes on");
  },
  reset: async (connection) => {
    await call(connection, "reset");
    check((await run(connection, "SELECT 1")).rows[0][0] === 1, "the connection goes on");
  },
  "bulk load": async (connection) => {
    const text = "DROP TABLE IF EXISTS client_bulk; CREATE TABLE client_bulk (n int, t nvarchar(100))";
    await run(connection, text, { method: "execSqlBatch" });
    await new Promise((resolve, reject) => {
      const load = connection.newBulkLoad("client_bulk", (error, count) =>
        error ? reject(error) : count === 1000 ? resolve() : reject(new Error(`${count} rows`)));
      load.addColumn("n", TYPES.Int, { nullable: true });
      load.addColumn("t", TYPES.NVarChar, { length: 100, nullable: true });
      connection.execBulkLoad(load, Array.from({ length: 1000 }, (_, n) => [n, `row ${n} é`]));
    });
    const { rows } = await run(connection, "SELECT COUNT(*) AS loaded FROM client_bulk", { method: "execSqlBatch" });
    check(rows[0][0] === 1000, rows);
  },
};

(async () => {
  let failed = 0;
  for (const [settings, suffix] of [[{ encrypt: true }, ""], [{ encrypt: false }, ", login encrypted only"]]) {
    for (const [name, body] of Object.entries(cases)) {
      try {
        const connection = await connect(settings);
        await body(connection);
        connection.close();
        console.log(`PASS tedious ${version} ${name}${suffix}`);
      } catch (error) {
        failed += 1;
        console.log(`FAIL tedious ${version} ${name}${suffix}: ${String(error.message || error).replace(/\n/g, " ")}`);
      }
    }
  }
  process.exit(failed ? 1 : 0);
})();
