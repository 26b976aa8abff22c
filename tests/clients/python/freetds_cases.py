"""FreeTDS's own programs: tsql, bsqldb and freebcp."""

import subprocess
import tempfile

import cases

port, user, password = cases.arguments()
version = subprocess.run(["tsql", "-C"], capture_output=True, text=True).stdout.split("freetds v")[-1].split()[0]
run = cases.Cases(f"FreeTDS {version}")


def tsql(text, *options):
    command = ["tsql", "-H", "127.0.0.1", "-p", str(port), "-U", user, "-P", password, *options]
    return subprocess.run(command, input=text + "\ngo\nquit\n", capture_output=True, text=True, timeout=20)


def settings(folder):
    path = f"{folder}/freetds.conf"
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"[door]\nhost = 127.0.0.1\nport = {port}\ntds version = 7.4\nclient charset = UTF-8\n")
    return path


def program(*command, **more):
    with tempfile.TemporaryDirectory() as folder:
        more["env"] = {"FREETDSCONF": settings(folder), "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}
        return subprocess.run(command, capture_output=True, text=True, timeout=20, **more)


def simple():
    for number in ["7.1", "7.2", "7.3", "7.4"]:
        with tempfile.TemporaryDirectory() as folder:
            more = {"FREETDSCONF": settings(folder), "TDSVER": number, "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}
            command = ["tsql", "-S", "door", "-U", user, "-P", password]
            said = subprocess.run(command, input="SELECT 1\ngo\n", capture_output=True, text=True, timeout=20, env=more)
            cases.check("(1 row affected)" in said.stdout, f"{number}: {said.stdout} {said.stderr}")


def every_type():
    said = tsql(cases.SELECTED.replace("\n", " "))
    cases.check("(2 rows affected)" in said.stdout and "Malmö €" in said.stdout, said.stdout + said.stderr)


def failing():
    said = tsql(cases.FAILING)
    whole = said.stdout + said.stderr
    cases.check("Msg 50001" in whole and "state 3" in whole.lower() and "told to" in whole, whole)


def script():
    said = program("bsqldb", "-S", "door", "-U", user, "-P", password, input="SELECT 1\ngo\n" + cases.TWO + "\ngo\n")
    cases.check(said.returncode == 0, said.stderr)
    cases.check(said.stdout.split().count("1") >= 2, said.stdout)


def bulk():
    with tempfile.NamedTemporaryFile("w", suffix=".txt", encoding="utf-8") as rows:
        tsql("DROP TABLE IF EXISTS client_bulk; CREATE TABLE client_bulk (n int, t nvarchar(100))")
        rows.writelines(f"{n}\trow {n}\n" for n in range(1000))
        rows.flush()
        said = program("freebcp", "client_bulk", "in", rows.name, "-S", "door", "-U", user, "-P", password, "-c")
        cases.check("1000 rows copied." in said.stdout, said.stdout + said.stderr)


run.run("connect and select, versions 7.1 to 7.4", simple)
run.run("every type", every_type)
run.run("errors", failing)
run.run("scripts", script)
run.run("bulk load", bulk)
run.end()
