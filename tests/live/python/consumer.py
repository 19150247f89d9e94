"""A worker with a thread of its own that both work and wait."""
import json
import threading
import time


def consume(n):
    total = 0
    for i in range(n):
        total += i
    return total


def serve():
    while True:
        consume(2000)
        time.sleep(0.001)


threading.Thread(target=serve, name='helper', daemon=True).start()
print(json.dumps({'ready': True}), flush=True)
serve()
