/* Prints the hottest frames of a trace of any format: read FILE */
#include <stdio.h>
#include <stdlib.h>

#include <bobbin/bobbin.h>

static void
print_top(const struct bob_dict *d, uint64_t *self, size_t n, int rows)
{
	while (n > 0 && rows-- > 0) {
		char name[200];
		size_t best = 0, len, i;

		for (i = 1; i < n; i++)
			if (self[i] > self[best])
				best = i;
		if (self[best] == 0)
			break;
		len = bob_frame_name(d, (bob_fid)best, name, sizeof(name));
		printf("%10llu  %.*s\n", (unsigned long long)self[best],
		    (int)(len < sizeof(name) ? len : sizeof(name)), name);
		self[best] = 0;
	}
}

int
main(int argc, char **argv)
{
	struct bob_ctx *ctx = bob_ctx_new();
	struct bob_reader *in = NULL;
	struct bob_event ev;
	uint64_t *self = NULL; /* by frame: samples with it as the leaf */
	size_t n = 0, i;
	int r = bob_open(ctx, argc > 1 ? argv[1] : "-", NULL, &in);

	while (r == BOB_OK && (r = bob_next(in, &ev)) == BOB_OK) {
		struct bob_dict *d = bob_reader_dict(in);
		size_t n_frames = bob_dict_counts(d).n_frame;

		if (n < n_frames) { /* new frames since the last event */
			self = realloc(self, n_frames * sizeof(*self));
			if (self == NULL)
				return 1;
			while (n < n_frames)
				self[n++] = 0;
		}
		for (i = 0; ev.kind == BOB_EVENT_RUNS && i < ev.n_runs; i++)
			self[bob_stack_get(d, ev.runs[i].stack).frame] +=
			    ev.runs[i].count;
	}
	if (in != NULL)
		print_top(bob_reader_dict(in), self, n, 10);
	if (r < 0)
		fprintf(stderr, "read: %s\n", bob_ctx_error(ctx)->text);
	free(self);
	bob_close(in);
	bob_ctx_free(ctx);
	return r < 0;
}
