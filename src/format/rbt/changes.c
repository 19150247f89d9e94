/* Annotations of samples that take them from an earlier sample; see the
 * header. */
#include "format/rbt/changes.h"

#include "model/dict.h"

int
rbt_changes_parse(struct bob_bytes key, struct bob_bytes value)
{
	return bytes_are(key, RBT_META_CHANGES) &&
	    bytes_are(value, RBT_CHANGES);
}

void
rbt_changes_begin(struct rbt_changes *c)
{
	if (!c->is_on)
		c->newest = RBT_CHANGES_NONE;
	c->is_on = 1;
}

void
rbt_changes_forget(struct rbt_changes *c)
{
	idmap_clear(&c->by_number);
	c->plain = 0;
}

void
rbt_changes_clear(struct rbt_changes *c)
{
	if (c->is_on)
		rbt_changes_forget(c);
	c->is_on = 0;
}

bob_annot
rbt_changes_plain(struct rbt_changes *c)
{
	c->newest = RBT_CHANGES_PLAIN;
	return c->plain;
}

bob_annot
rbt_changes_of(struct rbt_changes *c, uint64_t number)
{
	uint32_t annot = idmap_get(&c->by_number, number);

	c->newest = RBT_CHANGES_OF;
	c->number = number;
	return annot != IDMAP_NONE ? annot : 0;
}

int
rbt_changes_set(struct bob_ctx *ctx, struct rbt_changes *c, bob_annot annot)
{
	if (c->newest == RBT_CHANGES_OF)
		return idmap_set(ctx, &c->by_number, c->number, annot);
	if (c->newest == RBT_CHANGES_PLAIN)
		c->plain = annot;
	return BOB_OK;
}

void
rbt_changes_done(struct rbt_changes *c)
{
	idmap_free(&c->by_number);
}
