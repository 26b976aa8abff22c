"""Runs real clients of SQL Server and of Informix against a server, and prints PASS or FAIL for each case.

    python3 tests/clients/run.py --install --work FOLDER     gets the clients from their registries into a folder, once
    python3 tests/clients/run.py --work FOLDER               against the scripted backend of the door's tests
    python3 tests/clients/run.py --work FOLDER --serve target/debug/mainstay             against `mainstay serve`
    python3 tests/clients/run.py --work FOLDER --port 1433 --user sa --password ...      against a server that runs

What is not installed is skipped, and said. The exit code is 1 if a case failed.
"""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import threading

HERE = pathlib.Path(__file__).resolve().parent
REPOSITORY = HERE.parent.parent
PYTHON_PACKAGES = ["pymssql==2.4.6", "python-tds==1.17.1", "pyodbc==5.5.0", "mssql-python==1.16.0", "sqlalchemy>=2,<3", "pytest>=8", "informix-driver==2026.9.3"]
# Versions of IBM's JDBC driver for Informix.
INFORMIX_DRIVERS = ["4.10.8.1", "4.50.11", "4.50.13.1", "15.0.1.0"]
DEBIAN_PACKAGES = ["freetds-bin", "tdsodbc"]
# The hash of "Tester-1", cheap to check: these settings are for tests only.
SETTINGS = """[[server.users]]
name = "tester"
password_hash = "$argon2id$v=19$m=8,t=1,p=1$GOgmxqwXml0wOUG2NwOyUw$tsYoR1aXiL/4CcOlBsXvx7FRnGmRCzQxo9hCPx4Rzvk"
"""


def wanted():
    """What is to be installed, as one text; it is kept beside what was, so that a change of it installs anew."""
    manifests = [HERE / "node/package.json", HERE / "go/go.mod", HERE / "java/pom.xml", HERE / "informix/pom.xml", HERE / "informix-tools/pom.xml"]
    tools = [tool for tool in ["npm", "go", "mvn"] if shutil.which(tool)]
    return "\n".join(PYTHON_PACKAGES + INFORMIX_DRIVERS + tools + [manifest.read_text() for manifest in manifests])


def odbc_driver():
    """FreeTDS's driver for ODBC, if it is there."""
    return next(pathlib.Path("/usr/lib").glob("*/odbc/libtdsodbc.so"), None)


def install_freetds():
    """FreeTDS comes with the system. Without Debian's packages or the right to install them its cases are skipped."""
    if (shutil.which("tsql") and odbc_driver()) or not shutil.which("apt-get") or os.geteuid() != 0:
        return
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    subprocess.run(["apt-get", "-qq", "update"], env=quiet, check=True)
    subprocess.run(["apt-get", "-qq", "install", "-y", *DEBIAN_PACKAGES], env=quiet, check=True, stdout=subprocess.DEVNULL)


def install(work):
    """The clients that come from registries, each where its language's tool is there, and FreeTDS."""
    install_freetds()
    installed = work / "installed.txt"
    if installed.exists() and installed.read_text() == wanted():
        return
    # A broken installation is not taken for a whole one: the list is written last.
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    subprocess.run([sys.executable, "-m", "venv", work / "venv"], check=True)
    subprocess.run([work / "venv/bin/pip", "install", "-q", *PYTHON_PACKAGES], check=True)
    for name in ["node", "go", "java", "informix", "informix-tools"]:
        shutil.copytree(HERE / name, work / name, dirs_exist_ok=True)
    if shutil.which("npm"):
        subprocess.run(["npm", "install", "--silent"], cwd=work / "node", check=True)
    if shutil.which("go"):
        subprocess.run(["go", "mod", "tidy"], cwd=work / "go", check=True)
        subprocess.run(["go", "build", "-o", "cases", "."], cwd=work / "go", check=True)
    if shutil.which("mvn"):
        command = ["mvn", "-q", "dependency:copy-dependencies", "-DoutputDirectory=lib"]
        subprocess.run(command, cwd=work / "java", check=True)
        subprocess.run(command, cwd=work / "informix-tools", check=True)
        for version in INFORMIX_DRIVERS:
            command = ["mvn", "-q", "dependency:copy-dependencies", f"-DoutputDirectory=lib-{version}", f"-Dinformix.version={version}"]
            subprocess.run(command, cwd=work / "informix", check=True)
    installed.write_text(wanted())


