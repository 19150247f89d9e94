/*
 * Sampling a PHP process whose memory the fuzzer controls.
 *
 * The process is an image of 8.2 with a stack of three frames, a generator, a
 * request, variables of all kinds and everything that belongs to them. The
 * input is a list of changes of bytes and of whole words, as words.h has them.
 * So memory changes between the reads of a sample, as that of a live process
 * does.
 *
 * Nothing may crash, hang or read out of bounds. A stack that is given must be
 * valid. A sample may take no more steps than the bytes that it reads allow.
 */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "capture/php/frames/copy.h"
#include "capture/php/frames/names.h"
#include "capture/php/requests/request.h"
#include "capture/php/variables/table.h"
#include "capture/php/variables/vars.h"
#include "capture/php/frames/walk.h"
#include "core/error.h"
#include "fakemem.h"
#include "samplework.h"
#include "model/dict.h"
#include "words.h"

#define SAMPLES 6
#define IMAGE 32768u
#define AT ((uint64_t)0x7f0000000000)

/* Where things are in the image. */
enum {
	EG = 0,
	SG = 2048,
	SERVER = 2816,
	STACK = 4096,
	FUNCTIONS = 12288,
	TABLES = 13312,
	CLASS = 15360,
	OTHER_CLASS = 15616,
	OBJECT = 15872,
	LIST = 15936,
	NAMES = 16000,
	INFO = 16064,
	OPCODES = 16384,
	STRINGS = 20480,
	HEAP = 24576,
	CG = 26624,
	MAP = 27648,
	GENERATOR = 28672,
	FUNCTION_SIZE = 256,
	OPCODES_SIZE = 512,
	STRING_SIZE = 64,
	TABLE_SIZE = 96, /* a head, two slots and a bucket */
	TABLE_DATA = 48
};

struct target {
	struct fakemem m;
	uint8_t image[IMAGE];
	const uint8_t *change;
	size_t n_change;
	size_t n_reads;
};

static void
put(struct target *t, size_t at, uint64_t v)
{
	fakemem_put(&t->m, at, v, 8);
}

static void
put32(struct target *t, size_t at, uint32_t v)
{
	fakemem_put(&t->m, at, v, 4);
}

static uint64_t
put_string(struct target *t, size_t i, const char *s)
{
	size_t at = STRINGS + i * STRING_SIZE;

	t->image[at + GC_TYPE] = ZVAL_IS_STRING;
	put(t, at + STR_LEN, strlen(s));
	memcpy(t->image + at + STR_VAL, s, strlen(s) + 1);
	return AT + at;
}

static uint64_t
put_function(struct target *t, const struct php_offsets *o, size_t i,
    int type, const char *name, uint8_t opcode)
{
	size_t at = FUNCTIONS + i * FUNCTION_SIZE;
	size_t ops = OPCODES + i * OPCODES_SIZE, k;

	t->image[at] = (uint8_t)type;
	if (name != NULL)
		put(t, at + FN_NAME, put_string(t, i, name));
	if (type == FN_INTERNAL)
		return AT + at;
	put(t, at + o->op_opcodes, AT + ops);
	put32(t, at + o->op_last, 16);
	put(t, at + o->op_filename, put_string(t, 16 + i, "/a.php"));
	put32(t, at + o->op_line_start, (uint32_t)(10 * i + 1));
	for (k = 0; k < 16; k++) {
		put32(t, ops + k * OP_SIZE + OP_LINE,
		    (uint32_t)(10 * i + k));
		t->image[ops + k * OP_SIZE + OP_CODE] = opcode;
	}
	return AT + at;
}

static void
put_frame(struct target *t, const struct php_offsets *o, size_t at,
    size_t function, uint64_t prev, uint32_t info)
{
	put(t, at + EX_OPLINE,
	    AT + OPCODES + function * OPCODES_SIZE + 2 * OP_SIZE);
	put(t, at + EX_FUNC, AT + FUNCTIONS + function * FUNCTION_SIZE);
	put32(t, at + EX_TYPE_INFO, info);
	put(t, at + o->ex_prev, prev);
}

static void
put_zval(struct target *t, size_t at, uint8_t type, uint64_t v)
{
	put(t, at, v);
	put32(t, at + ZVAL_TYPE, type);
}

