"""Prints the stack samples of a Perfetto trace, one JSON object a line, as
Perfetto's own Python package decodes it.  Run with that package in the path."""
import json
import sys

from google.protobuf.unknown_fields import UnknownFieldSet
from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace

INTERNED = ('function_names', 'frames', 'callstacks', 'source_paths',
            'stack_sample_task_contexts')


def check_known(message, where):
    """Every field must be one that Perfetto's schema has."""
    if len(UnknownFieldSet(message)):
        sys.exit('%s has fields that the schema does not know' % where)
    for field, value in message.ListFields():
        if field.message_type is None:
            continue
        for one in value if field.is_repeated else [value]:
            check_known(one, '%s.%s' % (where, field.name))


def main(path):
    trace = Trace()
    with open(path, 'rb') as file:
        trace.ParseFromString(file.read())
    tables = {name: {} for name in INTERNED}
    for packet in trace.packet:
        check_known(packet, 'packet')
        for name in INTERNED:
            for entry in getattr(packet.interned_data, name):
                tables[name][entry.iid] = entry
        if not packet.HasField('stack_sample'):
            continue
        sample = packet.stack_sample
        task = tables['stack_sample_task_contexts'][sample.task_context_iid]
        frames = []
        if sample.callstack_iid:
            for iid in tables['callstacks'][sample.callstack_iid].frame_ids:
                frame = tables['frames'][iid]
                names = [tables[table][iid].str.decode('utf-8') if iid else ''
                         for table, iid in (
                             ('function_names', frame.function_name_id),
                             ('source_paths', frame.source_path_iid))]
                frames.append([*names, frame.line_number])
        print(json.dumps({
            'time': packet.timestamp, 'pid': task.pid, 'tid': task.tid,
            'weight': sample.primary_weight, 'frames': frames}))


main(sys.argv[1])
