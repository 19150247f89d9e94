/* The list of formats: the one place that names them all. */
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
#include "format/page/page.h"
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
	&html_format,
	&jsonl_format,
	&gecko_format,
	&heatmap_format,
	&heatmap_html_format,
	&perfetto_format,
	&chrome_format,
	&dump_format,
	NULL,
};
