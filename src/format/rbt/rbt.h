/*
 * The .rbt format: numbers that reader, writer and recovery share. The layout
 * itself is described in docs/formats/rbt.md.
 */
#ifndef FORMAT_RBT_H
#define FORMAT_RBT_H

#include <stdint.h>

#include "format/format.h"

#define RBT_MAGIC "RELI"
#define RBT_HEADER 16 /* bytes */
#define RBT_VERSION 1
#define RBT_FLAG_TIMES 0x01
#define RBT_DEFAULT_PERIOD 10000 /* microseconds; reli's own default */
#define RBT_CHECKPOINT_EVERY 1000 /* samples */

#define RBT_OPTION_STATUS "with-status"

/* The side file of PATH, and the metadata by which it names its place in PATH:
 * see write_store.c. */
#define RBT_SIDE_SUFFIX ".live"
#define RBT_META_OFFSET "bobbin.offset"

enum rbt_event {
	RBT_FRAME_DEF = 0x01,
	RBT_STACK_DEF = 0x02,
	RBT_SAMPLE = 0x03,
	RBT_CHECKPOINT = 0x04,
	RBT_SEGMENT_END = 0x05,
	RBT_METADATA = 0x06,
	RBT_PID_SAMPLE = 0x07,
	RBT_COMPACT_SAMPLE = 0x08, /* no length: a varint follows */
	RBT_REPEAT_SAMPLE = 0x09,  /* no length: a varint follows */
	RBT_STRING_DEF = 0x0a,
	RBT_SAMPLE_ANNOTATION = 0x0b,
	RBT_RESERVED = 0x52 /* 'R', the first byte of a header */
};

enum rbt_frame_flags { RBT_FRAME_NATIVE = 0x01, RBT_FRAME_OPCODE = 0x02 };

extern const struct format rbt_format;
extern const struct source_ops rbt_source;
extern const struct sink_ops rbt_sink;
extern const struct bob_option_info rbt_write_options[];

#endif
