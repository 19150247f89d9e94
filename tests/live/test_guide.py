"""What record says to guide its user, commands that start others, the exit
status of a command, and an older recording that is kept."""
import json
import os
import shutil
import signal
import stat
import subprocess
import sys
import time

from live import sandbox
from support import bobbin, case, clients, listing, phps
from support.case import Skip, each, expect, read_file

WORK = '''
import time
def work():
    end = time.time() + 0.7
    while time.time() < end:
        pass
work()
'''


def path_of(name):
    return os.path.join(case.scratch, name)


def script():
    return case.write_file(WORK.encode(), 'work.py')


def record(*command, options=(), ok=(0,)):
    return bobbin.run('record', '-r', '200', '-o', path_of('out.rbt'),
                      *options, '--', *command, ok=ok)


def functions(path):
    return bobbin.run('convert', '-q', '-t', 'folded', path).out


def shell(text):
    """A script of the shell that starts Python."""
    path = case.write_file(b'#!/bin/sh\n' + text.encode(), 'wrap.sh')
    os.chmod(path, 0o755)
    return path


# ---- commands that start others ------------------------------------------

@each(['sh -c', 'sh -c, then more', 'env', 'nice', 'timeout', 'script',
       'bash script', 'nested', 'setsid', 'xargs'])
def test_what_a_command_starts_is_sampled(how):
    py, path = sys.executable, script()
    run = '%s %s' % (py, path)
    command = {
        'sh -c': ['sh', '-c', run],
        'sh -c, then more': ['sh', '-c', run + '; true'],
        'env': ['env', 'X=1', py, path],
        'nice': ['nice', py, path],
        'timeout': ['timeout', '60', py, path],
        'script': [shell(run + '\ntrue\n')],
        'bash script': ['bash', shell(run + '\ntrue\n')],
        'nested': ['sh', '-c', 'timeout 60 nice sh -c "%s; true"; true' % run],
        'setsid': ['setsid', '-w', py, path],
        'xargs': ['sh', '-c', 'echo %s | xargs %s' % (path, py)],
    }[how]
    if shutil.which(command[0]) is None:
        raise Skip('there is no %s' % command[0])
    record(*command)
    expect(b'work' in functions(path_of('out.rbt')), 'nothing of %s', how)


def test_children_of_what_is_sampled_are_not():
    """That is what --subprocesses is for."""
    inner = case.write_file(WORK.replace('work', 'grandchild').encode(),
                            'in.py')
    outer = case.write_file(
        ('import subprocess, sys\n'
         'def outer():\n'
         '    subprocess.run([sys.executable, %r])\n'
         'outer()\n' % inner).encode(), 'outer.py')
    record('sh', '-c', '%s %s; true' % (sys.executable, outer))
    got = functions(path_of('out.rbt'))
    expect(b'outer' in got and b'grandchild' not in got, '%s', got)


def test_two_that_a_shell_starts_are_both_sampled():
    second = case.write_file(WORK.replace('work', 'other').encode(), 'b.py')
    record('sh', '-c', '%s %s & %s %s & wait' % (
        sys.executable, script(), sys.executable, second))
    got = functions(path_of('out.rbt'))
    expect(b'work' in got and b'other' in got, '%s', got)


# ---- exit status ---------------------------------------------------------

@each([('false', ['false'], 1), ('exit', ['sh', '-c', 'exit 7'], 7),
       ('signal', ['sh', '-c', 'kill -9 $$'], 137),
       ('not there', ['/nonexistent/x'], 127),
       ('not executable', [__file__], 126)])
def test_the_exit_status_is_that_of_the_command(item):
    _, command, status = item
    record(*command, ok=(status,))
    expect(not os.path.exists(path_of('out.rbt')), 'a file of nothing')


@each(['direct', 'wrapped'])
def test_the_exit_status_of_what_was_sampled(how):
    path = case.write_file((WORK + 'raise SystemExit(9)').encode(), 'x.py')
    command = [sys.executable, path]
    if how == 'wrapped':
        command = ['sh', '-c', ' '.join(command)]
    record(*command, ok=(9,))
    expect(b'work' in functions(path_of('out.rbt')), 'nothing recorded')


def test_uv_runs_python():
    """After a look at the interpreter, which is Python too and ends soon."""
    uv = clients.command('uv', os.path.join(clients.HOME, 'uv', 'bin', 'uv'))
    result = record(uv, 'run', '--offline', '--no-project', '--python',
                    sys.executable, script(), ok=(0, 2))
    if b'error:' in result.err:
        raise Skip('uv does not run here: %s' % result.err.decode()[-200:])
    expect(b'work' in functions(path_of('out.rbt')), '%s', result.err)


