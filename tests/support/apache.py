"""Apache with PHP as a module, and the server of PHP's command line."""
import contextlib
import os
import shutil
import subprocess

from support import case, clients, web

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


@contextlib.contextmanager
def server(workers, script, module=None):
    """So many workers, each of whose requests is answered by the script. A
    copy of PHP is made at the path `module`, if it is given."""
    (program, php), env = clients.server(
        'apache', '/usr/sbin/apache2', '/usr/lib/apache2/modules/libphp*.so')
    modules = os.path.dirname(php)
    if module is not None:
        php = shutil.copy(php, module)
    port = web.free_port()
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
    with web.answering(child, port, 'apache', '/') as result:
        yield result


@contextlib.contextmanager
def command_line(php, script, uri):
    """The server of `php` (a command), once it has answered for this uri."""
    port = web.free_port()
    child = subprocess.Popen(
        php + ['-S', '127.0.0.1:%d' % port, script],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with web.answering(child, port, 'php -S', uri) as result:
        yield result
