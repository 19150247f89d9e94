#!/usr/bin/env python3
"""Run the analyzers of gcc and clang over src, text, tui, explore and cli.

    scripts/analyze-code.py [--gcc | --clang] [-j N] [PATH...]  (or: make analyze-code)

The compilers follow paths through each function and say where one of them
reads freed memory, a null pointer, a variable that was not set, or forgets to
close a file. PATH: only files below these.

A finding is a place to be changed. One that is wrong is suppressed at its line,
or up to two lines above it, by a comment with the name of the check and a reason:

    /* NOLINT(-Wanalyzer-malloc-leak): the list owns it, see list_add. */

A comment without a reason, or one that suppresses nothing any more, is a finding
too. The last line is "N files, N findings"; the exit status is 0 without any.

BUILD_DIR: where the commands of the compiler are taken from (build).
CC, CLANG_TIDY: the programs (gcc, clang-tidy; the newest that is there).
"""
import argparse
import concurrent.futures
import glob
import json
import os
import re
import shlex
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FOLDERS = ('src', 'text', 'tui', 'explore', 'cli')

# Warnings of gcc besides its analyzer. The first is wrong too often to be on in
# each build: tests rely on their own asserts.
GCC = ['-fanalyzer', '-Wnull-dereference', '-O2', '-fdiagnostics-color=never',
       '-fno-diagnostics-show-caret', '-fdiagnostics-path-format=none']
# Left out. gcc 12 loses track of memory that is stored in an element of an
# array, or whose first member is passed on: 20 of 20 findings were wrong. clang looks for
# leaks too, and LeakSanitizer runs with every test.
GCC += ['-Wno-analyzer-malloc-leak']
# What the analyzers need to know about functions of other files.
MODEL = os.path.join(ROOT, 'scripts', 'analyze-model.h')
DEFINES_MODEL = ('src/core/error.c', 'src/capture/proc/mem.c')
# What only gcc knows, and what would hide more than it shows.
NOT_CLANG = re.compile(r'-W|-M[DQF]|-D_FORTIFY|-U_FORTIFY|-fstack-clash|'
                       r'-ftrivial|-fcf-|-mbranch|-fstack-protector')
CHECKS = ','.join(['-*', 'clang-analyzer-*'] + ['-clang-analyzer-' + c for c in (
    # It wants memcpy_s, which no C library here has.
    'security.insecureAPI.DeprecatedOrUnsafeBufferHandling',
    # Padding of structs is not a mistake.
    'optin.performance.Padding')])

FINDING = re.compile(r'^(\S+?):(\d+):\d+: (?:warning|error): (.*?)'
                     r'(?: \[CWE-\d+\])? \[([\w.,=-]+)\]$', re.M)
NOLINT = re.compile(r'NOLINT\(([\w.-]+)\)(:\s+\S)?')


def newest(name):
    """The program, of the highest version if it has one in its name."""
    found = [p for d in os.environ.get('PATH', '').split(os.pathsep)
             for p in glob.glob(os.path.join(d, name + '-[0-9]*'))
             if re.search(r'-\d+$', p)]
    return max(found, key=lambda p: int(p.rsplit('-', 1)[1]), default=None) \
        or shutil.which(name)


def commands(build, paths):
    """(file, directory, arguments) of each file to look at."""
    with open(os.path.join(build, 'compile_commands.json'),
              encoding='utf-8') as file:
        entries = json.load(file)
    seen = {}
    for entry in entries:
        path = os.path.realpath(os.path.join(entry['directory'],
                                             entry['file']))
        name = os.path.relpath(path, ROOT)
        if name.split(os.sep)[0] not in FOLDERS or name in seen:
            continue
        if paths and not any(name == p or name.startswith(p + os.sep)
                             for p in paths):
            continue
        words = shlex.split(entry['command'])
        while os.path.basename(words[0]) in ('ccache', 'sccache'):
            words.pop(0)
        seen[name] = (name, entry['directory'], words[1:])
    return list(seen.values())


def without_output(words):
    """The arguments without -o FILE, -c FILE and what makes dependencies."""
    kept, skip = [], False
    for word in words:
        if skip:
            skip = False
        elif word in ('-o', '-c', '-MQ', '-MF'):
            skip = True
        elif word not in ('-MD', '-Werror'):
            kept.append(word)
    return kept


