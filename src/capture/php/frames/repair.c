/*
 * Repairs of stacks, and what they learn from; see repair.h.
 *
 * Invariant: a call is remembered with the bob_fid of its caller's frame, never
 * without a place (CALLS_NOWHERE).
 */
#include "capture/php/frames/repair.h"

#include <assert.h>

/* Limit of remembered stacks; above it all are forgotten. */
#define MAX_SEEN (1u << 17)

/* repair_learn() looks at the calls of so many innermost frames, and at so many
 * nested calls of each. */
#define LEARN_FROM 4
#define MAX_NESTED 4

/* How many frames may have returned while the page was copied. */
#define MAX_GONE 4

void
repair_free(struct walk *w)
{
	calls_free(&w->calls);
	ptrmap_free(&w->seen);
	slots_free(&w->slots);
}

void
repair_forget(struct walk *w)
{
	calls_forget(&w->calls);
	ptrmap_clear(&w->seen);
	slots_forget(&w->slots);
}

/* --- calls --------------------------------------------------------------- */

/* True if the callee does not lie right behind the frame of an internal
 * function that is the innermost named frame. A callee of an internal function
 * begins where the frame of that function ends, unless it got named
 * arguments. */
static int
is_not_adjacent(const struct walk *w, const struct php_place *caller,
    const struct walk_frame *callee)
{
	const struct walk_frame *f = &w->frame[w->top];

	return f == callee + 1 && copy_in_page(w->copy, f->ex) &&
	    copy_in_page(w->copy, callee->ex) && callee->ex - f->ex !=
	    names_frame_size(w->names, caller->function, f->n_args);
}

int
repair_doubts(const struct walk *w, const struct php_place *caller,
    const struct walk_frame *callee)
{
	return !w->is_calm && (callee->info & w->o->call_top) != 0 &&
	    (callee->info & w->o->call_generator) == 0 &&
	    (!caller->is_internal || is_not_adjacent(w, caller, callee)) &&
	    calls_find(&w->calls, caller->function, w->place.function) ==
	    CALLS_NONE;
}

/* Gives the innermost named frame another place. WALK_OK or WALK_FATAL. */
static int
move_caller(struct walk *w, bob_fid frame)
{
	struct walk_memo *m = &w->memo[w->depth - 1];
	bob_stack parent = w->depth > 1 ? w->memo[w->depth - 2].stack : 0;
	bob_stack stack = bob_stack_push(w->dict, parent, frame);

	assert(w->depth > 0);
	if (stack == BOB_NO_ID)
		return WALK_FATAL;
	m->stack = stack;
	m->opline = 0; /* so that the next sample does not take it as is */
	return WALK_OK;
}

int
repair_call(struct walk *w, const struct php_place *callee)
{
	uint32_t frame = calls_find(&w->calls, w->memo[w->depth - 1].function,
	    callee->function);

	if (frame == CALLS_NONE)
		return 0;
	assert(frame != CALLS_NOWHERE);
	if (move_caller(w, frame) != WALK_OK)
		return WALK_FATAL;
	w->is_repaired = 1;
	return 1;
}

/* True if the call should be remembered: nothing changed during the sample.
 * Most internal functions return too soon for that. For them a linked frame and
 * a caller at a calling opcode are enough until the call is known, but the
 * place may be wrong. */
static int
is_worth_noting(const struct walk *w, const struct php_place *caller,
    const struct php_place *callee)
{
	return w->is_calm || (callee->is_internal && !w->is_repaired &&
	    php_is_call(caller->opcode) && calls_find(&w->calls,
	        caller->function, callee->function) == CALLS_NONE);
}

int
repair_note(struct walk *w, const struct php_place *caller,
    const struct php_place *callee)
{
	bob_fid only;

	assert(caller->frame != CALLS_NOWHERE);
	if (is_worth_noting(w, caller, callee) && calls_note(w->ctx,
	        &w->calls, caller->function, caller->frame,
	        callee->function) < 0)
		return WALK_FATAL;
	if (w->is_calm)
		return WALK_OK;
	only = calls_find_only(&w->calls, caller->function, callee->function);
	return only == CALLS_NOWHERE || only == caller->frame
	    ? WALK_OK : move_caller(w, only);
}

/* --- slots --------------------------------------------------------------- */

/* Sets the key of a frame's slot. Returns 1; 0 if frame and caller are not in
 * the same page, or the function of the frame is not sure. */
static int
slot_of(const struct walk *w, uint32_t caller, uint64_t caller_ex,
    const struct walk_frame *f, const struct php_place *place,
    struct slot_key *ret)
{
	if (place->is_unsure || !copy_in_page(w->copy, f->ex) ||
	    !copy_in_page(w->copy, caller_ex) || f->ex <= caller_ex)
		return 0;
	*ret = (struct slot_key){ caller, f->ex - caller_ex,
		names_frame_size(w->names, place->function, f->n_args) };
	return 1;
}

int
repair_top(struct walk *w, int is_linked)
{
	const struct walk_memo *m = &w->memo[w->depth - 1];
	const struct slot_callee *c;
	struct slot_key key;
	uint64_t size = w->end - w->frame[0].ex;

	if (w->end == 0 || !slot_of(w, m->function, m->ex, &w->frame[0],
	        &w->place, &key))
		return 0;
	if (size == key.size) {
		if (is_linked)
			return 0;
		c = slots_find_of(&w->slots, &key, w->place.function);
	} else {
		key.size = size;
		c = slots_find(&w->slots, &key);
	}
	if (c == NULL)
		return 0;
	if (w->place.function != c->place.function)
		w->place = c->place;
	w->is_repaired = 1;
	return move_caller(w, c->caller) == WALK_OK ? 1 : WALK_FATAL;
}