# How long a client may take, in seconds, where that is not a minute.
TIMES = {"sqlalchemy_suite": 600, "informix-tools": 180}


def clients(work, real=False, own=False):
    """Name and command of each client; none where it is not installed. `own`: the database is nobody's, and may be cleared."""
    python = work / "venv/bin/python"
    for name in ["freetds", "pymssql", "pytds", "pyodbc", "mssql_python"] + (["sqlalchemy"] if real else []) + (["sqlalchemy_suite"] if own else []):
        needs = {"freetds": shutil.which("tsql"), "pyodbc": odbc_driver(), "sqlalchemy": odbc_driver()}
        there = python.exists() and needs.get(name, True)
        yield name, [python, HERE / "python" / f"{name}_cases.py"] if there else None
    yield "tedious", ["node", "cases.js"] if (work / "node/node_modules").exists() else None
    yield "go-mssqldb", ["./cases"] if (work / "go/cases").exists() else None
    there = (work / "java/lib").exists()
    for driver in ["mssql-jdbc", "jtds"]:
        yield driver, ["java", "-cp", "lib/*", "Cases.java", driver] if there else None
    # Informix clients need sessions of their language: the scripted backend has none.
    if own:
        yield "informix-driver", [python, HERE / "python/informix_driver_cases.py"] if python.exists() else None
        for version in INFORMIX_DRIVERS:
            there = (work / f"informix/lib-{version}").exists()
            yield f"informix-jdbc-{version}", ["java", "-cp", f"lib-{version}/*", "Cases.java", version] if there else None
        there = (work / "informix-tools/lib").exists()
        yield "informix-tools", ["java", "-cp", "lib/*", "Tools.java"] if there else None


def folder(work, name):
    inside = {"tedious": "node", "go-mssqldb": "go", "mssql-jdbc": "java", "jtds": "java"}
    if name.startswith("informix-jdbc"):
        return work / "informix"
    if name == "informix-tools":
        return work / name
    return work / inside[name] if name in inside else HERE / "python"


def refresh(work):
    """The scripts as they are now, beside the libraries that were installed for them."""
    for name in ["node", "java", "informix", "informix-tools"]:
        for script in [*(HERE / name).glob("[cC]ases.*"), *(HERE / name).glob("Tools.java")]:
            if (work / name).exists():
                shutil.copy(script, work / name)
    if (work / "go/go.sum").exists() and shutil.which("go"):
        for source in (HERE / "go").glob("*.go"):
            shutil.copy(source, work / "go")
        subprocess.run(["go", "build", "-o", "cases", "."], cwd=work / "go", check=True)


def certificate(work):
    """A certificate for this machine, which clients that insist on one can be told to trust; none without openssl."""
    if not shutil.which("openssl"):
        return None
    command = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 30 -subj /CN=localhost"
    names = ["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", "key.pem", "-out", "certificate.pem"]
    subprocess.run(command.split() + names, cwd=work, check=True, capture_output=True)
    return work / "certificate.pem"


def built_backend():
    """The scripted backend, built now."""
    subprocess.run(["cargo", "build", "-q", "-p", "mainstay-server", "--example", "scripted"], cwd=REPOSITORY, check=True)
    return pathlib.Path(os.environ.get("CARGO_TARGET_DIR", REPOSITORY / "target")) / "debug/examples/scripted"


def scripted_server(binary, certificate):
    """The door's scripted backend on a port of its choice."""
    settings = "[server]\n"
    if certificate:
        settings += f'certificate = "{certificate}"\nkey = "{certificate.with_name("key.pem")}"\n'
    command = [binary, "0", settings + SETTINGS]
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return server, int(server.stdout.readline().split()[1])


