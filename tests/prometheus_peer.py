"""Let a real Prometheus scrape an exposition and answer a query.

Usage: prometheus_peer.py EXPOSITION DIRECTORY QUERY...

Prints the answer to each query: sorted lines of labels and value. DIRECTORY is
for Prometheus' own files. Status 1 when it does not come up in time.
"""

import functools
import http.server
import json
import os
import socket
import subprocess
import sys
import threading
import time
import urllib.parse
import urllib.request


class Exposition(http.server.BaseHTTPRequestHandler):
    def __init__(self, body, *args):
        self.body = body
        super().__init__(*args)

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/plain; version=0.0.4")
        self.end_headers()
        self.wfile.write(self.body)

    def log_message(self, *args):
        pass


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def ask(port, query):
    url = f"http://127.0.0.1:{port}/api/v1/query?" + urllib.parse.urlencode(
        {"query": query})
    with urllib.request.urlopen(url, timeout=5) as answer:
        return json.load(answer)["data"]["result"]


def wait_for(port, query):
    """The first answer that is not empty."""
    until = time.monotonic() + 30
    while time.monotonic() < until:
        try:
            found = ask(port, query)
            if found:
                return found
        except OSError:
            pass
        time.sleep(0.2)
    sys.exit(f"no answer to {query}")


def main(exposition, directory, *queries):
    with open(exposition, "rb") as f:
        serve = functools.partial(Exposition, f.read())
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), serve)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    config = os.path.join(directory, "prometheus.yml")
    with open(config, "w", encoding="utf-8") as f:
        json.dump({"scrape_configs": [{
            "job_name": "peer", "scrape_interval": "1s",
            "static_configs": [
                {"targets": [f"127.0.0.1:{server.server_port}"]}]}]}, f)
    port = free_port()
    prometheus = subprocess.Popen(
        ["prometheus", f"--config.file={config}",
         f"--storage.tsdb.path={directory}/tsdb",
         f"--web.listen-address=127.0.0.1:{port}"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for query in queries:
            for line in sorted(
                    json.dumps([{k: v for k, v in r["metric"].items()
                                 if k not in ("job", "instance")},
                                float(r["value"][1])])
                    for r in wait_for(port, query)):
                print(line)
    finally:
        prometheus.terminate()
        prometheus.wait()
        server.shutdown()


main(*sys.argv[1:])
