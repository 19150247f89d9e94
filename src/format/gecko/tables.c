/* The head of the file: facts about the trace, and the tables that all threads
 * share. Our ids begin with 1, those of the file with 0. */
#include "format/gecko/write.h"

#include <stdlib.h>

#include "core/json.h"
#include "format/gecko/gecko.h"

static void
put_string(struct text *t, struct bob_bytes s)
{
	json_string(t, s.p, s.n);
}

/* The columns of a table are written one after the other. */
typedef void put_cell(struct gecko_page *page, uint32_t i);

/* Cells from `cell`, or `value` in each row when that is NULL. */
static void
put_cells(struct gecko_page *page, const char *key, uint32_t n, put_cell *cell,
    const char *value)
{
	struct text *t = &page->text;
	uint32_t i;

	text_byte(t, '"');
	text_str(t, key);
	text_str(t, "\":[");
	for (i = 0; i < n; i++) {
		if (i > 0)
			text_byte(t, ',');
		if (cell != NULL)
			cell(page, i);
		else
			text_str(t, value);
	}
	text_str(t, "],\n");
}

static void
put_column(struct gecko_page *page, const char *key, uint32_t n,
    put_cell *cell)
{
	put_cells(page, key, n, cell, NULL);
}

/* The same value in each row. */
static void
put_constant(struct gecko_page *page, const char *key, uint32_t n,
    const char *value)
{
	put_cells(page, key, n, NULL, value);
}

static void
put_length(struct gecko_page *page, uint32_t n)
{
	text_str(&page->text, "\"length\":");
	text_u64(&page->text, n);
	text_byte(&page->text, '}');
}

static const char *
product(const struct gecko_writer *w)
{
	unsigned has = 0;
	size_t i;

	for (i = 0; i < w->n_track; i++)
		has |= w->track[i].has;
	switch (has & (GECKO_HAS_PHP | GECKO_HAS_PYTHON)) {
	case GECKO_HAS_PHP:
		return "PHP";
	case GECKO_HAS_PYTHON:
		return "Python";
	case GECKO_HAS_PHP | GECKO_HAS_PYTHON:
		return "PHP and Python";
	default:
		return "bobbin";
	}
}

/* In the order of enum gecko_category; the grey one stands for whatever has
 * no category. */
static void
put_categories(struct text *t)
{
	static const char *const category[][2] = {
		{ "Other", "grey" },      { "PHP", "purple" },
		{ "Python", "yellow" },   { "Native", "blue" },
		{ "GC", "orange" },       { "GIL", "green" },
		{ "CPU", "brown" },       { "Exception", "red" },
		{ "Annotation", "lightblue" },
	};
	size_t i;

	text_str(t, "\"categories\":[");
	for (i = 0; i < sizeof(category) / sizeof(category[0]); i++) {
		text_str(t, i > 0 ? ",\n{\"name\":\"" : "\n{\"name\":\"");
		text_str(t, category[i][0]);
		text_str(t, "\",\"color\":\"");
		text_str(t, category[i][1]);
		text_str(t, "\",\"subcategories\":[\"Other\"]}");
	}
	text_str(t, "],\n");
}

static void
put_schema(struct text *t)
{
	text_str(t, "\"markerSchema\":[\n"
	    "{\"name\":\"Status\","
	    "\"description\":\"What the thread was in when it was sampled.\","
	    "\"display\":[\"marker-chart\",\"marker-table\","
	    "\"timeline-overview\"],\"fields\":[]},\n"
	    "{\"name\":\"Annotation\","
	    "\"tooltipLabel\":\"{marker.name}: {marker.data.value}\","
	    "\"tableLabel\":\"{marker.data.value}\","
	    "\"chartLabel\":\"{marker.data.value}\","
	    "\"description\":\"What the samples were annotated with.\","
	    "\"display\":[\"marker-chart\",\"marker-table\","
	    "\"timeline-overview\"],"
	    "\"fields\":[{\"key\":\"value\",\"label\":\"Value\","
	    "\"format\":\"unique-string\"}]}],\n");
}

/* The trace's metadata, which the viewer shows as it is. */
static void
put_extra(struct gecko_page *page)
{
	const struct bob_dict *d = page->w->fns.own;
	struct text *t = &page->text;
	uint32_t i;

	text_str(t, "\"extra\":[{\"label\":\"Metadata\",\"entries\":[");
	for (i = 1; i < d->n.n_annot; i++) {
		const struct bob_pair *pair = &d->pair[d->annot[i].first];

		text_str(t, i > 1 ? ",\n{\"label\":" : "\n{\"label\":");
		put_string(t, d->str[pair->key]);
		text_str(t, ",\"format\":\"string\",\"value\":");
		put_string(t, d->str[pair->value]);
		text_byte(t, '}');
	}
	text_str(t, "]}]");
}

void
gecko_put_meta(struct gecko_page *page)
{
	const struct gecko_writer *w = page->w;
	struct text *t = &page->text;
	uint64_t period = w->period != 0 ? w->period : w->axis.period;
	int64_t start = w->axis.has_epoch
	    ? (int64_t)(w->axis.epoch + (uint64_t)page->origin) : 0;

	text_str(t, "\"meta\":{\"preprocessedProfileVersion\":" GECKO_VERSION
	            ",\"version\":31,\n\"product\":\"");
	text_str(t, product(w));
	text_str(t, "\",\"importedFrom\":\"bobbin ");
	text_str(t, bob_version());
	text_str(t, "\",\n\"interval\":");
	json_thousandths(t, (int64_t)(period & BOB_MAX_COUNT));
	text_str(t, ",\"startTime\":");
	json_thousandths(t, start < 0 ? 0 : start);
	text_str(t, ",\"processType\":0,\"stackwalk\":0,\n"
	            "\"symbolicated\":true,\"symbolicationNotSupported\":true,"
	            "\"usesOnlyOneStackType\":true,\n"
	            "\"sourceCodeIsNotOnSearchfox\":true,"
	            "\"keepProfileThreadOrder\":true,\n");
	put_categories(t);
	put_schema(t);
	put_extra(page);
	text_byte(t, '}');
}