/* --- whole stacks --------------------------------------------------------- */

/* Never 0, which is no key of a ptrmap. */
static uint64_t
seen_key(uint64_t current, uint64_t end)
{
	return ptrmap_mix(current, end) | 1;
}

/* True if the top ends where the stack ended when it was current. */
static int
is_fitting(const struct walk *w)
{
	const struct walk_memo *m = &w->memo[w->depth - 2];
	struct slot_key key;

	return slot_of(w, m->function, m->ex, &w->frame[0], &w->place,
	           &key) && key.size == w->end - w->frame[0].ex;
}

int
repair_note_stack(struct walk *w)
{
	uint64_t ex = w->frame[0].ex;

	if (w->end == 0 || w->is_repaired || w->is_cut || w->depth < 2 ||
	    ex != w->memo[w->depth - 1].ex || !copy_in_page(w->copy, ex) ||
	    (!w->is_calm && !is_fitting(w)))
		return WALK_OK;
	if (w->seen.used > MAX_SEEN)
		ptrmap_clear(&w->seen);
	return ptrmap_put(w->ctx, &w->seen, seen_key(ex, w->end),
	    w->stack) < 0 ? WALK_FATAL : WALK_OK;
}

static int
is_same_function(const struct walk *w, bob_fid a, bob_fid b)
{
	const struct bob_frame *f = bob_frame_get(w->dict, a);
	const struct bob_frame *g = bob_frame_get(w->dict, b);

	return f->name == g->name && f->scope == g->scope &&
	    f->ns == g->ns && f->file == g->file;
}

/* True if the stack of the sample and the other one have the same callers up to
 * that depth, and frames of the same function at it, on whatever line. */
static int
agrees_at(const struct walk *w, bob_stack stack, size_t depth)
{
	bob_stack outer = depth > 1 ? w->memo[depth - 2].stack : 0;
	struct bob_node n = bob_stack_get(w->dict, stack);

	while (n.depth > depth)
		n = bob_stack_get(w->dict, n.parent);
	return n.depth == depth && n.parent == outer &&
	    is_same_function(w, n.frame, bob_stack_get(w->dict,
	        w->memo[depth - 1].stack).frame);
}

bob_stack
repair_seen(const struct walk *w)
{
	uint32_t stack = ptrmap_get(&w->seen, seen_key(
	    copy_current(w->copy, 0), copy_top(w->copy, 0)));
	size_t i;

	if (stack == PTRMAP_NONE || w->is_stopped)
		return 0;
	for (i = 0; i < MAX_GONE && i < w->depth; i++)
		if (agrees_at(w, stack, w->depth - i))
			return stack;
	return 0;
}

/* --- learning ------------------------------------------------------------- */

/* Reads a frame in the page, its place and its caller. Returns 1; 0 if it is no
 * frame, or one without a sure name; WALK_FATAL. */
static int
read_page_frame(struct walk *w, uint64_t ex, struct walk_frame *ret,
    struct php_place *place, uint64_t *prev)
{
	const uint8_t *p;
	int r;

	if (!copy_in_page(w->copy, ex) || ex % 8 != 0 ||
	    w->copy->len - (ex - w->copy->base) < EX_SIZE)
		return 0;
	p = w->copy->page + (ex - w->copy->base);
	*ret = (struct walk_frame){ .ex = ex, .func = mem_u64(p, EX_FUNC),
		.opline = mem_u64(p, EX_OPLINE),
		.n_args = mem_u32(p, EX_N_ARGS) };
	*prev = mem_u64(p, w->o->ex_prev);
	if (ret->func == 0)
		return 0;
	r = names_top(w->names, ret->func, ret->opline, place);
	if (r == NAMES_FATAL)
		return WALK_FATAL;
	/* names_top() may have forgotten all functions; then the indices of the
	 * walk are no longer valid. */
	return r == NAMES_OK && !place->is_nameless && !place->is_unsure &&
	    w->generation == w->names->generation;
}

/* Learns the slots of the last calls of a frame. The frames of its callees lie
 * behind it, several in a row if a call is an argument of another. Returns
 * WALK_OK or WALK_FATAL. */
static int
learn_callees(struct walk *w, const struct walk_frame *caller,
    const struct php_place *at)
{
	uint64_t ex = caller->ex + names_frame_size(w->names, at->function,
	    caller->n_args);
	struct walk_frame f;
	struct php_place place;
	struct slot_key key;
	uint64_t prev;
	int i, r;

	for (i = 0; i < MAX_NESTED; i++, ex += key.size) {
		r = read_page_frame(w, ex, &f, &place, &prev);
		if (r != 1 || !slot_of(w, at->function, caller->ex, &f,
		        &place, &key))
			return r == WALK_FATAL ? r : WALK_OK;
		if (prev == caller->ex &&
		    (at->is_internal || php_is_call(at->opcode)) &&
		    slots_note(w->ctx, &w->slots, &key, at->frame,
		        &place) != BOB_OK)
			return WALK_FATAL;
	}
	return WALK_OK;
}

int
repair_learn(struct walk *w)
{
	uint64_t ex = copy_current(w->copy, 1);
	struct walk_frame f;
	struct php_place place;
	int i, r = WALK_OK;

	for (i = 0; i < LEARN_FROM && r == WALK_OK; i++) {
		r = read_page_frame(w, ex, &f, &place, &ex);
		if (r == 1)
			r = learn_callees(w, &f, &place);
	}
	return r == WALK_FATAL ? r : WALK_OK;
}
