/* Flame graphs: odd weights, and failures. */
#include "format/flame/flame.h"

#include "fault.h"
#include "pipeline/sink.h"
#include "through.h"

/* A sink with its output, fed by hand. */
struct flame {
	struct bob_ctx *ctx;
	struct bob_dict *d;
	struct sink *sink;
	struct diags diags;
	struct buf out;
};

static int
collect(void *user, const void *p, size_t n)
{
	put_bytes(user, p, n);
	return 0;
}

static void
begin(struct flame *f, const char *format)
{
	struct bob_target to = { .write = collect, .user = &f->out };
	struct sink_spec spec = { .target = &to };

	memset(f, 0, sizeof(*f));
	f->ctx = ctx_with(&f->diags);
	f->d = bob_dict_new(f->ctx);
	assert_non_null(f->d);
	spec.dict = f->d;
	assert_status(f->ctx, BOB_OK, sink_create(f->ctx,
	    format_named(format), &spec, &f->sink));
}

static void
segment(struct flame *f, uint64_t period)
{
	struct bob_segment s = { .period_us = period };

	assert_status(f->ctx, BOB_OK, sink_segment(f->sink, &s));
}

static bob_stack
push(struct flame *f, bob_stack parent, const char *name)
{
	struct bob_frame frame = { .lang = BOB_LANG_PYTHON,
		.flags = BOB_FRAME_NO_LINE };

	frame.name = bob_str_put(f->d, name, strlen(name));
	return bob_stack_push(f->d, parent, bob_frame_put(f->d, &frame));
}

static void
samples(struct flame *f, bob_stack stack, uint64_t count)
{
	struct bob_run run = { .count = count, .stack = stack };

	assert_status(f->ctx, BOB_OK, sink_runs(f->sink, &run, 1));
}

static const char *
end(struct flame *f)
{
	assert_status(f->ctx, BOB_OK, sink_finish(f->sink, NULL));
	put_byte(&f->out, 0);
	return (const char *)f->out.p;
}

static void
done(struct flame *f)
{
	buf_free(&f->out);
	bob_dict_free(f->d);
	bob_ctx_free(f->ctx);
}

#define assert_has(text, part) assert_non_null(strstr(text, part))
#define assert_has_not(text, part) assert_null(strstr(text, part))

static void
unknown_period_is_no_time(void **state)
{
	struct flame f;
	const char *svg;

	(void)state;
	begin(&f, "flamegraph");
	segment(&f, 0);
	samples(&f, push(&f, 0, "a"), 3);
	svg = end(&f);
	assert_has(svg, ">3 samples, wall time 30 ms or more, thread time 30 ms"
	    "</text>");
	assert_has(svg, "<title>a\n3 samples, 100.00%</title>");
	assert_has(svg, "\"period\":0,");
	done(&f);
}

static void
huge_weights_saturate(void **state)
{
	struct flame f;
	const char *svg;

	(void)state;
	begin(&f, "flamegraph");
	segment(&f, 1000);
	samples(&f, push(&f, 0, "a"), BOB_MAX_COUNT);
	samples(&f, push(&f, 0, "b"), BOB_MAX_COUNT);
	svg = end(&f);
	assert_has(svg, "9,223,372,036,854,775,807 samples");
	done(&f);
}

static void
frames_of_one_function_are_one_box(void **state)
{
	static const char in[] = "m /a.php:1;f /b.php:2 3\n"
	                         "m /a.php:9;f /b.php:7 4\n";
	struct through_how lines = { .option = "lines" };
	struct through t;

	(void)state;
	through(&t, in, strlen(in), "folded", "flamegraph", NULL);
	assert_has((char *)t.out.p, "\"name\":[\"m\",\"f\"]");
	assert_has((char *)t.out.p, "\"self\":[2,7]");
	through_done(&t);
	through(&t, in, strlen(in), "folded", "flamegraph", &lines);
	assert_has((char *)t.out.p, "\"name\":[\"m\",\"f\",\"m\",\"f\"]");
	assert_has((char *)t.out.p, "\"line\":[9,7,1,2]");
	through_done(&t);
}

/* As deep as stacks may be: nothing recurses, nothing is quadratic. */
static void
deep_stack_is_drawn(void **state)
{
	static const unsigned depth = 20000;
	struct flame f;
	bob_stack s = 0;
	unsigned i;

	(void)state;
	begin(&f, "flamegraph");
	segment(&f, 1000);
	for (i = 0; i < depth; i++)
		s = push(&f, s, "f");
	samples(&f, s, 1);
	assert_has(end(&f), " height=\"360132\"");
	done(&f);
}

static void
nothing_is_drawn_of_nothing(void **state)
{
	struct flame f;
	const char *svg;

	(void)state;
	begin(&f, "flamegraph");
	svg = end(&f);
	assert_has(svg, ">0 samples, thread time 0 us</text>");
	assert_has(svg, "<g id=\"boxes\">\n</g>");
	assert_has(svg, "\"self\":[]");
	done(&f);
}

static void
control_characters_become_visible(void **state)
{
	struct flame f;
	const char *svg;

	(void)state;
	begin(&f, "flamegraph");
	segment(&f, 1000);
	samples(&f, push(&f, 0, "a\n\x7f\xe2\x80\xae" "b\xef\xbf\xbf\xff<"), 1);
	svg = end(&f);
	assert_has(svg, "<title>a\xe2\x90\x8a\xe2\x90\xa1[202E]b\xef\xbf\xbd"
	                "\xef\xbf\xbd&lt;\n1 sample");
	assert_has(svg, "\"name\":[\"a\xe2\x90\x8a\xe2\x90\xa1[202E]b"
	                "\xef\xbf\xbd\xef\xbf\xbd\\u003c\"]");
	done(&f);
}

static void
colours_follow_language_and_folder(void **state)
{
	static const char in[] = "a /x/a.php:1;a /x/b.php:1;a /y/a.py:1 1\n";
	const char *p;
	unsigned colour[3];
	struct through t;

	(void)state;
	through(&t, in, strlen(in), "folded", "flamegraph", NULL);
	p = strstr((char *)t.out.p, "\"colour\":[");
	assert_non_null(p);
	assert_int_equal(sscanf(p, "\"colour\":[%u,%u,%u]", &colour[0],
	    &colour[1], &colour[2]), 3);
	assert_int_equal(colour[0], colour[1]);
	assert_int_equal(colour[0] / (FLAME_HUES * FLAME_TINTS), BOB_LANG_PHP);
	assert_int_equal(colour[2] / (FLAME_HUES * FLAME_TINTS),
	    BOB_LANG_PYTHON);
	through_done(&t);
}

static void
every_allocation_may_fail(void **state)
{
	static const char in[] = "a /a.php:1;b\x01 c 3\na /a.php:1 2\n";

	(void)state;
	assert_survives_faults(in, "folded", "flamegraph");
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(unknown_period_is_no_time),
		cmocka_unit_test(huge_weights_saturate),
		cmocka_unit_test(frames_of_one_function_are_one_box),
		cmocka_unit_test(deep_stack_is_drawn),
		cmocka_unit_test(nothing_is_drawn_of_nothing),
		cmocka_unit_test(control_characters_become_visible),
		cmocka_unit_test(colours_follow_language_and_folder),
		cmocka_unit_test(every_allocation_may_fail),
	};

	return cmocka_run_group_tests_name("flame", tests, NULL, NULL);
}
