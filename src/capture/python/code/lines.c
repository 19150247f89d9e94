/* One decoder for each of the three encodings. */
#include "capture/python/code/lines.h"

/* Lines are kept within this, so that adding a step cannot overflow. */
#define MAX_LINE (INT32_MAX / 2)

static int32_t
add_lines(int32_t line, int64_t d)
{
	int64_t v = (int64_t)line + d;

	return v > MAX_LINE ? MAX_LINE : v < -MAX_LINE ? -MAX_LINE
	                                                : (int32_t)v;
}

/* Up to 3.9: pairs (bytes to add, lines to add). The search ends in front of
 * the pair that leads beyond the instruction. */
static int32_t
find_steps(const uint8_t *t, size_t n, int32_t line, int64_t at)
{
	int64_t addr = 0;
	size_t i;

	for (i = 0; i + 1 < n; i += 2) {
		addr += t[i];
		if (addr > at)
			break;
		line = add_lines(line, (int8_t)t[i + 1]);
	}
	return line;
}

/* 3.10: pairs (bytes of the range, lines to add); -128: a range without a
 * line. */
static int32_t
find_range(const uint8_t *t, size_t n, int32_t line, int64_t at)
{
	int64_t end = 0;
	size_t i;

	if (at < 0)
		return line;
	for (i = 0; i + 1 < n; i += 2) {
		int8_t d = (int8_t)t[i + 1];

		end += t[i];
		if (d != -128)
			line = add_lines(line, d);
		if (at < end)
			return d != -128 ? line : -1;
	}
	return line;
}

struct cursor {
	const uint8_t *p, *end;
};

static uint32_t
take_byte(struct cursor *c)
{
	return c->p < c->end ? *c->p++ : 0;
}

/* Six bits per byte, least first; the seventh says that another follows. */
static uint32_t
take_number(struct cursor *c)
{
	uint32_t v = 0, b;
	unsigned shift = 0;

	do {
		b = take_byte(c);
		if (shift < 30)
			v |= (b & 63) << shift;
		shift += 6;
	} while ((b & 64) != 0 && c->p < c->end);
	return v;
}

static int64_t
take_signed(struct cursor *c)
{
	uint32_t v = take_number(c);

	return (v & 1) != 0 ? -(int64_t)(v >> 1) : (int64_t)(v >> 1);
}

/* A column is stored one higher, with 0 for none. */
static int32_t
take_column(struct cursor *c)
{
	return (int32_t)take_number(c) - 1;
}

enum {
	KIND_LAST_SHORT = 9,
	KIND_ONE_LINE = 10, /* 10, 11, 12: adds 0, 1, 2 lines */
	KIND_NO_COLUMNS = 13,
	KIND_LONG = 14,
	KIND_NONE = 15
};

/* Decodes one entry, whose first byte was `head`, and adds to *line. */
static void
take_location(struct cursor *c, uint32_t head, int32_t *line,
    struct py_location *l)
{
	uint32_t kind = head >> 3 & 15, b;

	*l = (struct py_location){ -1, -1, -1, -1 };
	if (kind == KIND_NONE)
		return;
	if (kind == KIND_LONG) {
		*line = add_lines(*line, take_signed(c));
		l->end_line = add_lines(*line, take_number(c));
		l->col = take_column(c);
		l->end_col = take_column(c);
	} else if (kind == KIND_NO_COLUMNS) {
		*line = add_lines(*line, take_signed(c));
		l->end_line = *line;
	} else if (kind >= KIND_ONE_LINE) {
		*line = add_lines(*line, kind - KIND_ONE_LINE);
		l->end_line = *line;
		l->col = (int32_t)take_byte(c);
		l->end_col = (int32_t)take_byte(c);
	} else {
		b = take_byte(c);
		l->end_line = *line;
		l->col = (int32_t)(kind << 3 | b >> 4);
		l->end_col = l->col + (int32_t)(b & 15);
	}
	l->line = *line;
}

/* From 3.11 on: entries of a byte 1kkkklll (kind, units - 1) and what the kind
 * has. */
static void
find_location(const uint8_t *t, size_t n, int32_t line, int64_t unit,
    struct py_location *ret)
{
	struct cursor c = { t, n > 0 ? t + n : t };
	int64_t end = 0;

	if (unit < 0)
		unit = 0;
	while (c.p < c.end) {
		uint32_t head = take_byte(&c);

		take_location(&c, head, &line, ret);
		end += (head & 7) + 1;
		if (unit < end)
			return;
	}
	*ret = (struct py_location){ -1, -1, -1, -1 };
}

void
py_lines_find(unsigned minor, const uint8_t *table, size_t n, int32_t first,
    int64_t unit, struct py_location *ret)
{
	*ret = (struct py_location){ first, -1, -1, -1 };
	if (minor <= 9)
		ret->line = find_steps(table, n, first, 2 * unit);
	else if (minor == 10)
		ret->line = find_range(table, n, first, 2 * unit);
	else
		find_location(table, n, first, unit, ret);
}
