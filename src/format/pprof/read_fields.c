/* Reads the fields of the message one after the other, and reports damage. */
#include <stdarg.h>

#include "format/pprof/read.h"

typedef unsigned long long ull;

/* The largest field that is taken in one piece, a string or a sample: as much
 * as an event of .rbt. */
#define MAX_FIELD BOB_MAX_EVENT

int
pprof_rewind(struct pprof_reader *rd)
{
	in_close(rd->in);
	rd->in = NULL;
	return spool_range(rd->spool, 0, spool_size(rd->spool), &rd->in);
}

int
pprof_damage(struct pprof_reader *rd, const struct pprof_field *f, int code,
    uint64_t lost, const char *fmt, ...)
{
	struct bob_gap gap = { .offset = f->offset, .length = f->length,
		.lost = lost, .code = code };
	va_list ap;
	int r;

	va_start(ap, fmt);
	r = gaps_damage(&rd->gaps, rd->src, &gap, "pprof", fmt, ap);
	va_end(ap);
	return r;
}

/* Nothing from here on can be told apart. */
static int
end_of_fields(struct pprof_reader *rd, int code, const char *why)
{
	struct pprof_field rest = { .offset = rd->in->pos,
		.length = spool_size(rd->spool) - rd->in->pos };

	/* Each round ends here; it is said once. */
	if (rd->has_tables)
		return BOB_EOF;
	return pprof_damage(rd, &rest, code, 0, "%s", why) == BOB_FATAL ?
	    BOB_FATAL : BOB_EOF;
}

static int
pass_over(struct in *in, uint64_t n)
{
	const uint8_t *p;
	size_t have;
	int r = BOB_OK;

	while (n > 0 && (r = in_peek(in, 1, &p, &have)) == BOB_OK) {
		if (have > n)
			have = (size_t)n;
		in_consume(in, have);
		n -= have;
	}
	return r;
}

/* The bytes of a field whose head is consumed; they are consumed too, which
 * leaves them where they are until the next peek. */
static int
take_bytes(struct pprof_reader *rd, struct pprof_field *f)
{
	size_t have;
	int r;

	if (f->f.value > MAX_FIELD)
		return err_set(rd->src->ctx, BOB_FATAL, BOB_E_LIMIT,
		    f->offset, "pprof: byte %llu: a field of %llu bytes",
		    (ull)f->offset, (ull)f->f.value);
	r = in_peek(rd->in, (size_t)f->f.value, &f->f.p, &have);
	if (r == BOB_OK)
		in_consume(rd->in, (size_t)f->f.value);
	return r;
}

int
pprof_next_field(struct pprof_reader *rd, uint32_t wanted,
    struct pprof_field *ret)
{
	const uint8_t *p, *start;
	uint64_t left;
	size_t n;
	int r = in_peek(rd->in, PROTO_HEAD_MAX, &p, &n);

	if (r == BOB_FATAL || n == 0)
		return r;
	start = p;
	ret->offset = rd->in->pos;
	if (!proto_head(&p, start + n, &ret->f))
		return n < PROTO_HEAD_MAX ?
		    end_of_fields(rd, BOB_E_TRUNCATED,
		        "the profile ends inside a field") :
		    end_of_fields(rd, BOB_E_CORRUPT,
		        "not a field of a profile");
	left = spool_size(rd->spool) - ret->offset - (uint64_t)(p - start);
	if (ret->f.wire == PROTO_BYTES && ret->f.value > left)
		return end_of_fields(rd, BOB_E_TRUNCATED,
		    "the profile ends inside a field");
	in_consume(rd->in, (size_t)(p - start));
	ret->length = (uint64_t)(p - start);
	if (ret->f.wire != PROTO_BYTES)
		return BOB_OK;
	ret->length += ret->f.value;
	if (ret->f.number < 32 && (wanted >> ret->f.number & 1))
		return take_bytes(rd, ret);
	return pass_over(rd->in, ret->f.value);
}
