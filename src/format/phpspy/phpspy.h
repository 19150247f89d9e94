/*
 * phpspy's text: a frame per line, leaf first, and a blank line behind each
 * trace. reli writes it too. The format is described in
 * docs/formats/phpspy.md.
 */
#ifndef FORMAT_PHPSPY_H
#define FORMAT_PHPSPY_H

#include "format/format.h"

extern const struct format phpspy_format;
extern const struct source_ops phpspy_source;
extern const struct sink_ops phpspy_sink;

/* Times from here on are unix times; smaller ones, which no clock shows,
 * count from the beginning of a trace. In microseconds: March 1973. */
#define PHPSPY_UNIX_TIME ((uint64_t)100000000 * 1000000)

/* Returns the length of the depth and the space behind it at the beginning of a
 * line; 0 when there is none. */
size_t phpspy_depth_len(const char *p, size_t n);

#endif