/* A bucket with a key, that has string i for it. */
static void
put_bucket(struct target *t, size_t at, size_t i, const char *key,
    uint8_t type, uint64_t v)
{
	put_zval(t, at, type, v);
	put32(t, at + ZVAL_NEXT, UINT32_MAX);
	put(t, at + BUCKET_HASH, table_key_of(key, strlen(key)).h);
	put(t, at + BUCKET_KEY, put_string(t, i, key));
}

/* The head of a table, whose buckets are behind two slots that both lead to
 * the first. */
static void
put_head(struct target *t, size_t at, size_t data, uint32_t used)
{
	t->image[at + GC_TYPE] = ZVAL_IS_ARRAY;
	put32(t, at + ARR_MASK, (uint32_t)-2);
	put(t, at + ARR_DATA, AT + data);
	put32(t, at + ARR_USED, used);
	put32(t, at + ARR_COUNT, used);
}

/* Table i with one bucket. */
static uint64_t
put_table(struct target *t, size_t i, const char *key, uint8_t type,
    uint64_t v)
{
	size_t at = TABLES + i * TABLE_SIZE;

	put_head(t, at, at + TABLE_DATA, 1);
	put_bucket(t, at + TABLE_DATA, 40 + i, key, type, v);
	return AT + at;
}

/* What the variables of f are, and what they lead to. */
static void
build_locals(struct target *t, const struct php_offsets *o, size_t frame)
{
	static const char *const names[] = { "s", "o", "list" };
	size_t f = FUNCTIONS + FUNCTION_SIZE, cv = frame + o->ex_variables;
	size_t i;

	put32(t, f + o->op_n_vars, 3);
	put(t, f + o->op_vars, AT + NAMES);
	for (i = 0; i < 3; i++)
		put(t, NAMES + 8 * i, put_string(t, 52 + i, names[i]));
	put_zval(t, cv, ZVAL_IS_STRING, put_string(t, 55, "text"));
	put_zval(t, cv + ZVAL_SIZE, ZVAL_IS_OBJECT, AT + OBJECT);
	put_zval(t, cv + 2 * ZVAL_SIZE, ZVAL_IS_ARRAY, AT + LIST);
	t->image[OBJECT + GC_TYPE] = ZVAL_IS_OBJECT;
	put(t, OBJECT + OBJ_CLASS, AT + OTHER_CLASS);
	put_zval(t, OBJECT + OBJ_TABLE, ZVAL_IS_LONG, 7);
	put32(t, OTHER_CLASS + CE_N_PROPERTIES, 1);
	put32(t, INFO, OBJ_TABLE);
	put_head(t, OTHER_CLASS + CE_PROPERTIES,
	    TABLES + 6 * TABLE_SIZE + TABLE_DATA, 1);
	(void)put_table(t, 6, "p", o->type_pointer, AT + INFO);
	put32(t, LIST + ARR_FLAGS, ARR_IS_LIST);
	put_head(t, LIST, NAMES + 96, 2);
	put_zval(t, NAMES + 96, ZVAL_IS_NULL, 0);
	put_zval(t, NAMES + 112, ZVAL_IS_TRUE, 0);
}

/* Classes, functions and what they keep. */
static void
build_statics(struct target *t, const struct php_offsets *o)
{
	size_t f = FUNCTIONS + FUNCTION_SIZE;

	put(t, EG + o->eg_functions, put_table(t, 3, "f", o->type_pointer,
	    AT + f));
	put(t, EG + o->eg_functions + 8, put_table(t, 2, "c",
	    o->type_pointer, AT + CLASS));
	/* The first is found through the map, the other is a pointer. */
	put(t, f + o->op_statics, 1);
	put(t, CG + o->cg_map, AT + MAP - 1);
	put(t, MAP, put_table(t, 4, "n", ZVAL_IS_REFERENCE, AT + MAP + 32));
	put_zval(t, MAP + 32 + REF_VAL, ZVAL_IS_DOUBLE, 0);
	put32(t, CLASS + CE_N_STATICS, 1);
	put(t, CLASS + CE_STATICS, AT + MAP + 64);
	put_zval(t, MAP + 64, o->type_indirect, AT + MAP + 96);
	put_zval(t, MAP + 96, ZVAL_IS_LONG, 3);
	put_head(t, CLASS + CE_PROPERTIES,
	    TABLES + 5 * TABLE_SIZE + TABLE_DATA, 1);
	(void)put_table(t, 5, "p", o->type_pointer, AT + INFO + 16);
	put32(t, INFO + 16 + PROP_FLAGS, o->acc_static);
}

