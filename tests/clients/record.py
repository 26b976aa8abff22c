"""Records what real clients send, for crates/doors/tds/tests/recorded.

    python3 tests/clients/record.py --work FOLDER      the clients that run.py --install put there

Each client runs its cases against the scripted backend, without encryption, through a proxy that keeps the messages it
sends: of every connection PRELOGIN and LOGIN7, and of all other messages each once. Names of machines are written over.
"""

import argparse
import os
import pathlib
import socket
import subprocess
import threading

import run

RECORDED = run.REPOSITORY / "crates/doors/tds/tests/recorded"
LONGEST = 1200
MOST = 70
# Of a bulk load its beginning is enough.
LOAD = 700


class Proxy:
    """Passes bytes on, and keeps those of the clients, connection by connection."""

    def __init__(self, port):
        self.target = port
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.connections = []
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            client, _ = self.listener.accept()
            server = socket.create_connection(("127.0.0.1", self.target))
            kept = bytearray()
            self.connections.append(kept)
            threading.Thread(target=self.pump, args=(client, server, kept), daemon=True).start()
            threading.Thread(target=self.pump, args=(server, client, None), daemon=True).start()

    @staticmethod
    def pump(source, target, kept):
        try:
            while piece := source.recv(65536):
                if kept is not None:
                    kept += piece
                target.sendall(piece)
            target.shutdown(socket.SHUT_WR)
        except OSError:
            pass


def messages(stream):
    """Kind and payload of the messages in a stream of packets; stops where it is something else."""
    kept, at, payload = [], 0, b""
    while at + 8 <= len(stream) and stream[at] in (1, 3, 6, 7, 14, 16, 18):
        length = int.from_bytes(stream[at + 2 : at + 4], "big")
        payload += bytes(stream[at + 8 : at + length])
        if stream[at + 1] & 1:
            kept.append((stream[at], payload))
            payload = b""
        at += length
    return kept


def without_machine(payload, kind):
    """The same without the names of this machine."""
    for name in {socket.gethostname(), socket.getfqdn()}:
        payload = payload.replace(name.encode("utf-16-le"), ("client" * 20)[: len(name)].encode("utf-16-le"))
    if kind == 16:
        # Where some clients put the address of a network card.
        payload = payload[:72] + bytes(6) + payload[78:]
    return payload


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--work", type=pathlib.Path, required=True)
    options.add_argument("--target-dir")
    options = options.parse_args()
    work = options.work.resolve()
    run.refresh(work)
    run.SETTINGS = 'encryption = "off"\n' + run.SETTINGS
    server, port = run.scripted_server(options.target_dir, None)
    for name, command in run.clients(work):
        if command is None:
            continue
        proxy = Proxy(port)
        program = [str(part) for part in command]
        driver = [program.pop()] if name in ("mssql-jdbc", "jtds") else []
        program += [str(proxy.port), "tester", "Tester-1", *driver]
        try:
            environment = {**os.environ, "RECORDING": "1"}
            subprocess.run(program, cwd=run.folder(work, name), capture_output=True, timeout=100, env=environment)
        except subprocess.TimeoutExpired:
            pass
        seen, lines = set(), []
        for stream in proxy.connections:
            fresh = []
            for kind, payload in messages(stream):
                payload = without_machine(payload, kind)
                payload = payload[:LOAD] if kind == 7 else payload
                if len(payload) <= LONGEST and (kind in (16, 18) or (kind, payload) not in seen):
                    seen.add((kind, payload))
                    fresh.append(f"{kind} {payload.hex()}")
            if any(not line.startswith(("16 ", "18 ")) for line in fresh) and len(lines) < MOST:
                lines += ["connection", *fresh]
        if lines:
            RECORDED.mkdir(exist_ok=True)
            (RECORDED / f"{name}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
            print(name, len(lines))
    server.stdin.close()


if __name__ == "__main__":
    main()
