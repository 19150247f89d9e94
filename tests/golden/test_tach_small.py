"""`--small`: records chosen for their size, which CPython still reads."""
import os

from support import bobbin, case, listing, tach
from support.case import each, expect, read_file

RAW = ('--compression', 'none')


def converted(path, *options):
    out = os.path.join(case.scratch, 'out.bin')
    bobbin.run('convert', '-t', 'tach', '-o', out, *options, path)
    data = read_file(out)
    os.unlink(out)
    return data


@each(tach.listed_names())
def test_small_says_the_same(name):
    for options in (RAW, ()):
        plain = converted(tach.path(name), *options)
        small = converted(tach.path(name), '--small', *options)
        want = tach.from_listing(tach.listing_rows(name))
        listing.expect_same(tach.by_thread(want),
                            tach.by_thread(tach.strict(small)[0]))
        expect(len(small) <= len(plain), '%d bytes, without --small %d',
               len(small), len(plain))


@each(['low_rle', 'pr_mix'])
def test_small_is_smaller(name):
    plain = converted(tach.bench_path(name))
    small = converted(tach.bench_path(name), '--small')
    expect(len(small) <= 0.9 * len(plain), '%d bytes, without --small %d',
           len(small), len(plain))