def whole_server(binary, certificate, work, durability):
    """`mainstay serve` over a new folder, on a port of its choice."""
    folder = work / "served"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    # Flyway and Liquibase know a database by this name of the product.
    settings = '[server]\nsqli_version = "Informix Dynamic Server Version 14.10.FC7W1DE"\n'
    if certificate:
        settings += f'certificate = "{certificate}"\nkey = "{certificate.with_name("key.pem")}"\n'
    (folder / "mainstay.toml").write_text(settings + SETTINGS)
    command = [binary, "serve", folder, "--tds", "127.0.0.1:0", "--sqli", "127.0.0.1:0", "--durability", durability]
    server = subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    for line in server.stderr:
        if " event=ready tds=" in line:
            # What it says from now on is read, so that it never waits for a reader.
            threading.Thread(target=server.stderr.read, daemon=True).start()
            return server, *(int(line.split(f" {door}=127.0.0.1:")[1].split()[0]) for door in ["tds", "sqli"])
    sys.exit(f"{binary} did not start")


def stop(server, is_whole):
    """Ends a server that was started here, as its kind is ended."""
    if server is None:
        return
    if is_whole:
        server.terminate()
    else:
        server.stdin.close()
    server.wait(20)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--work", type=pathlib.Path, required=True, help="where the clients are installed")
    options.add_argument("--install", action="store_true", help="install them, and run nothing")
    options.add_argument("--port", type=int, help="of a server that runs")
    options.add_argument("--serve", type=pathlib.Path, help="the mainstay that is to serve")
    options.add_argument("--user", default="tester")
    options.add_argument("--password", default="Tester-1")
    options.add_argument("--only", help="one client")
    options.add_argument("--durability", default="full", help="what a commit of the served folder waits for")
    options.add_argument("--tpcc", type=float, metavar="SECONDS", help="order entry through go-mssqldb, so long a row")
    options.add_argument("--scripted", type=pathlib.Path, help="the scripted backend; built by default")
    options = options.parse_args()
    work = options.work.resolve()
    if options.install:
        return install(work)
    refresh(work)
    trusted = None if options.port else certificate(work)
    if options.port:
        server, port, sqli_port = None, options.port, None
    elif options.serve:
        server, port, sqli_port = whole_server(options.serve.resolve(), trusted, work, options.durability)
    else:
        (server, port), sqli_port = scripted_server(options.scripted or built_backend(), trusted), None
    real = bool(options.port or options.serve)
    environment = {**os.environ, **({"CERTIFICATE": str(trusted)} if trusted else {}), **({"REAL_SERVER": "1"} if real else {})}
    environment["TPCC_SQL"] = str(REPOSITORY / "crates/tools/bench/src/tpcc")
    if options.tpcc:
        program = ["./cases", str(port), options.user, options.password, "tpcc", str(options.tpcc)]
        ended = subprocess.run(program, cwd=work / "go", env=environment)
        stop(server, options.serve)
        sys.exit(ended.returncode)
    failed = passed = 0
    for name, command in clients(work, real=real, own=bool(options.serve)):
        if options.only and options.only != name:
            continue
        if command is None:
            print(f"SKIP {name}: not installed")
            continue
        # What runs a driver's name last has it behind the program.
        program = [str(part) for part in command]
        driver = [program.pop()] if name in ("mssql-jdbc", "jtds") or name.startswith("informix-jdbc") else []
        program += [str(sqli_port if name.startswith("informix") else port), options.user, options.password, *driver]
        try:
            said = subprocess.run(program, cwd=folder(work, name), capture_output=True, text=True, timeout=TIMES.get(name, 60), env=environment)
            lines = [line for line in said.stdout.splitlines() if line.startswith(("PASS", "FAIL"))]
            if said.returncode != 0 and not any(line.startswith("FAIL") for line in lines):
                lines.append(f"FAIL {name}: ended with {said.returncode}: {(said.stderr or said.stdout).strip()[-500:]}")
        except subprocess.TimeoutExpired as late:
            lines = (late.stdout or b"").decode().splitlines() + [f"FAIL {name}: it did not end"]
        print("\n".join(lines), flush=True)
        failed += sum(line.startswith("FAIL") for line in lines)
        passed += sum(line.startswith("PASS") for line in lines)
    stop(server, options.serve)
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
