/* The list of formats: the one place that names them all. */
#include <string.h>

#include "format/austin/austin.h"
#include "format/callgrind/callgrind.h"
#include "format/chrome/chrome.h"
#include "format/dump/dump.h"
#include "format/flame/flame.h"
#include "format/folded/folded.h"
#include "format/format.h"
#include "format/gecko/gecko.h"
#include "format/heatmap/heatmap.h"
#include "format/jsonl/jsonl.h"
#include "format/perf/perf.h"
#include "format/perfetto/perfetto.h"
#include "format/phpspy/phpspy.h"
#include "format/pprof/pprof.h"
#include "format/pstats/pstats.h"
#include "format/rbt/rbt.h"
#include "format/speedscope/speedscope.h"
#include "format/tach/tach.h"

const struct format *const formats[] = {
	&rbt_format,
	&tach_format,
	&tach_v2_format,
	&phpspy_format,
	&folded_format,
	&austin_format,
	&perf_format,
	&pprof_format,
	&callgrind_format,
	&pstats_format,
	&speedscope_format,
	&flamegraph_format,
	&flame_html_format,
	&jsonl_format,
	&gecko_format,
	&heatmap_format,
	&heatmap_html_format,
	&perfetto_format,
	&chrome_format,
	&dump_format,
	NULL,
};

const struct format *
format_named(const char *name)
{
	size_t i;

	for (i = 0; formats[i] != NULL; i++)
		if (strcmp(formats[i]->info.name, name) == 0)
			return formats[i];
	return NULL;
}

int
format_begins_segment(const uint8_t *p, size_t n)
{
	size_t i;

	for (i = 0; n >= IN_SEGMENT_HEAD && formats[i] != NULL; i++)
		if (formats[i]->segment_magic != NULL &&
		    memcmp(p, formats[i]->segment_magic, IN_SEGMENT_HEAD) == 0)
			return 1;
	return 0;
}

const struct bob_format_info *
bob_format_get(size_t i)
{
	return i < sizeof(formats) / sizeof(formats[0]) - 1 ?
	    &formats[i]->info : NULL;
}

const struct bob_format_info *
bob_format_named(const char *name)
{
	const struct format *f = format_named(name);

	return f == NULL ? NULL : &f->info;
}

/* Length of the longest of the space-separated suffixes that path has. */
static size_t
suffix_match(const char *suffixes, const char *path)
{
	size_t n_path = strlen(path), best = 0;

	while (*suffixes != '\0') {
		size_t n = strcspn(suffixes, " ");

		if (n > best && n < n_path &&
		    memcmp(path + n_path - n, suffixes, n) == 0)
			best = n;
		suffixes += n;
		suffixes += strspn(suffixes, " ");
	}
	return best;
}

const struct bob_format_info *
bob_format_of_path(const char *path)
{
	const struct bob_format_info *found = NULL;
	size_t best = 0, n, i;

	for (i = 0; formats[i] != NULL; i++) {
		n = suffix_match(formats[i]->info.suffixes, path);
		if (n > best) {
			best = n;
			found = &formats[i]->info;
		}
	}
	return found;
}
