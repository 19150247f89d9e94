"""zstd through the system's library, for tests that pack and unpack.

Python 3.8 has no zstd of its own, and the oracle needs very little.
"""
import ctypes
import ctypes.util
import functools

CONTENT_SIZE_FLAG, CHECKSUM_FLAG, LEVEL = 200, 201, 100
MAGIC = b'\x28\xb5\x2f\xfd'
CHUNK = 1 << 17


class Unavailable(Exception):
    """There is no libzstd here."""


class Broken(Exception):
    """The bytes are no zstd; `at` of them were still understood."""

    def __init__(self, at, why):
        super().__init__(why)
        self.at = at


class Buffer(ctypes.Structure):
    """Both ZSTD_inBuffer and ZSTD_outBuffer."""
    _fields_ = [('data', ctypes.c_void_p), ('size', ctypes.c_size_t),
                ('pos', ctypes.c_size_t)]


@functools.lru_cache(maxsize=None)
def library():
    name = ctypes.util.find_library('zstd') or 'libzstd.so.1'
    try:
        lib = ctypes.CDLL(name)
    except OSError as error:
        raise Unavailable(str(error))
    size, pointer, number = ctypes.c_size_t, ctypes.c_void_p, ctypes.c_int
    for function, result, arguments in (
            (lib.ZSTD_createCCtx, pointer, []),
            (lib.ZSTD_freeCCtx, size, [pointer]),
            (lib.ZSTD_CCtx_setParameter, size, [pointer, number, number]),
            (lib.ZSTD_compressBound, size, [size]),
            (lib.ZSTD_compress2, size,
             [pointer, pointer, size, ctypes.c_char_p, size]),
            (lib.ZSTD_createDStream, pointer, []),
            (lib.ZSTD_freeDStream, size, [pointer]),
            (lib.ZSTD_decompressStream, size,
             [pointer, ctypes.POINTER(Buffer), ctypes.POINTER(Buffer)]),
            (lib.ZSTD_isError, ctypes.c_uint, [size]),
            (lib.ZSTD_getErrorName, ctypes.c_char_p, [size])):
        function.restype, function.argtypes = result, arguments
    return lib


def compress(data, level=5, has_size=True, has_checksum=False):
    """One frame."""
    lib = library()
    context = lib.ZSTD_createCCtx()
    try:
        for parameter, value in ((LEVEL, level),
                                 (CONTENT_SIZE_FLAG, has_size),
                                 (CHECKSUM_FLAG, has_checksum)):
            lib.ZSTD_CCtx_setParameter(context, parameter, int(value))
        room = ctypes.create_string_buffer(lib.ZSTD_compressBound(len(data)))
        n = lib.ZSTD_compress2(context, room, len(room), data, len(data))
        assert not lib.ZSTD_isError(n), lib.ZSTD_getErrorName(n)
        return room.raw[:n]
    finally:
        lib.ZSTD_freeCCtx(context)


def skippable(data=b'', kind=0):
    """A frame that readers pass over."""
    return bytes([0x50 + kind]) + b'\x2a\x4d\x18' \
        + len(data).to_bytes(4, 'little') + data


def parts(data):
    """The content, piece by piece; raises Broken where it goes wrong, also
    when the last frame has no end."""
    lib = library()
    stream = lib.ZSTD_createDStream()
    source = ctypes.create_string_buffer(data, len(data)) if data else b''
    room = ctypes.create_string_buffer(CHUNK)
    given = Buffer(ctypes.cast(source, ctypes.c_void_p), len(data), 0)
    more = 0
    try:
        while True:
            before = given.pos
            taken = Buffer(ctypes.cast(room, ctypes.c_void_p), CHUNK, 0)
            more = lib.ZSTD_decompressStream(
                stream, ctypes.byref(taken), ctypes.byref(given))
            if taken.pos:
                yield room.raw[:taken.pos]
            if lib.ZSTD_isError(more):
                raise Broken(before, lib.ZSTD_getErrorName(more).decode())
            if given.pos == len(data) and taken.pos < CHUNK:
                break
        if more:
            raise Broken(len(data), 'the last frame has no end')
    finally:
        lib.ZSTD_freeDStream(stream)


def decompress(data):
    return b''.join(parts(data)) if data else b''
