"""A receiver of webhooks with nothing but Python's standard library.

Arguments: the port, the file to write to, and the file that holds the secret. It verifies each delivery as the Standard
Webhooks specification says, answers 401 to one that is not from the holder of the secret, and takes each message once.
"""

import base64
import hashlib
import hmac
import json
import os
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PORT, TAKEN, SECRET = int(sys.argv[1]), sys.argv[2], sys.argv[3]
TOLERANCE_SECONDS = 5 * 60


def known_ids():
    if not os.path.exists(TAKEN):
        return set()
    with open(TAKEN, encoding="utf-8") as lines:
        return {json.loads(line)["id"] for line in lines}


known = known_ids()


def is_signed(headers, body):
    with open(SECRET, encoding="utf-8") as file:
        key = base64.b64decode(file.read().strip().removeprefix("whsec_"))
    message_id, timestamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not timestamp.isdigit() or abs(time.time() - int(timestamp)) > TOLERANCE_SECONDS:
        return False
    signed = f"{message_id}.{timestamp}.".encode() + body
    right = "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    given = headers.get("webhook-signature", "").split(" ")
    return any(hmac.compare_digest(right, one) for one in given)


class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length", "0")))
        if not is_signed(self.headers, body):
            return self.answer(401)
        message_id = self.headers["webhook-id"]
        if message_id not in known:
            with open(TAKEN, "a", encoding="utf-8") as file:
                file.write(json.dumps({"id": message_id, "event": json.loads(body)}) + "\n")
                file.flush()
                os.fsync(file.fileno())
            known.add(message_id)
        return self.answer(200)

    def answer(self, status):
        self.send_response(status)
        self.send_header("content-length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *_):
        pass


ThreadingHTTPServer.allow_reuse_address = True
server = ThreadingHTTPServer(("127.0.0.1", PORT), Receiver)
print("ready", flush=True)
server.serve_forever()