/* $_SERVER and $g, in one chain. */
static void
build_symbols(struct target *t)
{
	size_t data = SERVER + 8;
	uint64_t uri = put_string(t, 36, "/b/18?c"), v = put_string(t, 37, "v");

	put_head(t, EG + EG_SYMBOL_TABLE, data, 2);
	put_bucket(t, data, 35, "_SERVER", ZVAL_IS_ARRAY,
	    put_table(t, 0, "REQUEST_URI", ZVAL_IS_STRING, uri));
	put32(t, data + ZVAL_NEXT, 1);
	put_bucket(t, data + BUCKET_SIZE, 38, "g", ZVAL_IS_ARRAY,
	    put_table(t, 1, "k", ZVAL_IS_STRING, v));
}

/* main calls f, f goes through generator g, g calls strlen. */
static void
build(struct target *t, const struct php_offsets *o)
{
	size_t first = STACK + o->first_frame;

	(void)put_function(t, o, 0, FN_USER, NULL, OP_DO_FCALL);
	(void)put_function(t, o, 1, FN_USER, "f", OP_FE_FETCH_R);
	(void)put_function(t, o, 2, FN_USER, "g", OP_DO_ICALL);
	(void)put_function(t, o, 3, FN_INTERNAL, "strlen", 0);
	put_frame(t, o, first, 0, 0, o->call_top);
	put_frame(t, o, first + 96, 1, AT + first, 0);
	put_frame(t, o, GENERATOR, 2, AT + first + 96,
	    o->call_top | o->call_generator);
	put_frame(t, o, first + 256, 3, AT + GENERATOR, 0);
	put(t, EG + o->eg_vm_stack_top, AT + first + 352);
	put(t, EG + o->eg_vm_stack_top + EG_VM_STACK_END, AT + STACK + 8192);
	put(t, EG + o->eg_vm_stack_top + EG_VM_STACK, AT + STACK);
	put(t, EG + o->eg_current, AT + first + 256);
	put(t, SG + SG_METHOD, put_string(t, 32, "GET") + STR_VAL);
	put(t, SG + SG_URI, put_string(t, 33, "/a/17?b") + STR_VAL);
	put(t, SG + SG_QUERY, put_string(t, 34, "b=1") + STR_VAL);
	put(t, HEAP, AT + HEAP + 64);
	put(t, HEAP + 64 + HEAP_SIZE, 1 << 20);
	put(t, HEAP + 64 + HEAP_PEAK, 2 << 20);
	build_symbols(t);
	build_locals(t, o, first + 96);
	build_statics(t, o);
}

static void
change(struct fakemem *m, size_t span, size_t n_spans)
{
	struct target *t = m->user;
	const struct words_image image = { t->image, IMAGE, AT };
	size_t i;

	(void)n_spans;
	if (span > 0)
		return;
	for (i = 0; i + 4 <= t->n_change; i += 4) {
		const uint8_t *c = t->change + i;

		if (words_is_due(c[0], t->n_reads))
			words_change(&image, c[0], c[1] | (size_t)c[2] << 8,
			    c[3]);
	}
	t->n_reads++;
}

struct rig {
	struct process p;
	struct copy copy;
	struct names names;
	struct walk walk;
	struct request request;
	struct vars vars;
};

/* Each has a value in the image as it was built. */
static const char *const specs[] = { "global::$g[k]", "local::f()$s",
	"local::f()$o->p", "static::C::$p", "func_static::f()$n",
	"local::f()$list[1]", "memory::memory_get_peak_usage" };

#define N_SPECS (int)(sizeof(specs) / sizeof(specs[0]))


