/* What metadata says about the language of frames; see the header. */
#include "format/rbt/lang.h"

#include "model/dict.h"

static const struct {
	enum bob_lang lang;
	const char *name;
} languages[] = {
	{ BOB_LANG_PHP, "php" },
	{ BOB_LANG_PYTHON, "python" },
	{ BOB_LANG_OTHER, "other" },
};

#define N_LANGUAGES (sizeof(languages) / sizeof(languages[0]))

const char *
rbt_lang_name(enum bob_lang lang)
{
	size_t i;

	for (i = 0; i < N_LANGUAGES; i++)
		if (languages[i].lang == lang)
			return languages[i].name;
	return languages[0].name;
}

int
rbt_lang_parse(struct bob_bytes key, struct bob_bytes value,
    enum bob_lang *ret)
{
	size_t i;

	if (!bytes_are(key, RBT_META_LANG))
		return 0;
	for (i = 0; i < N_LANGUAGES; i++) {
		if (!bytes_are(value, languages[i].name))
			continue;
		*ret = languages[i].lang;
		return 1;
	}
	return 0;
}
