/* Numbers and counts that several outputs of diff print (diff.h). */
#include <stdlib.h>

#include "diff.h"
#include "print/msg.h"

const char *
diff_relative(char buf[DIFF_RELATIVE], const struct bob_change *c)
{
	double times = c->share_before > 0 ? c->share_after / c->share_before
	                                   : 0;

	if (c->mark != BOB_CHANGE_NONE)
		(void)snprintf(buf, DIFF_RELATIVE, "%s",
		    c->mark == BOB_CHANGE_NEW ? "new" : "gone");
	else if (times >= 1e6)
		(void)snprintf(buf, DIFF_RELATIVE, "x%.0e", times);
	else if (times >= 10)
		(void)snprintf(buf, DIFF_RELATIVE, "x%.0f", times);
	else
		(void)snprintf(buf, DIFF_RELATIVE, "%+.0f %%",
		    100 * (times - 1));
	return buf;
}

const char *
diff_chance(char buf[DIFF_RELATIVE], double p)
{
	if (p < 0.001)
		(void)snprintf(buf, DIFF_RELATIVE, "<0.001");
	else
		(void)snprintf(buf, DIFF_RELATIVE, "%.3f", p);
	return buf;
}

size_t
diff_count(const struct diff *x, int order)
{
	size_t n, i, count = 0;
	const struct bob_diff_row *row = bob_diff_rows(x->d, order, &n);

	for (i = 0; i < n; i++)
		count += order == BOB_BY_SELF ? row[i].self.is_significant
		                              : row[i].total.is_significant;
	return count;
}

size_t
diff_count_marked(const struct diff *x, int mark)
{
	size_t n, i, count = 0;
	const struct bob_diff_row *row = bob_diff_rows(x->d, BOB_BY_TOTAL,
	    &n);

	for (i = 0; i < n; i++)
		count += row[i].total.mark == mark;
	return count;
}

int
diff_mark_paths(struct diff *x)
{
	size_t n, i;
	const struct bob_diff_path *path = bob_diff_paths(x->d, &n);

	x->is_changed = calloc(n, 1);
	x->way = calloc(n, sizeof(*x->way));
	if (x->is_changed == NULL || x->way == NULL)
		return msg_no_memory();
	/* Parents come first, so that from the end all children are known. */
	for (i = n; i-- > 1;) {
		if (path[i].total.is_significant) {
			x->is_changed[i] = 1;
			x->n_changed++;
		}
		x->is_changed[path[i].parent] |= x->is_changed[i];
	}
	return EXIT_OK;
}

const char *
diff_order_name(int order)
{
	return order == BOB_BY_SELF ? "self" : "total";
}
