"""A terminal without a screen: tmux runs the explorer, tests type and look.

Nothing waits for a fixed time: what is expected is looked for until it is
there.
"""
import itertools
import os
import shutil
import subprocess
import time

from support import bobbin, case

LOCALE = 'C.UTF-8'


numbers = itertools.count()


class Terminal:
    """with Terminal(80, 24, 'trace.rbt') as t: t.keys('Enter')"""

    def __init__(self, cols, rows, *args, env=None, command='explore'):
        bobbin.need_screens()
        if not shutil.which('tmux'):
            raise case.Skip('no tmux: run scripts/install-deps.sh test')
        self.socket = os.path.join(case.scratch,
                                   'tmux%d' % next(numbers))
        self.errors = os.path.join(case.scratch, 'stderr')
        conf = case.write_file(
            b'set -g status off\nset -g default-terminal tmux-256color\n'
            b'set -s escape-time 0\nset -g remain-on-exit on\n', 'tmux.conf')
        environ = dict(os.environ, LC_ALL=LOCALE, TERM='tmux-256color')
        for name in ('NO_COLOR', 'COLORTERM', 'COLORFGBG', 'TMUX'):
            environ.pop(name, None)
        environ.update(env or {})
        # tmux sets some of these itself, so they are set once more.
        line = 'env %s 2>%s; echo "exit status $?"' % (
            ' '.join("'%s'" % word for word in tuple(
                '%s=%s' % pair for pair in sorted(environ.items())
                if pair[0] in ('LC_ALL', 'TERM', 'NO_COLOR', 'COLORTERM',
                               'COLORFGBG')) +
                     (bobbin.PROGRAM, command) + args), self.errors)
        bobbin.last = None
        self._tmux('-f', conf, 'new-session', '-d', '-x', str(cols), '-y',
                   str(rows), line, env=environ)

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        subprocess.run(['tmux', '-S', self.socket, 'kill-server'],
                       check=False, capture_output=True)
        if os.path.exists(self.errors):
            text = case.read_file(self.errors)
            for mark in bobbin.SANITIZER_MARKS:
                case.expect(mark not in text, '%s', text[-2000:].decode(
                    'utf-8', 'replace'))

    def _tmux(self, *args, env=None):
        done = subprocess.run(['tmux', '-u', '-S', self.socket] + list(args),
                              env=env, capture_output=True, check=False,
                              timeout=bobbin.TIMEOUT)
        case.expect(done.returncode == 0, 'tmux %s: %s', args[0],
                    done.stderr.decode('utf-8', 'replace'))
        return done.stdout.decode('utf-8', 'replace')

    def keys(self, *names):
        """Types keys by tmux's names for them."""
        if names:
            self._tmux('send-keys', *names)

    def type(self, text):
        """Types the text itself."""
        self._tmux('send-keys', '-l', text)

    def mouse(self, button, x, y, end='M'):
        """Columns and rows count from 1, as terminals send them."""
        self.type('\033[<%d;%d;%d%s' % (button, x, y, end))

    def click(self, x, y):
        self.mouse(0, x, y)
        self.mouse(0, x, y, 'm')

    def resize(self, cols, rows):
        self._tmux('resize-window', '-x', str(cols), '-y', str(rows))

    def screen(self, colors=False):
        text = self._tmux('capture-pane', '-p', *(['-e'] if colors else []))
        return text.rstrip('\n') + '\n'

    def wait(self, condition, what):
        """The first screen of which condition holds."""
        deadline = time.monotonic() + bobbin.TIMEOUT
        while True:
            shown = self.screen()
            if condition(shown):
                return shown
            case.expect(time.monotonic() < deadline,
                        '%s was never shown; last:\n%s', what, shown)
            time.sleep(0.02)

    def wait_for(self, text):
        return self.wait(lambda shown: text in shown, repr(text))

    def settled(self):
        """A screen that stays, for writing golden ones."""
        last, since = None, time.monotonic()
        while time.monotonic() - since < 1:
            shown = self.screen()
            if shown != last:
                last, since = shown, time.monotonic()
            time.sleep(0.05)
        return last
