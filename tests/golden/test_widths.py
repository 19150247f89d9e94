"""Reports at the widths of terminals. BOBBIN_WIDTHS=write writes the expected
ones."""
import os

from support import bobbin, case, fixtures, tach
from support.case import each, expect

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'widths')

REPORTS = {
    'threads': [tach.path('real_threads')],
    'tree': ['--sections', 'tree,timeline', '--depth', '6',
             fixtures.rbt_path('opcodes')],
    'lines': ['--lines', '--top', '8', '--callers', 'PDO',
              fixtures.rbt_path('opcodes')],
}

WIDTHS = (40, 60, 80, 120, 200)


def columns(line):
    return len(line)    # no wide characters in these


@each([('%s-%d' % (name, width), name, width) for name in REPORTS
       for width in WIDTHS])
def test_report_at_a_width(item):
    label, name, width = item
    out = bobbin.run('analyze', '--crop', str(width), *REPORTS[name]).out
    path = os.path.join(HERE, label + '.txt')
    if os.environ.get('BOBBIN_WIDTHS') == 'write':
        with open(path, 'wb') as f:
            f.write(out)
    expect(out == case.read_file(path), 'another report:\n%s', out.decode())
    tables = out.decode().split('# ', 1)[1]
    wide = [line for line in tables.splitlines() if columns(line) > width]
    expect(not wide, 'wider than %d: %s', width, wide)


def test_names_stay_when_columns_go():
    """A name that fits beside its share is never cut."""
    out = bobbin.run('analyze', '--crop', '40', '--sections', 'self',
                     tach.path('real_threads')).out.decode()
    for name in ('_call_with_frames_removed', 'JSONEncoder.iterencode'):
        expect('  %s\n' % name in out, 'no whole %s in %s', name, out)
    expect('file' not in out and 'samples' not in out, 'columns in %s', out)
