/*
 * The answer of a profile: where most of the time goes and how sure that is,
 * what it waits for, and the one caller that is responsible. As facts and as
 * sentences, the same on all surfaces.
 *
 *     struct bob_times t = { .size = sizeof(t) };
 *     struct bob_answer a = { .size = sizeof(a) };
 *     struct bob_answer_part part[BOB_ANSWER_PARTS];
 *     char buf[BOB_ANSWER_TEXT];
 *
 *     bob_profile_times(profile, 0, NULL, &t);
 *     bob_view_answer(view, &t, &a);
 *     n = bob_answer_parts(view, &a, 0, buf, part);
 *     for (i = 0; i < n; i++)
 *             ... part[i].text, part[i].key, part[i].sentence ...
 */
#ifndef BOBBIN_ANSWER_H
#define BOBBIN_ANSWER_H

#include <stddef.h>
#include <stdint.h>

#include <bobbin/profile.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A function with what it has itself, and that as a share. */
struct bob_answer_row {
	uint32_t key; /* 0: there is none */
	struct bob_sum sum;
	struct bob_share share;
};

struct bob_answer {
	size_t size; /* sizeof(struct bob_answer), set by the caller */
	struct bob_answer_row first; /* the function that takes most */
	struct bob_answer_row next;  /* the one behind it */
	int is_clear;   /* the first takes more than the next, beyond chance */
	int by_time;    /* shares are of time, because periods differ */
	const char *waits_for; /* what the first waits for ("the database");
	                        * NULL: it is not known to wait */
	uint32_t caller; /* the nearest function of the program's own code that
	                  * most samples of the first come from; 0: none */
	uint64_t caller_samples; /* those that do, */
	double caller_share;     /* as a share of those of the first */
	double idle_share; /* of all samples, and of the moments at which
	                    * nothing ran, those that waited for work and were
	                    * set aside */
};

/*
 * Sets *ret to the answer of a view that groups by frames. `times` is of the
 * same samples; NULL: nothing is said about idle samples. ret->size must be
 * set; as many fields are set as it has room for. Returns BOB_OK, or FATAL
 * without memory. Ends an earlier time line of the view.
 */
BOB_API int bob_view_answer(struct bob_view *v, const struct bob_times *times,
    struct bob_answer *ret);

/* A piece of a sentence. */
struct bob_answer_part {
	struct bob_bytes text; /* of a name: untrusted, see bobbin/chars.h */
	uint32_t key;      /* the function whose name it is; 0: our words */
	uint32_t sentence; /* number of the sentence, from 0 */
};

/* Room for any answer. */
enum { BOB_ANSWER_PARTS = 8, BOB_ANSWER_TEXT = 768 };

/* Puts an answer into words. Our own words are in buf; with is_ascii they are
 * ASCII, else UTF-8. Long names are cut. Returns the number of parts; 0 if
 * there is nothing to say. */
BOB_API size_t bob_answer_parts(const struct bob_view *v,
    const struct bob_answer *a, int is_ascii, char buf[BOB_ANSWER_TEXT],
    struct bob_answer_part ret[BOB_ANSWER_PARTS]);

#ifdef __cplusplus
}
#endif
#endif
