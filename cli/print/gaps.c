/* Gaps as text and as JSON; see the header. */
#include "gaps.h"

#include <inttypes.h>

#include "input/job.h"
#include "msg.h"
#include "plain.h"

/* "at least", a number with its noun, "lost". */
#define LOST_TEXT (NUMBER_TEXT + 16)

static const char *
lost_text(char buf[LOST_TEXT], const struct bob_gap *gap)
{
	char n[NUMBER_TEXT];

	if (gap->lost == 0)
		return gap->lost_is_exact ? "no sample lost"
		                          : "samples lost: unknown";
	(void)snprintf(buf, LOST_TEXT, "%s%s lost",
	    gap->lost_is_exact ? "" : "at least ",
	    number_nouns(n, gap->lost, "sample"));
	return buf;
}

void
gap_print(FILE *f, const char *input, const struct bob_gap *gap)
{
	char bytes[NUMBER_TEXT], lost[LOST_TEXT], n[NUMBER_TEXT];

	if (f == stderr && msg_is_quiet())
		return;
	progress_wipe();
	(void)plain_safe_str(f, job_name(input));
	(void)fputs(": ", f);
	(void)plain_safe_str(f, gap->why);
	(void)fprintf(f, "; %s from byte %" PRIu64 " passed over, %s",
	    number_nouns(bytes, gap->length, "byte"), gap->offset,
	    lost_text(lost, gap));
	if (gap->rootless > 0)
		(void)fprintf(f, ", outer frames of %s",
		    number_nouns(n, gap->rootless, "sample"));
	(void)fputc('\n', f);
}

void
gap_json(struct json *j, const char *input, const struct bob_gap *gap)
{
	json_open(j, NULL, '{');
	json_str(j, "input", input);
	json_u64(j, "offset", gap->offset);
	json_u64(j, "length", gap->length);
	json_u64(j, "lost", gap->lost);
	json_bool(j, "lost_is_exact", gap->lost_is_exact);
	json_u64(j, "rootless", gap->rootless);
	json_str(j, "code", msg_code_name(gap->code));
	json_str(j, "why", gap->why);
	json_close(j, '{');
}