def test_poetry_becomes_the_program():
    poetry = shutil.which('poetry')
    if not poetry:
        raise Skip('no poetry here')
    case.write_file(b'[tool.poetry]\npackage-mode = false\n',
                    'pyproject.toml')
    result = record('env', 'POETRY_VIRTUALENVS_CREATE=false', poetry, '-C',
                    case.scratch, 'run', 'python3', script())
    expect(b'work' in functions(path_of('out.rbt')), '%s', result.err)


def anybodys_script():
    """A script that everybody may read."""
    os.chmod(case.scratch, 0o755)
    path = script()
    os.chmod(path, 0o644)
    return path


def anybodys_python():
    for path in ('/usr/bin/python3', '/usr/local/bin/python3'):
        if os.access(path, os.X_OK):
            return path
    raise Skip('no Python that everybody may run')


def test_sudo_runs_as_another_user():
    sandbox.need_root()
    sudo = clients.command('sudo', 'sudo')
    result = record(sudo, '-u', '#%d' % sandbox.NOBODY, anybodys_python(),
                    anybodys_script())
    expect(b'work' in functions(path_of('out.rbt')), '%s', result.err)


def test_a_wrapper_that_may_not_be_read():
    """Like sudo for who is not root: what it starts is sampled if that may be
    read."""
    wrapper = path_of('wrapper')
    shutil.copy(os.path.realpath('/bin/sh'), wrapper)
    os.chmod(wrapper, 0o711)
    run = 'sleep 0.3; %s %s; true' % (anybodys_python(),
                                      anybodys_script())
    out = os.path.join(path_of('open'), 'out.rbt')
    os.mkdir(os.path.dirname(out))
    os.chmod(os.path.dirname(out), 0o777)
    result = sandbox.without_ptrace(
        'record', '-r', '200', '-o', out, '--', wrapper, '-c', run,
        user=sandbox.NOBODY, ok=(0, 1))
    if b'ptrace_scope' in result.err:
        raise Skip('children may not be read here (Yama)')
    expect(result.code == 0 and b'work' in functions(out), '%s', result.err)


def test_why_a_child_may_not_be_read_is_told():
    """The child of the wrapper cannot be read either."""
    python = path_of('python')
    shutil.copy(os.path.realpath(anybodys_python()), python)
    os.chmod(python, 0o711)
    result = sandbox.without_ptrace(
        'record', '-o', path_of('out.rbt'), '--', 'sh', '-c',
        '%s %s; true' % (python, anybodys_script()), user=sandbox.NOBODY,
        ok=(1,))
    expect(b'may not be read' in result.err, '%s', result.err)


def test_a_command_without_a_runtime_is_told():
    result = record('sleep', '0.3', ok=(bobbin.FAILED,))
    expect(b'sleep ran neither PHP nor Python' in result.err, '%s',
           result.err)


# ---- an older recording --------------------------------------------------

def test_an_older_file_is_kept():
    path = case.write_file(b'older', 'out.rbt')
    result = record(sys.executable, script())
    expect(read_file(path + '.old') == b'older', 'not kept')
    expect(b'it is %s.old now' % path.encode() in result.err, '%s',
           result.err)
    expect(b'work' in functions(path), 'nothing new')
    record(sys.executable, script(), options=['--force'])
    expect(read_file(path + '.old') == b'older', '--force keeps nothing')


@each(['record that fails', 'nothing there', 'empty', 'made up'])
def test_nothing_is_kept_without_need(how):
    path = path_of('out.rbt')
    if how == 'record that fails':
        case.write_file(b'older', 'out.rbt')
        record('false', ok=(1,))
        expect(read_file(path) == b'older', 'gone')
    else:
        if how == 'empty':
            case.write_file(b'', 'out.rbt')
        record(sys.executable, script())
    expect(not os.path.exists(path + '.old'), 'kept %s', how)


@each(['link', 'directory', 'hard link'])
def test_nothing_of_others_is_replaced(how):
    """The name of the kept file may be taken by anything."""
    path = case.write_file(b'older', 'out.rbt')
    other = case.write_file(b'other', 'other')
    old = path + '.old'
    if how == 'link':
        os.symlink(other, old)
    elif how == 'directory':
        os.mkdir(old)
    else:
        os.link(other, old)
    result = record(sys.executable, script(), ok=(bobbin.FAILED,))
    expect(b'--force' in result.err, '%s', result.err)
    expect(read_file(path) == b'older' and read_file(other) == b'other',
           'something was replaced')


