"""Three threads: one has the GIL, one hashes without it, one sleeps."""
import hashlib
import json
import threading
import time


def busy():
    while True:
        for _ in range(1000):
            pass


def hashing():
    data = b'x' * (1 << 20)
    while True:
        for _ in range(4):
            hashlib.sha256(data).digest()
        time.sleep(0.008)


def sleeping():
    while True:
        time.sleep(1)


tids = {}


def begin(work):
    tids[work.__name__] = threading.get_native_id()
    work()


for work in busy, hashing, sleeping:
    threading.Thread(target=begin, args=(work,), daemon=True).start()
while len(tids) < 3:
    time.sleep(0.01)
print(json.dumps(tids), flush=True)
time.sleep(3600)