static void
check_stack(struct rig *r)
{
	struct bob_dict *d = r->p.dict;
	size_t depth = 0;
	bob_stack s;

	for (s = r->walk.stack; s != 0; depth++) {
		struct bob_node node = bob_stack_get(d, s);

		FUZZ_CHECK(node.frame != 0 && node.parent < s);
		FUZZ_CHECK(bob_frame_get(d, node.frame)->lang ==
		    BOB_LANG_PHP);
		s = node.parent;
	}
	FUZZ_CHECK(depth > 0 && depth <= BOB_MAX_CAPTURE_DEPTH);
}

static int
sample(struct rig *r, uint64_t t)
{
	int k = copy_take(&r->copy);

	r->p.time_us = r->names.now_us = t;
	if (k != 0)
		return 0;
	k = walk_prove(&r->walk);
	FUZZ_CHECK(k == WALK_OK || (k >= 0 && k < BOB_N_LOST));
	if (k != WALK_OK)
		return 0;
	check_stack(r);
	copy_learn(&r->copy);
	FUZZ_CHECK(vars_read(&r->vars, &r->walk) == BOB_OK);
	r->p.n_local = 0;
	FUZZ_CHECK(vars_read_locals(&r->vars, &r->walk) == BOB_OK);
	FUZZ_CHECK(r->p.n_local <= BOB_MAX_CAPTURE_LOCALS);
	FUZZ_CHECK(request_annotate(&r->request, r->vars.pair,
	    r->vars.n_pair) != BOB_NO_ID);
	return 1;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct target t;
	const struct php_offsets *o = php_offsets_of(82);
	struct bob_ctx *ctx = bob_ctx_new();
	const struct php_globals at = { AT + EG, AT + SG, AT + CG, AT + HEAP };
	struct spec spec[N_SPECS];
	struct server server = { 0 };
	struct rig r;
	int i, n = 0;

	memset(&t, 0, sizeof(t));
	memset(&r, 0, sizeof(r));
	t.change = data;
	t.n_change = size;
	fakemem_init(&t.m, AT, t.image, IMAGE);
	t.m.before = change;
	t.m.user = &t;
	build(&t, o);
	r.p.ctx = ctx;
	r.p.dict = bob_dict_new(ctx);
	r.p.mem = t.m.mem;
	r.p.flags = BOB_ATTACH_REQUEST | BOB_ATTACH_QUERY |
	    BOB_ATTACH_COOKIE | BOB_ATTACH_MEMORY;
	copy_init(&r.copy, ctx, &r.p.mem, o, AT + EG);
	names_init(&r.names, ctx, r.p.dict, &r.p.mem, o, 1);
	walk_init(&r.walk, ctx, r.p.dict, &r.copy, &r.names, 64);
	/* Any server: what it says is read as what it changes is. */
	server.kind = size > 0 ? (enum server_kind)(data[0] % 4)
	                       : SERVER_UNKNOWN;
	server.counter = server.kind == SERVER_FPM ? AT + SG + 8 : 0;
	request_init(&r.request, &r.p, o, &at, &server);
	for (i = 0; i < N_SPECS; i++)
		FUZZ_CHECK(spec_parse(ctx, specs[i], &spec[i]) == BOB_OK);
	FUZZ_CHECK(vars_init(&r.vars, &r.p, o, spec, N_SPECS, &at) == BOB_OK);
	for (i = 0; i < SAMPLES; i++) {
		samplework_begin(&r.p.mem);
		n += sample(&r, (uint64_t)i * 7000);
		samplework_check(&r.p.mem);
	}
	/* Left alone, every sample is the stack that was built. */
	if (size == 0) {
		FUZZ_CHECK(n == SAMPLES);
		FUZZ_CHECK(bob_stack_get(r.p.dict, r.walk.stack).depth == 4);
		FUZZ_CHECK(r.vars.n_pair == (size_t)N_SPECS);
		FUZZ_CHECK(r.p.n_local > 0 && r.p.counts.unread == 0);
	}
	copy_done(&r.copy);
	names_done(&r.names);
	walk_done(&r.walk);
	vars_done(&r.vars);
	free(r.p.local);
	bob_dict_free(r.p.dict);
	bob_ctx_free(ctx);
	return 0;
}
