/*
 * Functions and places, in numbers of their own. A function is a frame without
 * line, column and opcode; a place is a function with a line. Most viewers want
 * one entry per function, under the name that people know it by.
 *
 *     functions_init(&f, sink->ctx, sink->dict);
 *     functions_update(&f);      when the dictionary has grown
 *     id = f.of_frame[fid];      1 .. f.n_function - 1; of frame 0: 0
 *     functions_name(&f, id)     "App\K::run", always UTF-8
 *     functions_stacks(&f, 0);
 *     s = f.of_stack[stack];     a stack of f.own, with functions as frames
 *
 * Numbers are dense and in order of appearance. Two frames are of one function
 * when language, shown name and file are equal; the language does not count
 * with f.merges_langs, to be set after functions_init. Viewers take only UTF-8,
 * so other bytes become U+FFFD; names that become equal by that become one.
 */
#ifndef FORMAT_COMMON_FUNCTIONS_H
#define FORMAT_COMMON_FUNCTIONS_H

#include "format/common/frametext.h"
#include "model/dict.h"

/* A function with a line; line 0: none is known. */
struct place {
	uint32_t function;
	uint32_t zero;
	int64_t line;
};

struct functions {
	struct bob_ctx *ctx;
	const struct bob_dict *from;
	struct bob_dict *own; /* its frames are the functions, its strings
	                       * their names and files */
	uint32_t *of_frame; /* by frame: its function */
	uint32_t *place_of; /* by frame: its place */
	struct place *place; /* 1 .. n_place - 1 */
	bob_stack *of_stack; /* by stack: one of f.own */
	size_t cap_of_frame, cap_place_of, cap_place, cap_of_stack;
	uint32_t n_frame; /* frames that are known */
	uint32_t n_stack; /* stacks that are known */
	uint32_t n_function, n_place;
	int merges_langs;
	struct intern by_place;
	struct frame_name name;
	char *utf8; /* room for a mended name */
	size_t cap_utf8;
};

/* BOB_OK or FATAL; functions_done in either case. */
int functions_init(struct functions *f, struct bob_ctx *ctx,
    const struct bob_dict *from);
void functions_done(struct functions *f);

/* Takes in the frames that the dictionary has got since. BOB_OK or FATAL. */
int functions_update(struct functions *f);

/*
 * The same for stacks, after functions_update. Each stack gets a stack of f.own
 * whose frames are functions or, with by_place, places; by_place must be the
 * same in all calls. Stacks that become equal by that become one. BOB_OK or
 * FATAL.
 */
int functions_stacks(struct functions *f, int by_place);

/* The language of the innermost function of a stack of f.own that is PHP or
 * Python; without one, that of its outermost function. by_place as it was given
 * to functions_stacks. */
enum bob_lang functions_stack_lang(const struct functions *f, bob_stack s,
    int by_place);

static inline struct bob_bytes
functions_name(const struct functions *f, uint32_t id)
{
	return f->own->str[f->own->frame[id].name];
}

static inline struct bob_bytes
functions_file(const struct functions *f, uint32_t id)
{
	return f->own->str[f->own->frame[id].file];
}

static inline enum bob_lang
functions_lang(const struct functions *f, uint32_t id)
{
	return (enum bob_lang)f->own->frame[id].lang;
}

#endif