def run(argv, directory):
    done = subprocess.run(argv, cwd=directory, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    return done.stdout.decode('utf-8', 'replace'), done.returncode


def model(name):
    """The command sees public headers only, and has no use for it."""
    if name.startswith('src/') and name not in DEFINES_MODEL:
        # Some files say it themselves, before they include anything.
        return ['-D_GNU_SOURCE=', '-include', MODEL]
    return []


def with_gcc(tool, name, directory, words):
    # The optimization is ours, whatever the build has.
    words = [w for w in without_output(words) if not w.startswith('-O')]
    return run([tool] + words + GCC + model(name) + ['-c', os.path.join(ROOT, name), '-o',
                                       os.devnull], directory)


def with_clang(tool, name, directory, words):
    words = [w for w in without_output(words) if not NOT_CLANG.match(w)]
    return run([tool, '--quiet', '--checks=' + CHECKS,
                os.path.join(ROOT, name), '--', '-Wno-everything'] +
               model(name) + words, directory)


def lines_of(name, cache={}):
    if name not in cache:
        with open(os.path.join(ROOT, name), encoding='utf-8') as file:
            cache[name] = file.read().split('\n')
    return cache[name]


def suppressed_by(name, line, check):
    """The line of the comment that suppresses a check there, or None."""
    lines = lines_of(name)
    for at in (line, line - 1, line - 2):
        text = lines[at - 1] if 0 < at <= len(lines) else ''
        if any(check == c for c, _ in NOLINT.findall(text)):
            return at
    return None


class Report:
    def __init__(self):
        self.findings = set()
        self.used = set()

    def take(self, directory, text):
        for path, line, message, checks in FINDING.findall(text):
            name = os.path.relpath(os.path.realpath(
                os.path.join(directory, path)), ROOT)
            if name.split(os.sep)[0] not in FOLDERS + ('include',):
                continue
            check = checks.split(',')[0]
            at = suppressed_by(name, int(line), check)
            if at is None:
                self.add(name, int(line), check, message)
            else:
                self.used.add((name, at))

    def add(self, *finding):
        """Prints a finding once; many files include the same header."""
        if finding not in self.findings:
            self.findings.add(finding)
            name, line, check, message = finding
            print('%s:%d: %s [%s]' % (name, line, message, check), flush=True)

    def look_at_comments(self, names, unused_too):
        for name in names:
            for at, text in enumerate(lines_of(name), 1):
                for check, reason in NOLINT.findall(text):
                    if not reason:
                        self.add(name, at, check, 'has no reason')
                    elif unused_too and (name, at) not in self.used:
                        self.add(name, at, check, 'suppresses nothing')


def failed(text, code, tool):
    """gcc and clang-tidy say "error" when a file cannot be compiled."""
    return code < 0 or re.search(r'\berror: ', text) and \
        'clang-diagnostic-error' in text or \
        (code != 0 and os.path.basename(tool).startswith('gcc'))


def main():
    args = argparse.ArgumentParser()
    args.add_argument('--gcc', action='store_true')
    args.add_argument('--clang', action='store_true')
    args.add_argument('-j', type=int, default=os.cpu_count(), dest='jobs')
    args.add_argument('paths', nargs='*')
    args = args.parse_args()
    both = args.gcc == args.clang
    tools = []
    if both or args.gcc:
        tools.append((with_gcc, os.environ.get('CC') or 'gcc'))
    if both or args.clang:
        tools.append((with_clang, os.environ.get('CLANG_TIDY') or
                      newest('clang-tidy')))
    for _, tool in tools:
        if tool is None or shutil.which(tool) is None:
            sys.exit('analyze-code: no %s; make analyze-code installs it'
                     % (tool or 'clang-tidy'))
    build = os.path.join(ROOT, os.environ.get('BUILD_DIR', 'build'))
    todo = commands(build, [os.path.normpath(p) for p in args.paths])
    if not todo:
        sys.exit('analyze-code: no such file in %s' % build)
    report = Report()
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for how, tool in tools:
            jobs = [(entry, pool.submit(how, tool, *entry)) for entry in todo]
            for (name, directory, _), job in jobs:
                text, code = job.result()
                report.take(directory, text)
                if failed(text, code, tool):
                    report.add(name, 0, tool, 'failed: ' + text.strip()[-400:])
    report.look_at_comments([entry[0] for entry in todo], both)
    print('%d files, %d findings' % (len(todo), len(report.findings)))
    return 1 if report.findings else 0


if __name__ == '__main__':
    sys.exit(main())
