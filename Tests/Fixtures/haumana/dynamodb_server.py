"""DynamoDB for tests: moto, and a proxy in front of it that checks signatures with botocore and injects faults.

Prints the proxy's port and ends when standard input is closed. The first part of a path is the mode:

  /plain      passes requests on
  /faulty     leaves a third of each batch unprocessed; sometimes fails, throttles or drops the connection
  /throttled  always throttles
  /stuck      processes nothing, and reports all items as unprocessed
  /redirect   answers with a redirect to /plain
  /page       answers with an HTML page
  /denied     answers with 400 and AccessDeniedException

The rest of the path is used only to count requests.

  GET /make/PIECES/SESSIONS makes tables, GET /scan/TABLE returns all items, and GET /count/MODE returns the number of
  requests.
"""

import http.server
import json
import sys
import threading
import urllib.request

import boto3
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from moto.server import ThreadedMotoServer

ACCESS, SECRET, TOKEN = "AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", "Example+Session/Token=="
REGION = "us-west-2"

moto = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
moto.start()
backend = "http://%s:%d" % moto.get_host_and_port()
database = boto3.client(
    "dynamodb", endpoint_url=backend, region_name=REGION, aws_access_key_id=ACCESS, aws_secret_access_key=SECRET
)
lock = threading.Lock()
counts: dict[str, int] = {}


def make(table, partition, sort):
    database.create_table(
        TableName=table,
        KeySchema=[{"AttributeName": partition, "KeyType": "HASH"}, {"AttributeName": sort, "KeyType": "RANGE"}],
        AttributeDefinitions=[{"AttributeName": name, "AttributeType": "S"} for name in (partition, sort)],
        BillingMode="PAY_PER_REQUEST",
    )


def scan(table):
    pages = database.get_paginator("scan").paginate(TableName=table)
    return [item for page in pages for item in page["Items"]]


def error(status, code, message):
    return status, json.dumps({"__type": "com.amazonaws.dynamodb.v20120810#" + code, "message": message}).encode()


class Proxy(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def answer(self, status, body, fields=()):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        for name, value in fields:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        verb, *names = self.path.strip("/").split("/")
        if verb == "make":
            make(names[0], "userId", "pieceId")
            make(names[1], "pk", "sk")
            self.answer(200, b"{}")
        elif verb == "scan":
            self.answer(200, json.dumps({"Items": scan(names[0])}).encode())
        elif verb == "count":
            self.answer(200, str(counts.get("/".join(names), 0)).encode())
        else:
            self.answer(404, b"")

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        mode = self.path.strip("/")
        with lock:
            count = counts[mode] = counts.get(mode, 0) + 1
        mode = mode.split("/")[0]
        problem = self.problem(body)
        if problem:
            return self.answer(*error(400, *problem))
        if mode == "redirect":
            return self.answer(307, b"", [("Location", "/plain")])
        if mode == "page":
            return self.answer(200, b"<html>Sign in</html>")
        if mode == "denied":
            return self.answer(*error(400, "AccessDeniedException", "not allowed\x1b[31m"))
        if mode == "throttled":
            return self.answer(*error(400, "ThrottlingException", "Rate of requests exceeds the allowed one."))
        if mode == "stuck":
            return self.answer(200, json.dumps({"UnprocessedItems": json.loads(body)["RequestItems"]}).encode())
        if mode != "faulty":
            return self.answer(*self.forward(body))
        if count % 5 == 1:
            return self.answer(*error(500, "InternalServerError", "The request processing has failed."))
        if count % 5 == 3:
            return self.answer(*error(400, "ProvisionedThroughputExceededException", "Too fast."))
        if count % 7 == 0:
            self.close_connection = True
            return None
        [(table, puts)] = json.loads(body)["RequestItems"].items()
        kept = len(puts) - len(puts) // 3
        status, answer = self.forward(json.dumps({"RequestItems": {table: puts[:kept]}}).encode())
        if status == 200 and puts[kept:]:
            # The attributes are in a different order, as another program might write them.
            left = [{"PutRequest": {"Item": dict(sorted(put["PutRequest"]["Item"].items()))}} for put in puts[kept:]]
            answer = json.dumps({"UnprocessedItems": {table: left[::-1]}}).encode()
        return self.answer(status, answer)

    def problem(self, body):
        """Returns the error in the head or the signature; None if there is no error."""
        if self.headers["X-Amz-Target"] != "DynamoDB_20120810.BatchWriteItem":
            return "UnknownOperationException", ""
        if self.headers.get_all("Content-Type") != ["application/x-amz-json-1.0"]:
            return "SerializationException", ""
        given = self.headers["Authorization"]
        signed = given.split("SignedHeaders=")[1].split(",")[0].split(";")
        if not {"host", "x-amz-date", "x-amz-target", "content-type", "x-amz-security-token"} <= set(signed):
            return "IncompleteSignatureException", "signed: " + " ".join(signed)
        url = "http://" + self.headers["Host"] + self.path
        request = AWSRequest("POST", url, headers={name: self.headers[name] for name in signed}, data=body)
        request.context["timestamp"] = self.headers["X-Amz-Date"]
        auth = SigV4Auth(Credentials(ACCESS, SECRET), "dynamodb", REGION)
        canonical = auth.canonical_request(request)
        signature = auth.signature(auth.string_to_sign(request, canonical), request)
        if given.endswith("Signature=" + signature):
            return None
        return "InvalidSignatureException", "The signature does not match. Canonical String:\n" + canonical

    def forward(self, body):
        fields = {name: self.headers[name] for name in ("X-Amz-Target", "Content-Type", "Authorization", "X-Amz-Date")}
        try:
            with urllib.request.urlopen(urllib.request.Request(backend + "/", body, fields)) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as problem:
            return problem.code, problem.read()


proxy = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Proxy)
proxy.daemon_threads = True
threading.Thread(target=proxy.serve_forever, daemon=True).start()
print(proxy.server_port, flush=True)
sys.stdin.read()
