"""Samples that were taken and could not be written: what reports show."""
import json

from oracle import rbt_wire as wire
from support import bobbin
from support.case import expect, write_file


def trace(*values):
    """Segments with these losses in their metadata."""
    return write_file(b''.join(
        wire.header(1000) + wire.metadata(b'profiler.lost_disk', b'1') +
        wire.one_frame() +
        b''.join(wire.compact(0) + wire.metadata(b'note', b'x' * 200)
                 for _ in range(20)) +
        wire.metadata(b'profiler.lost_disk', b'%d' % (value - 1)) + wire.end()
        for value in values), 'lost.rbt')


def shown(*paths):
    infos = [json.loads(bobbin.run('info', '--json', path).out)
             ['samples_unkept'] for path in paths]
    report = json.loads(bobbin.run('analyze', '--json', *paths).out)
    return sum(infos), report['damage']['unkept']


def test_losses_of_all_segments_are_added_up():
    path = trace(7, 30, 5)
    expect(shown(path) == (42, 42), '%r', shown(path))
    expect(shown(path, path) == (84, 84), '%r', shown(path, path))
    expect(b'42 samples' in bobbin.run('info', path).out, 'info')
    expect(b'42 not kept' in
           bobbin.run('analyze', path).err, 'analyze')


def test_a_trace_without_losses_says_nothing():
    path = write_file(wire.header(1000) + wire.one_frame() +
                      wire.compact(0) + wire.end())
    expect(shown(path) == (0, 0), '%r', shown(path))
    expect(b'kept' not in bobbin.run('info', path).out, 'info')
    expect(b'kept' not in bobbin.run('analyze', path).err, 'analyze')


def test_a_loss_is_not_told_twice_when_a_segment_is_split():
    path = trace(42)
    split = path.replace('lost', 'split')
    bobbin.run('convert', '--rotate-size', '500', '-o', split, path)
    info = json.loads(bobbin.run('info', '--json', split).out)
    expect(len(info['segments']) > 2, 'not split: %r', info['segments'])
    expect(shown(split) == (42, 42), '%r', shown(split))
