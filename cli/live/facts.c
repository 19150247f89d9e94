/* Metadata about processes; see the header. */
#include "facts.h"

#include <stdio.h>
#include <string.h>

int
facts_put(struct bob_writer *out, const char *key, const char *value)
{
	struct bob_dict *dict = bob_writer_dict(out);
	struct bob_mark m;

	memset(&m, 0, sizeof(m));
	m.kind = BOB_MARK_META;
	m.key = bob_str_put(dict, key, strlen(key));
	m.value = bob_str_put(dict, value, strlen(value));
	if (m.key == BOB_NO_ID || m.value == BOB_NO_ID)
		return BOB_FATAL;
	return bob_write_mark(out, &m);
}

int
facts_put_number(struct bob_writer *out, const char *key, double value)
{
	char text[32];

	(void)snprintf(text, sizeof(text), "%.15g", value);
	return facts_put(out, key, text);
}

int
facts_put_process(struct bob_writer *out, const struct bob_proc_facts *f)
{
	char parent[24], key[64];
	const struct {
		const char *name, *value;
	} fact[] = {
		{ "runtime", f->runtime },
		{ "version", f->version },
		{ "parent", parent },
		{ "command", f->command },
	};
	size_t i;
	int r = BOB_OK;

	(void)snprintf(parent, sizeof(parent), "%llu",
	    (unsigned long long)f->ppid);
	for (i = 0; r == BOB_OK && i < sizeof(fact) / sizeof(fact[0]); i++) {
		(void)snprintf(key, sizeof(key), "process.%llu.%s",
		    (unsigned long long)f->pid, fact[i].name);
		r = facts_put(out, key, fact[i].value);
	}
	return r;
}