def test_a_pipe_and_a_device_are_written_to():
    record(sys.executable, script(), options=['-o', '/dev/null'])
    expect(not os.path.exists('/dev/null.old') and
           stat.S_ISCHR(os.stat('/dev/null').st_mode), 'renamed')


# ---- what is said --------------------------------------------------------

def test_the_start_and_the_end_are_told():
    result = record(sys.executable, script())
    lines = result.err.decode().splitlines()
    path = path_of('out.rbt')
    expect('python' in lines[0] and 'work.py' in lines[0] and
           'pid' in lines[0], '%s', lines)
    expect('200 times a second' in lines[1] and path in lines[1] and
           'Ctrl-C' in lines[1], '%s', lines)
    wrote = [i for i, line in enumerate(lines) if 'wrote ' + path in line]
    expect(len(wrote) == 1 and '(rbt): ' in lines[wrote[0]] and
           ' samples in ' in lines[wrote[0]] and 'lost' in lines[wrote[0]],
           '%s', lines)
    expect(any('next: bobbin explore ' + path in line and
               'bobbin analyze ' + path in line for line in lines), '%s',
           lines)
    expect(wrote[0] <= 3, 'too much at the start: %s', lines)


def test_a_command_that_ends_before_a_sample():
    for _ in range(20):
        said = bobbin.run('record', '-r', '1', '--force', '-o',
                          path_of('out.rbt'), '--', sys.executable, '-S',
                          '-c', 'pass').err
        if b': 0 samples' in said and b' 0.00 % lost' in said:
            break
    expect(b'the command ended before a sample was taken' in said and
           b'idle worker' not in said and b' late' not in said,
           'says %r', said)


def test_quiet_is_silent():
    result = record(sys.executable, script(), options=['-q'])
    expect(result.err == b'', '%s', result.err)


def test_a_closed_standard_error_gets_nothing():
    """Nor does the file that would get its number."""
    subprocess.run([bobbin.PROGRAM, 'record', '-o', path_of('out.rbt'), '--',
                    sys.executable, script()], check=True,
                   preexec_fn=lambda: os.close(2))
    bobbin.run('verify', path_of('out.rbt'))


def test_what_comes_next_depends_on_the_format():
    result = record(sys.executable, script(),
                    options=['-o', path_of('out.svg')])
    expect(b'next: a browser' in result.err, '%s', result.err)


def test_a_process_without_a_runtime_has_a_name():
    with subprocess.Popen(['sleep', '30']) as child:
        try:
            time.sleep(0.2)
            result = bobbin.run('record', '-p', str(child.pid), '-o',
                                path_of('out.rbt'), ok=(bobbin.FAILED,))
        finally:
            child.kill()
    expect(b'process %d (sleep) is neither PHP nor Python' % child.pid in
           result.err and b'--native-only' in result.err, '%s', result.err)


def test_a_pid_that_is_not_there():
    result = bobbin.run('record', '-p', '999999999', '-o', path_of('x.rbt'),
                        ok=(bobbin.FAILED,))
    expect(b'no such process: 999999999' in result.err, '%s', result.err)


# ---- what started bobbin is no target ------------------------------------

def test_who_started_a_daemon_is_not_sampled():
    """A shell and a Python program have the pattern in their command lines,
    because it is the daemon's."""
    mark = 'own-%d' % os.getpid()
    folder = path_of('d')
    start = ('import subprocess, sys\n'
             'sys.exit(subprocess.call(["sh", "-c", "%s daemon -P %s -o %s; '
             'true"]))' % (bobbin.PROGRAM, mark, folder))
    with subprocess.Popen([sys.executable, '-c', start],
                          stderr=subprocess.PIPE,
                          start_new_session=True) as child, \
            subprocess.Popen([sys.executable, '-c',
                              'while True: sum(range(1000))', mark]) as target:
        try:
            for _ in range(int(bobbin.TIMEOUT * 10)):
                got = subprocess.run(
                    [bobbin.PROGRAM, 'daemon', 'status', '-o', folder,
                     '--json'], capture_output=True, check=False)
                pids = [p['pid'] for p in json.loads(got.stdout)['workers']
                        ] if got.returncode == 0 else []
                if target.pid in pids:
                    break
                time.sleep(0.1)
            expect(pids == [target.pid], 'samples %s, not %d', pids,
                   target.pid)
        finally:
            target.kill()
            os.killpg(child.pid, signal.SIGTERM)
            err = child.stderr.read()
    expect(b'neither' not in err, 'its own wrapper: %s', err)
