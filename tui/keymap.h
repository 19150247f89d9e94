/*
 * Which key does what: the keys of action.h, and what a file changes of them.
 *
 * The file is a JSON object: the name of an action -> an array of keys. A key
 * is a name of key.h, or the bytes that it sends ("\u001b[15~"). An action
 * that is named has only these keys; the others keep theirs, except for keys
 * that were taken from them.
 */
#ifndef TUI_KEYMAP_H
#define TUI_KEYMAP_H

#include <stddef.h>

#include "action.h"
#include "key.h"

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

/* Hears what was ignored, as a sentence. */
typedef void keymap_warn_fn(void *user, const char *text);

/* Changes bindings as a file's text says. 0, or -1 when it is not such an
 * object; then `err` (n bytes) says where and why. */
int keymap_parse(struct keymap *k, const char *json, size_t len,
    keymap_warn_fn *warn, void *user, char *err, size_t n);

/* The same for the file itself. */
int keymap_load(struct keymap *k, const char *path, keymap_warn_fn *warn,
    void *user, char *err, size_t n);

int keymap_action(const struct keymap *k, const struct event *e);

/* The keys of an action as "Up k", for people; returns buf. */
const char *keymap_keys(const struct keymap *k, int action, char *buf,
    size_t n);

#endif
