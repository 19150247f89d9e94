#!/usr/bin/env python3
"""Runs a program with a limit on its memory and says how much it used.

    bounded.py ADDRESS_SPACE REPORT PROGRAM ARGUMENT...

ADDRESS_SPACE is in bytes, 0 for no limit; the largest resident size, in
bytes, and the seconds that it used the processor for are written to the file
REPORT.  It is a program of its own because the
kernel counts the size of a process before exec too: a child of a test with
much data in memory would look as large as that test.
"""
import os
import resource
import sys


def main(limit, report, argv):
    child = os.fork()
    if child == 0:
        if limit:
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        os.execv(argv[0], argv)
    _, status, usage = os.wait4(child, 0)
    with open(report, 'w') as file:
        file.write('%d %.3f' % (usage.ru_maxrss * 1024,
                                usage.ru_utime + usage.ru_stime))
    if os.WIFSIGNALED(status):
        os.kill(os.getpid(), os.WTERMSIG(status))
    return os.WEXITSTATUS(status)


if __name__ == '__main__':
    sys.exit(main(int(sys.argv[1]), sys.argv[2], sys.argv[3:]))