static void
cell_string(struct gecko_page *page, uint32_t i)
{
	if (i > 0)
		text_byte(&page->text, '\n');
	put_string(&page->text, page->w->fns.own->str[i]);
}

/* Numbers the files of all functions. */
static int
number_sources(struct gecko_page *page)
{
	const struct functions *f = &page->w->fns;
	size_t n = f->own->n.n_str;
	uint32_t i;

	page->source_of = calloc(n, sizeof(*page->source_of));
	page->source = calloc(n, sizeof(*page->source));
	if (page->source_of == NULL || page->source == NULL)
		return err_nomem(page->sink->ctx);
	for (i = 1; i < f->n_function; i++) {
		bob_str file = f->own->frame[i].file;

		if (file == 0 || page->source_of[file] != 0)
			continue;
		page->source[page->n_source++] = file;
		page->source_of[file] = page->n_source;
	}
	return BOB_OK;
}

static void
cell_source_file(struct gecko_page *page, uint32_t i)
{
	text_u64(&page->text, page->source[i]);
}

static void
put_sources(struct gecko_page *page)
{
	uint32_t n = page->n_source;

	text_str(&page->text, "\"sources\":{");
	put_constant(page, "id", n, "null");
	put_column(page, "filename", n, cell_source_file);
	put_constant(page, "startLine", n, "1");
	put_constant(page, "startColumn", n, "1");
	put_constant(page, "sourceMapURL", n, "null");
	put_length(page, n);
}

static void
cell_func_name(struct gecko_page *page, uint32_t i)
{
	text_u64(&page->text, page->w->fns.own->frame[i + 1].name);
}

static void
cell_func_source(struct gecko_page *page, uint32_t i)
{
	uint32_t source = page->source_of[
	    page->w->fns.own->frame[i + 1].file];

	if (source == 0)
		text_str(&page->text, "null");
	else
		text_u64(&page->text, source - 1);
}

static void
put_functions(struct gecko_page *page)
{
	uint32_t n = page->w->fns.n_function - 1;

	text_str(&page->text, ",\n\"funcTable\":{");
	put_column(page, "name", n, cell_func_name);
	put_constant(page, "isJS", n, "false");
	put_constant(page, "relevantForJS", n, "false");
	put_constant(page, "resource", n, "-1");
	put_column(page, "source", n, cell_func_source);
	put_constant(page, "lineNumber", n, "null");
	put_constant(page, "columnNumber", n, "null");
	put_length(page, n);
}

static void
cell_frame_category(struct gecko_page *page, uint32_t i)
{
	const struct functions *f = &page->w->fns;

	text_u64(&page->text, gecko_category(f, f->place[i + 1].function));
}

static void
cell_frame_func(struct gecko_page *page, uint32_t i)
{
	text_u64(&page->text, page->w->fns.place[i + 1].function - 1);
}

static void
cell_frame_line(struct gecko_page *page, uint32_t i)
{
	int64_t line = page->w->fns.place[i + 1].line;

	if (line == 0)
		text_str(&page->text, "null");
	else
		text_i64(&page->text, line);
}

static void
put_frames(struct gecko_page *page)
{
	uint32_t n = page->w->fns.n_place - 1;

	text_str(&page->text, ",\n\"frameTable\":{");
	put_constant(page, "address", n, "-1");
	put_constant(page, "inlineDepth", n, "0");
	put_column(page, "category", n, cell_frame_category);
	put_constant(page, "subcategory", n, "0");
	put_column(page, "func", n, cell_frame_func);
	put_constant(page, "nativeSymbol", n, "null");
	put_constant(page, "innerWindowID", n, "null");
	put_column(page, "line", n, cell_frame_line);
	put_constant(page, "column", n, "null");
	put_length(page, n);
}

static void
cell_stack_frame(struct gecko_page *page, uint32_t i)
{
	text_u64(&page->text, page->w->fns.own->node[i + 1].frame - 1);
}

static void
cell_stack_prefix(struct gecko_page *page, uint32_t i)
{
	bob_stack parent = page->w->fns.own->node[i + 1].parent;

	if (parent == 0)
		text_str(&page->text, "null");
	else
		text_u64(&page->text, parent - 1);
}

static void
put_stacks(struct gecko_page *page)
{
	uint32_t n = page->w->fns.own->n.n_stack - 1;

	text_str(&page->text, ",\n\"stackTable\":{");
	put_column(page, "frame", n, cell_stack_frame);
	put_column(page, "prefix", n, cell_stack_prefix);
	put_length(page, n);
}

int
gecko_put_tables(struct gecko_page *page)
{
	struct text *t = &page->text;

	if (number_sources(page) < 0)
		return BOB_FATAL;
	text_str(t, "\"shared\":{\n");
	put_column(page, "stringArray", page->w->fns.own->n.n_str,
	    cell_string);
	put_sources(page);
	put_functions(page);
	put_frames(page);
	put_stacks(page);
	text_str(t, ",\n\"resourceTable\":{\"lib\":[],\"name\":[],"
	            "\"host\":[],\"type\":[],\"length\":0},\n"
	            "\"nativeSymbols\":{\"libIndex\":[],\"address\":[],"
	            "\"name\":[],\"functionSize\":[],\"length\":0}}");
	return BOB_OK;
}
