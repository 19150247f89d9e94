"""The commands of bobbin, by what they do; tests/cli/test_help.py compares them
with what the program says."""

CAPTURING = ['record', 'daemon', 'stack', 'doctor', 'top']
READING = ['analyze', 'explore', 'view', 'diff', 'info', 'verify', 'dump',
           'convert', 'replay', 'recover']
STORING = ['store', 'ship', 'fleet']
HELPING = ['formats', 'completion', 'help']
ALL = CAPTURING + READING + STORING + HELPING
