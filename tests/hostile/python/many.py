"""many.py N: a process with N threads that rest."""
import json
import os
import sys
import threading

threading.stack_size(65536)
rest = threading.Event()
for _ in range(int(sys.argv[1]) - 1):
    threading.Thread(target=rest.wait, daemon=True).start()
print(json.dumps(os.getpid()), flush=True)
os.read(0, 1)
os._exit(0)
