#!/usr/bin/env python3
"""Starts the shop, its worker and its customers, and ends them with itself.

    demo/start.py [--fixed] [--no-php] [DIR]

Copies the programs to DIR (build/demo) and starts them there. When they answer,
it prints one line and waits for the end: Ctrl-C, SIGTERM, or the end of its
standard input if that is a pipe. Without PHP there is the worker alone, with
more work.
"""
import argparse
import ctypes
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
PR_SET_PDEATHSIG = 1


def free_port():
    with socket.socket() as probe:
        probe.bind(('127.0.0.1', 0))
        return probe.getsockname()[1]


def die_with_parent():
    """Nothing stays, even if this program is killed."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def start(folder, *command):
    return subprocess.Popen(
        command, cwd=folder,
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL, preexec_fn=die_with_parent)


def wait_until_it_answers(process, port):
    for _ in range(200):
        if process.poll() is not None:
            sys.exit('%s ended' % process.args[0])
        with socket.socket() as probe:
            if probe.connect_ex(('127.0.0.1', port)) == 0:
                return
        time.sleep(0.05)
    sys.exit('%s does not answer' % process.args[0])


def copy(folder, fixed):
    """Copies the programs; `fixed` is the name of one that is correct, or
    None."""
    for name in ('shop', 'fixed'):
        shutil.rmtree(os.path.join(folder, name), ignore_errors=True)
        shutil.copytree(os.path.join(HERE, name), os.path.join(folder, name))
    for name in ('spam.py', 'worker.py', 'visitors.py'):
        shutil.copy(os.path.join(HERE, name), folder)
    if fixed:
        shutil.copy(os.path.join(HERE, 'fixed', os.path.basename(fixed)),
                    os.path.join(folder, fixed))
    with open(os.path.join(folder, 'shop', 'prices.csv'), 'wb') as out:
        subprocess.run([sys.executable, os.path.join(HERE, 'make_prices.py')],
                       stdout=out, check=True)


def start_all(folder, has_php):
    ports = ['-', str(free_port())]
    processes = [start(folder, sys.executable,
                       os.path.join(folder, 'worker.py'), ports[1])]
    wait_until_it_answers(processes[0], int(ports[1]))
    if has_php:
        ports[0] = str(free_port())
        processes.append(start(folder, 'php', '-S', '127.0.0.1:' + ports[0],
                               os.path.join(folder, 'shop', 'index.php')))
        wait_until_it_answers(processes[1], int(ports[0]))
    return processes + [start(folder, sys.executable, 'visitors.py', *ports)]


def wait_for_the_end(processes):
    while all(process.poll() is None for process in processes):
        if not sys.stdin.isatty() and select.select([sys.stdin], [], [], 0.2):
            if not os.read(0, 1):
                return
        time.sleep(0.2)


def main():
    parser = argparse.ArgumentParser(description='the shop of make demo')
    parser.add_argument('--fixed', action='store_true',
                        help='with the file of fixed/ that matters')
    parser.add_argument('--no-php', action='store_true',
                        help='the worker alone')
    parser.add_argument('folder', nargs='?', metavar='DIR', default=os.path.join(
        os.path.dirname(HERE), 'build', 'demo'))
    options = parser.parse_args()
    has_php = not options.no_php and shutil.which('php') is not None
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    folder = os.path.abspath(options.folder)
    slow = 'shop/PriceList.php' if has_php else 'spam.py'
    copy(folder, slow if options.fixed else None)
    processes = start_all(folder, has_php)
    try:
        print('%s started in %s' % (
            'shop, worker and visitors' if has_php else 'worker and visitors',
            os.path.relpath(folder)), flush=True)
        wait_for_the_end(processes)
    except KeyboardInterrupt:
        pass
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            process.wait()


if __name__ == '__main__':
    main()
