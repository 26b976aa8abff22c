-- A payroll of 1998: a cursor over employees, a procedure that calls another, @@ERROR after each statement, paging in three ways.
CREATE TABLE dbo.Employee (EmpId int IDENTITY(1,1) NOT NULL CONSTRAINT PK_Employee PRIMARY KEY CLUSTERED, EmpNo char(6) NOT NULL UNIQUE, LastName varchar(30) NOT NULL, FirstName varchar(30) NULL, HireDate smalldatetime NOT NULL, Salary money NOT NULL CHECK (Salary > 0), DeptId int NULL, MgrId int NULL REFERENCES dbo.Employee(EmpId), Active bit NOT NULL DEFAULT (1))
CREATE TABLE dbo.TimeSheet (EmpId int NOT NULL, WorkDate datetime NOT NULL, Hours decimal(5,2) NOT NULL, RateCode char(1) NOT NULL DEFAULT 'R', CONSTRAINT PK_TS PRIMARY KEY (EmpId, WorkDate, RateCode))
CREATE TABLE dbo.PayRun (PayRunId int IDENTITY, PeriodEnd datetime, EmpId int, Gross money, Tax money, Net AS (Gross - Tax), PostedBy sysname DEFAULT SUSER_SNAME(), PostedOn datetime DEFAULT GETDATE())
GO
INSERT INTO Employee (EmpNo, LastName, FirstName, HireDate, Salary, DeptId, MgrId)
SELECT '000001', 'Smith', 'John', '19980105', 52000, 1, NULL UNION ALL
SELECT '000002', 'Jones', 'Mary', '1999-03-15', 48000.50, 1, 1 UNION ALL
SELECT '000003', 'O''Brien', NULL, 'Jun 1 2001', $39000, 2, 1
INSERT TimeSheet (EmpId, WorkDate, Hours, RateCode) SELECT e.EmpId, DATEADD(dd, n.number, '20040105'), 8.0, 'R' FROM Employee e CROSS JOIN master..spt_values n WHERE n.type = 'P' AND n.number BETWEEN 0 AND 4
INSERT TimeSheet VALUES (2, '20040105', 2.5, 'O')
GO
CREATE PROC usp_CalcPay @PeriodEnd datetime, @Debug bit = 0 AS
SET NOCOUNT ON
DECLARE @err int, @rc int, @EmpId int, @Gross money, @Reg decimal(9,2), @Ovt decimal(9,2), @Rate money, @Tax money, @msg varchar(255)
DECLARE curEmp CURSOR LOCAL FAST_FORWARD FOR SELECT EmpId, Salary / 2080.0 FROM Employee WHERE Active = 1 ORDER BY EmpId
BEGIN TRAN
OPEN curEmp
FETCH NEXT FROM curEmp INTO @EmpId, @Rate
WHILE (@@FETCH_STATUS <> -1)
BEGIN
  IF (@@FETCH_STATUS <> -2)
  BEGIN
    SELECT @Reg = 0, @Ovt = 0
    SELECT @Reg = SUM(CASE RateCode WHEN 'R' THEN Hours ELSE 0 END), @Ovt = SUM(CASE WHEN RateCode = 'O' THEN Hours ELSE 0 END)
    FROM TimeSheet WHERE EmpId = @EmpId AND WorkDate > DATEADD(day, -7, @PeriodEnd) AND WorkDate <= @PeriodEnd
    SELECT @Gross = ROUND(@Reg * @Rate + @Ovt * @Rate * 1.5, 2)
    EXEC @rc = usp_Tax @Gross, @Tax OUTPUT
    SELECT @err = @@ERROR
    IF @err <> 0 OR @rc <> 0 GOTO ErrHandler
    INSERT INTO PayRun (PeriodEnd, EmpId, Gross, Tax) VALUES (@PeriodEnd, @EmpId, @Gross, @Tax)
    IF @@ERROR <> 0 GOTO ErrHandler
    IF @Debug = 1
    BEGIN
      SET @msg = 'Emp ' + CONVERT(varchar(10), @EmpId) + ': ' + CONVERT(varchar(20), @Gross, 1) + ' less ' + CAST(@Tax AS varchar(20))
      PRINT @msg
    END
  END
  FETCH NEXT FROM curEmp INTO @EmpId, @Rate
