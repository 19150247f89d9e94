/* What samples of a process and a request have in common; see
 * blocks_inside.h. */
#include "ship/blocks_inside.h"

#include "core/text.h"
#include "format/common/meta.h"

void
owner_init(struct owner *o, struct blocks *b)
{
	o->b = b;
	labels_init(&o->labels, b->ctx, b->dict->seed);
}

void
owner_done(struct owner *o)
{
	if (o->b == NULL)
		return;
	MEM_DROP(o->b->ctx, o, route_of);
	labels_done(&o->labels);
}

int
owner_segment(struct owner *o, const struct bob_segment *segment)
{
	(void)segment;
	o->is_known = 0;
	o->kind = 0;
	return BOB_OK;
}

/* The column kind: how samples were taken. */
static uint8_t
kind_of(struct bob_bytes mode)
{
	static const char *const names[] = { "wall", "cpu", "gil", "all",
		"exception" };
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (bytes_are(mode, names[i]))
			return (uint8_t)(i + 1);
	return 0;
}

int
owner_mark(struct owner *o, struct bob_segment *segment,
    const struct bob_mark *mark)
{
	const struct bob_dict *d = o->b->dict;
	struct bob_bytes value;

	if (mark->kind != BOB_MARK_META)
		return BOB_OK;
	o->is_known = 0;
	value = bob_str_get(d, mark->value);
	if (meta_is(d, mark->key, META_MODE))
		o->kind = kind_of(value);
	if (meta_is(d, mark->key, META_START) && segment->start_us == 0)
		(void)text_get_u64(value.p, value.n, &segment->start_us);
	return labels_mark(&o->labels, d, mark) < 0 ? BOB_FATAL : BOB_OK;
}

/* bobbin's own name of a route, and OpenTelemetry's. */
static int
is_route(const struct bob_dict *d, bob_str key)
{
	return meta_is(d, key, "request.route") ||
	    meta_is(d, key, "http.route");
}

/* Finds the route of an annotation set; looks at each set once. */
static int
find_route(struct owner *o, bob_annot annot)
{
	const struct bob_dict *d = o->b->dict;
	size_t old = o->cap_route_of, i, n;
	const struct bob_pair *pair;

	if (MEM_TAKE(o->b->ctx, o, route_of, (size_t)annot + 1) < 0)
		return BOB_FATAL;
	if (o->cap_route_of > old)
		memset(o->route_of + old, 0,
		    (o->cap_route_of - old) * sizeof(*o->route_of));
	if (o->route_of[annot] == 0) {
		o->route_of[annot] = 1;
		pair = bob_annot_get(d, annot, &n);
		for (i = 0; i < n; i++)
			if (is_route(d, pair[i].key))
				o->route_of[annot] = pair[i].value + 1;
	}
	o->route = o->route_of[annot] - 1;
	return BOB_OK;
}

static uint8_t *
put_text(uint8_t *p, struct bob_bytes s)
{
	size_t n = block_name_length(s.n);

	p = varint_put(p, n);
	memcpy(p, s.p, n);
	return p + n;
}

static struct bob_bytes
text_of(const char *s)
{
	return (struct bob_bytes){ s, strlen(s) };
}

int
owner_of_slow(struct owner *o, bob_tid track, bob_annot annot)
{
	const struct blocks *b = o->b;
	const struct bob_track *t = bob_track_get(b->dict, track);
	const struct label *label = labels_of(&o->labels, t);
	uint8_t *p = o->head;

	if (find_route(o, annot) < 0)
		return BOB_FATAL;
	p = put_u16(p, b->block.day);
	p = put_text(p, text_of(b->src.service));
	p = put_text(p, text_of(b->src.host));
	p = put_text(p, label == NULL ? text_of("")
	                              : label_get(label, LABEL_RUNTIME));
	p = put_text(p, bob_str_get(b->dict, o->route));
	p = put_u64(p, t->flags & BOB_TRACK_PID ? t->pid :
	    o->labels.has_own == LABELS_OWN ? o->labels.own : 0);
	p = put_u64(p, t->tid);
	*p++ = o->kind;
	p = put_u32(p, (uint32_t)b->segment.period_us);
	p = put_u64(p, b->src.seg);
	p = put_u32(p, b->block.blk);
	o->n_head = (size_t)(p - o->head);
	o->track = track;
	o->annot = annot;
	o->is_known = 1;
	return BOB_OK;
}
