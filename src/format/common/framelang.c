/* The language of frames; see the header. */
#include "format/common/framelang.h"

#include "core/text.h"

static enum bob_lang
lang_of_suffix(struct bob_bytes file)
{
	static const struct {
		const char *suffix;
		enum bob_lang lang;
	} known[] = {
		{ ".py", BOB_LANG_PYTHON },
		{ ".pyx", BOB_LANG_PYTHON },
		{ ".php", BOB_LANG_PHP },
		{ ".phtml", BOB_LANG_PHP },
		{ ".inc", BOB_LANG_PHP },
		{ ".so", BOB_LANG_NATIVE },
	};
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (text_ends_in(file.p, file.n, known[i].suffix))
			return known[i].lang;
	return BOB_LANG_OTHER;
}

void
lang_guess_add(struct lang_guess *g, struct bob_bytes file)
{
	enum bob_lang lang = lang_of_suffix(file);

	g->has_php |= lang == BOB_LANG_PHP;
	g->has_python |= lang == BOB_LANG_PYTHON;
}

enum bob_lang
lang_of_file(const struct lang_guess *g, struct bob_bytes file)
{
	enum bob_lang lang = lang_of_suffix(file);

	if (lang != BOB_LANG_OTHER || (file.n > 0 && *file.p != '<') ||
	    g->has_php == g->has_python)
		return lang;
	return g->has_php ? BOB_LANG_PHP : BOB_LANG_PYTHON;
}

static int
is_internal(struct bob_bytes file)
{
	static const char internal[] = "<internal>";

	return file.n == sizeof(internal) - 1 &&
	    memcmp(file.p, internal, file.n) == 0;
}

int
lang_set_name(struct bob_dict *d, enum bob_lang lang, struct bob_bytes name,
    struct bob_frame *f)
{
	if (lang == BOB_LANG_PHP)
		return bob_frame_set_php_name(d, f, name.p, name.n);
	f->name = bob_str_put(d, name.p, name.n);
	return f->name == BOB_NO_ID ? BOB_FATAL : BOB_OK;
}

bob_fid
lang_put_named(struct bob_dict *d, enum bob_lang lang,
    const struct bob_frame *named, bob_str file, int64_t line)
{
	struct bob_frame f = { .lang = (uint8_t)lang, .file = file,
		.ns = named->ns, .scope = named->scope, .name = named->name };

	if (file == BOB_NO_ID)
		return BOB_NO_ID;
	/* The place of a native frame is an offset, not a line. PHP gives line
	 * -1 to all of its internal functions. */
	if (line > 0 && lang != BOB_LANG_NATIVE)
		f.where = line;
	else if (lang == BOB_LANG_PHP && is_internal(bob_str_get(d, file)))
		f.where = -1;
	else
		f.flags = BOB_FRAME_NO_LINE;
	return bob_frame_put(d, &f);
}

bob_fid
lang_put_frame(struct bob_dict *d, enum bob_lang lang, struct bob_bytes name,
    bob_str file, int64_t line)
{
	struct bob_frame named = { 0 };

	if (lang_set_name(d, lang, name, &named) < 0)
		return BOB_NO_ID;
	return lang_put_named(d, lang, &named, file, line);
}
