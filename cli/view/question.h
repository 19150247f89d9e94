/* What the questions of the page have in common: a selection, its view, and the
 * function in focus. */
#ifndef CLI_VIEW_QUESTION_H
#define CLI_VIEW_QUESTION_H

#include <stddef.h>
#include <stdint.h>

#include "print/json.h"
#include "view.h"

struct question {
	struct cached *at; /* the view of the selection */
	struct bob_diff *diff; /* both sides of it; NULL: nothing to compare */
	uint32_t focus;    /* a key of it; 0: none */
};

/* Returns 0; -1 with the reason in err (n bytes): a parameter is wrong, or the
 * focus is no key of this profile. */
int question_init(struct question *q, struct view *v,
    const struct request *rq, char *err, size_t n);

/* Both return -1, with the reason in err: no memory; the last error of the
 * library. */
int question_no_memory(char *err, size_t n);
int question_failed(const struct view *v, char *err, size_t n);

/* Writes how a key changed: before and after in samples and shares, the change
 * in shares with its interval, q, and whether that is more than noise. */
void question_put_change(struct json *j, const char *key,
    const struct bob_change *c);

/* True if a parameter can have this text: UTF-8 without NUL, `most` bytes. */
int question_can_name(struct bob_bytes text, size_t most);

/* Writes a key as the fields id, text, name, file, module, module_id, line and
 * lang. `id` is what `focus` takes: the text, or a short form of one that is
 * long, has a NUL or is no UTF-8; module_id, if there is one, is the short form
 * of the module. */
void question_put_key(struct json *j, const struct bob_key *k);

/* Writes as "keys" each key of the view that is marked in is_key, which has one
 * byte a key, under its number. With `diff`, which may be NULL, also how it
 * changed. */
void question_put_keys(struct json *j, const struct bob_view *view,
    const struct bob_diff *diff, const uint8_t *is_key);

/* Writes a track as the fields pid, tid, name and process. */
void question_put_track(struct json *j, const struct view *v, bob_tid track);

#endif
