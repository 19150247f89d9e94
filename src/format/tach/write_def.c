/* Entries of the two tables, as the file and its journal have them. */
#include <string.h>

#include "core/varint.h"
#include "format/tach/journal.h"

/* The second number of a pair, by its difference; none when either is
 * unknown. */
static uint64_t
difference(int32_t from, int32_t to)
{
	if (from == -1 || to == -1)
		return 0;
	return zigzag((int32_t)((uint32_t)to - (uint32_t)from));
}

uint8_t *
tach_put_string(uint8_t *p, struct bob_bytes s)
{
	p = varint_put(p, s.n);
	memcpy(p, s.p, s.n);
	return p + s.n;
}

uint8_t *
tach_put_frame(uint8_t *p, const struct tach_frame *f, int n_fields)
{
	p = varint_put(p, f->file);
	p = varint_put(p, f->func);
	p = varint_put(p, zigzag(f->line));
	if (n_fields == 3)
		return p;
	p = varint_put(p, difference(f->line, f->end_line));
	p = varint_put(p, zigzag(f->col));
	p = varint_put(p, difference(f->col, f->end_col));
	*p++ = (uint8_t)f->opcode;
	return p;
}
