"""Python in a program that is not Python's: it is found by its library, and
threads that it did not make are sampled under the kernel's names."""
import os
import subprocess

from support import bobbin, case, listing, pythons, targets
from support.case import Skip, each, expect

EVERY = pythons.find()


def library_of(name):
    path = name.split()[1]
    if path == '-':
        raise Skip('no Python was found')
    out = subprocess.run(
        [path, '-c', 'import sysconfig; v = sysconfig.get_config_vars(); '
         'print(v["LIBDIR"], v["INSTSONAME"], v["prefix"], sep="\\n")'],
        capture_output=True, check=True, text=True).stdout
    folder, library, prefix = out.split('\n')[:3]
    path = os.path.join(folder, library)
    if '.so' not in library or not os.path.exists(path):
        raise Skip('it has no shared library')
    return path, prefix


@each(EVERY)
def test_python_in_another_program(name):
    library, prefix = library_of(name)
    program = os.path.join(case.scratch, 'server')
    try:
        subprocess.run(['cc', '-o', program,
                        os.path.join(pythons.SCRIPTS, 'embed.c'), '-ldl',
                        '-pthread'], check=True)
    except OSError:
        raise Skip('no C compiler')
    with targets.started([program, library],
                         env=dict(os.environ, PYTHONHOME=prefix)) as target:
        seen = {}
        for _ in range(20):
            for _, fields in target.record('-r', '50', '-d', '300ms'):
                names = [f[0] for f in pythons.frames(fields)]
                if names[-1:] == ['handle']:
                    expect(names[:2] == ['<module>', 'serve'], '%s', names)
                    seen[fields[listing.TID]] = names
            if len(seen) == 2:
                break
        expect(len(seen) == 2, 'workers: %s', seen)
        threads = bobbin.run('analyze', '--group-by', 'thread', os.path.join(
            case.scratch, target.to)).out.decode()
    expect('worker 1' in threads and 'worker 2' in threads, '%s', threads)