END
CLOSE curEmp
DEALLOCATE curEmp
COMMIT TRAN
RETURN 0
ErrHandler:
  IF @@TRANCOUNT > 0 ROLLBACK TRAN
  RAISERROR ('Pay run failed for employee %d (error %d).', 16, 1, @EmpId, @err)
  RETURN (1)
GO
CREATE PROC usp_Tax @Amount money, @Tax money = NULL OUTPUT AS
  SELECT @Tax = CASE WHEN @Amount <= 500 THEN 0.10 * @Amount WHEN @Amount <= 900 THEN 50 + (@Amount - 500) * 0.2 ELSE 130 + (@Amount - 900) * .3 END
  RETURN 0
GO
DECLARE @r int
EXEC @r = usp_CalcPay '20040109', 1
SELECT @r
SELECT PayRunId, EmpId, Gross, Tax, Net FROM PayRun
SELECT e.LastName + ISNULL(', ' + e.FirstName, '') AS Name, p.Gross, RANK() OVER (ORDER BY p.Gross DESC) AS rnk, CONVERT(char(8), p.PeriodEnd, 112) AS pe, DATENAME(weekday, p.PeriodEnd) AS wd FROM PayRun p INNER JOIN Employee e ON e.EmpId = p.EmpId ORDER BY 3, 1
SELECT DeptId, COUNT(*) cnt, SUM(Salary) tot, AVG(Salary) av, MIN(HireDate) mn FROM Employee GROUP BY DeptId WITH ROLLUP ORDER BY GROUPING(DeptId), DeptId
GO
SELECT CONVERT(varchar(30), Salary, 2), CONVERT(varchar, HireDate, 107), CONVERT(varchar(12), HireDate), STR(Salary, 12, 2), DATEDIFF(yy, HireDate, '20040109') - CASE WHEN DATEADD(yy, DATEDIFF(yy, HireDate, '20040109'), HireDate) > '20040109' THEN 1 ELSE 0 END FROM Employee ORDER BY EmpId
GO
-- paging of three kinds
CREATE PROCEDURE PageEmployees @PageIndex int, @PageSize int, @Sort varchar(20) AS
BEGIN
  DECLARE @PageLowerBound int, @PageUpperBound int, @sql nvarchar(4000), @total int
  SET @PageLowerBound = @PageSize * @PageIndex
  SET @PageUpperBound = @PageSize - 1 + @PageLowerBound
  CREATE TABLE #Page (IndexId int IDENTITY (0, 1) NOT NULL, EmpId int)
  SET @sql = N'INSERT INTO #Page (EmpId) SELECT EmpId FROM dbo.Employee ORDER BY ' + QUOTENAME(@Sort) + N' DESC; SET @t = @@ROWCOUNT'
  EXEC sp_executesql @sql, N'@t int OUTPUT', @t = @total OUTPUT
  SELECT p.IndexId, e.EmpNo, e.LastName FROM #Page p JOIN Employee e ON e.EmpId = p.EmpId WHERE p.IndexId BETWEEN @PageLowerBound AND @PageUpperBound ORDER BY p.IndexId
  RETURN @total
END
GO
DECLARE @t int
EXEC @t = PageEmployees 0, 2, 'LastName'
SELECT @t AS total
;WITH x AS (SELECT ROW_NUMBER() OVER (ORDER BY LastName) AS rn, COUNT(*) OVER () AS total, * FROM Employee) SELECT rn, total, EmpNo FROM x WHERE rn BETWEEN 2 AND 3
SELECT TOP 2 * FROM (SELECT TOP 100 PERCENT EmpNo, Salary FROM Employee ORDER BY Salary DESC) a ORDER BY Salary
GO
