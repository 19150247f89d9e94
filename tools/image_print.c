/* Printing runs as lines of text; see the header. */
#include "image_print.h"

#include <ctype.h>

#include <bobbin/model.h>

/* More than one: the second and later ones take other ways through what was
 * learned. */
#define SAMPLES 3

static void
print_bytes(FILE *f, struct bob_bytes s)
{
	size_t i;

	for (i = 0; i < s.n; i++)
		(void)fputc(isspace((unsigned char)s.p[i]) ? '_' : s.p[i], f);
}

/* A namespace or a class, and what follows it; nothing when there is none. */
static void
print_part(FILE *f, struct bob_bytes s, const char *behind)
{
	print_bytes(f, s);
	if (s.n > 0)
		(void)fputs(behind, f);
}

static void
print_stack(FILE *f, const struct bob_dict *d, bob_stack s)
{
	struct bob_node node = bob_stack_get(d, s);
	const struct bob_frame *frame;

	if (s == 0)
		return;
	print_stack(f, d, node.parent);
	frame = bob_frame_get(d, node.frame);
	(void)fputc(' ', f);
	print_part(f, bob_str_get(d, frame->ns), "\\");
	print_part(f, bob_str_get(d, frame->scope), "::");
	print_bytes(f, bob_str_get(d, frame->name));
	if ((frame->flags & BOB_FRAME_NO_LINE) == 0 && frame->where >= 0)
		(void)fprintf(f, ":%d", (int)frame->where);
}

void
image_print_runs(FILE *f, const struct process *p)
{
	size_t i, k, n;

	for (i = 0; i < p->n_run; i++) {
		const struct bob_run *run = &p->run[i];
		const struct bob_pair *v = bob_annot_get(p->dict, run->annot,
		    &n);

		print_bytes(f, bob_str_get(p->dict,
		    bob_track_get(p->dict, run->track)->name));
		(void)fprintf(f, " %02x", run->status);
		for (k = 0; k < n; k++) {
			(void)fputc(' ', f);
			print_bytes(f, bob_str_get(p->dict, v[k].key));
			(void)fputc('=', f);
			print_bytes(f, bob_str_get(p->dict, v[k].value));
		}
		print_stack(f, p->dict, run->stack);
		(void)fputc('\n', f);
	}
}

int
image_sample(FILE *f, struct process *p, const struct runtime *runtime,
    void *state)
{
	int i, r = BOB_OK;

	for (i = 0; i < SAMPLES && r == BOB_OK; i++) {
		p->n_run = 0;
		r = runtime->sample(state, p);
	}
	if (r == BOB_OK)
		image_print_runs(f, p);
	runtime->detach(state);
	return r;
}
