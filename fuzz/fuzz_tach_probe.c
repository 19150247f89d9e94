/*
 * Detecting the TACH dialect. It never crashes, gives the same result as asking
 * for that dialect, and its offsets are inside the file.
 */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "core/spool.h"
#include "digest.h"
#include "format/tach/probe.h"

int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	struct bob_ctx *ctx = bob_ctx_new();
	struct tach_file found, asked;
	struct spool *s = NULL;
	struct in *in = NULL;

	if (ctx == NULL || in_open_memory(ctx, p, n, "fuzz", &in) < 0 ||
	    spool_open(in, &s) < 0)
		exit(1);
	PROMISE(spool_fill(s) == BOB_OK);
	PROMISE(spool_size(s) == n);
	if (tach_probe(ctx, s, -1, &found) == BOB_OK) {
		PROMISE(found.head.strings >= TACH_HEADER);
		PROMISE(found.head.strings <= found.head.frames);
		PROMISE(found.head.frames <= found.frames_end);
		PROMISE(found.frames_end <= n - TACH_FOOTER);
		PROMISE(tach_probe(ctx, s, found.dialect, &asked) == BOB_OK);
		PROMISE(asked.dialect == found.dialect);
		PROMISE(asked.frames_end == found.frames_end);
		PROMISE(memcmp(&asked.head, &found.head,
		    sizeof(found.head)) == 0);
	} else {
		PROMISE(bob_ctx_error(ctx)->text[0] != '\0');
	}
	spool_close(s);
	in_close(in);
	bob_ctx_free(ctx);
	return 0;
}
