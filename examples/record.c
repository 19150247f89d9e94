/* Records all processes whose command line matches into one file:
 *     record PATTERN SECONDS FILE.rbt */
#include <stdio.h>
#include <stdlib.h>

#include <bobbin/bobbin.h>

int
main(int argc, char **argv)
{
	struct bob_ctx *ctx = bob_ctx_new();
	struct bob_record_opts o = { .size = sizeof(o) };
	struct bob_recorded sum = { 0 };

	if (ctx == NULL || argc != 4)
		return 2;
	o.pattern = argv[1];
	o.duration_us = (uint64_t)(atof(argv[2]) * 1e6);
	o.path = argv[3];
	if (bob_record(ctx, &o, &sum) < 0) {
		fprintf(stderr, "record: %s\n", bob_ctx_error(ctx)->text);
		bob_ctx_free(ctx);
		return 1;
	}
	printf("%llu samples\n", (unsigned long long)sum.written);
	bob_ctx_free(ctx);
	return 0;
}
