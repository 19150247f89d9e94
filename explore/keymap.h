/*
 * Key bindings: the default keys of action.h, changed by a file.
 *
 * The file is a JSON object from names of actions to arrays of keys. A key is a
 * name of key.h, or the bytes that it sends ("\u001b[15~"). An action that the
 * file names has only these keys. Other actions keep their keys, except those
 * that the file gives to another action.
 */
#ifndef EXPLORE_KEYMAP_H
#define EXPLORE_KEYMAP_H

#include <stddef.h>

#include "action.h"
#include "tui/key.h"

#define KEYMAP_MAX 256          /* bindings */
#define KEYMAP_MAX_FILE 65536   /* bytes of a file */

struct binding {
	char key[KEY_RAW];
	int action;
};

struct keymap {
	struct binding binding[KEYMAP_MAX];
	size_t n;
};

void keymap_init(struct keymap *k);

/* Called for each entry that is ignored, with a sentence that says why. */
typedef void keymap_warn_fn(void *user, const char *text);

/* Applies the text of a file. Returns 0; -1 if it is no such object, with the
 * line and the reason in err (n bytes). */
int keymap_parse(struct keymap *k, const char *json, size_t len,
    keymap_warn_fn *warn, void *user, char *err, size_t n);

/* The same for the file itself. */
int keymap_load(struct keymap *k, const char *path, keymap_warn_fn *warn,
    void *user, char *err, size_t n);

/* The action of a key; ACT_NONE if it has none. */
int keymap_action(const struct keymap *k, const struct event *e);

/* Writes the keys of an action as "Up k" to buf (n bytes); returns buf. */
const char *keymap_keys(const struct keymap *k, int action, char *buf,
    size_t n);

/* Writes the first key of an action to buf (n bytes); returns buf. */
const char *keymap_key(const struct keymap *k, int action, char *buf,
    size_t n);

#endif
