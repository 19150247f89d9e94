"""tables.py VALUE WIDE: a child for each word of the table of offsets, which has
that value there. Says the numbers of the children."""
import json
import os
import sys

import own

FIRST = 2  # behind the cookie and the version

value, is_wide = int(sys.argv[1], 0), sys.argv[2] == '1'
ends = os.pipe()
children = []
if is_wide:
    own.widen()
for word in range(FIRST, own.SIZE // 8):
    pid = os.fork()
    if pid == 0:
        os.close(ends[1])
        own.put(own.RUNTIME + 8 * word, value)
        os.read(ends[0], 1)  # until the parent ends
        os._exit(0)
    children.append(pid)
print(json.dumps(children), flush=True)
os.read(0, 1)
