"""Apache with PHP as a module, and a client that keeps it busy."""
import contextlib
import os
import shutil
import socket
import subprocess
import time

from support import case, clients, fpm

CONFIG = '''
ServerRoot %(scratch)s
PidFile %(scratch)s/httpd.pid
ErrorLog %(scratch)s/error.log
ServerName localhost
Listen 127.0.0.1:%(port)d
Mutex fcntl:%(scratch)s
%(user)s
LoadModule mpm_prefork_module %(modules)s/mod_mpm_prefork.so
LoadModule authz_core_module %(modules)s/mod_authz_core.so
LoadModule alias_module %(modules)s/mod_alias.so
LoadModule php_module %(php)s
StartServers %(workers)d
MinSpareServers %(workers)d
MaxSpareServers %(workers)d
MaxRequestWorkers %(workers)d
AliasMatch "^/.*" "%(script)s"
<Directory />
    Require all granted
    SetHandler application/x-httpd-php
</Directory>
'''


def _free_port():
    with socket.socket() as s:
        s.bind(('127.0.0.1', 0))
        return s.getsockname()[1]


class Server:
    def __init__(self, child, port):
        self.child, self.port = child, port

    def workers(self):
        with open('/proc/%d/task/%d/children' % (self.child.pid,
                                                 self.child.pid)) as file:
            return file.read().split()

    def ask(self, uri):
        with socket.create_connection(('127.0.0.1', self.port)) as s:
            s.sendall(b'GET %s HTTP/1.0\r\nCookie: session=secret\r\n\r\n' %
                      uri.encode())
            answer = b''
            while True:
                part = s.recv(65536)
                if not part:
                    return answer
                answer += part

    def busy(self, uri_of, clients):
        """Asks all the time, until the block is left."""
        return fpm.load(lambda i: self.ask(uri_of(i)), clients)


@contextlib.contextmanager
def server(workers, script, module=None):
    """So many workers, each of whose requests is answered by the script. A
    copy of PHP is made at the path `module`, if it is given."""
    (program, php), env = clients.server(
        'apache', '/usr/sbin/apache2', '/usr/lib/apache2/modules/libphp*.so')
    modules = os.path.dirname(php)
    if module is not None:
        php = shutil.copy(php, module)
    port = _free_port()
    os.chmod(case.scratch, 0o755)
    user = 'User nobody\nGroup nogroup' if os.getuid() == 0 else ''
    config = case.write_file((CONFIG % dict(
        scratch=case.scratch, port=port, user=user, modules=modules, php=php,
        workers=workers, script=script)).encode(), 'httpd.conf')
    # At its end it sends a signal to its whole group.
    child = subprocess.Popen([program, '-DFOREGROUND', '-f', config],
                             env=env, stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL,
                             start_new_session=True)
    try:
        result = Server(child, port)
        for _ in range(1000):
            expect_running(child)
            with contextlib.suppress(OSError):
                result.ask('/')
                break
            time.sleep(0.02)
        yield result
    finally:
        child.terminate()
        child.wait()


def expect_running(child):
    if child.poll() is not None:
        log = os.path.join(case.scratch, 'error.log')
        text = case.read_file(log)[-300:] if os.path.exists(log) else b''
        raise case.Failure('apache did not start: %s' % text)
