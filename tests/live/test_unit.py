"""contrib/bobbin.service: the daemon as a user of its own, with the
capabilities of the unit and no more."""
import os
import re
import shutil
import subprocess
import tempfile
import time

from support import bobbin, case, pythons, targets
from support.case import Skip, each, expect
from support.daemons import Daemon, has

ROOT = os.path.join(os.path.dirname(__file__), '..', '..')
UNIT = os.path.join(ROOT, 'contrib', 'bobbin.service')
NUMBER = {'CAP_DAC_READ_SEARCH': 2, 'CAP_SYS_PTRACE': 19, 'CAP_SYS_NICE': 23}
USER = 12345
SCRIPT = '''import time
print("ready", flush=True)
while True:
    time.sleep(0.002)
'''


def setting(key):
    with open(UNIT) as file:
        return re.findall(r'^%s=(.*)$' % key, file.read(), re.M)


def test_capabilities_agree():
    ambient, = setting('AmbientCapabilities')
    bounding, = setting('CapabilityBoundingSet')
    expect(ambient.split() == bounding.split() and
           set(ambient.split()) == set(NUMBER), '%s, %s', ambient, bounding)


@each([('others', 54321), ('root', 0)])
def test_daemon_of_an_unprivileged_user(item):
    """With ambient capabilities it samples processes of others."""
    if os.geteuid() != 0 or shutil.which('setpriv') is None:
        raise Skip('needs root and setpriv')
    name = pythons.find()[-1]
    if name.startswith('none'):
        raise Skip('no Python was found')
    caps = ','.join('+' + c[4:].lower()
                    for c in setting('AmbientCapabilities')[0].split())
    mark = 'unit-%d' % time.monotonic_ns()
    # Where the other user can get at all.
    folder = tempfile.mkdtemp()
    program = os.path.join(folder, 'bobbin')
    shutil.copy(bobbin.PROGRAM, program)
    os.chmod(folder, 0o755)
    state = os.path.join(folder, 'state')
    os.mkdir(state, 0o700)
    os.chown(state, USER, USER)
    argv = [name.split()[1], '-c', SCRIPT, mark]
    if item[1] != 0:
        argv = ['/usr/bin/python3', *argv[1:]]
        if not os.path.exists(argv[0]):
            raise Skip('no Python that everybody can start')
        argv = ['setpriv', '--reuid', str(item[1]), '--regid', str(item[1]),
                '--clear-groups', *argv]
    try:
        with targets.crowd([argv]) as (child,), \
                tempfile.TemporaryFile() as log:
            daemon = subprocess.Popen(
                ['setpriv', '--reuid', str(USER), '--regid', str(USER),
                 '--clear-groups', '--inh-caps=-all,' + caps,
                 '--ambient-caps=-all,' + caps, '--bounding-set=-all,' + caps,
                 '--no-new-privs', program, 'daemon', '-P', mark, '-o', state,
                 '-r', '50'], stdout=log, stderr=log)
            d = Daemon(daemon, state, log)
            try:
                path = os.path.join(state, 'daemon.sock')
                for _ in range(200):
                    if os.path.exists(path):
                        break
                    time.sleep(0.05)
                d.wait(has(child.pid), 'samples of process %d' % child.pid)
                with open('/proc/%d/status' % daemon.pid) as file:
                    text = file.read()
                want = sum(1 << n for n in NUMBER.values())
                for key in 'CapEff', 'CapPrm', 'CapBnd':
                    got = int(re.search(key + r':\t(\w+)', text).group(1), 16)
                    expect(got == want, '%s: %x', key, got)
                expect('Uid:\t%d' % USER in text, '%s', text)
                expect('Seccomp:\t2' in text, '%s', text)
                d.end()
            finally:
                daemon.kill()
                daemon.wait()
    finally:
        shutil.rmtree(folder)


def sets():
    """What the names of systemd's sets mean."""
    out = subprocess.run(['systemd-analyze', 'syscall-filter'],
                         stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL).stdout.decode()
    found, name = {}, None
    for line in out.splitlines():
        if line.startswith('@'):
            name = line.strip()
            found[name] = set()
        elif name and line.startswith('    ') and '#' not in line:
            found[name].add(line.strip())
    return found


def expand(known, name):
    if not name.startswith('@'):
        return {name}
    return set().union(*(expand(known, n) for n in known.get(name, ())))


def test_filters_agree():
    """What bobbin allows itself, the unit allows."""
    if shutil.which('systemd-analyze') is None:
        raise Skip('systemd-analyze is not there')
    program = os.path.join(os.path.dirname(bobbin.PROGRAM), 'tests', 'unit',
                           'test_confine')
    if not os.path.exists(program):
        raise Skip('the C tests are not built')
    calls = set(subprocess.run([program, '--list'], check=True,
                               stdout=subprocess.PIPE).stdout.decode().split())
    if 'personality' in calls:
        raise Skip('a build with sanitizers needs more')
    known = sets()
    allowed = set()
    for line in setting('SystemCallFilter'):
        for name in line.lstrip('~').split():
            if line[0] == '~':
                allowed -= expand(known, name)
            else:
                allowed |= expand(known, name)
    # Names that are not there on every machine.
    expect(calls <= allowed, 'the unit forbids %s', sorted(calls - allowed))
    expect('mount' not in allowed and 'init_module' not in allowed,
           'the unit allows too much')


def test_unit_is_one():
    if shutil.which('systemd-analyze') is None:
        raise Skip('systemd-analyze is not there')
    path = os.path.join(case.scratch, 'bobbin.service')
    with open(UNIT) as file, open(path, 'w') as to:
        to.write(file.read().replace('/usr/local/bin/bobbin', '/bin/true')
                 .replace('Documentation', '# Documentation'))
    result = subprocess.run(['systemd-analyze', 'verify', path],
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    expect(result.returncode == 0 and not result.stdout, '%s', result.stdout)
