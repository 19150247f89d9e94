/* Reads a source file; see the header. */
#include "source.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bobbin/source.h>

#include "listing.h"
#include "question.h"

static void
put_why(struct json *j, const char *why, int can_name)
{
	json_str(j, "why", why);
	json_bool(j, "can_name", can_name);
}

static const char *
why_not(const struct view *v, int sys)
{
	if (bob_sources_count(v->sources) == 0)
		return "no directory with source files was named";
	switch (sys) {
	case ENOENT:
		return "no directory that was named with --source has it";
	case EINVAL:
		return "it is no regular file";
	default:
		return strerror(sys);
	}
}

/* Returns how many bytes were read; -1 with errno. */
static ssize_t
read_all(int fd, char *to, size_t n)
{
	size_t got = 0;
	ssize_t k;

	while (got < n) {
		k = read(fd, to + got, n - got);
		if (k < 0 && errno == EINTR)
			continue;
		if (k < 0)
			return -1;
		if (k == 0)
			break;
		got += (size_t)k;
	}
	return (ssize_t)got;
}

static void
put_text(struct json *j, const char *text, size_t n)
{
	if (memchr(text, '\0', n) != NULL) {
		put_why(j, "it is no text", 0);
		return;
	}
	json_bool(j, "is_cut", n > SOURCE_TEXT);
	json_bytes(j, "text", text, n > SOURCE_TEXT ? SOURCE_TEXT : n);
}

static void
put_times(struct view *v, struct json *j, const struct stat *st)
{
	uint64_t start = bob_profile_info(v->profile, v->is_diff).start_us;
	int64_t modified = (int64_t)st->st_mtim.tv_sec * 1000000 +
	    st->st_mtim.tv_nsec / 1000;

	json_i64(j, "modified_us", modified);
	json_u64_if(j, "recorded_us", start, start != 0);
	json_bool(j, "is_newer", start != 0 && modified > 0 &&
	    (uint64_t)modified > start);
}

static int
put_file(struct view *v, struct json *j, int fd, char *err, size_t n)
{
	/* One more than is shown, to see whether there is more. */
	char *text = malloc((size_t)SOURCE_TEXT + 1);
	struct stat st;
	ssize_t got;

	if (text == NULL)
		return question_no_memory(err, n);
	got = read_all(fd, text, (size_t)SOURCE_TEXT + 1);
	if (got < 0 || fstat(fd, &st) < 0) {
		put_why(j, strerror(errno), 0);
	} else {
		put_text(j, text, (size_t)got);
		put_times(v, j, &st);
	}
	free(text);
	return 0;
}

int
answer_source(struct view *v, const struct request *rq, struct json *j,
    char *err, size_t n)
{
	struct bob_dict *dict = bob_profile_dict(v->profile);
	struct bob_bytes path;
	bob_fid frame;
	int fd, r;

	if (listing_frame(v, rq, &frame, err, n) < 0)
		return -1;
	path = bob_str_get(dict, bob_frame_get(dict, frame)->file);
	fd = bob_sources_open(v->sources, path.p, path.n);
	if (fd < 0) {
		put_why(j, why_not(v, -fd), fd == -ENOENT);
		return 0;
	}
	r = put_file(v, j, fd, err, n);
	(void)close(fd);
	return r;
}
