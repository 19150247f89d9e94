"""The offsets that captures rely on, against the headers of PHP."""
import glob
import os
import shutil
import subprocess

from support import bobbin, case, clients
from support.case import Skip, each, expect

# Folders of headers as `php-config --include-dir` names them, ':' between
# them, beside those that are installed.
HEADERS = (os.environ.get('PHP_HEADERS', '').split(':') +
           glob.glob('/usr/include/php/2*') +
           glob.glob(clients.HOME + '/headers/usr/include/php/2*') +
           glob.glob('/usr/local/include/php'))


@each([path for path in HEADERS if path] or ['none'])
def test_offsets_are_those_of_the_headers(folder):
    compiler = shutil.which(os.environ.get('CC', 'cc'))
    if folder == 'none':
        raise Skip('no headers of PHP are installed (php-dev, or '
                   'scripts/install-clients.sh headers)')
    if not compiler:
        raise Skip('no compiler')
    program = os.path.join(case.scratch, 'layout')
    source = os.path.join(bobbin.ROOT, 'src')
    subprocess.run(
        [compiler, '-w', '-o', program,
         os.path.join(bobbin.ROOT, 'tests', 'live', 'php', 'layout.c'),
         os.path.join(source, 'capture', 'php', 'layout', 'offsets.c'),
         '-I' + source] +
        ['-I' + os.path.join(folder, part)
         for part in ('', 'main', 'Zend', 'TSRM')], check=True)
    done = subprocess.run([program], capture_output=True)
    expect(done.returncode == 0, '%s', done.stdout.decode())
